//! The integration tests: the program over its process boundary, and the compiler over its library boundary.

// Test code is outside the product: it builds folders, starts the program and reads its files the plain way, and
// a failed `unwrap` is a failed test.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::string_slice,
    clippy::print_stderr,
    missing_docs
)]

mod check_descriptions;
mod clean;
mod cli_forms;
mod cli_help;
mod cli_queries;
mod corpus;
mod docs;
mod doctor;
mod evaluate;
mod faults;
mod handoff;
mod harness;
mod index_life;
mod markers;
mod materialize;
mod mcp;
mod packet_ceiling;
mod packet_failures;
mod packet_hostile;
mod packet_lists;
mod packet_manifest;
mod packet_promises;
mod packet_quality;
mod packet_reproduce;
mod packet_secrets;
mod packet_targets;
mod packet_tokenizer;
mod project_file;
mod search_explain;
mod security;
mod tokens;
