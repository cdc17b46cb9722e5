//! Does a path lie where secrets lie? Links come from documents that anybody may have written.

use std::ffi::OsStr;
use std::path::{Component, Path};

/// Folders below which nothing is read, and files that hold nothing but credentials.
const NAMES: [&str; 9] = [
    ".aws", ".docker", ".git", ".gnupg", ".kube", ".netrc", ".npmrc", ".pypirc", ".ssh",
];

/// A folder of credentials by its name and that of the folder around it.
const PAIR: [&str; 2] = [".config", "gh"];

/// Places of the system, which hold devices, processes and secrets rather than documents.
const SYSTEM: [&str; 6] = [
    "/dev",
    "/etc/gshadow",
    "/etc/shadow",
    "/proc",
    "/run/secrets",
    "/sys",
];

/// Start of the names of files with the environment of a program, `.env.local` for one.
const ENVIRONMENT: &[u8] = b".env";

/// Whether a path, be it relative or absolute, lies in a private place by its names.
pub(crate) fn is_private(path: &Path) -> bool {
    let system = || SYSTEM.iter().any(|place| path.starts_with(place));
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    let names: Vec<&OsStr> = names.collect();
    let is_pair = |pair: &[&OsStr]| {
        let mut both = pair.iter().zip(PAIR);
        both.all(|(name, private)| name.eq_ignore_ascii_case(private))
    };
    names.iter().any(|name| is_private_name(name)) || names.windows(2).any(is_pair) || system()
}

/// Case does not count: some file systems ignore it.
fn is_private_name(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    let environment = bytes
        .get(..ENVIRONMENT.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(ENVIRONMENT));
    environment || NAMES.iter().any(|folder| name.eq_ignore_ascii_case(folder))
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
            "/etc/shadow",
            "/run/secrets/key",
            "/home/x/.netrc",
            ".npmrc",
            "a/.PYPIRC",
            "/home/x/.docker/config.json",
            "/home/x/.kube/config",
            "/home/x/.config/gh/hosts.yml",
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
            "/etc/shadows",
            "/home/x/.config/other",
            "gh/x",
            "env",
        ] {
            assert!(!is_private(Path::new(path)), "{path}");
        }
    }
}
