//! What gives way when the file is larger than its reader can take?

use super::page::Page;
use vibey_context_contracts::materialize::Cut;

/// The ladder below what the role table gives.
const LADDER: [Cut; 3] = [Cut::FirstSectionToc, Cut::TitleFirstPara, Cut::TitleOnly];

/// Trims until the whole file has at most `ceiling` tokens: one link at a time down the ladder, by role, the longest
/// first. A rung that does not make the file smaller, its line in `## Budget trims` included, is left out. Returns
/// whether the file fits in the end.
///
/// # Errors
/// A template fails.
pub(crate) fn enforce(page: &mut Page, ceiling: u64) -> Result<bool, askama::Error> {
    let mut size = page.size()?;
    for section in page.trim_order().to_vec() {
        for cut in LADDER {
            if page.tokens_of(size) <= ceiling {
                return Ok(true);
            }
            let Some(before) = page.lower(section, cut)? else {
                continue;
            };
            let smaller = page.size()?;
            if smaller < size {
                size = smaller;
            } else {
                page.put_back(section, before);
            }
        }
    }
    Ok(page.tokens_of(size) <= ceiling)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests {
    use super::*;
    use crate::materialize::document::document;
    use crate::materialize::page::Facts;
    use crate::materialize::reason::Reason;
    use crate::materialize::resolve::{Origin, Ref, Resolved};
    use crate::materialize::roles::Role;
    use crate::text::tokens::Tokenizer;
    use proptest::prelude::*;
    use std::sync::Arc;
    use vibey_context_contracts::materialize::Consumer;

    /// A link to a document with so many paragraphs; to none at all where there are none.
    fn link(number: usize, role: usize, paragraphs: usize) -> Ref<Resolved> {
        let role = Role::ALL.get(role).copied();
        let text = format!(
            "# T{number}\n\n{}",
            "## S\n\nText of it.\n\n".repeat(paragraphs)
        );
        let resolved = Resolved {
            title: format!("T{number}"),
            document: Arc::new(document(text.as_bytes(), None, "", None)),
            source: format!("tree/{number}.md"),
            fetched_at: "now".to_owned(),
            origin: Origin::Brain,
        };
        Ref {
            uri: format!("/tree/{number}.md"),
            label: role.map(|role| role.label().to_owned()),
            role,
            outcome: if paragraphs == 0 {
                Err(Reason::NotFound.into())
            } else {
                Ok(resolved)
            },
        }
    }

    fn page(links: &[(usize, usize)], ceiling: u64, tokenizer: Tokenizer) -> Page {
        let links = links.iter().enumerate();
        let refs: Vec<_> = links
            .map(|(number, (role, paragraphs))| link(number, *role, *paragraphs))
            .collect();
        let facts = Facts {
            artifact: "threads/t/thread.md".to_owned(),
            artifact_id: "t".to_owned(),
            primary_project: "app".to_owned(),
            title: "T".to_owned(),
            generated_at: "now".to_owned(),
            consumer: Consumer::Full,
            roles: Vec::new(),
            max_tokens: Some(ceiling),
            tokenizer,
        };
        Page::new(facts, &refs, |_| Cut::Full).unwrap()
    }

    proptest! {
        #[test]
        fn trimming_makes_a_file_smaller_or_leaves_it(
            links in prop::collection::vec((0_usize..8, 0_usize..30), 0..12),
            ceiling in 1_u64..2_500,
        ) {
            let tokenizer = Tokenizer::Estimate;
            let mut page = page(&links, ceiling, tokenizer);
            let before = page.text().unwrap();
            let fits = enforce(&mut page, ceiling).unwrap();
            let after = page.text().unwrap();
            let size = page.size().unwrap();
            prop_assert_eq!(page.tokens_of(size), tokenizer.count(&after), "the file is measured as it is");
            prop_assert_eq!(fits, tokenizer.count(&after) <= ceiling);
            if tokenizer.count(&before) <= ceiling {
                prop_assert_eq!(&before, &after);
            }
            prop_assert_eq!(page.ceiling_hit(), before != after);
            prop_assert!(before == after || after.len() < before.len(), "{} to {}", before.len(), after.len());
        }
    }

    #[test]
    fn a_vocabulary_measures_the_file_as_it_is() {
        let links = [(0, 20), (3, 1), (6, 9), (4, 0), (1, 15)];
        for links in [&links[..], &links[..3], &[(4, 0)], &[]] {
            let mut page = page(links, 300, Tokenizer::O200kBase);
            enforce(&mut page, 300).unwrap();
            let size = page.size().unwrap();
            let text = page.text().unwrap();
            assert_eq!(page.tokens_of(size), Tokenizer::O200kBase.count(&text));
        }
    }
}
