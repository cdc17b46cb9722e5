//! How a project wants its jobs to get packets: the key `skills_context` of its `project.json`.
//!
//! The file may hold other keys, which belong to other programs: they are neither read nor changed. In
//! `skills_context` an unknown key is an error: a misspelt `mode` must not silently mean `off`.

mod edit;

pub use edit::{Change, edited};

use super::id::JobId;
use crate::digest::sha256;
use crate::document::{self, DocumentError, Read, Words};
use crate::request::{BUDGET_DEFAULT, BUDGET_MAX, BUDGET_MIN};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

/// The largest `project.json`, in bytes.
pub const CONFIG_MAX_BYTES: usize = 1024 * 1024;
/// Where the index lies, relative to the project directory, where the configuration does not say.
pub const INDEX_PATH: &str = ".vibey/skills-context/index";
/// The compiler, where the configuration names no command.
pub const COMMAND: &str = "vibey-context";
/// Seconds that one call of the compiler may take.
pub const TIMEOUT_SECONDS: u64 = 120;
/// The longest timeout in seconds: a day, beyond which a mistake is likelier than an intention.
pub const TIMEOUT_SECONDS_MAX: u64 = 86_400;
/// Seconds between TERM and KILL.
pub const KILL_GRACE_SECONDS: u64 = 5;
/// The longest grace in seconds.
pub const KILL_GRACE_SECONDS_MAX: u64 = 600;
/// A share is counted in thousandths.
pub const SHARE_WHOLE: u32 = 1_000;

const CONFIG: Words = Words {
    name: "project.json",
    unreadable: "config_json",
    invalid: "config_invalid",
    help: "correct this value of `project.json`, or leave it out",
    limit: CONFIG_MAX_BYTES,
};

/// What happens to a job.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Nothing is compiled, written or recorded.
    #[default]
    Off,
    /// The packet is compiled and recorded; the prompt stays as it is.
    Shadow,
    /// As shadow, and the packet is appended to the prompt.
    Inject,
}

impl Mode {
    /// The mode as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Shadow => "shadow",
            Self::Inject => "inject",
        }
    }
}

/// The keys of `project.json` that are ours.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Config {
    /// How jobs get packets.
    #[serde(default, deserialize_with = "document::object")]
    #[schemars(with = "SkillsContext")]
    pub skills_context: SkillsContext,
    /// File with the URL of a PostgreSQL ledger, readable by its owner alone; relative to the project directory.
    #[serde(default)]
    pub ledger_url_file: Option<String>,
}

/// How jobs get packets.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SkillsContext {
    /// What happens to a job.
    pub mode: Mode,
    /// Token budget of a packet, from 1,000 to 32,000.
    #[schemars(range(min = 1000, max = 32000))]
    pub budget: u64,
    /// The compiler and its first words.
    #[schemars(length(min = 1))]
    pub command: Vec<String>,
    /// Skill roots, each passed as `--skills`; relative to the project directory.
    pub skills: Vec<String>,
    /// Where the index lies; relative to the project directory.
    pub index_path: String,
    /// Seconds that one call of the compiler may take.
    #[schemars(range(min = 1, max = 86400))]
    pub timeout_seconds: u64,
    /// Seconds between TERM and KILL.
    #[schemars(range(min = 0, max = 600))]
    pub kill_grace_seconds: u64,
    /// Fraction of jobs that `inject` applies to, from 0 to 1 with at most three decimals; the rest is `shadow`.
    #[serde(deserialize_with = "share")]
    #[schemars(with = "Option<f64>", range(min = 0, max = 1))]
    pub share: Option<Share>,
}

impl Default for SkillsContext {
    /// What the keys mean where they are missing.
    fn default() -> Self {
        Self {
            mode: Mode::Off,
            budget: BUDGET_DEFAULT,
            command: vec![COMMAND.to_owned()],
            skills: Vec::new(),
            index_path: INDEX_PATH.to_owned(),
            timeout_seconds: TIMEOUT_SECONDS,
            kill_grace_seconds: KILL_GRACE_SECONDS,
            share: None,
        }
    }
}

impl SkillsContext {
    /// The mode of one job: with a share, `inject` becomes `shadow` for the jobs that the hash of their id puts there.
    ///
    /// The hash depends on nothing but the id, so every attempt of a job and every machine of a fleet agrees.
    #[must_use]
    pub fn mode_of(&self, job: &JobId) -> Mode {
        match (self.mode, self.share) {
            (Mode::Inject, Some(share)) if !share.takes(job) => Mode::Shadow,
            (mode, _) => mode,
        }
    }
}

/// A fraction in thousandths, from 0 to 1,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u32);

impl Share {
    /// A fraction of `per_mille` thousandths; `None` above 1,000.
    #[must_use]
    pub fn new(per_mille: u32) -> Option<Self> {
        (per_mille <= SHARE_WHOLE).then_some(Self(per_mille))
    }

    /// The fraction in thousandths.
    #[must_use]
    pub fn per_mille(self) -> u32 {
        self.0
    }

    fn takes(self, job: &JobId) -> bool {
        // The words in front keep this hash apart from any other hash of the same id.
        let digest = sha256(format!("vibey-conductor share\n{job}").as_bytes());
        let head: [u8; 8] = std::array::from_fn(|at| digest[at]);
        u64::from_be_bytes(head) % u64::from(SHARE_WHOLE) < u64::from(self.0)
    }
}

fn share<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Share>, D::Error> {
    /// Beyond this a decimal has more places than its nearest thousandth, not merely a binary spelling.
    const TOLERANCE: f64 = 1e-9;
    let Some(number) = Option::<f64>::deserialize(from)? else {
        return Ok(None);
    };
    if !(0.0..=1.0).contains(&number) {
        return Err(D::Error::custom(
            "a share is a number from 0 to 1, such as 0.5",
        ));
    }
    let thousandths = number * f64::from(SHARE_WHOLE);
    if (thousandths - thousandths.round()).abs() > TOLERANCE {
        return Err(D::Error::custom("a share has at most three decimals"));
    }
    // Between 0 and 1,000, as was just checked.
    Ok(Share::new(thousandths.round() as u32))
}

/// Reads a `project.json`. A key of `skills_context` that stands beside it is a warning: there it may be another program's.
///
/// # Errors
/// Over 1 MiB, a BOM, invalid UTF-8 or JSON, a wrong type, an unknown or repeated key in `skills_context`, or a value outside
/// its range; the error names field and place.
pub fn parse(bytes: &[u8]) -> Result<Read<Config>, DocumentError> {
    let (value, unknown) = document::read::<Config>(bytes, &CONFIG).map_err(hinted)?;
    check(&value.skills_context)?;
    // Its password must not stand in an error about a path.
    if value
        .ledger_url_file
        .as_deref()
        .is_some_and(|path| path.contains("://"))
    {
        let message = "`ledger_url_file` holds a URL; it names a file in which the URL stands";
        let help = "write the URL into a file of mode 600, and name that file here";
        return Err(DocumentError::new("config_invalid", message, help).field("ledger_url_file"));
    }
    let misplaced = unknown.iter().filter(|key| OURS.contains(&key.as_str()));
    let warnings = misplaced
        .map(|key| format!("`{key}` of project.json is not read; it belongs into `skills_context`"))
        .collect();
    Ok(Read { value, warnings })
}

/// The keys of [`SkillsContext`].
const OURS: [&str; 8] = [
    "mode",
    "budget",
    "command",
    "skills",
    "index_path",
    "timeout_seconds",
    "kill_grace_seconds",
    "share",
];

/// The one key that stands beside `skills_context` and is easily put into it.
fn hinted(mut error: DocumentError) -> DocumentError {
    if error.message.contains("unknown field `ledger_url_file`") {
        error.help = "`ledger_url_file` stands beside `skills_context`, not in it".to_owned();
    }
    error
}

fn check(context: &SkillsContext) -> Result<(), DocumentError> {
    let range = |field: &str, value: u64, min: u64, max: u64| {
        if (min..=max).contains(&value) {
            return Ok(());
        }
        let message = format!("`skills_context.{field}` is {value}, not from {min} to {max}");
        Err(DocumentError::new("config_invalid", message, CONFIG.help)
            .field(&format!("skills_context.{field}")))
    };
    range("budget", context.budget, BUDGET_MIN, BUDGET_MAX)?;
    range(
        "timeout_seconds",
        context.timeout_seconds,
        1,
        TIMEOUT_SECONDS_MAX,
    )?;
    range(
        "kill_grace_seconds",
        context.kill_grace_seconds,
        0,
        KILL_GRACE_SECONDS_MAX,
    )?;
    let empty = |field: &str, what: &str| {
        let message = format!("`skills_context.{field}` {what}");
        Err(DocumentError::new("config_invalid", message, CONFIG.help)
            .field(&format!("skills_context.{field}")))
    };
    if context.command.first().is_none_or(String::is_empty) {
        return empty("command", "names no program");
    }
    if context.skills.iter().any(String::is_empty) {
        return empty("skills", "holds an empty path");
    }
    if context.index_path.is_empty() {
        return empty("index_path", "is empty");
    }
    let words = context.command.iter().chain(&context.skills);
    if words
        .chain([&context.index_path])
        .any(|word| word.contains('\0'))
    {
        return empty("command", "or a path beside it holds a NUL character");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
