//! The starter corpus: twelve skills inside the binary, for whoever has none yet.

use crate::corpus::load::{Corpus, Parts, Raw, assemble};
use crate::corpus::plugins::Plugins;

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

/// The starter corpus, parsed as any other.
#[must_use]
pub fn corpus() -> Corpus {
    let raw = STARTER.iter().map(|(path, text)| Raw {
        root: 0,
        path: (*path).to_owned(),
        bytes: Ok(text.as_bytes().to_vec()),
    });
    assemble(Parts {
        raw: raw.collect(),
        plugins: vec![Plugins::default()],
        rejected: vec![],
        noted: vec![],
        nested: 0,
    })
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
