//! What does an MCP server say a resource is?
//!
//! A server is asked under the name that the link has and no other: one that is not configured, does not start, hangs
//! or talks garbage is unreachable, and nobody answers in its place.

pub(crate) mod config;
mod program;

use super::fetched::{Fetched, Peer, Validators};
use super::http::plain_client;
use super::local::DOCUMENT_MAX_BYTES;
use super::reason::{Reason, Unresolved};
use super::uri::{shown, shown_server};
use crate::text::neutralise::excerpt;
use config::Server;
use program::Program;
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ErrorCode, Implementation, ReadResourceRequestParams,
    ReadResourceResult, ResourceContents,
};
use rmcp::service::{RunningService, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport};
use rmcp::{RoleClient, ServiceExt as _};
use std::ffi::OsString;
use std::time::Duration;

/// How long a server may take to end once it hears no more; then it is killed.
const GOODBYE: Duration = Duration::from_millis(500);

/// Characters of a server's own message that are passed on.
const MESSAGE_MAX_CHARS: usize = 200;

/// Redirects of a server that are followed, within its own scheme, host and port.
const REDIRECTS_MAX: usize = 5;

/// Why a server is unreachable that does something else than answer.
const NO_SERVER: &str = "it does not answer as an MCP server";
/// Why a server is unreachable that does nothing.
const NO_ANSWER: &str = "it does not answer in time";

/// One resource of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resource {
    /// The link, which is tried first.
    pub(crate) uri: String,
    /// What stands behind the server's name, which is tried then.
    pub(crate) bare: String,
}

/// What all servers are started and asked with.
#[derive(Debug, Clone)]
pub(crate) struct Manners {
    /// Time for each answer.
    pub(crate) timeout: Duration,
    /// Environment of a server that is started; its configuration adds to it.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// Milliseconds since 1970.
    pub(crate) now_ms: u64,
}

type Client = RunningService<RoleClient, ClientConfig>;

/// Reads resources of one server, one after the other.
pub(crate) async fn read_all(
    name: &str,
    server: &Server,
    resources: &[Resource],
    manners: &Manners,
) -> Vec<Result<Fetched, Unresolved>> {
    let (mut client, program) = match connect(name, server, manners).await {
        Ok(connected) => connected,
        Err(unresolved) => return vec![Err(unresolved); resources.len()],
    };
    let mut answers = Vec::new();
    for resource in resources {
        answers.push(match answers.last() {
            // Who did not answer once is not waited for again.
            Some(Err(
                last @ Unresolved {
                    reason: Reason::McpUnreachable(_),
                    ..
                },
            )) => Err(last.clone()),
            _ => match read(name, &client, resource, manners).await {
                Err(failure) => Err(explained(failure, program.as_ref()).await),
                answer => answer,
            },
        });
    }
    let _ = client.close_with_timeout(GOODBYE).await;
    if let Some(program) = program {
        program.end_within(GOODBYE).await;
    }
    answers
}

/// A server that can not be asked, and why.
pub(crate) fn unreachable(name: &str, why: impl Into<String>) -> Unresolved {
    let name = shown_server(name).to_owned();
    Unresolved::with_hint(Reason::McpUnreachable(name), why)
}

async fn connect(
    name: &str,
    server: &Server,
    manners: &Manners,
) -> Result<(Client, Option<Program>), Unresolved> {
    match server {
        Server::Stdio(described) => {
            let (pipes, program) = Program::start(described, &manners.environment)
                .map_err(|why| unreachable(name, why))?;
            match greet(name, pipes, manners).await {
                Ok(client) => Ok((client, Some(program))),
                Err(failure) => Err(explained(failure, Some(&program)).await),
            }
        }
        Server::Http { url, headers } => {
            let transport =
                transport(url, headers, manners).map_err(|why| unreachable(name, why))?;
            Ok((greet(name, transport, manners).await?, None))
        }
    }
}

/// A failure with how the program ended that is to blame for it, where it has.
async fn explained(failure: Unresolved, program: Option<&Program>) -> Unresolved {
    let (Reason::McpUnreachable(name), Some(program)) = (&failure.reason, program) else {
        return failure;
    };
    match program.how_it_ended().await {
        Some(how) => unreachable(name, how),
        None => failure,
    }
}

/// The handshake of the protocol.
async fn greet<T, E, A>(name: &str, transport: T, manners: &Manners) -> Result<Client, Unresolved>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let implementation = Implementation::new("vibey-context", env!("CARGO_PKG_VERSION"));
    let us = ClientConfig::new(ClientCapabilities::default(), implementation);
    match tokio::time::timeout(manners.timeout, us.serve(transport)).await {
        Ok(Ok(client)) => Ok(client),
        Ok(Err(_)) => Err(unreachable(name, NO_SERVER)),
        Err(_) => Err(unreachable(name, NO_ANSWER)),
    }
}

/// A way to a server over HTTP. Its address is not judged: a person has configured it. What that person has given it to
/// know them by stays with its scheme, host and port.
fn transport(
    url: &str,
    headers: &[(String, String)],
    manners: &Manners,
) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name = HeaderName::try_from(name).map_err(|error| error.to_string())?;
        let mut value = HeaderValue::try_from(value).map_err(|error| error.to_string())?;
        value.set_sensitive(true);
        map.insert(name, value);
    }
    let at_home = Policy::custom(|attempt| {
        let first = attempt.previous().first().map(Url::origin);
        if Some(attempt.url().origin()) == first && attempt.previous().len() <= REDIRECTS_MAX {
            attempt.follow()
        } else {
            attempt.stop()
        }
    });
    let client = plain_client()
        .redirect(at_home)
        .default_headers(map)
        .connect_timeout(manners.timeout)
        .build()
        .map_err(|error| error.to_string())?;
    let config = StreamableHttpClientTransportConfig::with_uri(url);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// One resource: by the whole link, and where the server knows no such resource, by what stands behind its name.
async fn read(
    name: &str,
    client: &Client,
    resource: &Resource,
    manners: &Manners,
) -> Result<Fetched, Unresolved> {
    let mut refusal = Unresolved::from(Reason::NotFound);
    for uri in [&resource.uri, &resource.bare] {
        let asked = client.read_resource(ReadResourceRequestParams::new(uri));
        match tokio::time::timeout(manners.timeout, asked).await {
            Err(_) => return Err(unreachable(name, NO_ANSWER)),
            Ok(Ok(result)) => return fetched(result, resource, manners.now_ms),
            Ok(Err(ServiceError::McpError(error))) => {
                refusal = match error.code {
                    ErrorCode::RESOURCE_NOT_FOUND | ErrorCode::INVALID_PARAMS => {
                        Reason::NotFound.into()
                    }
                    ErrorCode(code) => Unresolved {
                        reason: Reason::McpError(code),
                        hint: Some(excerpt(&error.message, MESSAGE_MAX_CHARS))
                            .filter(|message| !message.is_empty()),
                    },
                };
            }
            Ok(Err(_)) => return Err(unreachable(name, NO_SERVER)),
        }
    }
    Err(refusal)
}

/// The texts of an answer, with what is not text named by type and size.
fn fetched(
    result: ReadResourceResult,
    resource: &Resource,
    now_ms: u64,
) -> Result<Fetched, Unresolved> {
    let mut content_type = None;
    let mut parts = Vec::new();
    let mut warnings = Vec::new();
    let mut look_at = |uri: &str| {
        if uri != resource.uri && uri != resource.bare {
            let other = excerpt(&shown(uri), MESSAGE_MAX_CHARS);
            warnings.push(format!("was answered with `{other}`"));
        }
    };
    for content in result.contents {
        match content {
            ResourceContents::TextResourceContents {
                text,
                mime_type,
                uri,
                ..
            } => {
                look_at(&uri);
                content_type = content_type.or(mime_type);
                parts.push(text);
            }
            ResourceContents::BlobResourceContents {
                blob,
                mime_type,
                uri,
                ..
            } => {
                look_at(&uri);
                let kind = mime_type.unwrap_or_else(|| "application/octet-stream".to_owned());
                let size = base64_size(&blob);
                parts.push(format!("[{kind}, {size} bytes: not shown]\n"));
            }
            _ => parts.push("[content of an unknown kind: not shown]\n".to_owned()),
        }
    }
    let bytes = parts.join("\n").into_bytes();
    if bytes.len() as u64 > DOCUMENT_MAX_BYTES {
        return Err(Reason::TooLarge.into());
    }
    Ok(Fetched {
        bytes,
        content_type: Some(content_type.unwrap_or_else(|| "text/plain".to_owned())),
        source: shown(&resource.uri).into_owned(),
        validators: Validators::default(),
        fetched_ms: now_ms,
        storable: true,
        peer: Peer::Server,
        warnings,
    })
}

/// Bytes that a text in base64 stands for.
fn base64_size(text: &str) -> usize {
    text.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_blob_is_that_of_its_bytes() {
        for (text, size) in [("", 0), ("YQ==", 1), ("YWI=", 2), ("YWJj", 3), ("YQ", 1)] {
            assert_eq!(base64_size(text), size, "{text}");
        }
    }
}
