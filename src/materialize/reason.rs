//! Why is a link unresolved? In the words that stand in `## Unresolved refs`, which callers match on.

use std::fmt;

/// Why the content of a link is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    /// The entry names no link.
    #[error("invalid-ref")]
    InvalidRef,
    /// No scheme of ours.
    #[error("unsupported-scheme")]
    UnsupportedScheme,
    /// Neither `config.yaml` nor the registry has the alias.
    #[error("unknown alias")]
    UnknownAlias,
    /// The alias is there, its folders are not.
    #[error("alias root unreachable")]
    AliasRootUnreachable,
    /// Nothing is there.
    #[error("not-found")]
    NotFound,
    /// The path leads out of the folder that it must stay in.
    #[error("path-escapes-root")]
    PathEscapesRoot,
    /// The path lies where secrets lie.
    #[error("blocked-private")]
    BlockedPrivate,
    /// A marker keeps agents out of the folder.
    #[error("excluded-by-marker")]
    ExcludedByMarker,
    /// A FIFO, a socket, a device.
    #[error("not-a-file: {0}")]
    NotAFile(&'static str),
    /// More bytes than are read.
    #[error("too-large")]
    TooLarge,
    /// The system does not let us read it.
    #[error("unreadable")]
    Unreadable,
    /// The server answered with another status than success.
    #[error("http {0}")]
    Http(u16),
    /// No answer in time.
    #[error("timeout")]
    Timeout,
    /// The network did not bring an answer.
    #[error("network-error: {0}")]
    Network(&'static str),
    /// The server of that name is not configured, does not start, or does not answer as a server of the protocol.
    #[error("mcp-unreachable: {0}")]
    McpUnreachable(String),
    /// The server answered with an error of this code.
    #[error("mcp-error: {0}")]
    McpError(i32),
    /// The content is no longer what the cache holds.
    #[error("drifted")]
    Drifted,
}

/// An unresolved link: the reason, and where there is one, what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unresolved {
    pub(crate) reason: Reason,
    pub(crate) hint: Option<String>,
}

impl Unresolved {
    /// The same reason with what to do about it.
    pub(crate) fn with_hint(reason: Reason, hint: impl Into<String>) -> Self {
        Self {
            reason,
            hint: Some(hint.into()),
        }
    }
}

impl From<Reason> for Unresolved {
    fn from(reason: Reason) -> Self {
        let hint = match reason {
            Reason::BlockedPrivate => Some("`--allow-private` reads it all the same".to_owned()),
            _ => None,
        };
        Self { reason, hint }
    }
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hint {
            Some(hint) => write!(f, "{} ({hint})", self.reason),
            None => write!(f, "{}", self.reason),
        }
    }
}
