//! What must hold for every input that somebody else writes? One function for each kind of it.
//!
//! Each takes any bytes and panics where a promise is broken. The targets in `fuzz/` feed them what a fuzzer makes up, and a
//! test here feeds them every case that is kept. No part of the program: only tests and the feature `fuzzing` compile it.
//! docs/fuzzing.md says how to run it and what it has found.

mod brain;
pub(crate) mod frontmatter;
mod index_files;
mod index_manifest;
mod job;
mod ledger;
mod markers;
mod packet;
mod pipeline;
mod project_file;
#[cfg(test)]
mod replay;
mod request;
mod scratch;
mod sections;
mod spec;
mod state;
mod web_page;

/// What a kind of input is called, and what is done with it.
pub type Target = (&'static str, fn(&[u8]));

/// Every kind, by name: the names of the programs and folders in `fuzz/`.
pub const TARGETS: &[Target] = &[
    ("brain", brain::artifact),
    ("frontmatter", frontmatter::frontmatter),
    ("index_files", index_files::index_files),
    ("index_manifest", index_manifest::index_manifest),
    ("job", job::job),
    ("ledger", ledger::ledger),
    ("markers", markers::manifest),
    ("packet", packet::packet),
    ("project_file", project_file::project_file),
    ("request", request::request),
    ("sections", sections::sections),
    ("spec", spec::spec),
    ("state", state::state),
    ("web_page", web_page::web_page),
];

/// Runs the kind of this name on an input.
///
/// # Panics
/// Where a promise is broken, or there is no such kind.
pub fn run(name: &str, data: &[u8]) {
    let found = TARGETS.iter().find(|(known, _)| *known == name);
    let (_, target) = found.expect("the name is one of `TARGETS`");
    target(data);
}
