//! `materialize` over the process boundary, with real servers on loopback.

mod cache;
mod ceiling;
mod determinism;
mod docs;
mod documents;
mod failures;
mod hostile;
mod http;
mod mcp;
mod mcp_server;
mod nearby;
mod paths;
mod places;
mod rig;
mod roles;
mod stale;
mod swapped;
mod verbosity;
mod web;
