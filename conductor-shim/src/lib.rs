//! The conductor's side of the process boundary: one packet per implement job, and a ledger of what came back.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`project`] | which configuration counts for a worktree |
//! | [`compiler`] | what does the compiler answer, and may it be believed |
//! | [`job`] | what happens to one job |
//! | [`ledger`] | what became of every job |
//! | [`report`] | do packets help |
//! | [`environment`] | which environment does a child get |
//! | [`program`] | which file is meant by the name of a program |
//! | [`cli`] | what did the person ask for |

pub mod cli;
pub mod compiler;
pub mod environment;
pub mod job;
pub mod ledger;
pub mod program;
pub mod project;
pub mod report;
