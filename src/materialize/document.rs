//! What does a linked document say, whatever it is written in?
//!
//! Text passes as it is, HTML becomes Markdown, and anything else is a line that says what it is.

use super::charset::decode;
use super::page_guard::is_within_bounds;
use crate::text::frontmatter;
use crate::text::markdown::outline;
use crate::text::yaml::mapping;
use std::path::Path;

/// Elements of a page that hold nothing to read.
const SKIPPED_TAGS: [&str; 5] = ["head", "script", "style", "noscript", "template"];

/// A document as it is given to readers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    /// What it calls itself: `title` of its frontmatter, else its first heading, else the title of a page.
    pub(crate) title: Option<String>,
    /// Its text without frontmatter.
    pub(crate) body: String,
    /// Bytes that it has where it comes from.
    pub(crate) bytes: u64,
    /// What had to be changed, a sentence each.
    pub(crate) warnings: Vec<String>,
}

/// What to do with a type of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Html,
    /// Markdown, or text that may be.
    Text,
    /// JSON, XML, YAML: no frontmatter, no headings.
    Data,
    Other,
}

/// The document that bytes of a type are; without a type they are judged by themselves.
pub(crate) fn document(bytes: &[u8], content_type: Option<&str>) -> Document {
    let essence = essence(content_type.unwrap_or_default());
    let class = match essence.as_str() {
        "" => guess(bytes),
        essence => class(essence),
    };
    if class == Class::Other {
        return placeholder(&essence, bytes);
    }
    let charset = content_type.and_then(charset);
    let (text, replaced) = decode(bytes, charset.as_deref(), class == Class::Html);
    if text.contains('\0') {
        return placeholder(&essence, bytes);
    }
    let mut document = match class {
        Class::Html => page(&text),
        Class::Data => untitled(text),
        Class::Text | Class::Other => markdown(&text),
    };
    document.bytes = bytes.len() as u64;
    if replaced {
        let warning = "bytes that do not fit the declared encoding were replaced".to_owned();
        document.warnings.push(warning);
    }
    document
}

/// The type of a file by its name, where that says more than its bytes.
pub(crate) fn type_by_name(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "md" | "markdown" => "text/markdown",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "xml" => "application/xml",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "zip" => "application/zip",
        _ => return None,
    })
}

/// `type/subtype` of a `Content-Type`, in lowercase.
fn essence(content_type: &str) -> String {
    let essence = content_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// The `charset` of a `Content-Type`.
fn charset(content_type: &str) -> Option<String> {
    let mut parameters = content_type.split(';').skip(1);
    parameters.find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches('"').to_owned())
    })
}

fn class(essence: &str) -> Class {
    let (kind, subtype) = essence.split_once('/').unwrap_or((essence, ""));
    match (kind, subtype) {
        ("image" | "audio" | "video" | "font", _) => Class::Other,
        (_, "html" | "xhtml+xml") => Class::Html,
        (_, "json" | "xml" | "yaml" | "x-yaml") => Class::Data,
        (_, subtype) if subtype.ends_with("+json") || subtype.ends_with("+xml") => Class::Data,
        (_, subtype) if subtype.ends_with("+yaml") => Class::Data,
        ("text", _) => Class::Text,
        _ => Class::Other,
    }
}

/// The class of bytes without a type.
fn guess(bytes: &[u8]) -> Class {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Class::Other;
    };
    let start: String = text.trim_start().chars().take(14).collect();
    let start = start.to_ascii_lowercase();
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        Class::Html
    } else {
        Class::Text
    }
}

fn placeholder(essence: &str, bytes: &[u8]) -> Document {
    let kind = if essence.is_empty() {
        "application/octet-stream"
    } else {
        essence
    };
    let size = bytes.len();
    let text = format!("[{kind}, {size} bytes: not shown]\n");
    Document {
        bytes: size as u64,
        ..untitled(text)
    }
}

fn untitled(body: String) -> Document {
    Document {
        title: None,
        body,
        bytes: 0,
        warnings: Vec::new(),
    }
}

/// Text without its frontmatter. A block that is no YAML is taken off all the same, and names nothing.
fn markdown(text: &str) -> Document {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let block = frontmatter::opening(text)
        .and_then(|opening| Some((frontmatter::closing(text, &opening)?, opening)));
    let (body, own) = match block {
        Some((closing, opening)) => {
            let block = text.get(opening.content_start..closing.block_end);
            let map = mapping(block.unwrap_or_default(), opening.content_line);
            let title = map
                .ok()
                .and_then(|map| map.text("title").map(str::to_owned));
            (text.get(closing.body_start..).unwrap_or_default(), title)
        }
        None => (text, None),
    };
    Document {
        title: own.or_else(|| first_heading(body)),
        ..untitled(body.to_owned())
    }
}

fn first_heading(body: &str) -> Option<String> {
    let headings = outline(body).headings;
    let first = headings.into_iter().find(|heading| heading.level == 1)?;
    Some(first.text).filter(|text| !text.is_empty())
}

/// A page as Markdown; one that no parser should be given stays as it is.
fn page(html: &str) -> Document {
    let converter = htmd::HtmlToMarkdown::builder()
        .skip_tags(SKIPPED_TAGS.to_vec())
        .build();
    let converted = is_within_bounds(html).then(|| converter.convert(html).ok());
    match converted.flatten() {
        Some(mut body) => {
            if !body.is_empty() && !body.ends_with('\n') {
                body.push('\n');
            }
            Document {
                title: first_heading(&body).or_else(|| page_title(html)),
                ..untitled(body)
            }
        }
        None => Document {
            title: page_title(html),
            warnings: vec!["the page is too intricate for Markdown and stays HTML".to_owned()],
            ..untitled(html.to_owned())
        },
    }
}

/// What stands in the `title` element of a page.
fn page_title(html: &str) -> Option<String> {
    // Lowercasing ASCII moves no offset.
    let lower = html.to_ascii_lowercase();
    let tag = lower.find("<title")?;
    let start = tag + lower.get(tag..)?.find('>')? + 1;
    let end = start + lower.get(start..)?.find("</title")?;
    let title = htmd::convert(html.get(start..end)?).ok()?;
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then_some(title)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests;
