//! Which environment does a child get?
//!
//! The compiler and git get what is on a list, since they need nothing else; an engine needs the credentials of its user
//! and gets everything but what is ours.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// What the compiler sees of our environment: where programs, the home folder and temporary files are, and the language.
///
/// A credential belongs into none of these; proxies, whose URLs may hold one, are not needed by a program that uses no
/// network.
pub const ALLOWED: [&str; 7] = ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TMPDIR", "TZ"];
/// How the names of our own variables start, the URL of the ledger among them.
pub const OURS: &str = "VIBEY_";

/// The variables of this process.
///
/// Not `Debug`: values may be secrets.
#[derive(Clone)]
pub struct Variables(Vec<(OsString, OsString)>);

impl Variables {
    /// Takes the variables of a process.
    pub fn new(all: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self(all.into_iter().collect())
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_os_str())
    }

    /// What the compiler sees: [`ALLOWED`], and of `PATH` the absolute folders, so that none is looked up in the folder
    /// that the compiler runs in.
    #[must_use]
    pub fn for_compiler(&self) -> Vec<(OsString, OsString)> {
        let allowed = self
            .0
            .iter()
            .filter(|(name, _)| ALLOWED.iter().any(|allowed| name == allowed));
        allowed
            .map(|(name, value)| match name == "PATH" {
                true => (name.clone(), absolute_folders(value)),
                false => (name.clone(), value.clone()),
            })
            .collect()
    }

    /// What git sees: as the compiler, so no `GIT_*` that would lead it to another repository, and an order to ask
    /// nobody for anything: no password, no lock, no object that a partial clone lacks.
    #[must_use]
    pub fn for_git(&self) -> Vec<(OsString, OsString)> {
        const ORDERS: [(&str, &str); 3] = [
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_NO_LAZY_FETCH", "1"),
        ];
        let orders = ORDERS.map(|(name, value)| (name.into(), value.into()));
        self.for_compiler().into_iter().chain(orders).collect()
    }

    /// What an engine sees: everything but [`OURS`].
    #[must_use]
    pub fn for_engine(&self) -> Vec<(OsString, OsString)> {
        let foreign = self
            .0
            .iter()
            .filter(|(name, _)| !name.as_bytes().starts_with(OURS.as_bytes()));
        foreign.cloned().collect()
    }
}

fn absolute_folders(path: &OsStr) -> OsString {
    let folders: Vec<&[u8]> = path
        .as_bytes()
        .split(|byte| *byte == b':')
        .filter(|folder| Path::new(OsStr::from_bytes(folder)).is_absolute())
        .collect();
    OsStr::from_bytes(&folders.join(&b':')).to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn variables(all: &[(&str, &str)]) -> Variables {
        Variables::new(all.iter().map(|(name, value)| (name.into(), value.into())))
    }

    fn names(all: &[(OsString, OsString)]) -> Vec<&str> {
        all.iter().map(|(name, _)| name.to_str().unwrap()).collect()
    }

    #[test]
    fn the_compiler_sees_the_list_and_the_engine_all_but_ours() {
        let all = variables(&[
            ("PATH", "/usr/bin:bin::/bin:."),
            ("HOME", "/home/u"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("VIBEY_LEDGER_URL", "postgresql://u:p@h/d"),
            ("VIBEY", "kept"),
            ("GIT_DIR", "/elsewhere"),
            ("LC_ALL", "C"),
            ("LANGUAGE", "de"),
        ]);
        let compiler = all.for_compiler();
        assert_eq!(names(&compiler), ["PATH", "HOME", "LC_ALL"]);
        assert_eq!(compiler[0].1, "/usr/bin:/bin");
        assert_eq!(
            names(&all.for_git()),
            [
                "PATH",
                "HOME",
                "LC_ALL",
                "GIT_TERMINAL_PROMPT",
                "GIT_OPTIONAL_LOCKS",
                "GIT_NO_LAZY_FETCH"
            ]
        );
        assert_eq!(
            names(&all.for_engine()),
            [
                "PATH",
                "HOME",
                "AWS_SECRET_ACCESS_KEY",
                "VIBEY",
                "GIT_DIR",
                "LC_ALL",
                "LANGUAGE"
            ]
        );
    }
}
