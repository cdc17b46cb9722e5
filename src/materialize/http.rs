//! What does a web server send for a link, through redirects and whatever goes wrong?
//!
//! Redirects are followed here, one request each, so that scheme and address are checked at every hop: literal
//! addresses before the request, names in the resolver, whose answer is what the connection is made to.

mod failure;
mod resolver;

use super::address::check;
use super::fetched::{Fetched, Peer, Validators};
use super::local::DOCUMENT_MAX_BYTES;
use super::reason::{Reason, Unresolved};
use super::uri::{shown, web as parsed};
use reqwest::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION,
};
use reqwest::{Client, Response, StatusCode, Url};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Redirects that are followed.
const REDIRECTS_MAX: usize = 5;

/// How we name ourselves.
const USER_AGENT: &str = concat!("vibey-context/", env!("CARGO_PKG_VERSION"));

/// A client with its rules.
pub(crate) struct Web {
    client: Client,
    allow_private: bool,
    /// Time for one link, redirects and body included.
    timeout: Duration,
}

/// What a server answered.
pub(crate) enum Reply {
    /// The document.
    Sent(Fetched),
    /// It is still what the validators stand for.
    NotModified,
}

/// A client for links. `allow_private` admits addresses of this machine and its network.
///
/// # Errors
/// The system's certificates can not be read.
pub(crate) fn web(allow_private: bool, timeout: Duration) -> Result<Web, Unresolved> {
    let resolver = resolver::Guarded { allow_private };
    let client = plain_client()
        .redirect(reqwest::redirect::Policy::none())
        .dns_resolver(Arc::new(resolver))
        .build()
        .map_err(|error| failure::unresolved(&error))?;
    Ok(Web {
        client,
        allow_private,
        timeout,
    })
}

/// What all our clients have in common: TLS by rustls, no proxy from the environment.
pub(crate) fn plain_client() -> reqwest::ClientBuilder {
    // Fails where it has been done before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().user_agent(USER_AGENT).no_proxy()
}

/// Fetches a link, or learns that it has not changed since `known`.
///
/// # Errors
/// Why there is no document.
pub(crate) async fn get(
    web: &Web,
    uri: &str,
    known: &Validators,
    now_ms: u64,
) -> Result<Reply, Unresolved> {
    let followed = tokio::time::timeout(web.timeout, follow(web, uri, known, now_ms)).await;
    followed.unwrap_or_else(|_| Err(Reason::Timeout.into()))
}

async fn follow(
    web: &Web,
    uri: &str,
    known: &Validators,
    now_ms: u64,
) -> Result<Reply, Unresolved> {
    let mut url = parsed(uri).ok_or(Reason::Network("invalid-url"))?;
    let mut warnings = Vec::new();
    let mut peer = Peer::Public;
    for _ in 0..=REDIRECTS_MAX {
        permit(&url, web.allow_private)?;
        let response = web
            .client
            .get(url.clone())
            .headers(conditions(known))
            .headers(manners(&url))
            .send()
            .await
            .map_err(|error| failure::unresolved(&error))?;
        let address = response.remote_addr();
        if address.is_none_or(|address| check(address.ip(), false).is_err()) {
            peer = Peer::Private;
        }
        let Some(next) = redirect(&response, &url)? else {
            let whence = Whence { url, peer, now_ms };
            return reply(response, whence, known, warnings).await;
        };
        warnings.extend(crossings(&url, &next));
        url = next;
    }
    Err(Reason::Network("too-many-redirects").into())
}

/// Whether a link may be asked for, as far as its text says.
pub(crate) fn is_permitted(uri: &str, allow_private: bool) -> bool {
    parsed(uri).is_some_and(|url| permit(&url, allow_private).is_ok())
}

/// Refuses other schemes, and literal addresses that may not be reached.
fn permit(url: &Url, allow_private: bool) -> Result<(), Unresolved> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Reason::Network("scheme-refused").into());
    }
    let host = url.host_str().unwrap_or_default();
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    match literal.parse::<IpAddr>() {
        Ok(address) => check(address, allow_private).map_err(failure::refused),
        Err(_) => Ok(()),
    }
}

fn conditions(known: &Validators) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let values = [
        (IF_NONE_MATCH, &known.etag),
        (IF_MODIFIED_SINCE, &known.last_modified),
    ];
    for (name, value) in values {
        if let Some(value) = value.as_ref().and_then(|value| value.parse().ok()) {
            headers.insert(name, value);
        }
    }
    headers
}

/// Without TLS a connection serves one link. On a kept one, a server that sends head and body in two pieces waits with the
/// second for our acknowledgement, which the system holds back for 40 ms: 200 links took 2.3 s instead of 1.5 s
/// (`benches/materialize.sh`). With TLS the handshake costs more than that.
fn manners(url: &Url) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if url.scheme() == "http" {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    headers
}

/// Where a response sends us; `None` for one that does not.
fn redirect(response: &Response, url: &Url) -> Result<Option<Url>, Unresolved> {
    let moved = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let Some(location) = header(response, LOCATION).filter(|_| moved) else {
        return Ok(None);
    };
    let mut next = url
        .join(&location)
        .map_err(|_| Reason::Network("invalid-redirect"))?;
    // Who we are is decided by the link, not by a server.
    let _ = next.set_username("");
    let _ = next.set_password(None);
    Ok(Some(next))
}

/// Where and when an answer comes from.
struct Whence {
    url: Url,
    peer: Peer,
    now_ms: u64,
}

/// What a reader should know of a redirect, a sentence each.
fn crossings(from: &Url, to: &Url) -> Vec<String> {
    let mut found = Vec::new();
    if (to.host_str(), to.port()) != (from.host_str(), from.port()) {
        let host = to.host_str().unwrap_or_default();
        found.push(format!("was redirected to another host, `{host}`"));
    }
    if from.scheme() == "https" && to.scheme() != "https" {
        found.push("was redirected to an address without TLS".to_owned());
    }
    found
}

async fn reply(
    response: Response,
    whence: Whence,
    known: &Validators,
    mut warnings: Vec<String>,
) -> Result<Reply, Unresolved> {
    let status = response.status();
    // Who was not asked whether something has changed can not say that it has not.
    if status == StatusCode::NOT_MODIFIED && *known != Validators::default() {
        return Ok(Reply::NotModified);
    }
    // A part that nobody asked for must not pass for the whole.
    if !status.is_success() || status == StatusCode::PARTIAL_CONTENT {
        return Err(Reason::Http(status.as_u16()).into());
    }
    let content_type = header(&response, CONTENT_TYPE);
    let validators = Validators {
        etag: header(&response, ETAG),
        last_modified: header(&response, LAST_MODIFIED),
    };
    let no_store = header(&response, CACHE_CONTROL).is_some_and(|rules| forbids_storing(&rules));
    let (bytes, whole) = body(response).await?;
    if !whole {
        warnings.push(format!("was cut at {DOCUMENT_MAX_BYTES} bytes"));
    }
    Ok(Reply::Sent(Fetched {
        bytes,
        content_type,
        source: shown(whence.url.as_str()).into_owned(),
        validators,
        fetched_ms: whence.now_ms,
        storable: whole && !no_store,
        peer: whence.peer,
        warnings,
    }))
}

/// Whether a `Cache-Control` keeps an answer out of every cache.
fn forbids_storing(rules: &str) -> bool {
    rules
        .split(',')
        .any(|rule| rule.trim().eq_ignore_ascii_case("no-store"))
}

/// The decompressed body up to the bound, and whether that is all of it.
async fn body(mut response: Response) -> Result<(Vec<u8>, bool), Unresolved> {
    let most = usize::try_from(DOCUMENT_MAX_BYTES).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    loop {
        let piece = response.chunk().await;
        let Some(piece) = piece.map_err(|error| failure::unresolved(&error))? else {
            return Ok((bytes, true));
        };
        let room = most - bytes.len();
        bytes.extend_from_slice(piece.get(..room).unwrap_or(&piece));
        if piece.len() > room {
            return Ok((bytes, false));
        }
    }
}

fn header(response: &Response, name: HeaderName) -> Option<String> {
    let value = response.headers().get(name)?;
    value.to_str().ok().map(str::to_owned)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn redirects_that_cross_a_border_are_named() {
        for (from, to, expected) in [
            ("https://h/a", "https://h/b", 0),
            ("http://h/a", "https://h/a", 0),
            ("https://h/a", "http://h/a", 1),
            ("https://h/a", "https://g/a", 1),
            ("https://h/a", "http://g/a", 2),
        ] {
            let (from, to) = (Url::parse(from).unwrap(), Url::parse(to).unwrap());
            assert_eq!(crossings(&from, &to).len(), expected, "{from} {to}");
        }
    }
}
