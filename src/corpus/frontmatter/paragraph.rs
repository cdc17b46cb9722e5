//! What describes a skill that has no frontmatter? The first paragraph of its body, as plain text.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// Bytes that are searched for the paragraph; who has said nothing by then is not described by what follows.
const WINDOW: usize = 64 * 1024;

/// The first paragraph with text in it, at most `limit` characters; headings, code and images are passed over.
pub(super) fn first(text: &str, limit: usize) -> Option<String> {
    let mut end = WINDOW.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut words = String::new();
    let mut inside = false;
    let mut images = 0_usize;
    for event in Parser::new(text.get(..end)?) {
        match event {
            Event::Start(Tag::Paragraph) => inside = true,
            Event::End(TagEnd::Paragraph) => {
                inside = false;
                let joined = words.split_whitespace().collect::<Vec<_>>().join(" ");
                if !joined.is_empty() {
                    return Some(joined.chars().take(limit).collect());
                }
                words.clear();
            }
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images = images.saturating_sub(1),
            Event::Text(part) | Event::Code(part) if inside && images == 0 => {
                words.push_str(&part);
            }
            Event::SoftBreak | Event::HardBreak if inside => words.push(' '),
            _ => {}
        }
    }
    None
}
