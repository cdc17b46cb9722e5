//! Does a path lie where secrets lie? Links come from documents that anybody may have written.

use std::ffi::OsStr;
use std::path::{Component, Path};

/// Folders below which nothing is read.
const FOLDERS: [&str; 4] = [".git", ".ssh", ".aws", ".gnupg"];

/// Places of the system, which hold devices and processes rather than documents.
const SYSTEM: [&str; 3] = ["/proc", "/dev", "/sys"];

/// Start of the names of files with the environment of a program, `.env.local` for one.
const ENVIRONMENT: &[u8] = b".env";

/// Whether a path, be it relative or absolute, lies in a private place by its names.
pub(crate) fn is_private(path: &Path) -> bool {
    let system = || SYSTEM.iter().any(|place| path.starts_with(place));
    path.components()
        .any(|part| matches!(part, Component::Normal(name) if is_private_name(name)))
        || system()
}

/// Case does not count: some file systems ignore it.
fn is_private_name(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    let environment = bytes
        .get(..ENVIRONMENT.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(ENVIRONMENT));
    environment
        || FOLDERS
            .iter()
            .any(|folder| name.eq_ignore_ascii_case(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_places_are_recognised() {
        for path in [
            ".env",
            ".env.local",
            "a/.ENV",
            "a/.git/config",
            ".Git",
            "/home/x/.ssh/id_rsa",
            "/home/x/.aws",
            ".gnupg/ring",
            "/proc/self/environ",
            "/dev/zero",
            "/sys/x",
        ] {
            assert!(is_private(Path::new(path)), "{path}");
        }
        for path in [
            "a.env",
            ".github/x",
            ".gitignore",
            "dev/zero",
            "git",
            "/devices/x",
            "env",
        ] {
            assert!(!is_private(Path::new(path)), "{path}");
        }
    }
}
