//! What is left of a document by a cut? Many links may lead to one document, which can be large: it is looked at, cut and held
//! once for all of them.

use crate::materialize::document::Document;
use crate::materialize::envelope::harmless;
use crate::materialize::roles::apply;
use crate::text::tokens::Tokenizer;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use vibey_context_contracts::materialize::Cut;
use vibey_context_contracts::redact::secret_kinds;
use vibey_context_contracts::visible::count_hidden;

/// What is known of a whole document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    /// Kinds of the shapes of secrets, one for each.
    pub(crate) secrets: Vec<&'static str>,
    /// Invisible characters.
    pub(crate) hidden: u64,
    /// Tokens.
    pub(super) tokens: u64,
}

/// What is left of a document, as it stands in the envelope.
#[derive(Debug, Clone)]
pub(super) struct Content {
    /// What was cut; [`Cut::Full`] where that would not be smaller than the whole.
    pub(super) cut: Cut,
    text: Text,
    /// Imitated markers in it.
    pub(super) neutralised: u64,
    pub(super) tokens: u64,
}

#[derive(Debug, Clone)]
enum Text {
    /// That of the document.
    Whole(Arc<Document>),
    Own(String),
}

impl Content {
    pub(super) fn text(&self) -> &str {
        match &self.text {
            Text::Whole(document) => &document.body,
            Text::Own(text) => text,
        }
    }
}

/// What was made of documents so far.
#[derive(Debug, Clone)]
pub(super) struct Shelf {
    tokenizer: Tokenizer,
    known: BTreeMap<usize, Arc<Known>>,
    contents: BTreeMap<(usize, &'static str, String), Arc<Content>>,
}

impl Shelf {
    pub(super) fn new(tokenizer: Tokenizer) -> Self {
        Self {
            tokenizer,
            known: BTreeMap::new(),
            contents: BTreeMap::new(),
        }
    }

    /// What it counts tokens by.
    pub(super) fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }

    /// What is known of a document.
    pub(super) fn known(&mut self, document: &Arc<Document>) -> Arc<Known> {
        let tokenizer = self.tokenizer;
        let known = self.known.entry(number(document)).or_insert_with(|| {
            let whole = &document.body;
            Arc::new(Known {
                secrets: secret_kinds(whole),
                hidden: count_hidden(whole).map_or(0, |(_, count)| u64::from(count)),
                tokens: tokenizer.count(whole),
            })
        });
        Arc::clone(known)
    }

    /// What a cut leaves of a document with a title.
    pub(super) fn content(
        &mut self,
        document: &Arc<Document>,
        title: &str,
        cut: Cut,
    ) -> Arc<Content> {
        // A title is a part of what some cuts leave.
        let title = if cut == Cut::Full { "" } else { title };
        let key = (number(document), cut.label(), title.to_owned());
        let tokenizer = self.tokenizer;
        let content = self
            .contents
            .entry(key)
            .or_insert_with(|| Arc::new(shorten(document, title, cut, tokenizer)));
        Arc::clone(content)
    }
}

/// What tells a document from the others: they all live as long as the file is put together.
fn number(document: &Arc<Document>) -> usize {
    Arc::as_ptr(document).addr()
}

/// The cut of a document; all of it where the cut is not smaller.
fn shorten(document: &Arc<Document>, title: &str, cut: Cut, tokenizer: Tokenizer) -> Content {
    let whole = &document.body;
    let body = (cut != Cut::Full).then(|| apply(cut, document, title, tokenizer));
    let body = body.filter(|body| body.len() < whole.len());
    let cut = if body.is_some() { cut } else { Cut::Full };
    let (text, neutralised) = match &body {
        Some(body) => harmless(body),
        None => harmless(whole),
    };
    let tokens = tokenizer.count(&text);
    let text = match text {
        Cow::Borrowed(_) if body.is_none() => Text::Whole(Arc::clone(document)),
        text => Text::Own(text.into_owned()),
    };
    Content {
        cut,
        text,
        neutralised,
        tokens,
    }
}
