//! A packet of any request from the starter skills: within its budget, the same each time, and whole in each frame.

use super::request::read;
use crate::corpus::build::{Observer, Origin, in_memory};
use crate::packet::compile::{Compile, Compiled, compile};
use crate::packet::parse::sections;
use crate::text::tokens::Tokenizer;
use std::sync::OnceLock;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::index::IndexManifest;
use vibey_context_contracts::packet::Status;
use vibey_context_contracts::request::parse::Parsed;
use vibey_context_contracts::request::{BUDGET_DEFAULT, BUDGET_MAX};
use vibey_context_index::reader::Reader;

struct Quiet;

impl Observer for Quiet {}

/// The starter corpus, indexed once.
fn starter() -> &'static (IndexManifest, Reader) {
    static STARTER: OnceLock<(IndexManifest, Reader)> = OnceLock::new();
    STARTER.get_or_init(|| {
        let built = in_memory(&Origin::Embedded, &mut Quiet);
        let (manifest, reader, _) = built.expect("the starter corpus is within the program");
        (manifest, reader)
    })
}

/// Any request gets a packet, or says why there is none.
pub(super) fn packet(data: &[u8]) {
    let Some(parsed) = read(data) else {
        return;
    };
    let asked = parsed.request.maximum_context_tokens;
    let budget = asked.unwrap_or(BUDGET_DEFAULT);
    let Some(compiled) = of(&parsed, budget) else {
        return;
    };
    check(&compiled, budget);
    assert_eq!(of(&parsed, budget), Some(compiled), "compiled in two ways");
}

fn of(parsed: &Parsed, budget: u64) -> Option<Compiled> {
    let (manifest, reader) = starter();
    compile(Compile {
        reader,
        index: manifest,
        request: &parsed.request,
        warnings: parsed.warnings.clone(),
        tokenizer: Tokenizer::Estimate,
        budget,
        rejected: &Vec::new,
    })
    .ok()
}

fn check(compiled: &Compiled, budget: u64) {
    let Compiled { packet, manifest } = compiled;
    let frames = sections(packet);
    assert_eq!(frames.len(), manifest.included_chunks.len());
    assert_eq!(manifest.packet_sha256, sha256_hex(packet.as_bytes()));
    let tokens = Tokenizer::Estimate.count(packet);
    assert!(tokens <= budget, "{tokens} tokens for a budget of {budget}");
    for (frame, chunk) in frames.iter().zip(&manifest.included_chunks) {
        let digest = sha256_hex(frame.content.as_bytes());
        assert!(digest == chunk.content_sha256 || chunk.neutralised > 0);
    }
    assert_eq!(manifest.status == Status::Ok, !packet.is_empty());
    if manifest.status == Status::BudgetInsufficient {
        let needed = manifest.required_context_tokens.unwrap_or_default();
        assert!(needed > budget && budget <= BUDGET_MAX);
    }
    assert!(compiled.manifest_file().is_ok());
}
