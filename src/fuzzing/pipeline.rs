//! A project with a pipeline of two phases, for the kinds of input that `handoff` reads.

use super::scratch::Scratch;
use crate::handoff::desk::Desk;
use crate::text::markdown::outline;
use crate::text::tokens::Tokenizer;
use std::path::Path;
use vibey_context_contracts::handoff::name::ProjectName;
use vibey_context_contracts::handoff::report::HandoffReport;
use vibey_context_contracts::redact::contains_secret;
use vibey_context_contracts::visible::count_hidden;
use vibey_context_host::read::read_regular;
use vibey_context_host::write::remove_tree;

/// Nothing is required of the artifact, so that any text is handed over; the window is small, so that a brief is compressed.
const CONFIG: &str = r#"{
  "defaults": {"context_window": 1000, "compression_threshold": 0.5},
  "pipelines": {
    "stories": {
      "phases": [{"name": "write", "artifacts": ["spec.md"]}, {"name": "build", "artifacts": ["out.md"], "mission": "Build."}],
      "transitions": [{"from": "write", "to": "build", "chunking_strategy": "by_user_story",
        "include": ["user_stories", "acceptance_criteria", "tech_stack", "decisions", "deviations", "files_modified"],
        "exclude": ["environment"]}]
    },
    "whole": {
      "phases": [{"name": "write", "artifacts": ["spec.md"]}, {"name": "build", "artifacts": ["out.md"], "mission": "Build."}],
      "transitions": [{"from": "write", "to": "build",
        "include": ["test_results", "user_stories", "components", "decisions", "files_modified", "completion_report"]}]
    }
  },
  "validation_rules": {"spec.md": {"paths": ["spec.md"], "type": "spec"}}
}"#;
/// Bytes of a file of ours that are read back at most.
const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// Headings of a brief.
const OWN: [&str; 6] = [
    "Context Budget",
    "Mission",
    "Curated Context",
    "Accumulated State",
    "Warnings & Known Issues",
    "References",
];

/// A project and its home.
pub(super) struct Bench {
    scratch: Scratch,
    pub(super) desk: Desk,
}

impl Bench {
    /// An empty project.
    pub(super) fn new() -> Self {
        let scratch = Scratch::new();
        let desk = Desk {
            project: ProjectName::new("p").expect("a name"),
            project_path: scratch.at("project"),
            user_home: None,
            home: scratch.at("home"),
            now_ms: 1_700_000_000_000,
            new_id: "00000000-0000-4000-8000-000000000000".to_owned(),
            tokenizer: Tokenizer::Estimate,
            adopt_path: true,
        };
        Self { scratch, desk }
    }

    /// A new beginning: an empty project and its configuration.
    pub(super) fn begin(&self) {
        self.scratch.clear();
        self.file("home/pipeline-config.json", CONFIG.as_bytes());
    }

    /// Writes a file.
    pub(super) fn file(&self, name: &str, bytes: &[u8]) {
        self.scratch.file(name, bytes);
    }

    /// Forgets the state and its backup.
    pub(super) fn forget(&self) {
        for path in [self.desk.state_path(), self.desk.backup_path()] {
            remove_tree(&path)
                .or_else(|_| vibey_context_host::write::remove_file(&path))
                .expect("a file of our own");
        }
    }

    /// Lays a state in its place, without a backup.
    pub(super) fn lay(&self, bytes: &[u8]) {
        self.forget();
        self.file("home/pipeline-state-p.json", bytes);
    }

    /// The state as it lies there.
    pub(super) fn state(&self) -> Option<Vec<u8>> {
        read_regular(&self.desk.state_path(), MOST_BYTES).ok()
    }

    /// The brief that a command has written.
    pub(super) fn brief(&self, report: &HandoffReport) -> Option<String> {
        report.brief_path.as_deref().map(text)
    }

    /// The dashboard that a command has written.
    pub(super) fn dashboard(&self, report: &HandoffReport) -> String {
        report
            .dashboard_path
            .as_deref()
            .map(text)
            .unwrap_or_default()
    }
}

fn text(path: &str) -> String {
    let bytes = read_regular(Path::new(path), MOST_BYTES).expect("what was written is there");
    String::from_utf8(bytes).expect("we write text")
}

/// The headings of a brief of levels 1 and 2 are its own, in their order, and nothing in it is hidden or secret.
pub(super) fn brief_holds(brief: &str) {
    let headings = outline(brief).headings;
    let of = |level| {
        let found = headings
            .iter()
            .filter(move |heading| heading.level == level);
        found
            .map(|heading| heading.text.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(of(2), OWN, "{brief}");
    assert_eq!(of(1).len(), 1, "{brief}");
    for own in OWN {
        let line = format!("## {own}");
        assert_eq!(
            brief.lines().filter(|one| *one == line).count(),
            1,
            "{brief}"
        );
    }
    assert_eq!(count_hidden(brief), None, "{brief}");
    assert!(!contains_secret(brief), "{brief}");
    assert!(!brief.contains("<thinking>\n"), "{brief}");
}

/// A dashboard runs nothing: every `<` of a state is shown and none is a tag.
pub(super) fn page_holds(page: &str) {
    for tag in ["<script", "<img", "<iframe", "<a ", "<form", "<object"] {
        assert!(!page.to_lowercase().contains(tag), "{tag}: {page}");
    }
    assert_eq!(page.matches("<main>").count(), 1);
    assert_eq!(page.matches("</html>").count(), 1);
}
