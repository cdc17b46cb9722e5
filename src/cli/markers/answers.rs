//! `markers explain` and `markers orphans`: questions, answered as text or as one JSON object on one line.

use super::{json, sent};
use crate::cli::args::{ExplainArgs, OrphansArgs};
use crate::cli::failure::Failure;
use crate::cli::output::{line, stderr};
use crate::markers::{self, Fault};
use crate::text::neutralise::plain_line;
use std::path::Path;
use vibey_context_contracts::exit;
use vibey_context_contracts::markers::answer::{
    DecidingMarker, Explanation, MarkerContent, Orphans, SHOWN_MAX_BYTES,
};

pub(super) fn explain(args: &ExplainArgs, root: &Path) -> u8 {
    match markers::explain(root, &args.path) {
        Ok(answer) if args.json => json(&answer, exit::DONE),
        Ok(answer) => text(&explained(&answer)),
        Err(fault) => failed(&fault, args.json),
    }
}

pub(super) fn orphans(args: &OrphansArgs, root: &Path) -> u8 {
    match markers::orphans(root, &args.manifest) {
        Ok(answer) if args.json => json(&answer, exit::DONE),
        Ok(answer) => text(&listed(&answer)),
        Err(fault) => failed(&fault, args.json),
    }
}

fn text(lines: &[String]) -> u8 {
    let text = lines.iter().map(|line| plain_line(line));
    let text = text.collect::<Vec<_>>().join("\n");
    sent(line(&text).map_err(|error| error.to_string()), exit::DONE)
}

fn failed(fault: &Fault, as_json: bool) -> u8 {
    refuse(&failure(fault), as_json)
}

/// Why there is no answer.
pub(in crate::cli) fn failure(fault: &Fault) -> Failure {
    let failure = Failure::new(fault.code, &fault.message, "");
    match &fault.path {
        Some(path) => failure.at(Path::new(path)),
        None => failure,
    }
}

/// Says why there is no answer.
pub(super) fn refuse(failure: &Failure, as_json: bool) -> u8 {
    if as_json {
        return json(&failure.report(), exit::STRUCTURED);
    }
    stderr(&failure.text());
    exit::STRUCTURED
}

fn explained(answer: &Explanation) -> Vec<String> {
    let path = &answer.path;
    let Some(marker) = &answer.marker else {
        return vec![format!("{path}: agents may read it")];
    };
    let mut lines = vec![
        format!("{path}: agents may not read it"),
        format!("decided by {} ({})", marker.path, shown(marker)),
    ];
    let shadowed = answer.shadowed.iter();
    lines.extend(shadowed.map(|marker| format!("shadowed: {marker}")));
    lines
}

fn shown(marker: &DecidingMarker) -> String {
    let bytes = marker.shown_bytes;
    match marker.content {
        MarkerContent::Empty => "no guidance".to_owned(),
        MarkerContent::Broken => "content that can not be shown".to_owned(),
        MarkerContent::Guidance if marker.exceeds_limit => {
            format!(
                "reason and guidance are {bytes} bytes, of which a reader shows {SHOWN_MAX_BYTES}"
            )
        }
        MarkerContent::Guidance => {
            format!("reason and guidance are {bytes} bytes; a reader shows {SHOWN_MAX_BYTES}")
        }
    }
}

fn listed(answer: &Orphans) -> Vec<String> {
    if answer.orphans.is_empty() {
        return vec!["no marker but those of the manifest".to_owned()];
    }
    answer.orphans.clone()
}
