//! What do servers answer for the links of an artifact, several at once, each link once?

use super::cache::{Cache, Key, Known, Patience};
use super::fetched::{Fetched, Peer, Validators};
use super::http::{self, Reply};
use super::mcp::config::{Server, Servers};
use super::mcp::{self, Manners, Resource, unreachable};
use super::reason::{Reason, Unresolved};
use super::refused::Refused;
use super::uri::{Form, form, shown, split_fragment};
use futures_util::StreamExt as _;
use futures_util::future::LocalBoxFuture;
use futures_util::stream;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use tokio::runtime::Builder;
use vibey_context_host::error::HostError;
use vibey_context_host::process::Descendants;

/// Servers that are asked at once. More would be impolite to a server that many links lead to, and is not faster where
/// each has its own.
const AT_ONCE: usize = 8;

/// How servers are reached.
#[derive(Debug, Clone)]
pub(crate) struct Network {
    /// Answers of earlier runs.
    pub(crate) cache: Cache,
    /// Whether fresh answers are fetched all the same.
    pub(crate) refresh: bool,
    /// Whether links may lead to this machine and its network.
    pub(crate) allow_private: bool,
    /// MCP servers by name.
    pub(crate) servers: Servers,
    /// Why a server may not be among them.
    pub(crate) missing_server: &'static str,
    /// How MCP servers are asked; its timeout is that of web servers too.
    pub(crate) manners: Manners,
}

/// Answers by link, as [`address`] writes it.
pub(crate) type Answers<T> = BTreeMap<String, Result<T, Unresolved>>;

/// A link to ask a server for.
struct Question {
    uri: String,
    /// What is known of it already.
    known: Validators,
}

/// What a link is asked for by; `None` for a local one. Two links with one address are one question.
pub(crate) fn address(uri: &str) -> Option<&str> {
    match form(uri) {
        Form::Http => Some(split_fragment(uri).0),
        Form::Mcp { .. } => Some(uri),
        _ => None,
    }
}

/// The documents of remote links, from the cache where it is fresh; new ones are kept there. A sentence goes to
/// `warnings` for whatever is wrong with the cache.
///
/// # Errors
/// The runtime can not be started.
pub(crate) fn documents(
    addresses: &[&str],
    network: &Network,
    warnings: &mut Vec<String>,
) -> Result<Answers<Fetched>, Refused> {
    let mut answers = Answers::new();
    let mut open = Vec::new();
    let mut patience = Patience::new();
    for address in addresses {
        match known(address, network, &mut patience) {
            Known::Answer { fetched, fresh } if fresh && !network.refresh => {
                answers.insert((*address).to_owned(), Ok(*fetched));
                continue;
            }
            Known::Corrupt(why) => warnings.push(corrupt(address, &why)),
            Known::Answer { .. } | Known::Nothing => {}
        }
        open.push(Question {
            uri: (*address).to_owned(),
            known: Validators::default(),
        });
    }
    let mut unwritable = None;
    for (address, reply) in ask(&open, network)? {
        let fetched = reply.and_then(|reply| match reply {
            Reply::Sent(fetched) => Ok(fetched),
            // Nobody was asked whether something has changed.
            Reply::NotModified => Err(Reason::Http(304).into()),
        });
        if let Ok(fetched) = &fetched
            && let Some(key) = key(&address, network)
            && let Err(error) = network.cache.keep(&key, fetched, &mut patience)
        {
            unwritable = unwritable.or(Some(error));
        }
        answers.insert(address, fetched);
    }
    warnings
        .extend(unwritable.map(|error| format!("the cache can not be written: {}", why(&error))));
    Ok(answers)
}

/// Which remote links are still what the cache holds. It never answers itself, and it is not changed.
///
/// # Errors
/// The runtime can not be started.
pub(crate) fn comparisons(
    addresses: &[&str],
    network: &Network,
    warnings: &mut Vec<String>,
) -> Result<Answers<()>, Refused> {
    let mut baselines = BTreeMap::new();
    let mut questions = Vec::new();
    let mut patience = Patience::new();
    for address in addresses {
        let mut known = Validators::default();
        match self::known(address, network, &mut patience) {
            Known::Answer { fetched, .. } => {
                known = fetched.validators.clone();
                baselines.insert((*address).to_owned(), fetched.sha256());
            }
            Known::Corrupt(why) => warnings.push(corrupt(address, &why)),
            Known::Nothing => {}
        }
        questions.push(Question {
            uri: (*address).to_owned(),
            known,
        });
    }
    let compare = |address: &str, reply| match (reply, baselines.get(address)) {
        (Reply::Sent(now), Some(then)) if now.sha256() != *then => Err(Reason::Drifted.into()),
        _ => Ok(()),
    };
    Ok(ask(&questions, network)?
        .into_iter()
        .map(|(address, reply)| {
            let verdict = reply.and_then(|reply| compare(&address, reply));
            (address, verdict)
        })
        .collect())
}

/// What the answer for a link is kept by; `None` where nobody could give one.
fn key(address: &str, network: &Network) -> Option<Key> {
    match form(address) {
        Form::Mcp { server, .. } => {
            let server = network.servers.get(server)?;
            Some(Key::of_server(address, server))
        }
        _ => Key::of_web(address),
    }
}

/// What the cache has for a link, from one who might be asked for it now: an address that may no longer be reached answers by no
/// detour either. Of MCP servers the key says which one that is.
fn known(address: &str, network: &Network, patience: &mut Patience) -> Known {
    let Some(key) = key(address, network) else {
        return Known::Nothing;
    };
    let known = network.cache.look_up(&key, patience);
    let Known::Answer { fetched, .. } = &known else {
        return known;
    };
    let is_permitted = || http::is_permitted(address, network.allow_private);
    let counts = match fetched.peer {
        Peer::Server => true,
        Peer::Public => is_permitted(),
        Peer::Private => network.allow_private && is_permitted(),
    };
    if counts { known } else { Known::Nothing }
}

fn corrupt(address: &str, why: &str) -> String {
    format!(
        "the cache of `{}` is corrupt and is not used: {why}",
        shown(address)
    )
}

/// What the system says, without the path: warnings stand in documents that are the same on every machine.
fn why(error: &HostError) -> String {
    let cause = error.io_error().map(io::Error::kind);
    cause.map_or_else(|| "it is in use".to_owned(), |kind| kind.to_string())
}

/// Asks for all at once. Without questions no runtime is started.
fn ask(questions: &[Question], network: &Network) -> Result<Answers<Reply>, Refused> {
    if questions.is_empty() {
        return Ok(Answers::new());
    }
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|cause| HostError::Io {
            operation: "start a runtime for",
            path: Path::new("network").to_path_buf(),
            cause,
        })?;
    let answers = runtime.block_on(ask_all(questions, network));
    // A lookup of a name that hangs must not keep us.
    runtime.shutdown_background();
    Ok(answers)
}

type Job<'a> = LocalBoxFuture<'a, Vec<(String, Result<Reply, Unresolved>)>>;

async fn ask_all(questions: &[Question], network: &Network) -> Answers<Reply> {
    let web = http::web(network.allow_private, network.manners.timeout);
    let mut jobs: Vec<Job<'_>> = Vec::new();
    let mut servers = BTreeMap::<&str, Vec<Resource>>::new();
    for question in questions {
        match form(&question.uri) {
            Form::Mcp { server, resource } => {
                servers.entry(server).or_default().push(Resource {
                    uri: question.uri.clone(),
                    bare: resource.to_owned(),
                });
            }
            _ => jobs.push(Box::pin(async {
                let answer = match &web {
                    Ok(web) => {
                        let now = network.manners.now_ms;
                        http::get(web, &question.uri, &question.known, now).await
                    }
                    Err(unresolved) => Err(unresolved.clone()),
                };
                vec![(question.uri.clone(), answer)]
            })),
        }
    }
    let is_program = |name: &str| matches!(network.servers.get(name), Some(Server::Stdio(_)));
    // Where the system does not tell which processes there are, their groups end all the same.
    let descendants = servers
        .keys()
        .any(|name| is_program(name))
        .then(|| Descendants::adopt().ok().flatten());
    for (name, resources) in servers {
        jobs.push(Box::pin(ask_server(name, resources, network)));
    }
    let answers = stream::iter(jobs).buffer_unordered(AT_ONCE);
    let answers = answers.flat_map(stream::iter).collect().await;
    if let Some(descendants) = descendants.flatten() {
        let _ = descendants.end();
    }
    answers
}

async fn ask_server(
    name: &str,
    resources: Vec<Resource>,
    network: &Network,
) -> Vec<(String, Result<Reply, Unresolved>)> {
    let answers = match network.servers.get(name) {
        Some(server) => mcp::read_all(name, server, &resources, &network.manners).await,
        None => {
            let missing = unreachable(name, network.missing_server);
            vec![Err(missing); resources.len()]
        }
    };
    let uris = resources.into_iter().map(|resource| resource.uri);
    uris.zip(answers)
        .map(|(uri, answer)| (uri, answer.map(Reply::Sent)))
        .collect()
}
