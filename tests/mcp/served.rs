//! The server as a real client has it: the program, started over pipes and spoken with by the protocol's own SDK.

use crate::harness::{BIN, BOUND, Dir};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation,
};
use rmcp::service::{RunningService, ServiceError};
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::runtime::{Builder, Runtime};

/// A running server and its client.
pub(crate) struct Served {
    runtime: Runtime,
    client: Option<RunningService<RoleClient, ClientConfig>>,
    child: Child,
}

/// The server as a process, before anybody speaks with it.
pub(crate) fn start(dir: &Dir, cwd: &Path, args: &[&str]) -> Child {
    Command::new(BIN)
        .args(args)
        .env_clear()
        .env("PATH", dir.home().join("no-programs"))
        .env("HOME", dir.home())
        .current_dir(cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// How a process ends; it is killed where it does not, and the test fails.
pub(crate) fn ended(child: &mut Child) -> ExitStatus {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if began.elapsed() > BOUND {
            let _ = child.kill();
            panic!("the server does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Served {
    /// Starts `vibey-context ARGS` in [`Dir::path`] and shakes hands.
    pub(crate) fn new(dir: &Dir, args: &[&str]) -> Self {
        Self::within(dir, &dir.path(), args)
    }

    pub(crate) fn within(dir: &Dir, cwd: &Path, args: &[&str]) -> Self {
        let mut child = start(dir, cwd, args);
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(async {
            let input = Sender::from_owned_fd(child.stdin.take().unwrap().into()).unwrap();
            let output = Receiver::from_owned_fd(child.stdout.take().unwrap().into()).unwrap();
            let us = ClientConfig::new(
                ClientCapabilities::default(),
                Implementation::new("test", "0"),
            );
            us.serve((output, input)).await.unwrap()
        });
        Self {
            runtime,
            client: Some(client),
            child,
        }
    }

    pub(crate) fn client(&self) -> &RunningService<RoleClient, ClientConfig> {
        self.client.as_ref().unwrap()
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Runs something of the client's.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime
            .block_on(async { tokio::time::timeout(BOUND, future).await })
            .expect("an answer in time")
    }

    /// Calls a tool.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        self.try_call(tool, arguments).unwrap()
    }

    pub(crate) fn try_call(
        &self,
        tool: &str,
        arguments: Value,
    ) -> Result<CallToolResult, ServiceError> {
        self.wait(self.client().call_tool(params(tool, arguments)))
    }

    /// Several calls at once.
    pub(crate) fn together(&self, calls: Vec<(&str, Value)>) -> Vec<CallToolResult> {
        let calls = calls.into_iter().map(|(tool, arguments)| {
            let called = self.client().call_tool(params(tool, arguments));
            async { called.await.unwrap() }
        });
        self.wait(futures_util::future::join_all(calls))
    }

    /// Closes the client's side; says how the server ended and what stood on its standard error.
    pub(crate) fn close(mut self) -> (ExitStatus, String) {
        let client = self.client.take().unwrap();
        self.wait(client.cancel()).unwrap();
        self.end()
    }

    /// How the server ends, and what stands on its standard error.
    pub(crate) fn end(&mut self) -> (ExitStatus, String) {
        let status = ended(&mut self.child);
        let mut said = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        std::io::Read::read_to_string(&mut stderr, &mut said).unwrap();
        (status, said)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn params(tool: &str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}

/// The one text of an answer.
#[track_caller]
pub(crate) fn text(result: &CallToolResult) -> &str {
    assert_eq!(result.content.len(), 1, "{result:?}");
    &result.content[0].as_text().unwrap().text
}

/// The failure that an answer is.
#[track_caller]
pub(crate) fn failure(result: &CallToolResult) -> Value {
    assert_eq!(result.is_error, Some(true), "{result:?}");
    assert!(result.structured_content.is_none(), "{result:?}");
    serde_json::from_str(text(result)).unwrap()
}

/// A message of the protocol, as a line.
pub(crate) fn line(id: u64, method: &str, params: Value) -> String {
    let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    format!("{message}\n")
}

/// The handshake of a client that writes its lines itself.
pub(crate) fn hello() -> String {
    let params = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"}
    });
    let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    format!("{}{done}\n", line(0, "initialize", params))
}

/// The answers of a server by their ids; what stands on its standard output must be nothing else.
pub(crate) fn answers(stdout: &str) -> std::collections::BTreeMap<u64, Value> {
    let messages = stdout.lines().map(|line| {
        let message: Value = serde_json::from_str(line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    });
    messages
        .filter_map(|message| Some((message["id"].as_u64()?, message)))
        .collect()
}
