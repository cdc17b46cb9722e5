use super::*;

fn of(bytes: &[u8], content_type: &str) -> (String, Option<String>) {
    let document = document(
        bytes,
        Some(content_type).filter(|text| !text.is_empty()),
        "",
        None,
    );
    assert_eq!(document.bytes, bytes.len() as u64);
    (document.body, document.title)
}

fn body(bytes: &[u8], content_type: &str) -> String {
    of(bytes, content_type).0
}

#[test]
fn text_passes_and_other_types_are_named() {
    for (bytes, content_type, expected) in [
        (&b"a\r\nb"[..], "text/plain", "a\r\nb"),
        (b"{}", "application/json; charset=utf-8", "{}"),
        (
            b"---\na: 1\n---\nb: 2\n",
            "application/yaml",
            "---\na: 1\n---\nb: 2\n",
        ),
        (b"<a/>", "application/atom+xml", "<a/>"),
        (b"caf\xe9", "Text/Plain; Charset=\"latin1\"", "café"),
        (
            b"%PDF",
            "application/pdf",
            "[application/pdf, 4 bytes: not shown]\n",
        ),
        (
            b"<svg/>",
            "image/svg+xml",
            "[image/svg+xml, 6 bytes: not shown]\n",
        ),
        (b"a\0b", "text/plain", "[text/plain, 3 bytes: not shown]\n"),
        (
            b"\xff",
            "",
            "[application/octet-stream, 1 bytes: not shown]\n",
        ),
        (b"plain", "", "plain"),
        (b"", "", ""),
    ] {
        assert_eq!(body(bytes, content_type), expected, "{content_type}");
    }
}

#[test]
fn pages_become_markdown() {
    let html = b"<!DOCTYPE html><html><head><title>A &amp; B</title><style>x</style></head>\
        <body><h2>Part</h2><p>One <b>two</b>.</p><script>evil()</script></body></html>";
    for content_type in ["text/html", "application/xhtml+xml; charset=utf-8", ""] {
        let (body, title) = of(html, content_type);
        assert_eq!(body, "## Part\n\nOne **two**.\n", "{content_type}");
        assert_eq!(title.as_deref(), Some("A & B"));
    }
    let (_, title) = of(b"<title>x</title><h1>The page</h1>", "text/html");
    assert_eq!(title.as_deref(), Some("The page"));
}

#[test]
fn a_page_of_any_depth_is_survived() {
    let html = "<div>".repeat(50_000);
    let document = document(html.as_bytes(), Some("text/html"), "", None);
    assert_eq!(document.body, html);
    assert_eq!(document.warnings.len(), 1);
}

#[test]
fn titles_come_from_frontmatter_then_heading() {
    for (text, title, body) in [
        ("---\ntitle: T\n---\n# H\n", Some("T"), "# H\n"),
        ("---\r\ntitle: T\r\n---\r\nx", Some("T"), "x"),
        ("---\na: [\n---\n# H\n", Some("H"), "# H\n"),
        ("## two\n\nH\n=\n", Some("H"), "## two\n\nH\n=\n"),
        ("```\n# no\n```\n", None, "```\n# no\n```\n"),
        ("---\nopen", None, "---\nopen"),
    ] {
        let got = of(text.as_bytes(), "text/markdown");
        assert_eq!(got, (body.to_owned(), title.map(str::to_owned)), "{text:?}");
    }
}
