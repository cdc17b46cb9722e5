//! Are the artifacts of a phase good enough to be handed over?

use crate::handoff::artifact::file::{File, Unread, format, kind, places, read, why_there};
use crate::handoff::artifact::front_matter::without_front_matter;
use crate::handoff::artifact::headings::{folded, starts_with};
use crate::handoff::brief::block::in_title;
use crate::handoff::desk::Desk;
use crate::handoff::judgement::oddities::oddities;
use crate::handoff::judgement::verdict::{has_tag, says};
use crate::handoff::pipelines::Pipelines;
use crate::text::markdown::outline;
use crate::text::neutralise::plain_line;
use crate::text::passages::{Kind, passages};
use vibey_context_contracts::handoff::config::{Format, PhaseConfig, Rule};
use vibey_context_contracts::handoff::report::JudgedFile;
use vibey_context_contracts::handoff::state::{Artifact, Unknown};

/// How a completed task is marked at the start of a list item.
pub(crate) const COMPLETED: [&str; 3] = ["[X]", "[x]", "[✓]"];

/// An artifact that may be handed over, or be looked at.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// What the state holds of it.
    pub(crate) artifact: Artifact,
    /// How it is read.
    pub(crate) format: Format,
    /// Its text.
    pub(crate) text: String,
}

/// What was found of a phase's artifacts.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// Those that are good enough.
    pub(crate) found: Vec<Found>,
    /// Why others are not, in the order of their places.
    pub(crate) failures: Vec<String>,
    /// Places of those that are not.
    pub(crate) failed_paths: Vec<String>,
    /// Those that are there and not good enough.
    pub(crate) invalid: Vec<Found>,
    /// What is odd and no failure.
    pub(crate) warnings: Vec<String>,
    /// What helps whoever looks for an artifact that is not there.
    pub(crate) hints: Vec<String>,
    /// The files that were judged, good enough or not.
    pub(crate) files: Vec<JudgedFile>,
}

/// Judges every artifact of a phase.
pub(crate) fn judge(desk: &Desk, pipelines: &Pipelines, phase: &PhaseConfig) -> Judged {
    let mut judged = Judged::default();
    for name in &phase.artifacts {
        judge_artifact(desk, pipelines, name, &mut judged);
    }
    if phase.artifacts.is_empty() {
        judged
            .warnings
            .push(format!("Phase {} has no artifacts to validate", phase.name));
    }
    judged
}

/// The first of its places at which an artifact is good enough counts; where none is, everything that was tried fails.
fn judge_artifact(desk: &Desk, pipelines: &Pipelines, name: &str, judged: &mut Judged) {
    let own = pipelines.rule(name);
    let places = places(&own, desk);
    let mut failures: Vec<(usize, String)> = Vec::new();
    let mut invalid = Vec::new();
    for (nth, path) in places.iter().enumerate() {
        let rule = pipelines.rule_at(name, path);
        let file = match read(desk, path) {
            Ok(file) => file,
            Err(unread) => {
                if let (Unread::Missing, Some(pattern)) = (&unread, own.paths.get(nth)) {
                    judged.hints.extend(why_there(desk, pattern, path));
                }
                failures.push((nth, unread_failure(path, &unread)));
                continue;
            }
        };
        let found = match found(&file, &rule) {
            Ok(found) => found,
            Err(fault) => {
                failures.push((nth, format!("File {fault}: {path}")));
                continue;
            }
        };
        let faults = faults(&found, &rule);
        judged.files.push(JudgedFile {
            path: path.clone(),
            rule: pipelines.rule_name(name, path),
            requires: requirements(&rule),
            is_valid: faults.is_empty(),
        });
        if faults.is_empty() {
            let passed_over = failures
                .into_iter()
                .filter(|(_, failure)| !failure.starts_with(NOT_FOUND));
            judged.warnings.extend(
                passed_over.map(|(_, failure)| format!("{path} is taken instead: {failure}")),
            );
            judged.warnings.extend(oddities(&found));
            judged.found.push(found);
            return;
        }
        failures.extend(faults.into_iter().map(|fault| (nth, fault)));
        invalid.push(found);
    }
    judged
        .warnings
        .extend(invalid.iter().filter_map(headings_there));
    judged.failures.extend(told(&places, failures));
    judged.failed_paths.extend(places);
    judged.invalid.extend(invalid);
}

/// Failures of one artifact, each with its place: what failed at a second place does not have to be mended too.
fn told(places: &[String], failures: Vec<(usize, String)>) -> Vec<String> {
    let is_missing = |(_, failure): &(usize, String)| failure.starts_with(NOT_FOUND);
    match places.first() {
        Some(_) if places.len() > 1 && failures.iter().all(is_missing) => {
            vec![format!("{NOT_FOUND}{}", places.join(" or "))]
        }
        Some(first) => failures
            .into_iter()
            .map(|(nth, failure)| match nth {
                0 => failure,
                _ => format!("{failure} (in place of {first})"),
            })
            .collect(),
        None => Vec::new(),
    }
}

/// Headings that are named where one is missing.
const NAMED_HEADINGS: usize = 8;

/// Which headings an artifact has that lacks one.
fn headings_there(found: &Found) -> Option<String> {
    let headings = outline(&without_front_matter(&found.text)).headings;
    let named: Vec<String> = headings
        .iter()
        .take(NAMED_HEADINGS)
        .map(|heading| format!("“{}”", in_title(&heading.text)))
        .collect();
    let more = if headings.len() > named.len() {
        ", …"
    } else {
        ""
    };
    (!named.is_empty()).then(|| {
        format!(
            "Headings of {}: {}{more}",
            found.artifact.path,
            named.join(", ")
        )
    })
}

/// How the failure of an artifact begins that is not there.
const NOT_FOUND: &str = "File not found: ";

fn unread_failure(path: &str, unread: &Unread) -> String {
    match unread {
        Unread::Missing => format!("{NOT_FOUND}{path}"),
        Unread::Excluded(marker) => format!(
            "File not read: {path} (excluded-by-marker: {})",
            plain_line(marker)
        ),
        Unread::Refused(error) => {
            format!("File not read: {path} ({})", plain_line(&error.to_string()))
        }
    }
}

/// A file with its text, as its rule reads it.
///
/// # Errors
/// What it is, where it is no text.
pub(crate) fn found(file: &File, rule: &Rule) -> Result<Found, &'static str> {
    Ok(Found {
        text: file.text()?,
        format: format(rule, file.path.as_str()),
        artifact: Artifact {
            path: file.path.to_string(),
            kind: kind(rule, &file.path),
            size_bytes: file.size,
            last_modified: file.modified.clone(),
            sha256: Some(file.sha256.clone()),
            unknown: Unknown::new(),
        },
    })
}

/// Whether an artifact that is a list of tasks says that none of them is done.
pub(crate) fn is_unfinished(found: &Found, rule: &Rule) -> bool {
    let markers = &rule.required_any;
    let is_marker = |one: &String| COMPLETED.contains(&one.as_str());
    !markers.is_empty() && markers.iter().all(is_marker) && !has_completed(&found.text)
}

/// Every requirement that an artifact does not meet.
pub(crate) fn faults(found: &Found, rule: &Rule) -> Vec<String> {
    let path = &found.artifact.path;
    if found.text.trim().is_empty() {
        return vec![format!("File is empty: {path}")];
    }
    let mut faults = Vec::new();
    let size = found.artifact.size_bytes;
    if size < rule.min_bytes {
        faults.push(format!(
            "File is too small: {path} ({size} bytes, at least {} required)",
            rule.min_bytes
        ));
    }
    let headings: Vec<String> = outline(&without_front_matter(&found.text))
        .headings
        .iter()
        .map(|heading| folded(&heading.text))
        .collect();
    let has_section = |wanted: &String| {
        headings
            .iter()
            .any(|heading| starts_with(heading, &folded(wanted)))
    };
    for group in rule
        .required_sections
        .iter()
        .filter(|group| !group.iter().any(has_section))
    {
        faults.push(format!(
            "Required section {} not found in {path}",
            alternatives(group)
        ));
    }
    let (markers, sections): (Vec<String>, Vec<String>) = rule
        .required_any
        .iter()
        .cloned()
        .partition(|one| COMPLETED.contains(&one.as_str()));
    let has_any =
        sections.iter().any(has_section) || (!markers.is_empty() && has_completed(&found.text));
    if !rule.required_any.is_empty() && !has_any {
        let what = if sections.is_empty() {
            "Completed task marker"
        } else {
            "Required section"
        };
        faults.push(format!(
            "{what} {} not found in {path}",
            alternatives(&rule.required_any)
        ));
    }
    let visible = without_comments(&found.text).to_lowercase();
    let has_pattern = |wanted: &String| match found.format {
        Format::Html if wanted.starts_with('<') => has_tag(&found.text, wanted),
        Format::Html => says(&found.text, wanted),
        _ => visible.contains(&wanted.to_lowercase()),
    };
    for group in rule
        .required_patterns
        .iter()
        .filter(|group| !group.iter().any(has_pattern))
    {
        faults.push(format!(
            "Required pattern {} not found in {path}",
            alternatives(group)
        ));
    }
    faults
}

/// What a rule requires, in words for whoever has to meet it.
pub(crate) fn requirements(rule: &Rule) -> Vec<String> {
    let mut required = Vec::new();
    if rule.min_bytes > 0 {
        required.push(format!("at least {} bytes", rule.min_bytes));
    }
    required.extend(
        rule.required_sections
            .iter()
            .map(|group| format!("a section {}", alternatives(group))),
    );
    if !rule.required_any.is_empty() {
        required.push(alternatives(&rule.required_any));
    }
    required.extend(
        rule.required_patterns
            .iter()
            .map(|group| format!("the text {}", alternatives(group))),
    );
    required
}

/// `'A' OR 'B'`.
fn alternatives(group: &[String]) -> String {
    group
        .iter()
        .map(|one| format!("'{one}'"))
        .collect::<Vec<_>>()
        .join(" OR ")
}

/// Whether a list item outside code and comments starts with a completed marker.
fn has_completed(text: &str) -> bool {
    let is_completed = |text: &str| COMPLETED.iter().any(|marker| text.starts_with(marker));
    passages(text)
        .iter()
        .any(|passage| passage.kind == Kind::Item && is_completed(&passage.text))
}

/// The text without HTML comments; one that is not closed goes to the end.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    out + rest
}
