//! A project file: refused with a place, or one that names folders of its repository and nothing else.

use super::scratch::Scratch;
use crate::project::{FILE, ProjectFile, ProjectFileError, read};
use std::cell::OnceCell;
use std::path::Path;
use vibey_context_contracts::request::parse::check_budget;

/// Where a file lies in its repository: not in the root, so that a root of it may lie above.
const FOLDER: &str = "repository/team";

/// Paths that a pattern may fit.
const PATHS: [&str; 5] = ["a", "drafts", "a/drafts/b", "a/SKILL.md", "é/[x]/SKILL.md"];

thread_local! {
    static PLACE: OnceCell<Scratch> = const { OnceCell::new() };
}

/// Any bytes are refused, or followed within the repository.
pub(super) fn project_file(data: &[u8]) {
    followed(data);
}

/// The same; how many roots and patterns it has, where it is followed.
pub(super) fn followed(data: &[u8]) -> Option<(usize, usize)> {
    PLACE.with(|place| obeyed(place.get_or_init(repository), data))
}

/// A repository with two folders of skills, and one beside it.
fn repository() -> Scratch {
    let scratch = Scratch::new();
    for folder in ["repository/team/skills", "repository/docs", "outside"] {
        scratch.file(&format!("{folder}/SKILL.md"), b"");
    }
    std::os::unix::fs::symlink("../../outside", scratch.at("repository/team/out"))
        .expect("a link of our own");
    scratch
}

fn obeyed(scratch: &Scratch, data: &[u8]) -> Option<(usize, usize)> {
    let path = scratch.file(&format!("{FOLDER}/{FILE}"), data);
    let repository = scratch.at("repository");
    let answer = read(&path, &repository);
    assert_eq!(read(&path, &repository), answer);
    match answer {
        Ok(file) => Some(within(&file, &repository)),
        Err(error) => {
            told(&error, data);
            None
        }
    }
}

fn within(file: &ProjectFile, repository: &Path) -> (usize, usize) {
    let roots = file.skills.as_deref().unwrap_or_default();
    for root in roots {
        assert!(root.starts_with(repository) && root.is_dir(), "{root:?}");
    }
    if let Some(tokens) = file.budget {
        assert!(check_budget(tokens).is_ok(), "{tokens}");
    }
    let texts = file.exclude.texts();
    for path in PATHS {
        if let Some(pattern) = file.exclude.pattern_of(path) {
            assert!(texts.iter().any(|text| text == pattern), "{pattern}");
        }
    }
    (roots.len(), texts.len())
}

fn told(error: &ProjectFileError, data: &[u8]) {
    assert!(
        !error.message.is_empty() && !error.help.is_empty(),
        "{error:?}"
    );
    assert!(!error.message.contains(char::is_control), "{error:?}");
    let lines = data.iter().filter(|byte| **byte == b'\n').count() + 1;
    assert!(error.line <= lines, "{error:?}");
    assert!(error.column <= data.len() + 1, "{error:?}");
    assert_eq!(error.line == 0, error.column == 0, "{error:?}");
}
