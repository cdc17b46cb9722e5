//! `reproduce`.

use super::args::ReproduceArgs;
use super::failure::Failure;
use super::output::stdout;
use super::place::{Meant, block_on};
use super::session::received;
use crate::compiler::Compiler;
use crate::compiler::packet::{MANIFEST_MAX_BYTES, PACKET_MAX_BYTES, read_manifest};
use crate::job::artifacts::Artifacts;
use crate::project::locate::folder;
use std::path::Path;
use vibey_context_contracts::conductor::id::JobId;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::exit;
use vibey_context_contracts::visible::in_one_line;
use vibey_context_host::read::read_regular_nofollow;

/// Runs the command.
pub(super) fn run(args: &ReproduceArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let job = JobId::new(&args.job)?;
    let worktree = folder(&meant.at(&args.worktree))?;
    let (dir, config) = meant.project(&worktree)?;
    let artifacts = Artifacts::of(&worktree, &job);
    let manifest = read_manifest(&left(&artifacts.manifest, MANIFEST_MAX_BYTES)?)
        .map_err(|failure| Failure::from(failure).at(&artifacts.manifest))?;
    let packet = sha256_hex(&left(&artifacts.packet, PACKET_MAX_BYTES)?);
    // What an agent changed in the worktree is not what was compiled.
    let is_untouched = packet == manifest.packet_sha256;
    let cancel = Some(received()?.cancel().clone());
    let compiler = Compiler::new(
        &dir,
        &config.skills_context,
        &meant.surroundings.variables,
        cancel,
    );
    let found = block_on(compiler.reproduce(&artifacts.request, &artifacts.manifest))??;
    let mut text: String = found
        .report
        .lines()
        .map(|line| format!("{}\n", in_one_line(line)))
        .collect();
    if !is_untouched {
        let path = artifacts.packet.display();
        text.push_str(&format!(
            "`{path}` was changed: {packet} now, {} in its manifest\n",
            manifest.packet_sha256
        ));
    }
    stdout(text)?;
    Ok(match found.is_same && is_untouched {
        true => exit::DONE,
        false => exit::STRUCTURED,
    })
}

/// Reads a file that an attempt left.
fn left(path: &Path, limit_bytes: u64) -> Result<Vec<u8>, Failure> {
    read_regular_nofollow(path, limit_bytes).map_err(|error| match error.is_not_found() {
        true => {
            let help =
                "name the worktree and the id of a job that got a packet in mode shadow or inject";
            Failure::new("not_found", error.to_string(), help)
        }
        false => error.into(),
    })
}
