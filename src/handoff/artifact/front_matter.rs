//! Where does the front matter of a Markdown artifact end? CommonMark reads its last line as a heading, which it is not.

use crate::text::frontmatter::{closing, opening};

/// The text with its front matter blank, line breaks kept.
pub(crate) fn without_front_matter(text: &str) -> String {
    let parts = opening(text)
        .filter(|opening| !opening.leading)
        .and_then(|opening| {
            let closing = closing(text, &opening)?;
            let block = text.get(opening.content_start..closing.block_end)?;
            // A rule at the start of a page and a second one further down hold prose between them.
            is_yaml(block).then(|| text.split_at_checked(closing.body_start))?
        });
    match parts {
        Some((head, body)) => "\n".repeat(head.matches('\n').count()) + body,
        None => text.to_owned(),
    }
}

/// Words of a key at most: more are a sentence with a colon in it.
const KEY_WORDS: usize = 3;

/// Whether every line could be one of a table in YAML, and one of them names a key.
fn is_yaml(block: &str) -> bool {
    let is_key = |line: &str| {
        let key = line.split_once(':').map(|(key, _)| key);
        key.is_some_and(|key| {
            let word = |word: &str| {
                let mut chars = word.chars();
                chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\''))
            };
            let words: Vec<&str> = key.split(' ').collect();
            !key.starts_with([' ', '-'])
                && !key.is_empty()
                && words.len() <= KEY_WORDS
                && words.into_iter().all(word)
        })
    };
    let goes_on = |line: &str| {
        line.trim().is_empty()
            || line.starts_with([' ', '\t', '#', ']', '}'])
            || line.starts_with("- ")
    };
    block.lines().any(is_key) && block.lines().all(|line| is_key(line) || goes_on(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_goes_and_prose_between_rules_stays() {
        let text = "---\ntitle: Summary\ntags:\n  - a\n- b\n---\n# T\n";
        assert_eq!(without_front_matter(text), "\n\n\n\n\n\n# T\n");
        let text = "---\nFeature Name: Summary\n---\n# T\n";
        assert_eq!(without_front_matter(text), "\n\n\n# T\n");
        for text in [
            "---\nWe do it like this: first one thing\n---\n",
            "---\n\n# T\n\nSome prose.\n\n---\n\nmore\n",
            "---\ntitle: never closed\n",
            "# T\n\n---\ntitle: x\n---\n",
            "no",
            "",
        ] {
            assert_eq!(without_front_matter(text), text);
        }
    }
}
