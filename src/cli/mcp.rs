//! `mcp`: a server of the Model Context Protocol over standard input and output.
//!
//! Nothing but the protocol goes to standard output. The server ends when its input does, or when a signal asks it to.

mod arguments;
mod server;
mod tools;

use super::args::McpArgs;
use super::failure::Failure;
use super::locate::Meant;
use super::surroundings::Surroundings;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio;
use server::Server;
use std::io;
use std::os::fd::AsFd as _;
use std::time::Duration;
use tokio::net::unix::pipe::Receiver;
use tokio::runtime::Builder;
use tools::Desk;
use vibey_context_contracts::exit;
use vibey_context_host::signals::Signals;

/// The longest message of a client, in bytes. A request of 1 MiB whose characters are all written as `\u0000` takes 6 MiB; what
/// is longer is passed over without being kept.
const MESSAGE_MAX_BYTES: usize = 8 * 1024 * 1024;

/// How long calls that are under way may take once a signal has come. The SDK itself waits two seconds for their answers, or
/// five where the input has ended; what is left after this long hangs.
const GRACE: Duration = Duration::from_secs(6);

/// Runs the command.
pub(super) fn run(args: &McpArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let signals = Signals::install().map_err(|error| refused(&error))?;
    signals.end_within(Some(GRACE));
    let desk = Desk {
        skills: meant.choice.skills.to_vec(),
        embedded: meant.choice.embedded,
        no_project_file: meant.choice.no_project_file,
        index: args.index.clone(),
        tokenizer: args.tokenizer,
        surroundings: Surroundings {
            interactive: meant.surroundings.interactive && args.log,
            notes: args.log,
            ..meant.surroundings.clone()
        },
    };
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| refused(&error))?;
    let served = runtime.block_on(serve(Server::new(desk), &signals));
    // A thread may wait for input that never comes: the end of the process is its end too.
    runtime.shutdown_background();
    served.map(|()| exit::DONE)
}

/// Serves one client until it has gone or a signal has come.
async fn serve(server: Server, signals: &Signals) -> Result<(), Failure> {
    let asked_to_end = signals.cancel().as_fd().try_clone_to_owned();
    let asked_to_end = asked_to_end.and_then(Receiver::from_owned_fd);
    let asked_to_end = asked_to_end.map_err(|error| refused(&error))?;
    let (input, output) = stdio();
    let transport =
        AsyncRwTransport::new_server(input, output).with_max_line_length(MESSAGE_MAX_BYTES);
    let running = tokio::select! {
        running = server.serve(transport) => running,
        _ = asked_to_end.readable() => return Ok(()),
    };
    let running = match running {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        // What it says repeats what the client has sent.
        Err(_) => {
            return Err(Failure::new(
                "mcp_client",
                "standard input and output do not lead to an MCP client",
                "let an agent start this command, as docs/mcp.md shows",
            ));
        }
    };
    let cancel = running.cancellation_token();
    let mut ended = std::pin::pin!(running.waiting());
    let ended = tokio::select! {
        ended = &mut ended => ended,
        _ = asked_to_end.readable() => {
            cancel.cancel();
            ended.await
        }
    };
    ended.map(drop).map_err(|_| {
        Failure::new(
            "internal",
            "the server has broken off",
            "report this with the call that shows it",
        )
    })
}

/// The system has no handler, thread or descriptor left.
fn refused(error: &io::Error) -> Failure {
    Failure::new(
        "io",
        format!("the server cannot be started: {error}"),
        "check the limits of this process",
    )
}
