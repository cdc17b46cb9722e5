//! What failed, on which path, and why.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Result of this crate's functions.
pub type Result<T, E = HostError> = std::result::Result<T, E>;

/// A failure of the operating system, or a refusal on its behalf.
///
/// The text of every variant is complete: it contains the reason given by the system. For that reason
/// [`std::error::Error::source`] is empty, and whoever prints a chain of causes prints each one once;
/// [`HostError::io_error`] and [`HostError::kind`] lead to the system's error.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// A system call failed.
    #[error("cannot {operation} `{}`: {cause}", Shown(path))]
    Io {
        /// What was attempted, as a verb that fits behind "cannot".
        operation: &'static str,
        /// The path it was attempted on.
        path: PathBuf,
        /// The system's answer.
        cause: io::Error,
    },
    /// A rename failed.
    #[error("cannot move `{}` to `{}`: {cause}", Shown(from), Shown(to))]
    Move {
        /// The old name.
        from: PathBuf,
        /// The new name.
        to: PathBuf,
        /// The system's answer.
        cause: io::Error,
    },
    /// A regular file was needed and something else is there.
    #[error("`{}` is a {kind}, not a regular file", Shown(path))]
    NotRegular {
        /// The path that was looked at.
        path: PathBuf,
        /// What is there, such as `folder` or `fifo`.
        kind: &'static str,
    },
    /// A path leads out of the folder that it must stay in.
    #[error("`{}` lies outside `{}`", Shown(path), Shown(root))]
    Outside {
        /// The path as the caller gave it.
        path: PathBuf,
        /// The folder.
        root: PathBuf,
    },
    /// A relative path has a component that must not become part of a file name.
    #[error(
        "`{}` is not a valid relative path: component `{}` {reason}",
        path.escape_debug(),
        component.escape_debug()
    )]
    InvalidComponent {
        /// The whole path.
        path: String,
        /// The component at fault.
        component: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A file is larger than the caller allows.
    #[error("`{}` has {actual} bytes or more, the limit is {limit}", Shown(path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
        /// The size in bytes that was seen: of the whole file, or of what was read of a growing one.
        actual: u64,
    },
    /// Somebody else held the lock during the whole wait.
    #[error(
        "lock `{}` is still held by another process after {waited:?}",
        Shown(path)
    )]
    LockTimeout {
        /// The lock file.
        path: PathBuf,
        /// The wait that was granted.
        waited: Duration,
    },
    /// A symlink stands where none is allowed.
    #[error("`{}` is a symlink", Shown(path))]
    Symlink {
        /// The link.
        path: PathBuf,
    },
}

impl HostError {
    pub(crate) fn io(operation: &'static str, path: &Path, cause: io::Error) -> Self {
        Self::Io {
            operation,
            path: path.to_path_buf(),
            cause,
        }
    }

    /// The file or folder that it is about; of a move, where to.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Io { path, .. }
            | Self::NotRegular { path, .. }
            | Self::Outside { path, .. }
            | Self::TooLarge { path, .. }
            | Self::LockTimeout { path, .. }
            | Self::Symlink { path } => Some(path),
            Self::Move { to, .. } => Some(to),
            Self::InvalidComponent { .. } => None,
        }
    }

    /// The system's error, where a system call failed.
    #[must_use]
    pub fn io_error(&self) -> Option<&io::Error> {
        match self {
            Self::Io { cause, .. } | Self::Move { cause, .. } => Some(cause),
            Self::NotRegular { .. }
            | Self::Outside { .. }
            | Self::InvalidComponent { .. }
            | Self::TooLarge { .. }
            | Self::LockTimeout { .. }
            | Self::Symlink { .. } => None,
        }
    }

    /// The kind of the system's error, where a system call failed.
    #[must_use]
    pub fn kind(&self) -> Option<io::ErrorKind> {
        self.io_error().map(io::Error::kind)
    }

    /// The reason alone, for a message that names the path in its own way: an absolute one differs by machine.
    #[must_use]
    pub fn reason(&self) -> String {
        match (self, self.kind()) {
            (Self::NotRegular { kind, .. }, _) => format!("it is a {kind}"),
            (Self::TooLarge { limit, .. }, _) => format!("it is larger than {limit} bytes"),
            (Self::Symlink { .. }, _) => "it is a symlink".to_owned(),
            (_, Some(kind)) => kind.to_string(),
            (_, None) => "not accessible".to_owned(),
        }
    }

    /// True where the place does not let us write: `EROFS`, `EACCES` or `EPERM`.
    ///
    /// A failed read has the same two last codes; ask only about the error of a write.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        matches!(
            self.kind(),
            Some(io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied)
        )
    }

    /// A stable name of the kind of failure, for whoever reports it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotRegular { .. } => "not_a_file",
            Self::TooLarge { .. } => "too_large",
            _ if self.is_not_found() => "not_found",
            _ if self.is_read_only() => "not_permitted",
            _ => "io",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self.code() {
            "not_a_file" => "name a regular file",
            "too_large" => "name a smaller file",
            "not_found" => "check the path",
            "not_permitted" => "check the permissions, or name another path",
            _ => "check the path and the space on its disk",
        }
    }

    /// True where the path, or a folder on the way to it, does not exist.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.kind() == Some(io::ErrorKind::NotFound)
    }
}

/// A path as text for one line of a message.
///
/// File names come from strangers: a control or bidirectional character in one could rewrite the terminal
/// line that reports it.
pub(crate) struct Shown<'a>(pub(crate) &'a Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for shown in self.0.to_string_lossy().chars() {
            if shown.is_control() || is_bidi_control(shown) {
                write!(f, "{}", shown.escape_unicode())?;
            } else {
                write!(f, "{shown}")?;
            }
        }
        Ok(())
    }
}

/// The explicit directional formatting characters of Unicode Standard Annex 9.
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;

    fn failed(errno: Errno) -> HostError {
        HostError::io("replace", Path::new("/a/b"), errno.into())
    }

    #[test]
    fn the_three_codes_of_a_read_only_place_are_recognised() {
        for errno in [Errno::ROFS, Errno::ACCESS, Errno::PERM] {
            assert!(failed(errno).is_read_only(), "{errno:?}");
        }
        for errno in [Errno::NOENT, Errno::NOSPC, Errno::ISDIR] {
            assert!(!failed(errno).is_read_only(), "{errno:?}");
        }
    }

    #[test]
    fn not_found_is_only_not_found() {
        assert!(failed(Errno::NOENT).is_not_found());
        assert!(!failed(Errno::NOTDIR).is_not_found());
        let refused = HostError::Symlink { path: "/a".into() };
        assert!(!refused.is_not_found());
        assert_eq!(refused.kind(), None);
    }

    #[test]
    fn the_text_names_operation_path_and_reason() {
        let text = failed(Errno::ROFS).to_string();
        assert!(text.starts_with("cannot replace `/a/b`: "), "{text}");
        assert!(text.contains("Read-only file system"), "{text}");
    }

    #[test]
    fn the_reason_alone_names_no_path() {
        assert_eq!(
            failed(Errno::ROFS).reason(),
            "read-only filesystem or storage medium"
        );
        let large = HostError::TooLarge {
            path: "/a".into(),
            limit: 7,
            actual: 8,
        };
        assert_eq!(large.reason(), "it is larger than 7 bytes");
    }

    #[test]
    fn a_hostile_name_can_not_break_the_line() {
        let refused = HostError::Symlink {
            path: "/a\n\u{1b}[2J\u{202e}b".into(),
        };
        assert_eq!(
            refused.to_string(),
            "`/a\\u{a}\\u{1b}[2J\\u{202e}b` is a symlink"
        );
    }
}
