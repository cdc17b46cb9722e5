//! Which project does a job belong to, and how does that project want its jobs to get packets?
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`locate`] | which folder is the project of a worktree |
//! | [`tracked`] | does git track the configuration |
//! | [`config`] | what does the configuration say |
//! | [`folder`] | how does git pass over what we write |
//!
//! Invariants:
//! - Nothing in a linked worktree chooses the configuration, and with it a command or a ledger.
//! - Nothing that comes with a repository does: a tracked configuration is refused, and so is one behind a symlink.

pub mod config;
pub mod error;
pub mod folder;
pub mod locate;
pub mod tracked;

/// The folder of a project, or of a worktree, in which we and others keep files.
pub const VIBEY: &str = ".vibey";

/// The configuration, in [`VIBEY`].
pub const FILE: &str = "project.json";
