//! An artifact of a brain: refused, or materialized from its own brain alone, which stays as it was.

use super::scratch::Scratch;
use crate::materialize::context::{context, write};
use crate::materialize::envelope::envelopes;
use crate::materialize::refused::Refused;
use crate::materialize::setup::{Options, Setup, World, set_up};
use crate::materialize::uri::{Form, form};
use crate::materialize::{plan, report};
use crate::text::tokens::Tokenizer;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::Duration;
use vibey_context_contracts::canonical;
use vibey_context_contracts::materialize::{Consumer, Mode, RefStatus};
use vibey_context_host::read::read_regular;

/// What stands outside the brain: it must be in no result.
const CANARY: &str = "canary-9b1f outside of the brain";
/// Bytes of an artifact that are compared at most.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

thread_local! {
    static PLACE: OnceCell<Scratch> = const { OnceCell::new() };
}

/// Any bytes as a thread; where they begin with `c`, what follows is the brain's configuration.
pub(super) fn artifact(data: &[u8]) {
    resolved(data);
}

/// The same; how many links were resolved, where the artifact was not refused.
pub(super) fn resolved(data: &[u8]) -> Option<usize> {
    PLACE.with(|place| walked(place.get_or_init(Scratch::new), data))
}

fn walked(scratch: &Scratch, data: &[u8]) -> Option<usize> {
    scratch.clear();
    let own: &[u8] =
        b"---\nid: t\nsoft_links: [/tree/leaf.md, 'me:tree/leaf.md', 'other:nowhere-9b1f.md']\n---\n# T\n";
    let (config, thread) = match data.split_first() {
        Some((b'c', config)) => (config, own),
        _ => (&b"primary_project: me\naliases: {me: .}\n"[..], data),
    };
    scratch.file("app/project-brain/CONVENTIONS.md", b"");
    scratch.file("app/project-brain/config.yaml", config);
    scratch.file("app/project-brain/tree/leaf.md", b"# Leaf\n\nText.\n");
    scratch.file("app/project-brain/threads/t/thread.md", thread);
    scratch.file("outside.md", CANARY.as_bytes());
    scratch.file("home/secret.md", CANARY.as_bytes());
    let before = scratch.files();
    let Ok(setup) = begin(scratch) else {
        assert_eq!(scratch.files(), before, "refused, and written");
        return None;
    };
    // No fuzzer asks a server.
    let asks = |uri: &str| matches!(form(uri), Form::Http | Form::Mcp { .. });
    if setup
        .links
        .iter()
        .flat_map(|link| &link.uri)
        .any(|uri| asks(uri))
    {
        return None;
    }
    let count = gathered(scratch, &setup, &before);
    let now = read_regular(
        &scratch.at("app/project-brain/threads/t/thread.md"),
        MOST_BYTES,
    );
    assert_eq!(now.expect("it is there"), thread, "the brain was changed");
    count
}

fn gathered(scratch: &Scratch, setup: &Setup, before: &[PathBuf]) -> Option<usize> {
    let context = context(setup).ok()?;
    let resolved = context
        .manifest
        .refs
        .iter()
        .filter(|one| one.status == RefStatus::Resolved);
    let count = resolved.count();
    let found = envelopes(&context.document).len();
    assert_eq!(found, count, "{}", context.document);
    assert!(!context.document.contains(CANARY), "{}", context.document);
    assert!(canonical::pretty(&context.manifest).is_ok());
    let entries = plan::plan(&context);
    assert_eq!(plan::table(&entries).lines().count(), entries.len());
    let written = write(setup, &context).ok()??;
    let _ = report::of_context(&context, &written, &[]);
    for path in scratch.files() {
        assert!(
            before.contains(&path) || path.starts_with("cache"),
            "{path:?} was written"
        );
    }
    Some(count)
}

fn begin(scratch: &Scratch) -> Result<Setup, Refused> {
    let cwd = scratch.at("app");
    let options = Options {
        artifact: Some("project-brain/threads/t/thread.md".into()),
        brain: None,
        mode: Mode::Materialize,
        consumer: Consumer::Full,
        roles: Vec::new(),
        max_tokens: None,
        tokenizer: Tokenizer::Estimate,
        refresh: false,
        persist: false,
        out: None,
        mcp_config: None,
        trust_project_mcp: false,
        allow_private: false,
        allow_private_network: false,
        timeout: Duration::ZERO,
    };
    let world = World {
        cwd: cwd.clone(),
        home: Some(scratch.at("home")),
        cache: Some(scratch.at("cache")),
        config: None,
        registry: None,
        scratch: None,
        environment: Vec::new(),
        now_ms: 1_700_000_000_000,
    };
    assert!(Path::new(&cwd).is_absolute());
    set_up(options, &world)
}
