//! How much of a document does a consumer get, by the role of the link?

use super::document::Document;
use super::excerpt::Shortener;
use crate::text::tokens::Tokenizer;
use vibey_context_contracts::materialize::{Consumer, Cut};

/// Tokens of `head`, as the role table of the original skill says.
const HEAD_TOKENS: u64 = 1_000;
/// Tokens of an author's `excerpt`, from the same table.
const AUTHOR_EXCERPT_TOKENS: u64 = 2_000;
/// Tokens of a reviewer's `excerpt`, for which that table has no number: a quarter of an author's, as the presets 8k
/// and 32k.
const REVIEWER_EXCERPT_TOKENS: u64 = 500;

/// The roles that a link can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// What is to be built.
    Spec,
    /// What was decided.
    PriorDecision,
    /// What is like it.
    RelatedWork,
    /// What was said.
    Conversation,
    /// What was noted.
    Scratch,
    /// What stands elsewhere.
    ExternalReference,
}

impl Role {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 6] = [
        Self::Spec,
        Self::PriorDecision,
        Self::RelatedWork,
        Self::Conversation,
        Self::Scratch,
        Self::ExternalReference,
    ];

    /// Its label in `soft_links`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::PriorDecision => "prior-decision",
            Self::RelatedWork => "related-work",
            Self::Conversation => "conversation",
            Self::Scratch => "scratch",
            Self::ExternalReference => "external-reference",
        }
    }

    /// The role of a label.
    #[must_use]
    pub fn labelled(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.label() == label)
    }
}

/// The cell of the role table. A link without role, or with one that is none of ours, counts as related work.
pub(crate) fn cut(role: Option<Role>, consumer: Consumer) -> Cut {
    let [reviewer, author, brief] = match role {
        Some(Role::Spec | Role::PriorDecision) => [Cut::Full, Cut::Full, Cut::FirstSectionToc],
        Some(Role::RelatedWork) | None => [Cut::TitleFirstPara, Cut::Head, Cut::TitleOnly],
        Some(Role::Conversation) => [Cut::TitleExcerpt, Cut::Excerpt, Cut::TitleOnly],
        Some(Role::Scratch) => [Cut::TitleOnly, Cut::TitleHead, Cut::TitleOnly],
        Some(Role::ExternalReference) => [Cut::TitleFirstPara, Cut::TitleFirstPara, Cut::TitleOnly],
    };
    match consumer {
        Consumer::Reviewer => reviewer,
        Consumer::Author => author,
        Consumer::Brief => brief,
        Consumer::Full => Cut::Full,
    }
}

/// Place in the order in which a ceiling trims: the first gives way first.
pub(crate) fn trim_order(role: Option<Role>) -> u8 {
    match role {
        Some(Role::Scratch) => 0,
        Some(Role::ExternalReference) => 1,
        Some(Role::Conversation) => 2,
        Some(Role::RelatedWork) | None => 3,
        Some(Role::PriorDecision) => 4,
        Some(Role::Spec) => 5,
    }
}

/// What a cut leaves of a document.
pub(crate) fn apply(cut: Cut, document: &Document, title: &str, tokenizer: Tokenizer) -> String {
    if cut == Cut::Full {
        return document.body.clone();
    }
    let short = Shortener::new(title, document, tokenizer);
    match cut {
        Cut::Full => document.body.clone(),
        Cut::FirstSectionToc => short.first_section_and_contents(HEAD_TOKENS),
        Cut::TitleFirstPara => short.title_and_first_paragraph(),
        Cut::Head => short.beginning(HEAD_TOKENS),
        Cut::TitleExcerpt => short.title_and_beginning(REVIEWER_EXCERPT_TOKENS),
        Cut::Excerpt => short.beginning(AUTHOR_EXCERPT_TOKENS),
        Cut::TitleHead => short.title_and_beginning(HEAD_TOKENS),
        Cut::TitleOnly => short.title(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests {
    use super::*;

    /// The table of the original skill, row by row.
    const TABLE: &str = "\
spec               | full               | full               | first-section + TOC | full
prior-decision     | full               | full               | first-section + TOC | full
related-work       | title + first-para | head               | title only          | full
conversation       | title + excerpt    | excerpt            | title only          | full
scratch            | title only         | title + head       | title only          | full
external-reference | title + first-para | title + first-para | title only          | full
none               | title + first-para | head               | title only          | full
";

    #[test]
    fn every_cell_is_that_of_the_table() {
        let mut rows = String::new();
        for role in Role::ALL.map(Some).into_iter().chain([None]) {
            let cells: Vec<_> = Consumer::ALL
                .iter()
                .map(|consumer| cut(role, *consumer).label())
                .collect();
            let [reviewer, author, brief, full] = cells.as_slice() else {
                panic!("{cells:?}");
            };
            let label = role.map_or("none", Role::label);
            rows +=
                &format!("{label:<18} | {reviewer:<18} | {author:<18} | {brief:<19} | {full}\n");
        }
        assert_eq!(rows, TABLE);
    }

    #[test]
    fn labels_lead_back_to_their_role() {
        for role in Role::ALL {
            assert_eq!(Role::labelled(role.label()), Some(role));
        }
        assert_eq!(Role::labelled("Spec"), None);
    }
}
