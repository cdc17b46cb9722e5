//! Which skills a request admits: required and excluded names, resolved.

use crate::text::nearest::{NAME_CHARS, NAMES_SHOWN, nearest};
use crate::text::neutralise::excerpt;
use std::collections::BTreeSet;
use vibey_context_contracts::request::Request;
use vibey_context_index::error::IndexError;
use vibey_context_index::reader::Reader;
use vibey_context_index::sources::Rejected;

/// Why a request's lists can not be followed.
#[derive(Debug, thiserror::Error)]
pub enum EligibilityError {
    /// No skill or plugin answers to the name.
    #[error("{what} `{}` is not in the corpus", shown(name))]
    Unknown {
        /// `required skill`, `required plugin` or the like.
        what: &'static str,
        /// The name as the request has it.
        name: String,
        /// Names that look like it.
        nearest: Vec<String>,
    },
    /// Several skills answer to the name.
    #[error("{what} `{}` fits {} skills: {}", shown(name), fits.len(), listed(fits))]
    Ambiguous {
        /// `required skill` or `excluded skill`.
        what: &'static str,
        /// The name as the request has it.
        name: String,
        /// The skills, in a form that fits each of them alone.
        fits: Vec<String>,
    },
    /// The skill exists, but was rejected.
    #[error("{what} `{}` was rejected: {} ({})", shown(name), rejected.message, rejected.code)]
    Rejected {
        /// `required skill` or the like.
        what: &'static str,
        /// The name as the request has it.
        name: String,
        /// What is wrong with it.
        rejected: Box<Rejected>,
    },
    /// A required skill is excluded by another list.
    #[error("skill `{}` is both required and excluded", shown(.0))]
    Both(String),
    /// The lists leave nothing.
    #[error("no skill is left: the request excludes every skill that it requires")]
    Nothing,
    /// The index is not usable.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// A name from a request as a message shows it.
fn shown(name: &str) -> String {
    excerpt(name, NAME_CHARS)
}

fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(NAMES_SHOWN)
        .map(|name| format!("`{name}`"))
        .collect();
    let more = if names.len() > NAMES_SHOWN {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", shown.join(", "))
}

/// What the lists of a request come down to.
#[derive(Debug, Default)]
pub struct Eligible {
    /// The skills that may be chosen; `None` for all.
    pub skills: Option<BTreeSet<usize>>,
    /// Whether all of them are activated whatever their rank.
    pub required: bool,
    /// Those that the request requires one by one, not as part of a plugin.
    pub named: BTreeSet<usize>,
    /// One sentence for each exclusion that excludes nothing.
    pub warnings: Vec<String>,
}

/// Resolves the lists of a request. `rejected` is asked only where a required name is unknown.
///
/// # Errors
/// A name that is required and unknown, rejected or excluded; a name that fits several skills; nothing left.
pub fn resolve(
    reader: &Reader,
    request: &Request,
    rejected: &dyn Fn() -> Vec<Rejected>,
) -> Result<Eligible, EligibilityError> {
    let mut warnings = Vec::new();
    let mut excluded = BTreeSet::new();
    for name in &request.excluded_plugins {
        let skills = reader.skills_of_plugin(name)?;
        if skills.is_empty() {
            warnings.push(format!(
                "excluded plugin `{}` is not in the corpus",
                shown(name)
            ));
        }
        for at in skills {
            // A skill that also stands for a copy in another plugin stays, under that plugin's name.
            let record = reader.skill(at)?;
            let mut plugins = record
                .copies
                .iter()
                .map(|copy| &copy.plugin)
                .chain([&record.plugin]);
            if plugins.all(|plugin| request.excluded_plugins.contains(plugin)) {
                excluded.insert(at);
            }
        }
    }
    for name in &request.excluded_skills {
        match one_skill(reader, "excluded skill", name)? {
            Some(skill) => {
                excluded.insert(skill);
            }
            None => warnings.push(format!(
                "excluded skill `{}` is not in the corpus",
                shown(name)
            )),
        }
    }
    if !request.restricts() {
        let all = || {
            (0..reader.skill_count())
                .filter(|at| !excluded.contains(at))
                .collect()
        };
        return Ok(Eligible {
            skills: (!excluded.is_empty()).then(all),
            required: false,
            named: BTreeSet::new(),
            warnings,
        });
    }
    let mut required = BTreeSet::new();
    let mut named = BTreeSet::new();
    for name in &request.required_plugins {
        let skills = reader.skills_of_plugin(name)?;
        if skills.is_empty() {
            let below = format!("{name}/");
            let of_plugin =
                |rejected: &Rejected| rejected.names.iter().any(|other| other.starts_with(&below));
            if let Some(rejected) = rejected().into_iter().find(of_plugin) {
                let name = name.clone();
                return Err(EligibilityError::Rejected {
                    what: "every skill of required plugin",
                    name,
                    rejected: Box::new(rejected),
                });
            }
            let nearest = nearest(name, &reader.all_plugins()?);
            return Err(EligibilityError::Unknown {
                what: "required plugin",
                name: name.clone(),
                nearest,
            });
        }
        required.extend(skills.into_iter().filter(|skill| !excluded.contains(skill)));
    }
    for name in &request.required_skills {
        let Some(skill) = one_skill(reader, "required skill", name)? else {
            if let Some(rejected) = rejected()
                .into_iter()
                .find(|rejected| rejected.names.contains(name))
            {
                return Err(EligibilityError::Rejected {
                    what: "required skill",
                    name: name.clone(),
                    rejected: Box::new(rejected),
                });
            }
            let nearest = nearest(name, &reader.all_skill_names()?);
            return Err(EligibilityError::Unknown {
                what: "required skill",
                name: name.clone(),
                nearest,
            });
        };
        if excluded.contains(&skill) {
            return Err(EligibilityError::Both(name.clone()));
        }
        required.insert(skill);
        named.insert(skill);
    }
    if required.is_empty() {
        return Err(EligibilityError::Nothing);
    }
    Ok(Eligible {
        skills: Some(required),
        required: true,
        named,
        warnings,
    })
}

/// The one skill that answers to `name`.
///
/// # Errors
/// [`EligibilityError::Ambiguous`] where there are several.
pub fn one_skill(
    reader: &Reader,
    what: &'static str,
    name: &str,
) -> Result<Option<usize>, EligibilityError> {
    match reader.skills_named(name)?.as_slice() {
        [] => Ok(None),
        [skill] => Ok(Some(*skill)),
        several => {
            let mut fits = Vec::new();
            for &at in several {
                let record = reader.skill(at)?;
                let qualified = record.qualified();
                let alone = qualified != name && reader.skills_named(&qualified)?.len() == 1;
                fits.push(if alone { qualified } else { record.address() });
            }
            Err(EligibilityError::Ambiguous {
                what,
                name: name.to_owned(),
                fits,
            })
        }
    }
}
