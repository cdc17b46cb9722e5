//! What did a server send the last time?
//!
//! One folder for each link, named by its digest: `response.bin` and `meta.json`, readable by this user alone. Only
//! successes are kept. A lock in the folder keeps several processes from mixing bytes of one answer with the
//! description of another.

use super::fetched::{Fetched, Peer, Validators};
use super::local::DOCUMENT_MAX_BYTES;
use super::mcp::config::Server;
use super::uri::{shown, split_fragment, userinfo, web};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;
use vibey_context_contracts::canonical;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::time::{parse, rfc3339};
use vibey_context_host::error::HostError;
use vibey_context_host::lock::{LockGuard, acquire};
use vibey_context_host::read::{EntryKind, kind_of, read_regular};
use vibey_context_host::write::{
    Durability, create_folder, remove_file, remove_tree, replace_private,
};

/// How long an answer stands for its link, in milliseconds: 24 hours, as the original skill has it.
const FRESH_MS: u64 = 24 * 60 * 60 * 1000;

/// Bytes of a description. Ours have less than a thousand, save for absurdly long links.
const META_MAX_BYTES: u64 = 64 * 1024;

/// Longer than any process needs to read or write one answer.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// The answers of earlier runs.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    /// Its folder; `None` where there is no place for one.
    pub(crate) folder: Option<PathBuf>,
    /// Milliseconds since 1970.
    pub(crate) now_ms: u64,
}

/// What an answer is kept by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    /// The link as it may be written.
    shown: String,
    /// Name of the folder.
    folder: String,
}

impl Key {
    /// Of a web link: its address without the fragment, which no server sees, and whoever it says that we are. `None` for
    /// what is no address.
    pub(crate) fn of_web(uri: &str) -> Option<Self> {
        let url = web(uri)?;
        let shown = split_fragment(&shown(uri)).0.to_owned();
        let who = userinfo(&url).map(|who| format!("\0{who}"));
        let folder = sha256_hex(format!("{shown}{}", who.unwrap_or_default()).as_bytes());
        Some(Self { shown, folder })
    }

    /// Of a link to an MCP server: all of it, and which server that is.
    pub(crate) fn of_server(uri: &str, server: &Server) -> Self {
        let server = server.digest();
        Self {
            shown: shown(uri).into_owned(),
            folder: sha256_hex(format!("{uri}\0{server}").as_bytes()),
        }
    }
}

/// What is known of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Known {
    /// An answer, and whether it still stands for the link.
    Answer { fetched: Box<Fetched>, fresh: bool },
    /// Nothing.
    Nothing,
    /// Something that can not be used, and why.
    Corrupt(String),
}

/// `meta.json`. It is written and read by this tool alone, so what does not fit it is corrupt.
#[derive(Serialize, Deserialize)]
struct Meta {
    uri: String,
    fetched_at: String,
    sha256: String,
    content_type: Option<String>,
    etag: Option<String>,
    last_modified: Option<String>,
    source: String,
    /// Entries of earlier versions have none, and stand for nothing.
    peer: Option<Peer>,
}

impl Cache {
    /// What an earlier run has kept for a link.
    pub(crate) fn look_up(&self, key: &Key, patience: &mut Patience) -> Known {
        let Some(folder) = self.entry(key) else {
            return Known::Nothing;
        };
        if folder.join("meta.json").symlink_metadata().is_err() {
            return Known::Nothing;
        }
        // Whole and of one answer it is good, whoever writes meanwhile. Else a writer may be at work: when that one is done it is
        // looked at again. Without a lock, as in a folder that can only be read, nobody writes.
        let read = self.read(key, &folder).or_else(|_| {
            let _lock = patience.lock(&folder);
            self.read(key, &folder)
        });
        match read {
            Ok(None) => Known::Nothing,
            Ok(Some(fetched)) => {
                let age = self.now_ms.abs_diff(fetched.fetched_ms);
                Known::Answer {
                    fetched: Box::new(fetched),
                    fresh: age < FRESH_MS,
                }
            }
            Err(why) => Known::Corrupt(why),
        }
    }

    /// The answer in a folder; `None` for one of which it is not known who gave it.
    fn read(&self, key: &Key, folder: &Path) -> Result<Option<Fetched>, String> {
        let part = |name: &str, most| {
            read_regular(&folder.join(name), most).map_err(|error| fault(name, &error))
        };
        let meta = part("meta.json", META_MAX_BYTES)?;
        let meta: Meta = serde_json::from_slice(&meta)
            .map_err(|error| format!("`meta.json` does not describe an answer: {error}"))?;
        let bytes = part("response.bin", DOCUMENT_MAX_BYTES)?;
        if meta.uri != key.shown {
            return Err("`meta.json` describes another link".to_owned());
        }
        if sha256_hex(&bytes) != meta.sha256 {
            return Err("`response.bin` has another digest than `meta.json` says".to_owned());
        }
        let fetched_ms = parse(&meta.fetched_at).ok_or("`fetched_at` is no time")?;
        Ok(meta.peer.map(|peer| Fetched {
            bytes,
            content_type: meta.content_type,
            source: meta.source,
            validators: Validators {
                etag: meta.etag,
                last_modified: meta.last_modified,
            },
            fetched_ms,
            storable: true,
            peer,
            warnings: Vec::new(),
        }))
    }

    /// Keeps an answer for the next run. One that was cut is not kept, since it must not pass for the whole, nor is one whose
    /// server forbids it.
    ///
    /// # Errors
    /// The folder can not be written.
    pub(crate) fn keep(
        &self,
        key: &Key,
        fetched: &Fetched,
        patience: &mut Patience,
    ) -> Result<(), HostError> {
        let Some(folder) = self.entry(key).filter(|_| fetched.storable) else {
            return Ok(());
        };
        let meta = Meta {
            uri: key.shown.clone(),
            fetched_at: rfc3339(fetched.fetched_ms),
            sha256: fetched.sha256(),
            content_type: fetched.content_type.clone(),
            etag: fetched.validators.etag.clone(),
            last_modified: fetched.validators.last_modified.clone(),
            source: fetched.source.clone(),
            peer: Some(fetched.peer),
        };
        // Texts alone, which always have a canonical form.
        let Ok(meta) = canonical::pretty(&meta) else {
            return Ok(());
        };
        create_folder(&folder, Durability::Rebuildable)?;
        let _lock = patience.lock(&folder)?;
        for name in ["response.bin", "meta.json"] {
            clear(&folder.join(name))?;
        }
        replace_private(&folder.join("response.bin"), &fetched.bytes)?;
        replace_private(&folder.join("meta.json"), meta.as_bytes())
    }

    fn entry(&self, key: &Key) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(&key.folder))
    }
}

/// How long is still waited for other processes: once for all links of a run, not for each.
#[derive(Debug)]
pub(crate) struct Patience(Duration);

impl Patience {
    /// All of it.
    pub(crate) fn new() -> Self {
        Self(LOCK_WAIT)
    }

    fn lock(&mut self, folder: &Path) -> Result<LockGuard, HostError> {
        let lock = acquire(&folder.join("lock"), self.0, &mut || {});
        if matches!(lock, Err(HostError::LockTimeout { .. })) {
            self.0 = Duration::ZERO;
        }
        lock
    }
}

/// Removes what no answer can replace: a folder, a FIFO.
fn clear(path: &Path) -> Result<(), HostError> {
    match kind_of(path)? {
        None | Some(EntryKind::File) => Ok(()),
        Some(EntryKind::Dir) => remove_tree(path).map(drop),
        Some(_) => remove_file(path).map(drop),
    }
}

/// What is wrong with a part of an entry, without its absolute path.
fn fault(name: &str, error: &HostError) -> String {
    match error {
        HostError::NotRegular { kind, .. } => format!("`{name}` is a {kind}"),
        HostError::TooLarge { .. } => format!("`{name}` is too large"),
        error => match error.kind() {
            Some(kind) => format!("`{name}`: {kind}"),
            None => format!("`{name}` can not be read"),
        },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;

    const URI: &str = "https://u:p@h/a#part";

    fn key(uri: &str) -> Key {
        Key::of_web(uri).unwrap()
    }

    fn fetched(text: &str, fetched_ms: u64) -> Fetched {
        Fetched {
            bytes: text.into(),
            content_type: Some("text/plain".to_owned()),
            source: "https://h/b".to_owned(),
            validators: Validators {
                etag: Some("\"1\"".to_owned()),
                last_modified: None,
            },
            fetched_ms,
            storable: true,
            peer: Peer::Public,
            warnings: Vec::new(),
        }
    }

    fn cache(folder: &Path, now_ms: u64) -> Cache {
        Cache {
            folder: Some(folder.to_path_buf()),
            now_ms,
        }
    }

    #[test]
    fn an_answer_stands_for_its_link_for_a_day() {
        let scratch = tempfile::tempdir().unwrap();
        let then = 1_000_000_000_000;
        let kept = fetched("x", then);
        cache(scratch.path(), then)
            .keep(&key(URI), &kept, &mut Patience::new())
            .unwrap();
        for (now, still) in [
            (then, true),
            (then + FRESH_MS - 1, true),
            (then + FRESH_MS, false),
            (then - FRESH_MS, false),
        ] {
            let known =
                cache(scratch.path(), now).look_up(&key("https://u:p@h/a"), &mut Patience::new());
            let Known::Answer { fetched, fresh } = known else {
                panic!("{known:?}");
            };
            assert_eq!((*fetched, fresh), (kept.clone(), still), "{now}");
        }
        let nothing =
            cache(scratch.path(), then).look_up(&key("https://h/b"), &mut Patience::new());
        assert_eq!(nothing, Known::Nothing);
    }

    #[test]
    fn nothing_secret_is_written_and_nobody_else_reads() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = tempfile::tempdir().unwrap();
        cache(scratch.path(), 0)
            .keep(&key(URI), &fetched("x", 0), &mut Patience::new())
            .unwrap();
        let folder = scratch.path().join(sha256_hex(b"https://h/a\0u:p"));
        for name in ["meta.json", "response.bin"] {
            let path = folder.join(name);
            assert!(!std::fs::read_to_string(&path).unwrap().contains("u:p"));
            let mode = path.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }

    #[test]
    fn what_is_damaged_is_corrupt_and_what_is_cut_is_not_kept() {
        let scratch = tempfile::tempdir().unwrap();
        let cache = cache(scratch.path(), 0);
        let mut cut = fetched("x", 0);
        cut.storable = false;
        cache.keep(&key(URI), &cut, &mut Patience::new()).unwrap();
        assert_eq!(
            cache.look_up(&key(URI), &mut Patience::new()),
            Known::Nothing
        );
        cache
            .keep(&key(URI), &fetched("x", 0), &mut Patience::new())
            .unwrap();
        let folder = cache.entry(&key(URI)).unwrap();
        let good = std::fs::read_to_string(folder.join("meta.json")).unwrap();
        for (name, content) in [
            ("response.bin", "y"),
            ("meta.json", "{}"),
            ("meta.json", "["),
            ("meta.json", &good.replace("https://h/a", "https://h/z")),
            ("meta.json", &good.replace("1970", "year")),
        ] {
            cache
                .keep(&key(URI), &fetched("x", 0), &mut Patience::new())
                .unwrap();
            std::fs::write(folder.join(name), content).unwrap();
            let known = cache.look_up(&key(URI), &mut Patience::new());
            assert!(
                matches!(known, Known::Corrupt(_)),
                "{name} {content}: {known:?}"
            );
        }
    }

    #[test]
    fn whoever_asks_for_something_else_has_another_key() {
        assert_eq!(Key::of_web("http://a:b\\@c/x"), None);
        let mut keys = vec![
            key("https://h/a"),
            key("https://u:p@h/a"),
            key("https://u:q@h/a"),
            key("https://h/a?x"),
        ];
        assert_eq!(key("https://h/a#x"), keys[0]);
        // Written in another way it is asked for again: nothing is lost by that.
        assert_ne!(key("HTTPS://H:443/a"), keys[0]);
        for url in ["http://1/", "http://2/"] {
            let server = Server::Http {
                url: url.to_owned(),
                headers: Vec::new(),
            };
            for uri in ["mcp://s/x", "mcp://s/x#1", "mcp://u:p@s/x"] {
                keys.push(Key::of_server(uri, &server));
            }
        }
        let mut folders: Vec<_> = keys.iter().map(|key| &key.folder).collect();
        folders.sort();
        folders.dedup();
        assert_eq!(folders.len(), keys.len());
        assert!(keys.iter().all(|key| !key.shown.contains("u:")));
    }

    #[test]
    fn an_answer_of_nobody_knows_whom_is_none() {
        let scratch = tempfile::tempdir().unwrap();
        let cache = cache(scratch.path(), 0);
        let mut kept = fetched("x", 0);
        kept.peer = Peer::Server;
        cache.keep(&key(URI), &kept, &mut Patience::new()).unwrap();
        let Known::Answer { fetched, .. } = cache.look_up(&key(URI), &mut Patience::new()) else {
            panic!("it was kept");
        };
        assert_eq!(fetched.peer, kept.peer);
        let meta = cache.entry(&key(URI)).unwrap().join("meta.json");
        let text = std::fs::read_to_string(&meta).unwrap();
        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        value.as_object_mut().unwrap().remove("peer");
        std::fs::write(&meta, value.to_string()).unwrap();
        assert_eq!(
            cache.look_up(&key(URI), &mut Patience::new()),
            Known::Nothing
        );
    }

    #[test]
    fn without_a_folder_nothing_is_kept() {
        let cache = Cache {
            folder: None,
            now_ms: 0,
        };
        cache
            .keep(&key(URI), &fetched("x", 0), &mut Patience::new())
            .unwrap();
        assert_eq!(
            cache.look_up(&key(URI), &mut Patience::new()),
            Known::Nothing
        );
    }
}
