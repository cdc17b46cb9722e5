//! The starter corpus: twelve skills inside the binary, for whoever has none yet.

use crate::corpus::discover::{Discovery, Place};
use crate::corpus::load::{Corpus, assemble};
use crate::corpus::manifests::Manifests;
use crate::corpus::plugins::Plugins;
use crate::corpus::read::Raw;
use std::path::PathBuf;
use vibey_context_contracts::diagnostic::{Code, Finding};
use vibey_context_contracts::digest::FieldDigest;
use vibey_context_index::sources::Stamp;

macro_rules! starter {
    ($($name:literal),+ $(,)?) => {
        /// Source path and text of each skill, by path.
        const STARTER: &[(&str, &str)] = &[$((
            concat!("plugins/starter/skills/", $name, "/SKILL.md"),
            include_str!(concat!("starter/skills/", $name, "/SKILL.md")),
        )),+];
    };
}

starter![
    "concurrency-and-locking",
    "debugging-systematically",
    "designing-http-apis",
    "error-handling-and-messages",
    "git-history-hygiene",
    "incident-response-and-postmortem",
    "performance-by-measurement",
    "reviewing-a-change",
    "safe-database-migrations",
    "secure-input-handling",
    "shell-scripts-that-survive",
    "writing-tests-that-fail",
];

/// The places of its skills; nothing can be opened there, [`raw`] has their texts.
#[must_use]
pub(super) fn discovery() -> Discovery {
    let place = |(path, _): &(&str, &str)| Place {
        root: 0,
        path: (*path).to_owned(),
        real: PathBuf::new(),
    };
    Discovery {
        skills: STARTER.iter().map(place).collect(),
        ..Discovery::default()
    }
}

/// The text of a starter skill, as if it had been read.
pub(super) fn raw(place: &Place) -> Raw {
    let found = STARTER.binary_search_by(|(path, _)| (*path).cmp(&place.path));
    let never = Stamp {
        size: 0,
        mtime_ns: 0,
        ctime_ns: 0,
    };
    let missing = || Finding::whole(Code::Unreadable, "it is no starter skill");
    let text = found.ok().map(|at| STARTER[at].1).ok_or_else(missing)?;
    Ok((text.as_bytes().to_vec(), never))
}

/// Digest of all texts: what tells the starter corpus of one program from that of another.
#[must_use]
pub(super) fn digest() -> String {
    let add = |digest: FieldDigest, (path, text): &(&str, &str)| {
        digest.field(path.as_bytes()).field(text.as_bytes())
    };
    STARTER.iter().fold(FieldDigest::default(), add).finish()
}

/// The starter corpus, parsed as any other.
#[must_use]
pub fn corpus() -> Corpus {
    let manifests = Manifests {
        plugins: vec![Plugins::default()],
        ..Manifests::default()
    };
    assemble(&discovery(), &manifests, &raw, &mut |_, _| {})
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_starter_skill_is_flawless() {
        let corpus = corpus();
        assert_eq!(corpus.diagnostics, []);
        assert_eq!((corpus.summary.found, corpus.summary.ok), (12, 12));
        assert!(
            corpus
                .skills
                .iter()
                .all(|skill| skill.record.plugin == "starter")
        );
    }

    #[test]
    fn the_list_is_the_folder() {
        let folder =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/corpus/starter/skills");
        let mut names: Vec<String> = folder
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let listed: Vec<&str> = STARTER
            .iter()
            .map(|(path, _)| path.split('/').nth(3).unwrap())
            .collect();
        assert_eq!(names, listed);
    }

    #[test]
    fn several_skills_have_mandatory_text() {
        use vibey_context_contracts::packet::ContentClass::Mandatory;
        let corpus = corpus();
        let with = corpus
            .skills
            .iter()
            .filter(|skill| skill.record.sections.iter().any(|s| s.class == Mandatory));
        assert!(with.count() >= 5);
    }
}
