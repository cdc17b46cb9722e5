//! A skill file, read and parsed: the one way from a place on disk to what is said of it, for every command.

use crate::corpus::discover::Place;
use crate::corpus::plugins::{Plugin, Plugins};
use crate::corpus::skill::{ParsedSkill, parse};
use crate::corpus::source::{self, SKILL_MAX_BYTES};
use vibey_context_contracts::diagnostic::{Code, Diagnostic, Finding, Severity};
use vibey_context_host::error::HostError;
use vibey_context_host::read::FileStamp;
use vibey_context_host::resolved::read_stamped_resolved;
use vibey_context_index::sources::{SkillFacts, Stamp};

/// The bytes of a skill file and when they were last changed, or why there are none.
pub(super) type Raw = Result<(Vec<u8>, Stamp), Finding>;

/// Reads a skill file.
pub(super) fn raw(place: &Place) -> Raw {
    let read =
        read_stamped_resolved(&place.real, SKILL_MAX_BYTES).map_err(|error| unreadable(&error));
    read.map(|(bytes, found)| (bytes, stamp(found)))
}

/// A stamp as the table of sources keeps it.
pub(super) fn stamp(found: FileStamp) -> Stamp {
    Stamp {
        size: found.size,
        mtime_ns: found.mtime_ns,
        ctime_ns: found.ctime_ns,
    }
}

/// The finding for a file that can not be read. Its message names no absolute path, which would differ by machine.
#[must_use]
pub(super) fn unreadable(error: &HostError) -> Finding {
    match error {
        HostError::NotRegular { kind, .. } => {
            Finding::whole(Code::NotRegular, format!("a {kind} is no skill file"))
        }
        HostError::TooLarge { limit, .. } => {
            Finding::whole(Code::TooLarge, format!("file is larger than {limit} bytes"))
        }
        HostError::Symlink { .. } => Finding::whole(
            Code::NotRegular,
            "file or a folder above it became a link while it was read",
        ),
        other => {
            let reason = other
                .kind()
                .map_or_else(|| "not accessible".to_owned(), |kind| kind.to_string());
            Finding::whole(Code::Unreadable, format!("file cannot be read: {reason}"))
        }
    }
}

/// The plugin of a skill file.
pub(super) fn plugin(plugins: &[Plugins], place: &Place) -> Plugin {
    match plugins.get(place.root as usize) {
        Some(plugins) => plugins.of(place.folder()),
        None => Plugins::default().of(place.folder()),
    }
}

/// A skill file that was read.
pub(super) struct File {
    /// `None` where it could not be opened.
    pub(super) stamp: Option<Stamp>,
    pub(super) facts: SkillFacts,
    pub(super) parsed: Result<ParsedSkill, Finding>,
}

impl File {
    /// Decodes and parses what was read at `place`.
    pub(super) fn parse(place: &Place, plugin: &Plugin, raw: Raw) -> Self {
        let stamp = raw.as_ref().ok().map(|(_, stamp)| *stamp);
        let text = raw.and_then(|(bytes, _)| source::decode(bytes));
        let parsed = text.map(|text| parse(place.root, place.path.clone(), &text, plugin));
        Self {
            stamp,
            facts: facts(&parsed),
            parsed,
        }
    }

    /// Everything that was found in it.
    pub(super) fn diagnostics(&self, shown: &str) -> Vec<Diagnostic> {
        let findings = match &self.parsed {
            Ok(parsed) => parsed.findings.as_slice(),
            Err(finding) => std::slice::from_ref(finding),
        };
        let in_file = findings.iter().map(|one| one.clone().in_file(shown));
        in_file.collect()
    }
}

fn facts(parsed: &Result<ParsedSkill, Finding>) -> SkillFacts {
    let fault = |finding: &Finding| {
        let code = finding.code.as_str().to_owned();
        (code, finding.message.clone())
    };
    match parsed {
        Err(finding) => SkillFacts {
            fault: Some(fault(finding)),
            ..SkillFacts::default()
        },
        Ok(ParsedSkill { skill, findings }) => {
            let mut errors = findings.iter();
            let error = errors.find(|finding| finding.code.severity() == Severity::Error);
            SkillFacts {
                text_sha256: skill.record.source_sha256.clone(),
                name: Some(skill.record.skill.clone()),
                sections: skill.record.sections.len() as u32,
                diagnosed: !findings.is_empty(),
                fault: error.map(fault),
            }
        }
    }
}
