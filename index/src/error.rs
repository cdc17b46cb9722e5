//! What can be wrong with an index.

use std::path::PathBuf;
use vibey_context_host::error::HostError;

/// Why an index can not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// There is no index at the path.
    #[error("no index at `{}`", .0.display())]
    Missing(PathBuf),
    /// The folder holds something that is not our index.
    #[error("`{}` is not an index of this program: {reason}", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// The index is ours, and damaged.
    #[error("index `{}` is corrupt: {reason}", path.display())]
    Corrupt {
        /// The index folder.
        path: PathBuf,
        /// What does not fit.
        reason: String,
    },
    /// The index was written in an older format, or by another version of the compiler.
    #[error("index `{}` has {found}, this compiler reads {ours}", path.display())]
    Older {
        /// The index folder.
        path: PathBuf,
        /// What the index says of itself.
        found: String,
        /// What this compiler reads.
        ours: String,
    },
    /// The index was written in a newer format.
    #[error("index `{}` has {found}, this compiler reads {ours}", path.display())]
    Newer {
        /// The index folder.
        path: PathBuf,
        /// What the index says of itself.
        found: String,
        /// What this compiler reads.
        ours: String,
    },
    /// The index folder is a symbolic link.
    #[error("index folder `{}` is a symbolic link", .0.display())]
    Link(PathBuf),
    /// Another process builds the index, and did not end in time.
    #[error("index `{}` is locked by another build for {waited_seconds} s", path.display())]
    Locked {
        /// The index folder.
        path: PathBuf,
        /// How long this process waited, in seconds.
        waited_seconds: u64,
    },
    /// The operating system refused.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The retrieval engine refused.
    #[error("retrieval engine: {0}")]
    Engine(String),
}

impl From<tantivy::TantivyError> for IndexError {
    fn from(error: tantivy::TantivyError) -> Self {
        Self::Engine(error.to_string())
    }
}

impl From<std::io::Error> for IndexError {
    fn from(error: std::io::Error) -> Self {
        Self::Engine(error.to_string())
    }
}
