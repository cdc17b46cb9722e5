//! The command line: one file for each command, and one place each for arguments, environment, failures and output.

mod args;
mod check;
mod clean;
mod contract;
mod doctor;
mod evaluate;
mod failure;
mod generated;
mod handoff;
mod index;
mod list;
mod locate;
mod markers;
mod materialize;
mod mcp;
mod measures;
mod now;
mod output;
mod packet;
mod progress;
mod reproduce;
mod run;
mod search;
mod surroundings;
mod values;
mod why;
mod words;

pub use args::Cli;
pub use run::run;
