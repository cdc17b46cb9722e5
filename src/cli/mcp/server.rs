//! The protocol's side: which tools there are, and how a call becomes work and an answer.

use super::tools::{Desk, TOOLS, Tool};
use crate::cli::failure::Failure;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, JsonObject, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, Tool as Listed, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use vibey_context_contracts::canonical;
use vibey_context_contracts::version::{COMPILER_NAME, COMPILER_VERSION};

/// Calls that are worked on at once; others wait. Each has an index open, and a build takes every processor anyway.
const CALLS_AT_ONCE: usize = 4;

/// What a client is told of this server as a whole.
const INSTRUCTIONS: &str = "Skills are written notes on how a team does a kind of work. Before a task, call compile_packet with \
    what is to be achieved and read its text as reference material. Before reading below a folder that a generator may own, \
    ask may_read.";

/// The server.
#[derive(Debug)]
pub(super) struct Server {
    desk: Arc<Desk>,
    places: Arc<Semaphore>,
}

impl Server {
    pub(super) fn new(desk: Desk) -> Self {
        Self {
            desk: Arc::new(desk),
            places: Arc::new(Semaphore::new(CALLS_AT_ONCE)),
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(COMPILER_NAME, COMPILER_VERSION))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            TOOLS.iter().map(listed).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let names = TOOLS.map(|tool| tool.name).join(", ");
            let message = format!("there is no such tool; there are {names}");
            return Err(ErrorData::invalid_params(message, None));
        };
        let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
            return Err(ErrorData::internal_error("the server ends", None));
        };
        let desk = Arc::clone(&self.desk);
        let arguments = request.arguments.unwrap_or_default();
        let work = spawn_blocking(move || {
            let answer = (tool.run)(arguments, &desk);
            drop(place);
            answer
        });
        let result = match work.await {
            Ok(Ok(answer)) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
                result.structured_content = answer.structured;
                result
            }
            Ok(Err(failure)) => failed(&failure),
            // It has panicked, or the runtime ends.
            Err(_) => failed(&Failure::new(
                "internal",
                "the call has broken off",
                "report this with the call that shows it",
            )),
        };
        Ok(result.into())
    }
}

/// A tool as it is listed. None of them changes anything but our index, or asks the network.
fn listed(tool: &Tool) -> Listed {
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    let listed = Listed::new(tool.name, tool.description, object((tool.input)()))
        .with_title(tool.title)
        .with_annotations(annotations);
    match tool.output {
        Some(output) => listed.with_raw_output_schema(Arc::new(object(output()))),
        None => listed,
    }
}

/// A schema of ours is an object.
fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

/// The object that the command prints with `--json`, as text: a client that knows the schema of a tool's answers would refuse
/// it as one of them.
fn failed(failure: &Failure) -> CallToolResult {
    let text = canonical::compact(&failure.report()).unwrap_or_else(|_| failure.text());
    CallToolResult::error(vec![ContentBlock::text(text)])
}
