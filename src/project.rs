//! What does the project file of a repository say about its skills?
//!
//! `vibey-context.toml` is data like any other: an agent may have written it. It chooses what is read, inside its own
//! repository and nowhere else; it names no command, no server and no place to write to.

use crate::corpus::exclude::Exclude;
use crate::text::nearest::{NAME_CHARS, nearest};
use crate::text::neutralise::{excerpt, plain_line};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use toml::de::{DeTable, DeValue};
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::packet::ProjectFileUse;
use vibey_context_contracts::request::parse::check_budget;
use vibey_context_host::error::HostError;
use vibey_context_host::path::{confine, relative_between};
use vibey_context_host::read::kind_of;
use vibey_context_host::resolved::read_resolved;

/// The name of the file.
pub const FILE: &str = "vibey-context.toml";

/// The largest file, in bytes: thousands of patterns.
const FILE_MAX_BYTES: u64 = 64 * 1024;

/// Every key.
const KEYS: [&str; 3] = ["budget", "exclude", "skills"];

/// A project file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Where it lies, relative to the root of its repository.
    shown: String,
    /// Digest of its bytes.
    sha256: String,
    /// The skill roots that it names, canonical and in their order; `None` where it names none.
    pub skills: Option<Vec<PathBuf>>,
    /// The folders below skill roots that it leaves out.
    pub exclude: Exclude,
    /// Tokens of a packet at most, where neither command line nor request say it.
    pub budget: Option<u64>,
}

/// Why a project file can not be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProjectFileError {
    /// The file.
    pub path: PathBuf,
    /// Line from 1; 0 where it is about the file as a whole.
    pub line: usize,
    /// Column in bytes from 1; 0 where it is about the file as a whole.
    pub column: usize,
    /// What is wrong, as a lowercase fragment.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl ProjectFile {
    /// What a manifest says about it.
    #[must_use]
    pub fn used(&self) -> ProjectFileUse {
        ProjectFileUse {
            path: self.shown.clone(),
            sha256: self.sha256.clone(),
        }
    }

    /// Whether it has a say in which skills there are.
    #[must_use]
    pub fn chooses_skills(&self) -> bool {
        self.skills.is_some() || !self.exclude.texts().is_empty()
    }
}

/// The nearest project file in `cwd` and the folders above it, up to and including `repository`; outside a repository in
/// `cwd` alone. Both are canonical.
///
/// # Errors
/// The system's, where it can not be looked for.
pub fn find(cwd: &Path, repository: Option<&Path>) -> Result<Option<PathBuf>, HostError> {
    for folder in cwd.ancestors() {
        let path = folder.join(FILE);
        if kind_of(&path)?.is_some() {
            return Ok(Some(path));
        }
        if repository.is_none_or(|repository| repository == folder) {
            break;
        }
    }
    Ok(None)
}

/// Reads the project file at `path`, whose roots must lie in `repository`: that of the file, else its folder.
///
/// # Errors
/// [`ProjectFileError`].
pub fn read(path: &Path, repository: &Path) -> Result<ProjectFile, ProjectFileError> {
    let whole = |message: String, help: &str| ProjectFileError {
        path: path.to_owned(),
        line: 0,
        column: 0,
        message,
        help: help.to_owned(),
    };
    let bytes = read_resolved(path, FILE_MAX_BYTES).map_err(|error| match error {
        HostError::Symlink { .. } => whole(
            error.to_string(),
            "put the file itself there, or use `--no-project-file`",
        ),
        _ => whole(
            error.to_string(),
            "make it a small readable file, or use `--no-project-file`",
        ),
    })?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| whole(format!("`{FILE}` is not UTF-8"), "save it as UTF-8"))?;
    let reading = Reading {
        path,
        text,
        folder: path.parent().unwrap_or(path),
        repository,
    };
    let said = reading.said()?;
    Ok(ProjectFile {
        path: path.to_owned(),
        shown: relative_between(repository, path).unwrap_or_else(|| FILE.to_owned()),
        sha256: sha256_hex(&bytes),
        ..said
    })
}

/// A file that is being read.
struct Reading<'a> {
    path: &'a Path,
    text: &'a str,
    folder: &'a Path,
    repository: &'a Path,
}

impl Reading<'_> {
    fn said(&self) -> Result<ProjectFile, ProjectFileError> {
        let table = DeTable::parse(self.text).map_err(|error| {
            let message = format!("`{FILE}` is not TOML: {}", plain_line(error.message()));
            let start = error.span().map_or(0, |span| span.start);
            self.wrong(&(start..start), message, "correct it at this place")
        })?;
        let mut file = ProjectFile {
            path: PathBuf::new(),
            shown: String::new(),
            sha256: String::new(),
            skills: None,
            exclude: Exclude::default(),
            budget: None,
        };
        let mut entries: Vec<_> = table.get_ref().iter().collect();
        // In the order of the file, so that the first mistake is the one that is named.
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            match key.get_ref().as_ref() {
                "skills" => file.skills = Some(self.skills(value.get_ref(), value.span())?),
                "exclude" => file.exclude = self.exclude(value.get_ref(), value.span())?,
                "budget" => file.budget = Some(self.budget(value.get_ref(), value.span())?),
                unknown => return Err(self.unknown(unknown, &key.span())),
            }
        }
        Ok(file)
    }

    fn unknown(&self, key: &str, span: &Range<usize>) -> ProjectFileError {
        let near = nearest(key, &KEYS.map(str::to_owned));
        let help = match near.first() {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("the keys are `{}`", KEYS.join("`, `")),
        };
        let message = format!("key `{}` is not known", excerpt(key, NAME_CHARS));
        self.wrong(span, message, help)
    }

    fn skills(
        &self,
        value: &DeValue<'_>,
        span: Range<usize>,
    ) -> Result<Vec<PathBuf>, ProjectFileError> {
        let texts = self.texts("skills", value, &span)?;
        if texts.is_empty() {
            let help = "name a folder, or leave the key out";
            return Err(self.wrong(&span, "`skills` names no folder", help));
        }
        let mut roots: Vec<PathBuf> = Vec::new();
        for (text, span) in texts {
            let root = self.root(&text, &span)?;
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        Ok(roots)
    }

    /// A skill root, resolved: a folder of the repository, whatever links lead there.
    fn root(&self, text: &str, span: &Range<usize>) -> Result<PathBuf, ProjectFileError> {
        let shown = excerpt(text, NAME_CHARS);
        let plain = |part| {
            matches!(
                part,
                Component::Normal(_) | Component::CurDir | Component::ParentDir
            )
        };
        let path = Path::new(text);
        if text.is_empty() || text.contains(char::is_control) {
            let help = "name a folder, relative to this file";
            return Err(self.wrong(span, format!("`{shown}` is no path"), help));
        }
        if !path.components().all(plain) || text.starts_with('~') {
            let message = format!("`{shown}` is not relative to this file");
            let help = "a project file names folders of its repository; `--skills` names any other";
            return Err(self.wrong(span, message, help));
        }
        let real = confine(self.repository, &self.folder.join(path)).map_err(|error| {
            let (message, help) = match error {
                HostError::Outside { .. } => (
                    format!("`{shown}` leads out of the repository"),
                    "name a folder of the repository, or use `--skills`",
                ),
                _ => (
                    format!("`{shown}` can not be used: {}", error.reason()),
                    "name a folder that is there",
                ),
            };
            self.wrong(span, message, help)
        })?;
        if !real.is_dir() {
            let help = "name the folder below which a `SKILL.md` lies";
            return Err(self.wrong(span, format!("`{shown}` is no folder"), help));
        }
        Ok(real)
    }

    fn exclude(
        &self,
        value: &DeValue<'_>,
        span: Range<usize>,
    ) -> Result<Exclude, ProjectFileError> {
        let (texts, spans): (Vec<String>, Vec<Range<usize>>) =
            self.texts("exclude", value, &span)?.into_iter().unzip();
        Exclude::new(texts.clone()).map_err(|error| {
            let text = texts.get(error.at).map_or("", String::as_str);
            let message = format!("`{}` is no pattern: {error}", excerpt(text, NAME_CHARS));
            let help = "write the name of a folder, or a path with `*` and `**`";
            self.wrong(spans.get(error.at).unwrap_or(&span), message, help)
        })
    }

    fn budget(&self, value: &DeValue<'_>, span: Range<usize>) -> Result<u64, ProjectFileError> {
        let Some(number) = value.as_integer() else {
            let message = format!("`budget` is a {} and has to be a number", value.type_str());
            return Err(self.wrong(&span, message, "write tokens, such as `budget = 6000`"));
        };
        let digits = number.as_str().replace(['_', '+'], "");
        // What does not fit is out of range all the more.
        let tokens = u64::from_str_radix(&digits, number.radix()).unwrap_or(u64::MAX);
        check_budget(tokens).map_err(|error| {
            let message = format!("`budget` is {} tokens", excerpt(&digits, NAME_CHARS));
            self.wrong(&span, message, error.help)
        })?;
        Ok(tokens)
    }

    /// The texts of a list, each with its place.
    fn texts(
        &self,
        key: &str,
        value: &DeValue<'_>,
        span: &Range<usize>,
    ) -> Result<Vec<(String, Range<usize>)>, ProjectFileError> {
        let help = format!("write `{key} = [\"…\", \"…\"]`");
        let Some(list) = value.as_array() else {
            let message = format!("`{key}` is a {} and has to be a list", value.type_str());
            return Err(self.wrong(span, message, help));
        };
        let texts = list.iter().map(|one| match one.get_ref().as_str() {
            Some(text) => Ok((text.to_owned(), one.span())),
            None => {
                let kind = one.get_ref().type_str();
                let message = format!("`{key}` holds a {kind} and has to hold texts");
                Err(self.wrong(&one.span(), message, help.clone()))
            }
        });
        texts.collect()
    }

    fn wrong(
        &self,
        span: &Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ProjectFileError {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        ProjectFileError {
            path: self.path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.len() - line_start + 1,
            message: message.into(),
            help: help.into(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests;
