//! The command line: one file for each command, and one place each for arguments, environment, failures and output.

mod args;
mod batch;
mod failure;
mod generated;
mod implement;
mod ledger;
mod new;
mod outcome;
mod output;
mod outputs;
mod place;
mod report;
mod reproduce;
mod run;
mod session;
mod surroundings;

pub use args::Cli;
pub use run::run;
