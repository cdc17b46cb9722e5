//! The operating system as this workspace uses it.
//!
//! Every raw file write, file lock and clock of the libraries is here, once, behind a function that says
//! what a crash leaves behind. The crate is a leaf: it depends on no other member of the workspace and
//! has no notion of what the bytes mean.
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`error`] | what failed, on which path, and why |
//! | [`path`] | does this name stay inside that folder |
//! | [`read`] | what is in this file or folder, without hanging and within a bound |
//! | [`resolved`] | what is in the file at a path that was resolved before |
//! | [`anchor`] | how does a file get its name below a root, whatever is put in the way meanwhile |
//! | [`write`](mod@write) | how do bytes reach a name so that nobody ever sees half of them |
//! | [`lock`] | who may change this folder now |
//! | [`cancel`] | how does one thread tell another to end its child |
//! | [`clock`] | how long did it take, and when is now |
//! | [`process`] | what did another program answer, and is nothing of it left |
//! | [`tree`] | how much lies below this name, and when was it last changed |
//! | [`volume`] | which file system is this, and what of it matters |
//! | [`standard`] | how do bytes reach standard output and standard error |
//! | [`signals`] | which signal asks this process to end |
//!
//! Invariants:
//! - Reads never block on a FIFO and never return more bytes than the caller allowed.
//! - A name is replaced by rename, never truncated in place.
//! - A lock file is never deleted, and its content is never read.
//! - Times never panic and never wrap.
//! - A child process has its own process group, an explicit environment and a known end; waiting for it is
//!   bounded, whoever holds its pipes.
//!
//! Unix only: `O_NOFOLLOW`, `flock(2)` and the synchronization of folders have no portable counterpart.

#[cfg(not(unix))]
compile_error!("this crate supports Unix only");

pub mod anchor;
pub mod cancel;
pub mod clock;
mod deliver;
pub mod error;
mod folder;
pub mod lock;
mod nonblocking;
pub mod path;
pub mod process;
pub mod read;
pub mod resolved;
pub mod signals;
pub mod standard;
pub mod tree;
pub mod volume;
pub mod write;

pub use error::{HostError, Result};
