//! `reproduce`.

use super::args::ReproduceArgs;
use super::failure::Failure;
use super::output::{json, stdout};
use super::place::{Meant, block_on};
use super::session::received;
use crate::compiler::Compiler;
use crate::compiler::packet::{MANIFEST_MAX_BYTES, PACKET_MAX_BYTES, read_manifest};
use crate::job::artifacts::Artifacts;
use crate::project::locate::folder;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;
use vibey_context_contracts::conductor::id::JobId;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::exit;
use vibey_context_contracts::version::SCHEMA_VERSION;
use vibey_context_contracts::visible::in_one_line;
use vibey_context_host::resolved::read_resolved;

/// What ending a process group takes after its grace, with room to spare.
const KILL_TAKES: Duration = Duration::from_secs(1);

/// What `reproduce --json` prints.
#[derive(Serialize)]
struct Reproduced<'a> {
    schema_version: u32,
    job: &'a str,
    /// Whether compiling again gives the same packet, and the packet in the worktree is that one.
    same: bool,
    /// What differs, as the text has it.
    report: &'a [String],
}

/// Runs the command.
pub(super) fn run(args: &ReproduceArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let job = JobId::new(&args.job)?;
    let worktree = folder(&args.worktree)?;
    let (dir, config) = meant.project(&worktree)?;
    let artifacts = Artifacts::of(&worktree, &job);
    artifacts.refuse_links()?;
    let manifest = read_manifest(&left(&artifacts.manifest, MANIFEST_MAX_BYTES)?)
        .map_err(|failure| Failure::from(failure).at(&artifacts.manifest))?;
    let packet = sha256_hex(&left(&artifacts.packet, PACKET_MAX_BYTES)?);
    // What an agent changed in the worktree is not what was compiled.
    let is_untouched = packet == manifest.packet_sha256;
    let signals = received()?;
    let grace = Duration::from_secs(config.skills_context.kill_grace_seconds);
    signals.end_within(Some(grace.saturating_add(KILL_TAKES)));
    let cancel = Some(signals.cancel().clone());
    let compiler = Compiler::new(
        &dir,
        &config.skills_context,
        &meant.surroundings.variables,
        cancel,
    );
    let found = block_on(compiler.reproduce(&artifacts.request, &artifacts.manifest))??;
    let mut lines: Vec<String> = found.report.lines().map(in_one_line).collect();
    if !is_untouched {
        let path = artifacts.packet.display();
        lines.push(in_one_line(&format!(
            "`{path}` was changed: {packet} now, {} in its manifest",
            manifest.packet_sha256
        )));
    }
    let same = found.is_same && is_untouched;
    match args.json {
        true => json(&Reproduced {
            schema_version: SCHEMA_VERSION,
            job: job.as_str(),
            same,
            report: &lines,
        })?,
        false => stdout(lines.join("\n") + "\n")?,
    }
    Ok(match same {
        true => exit::DONE,
        false => exit::STRUCTURED,
    })
}

/// Reads a file that an attempt left.
fn left(path: &Path, limit_bytes: u64) -> Result<Vec<u8>, Failure> {
    read_resolved(path, limit_bytes).map_err(|error| match error.is_not_found() {
        true => {
            let help =
                "name the worktree and the id of a job that got a packet in mode shadow or inject";
            Failure::new("not_found", error.to_string(), help)
        }
        false => error.into(),
    })
}
