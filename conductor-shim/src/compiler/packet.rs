//! Is this the packet of that request?

use super::Compiler;
use super::call::{Answer, call};
use super::failure::Failure;
use super::handshake::{satisfies, shown};
use semver::Version;
use serde::Deserialize;
use std::ffi::OsStr;
use std::path::Path;
use vibey_context_contracts::conductor::event::FailureCode;
use vibey_context_contracts::digest::{is_sha256_hex, sha256_hex};
use vibey_context_contracts::exit;
use vibey_context_contracts::packet::{ESTIMATOR, PacketManifest, Status, estimate_bytes};
use vibey_context_contracts::version::{PACKET_MANIFEST, SCHEMA_VERSION};
use vibey_context_host::error::HostError;
use vibey_context_host::resolved::read_resolved;

/// The largest manifest, in bytes: a row takes some 300, and thousands of rows are more than any request activates.
pub const MANIFEST_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The largest packet, in bytes: the largest budget is 32,000 tokens, and a token of prose has four bytes.
pub const PACKET_MAX_BYTES: u64 = 2 * 1024 * 1024;

/// More bytes than a token has on average by any vocabulary: English prose has four to five.
const TOKEN_MAX_BYTES: u64 = 16;
/// The largest believable number of tokens in a figure: a skill of four gigabytes.
const TOKENS_MAX: u64 = 1 << 30;

/// What is to be compiled, and where it goes.
pub struct Order<'a> {
    /// The request, a file.
    pub request: &'a Path,
    /// Where the packet goes.
    pub packet: &'a Path,
    /// Where the manifest goes.
    pub manifest: &'a Path,
    /// Digest of the canonical request.
    pub query_sha256: &'a str,
    /// Token budget in the request.
    pub budget: u64,
}

/// A believable answer.
#[derive(Debug)]
pub struct Compiled {
    /// The manifest.
    pub manifest: PacketManifest,
    /// Digest of its file.
    pub manifest_sha256: String,
    /// The packet's bytes, UTF-8; empty unless the status is `ok`.
    pub packet: String,
    /// Exit code of the compiler.
    pub return_code: i32,
    /// What it wrote to standard error: redacted and bounded.
    pub stderr: Box<str>,
    /// Milliseconds that it took.
    pub compile_ms: u64,
}

impl Compiler {
    /// Compiles one packet; the first call makes the handshake and the index.
    ///
    /// # Errors
    /// [`Failure`]; what lies at the paths of the order is then not to be believed.
    pub async fn compile(&self, order: &Order<'_>) -> Result<Compiled, Failure> {
        let handshake = self.ready().await?;
        let words: [&OsStr; 9] = [
            "packet".as_ref(),
            "--request".as_ref(),
            order.request.as_os_str(),
            "--index".as_ref(),
            self.index_path().as_os_str(),
            "--output".as_ref(),
            order.packet.as_os_str(),
            "--manifest".as_ref(),
            order.manifest.as_os_str(),
        ];
        let known = |failure: Failure| Failure {
            compiler_version: failure
                .compiler_version
                .or_else(|| Some(handshake.compiler_version.clone())),
            ..failure
        };
        let answer = call(self, &words).await.map_err(known)?;
        believed(order, answer).map_err(known)
    }
}

fn believed(order: &Order<'_>, answer: Answer) -> Result<Compiled, Failure> {
    let is_answer = [exit::DONE, exit::STRUCTURED]
        .map(i32::from)
        .contains(&answer.return_code);
    if !is_answer {
        let message = format!("`packet` ended with exit code {}", answer.return_code);
        return Err(answer.failed(FailureCode::CompilerFailed, message));
    }
    match checked(order, answer.return_code) {
        Ok((manifest, manifest_sha256, packet)) => Ok(Compiled {
            manifest,
            manifest_sha256,
            packet,
            return_code: answer.return_code,
            stderr: answer.stderr,
            compile_ms: answer.took_ms,
        }),
        Err(failure) => Err(Failure {
            return_code: Some(answer.return_code),
            stderr: answer.stderr,
            compile_ms: answer.took_ms,
            ..failure
        }),
    }
}

fn checked(
    order: &Order<'_>,
    return_code: i32,
) -> Result<(PacketManifest, String, String), Failure> {
    let bytes = read_resolved(order.manifest, MANIFEST_MAX_BYTES).map_err(|error| match error {
        HostError::TooLarge { .. } => {
            Failure::new(FailureCode::ManifestTooLarge, error.to_string())
        }
        error => Failure::new(FailureCode::ManifestMissing, error.to_string()),
    })?;
    let manifest = read_manifest(&bytes)?;
    let invalid = |message: String| Failure::new(FailureCode::ManifestInvalid, message);
    let means_ok = return_code == i32::from(exit::DONE);
    if means_ok != (manifest.status == Status::Ok) {
        return Err(invalid(format!(
            "exit code {return_code} and status `{:?}` contradict each other",
            manifest.status
        )));
    }
    let of_request = manifest.query_sha256 == order.query_sha256
        && manifest.maximum_context_tokens == order.budget;
    if !of_request {
        let message = "manifest describes another request or budget";
        return Err(Failure::new(FailureCode::RequestMismatch, message));
    }
    let mismatch = |message: String| Failure::new(FailureCode::PacketMismatch, message);
    let packet = read_resolved(order.packet, PACKET_MAX_BYTES).map_err(|error| {
        if error.is_not_found() {
            return Failure::new(FailureCode::ManifestMissing, error.to_string());
        }
        mismatch(error.to_string())
    })?;
    if sha256_hex(&packet) != manifest.packet_sha256 {
        return Err(mismatch(
            "packet file is not the one that the manifest describes".to_owned(),
        ));
    }
    let packet =
        String::from_utf8(packet).map_err(|_| mismatch("packet is not UTF-8".to_owned()))?;
    // Where we can count ourselves, we do.
    let counted = match manifest.tokenizer == ESTIMATOR {
        true => estimate_bytes(packet.len()),
        false => packet.len() as u64 / TOKEN_MAX_BYTES,
    };
    if manifest.packet_token_estimate.max(counted) > order.budget {
        return Err(invalid("packet is larger than its budget".to_owned()));
    }
    if manifest.status != Status::Ok && !packet.is_empty() {
        return Err(invalid(format!(
            "status `{:?}` comes with a packet",
            manifest.status
        )));
    }
    Ok((manifest, sha256_hex(&bytes), packet))
}

/// Reads a manifest of our contract's major version.
///
/// # Errors
/// [`FailureCode::IncompatibleCompiler`] or [`FailureCode::ManifestInvalid`].
pub fn read_manifest(bytes: &[u8]) -> Result<PacketManifest, Failure> {
    #[derive(Deserialize)]
    struct Versioned {
        contract_version: String,
    }
    // The parser's own words may repeat a text of the manifest.
    let invalid = |message: &str| Failure::new(FailureCode::ManifestInvalid, message);
    let versioned: Versioned =
        serde_json::from_slice(bytes).map_err(|_| invalid("manifest names no contract version"))?;
    let theirs = Version::parse(&versioned.contract_version).ok();
    if !theirs.is_some_and(|theirs| satisfies(&PACKET_MANIFEST, &theirs)) {
        let message = format!(
            "manifest is of contract version {}, and this program needs {}.{} or a later {}.x",
            shown(&versioned.contract_version),
            PACKET_MANIFEST.major,
            PACKET_MANIFEST.minor,
            PACKET_MANIFEST.major,
        );
        return Err(Failure {
            contract_version: Some(versioned.contract_version),
            ..Failure::new(FailureCode::IncompatibleCompiler, message)
        });
    }
    let manifest: PacketManifest = serde_json::from_slice(bytes).map_err(|error| {
        let message = format!(
            "manifest is not one, at line {}, column {}",
            error.line(),
            error.column()
        );
        invalid(&message)
    })?;
    let digests = [
        &manifest.packet_sha256,
        &manifest.query_sha256,
        &manifest.corpus_sha256,
        &manifest.index.generation,
    ];
    let figures = [
        manifest.packet_token_estimate,
        manifest.mandatory_token_estimate,
        manifest.retrieved_token_estimate,
    ];
    let mut figures = figures
        .into_iter()
        .chain(manifest.required_context_tokens)
        .chain(manifest.selected_skill_tokens.values().copied());
    if figures.any(|tokens| tokens > TOKENS_MAX) {
        return Err(invalid(
            "manifest holds a number of tokens that no skill has",
        ));
    }
    if manifest.schema_version != SCHEMA_VERSION
        || !digests.into_iter().all(|digest| is_sha256_hex(digest))
    {
        return Err(invalid(
            "manifest holds a schema version or a digest that is none",
        ));
    }
    Ok(manifest)
}
