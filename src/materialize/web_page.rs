//! What does a web page say, as Markdown, without what stands around it on every page of its site?

use cost::tag;
use htmd::element_handler::Handlers;
use htmd::{Element, HtmlToMarkdown, HtmlToMarkdownBuilder, Node};
use markup5ever_rcdom::NodeData;
use reqwest::Url;
use std::rc::Rc;

mod cost;
mod tree;

/// Elements that hold nothing to read.
const EMPTY_TAGS: [&str; 7] = [
    "head", "iframe", "noscript", "script", "style", "svg", "template",
];

/// Elements that stand around what a page is about.
const AROUND_TAGS: [&str; 4] = ["aside", "footer", "form", "nav"];

/// The elements that hold what a page is about, the better one first: the only one of its kind is the page.
const CONTENT_TAGS: [&str; 2] = ["main", "article"];

/// A page for readers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WebPage {
    /// What stands in its `title` element.
    pub(crate) title: Option<String>,
    /// Its text as Markdown; `None` for one that is too intricate for that.
    pub(crate) body: Option<String>,
}

/// Reads a page. Its links start at `base`, the address that it has in the end.
pub(crate) fn read(html: &str, base: Option<&str>) -> WebPage {
    let tree = tree::parse(html);
    let base = base.and_then(|base| Url::parse(base).ok());
    let is_bearable = tree.whole && cost::is_bearable(&tree.document);
    WebPage {
        title: title(&tree.document),
        body: is_bearable.then(|| markdown(&tree.document, base)),
    }
}

fn markdown(document: &Rc<Node>, base: Option<Url>) -> String {
    let content = CONTENT_TAGS.iter().find_map(|tag| only(document, tag));
    let without_around = converter(base.clone())
        .skip_tags(AROUND_TAGS.to_vec())
        .build();
    let nodes = content.iter().chain([document]);
    let texts = nodes.map(|node| lines(&without_around.tree_to_markdown(node)));
    // All of some pages stands in one form.
    let all = || lines(&converter(base).build().tree_to_markdown(document));
    let mut texts = texts.filter(|text| !text.is_empty());
    texts.next().unwrap_or_else(all)
}

/// The only element of a kind that is read.
fn only(document: &Rc<Node>, wanted: &str) -> Option<Rc<Node>> {
    let mut found = None;
    let mut open = vec![Rc::clone(document)];
    while let Some(node) = open.pop() {
        match tag(&node) {
            Some(tag) if EMPTY_TAGS.contains(&tag) || AROUND_TAGS.contains(&tag) => continue,
            // A second one.
            Some(tag) if tag == wanted && found.replace(Rc::clone(&node)).is_some() => return None,
            _ => {}
        }
        open.extend(node.children.borrow().iter().cloned());
    }
    found
}

/// What stands in the first `title` element, but for those of drawings.
fn title(document: &Rc<Node>) -> Option<String> {
    let mut open = vec![Rc::clone(document)];
    while let Some(node) = open.pop() {
        if tag(&node) == Some("svg") {
            continue;
        }
        let children = node.children.borrow();
        if tag(&node) == Some("title") {
            let texts = children.iter().filter_map(|child| match &child.data {
                NodeData::Text { contents } => Some(contents.borrow().to_string()),
                _ => None,
            });
            let text = texts.collect::<String>();
            let words: Vec<&str> = text.split_whitespace().collect();
            return (!words.is_empty()).then(|| words.join(" "));
        }
        open.extend(children.iter().rev().cloned());
    }
    None
}

fn converter(base: Option<Url>) -> HtmlToMarkdownBuilder {
    let builder = HtmlToMarkdown::builder().skip_tags(EMPTY_TAGS.to_vec());
    let Some(base) = base else {
        return builder;
    };
    builder.add_handler(
        vec!["a", "img"],
        move |handlers: &dyn Handlers, element: Element| {
            let mut attributes = element.attrs.to_vec();
            for attribute in &mut attributes {
                let is_link = matches!(&*attribute.name.local, "href" | "src");
                // A place in the same page is found in the text.
                if is_link
                    && !attribute.value.starts_with('#')
                    && let Ok(absolute) = base.join(&attribute.value)
                {
                    attribute.value = absolute.as_str().into();
                }
            }
            let mut absolute = element;
            absolute.attrs = &attributes;
            handlers.fallback(absolute)
        },
    )
}

/// A text as whole lines, none of them empty at its start and end.
fn lines(text: &str) -> String {
    match text.trim_matches('\n') {
        "" => String::new(),
        text => format!("{text}\n"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests {
    use super::*;

    fn markdown(html: &str, base: Option<&str>) -> Option<String> {
        read(html, base).body
    }

    #[test]
    fn what_stands_around_a_page_is_left_out() {
        let around = "<nav><a href=/>Home</a></nav><form><button>Go</button></form><svg><text>logo</text></svg>";
        let html = format!(
            "<html><body>{around}<header><h1>T</h1></header><p>Text.</p><aside>More</aside><iframe>x</iframe>\
             <footer>End</footer></body></html>"
        );
        assert_eq!(markdown(&html, None).unwrap(), "# T\n\nText.\n");
        let form = "<form><p>All in one form.</p></form>";
        assert_eq!(markdown(form, None).unwrap(), "All in one form.\n");
        assert_eq!(markdown("<nav></nav>", None).unwrap(), "");
    }

    #[test]
    fn the_only_element_with_content_is_the_page() {
        for (html, text) in [
            (
                "<div>Banner</div><main><h1>T</h1><p>Text.</p></main><div>End</div>",
                "# T\n\nText.\n",
            ),
            (
                "<div>Banner</div><article><p>Text.</p></article>",
                "Text.\n",
            ),
            (
                "<article>Other</article><main><article>Text.</article></main>",
                "Text.\n",
            ),
            (
                "<p>A</p><article>B</article><article>C</article>",
                "A\n\nB\n\nC\n",
            ),
            (
                "<p>A</p><main>B</main><main>C</main><article>D</article>",
                "D\n",
            ),
            ("<p>A</p><main></main>", "A\n"),
            (
                "<p>A</p><!-- <main>B</main> --><script>'<main>C</main>'</script>",
                "A\n",
            ),
        ] {
            assert_eq!(markdown(html, None).unwrap(), text, "{html}");
        }
    }

    #[test]
    fn links_start_at_the_page() {
        let html = "<p><a href=\"../b?x=1\" title=t>B</a> <a href='#c'>C</a> <a href='mailto:d@e'>D</a> <img src=/f.png alt=F> \
                    <a>none</a></p>";
        let text = markdown(html, Some("https://example.org/docs/a/page")).unwrap();
        assert_eq!(
            text,
            "[B](https://example.org/docs/b?x=1 \"t\") [C](#c) [D](mailto:d@e) ![F](https://example.org/f.png) none\n"
        );
        assert!(markdown(html, None).unwrap().contains("[B](../b?x=1"));
    }
    #[test]
    fn a_title_is_one_of_the_page() {
        for (html, title) in [
            ("<title> A &amp;\n B </title><h1>x</h1>", Some("A & B")),
            (
                "<svg><title>Logo</title></svg><title>Page</title>",
                Some("Page"),
            ),
            ("<svg><title>Logo</title></svg>", None),
            ("<title></title>", None),
            ("<title>open", Some("open")),
        ] {
            assert_eq!(read(html, None).title.as_deref(), title, "{html}");
        }
    }

    #[test]
    fn pages_as_people_write_them_are_within_bounds() {
        let row = "<tr><td>a<td><a href='x' class=\"y\">b</a>\n<p>c<p>d<br><img src=x>";
        let list = "<ul><li>x<li><b>y</b></ul><!-- a remark -->";
        let page = format!(
            "<html><body><table>{}</table>{}<img src=\"data:image/png;base64,{}\">",
            row.repeat(5_000),
            list.repeat(5_000),
            "iVBORw0K/GgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4".repeat(15_000)
        );
        assert!(markdown(&page, None).is_some());
        assert!(markdown("a < b and <", None).is_some());
        let deep = format!(
            "{}x",
            "<div><ul><li><blockquote>".repeat(tree::DEPTH_MAX / 4 - 2)
        );
        assert!(markdown(&deep, None).is_some());
    }

    #[test]
    fn what_would_keep_a_parser_busy_or_overflow_is_not() {
        let names: String = (0..500).map(|n| format!("<x{n}>")).collect();
        let bold: String = (0..300).map(|n| format!("<b a={n}>")).collect();
        let attributes: String = (0..30_000).map(|n| format!("a{n} ")).collect();
        for page in [
            "<div>".repeat(1_000),
            "<div></x>".repeat(1_000),
            names,
            format!("<p {attributes}>"),
            format!("<p>{bold}{}", "<p>x".repeat(100_000)),
            format!("<svg>{}", "<td>".repeat(10_000)),
            "<rt>".repeat(20_000),
            "<optgroup>".repeat(20_000),
            "<div><object></div></object>".repeat(20_000),
            format!("{}<title>{}", "<div>".repeat(500), "<b>".repeat(20_000)),
            "<template>".repeat(20_000),
            format!("<table>{}", "<br>".repeat(200_000)),
            (0..30_000).map(|n| format!("<body a{n}>")).collect(),
            "<b>x</b>".repeat(200_000),
            format!(
                "<table><tr><th>a{}{}</table>",
                "<td>".repeat(20_000),
                "<tr><td>b".repeat(20_000)
            ),
            format!("{}{}", "<ul><li>".repeat(150), "x<br>".repeat(100_000)),
            format!(
                "<select><button><selectedcontent></selectedcontent></button><option>{}",
                "<div>".repeat(20_000)
            ),
        ] {
            assert_eq!(markdown(&page, None), None, "{:.60}", page);
        }
        // These are nothing to be afraid of.
        for page in [
            "<".repeat(200_000),
            "<a".repeat(2_000_000),
            "<!--".repeat(200_000),
        ] {
            assert!(markdown(&page, None).is_some(), "{:.60}", page);
        }
    }
}
