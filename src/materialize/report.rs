//! What is said about a run: the state passed forward, and lines for people.

use super::context::{Context, counted};
use super::page::{count_line, field};
use super::stale::Stale;
use super::zones::Written;
use crate::text::neutralise::plain_line;
use std::fmt::Write as _;
use std::path::Path;
use vibey_context_contracts::materialize::{
    ContextManifest, ContextRef, Counts, MaterializeReport, Mode, RefStatus, StaleRef,
};
use vibey_context_contracts::version::SCHEMA_VERSION;

/// What a person does next, in the words of the original skill.
const NEXT_STEP: &str = "Open context.md to read the materialized refs. Regenerate with --refresh if upstream content has changed.";

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    /// One line.
    Terse,
    /// A summary.
    Normal,
    /// A summary, and a line for each link.
    Verbose,
}

impl Verbosity {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Terse, Self::Normal, Self::Verbose];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Terse => "terse",
            Self::Normal => "normal",
            Self::Verbose => "verbose",
        }
    }

    /// The verbosity of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// The state that a run passes forward after it has written `context.md`; `further` warnings are about that alone.
#[must_use]
pub fn of_context(context: &Context, written: &Written, further: &[String]) -> MaterializeReport {
    let manifest = &context.manifest;
    let unresolved = manifest.refs.iter().filter_map(|one| {
        Some(StaleRef {
            uri: one.uri.clone(),
            role: one.role.clone(),
            reason: one.reason.clone()?,
        })
    });
    MaterializeReport {
        schema_version: SCHEMA_VERSION,
        mode: Mode::Materialize,
        context_path: Some(text(&written.document)),
        context_json_path: written.sidecar.as_deref().map(text),
        stale_refs_path: None,
        refs_total: manifest.refs_total,
        refs_resolved: manifest.refs_resolved,
        refs_unresolved: manifest.refs_unresolved,
        refs_trimmed: manifest.refs_trimmed,
        token_estimate: manifest.token_estimate,
        stale_refs: unresolved.collect(),
        ceiling_hit: manifest.ceiling_hit,
        warnings: [&manifest.warnings, further].concat(),
    }
}

/// The state that a run passes forward after it has looked for stale links.
#[must_use]
pub fn of_stale(stale: &Stale, written: &Written) -> MaterializeReport {
    MaterializeReport {
        schema_version: SCHEMA_VERSION,
        mode: Mode::DetectStale,
        context_path: None,
        context_json_path: None,
        stale_refs_path: Some(text(&written.document)),
        refs_total: stale.counts.total,
        refs_resolved: stale.counts.resolved,
        refs_unresolved: stale.counts.unresolved,
        refs_trimmed: 0,
        token_estimate: 0,
        stale_refs: stale.refs.clone(),
        ceiling_hit: false,
        warnings: stale.warnings.clone(),
    }
}

/// Lines for people about a `context.md`.
#[must_use]
pub fn context_lines(context: &Context, written: &Written, verbosity: Verbosity) -> String {
    let manifest = &context.manifest;
    let path = plain_line(&text(&written.document));
    if verbosity == Verbosity::Terse {
        let count = manifest.refs_resolved;
        return format!("Resolved {count} soft_links, wrote context bundle to {path}. Done.\n");
    }
    let mut out = String::new();
    if verbosity == Verbosity::Verbose {
        out.push_str(&narration(manifest));
    }
    // Writing to a text can not fail.
    let _ = writeln!(out, "computer://{path}");
    let _ = writeln!(out, "{}", count_line(counts(manifest)));
    let _ = writeln!(out, "{}", token_line(manifest));
    let _ = writeln!(out, "{NEXT_STEP}");
    out
}

/// Where to look for the links that are unresolved, where there are any: the lines of a run that is not verbose name none.
#[must_use]
pub fn unresolved_line(context: &Context) -> Option<String> {
    let manifest = &context.manifest;
    let (total, count) = (manifest.refs_total, manifest.refs_unresolved);
    let (are, they) = if count == 1 {
        ("is", "it stands")
    } else {
        ("are", "they stand")
    };
    let links = counted(total, "link", "links");
    (count > 0).then(|| {
        format!("{count} of {links} {are} unresolved; {they} under \"## Unresolved refs\"")
    })
}

/// Lines for people about a `stale-refs.md`.
#[must_use]
pub fn stale_lines(stale: &Stale, written: &Written, verbosity: Verbosity) -> String {
    let path = plain_line(&text(&written.document));
    let total = stale.counts.total;
    if verbosity == Verbosity::Terse {
        return format!("Checked {total} soft_links, wrote stale-refs report to {path}. Done.\n");
    }
    let mut out = format!("computer://{path}\n{}\n", count_line(stale.counts));
    for one in &stale.refs {
        let role = one.role.as_deref().unwrap_or(super::envelope::NO_ROLE);
        let line = format!("{} | {} | {}", field(&one.uri), field(role), one.reason);
        let _ = writeln!(out, "{}", plain_line(&line));
    }
    out
}

fn counts(manifest: &ContextManifest) -> Counts {
    Counts {
        total: manifest.refs_total,
        resolved: manifest.refs_resolved,
        unresolved: manifest.refs_unresolved,
        trimmed: manifest.refs_trimmed,
    }
}

fn token_line(manifest: &ContextManifest) -> String {
    let estimate = manifest.token_estimate;
    match (manifest.max_tokens, manifest.ceiling_hit) {
        (None, _) => format!("{estimate} tokens, no ceiling."),
        (Some(most), true) => format!("{estimate} tokens, the ceiling of {most} was hit."),
        (Some(most), false) => format!("{estimate} tokens, the ceiling of {most} was not hit."),
    }
}

/// What was done, link by link.
fn narration(manifest: &ContextManifest) -> String {
    let mut out = format!(
        "Artifact {} ({}) of project {}, for {}.\nThe four templates of the original skill are compiled in.\n",
        plain_line(&manifest.artifact),
        plain_line(&manifest.artifact_id),
        plain_line(&manifest.primary_project),
        manifest.consumer.name()
    );
    for one in &manifest.refs {
        let _ = writeln!(out, "{}", plain_line(&link_line(one)));
    }
    out
}

fn link_line(one: &ContextRef) -> String {
    let role = one.role.as_deref().unwrap_or(super::envelope::NO_ROLE);
    match one.status {
        RefStatus::Resolved => format!(
            "{} ({role}): {}, {} bytes, {} tokens, {}",
            one.uri,
            one.source.as_deref().unwrap_or_default(),
            one.bytes,
            one.token_estimate,
            one.trim_applied.map_or("full", |cut| cut.label())
        ),
        RefStatus::Unresolved => {
            let reason = one.reason.as_deref().unwrap_or_default();
            format!("{} ({role}): unresolved, {reason}", one.uri)
        }
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
