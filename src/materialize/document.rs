//! What does a linked document say, whatever it is written in?
//!
//! Text passes as it is, HTML becomes Markdown, and anything else is a line that says what it is.

use super::charset::decode;
use super::web_page;
use crate::text::frontmatter;
use crate::text::markdown::outline;
use crate::text::yaml::mapping;
use std::path::Path;

/// Extensions of files that are read as prose. In any other a `#` may begin a comment as well as a heading.
const PROSE: [&str; 7] = ["md", "markdown", "mdx", "txt", "rst", "adoc", "org"];

/// Characters of an extension. What is longer is a part of a name.
const EXTENSION_MAX_CHARS: usize = 10;

/// A document as it is given to readers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    /// What it calls itself: `title` of its frontmatter, else its first heading, else the title of a page.
    pub(crate) title: Option<String>,
    /// Its text without frontmatter.
    pub(crate) body: String,
    /// Whether it is code or data: it has neither headings nor paragraphs.
    pub(crate) is_code: bool,
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
    /// Code, JSON, XML, YAML: no frontmatter, no headings.
    Code,
    Other,
}

/// The document that bytes of a type are; without a type they are judged by themselves. `name`, that of a file, tells code
/// from prose; links of a page start at `base`.
pub(crate) fn document(
    bytes: &[u8],
    content_type: Option<&str>,
    name: &str,
    base: Option<&str>,
) -> Document {
    let essence = essence(content_type.unwrap_or_default());
    let class = match essence.as_str() {
        "" => guess(bytes),
        essence => class(essence),
    };
    let by_name = class == Class::Text && !is_markdown(&essence);
    let class = if by_name && is_code(name) {
        Class::Code
    } else {
        class
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
        Class::Html => page(&text, base),
        Class::Code => Document {
            is_code: true,
            ..untitled(text)
        },
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
        "html" | "htm" | "xhtml" => "text/html",
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

/// Whether a server vouches that a text is Markdown, whatever its name.
fn is_markdown(essence: &str) -> bool {
    matches!(essence, "text/markdown" | "text/x-markdown")
}

/// Whether a file of this name is something else than prose.
fn is_code(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    let is_extension = extension.len() <= EXTENSION_MAX_CHARS
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.chars().all(|c| c.is_ascii_alphanumeric());
    let is_prose = PROSE
        .iter()
        .any(|prose| prose.eq_ignore_ascii_case(extension));
    is_extension && !stem.is_empty() && !is_prose
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
        (_, "json" | "xml" | "yaml" | "x-yaml") => Class::Code,
        (_, subtype) if subtype.ends_with("+json") || subtype.ends_with("+xml") => Class::Code,
        (_, subtype) if subtype.ends_with("+yaml") => Class::Code,
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
        is_code: false,
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
fn page(html: &str, base: Option<&str>) -> Document {
    let page = web_page::read(html, base);
    match page.body {
        Some(body) => Document {
            title: first_heading(&body).or(page.title),
            ..untitled(body)
        },
        None => Document {
            title: page.title,
            warnings: vec!["the page is too intricate for Markdown and stays HTML".to_owned()],
            ..untitled(html.to_owned())
        },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests;
