//! A document from a server: read within bounds, and unable to end its envelope.

use crate::materialize::document::document;
use crate::materialize::envelope::{closing, envelopes, harmless, opening};
use crate::materialize::roles::{Role, apply, cut};
use crate::text::tokens::Tokenizer;
use vibey_context_contracts::materialize::Consumer;

/// Types that servers name; none, where they say nothing.
const TYPES: [Option<&str>; 6] = [
    Some("text/html"),
    Some("text/html; charset=shift_jis"),
    Some("text/markdown"),
    Some("text/plain"),
    Some("application/json"),
    None,
];
/// Where a page stands.
const BASE: &str = "https://example.org/docs/page";
/// A page holds at most so many times its bytes: `<U+XXXX>`, entities and absolute links make it longer.
const GROWTH: usize = 64;
/// A link alone may become that long.
const ROOM: usize = 4096;

/// Any bytes of any type are a document, of which each reader gets a part that stays in its envelope.
pub(super) fn web_page(data: &[u8]) {
    let Some((first, data)) = data.split_first() else {
        return;
    };
    let kind = TYPES[usize::from(*first) % TYPES.len()];
    let page = document(data, kind, "page.md", Some(BASE));
    assert!(page.body.len() <= data.len() * GROWTH + ROOM);
    for consumer in Consumer::ALL {
        for role in [
            Role::Spec,
            Role::RelatedWork,
            Role::Conversation,
            Role::Scratch,
        ] {
            let part = apply(
                cut(Some(role), consumer),
                &page,
                "Title",
                Tokenizer::Estimate,
            );
            enveloped(&part);
        }
    }
}

fn enveloped(part: &str) {
    let (content, _) = harmless(part);
    let uri = "https://example.org/ --> <!-- END";
    let (open, close) = (opening(uri, None, "now"), closing(uri));
    let document = format!("# T\n\n{open}\n\n{content}\n\n{close}\n\n## Next\n");
    let found = envelopes(&document);
    let [only] = found.as_slice() else {
        panic!("{} envelopes: {document}", found.len());
    };
    assert_eq!(only.content, content);
}
