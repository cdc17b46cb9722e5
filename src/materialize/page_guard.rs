//! May a page be given to an HTML parser, without it taking for ever or building more than the memory holds?
//!
//! The parsing rules of HTML are quadratic in places: each tag looks through all open elements, each attribute through
//! those before it, and formatting elements that nobody closes are opened anew in every paragraph. One pass over the
//! tags bounds all three.

use std::collections::BTreeMap;

/// Elements that may be open at once. Real pages have some dozens; what walks the tree afterwards recurses, and its
/// stack must not overflow.
const OPEN_MAX: usize = 400;

/// Attributes of one tag. Real ones have less than fifty.
const ATTRIBUTES_MAX: usize = 1_000;

/// Elements that the parser may build by opening formatting elements anew: half a gigabyte at most.
const REOPENED_MAX: usize = 2_000_000;

/// Formatting elements of the HTML standard.
const FORMATTING: &[&str] = &[
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// Elements that have no end, or whose end may be left out; the next of their kind closes them.
const SELF_CLOSING: &[&str] = &[
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html",
    "img", "input", "li", "link", "meta", "optgroup", "option", "p", "param", "rp", "rt", "source",
    "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
];

/// Whether the tags of a page stay within all bounds.
pub(crate) fn is_within_bounds(html: &str) -> bool {
    let mut open = BTreeMap::<String, usize>::new();
    let (mut tags, mut formatting_most) = (0_usize, 0_usize);
    for (at, _) in html.match_indices('<') {
        let Some(tag) = html.get(at + 1..).and_then(Tag::read) else {
            continue;
        };
        tags += 1;
        if tag.attributes > ATTRIBUTES_MAX {
            return false;
        }
        if SELF_CLOSING.contains(&tag.name.as_str()) {
            continue;
        }
        if tag.closes {
            if let Some(count) = open.get_mut(&tag.name) {
                *count = count.saturating_sub(1);
            }
            continue;
        }
        *open.entry(tag.name).or_default() += 1;
        let formatting = FORMATTING.iter().filter_map(|name| open.get(*name)).sum();
        formatting_most = formatting_most.max(formatting);
        if open.len() > OPEN_MAX || open.values().sum::<usize>() > OPEN_MAX {
            return false;
        }
    }
    tags.saturating_mul(formatting_most) <= REOPENED_MAX
}

/// What of a tag the bounds are about.
struct Tag {
    name: String,
    closes: bool,
    attributes: usize,
}

impl Tag {
    /// The tag whose `<` stands before `text`; `None` for anything else.
    fn read(text: &str) -> Option<Self> {
        let (closes, text) = match text.strip_prefix('/') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>');
        let (name, rest) = text.split_at_checked(text.find(is_end).unwrap_or(text.len()))?;
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        Some(Self {
            name: name.to_ascii_lowercase(),
            closes,
            attributes: if closes { 0 } else { attributes(rest) },
        })
    }
}

/// How many attributes stand before the end of a tag, estimated from above and not beyond the bound.
fn attributes(rest: &str) -> usize {
    let mut quote = None;
    let mut previous = ' ';
    let mut separators = 0;
    for c in rest.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => continue,
            // Elsewhere a quote is a letter of a name.
            (None, '"' | '\'') if previous == '=' => quote = Some(c),
            (None, '>') => break,
            (None, c) if c.is_ascii_whitespace() || matches!(c, '=' | '/') => separators += 1,
            _ => {}
        }
        if !c.is_ascii_whitespace() {
            previous = c;
        }
        // An attribute has a blank before it or an equals sign behind it; most have both.
        if separators > 2 * ATTRIBUTES_MAX {
            return ATTRIBUTES_MAX + 1;
        }
    }
    separators / 2
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests {
    use super::*;

    #[test]
    fn pages_as_people_write_them_are_within_bounds() {
        let row = "<tr><td>a<td><a href='x' class=\"y\">b</a>\n<p>c<p>d<br><img src=x>";
        let list = "<ul><li>x<li><b>y</b></ul>";
        let page = format!(
            "<html><body><table>{}</table>{}",
            row.repeat(5_000),
            list.repeat(5_000)
        );
        assert!(is_within_bounds(&page));
        assert!(is_within_bounds("a < b and <"));
    }

    #[test]
    fn what_makes_a_parser_quadratic_is_not() {
        let many_names: String = (0..500).map(|n| format!("<x{n}>")).collect();
        for page in [
            "<div>".repeat(1_000),
            "<div></x>".repeat(1_000),
            many_names,
            format!("<p {}>", "a=1 ".repeat(5_000)),
            format!("<p {}>", "a ".repeat(5_000)),
            format!("<p ' {}>", "a ".repeat(5_000)),
            format!("<p>{}{}", "<b>".repeat(300), "<p>x".repeat(100_000)),
        ] {
            assert!(!is_within_bounds(&page), "{:.60}", page);
        }
    }
}
