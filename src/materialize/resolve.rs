//! What becomes of each link: its document, or why there is none?

use super::artifact::Link;
use super::document::{Document, document, type_by_name};
use super::fetched::Fetched;
use super::local::{self, Found, Places};
use super::reason::{Reason, Unresolved};
use super::refused::Refused;
use super::remote::{self, Answers, Network, address};
use super::roles::Role;
use super::uri::{Form, file_name, form, last_segment, shown};
use crate::text::neutralise::plain_line;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use vibey_context_contracts::time::rfc3339;

/// What a link without address is called.
const NO_URI: &str = "(no uri)";

/// Links that a warning names: more is a listing.
const NAMES_SHOWN: usize = 5;

/// Where the content of a link comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Brain,
    /// Another project.
    Alias,
    File,
    /// Over TLS.
    Web,
    /// Without.
    PlainWeb,
    Mcp,
}

/// A link with what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ref<T> {
    /// Without user and password, in one line.
    pub(crate) uri: String,
    /// As it is written.
    pub(crate) label: Option<String>,
    /// What that means to us.
    pub(crate) role: Option<Role>,
    pub(crate) outcome: Result<T, Unresolved>,
}

/// The content of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resolved {
    pub(crate) document: Arc<Document>,
    /// What the document calls itself, else the last segment of the link.
    pub(crate) title: String,
    pub(crate) source: String,
    /// RFC 3339.
    pub(crate) fetched_at: String,
    pub(crate) origin: Origin,
}

/// The documents of links, in their order.
///
/// # Errors
/// The runtime can not be started.
pub(crate) fn documents(
    links: &[Link],
    places: &Places<'_>,
    network: &Network,
    warnings: &mut Vec<String>,
) -> Result<Vec<Ref<Resolved>>, Refused> {
    let fetched = remote::documents(&addresses(links), network, warnings)?;
    let read: Answers<Resolved> = fetched
        .into_iter()
        .map(|(address, answer)| {
            let resolved = answer.map(|fetched| of_server(&address, fetched, warnings));
            (address, resolved)
        })
        .collect();
    let now = network.manners.now_ms;
    let mut shelf = Shelf::new();
    let refs = each(links, warnings, |uri| match address(uri) {
        Some(address) => answer(&read, address),
        None => {
            of_disk(uri, places, &mut shelf, now).map_err(|reason| unresolved(reason, uri, places))
        }
    });
    for one in &refs {
        if let Ok(resolved) = &one.outcome {
            let own = resolved.document.warnings.iter();
            warnings.extend(own.map(|warning| about(&one.uri, warning)));
        }
    }
    Ok(refs)
}

/// Which links are still what they were, in their order. Nothing local is read: it is there, or it is not.
///
/// # Errors
/// The runtime can not be started.
pub(crate) fn comparisons(
    links: &[Link],
    places: &Places<'_>,
    network: &Network,
    warnings: &mut Vec<String>,
) -> Result<Vec<Ref<()>>, Refused> {
    let compared = remote::comparisons(&addresses(links), network, warnings)?;
    Ok(each(links, warnings, |uri| match address(uri) {
        Some(address) => answer(&compared, address),
        None => {
            let found = local::locate(&form(uri), places);
            found
                .map(drop)
                .map_err(|reason| unresolved(reason, uri, places))
        }
    }))
}

/// A local link that leads nowhere.
fn unresolved(reason: Reason, uri: &str, places: &Places<'_>) -> Unresolved {
    match local::hint(&form(uri), &reason, places) {
        Some(hint) => Unresolved::with_hint(reason, hint),
        None => reason.into(),
    }
}

/// The addresses of remote links, each once.
fn addresses(links: &[Link]) -> Vec<&str> {
    let all: BTreeSet<&str> = links
        .iter()
        .filter_map(|link| address(link.uri.as_deref()?))
        .collect();
    all.into_iter().collect()
}

/// What was answered for an address. Every address was asked for.
fn answer<T: Clone>(answers: &Answers<T>, address: &str) -> Result<T, Unresolved> {
    let answer = answers.get(address).cloned();
    answer.unwrap_or_else(|| Err(Reason::NotFound.into()))
}

/// Every link with what `look` finds, and a sentence for whatever its author should know.
fn each<T>(
    links: &[Link],
    warnings: &mut Vec<String>,
    mut look: impl FnMut(&str) -> Result<T, Unresolved>,
) -> Vec<Ref<T>> {
    let mut unknown_roles = BTreeMap::<String, Vec<String>>::new();
    let mut refs = Vec::new();
    for link in links {
        let role = link.role.as_deref().and_then(Role::labelled);
        let uri = plain_line(&link.uri.as_deref().map_or(NO_URI.into(), shown));
        if let (Some(label), None) = (&link.role, role) {
            let links = unknown_roles.entry(plain_line(label)).or_default();
            links.push(format!("`{uri}`"));
        }
        warnings.extend(link.warnings.iter().cloned());
        let outcome = match link.uri.as_deref() {
            Some(uri) => look(uri),
            None => Err(Reason::InvalidRef.into()),
        };
        if link.uri.as_deref().is_some_and(is_relative) {
            warnings.push(about(
                &uri,
                "is taken as a path in the brain; start it with `/`",
            ));
        }
        if let Err(unresolved) = &outcome
            && unresolved.hint.is_some()
        {
            warnings.push(about(&uri, &format!("is unresolved: {unresolved}")));
        }
        refs.push(Ref {
            uri,
            label: link.role.clone(),
            role,
            outcome,
        });
    }
    for (label, links) in unknown_roles {
        warnings.push(format!(
            "role `{label}` of {} counts as none; roles are {}",
            some(&links),
            Role::ALL.map(Role::label).join(", ")
        ));
    }
    refs
}

/// The first few of several.
fn some(names: &[String]) -> String {
    let (first, rest) = names.split_at(names.len().min(NAMES_SHOWN));
    match rest.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn is_relative(uri: &str) -> bool {
    matches!(form(uri), Form::Relative(_))
}

fn about(uri: &str, sentence: &str) -> String {
    format!("`{}` {sentence}", plain_line(&shown(uri)))
}

fn of_server(address: &str, fetched: Fetched, warnings: &mut Vec<String>) -> Resolved {
    for warning in &fetched.warnings {
        warnings.push(about(address, warning));
    }
    let document = document(
        &fetched.bytes,
        fetched.content_type.as_deref(),
        file_name(address),
        Some(&fetched.source),
    );
    Resolved {
        title: title(&document, address),
        document: Arc::new(document),
        source: fetched.source,
        fetched_at: rfc3339(fetched.fetched_ms),
        origin: match form(address) {
            Form::Mcp { .. } => Origin::Mcp,
            _ if is_plain(address) => Origin::PlainWeb,
            _ => Origin::Web,
        },
    }
}

/// Whether a web address is one without TLS.
fn is_plain(address: &str) -> bool {
    let scheme = address.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("http"))
}

/// Documents of this machine by their canonical path: several links may lead to one, which can be large.
type Shelf = BTreeMap<PathBuf, Result<Arc<Document>, Reason>>;

fn of_disk(
    uri: &str,
    places: &Places<'_>,
    shelf: &mut Shelf,
    now_ms: u64,
) -> Result<Resolved, Reason> {
    let form = form(uri);
    let found = local::locate(&form, places)?;
    let document = match shelf.get(&found.path) {
        Some(document) => document.clone(),
        None => {
            let document = read(&found).map(Arc::new);
            shelf.insert(found.path.clone(), document.clone());
            document
        }
    }?;
    Ok(Resolved {
        title: title(&document, uri),
        document,
        source: found.source,
        fetched_at: rfc3339(now_ms),
        origin: match form {
            Form::File(_) => Origin::File,
            Form::Thread { alias, .. } | Form::Alias { alias, .. } if alias != places.own => {
                Origin::Alias
            }
            _ => Origin::Brain,
        },
    })
}

fn read(found: &Found) -> Result<Document, Reason> {
    let bytes = local::read(found)?;
    let name = found.path.file_name().unwrap_or_default();
    let content_type = type_by_name(&found.path);
    Ok(document(
        &bytes,
        content_type,
        &name.to_string_lossy(),
        None,
    ))
}

fn title(document: &Document, uri: &str) -> String {
    match &document.title {
        Some(title) => plain_line(title),
        None => plain_line(last_segment(&shown(uri))),
    }
}
