//! What docs/security.md says of the sources: where memory is unsafe, and which parts can reach a network.

use std::path::{Path, PathBuf};

fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = [
        "src",
        "contracts",
        "host",
        "index",
        "conductor-shim",
        "examples",
        "fuzz",
    ]
    .map(|folder| root.join(folder))
    .into();
    while let Some(folder) = open.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && !["target", "corpus", "artifacts"].contains(&name) {
                open.push(path);
            } else if name.ends_with(".rs") {
                let shown = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                found.push((shown, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(found.len() > 300, "only {} sources", found.len());
    found
}

/// Sources with a line of code that holds one of the words; a comment is none.
fn holding(words: &[&str]) -> Vec<String> {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let holds = |text: &str| {
        let mut lines = text.lines().filter(is_code);
        lines.any(|line| words.iter().any(|word| line.contains(word)))
    };
    let found = sources().into_iter().filter(|(_, text)| holds(text));
    found.map(|(name, _)| name).collect()
}

#[test]
fn memory_is_unsafe_in_one_place() {
    let words = [
        "unsafe {",
        "unsafe fn",
        "unsafe impl",
        "unsafe extern",
        "(unsafe_code",
        "unsafe_code,",
    ];
    assert_eq!(holding(&words), ["host/src/process/start.rs"]);
}

#[test]
fn two_parts_can_reach_a_network() {
    let words = [
        "reqwest",
        "TcpStream",
        "UdpSocket",
        "TcpListener",
        "std::net",
        "hyper::",
        "sqlx",
    ];
    let outside = |name: &String| {
        !name.starts_with("src/materialize/") && !name.starts_with("conductor-shim/")
    };
    let others: Vec<String> = holding(&words).into_iter().filter(outside).collect();
    assert_eq!(others, [""; 0]);
    // The server of `mcp` speaks over standard input and output, and knows no other transport.
    let servers: Vec<String> = holding(&["rmcp"]).into_iter().filter(outside).collect();
    assert_eq!(servers, ["src/cli/mcp.rs", "src/cli/mcp/server.rs"]);
    let transports: Vec<String> = sources()
        .into_iter()
        .filter(|(name, _)| servers.contains(name))
        .flat_map(|(_, text)| {
            let lines = text.lines().filter(|line| line.contains("::transport"));
            lines.map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    let known = [
        "use rmcp::transport::async_rw::AsyncRwTransport;",
        "use rmcp::transport::io::stdio;",
    ];
    assert_eq!(transports, known);
    let conductor: Vec<String> = holding(&[
        "reqwest",
        "rmcp",
        "TcpStream",
        "UdpSocket",
        "std::net",
        "hyper::",
    ])
    .into_iter()
    .filter(|name| name.starts_with("conductor-shim/src/"))
    .collect();
    assert_eq!(conductor, [""; 0], "the conductor reaches its ledger alone");
}
