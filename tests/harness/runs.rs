//! Which sections of a packet share a frame?

use vibey_context::packet::parse::{Framed, sections};
use vibey_context_contracts::digest::sha256_hex;

/// The sections of a packet as its parser gives them, by frame. How many a frame holds is read here from its line, so that
/// a parser that loses one is found out.
#[track_caller]
pub(crate) fn runs(packet: &str) -> Vec<Vec<Framed>> {
    let mut sections = sections(packet).into_iter();
    let opening = packet
        .lines()
        .filter_map(|line| line.strip_prefix("<!-- vibey-context:section "));
    let runs: Vec<Vec<Framed>> = opening
        .map(|line| {
            let count = line.split_once(" sections=\"").map_or(1, |(_, rest)| {
                rest.split('"').next().unwrap().split(' ').count()
            });
            let run: Vec<Framed> = sections.by_ref().take(count).collect();
            assert_eq!(run.len(), count, "{line}");
            run
        })
        .collect();
    assert_eq!(sections.next(), None, "a section without a frame");
    runs
}

/// Digest of the text of a whole run.
pub(crate) fn digest(run: &[Framed]) -> String {
    let whole: String = run.iter().map(|section| section.content.as_str()).collect();
    sha256_hex(whole.as_bytes())
}
