//! What does a web page say, as Markdown, without what stands around it on every page of its site?

use super::page_guard::is_within_bounds;
use htmd::element_handler::Handlers;
use htmd::{Element, HtmlToMarkdown, HtmlToMarkdownBuilder};
use reqwest::Url;
use std::sync::{Arc, Mutex, PoisonError};

/// Elements that hold nothing to read.
const EMPTY_TAGS: [&str; 7] = [
    "head", "iframe", "noscript", "script", "style", "svg", "template",
];

/// Elements that stand around what a page is about.
const AROUND_TAGS: [&str; 4] = ["aside", "footer", "form", "nav"];

/// The elements that hold what a page is about, the better one first: the only one of its kind is the page.
const CONTENT_TAGS: [&str; 2] = ["main", "article"];

/// The text of a page. Its links start at `base`, the address that it has in the end. `None` for a page that no parser
/// should be given.
pub(crate) fn markdown(html: &str, base: Option<&str>) -> Option<String> {
    if !is_within_bounds(html) {
        return None;
    }
    let base = base.and_then(|base| Url::parse(base).ok());
    let contents = CONTENT_TAGS.map(|tag| (tag, Arc::new(Mutex::new(Content::default()))));
    let mut builder = converter(base.clone()).skip_tags(AROUND_TAGS.to_vec());
    for (tag, content) in &contents {
        let content = Arc::clone(content);
        builder = builder.add_handler(
            vec![tag],
            move |handlers: &dyn Handlers, element: Element| {
                let result = handlers.fallback(element)?;
                let mut content = content.lock().unwrap_or_else(PoisonError::into_inner);
                content.add(&result.content);
                Some(result)
            },
        );
    }
    let whole = builder.build().convert(html).ok()?;
    let only = contents.iter().find_map(|(_, content)| {
        let content = content.lock().unwrap_or_else(PoisonError::into_inner);
        content.only.clone()
    });
    let text = only.unwrap_or(whole);
    if !text.trim().is_empty() {
        return Some(lines(&text));
    }
    // All of some pages stands in one form.
    let all = converter(base).build().convert(html).ok()?;
    Some(lines(&all))
}

/// What stands in the `title` element of a page.
pub(crate) fn title(html: &str) -> Option<String> {
    // Lowercasing ASCII moves no offset.
    let lower = html.to_ascii_lowercase();
    let tag = lower.find("<title")?;
    let start = tag + lower.get(tag..)?.find('>')? + 1;
    let end = start + lower.get(start..)?.find("</title")?;
    let title = htmd::convert(html.get(start..end)?).ok()?;
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then_some(title)
}

/// What elements of one kind hold.
#[derive(Default)]
struct Content {
    count: usize,
    /// The text of the only one.
    only: Option<String>,
}

impl Content {
    fn add(&mut self, text: &str) {
        self.count += 1;
        self.only = (self.count == 1 && !text.trim().is_empty()).then(|| text.to_owned());
    }
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
}
