//! `ledger`: its commands are not there yet. The three names below are what the rest of `cli` needs of this file.

use super::failure::Failure;
use super::place::Meant;
use clap::Args;

/// Arguments of `ledger`.
#[derive(Debug, Args)]
pub struct LedgerArgs {}

impl LedgerArgs {
    /// Whether errors go to standard output as JSON.
    #[must_use]
    pub fn json(&self) -> bool {
        false
    }
}

/// Runs the command.
pub(super) fn run(_args: &LedgerArgs, _meant: &Meant<'_>) -> Result<u8, Failure> {
    Err(Failure::new("internal", "not there yet", ""))
}
