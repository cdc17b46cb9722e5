//! How do thousands of warnings of one kind become one line?

use std::collections::BTreeMap;

/// Warnings of one kind that are told one by one.
const TOLD: usize = 20;
/// Words by which warnings are of one kind. Numbers differ and do not count.
const KIND_WORDS: usize = 3;

/// The warnings, those of a kind that comes too often as the first of them with the number of the others.
pub(crate) fn folded_warnings(warnings: Vec<String>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for warning in &warnings {
        *counts.entry(kind(warning)).or_default() += 1;
    }
    let mut out = Vec::new();
    for warning in warnings {
        match counts.get_mut(&kind(&warning)) {
            Some(0) => {}
            Some(count) if *count > TOLD => {
                out.push(format!("{warning} (and {} more of this kind)", *count - 1));
                *count = 0;
            }
            _ => out.push(warning),
        }
    }
    out
}

/// The first words of a warning without their numbers; a label ends them.
fn kind(warning: &str) -> String {
    let mut words = Vec::new();
    for word in warning.split_whitespace() {
        if word.chars().any(|c| c.is_ascii_digit()) {
            continue;
        }
        words.push(word);
        if word.ends_with(':') || words.len() == KIND_WORDS {
            break;
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_too_often_becomes_one_line() {
        let many = |count: usize| {
            (0..count)
                .map(|one| format!("User story {one} refers to story 7"))
                .chain(["Drift: a".to_owned()])
                .collect::<Vec<_>>()
        };
        assert_eq!(folded_warnings(many(20)), many(20));
        assert_eq!(
            folded_warnings(many(21)),
            [
                "User story 0 refers to story 7 (and 20 more of this kind)",
                "Drift: a"
            ]
        );
    }
}
