//! Which skills and sections go into a packet: mandatory text first, then the most valuable text that fits.
//!
//! Sizes are those of the rendered packet, so the ceiling holds for the file as it is written.

mod fill;
mod skill;

pub(crate) use skill::Chosen;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use skill::Included;

use crate::text::tokens::Tokenizer;
use skill::Candidate;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use vibey_context_contracts::packet::OmissionReason;
use vibey_context_index::error::IndexError;
use vibey_context_index::rank::{RankedSkill, Ranking};
use vibey_context_index::reader::Reader;
use vibey_context_index::record::SectionRecord;

/// Skills in a packet at most, where the request does not require them: a task needs two to four.
pub(super) const SKILLS_MAX: usize = 4;
/// A further skill is activated where it explains, beyond what the chosen ones do, this share of what the best one
/// explains, in thousandths. Of 53 requests that join two topics, 22 then have both in the packet; without, 12.
pub(super) const NEW_SHARE: i64 = 400;
/// A further skill is activated from this share of the best skill's score on, in thousandths: on 80 requests 2.9 skills a
/// packet, of which 64 % are labelled relevant (at 600: 3.6 and 57 %; at 800: 2.3 and 68 %).
pub(super) const SKILL_SHARE: i64 = 700;
/// Skills among which runner-ups are named in the manifest.
pub(super) const RUNNERS_UP: usize = 10;

/// A row of the manifest's omissions.
pub(super) struct Omitted {
    pub(super) id: String,
    pub(super) reason: OmissionReason,
    pub(super) tokens: u64,
}

/// The outcome of a selection.
pub(super) enum Selection {
    /// A packet of at most the budget's size.
    Fits {
        chosen: Vec<Chosen>,
        omitted: Vec<Omitted>,
    },
    /// What must be in the packet is larger than the budget: the size that it needs.
    TooSmall { needed: usize },
}

/// What a selection is made from.
pub(super) struct Task<'a> {
    pub(super) reader: &'a Reader,
    pub(super) ranking: &'a Ranking,
    /// Skills that are activated whatever their rank, in record order; empty where none is required.
    pub(super) required: Vec<usize>,
    /// Those of them that the request names one by one: each has at least one section in the packet.
    pub(super) named: BTreeSet<usize>,
    /// What sizes are counted by.
    pub(super) measure: Measure,
    /// Size of the packet's head.
    pub(super) head: usize,
    /// Size of the whole packet at most.
    pub(super) ceiling: usize,
}

impl Task<'_> {
    /// How a skill was ranked.
    fn ranked(&self, at: usize) -> Option<&RankedSkill> {
        self.ranking.skills.iter().find(|skill| skill.at == at)
    }
}

/// The unit of sizes: bytes for the estimate, which is a share of them, tokens for a vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Measure(pub(super) Tokenizer);

impl Measure {
    /// Size of a text.
    pub(super) fn of(self, text: &str) -> usize {
        match self.0 {
            Tokenizer::Estimate => text.len(),
            exact => exact.count(text) as usize,
        }
    }

    /// The size that a budget of tokens allows.
    pub(super) fn ceiling(self, budget: u64) -> usize {
        match self.0 {
            Tokenizer::Estimate => (budget * crate::text::tokens::BYTES_PER_TOKEN) as usize,
            _ => budget as usize,
        }
    }

    /// The tokens that a size amounts to.
    pub(super) fn tokens(self, size: usize) -> u64 {
        match self.0 {
            Tokenizer::Estimate => crate::text::tokens::estimate_bytes(size),
            _ => size as u64,
        }
    }

    /// Whether sizes are bytes.
    fn is_bytes(self) -> bool {
        self.0 == Tokenizer::Estimate
    }

    /// About the size of a section's text, without reading it.
    fn size_of(self, section: &SectionRecord) -> usize {
        match self.0 {
            Tokenizer::Estimate => (section.end - section.start) as usize,
            _ => section.token_estimate as usize,
        }
    }

    /// Size that a text of so many bytes has at least.
    fn at_least(self, bytes: usize) -> usize {
        match self.0 {
            Tokenizer::Estimate => bytes,
            _ => 0,
        }
    }
}

/// Chooses.
pub(super) fn select(task: &Task<'_>) -> Result<Selection, IndexError> {
    let mut omitted = Vec::new();
    let mut seen = Seen::new();
    let mut used = task.head;
    let mut candidates: Vec<Candidate> = Vec::new();
    let must: Vec<usize> = if task.required.is_empty() {
        let best = task.ranking.skills.first();
        best.map(|best| best.at).into_iter().collect()
    } else {
        order_required(task)
    };
    for at in must {
        let candidate = Candidate::open(task, at, &mut seen)?;
        used += candidate.size;
        candidates.push(candidate);
    }
    for (place, candidate) in candidates.iter_mut().enumerate() {
        // The best skill has a section in the packet, and so has each that the request names.
        if place == 0 || task.named.contains(&candidate.at) {
            candidate.reserved = least(task, candidate, &seen)?;
        }
    }
    let reserved: usize = candidates.iter().map(|candidate| candidate.reserved).sum();
    if used + reserved > task.ceiling {
        return Ok(Selection::TooSmall {
            needed: used + reserved,
        });
    }
    if task.required.is_empty() {
        further(task, &mut candidates, &mut omitted, &mut used, &mut seen)?;
    }
    fill::fill(task, &mut candidates, used, reserved, &mut seen)?;
    for candidate in &candidates {
        candidate.omissions(&seen, &mut omitted);
    }
    omitted.sort_by(|a, b| (a.reason, &a.id).cmp(&(b.reason, &b.id)));
    let chosen = candidates.into_iter().map(|candidate| candidate.chosen);
    Ok(Selection::Fits {
        chosen: chosen.filter(|skill| !skill.included.is_empty()).collect(),
        omitted,
    })
}

/// Required skills by rank, then those that no word found, in record order.
fn order_required(task: &Task<'_>) -> Vec<usize> {
    let ranked: Vec<usize> = task.ranking.skills.iter().map(|skill| skill.at).collect();
    let rest = task
        .required
        .iter()
        .copied()
        .filter(|at| !ranked.contains(at));
    ranked.iter().copied().chain(rest).collect()
}

/// Size that a skill needs at least to be seen in the packet: that of its smallest new section where it has no mandatory
/// one; else none.
fn least(task: &Task<'_>, candidate: &Candidate, seen: &Seen) -> Result<usize, IndexError> {
    if !candidate.chosen.included.is_empty() {
        return Ok(0);
    }
    let smallest = candidate.smallest(task, seen)?;
    Ok(smallest.map_or(0, |(_, size)| size))
}

/// Activates further skills as long as their mandatory text fits: first those that explain what the chosen ones do not,
/// then those that are near the best one; names the runner-ups.
fn further(
    task: &Task<'_>,
    candidates: &mut Vec<Candidate>,
    omitted: &mut Vec<Omitted>,
    used: &mut usize,
    seen: &mut Seen,
) -> Result<(), IndexError> {
    let runners = task.ranking.skills.iter().take(RUNNERS_UP);
    let Some((best, mut waiting)) = runners
        .collect::<Vec<_>>()
        .split_first()
        .map(|(best, rest)| (*best, rest.to_vec()))
    else {
        return Ok(());
    };
    let mut covered: BTreeMap<usize, i64> = BTreeMap::new();
    cover(&mut covered, best);
    let mut omit = |skill: &RankedSkill, reason| {
        let record = task.reader.skill(skill.at)?;
        omitted.push(Omitted {
            id: record.qualified(),
            reason,
            tokens: record.token_estimate,
        });
        Ok::<(), IndexError>(())
    };
    loop {
        // Ties go to the better rank.
        let news = waiting.iter().map(|skill| news(&covered, skill));
        let most = news
            .enumerate()
            .max_by_key(|&(place, new)| (new, Reverse(place)));
        let Some((place, new)) = most else {
            break;
        };
        let place = if new * 1000 >= best.explained * NEW_SHARE {
            place
        } else {
            0
        };
        let skill = waiting.remove(place);
        let near = skill.score * 1000 >= best.score * SKILL_SHARE;
        let reason = if new * 1000 < best.explained * NEW_SHARE && !near {
            OmissionReason::BelowThreshold
        } else if candidates.len() >= SKILLS_MAX {
            OmissionReason::Diversity
        } else {
            let mut tentative = seen.clone();
            let candidate = Candidate::open(task, skill.at, &mut tentative)?;
            if *used + candidate.size <= task.ceiling {
                *used += candidate.size;
                *seen = tentative;
                candidates.push(candidate);
                cover(&mut covered, skill);
                continue;
            }
            OmissionReason::MandatoryOverBudget
        };
        omit(skill, reason)?;
    }
    Ok(())
}

/// How much of the request's weight a skill explains beyond what the chosen ones do, in thousandths of nats: the marginal
/// gain of the coverage function, whose greedy maximisation is within 1 - 1/e of the best (Nemhauser, Wolsey and Fisher 1978).
fn news(covered: &BTreeMap<usize, i64>, skill: &RankedSkill) -> i64 {
    let words = skill.matched.iter().zip(&skill.gains);
    let beyond = words.map(|((word, _), gain)| gain - covered.get(word).copied().unwrap_or(0));
    beyond.map(|new| new.max(0)).sum()
}

/// How near a skill comes to being used beside the chosen ones, in thousandths of what the best skill has.
pub(super) struct Nearness {
    /// Its score, compared with [`SKILL_SHARE`].
    pub(super) score: i64,
    /// What it explains beyond the chosen ones, compared with [`NEW_SHARE`].
    pub(super) new: i64,
}

/// As [`further`] judges, for `why`.
pub(super) fn nearness(
    best: &RankedSkill,
    chosen: &[&RankedSkill],
    skill: &RankedSkill,
) -> Nearness {
    let mut covered = BTreeMap::new();
    for one in chosen {
        cover(&mut covered, one);
    }
    Nearness {
        score: skill.score * 1000 / best.score.max(1),
        new: news(&covered, skill) * 1000 / best.explained.max(1),
    }
}

/// Notes what a skill explains of each word.
fn cover(covered: &mut BTreeMap<usize, i64>, skill: &RankedSkill) {
    for ((word, _), gain) in skill.matched.iter().zip(&skill.gains) {
        let best = covered.entry(*word).or_default();
        *best = (*best).max(*gain);
    }
}

/// The texts that are in the packet.
type Seen = BTreeSet<String>;
