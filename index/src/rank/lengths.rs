//! How often does a word stand in a field, as if all fields were of the same length?

use super::weights;
use crate::error::IndexError;
use crate::reader::{Reader, Shard};
use crate::schema::SkillField;
use tantivy::directory::OwnedBytes;
use tantivy::fieldnorm::FieldNormReader;

/// Number of fields of skills.
pub(super) const SKILLS: usize = SkillField::ALL.len();

/// Lengths of the fields of skill documents, in terms.
pub(super) struct Lengths {
    /// For each field, for each of the engine's 256 steps of lengths, what a frequency is divided by.
    divisors: Vec<[f64; 256]>,
    /// For each shard the number of its skills, and for each field the steps of all of them.
    steps: Vec<(usize, OwnedBytes)>,
}

impl Lengths {
    pub(super) fn new(reader: &Reader) -> Result<Self, IndexError> {
        let mut divisors = Vec::with_capacity(SKILLS);
        for field in 0..SKILLS {
            let average = average_length(reader, field, reader.skill_count());
            divisors.push(std::array::from_fn(|step| {
                let length = FieldNormReader::id_to_fieldnorm(step as u8);
                divisor(length, average, 1.0)
            }));
        }
        let steps = |shard: &Shard| Ok((shard.skills, shard.lengths()?));
        let steps = reader.shards.iter().map(steps);
        Ok(Self {
            divisors,
            steps: steps.collect::<Result<_, IndexError>>()?,
        })
    }

    /// How often a word stands in a field of a skill, as if the field were of average length, times the field's weight.
    /// The normalisation is full (`b` of BM25F is 1): what counts is the share of the text that is about the word. The
    /// skill is named by its shard and its place there.
    pub(super) fn weighted(
        &self,
        field: usize,
        (shard, place): (usize, usize),
        frequency: u32,
    ) -> f64 {
        self.field(field, shard).weighted(place, frequency)
    }

    /// The lengths of one field in one shard.
    pub(super) fn field(&self, field: usize, shard: usize) -> FieldLengths<'_> {
        let (skills, steps) = &self.steps[shard];
        let steps = steps.get(field * skills..(field + 1) * skills);
        FieldLengths {
            weight: weights::SKILL_FIELDS[field],
            divisors: &self.divisors[field],
            steps: steps.unwrap_or_default(),
        }
    }
}

/// Lengths of a field of the skills of a shard.
pub(super) struct FieldLengths<'a> {
    weight: f64,
    divisors: &'a [f64; 256],
    steps: &'a [u8],
}

impl FieldLengths<'_> {
    /// As [`Lengths::weighted`], for the skill in this place of the shard.
    #[inline]
    pub(super) fn weighted(&self, place: usize, frequency: u32) -> f64 {
        let divisor = self.divisors[usize::from(self.steps[place])];
        self.weight * (f64::from(frequency) / divisor)
    }
}

/// Term frequency divided by the soft length normalisation of BM25F: `tf / (1 - b + b * length / average)`.
pub(super) fn normalised(frequency: u32, length: u32, average: f64, b: f64) -> f64 {
    f64::from(frequency) / divisor(length, average, b)
}

fn divisor(length: u32, average: f64, b: f64) -> f64 {
    let relative = if average > 0.0 {
        f64::from(length) / average
    } else {
        1.0
    };
    1.0 - b + b * relative
}

/// Average number of terms of a field over `documents` documents.
pub(super) fn average_length(reader: &Reader, field: usize, documents: usize) -> f64 {
    reader.tokens[field] as f64 / (documents.max(1)) as f64
}
