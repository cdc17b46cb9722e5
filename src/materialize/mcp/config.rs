//! Which MCP servers are there, by name?
//!
//! The file has the shape that other programs use: `mcpServers`, each a `command` with `args`, `env` and `cwd`, or a
//! `url` with `headers`. It names commands that we run and places that we connect to, so it has to come from the person
//! and not from a repository.

use crate::materialize::refused::Refused;
use crate::text::neutralise::plain_line;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_host::read::read_regular;

/// Name of the file in a project that other programs take servers from.
pub(crate) const PROJECT_FILE: &str = ".mcp.json";

/// Bytes of a configuration. Real ones have a few KiB.
const FILE_MAX_BYTES: u64 = 1024 * 1024;

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Server {
    /// Over the pipes of a program that is started for it.
    Stdio(Program),
    /// Over HTTP.
    Http {
        url: String,
        headers: Vec<(String, String)>,
    },
}

/// A program that is a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    /// What it sees beside the environment that all servers see.
    pub(crate) environment: BTreeMap<String, String>,
    /// `cwd`, else the folder of the configuration.
    pub(crate) directory: PathBuf,
}

impl Server {
    /// What tells its answers from those of another server of the same name. What it is given to know us by may change.
    pub(crate) fn digest(&self) -> String {
        let mut parts = Vec::new();
        match self {
            Self::Stdio(program) => {
                parts.push("stdio".as_bytes());
                parts.push(program.directory.as_os_str().as_encoded_bytes());
                parts.push(program.command.as_bytes());
                parts.extend(program.args.iter().map(String::as_bytes));
            }
            Self::Http { url, .. } => parts.extend(["http".as_bytes(), url.as_bytes()]),
        }
        // Neither a path nor an argument holds a zero.
        sha256_hex(&parts.join(&0))
    }
}

/// Servers by name.
pub(crate) type Servers = BTreeMap<String, Server>;

#[derive(Deserialize)]
struct File {
    #[serde(rename = "mcpServers")]
    servers: Option<BTreeMap<String, Entry>>,
}

#[derive(Deserialize)]
struct Entry {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

/// The servers of a file; `None` where there is no file. One that is about something else costs a sentence in `warnings`.
///
/// # Errors
/// [`Refused::McpConfig`] or [`Refused::Host`].
pub(crate) fn read(path: &Path, warnings: &mut Vec<String>) -> Result<Option<Servers>, Refused> {
    let bytes = match read_regular(path, FILE_MAX_BYTES) {
        Err(missing) if missing.is_not_found() => return Ok(None),
        bytes => bytes?,
    };
    let invalid = |why: String| Refused::McpConfig {
        path: path.to_path_buf(),
        why,
    };
    let file: File = serde_json::from_slice(&bytes).map_err(|error| invalid(error.to_string()))?;
    if file.servers.is_none() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        warnings.push(format!("`{}` has no `mcpServers`", plain_line(&name)));
    }
    let folder = path.parent().unwrap_or(path);
    let mut servers = Servers::new();
    for (name, entry) in file.servers.unwrap_or_default() {
        let server = server(entry, folder)
            .ok_or_else(|| invalid(format!("server `{name}` has no `command` and no `url`")))?;
        servers.insert(name, server);
    }
    Ok(Some(servers))
}

fn server(entry: Entry, folder: &Path) -> Option<Server> {
    if let Some(command) = entry.command {
        let directory = entry.cwd.unwrap_or_default();
        return Some(Server::Stdio(Program {
            command,
            args: entry.args,
            environment: entry.env,
            directory: folder.join(directory),
        }));
    }
    Some(Server::Http {
        url: entry.url?,
        headers: entry.headers.into_iter().collect(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Option<Servers>, Refused> {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("mcp.json");
        std::fs::write(&path, text).unwrap();
        read(&path, &mut Vec::new())
    }

    #[test]
    fn servers_are_programs_or_urls() {
        let servers = read_text(
            r#"{"mcpServers": {
                "a": {"command": "x", "args": ["1"], "env": {"K": "V"}, "cwd": "/srv"},
                "b": {"type": "http", "url": "http://h/mcp", "headers": {"X": "y"}}
            }, "other": 1}"#,
        );
        let servers = servers.unwrap().unwrap();
        let program = Program {
            command: "x".to_owned(),
            args: vec!["1".to_owned()],
            environment: [("K".to_owned(), "V".to_owned())].into(),
            directory: "/srv".into(),
        };
        let http = Server::Http {
            url: "http://h/mcp".to_owned(),
            headers: vec![("X".to_owned(), "y".to_owned())],
        };
        assert_eq!(servers["a"], Server::Stdio(program));
        assert_eq!(servers["b"], http);
    }

    #[test]
    fn what_is_no_configuration_is_refused() {
        for text in ["", r#"{"mcpServers": {"a": {}}}"#, r#"{"mcpServers": []}"#] {
            assert!(
                matches!(read_text(text), Err(Refused::McpConfig { .. })),
                "{text}"
            );
        }
        assert_eq!(read_text("{}").unwrap(), Some(Servers::new()));
        let none = read(Path::new("/none/mcp.json"), &mut Vec::new());
        assert_eq!(none.unwrap(), None);
    }
}
