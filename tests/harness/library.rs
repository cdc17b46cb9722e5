//! The compiler without a process around it: an index in memory, for tests that compile hundreds of packets.

use serde_json::Value;
use std::path::Path;
use vibey_context::corpus::build::{Observer, Origin, in_memory};
use vibey_context::corpus::roots::named;
use vibey_context::packet::compile::{Compile, Compiled, compile};
use vibey_context::text::tokens::Tokenizer;
use vibey_context_contracts::index::IndexManifest;
use vibey_context_contracts::request::parse::parse;
use vibey_context_index::reader::Reader;
use vibey_context_index::sources::Rejected;

/// An index in memory.
pub(crate) struct Memory {
    pub(crate) manifest: IndexManifest,
    pub(crate) reader: Reader,
    rejected: Vec<Rejected>,
}

struct Quiet;

impl Observer for Quiet {}

impl Memory {
    /// Indexes the skills below `root`.
    pub(crate) fn of(root: &str) -> Self {
        let roots = named(Path::new("/"), &[root.into()]).unwrap();
        let (manifest, reader, rejected) = in_memory(&Origin::Named(roots), &mut Quiet).unwrap();
        Self {
            manifest,
            reader,
            rejected,
        }
    }

    /// Compiles a packet.
    #[track_caller]
    pub(crate) fn compile(&self, request: &Value, budget: u64) -> Compiled {
        self.compile_by(Tokenizer::Estimate, request, budget)
    }

    /// Compiles a packet whose tokens are counted by `tokenizer`.
    #[track_caller]
    pub(crate) fn compile_by(
        &self,
        tokenizer: Tokenizer,
        request: &Value,
        budget: u64,
    ) -> Compiled {
        let parsed = parse(request.to_string().as_bytes()).unwrap();
        compile(Compile {
            reader: &self.reader,
            index: &self.manifest,
            request: &parsed.request,
            warnings: parsed.warnings,
            tokenizer,
            budget,
            rejected: &|| self.rejected.clone(),
        })
        .unwrap()
    }
}
