//! Which database is a project's ledger?

use super::error::LedgerError;
use rustix::process::geteuid;
use sqlx::postgres::PgConnectOptions;
use std::fmt;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::str::FromStr as _;
use vibey_context_contracts::redact::redact;
use vibey_context_host::read::read_regular_nofollow;

/// Where the ledger lies, relative to the project directory, where nothing else is said.
pub const SQLITE_PATH: &str = ".vibey/ledger.sqlite3";
/// The environment variable with the URL of a PostgreSQL ledger.
pub const URL_VARIABLE: &str = "VIBEY_LEDGER_URL";
/// The largest URL file, in bytes.
const URL_FILE_MAX: u64 = 16 * 1024;
/// Bits of a file's mode that let others than its owner in.
const OTHERS: u32 = 0o077;

/// A ledger's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A SQLite database in this file.
    Sqlite(PathBuf),
    /// A PostgreSQL database.
    Postgres(PgUrl),
}

impl Location {
    /// The ledger of a project: the URL of the environment, else that in `url_file` (relative to the project directory),
    /// else a SQLite file in the project directory.
    ///
    /// # Errors
    /// [`LedgerError::Url`] and [`LedgerError::UrlFile`].
    pub fn choose(
        project_dir: &Path,
        env_url: Option<&str>,
        url_file: Option<&str>,
    ) -> Result<Self, LedgerError> {
        if let Some(url) = env_url.filter(|url| !url.is_empty()) {
            return Ok(Self::Postgres(PgUrl::new(
                url,
                &format!("`{URL_VARIABLE}`"),
            )?));
        }
        let Some(file) = url_file else {
            return Ok(Self::Sqlite(project_dir.join(SQLITE_PATH)));
        };
        Ok(Self::Postgres(url_in(&project_dir.join(file))?))
    }
}

impl fmt::Display for Location {
    /// The place without a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "`{}`", path.display()),
            Self::Postgres(url) => write!(f, "`{}`", url.shown),
        }
    }
}

/// The URL of a PostgreSQL database. It holds a password, which neither `Debug` nor an error shows.
#[derive(Clone, PartialEq, Eq)]
pub struct PgUrl {
    text: String,
    shown: String,
}

impl fmt::Debug for PgUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PgUrl").field(&self.shown).finish()
    }
}

impl PgUrl {
    /// Takes a text as URL; `origin` says in errors where it comes from.
    ///
    /// # Errors
    /// [`LedgerError::Url`].
    pub fn new(text: &str, origin: &str) -> Result<Self, LedgerError> {
        let text = text.trim();
        let fault = |reason| LedgerError::Url {
            origin: origin.to_owned(),
            reason,
        };
        if !text.starts_with("postgresql://") && !text.starts_with("postgres://") {
            return Err(fault("is no URL of a PostgreSQL database"));
        }
        // The parser's own words may repeat a part of the URL.
        let options =
            PgConnectOptions::from_str(text).map_err(|_| fault("is no valid URL of a database"))?;
        let host = match options.get_socket() {
            Some(socket) => socket.display().to_string(),
            None => format!("{}:{}", options.get_host(), options.get_port()),
        };
        let database = options.get_database().unwrap_or(options.get_username());
        let shown = format!("postgresql://{}@{host}/{database}", options.get_username());
        Ok(Self {
            text: text.to_owned(),
            shown: redact(&shown).into_owned(),
        })
    }

    /// How to connect.
    pub(super) fn options(&self) -> Result<PgConnectOptions, sqlx::Error> {
        PgConnectOptions::from_str(&self.text)
    }

    /// `message` without the password, should a driver ever repeat it.
    pub(super) fn scrub(&self, message: &str) -> String {
        let clean = message.replace(&self.text, &self.shown);
        let authority = self.text.split_once("://").map_or("", |(_, rest)| rest);
        let authority = authority.split(['/', '?']).next().unwrap_or_default();
        let login = authority.rsplit_once('@').map_or("", |(login, _)| login);
        let in_login = login.split_once(':').map(|(_, password)| password);
        let query = self.text.split_once('?').map_or("", |(_, query)| query);
        let in_query = query
            .split('&')
            .find_map(|pair| pair.strip_prefix("password="));
        let clean = in_login
            .into_iter()
            .chain(in_query)
            .flat_map(|secret| [secret.to_owned(), decoded(secret)])
            .filter(|secret| !secret.is_empty())
            .fold(clean, |text, secret| {
                text.replace(&secret, "[redacted:url]")
            });
        redact(&clean).into_owned()
    }
}

/// A part of a URL without its percent escapes.
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let escape = part.split_at_checked(2);
        match escape.and_then(|(hex, rest)| Some((u8::from_str_radix(hex, 16).ok()?, rest))) {
            Some((byte, rest)) => {
                bytes.push(byte);
                bytes.extend(rest.as_bytes());
            }
            None => bytes.extend([b"%", part.as_bytes()].concat()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The URL in a file that its owner alone can read, who is ourselves.
fn url_in(path: &Path) -> Result<PgUrl, LedgerError> {
    let refused = |reason: String| LedgerError::UrlFile {
        path: path.to_path_buf(),
        reason,
    };
    let found = path
        .symlink_metadata()
        .map_err(|cause| refused(format!("cannot be read: {cause}")))?;
    if !found.is_file() {
        return Err(refused("is not a regular file".to_owned()));
    }
    if let Some(reason) = unsafe_for(found.uid(), found.mode(), geteuid().as_raw()) {
        return Err(refused(reason));
    }
    let bytes = read_regular_nofollow(path, URL_FILE_MAX)?;
    let text = String::from_utf8(bytes).map_err(|_| refused("is not UTF-8".to_owned()))?;
    PgUrl::new(&text, &format!("the text of `{}`", path.display()))
}

/// Why a file of the user `owner` with `mode` is not safe for the user `own`. Root can read everybody's file, and whoever
/// owns it would choose where root's rows go.
fn unsafe_for(owner: u32, mode: u32, own: u32) -> Option<String> {
    let mode = mode & 0o7777;
    if mode & OTHERS != 0 {
        return Some(format!(
            "has mode {mode:04o}: others than its owner can use it"
        ));
    }
    (owner != own).then(|| format!("belongs to the user {owner}, not to {own}, who runs this"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;
    use std::fs::{Permissions, set_permissions, write};
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    const URL: &str = "postgresql://bob:s3cr%40t-word@db.example:6543/ledger?sslmode=require";

    #[test]
    fn the_environment_weighs_more_than_the_file_and_the_file_more_than_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path();
        let sqlite = Location::Sqlite(dir.join(".vibey/ledger.sqlite3"));
        assert_eq!(Location::choose(dir, None, None).unwrap(), sqlite);
        assert_eq!(Location::choose(dir, Some(""), None).unwrap(), sqlite);
        write(dir.join("url"), format!("{URL}\n")).unwrap();
        set_permissions(dir.join("url"), Permissions::from_mode(0o600)).unwrap();
        let from_file = Location::choose(dir, None, Some("url")).unwrap();
        assert_eq!(from_file, Location::Postgres(PgUrl::new(URL, "x").unwrap()));
        let other = "postgres://alice@localhost/x";
        let from_env = Location::choose(dir, Some(other), Some("url")).unwrap();
        assert_eq!(
            from_env.to_string(),
            "`postgresql://alice@localhost:5432/x`"
        );
    }

    #[test]
    fn a_url_file_is_a_regular_file_of_its_owner_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path();
        let path = dir.join("url");
        write(&path, URL).unwrap();
        for (mode, good) in [
            (0o600, true),
            (0o400, true),
            (0o640, false),
            (0o604, false),
            (0o700, true),
            (0o610, false),
        ] {
            set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let read = Location::choose(dir, None, Some("url"));
            assert_eq!(read.is_ok(), good, "{mode:o}: {read:?}");
        }
        set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        symlink("url", dir.join("link")).unwrap();
        for name in ["link", ".", "missing"] {
            assert!(
                matches!(
                    Location::choose(dir, None, Some(name)),
                    Err(LedgerError::UrlFile { .. })
                ),
                "{name}"
            );
        }
        write(&path, b"\xff").unwrap();
        assert!(Location::choose(dir, None, Some("url")).is_err());
    }

    #[test]
    fn a_url_file_belongs_to_whoever_reads_it() {
        for (owner, mode, own, good) in [
            (0, 0o100_600, 0, true),
            (1000, 0o100_400, 1000, true),
            (1000, 0o100_600, 0, false),
            (0, 0o100_600, 1000, false),
            (1000, 0o100_640, 1000, false),
        ] {
            let reason = unsafe_for(owner, mode, own);
            assert_eq!(reason.is_none(), good, "{owner} {mode:o} {own}: {reason:?}");
        }
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("url");
        write(&path, URL).unwrap();
        set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let stranger = geteuid().as_raw() + 1;
        match chown(&path, Some(stranger), None) {
            Ok(()) => {
                let error = Location::choose(scratch.path(), None, Some("url")).unwrap_err();
                let text = error.to_string();
                assert!(
                    text.contains(&format!("belongs to the user {stranger}")),
                    "{text}"
                );
                assert!(error.help().contains("chown"), "{}", error.help());
            }
            // Only root can give a file away.
            Err(error) => {
                assert!(!geteuid().is_root(), "{error}");
                assert!(Location::choose(scratch.path(), None, Some("url")).is_ok());
            }
        }
    }

    #[test]
    fn no_password_is_shown() {
        let url = PgUrl::new(URL, "x").unwrap();
        let location = Location::Postgres(url.clone());
        for text in [
            format!("{location}"),
            format!("{location:?}"),
            url.scrub(&format!("cannot connect to {URL}: no")),
            url.scrub("password s3cr%40t-word is wrong"),
            url.scrub("password s3cr@t-word is wrong"),
        ] {
            assert!(!text.contains("s3cr"), "{text}");
        }
        let in_query = PgUrl::new("postgresql://h/d?user=u&password=s3cret&x=1", "x").unwrap();
        assert_eq!(in_query.scrub("s3cret"), "[redacted:url]");
        for bad in [
            "",
            "mysql://u:s3cret@h/d",
            "postgresql://u:s3cret@h:port/d",
            "postgresql://u:s3cret@h/d?sslmode=s3cret",
            "u:s3cret@h",
        ] {
            let error = PgUrl::new(bad, "`VIBEY_LEDGER_URL`").unwrap_err();
            assert!(!error.to_string().contains("s3cret"), "{error}");
        }
    }
}
