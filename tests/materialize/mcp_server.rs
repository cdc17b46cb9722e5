//! An MCP server for tests, written with the protocol's own SDK, over pipes and over HTTP.

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use rmcp::model::{
    ErrorCode, ErrorData, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};
use std::io::Write as _;
use tokio::runtime::{Builder as RuntimeBuilder, Runtime};

/// Says that this process is to play a server, and how.
const ROLE: &str = "VIBEY_TEST_MCP_ROLE";

/// Where a server notes that it runs.
const NOTE: &str = "VIBEY_TEST_MCP_NOTE";

/// A server with a few resources. `name` stands in what it answers.
#[derive(Clone)]
struct Resources {
    name: String,
}

impl ServerHandler for Resources {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_resources().build())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let text = |text: String| ResourceContents::text(text, uri.clone());
        let contents = match uri.as_str() {
            "mcp://notes/whole" => vec![text(format!("whole link at {}", self.name))],
            "bare" | "deep/er" | "notes://own" => {
                vec![text(format!("bare {uri} at {}", self.name))]
            }
            "page" => vec![text("<h1>Page</h1><p>x</p>".to_owned()).with_mime_type("text/html")],
            "mixed" => vec![
                text("first".to_owned()),
                ResourceContents::blob("AAECAw==", uri.clone()).with_mime_type("image/png"),
            ],
            "other" => vec![ResourceContents::text("of another", "notes://another")],
            "broken" => {
                let message = format!("the index is broken\n{}", "and so on ".repeat(50));
                return Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, message, None));
            }
            "unsupported" => {
                let message = "resources/read";
                return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
            }
            _ => return Err(ErrorData::resource_not_found("no such resource", None)),
        };
        Ok(ReadResourceResult::new(contents).into())
    }
}

fn runtime() -> Runtime {
    RuntimeBuilder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// The configuration of a server over pipes: this very program, in a role.
pub(crate) fn stdio(role: &str, note: &str) -> Value {
    let program = std::env::current_exe().unwrap();
    json!({
        "command": program,
        "args": ["--exact", "materialize::mcp_server::plays_a_server_where_that_is_its_role", "--nocapture"],
        "env": {ROLE: role, NOTE: note}
    })
}

/// Started by a test it does nothing; started by `materialize` it is a server. What the test harness prints meanwhile
/// is noise that a client has to bear.
#[test]
fn plays_a_server_where_that_is_its_role() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let note = std::env::var(NOTE).unwrap();
    let line = format!("{role} {}\n", std::process::id());
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(note)
        .unwrap();
    file.write_all(line.as_bytes()).unwrap();
    match role.as_str() {
        "dies" => {}
        "hangs" => loop {
            std::thread::park();
        },
        "garbage" => {
            println!("{{\"jsonrpc\": \"2.0\", \"id\": 0, \"result\": 7}}\n\u{0}garbage");
            loop {
                std::thread::park();
            }
        }
        "hangs-later" => serve(Some(1)),
        _ => serve(None),
    }
}

/// Serves over standard input and output; after `answers` requests for resources it answers no more.
fn serve(answers: Option<u64>) {
    runtime().block_on(async {
        let name = "stdio".to_owned();
        let handler = Limited {
            inner: Resources { name },
            left: std::sync::atomic::AtomicU64::new(answers.unwrap_or(u64::MAX)),
        };
        let running = handler.serve(rmcp::transport::stdio()).await.unwrap();
        let _ = running.waiting().await;
    });
}

struct Limited {
    inner: Resources,
    left: std::sync::atomic::AtomicU64,
}

impl ServerHandler for Limited {
    fn get_info(&self) -> ServerConfig {
        self.inner.get_info()
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        use std::sync::atomic::Ordering;
        let spent = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        if spent.is_err() {
            std::future::pending::<()>().await;
        }
        self.inner.read_resource(request, context).await
    }
}

/// Starts a server over HTTP, which ends with the test program; returns its configuration.
pub(crate) fn http(name: &str) -> Value {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let name = name.to_owned();
    std::thread::spawn(move || {
        runtime().block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            let service = StreamableHttpService::new(
                move || Ok(Resources { name: name.clone() }),
                LocalSessionManager::default().into(),
                StreamableHttpServerConfig::default(),
            );
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let service = TowerToHyperService::new(service.clone());
                tokio::spawn(async move {
                    let connection = Builder::new(TokioExecutor::new());
                    let _ = connection
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
    });
    json!({"type": "http", "url": url})
}
