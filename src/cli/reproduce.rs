//! `reproduce`.

use super::args::ReproduceArgs;
use super::failure::Failure;
use super::locate::Meant;
use super::output::stdout;
use super::packet::read_request;
use crate::packet::compile::{Compile, compile};
use crate::packet::reproduce::{ManifestError, differences, read_manifest};
use crate::text::neutralise::plain_line;
use crate::text::tokens::Tokenizer;
use vibey_context_contracts::exit;
use vibey_context_host::read::read_regular;

/// The largest manifest that is read, in bytes: thousands of sections.
const MANIFEST_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Runs the command.
pub(super) fn run(args: &ReproduceArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let path = meant.surroundings.cwd.join(&args.manifest);
    let before = read_manifest(&read_regular(&path, MANIFEST_MAX_BYTES)?).map_err(|error| {
        let code = match &error {
            ManifestError::NotManifest(_) => "manifest_invalid",
            ManifestError::Contract { .. } => "manifest_contract",
        };
        Failure::new(
            code,
            error.to_string(),
            "name a manifest that `packet` wrote",
        )
        .at(&args.manifest)
    })?;
    let tokenizer = Tokenizer::named(&before.tokenizer).ok_or_else(|| {
        let message = format!(
            "manifest counts tokens by `{}`, which this compiler does not know",
            plain_line(&before.tokenizer)
        );
        let help = "reproduce it with the compiler that the manifest names";
        Failure::new("tokenizer_unknown", message, help).at(&args.manifest)
    })?;
    let parsed = read_request(&args.request, &meant.surroundings.cwd)?;
    let opened = meant.open(args.index.as_deref())?;
    let after = compile(Compile {
        reader: &opened.reader,
        index: &opened.manifest,
        request: &parsed.request,
        warnings: parsed.warnings,
        budget: before.maximum_context_tokens,
        tokenizer,
        rejected: &|| opened.rejected(),
    })?
    .manifest
    // Where it chose the budget alone, the manifest has that already.
    .with_project_file(
        opened
            .project_file()
            .or(before.project_file.as_ref())
            .cloned(),
    );
    let found = differences(&before, &after);
    if found.is_empty() {
        stdout(&format!("same bytes: packet {}\n", after.packet_sha256))?;
        return Ok(exit::DONE);
    }
    stdout(&format!("differs:\n  {}\n", found.join("\n  ")))?;
    Ok(exit::STRUCTURED)
}
