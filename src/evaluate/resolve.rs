//! What are cases held against, and which of its skills and sections does a case name?

use super::cases::Case;
use crate::packet::compile::CompileError;
use crate::packet::eligibility::{EligibilityError, one_skill};
use crate::text::nearest::nearest;
use crate::text::neutralise::excerpt;
use crate::text::tokens::Tokenizer;
use std::collections::{BTreeMap, BTreeSet};
use vibey_context_contracts::index::IndexManifest;
use vibey_context_index::error::IndexError;
use vibey_context_index::reader::Reader;
use vibey_context_index::sources::Rejected;

/// Characters of a heading that a message shows.
const HEADING_CHARS: usize = 100;

/// What cases are measured against.
pub struct Against<'a> {
    /// The index.
    pub reader: &'a Reader,
    /// Its manifest.
    pub index: &'a IndexManifest,
    /// What packets are counted by.
    pub tokenizer: Tokenizer,
    /// The skills that are not in the index, asked for only where a name is unknown.
    pub rejected: &'a dyn Fn() -> Vec<Rejected>,
    /// A clock that never goes back, in microseconds.
    pub clock: &'a dyn Fn() -> u64,
}

/// Why cases can not be measured against this index.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// A name or list of the case can not be followed.
    #[error("case `{id}`, field `{field}`: {cause}")]
    Names {
        /// Name of the case.
        id: String,
        /// The field at fault.
        field: &'static str,
        /// Why not.
        cause: Box<EligibilityError>,
    },
    /// No expected skill has the heading.
    #[error(
        "case `{id}`, field `mandatory_headings`: no expected skill has a heading `{}`",
        excerpt(heading, HEADING_CHARS)
    )]
    Heading {
        /// Name of the case.
        id: String,
        /// The heading.
        heading: String,
    },
    /// The index is not usable.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

impl From<IndexError> for MeasureError {
    fn from(error: IndexError) -> Self {
        Self::Compile(error.into())
    }
}

/// A case whose names are those of the index.
pub(super) struct Resolved<'a> {
    pub(super) case: &'a Case,
    /// Positions of the expected skills.
    pub(super) expected: BTreeSet<usize>,
    pub(super) expected_names: Vec<String>,
    pub(super) also_relevant: Vec<String>,
    /// Digest and heading of each section that the case names as mandatory, each text once, in the order of skills and
    /// files.
    pub(super) mandatory: Vec<(String, String)>,
    pub(super) warnings: Vec<String>,
}

/// Looks up the names of a case, all before anything is compiled: a slip in the last one shows at once.
///
/// # Errors
/// An expected skill that is unknown, rejected or ambiguous; a mandatory heading that no expected skill has.
pub(super) fn resolve<'a>(
    against: &Against<'_>,
    case: &'a Case,
) -> Result<Resolved<'a>, MeasureError> {
    let reader = against.reader;
    let mut expected = BTreeSet::new();
    for name in &case.expected {
        let found = skill(against, "expected skill", name);
        expected.insert(found.map_err(|cause| unfollowed(case, "expected_skills", cause))?);
    }
    let mut warnings = Vec::new();
    let mut relevant = BTreeSet::new();
    for name in &case.also_relevant {
        match skill(against, "also relevant skill", name) {
            Ok(at) => {
                relevant.insert(at);
            }
            Err(EligibilityError::Index(error)) => return Err(error.into()),
            // It changes no measure, so a name that is gone needs no stop.
            Err(error) => warnings.push(format!("case `{}`: {error}", case.id)),
        }
    }
    let mut mandatory = BTreeMap::new();
    for heading in &case.mandatory_headings {
        let mut known = false;
        for &at in &expected {
            let sections = reader.skill(at)?.sections.into_iter().enumerate();
            let named = sections.filter(|(_, section)| {
                let mut path = section.heading_path.iter();
                !section.bare && path.any(|own| key(own) == key(heading))
            });
            for (place, mut section) in named {
                known = true;
                let heading = section.heading_path.pop().unwrap_or_default();
                mandatory.insert((at, place), (section.content_sha256, heading));
            }
        }
        if !known {
            return Err(MeasureError::Heading {
                id: case.id.clone(),
                heading: heading.clone(),
            });
        }
    }
    Ok(Resolved {
        case,
        expected_names: names(reader, expected.iter().copied())?,
        also_relevant: names(reader, relevant.into_iter())?,
        expected,
        mandatory: each_once(mandatory.into_values()),
        warnings,
    })
}

/// The first section of each text.
fn each_once(sections: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let mut seen = BTreeSet::new();
    let new = sections.filter(|(digest, _)| seen.insert(digest.clone()));
    new.collect()
}

/// The skill that answers to `name`, as the lists of a request are resolved.
fn skill(against: &Against<'_>, what: &'static str, name: &str) -> Result<usize, EligibilityError> {
    if let Some(at) = one_skill(against.reader, what, name)? {
        return Ok(at);
    }
    let mut rejected = (against.rejected)().into_iter();
    let name = name.to_owned();
    if let Some(rejected) = rejected.find(|rejected| rejected.names.contains(&name)) {
        let rejected = Box::new(rejected);
        return Err(EligibilityError::Rejected {
            what,
            name,
            rejected,
        });
    }
    let nearest = nearest(&name, &against.reader.all_skill_names()?);
    Err(EligibilityError::Unknown {
        what,
        name,
        nearest,
    })
}

/// A name that can not be followed, with its case and field; what is wrong with the index itself is about neither.
pub(super) fn unfollowed(
    case: &Case,
    field: &'static str,
    cause: EligibilityError,
) -> MeasureError {
    match cause {
        EligibilityError::Index(error) => error.into(),
        cause => MeasureError::Names {
            id: case.id.clone(),
            field,
            cause: Box::new(cause),
        },
    }
}

/// Skills as `plugin/skill`.
pub(super) fn names(
    reader: &Reader,
    skills: impl Iterator<Item = usize>,
) -> Result<Vec<String>, IndexError> {
    skills.map(|at| Ok(reader.skill(at)?.qualified())).collect()
}

/// Headings are compared without regard to case, whitespace and leading `#`, as those of `mandatory_sections` are.
fn key(heading: &str) -> String {
    let words = heading.trim_start_matches(['#', ' ']).split_whitespace();
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}
