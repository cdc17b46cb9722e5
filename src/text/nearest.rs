//! Which names are most like one that does not exist?

/// Characters of a name that a message shows; names of the specification have at most 64.
pub const NAME_CHARS: usize = 100;
/// Smallest Jaro-Winkler similarity of a name that is offered as "did you mean"; the value that command line parsers
/// use for the same purpose.
const SIMILAR: f64 = 0.7;
/// How many names are listed in a message before it is cut.
pub const NAMES_SHOWN: usize = 5;

/// The names most like `name`, best first.
#[must_use]
pub fn nearest(name: &str, names: &[String]) -> Vec<String> {
    // The comparison takes time with the product of the lengths, and nothing is like a name of a page.
    if name.chars().count() > NAME_CHARS {
        return Vec::new();
    }
    let mut scored: Vec<(i64, &String)> = names
        .iter()
        .filter(|other| other.len() <= NAME_CHARS * 4)
        .map(|other| (strsim::jaro_winkler(name, other), other))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .map(|(similarity, other)| ((similarity * 1000.0).round() as i64, other))
        .collect();
    scored.sort_by_key(|(similarity, other)| (std::cmp::Reverse(*similarity), *other));
    scored
        .into_iter()
        .take(NAMES_SHOWN)
        .map(|(_, other)| other.clone())
        .collect()
}
