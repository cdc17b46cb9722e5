//! What of a document reaches its reader, by what kind of document it is?

use super::rig::Rig;
use super::web::{Web, ok};

/// A program with comments that Markdown would take for headings.
const PROGRAM: &str = "#!/usr/bin/env python3\n# Requests for each client and minute.\n\n# Nobody gets more.\nLIMIT = 60\n\n\n\
    def limit(key):\n    # The same for all.\n    return LIMIT\n";

#[test]
fn comments_of_a_program_are_no_headings() {
    let rig = Rig::new();
    rig.file("tree/limits.py", PROGRAM);
    rig.file("tree/limits.yaml", "# A comment\n\nlimit: 60\n");
    rig.file("tree/notes.txt", "# Notes\n\nText.\n");
    rig.file("tree/README", "# Read me\n\nText.\n");
    rig.file("tree/page.mdx", "# A page\n\nText.\n");
    let names = [
        "limits.py",
        "limits.yaml",
        "notes.txt",
        "README",
        "page.mdx",
    ];
    let uris = names.map(|name| format!("/tree/{name}"));
    let links: Vec<(&str, &str)> = uris.iter().map(|uri| (uri.as_str(), "")).collect();
    rig.links(&links);
    let headings = |text: &str| -> Vec<String> {
        text.lines()
            .filter_map(|line| line.strip_prefix("## "))
            .map(str::to_owned)
            .collect()
    };
    let titles = ["limits.py", "limits.yaml", "Notes", "Read me", "A page"];
    let made = rig.make(&["--consumer", "full"]);
    assert_eq!(headings(&made.text), titles);
    assert_eq!(made.envelopes()[0].content, PROGRAM);
    let made = rig.make(&["--consumer", "brief"]);
    assert_eq!(made.envelopes()[0].content, "# limits.py\n");
    let made = rig.make(&["--consumer", "reviewer"]);
    let content = &made.envelopes()[0].content;
    assert_eq!(content, "# limits.py\n\n# Nobody gets more.\nLIMIT = 60\n");
    rig.links(&[
        ("/tree/limits.py", "spec"),
        ("/tree/limits.yaml", "conversation"),
    ]);
    // Shorter than `head`, it stays whole, and no list of headings follows.
    let made = rig.make(&["--consumer", "brief"]);
    assert_eq!(made.envelopes()[0].content, PROGRAM);
    rig.file(
        "tree/limits.py",
        format!("{PROGRAM}{}", "x = limit(1)\n\n".repeat(1_000)),
    );
    let made = rig.make(&["--consumer", "brief"]);
    let content = &made.envelopes()[0].content;
    assert!(
        content.starts_with("#!/usr/bin/env python3\n# Requests"),
        "{content}"
    );
    assert!(
        content.ends_with(" tokens shown]\n") && !content.contains("its contents"),
        "{content}"
    );
    assert!(content.len() < 4_100, "{}", content.len());
    rig.links(&[("/tree/limits.py", "conversation")]);
    let content = &rig.make(&["--consumer", "reviewer"]).content();
    assert!(
        content.starts_with("#!/usr/bin/env python3\n"),
        "nothing stands above it: {content}"
    );
}

#[test]
fn the_name_of_a_remote_document_counts_where_its_type_says_nothing() {
    let web = Web::start(|request| {
        let (kind, name) = request.path.split_at(request.path.rfind('/').unwrap());
        let kind = kind.trim_start_matches('/').replace('-', "/");
        ok(&kind, format!("# First\n\nThe text of {name}\n"))
    });
    for (path, title) in [
        ("/text-plain/a.py", "a.py"),
        ("/text-plain/a.py?raw=1", "a.py"),
        ("/text-plain/notes", "First"),
        ("/text-plain/notes.md", "First"),
        ("/text-plain/v1.2", "First"),
        ("/text-markdown/a.py", "First"),
        ("/text-html/a.py", "a.py"),
        ("/application-json/a", "a"),
    ] {
        let rig = Rig::new();
        rig.links(&[(&web.url(path), "spec")]);
        let made = rig.make_local(&[]);
        assert!(
            made.text.contains(&format!("\n## {title}\n")),
            "{path}: {}",
            made.text
        );
        if path.starts_with("/text-html") {
            // A page it is all the same.
            assert!(
                made.content().starts_with("\\# First"),
                "{}",
                made.content()
            );
        }
    }
}

#[test]
fn a_page_is_one_by_its_name() {
    let rig = Rig::new();
    let mut links = Vec::new();
    for name in ["a.html", "b.HTM", "c.xhtml"] {
        rig.file(&format!("tree/{name}"), "<h1>Page</h1><p>Text.</p>");
        links.push(format!("/{name}"));
    }
    let links: Vec<(&str, &str)> = links.iter().map(|uri| (uri.as_str(), "spec")).collect();
    rig.links(&links);
    for envelope in rig.make(&[]).envelopes() {
        assert_eq!(envelope.content, "# Page\n\nText.\n", "{}", envelope.uri);
    }
}

#[test]
fn of_a_page_its_own_text_is_kept() {
    let web = Web::start(|request| match request.path.as_str() {
        "/moved" => super::web::moved("/docs/page"),
        _ => ok(
            "text/html",
            "<!DOCTYPE html><title>Site: page</title><nav><a href=/>Home</a></nav><aside>Buy</aside>\
             <main><h1>Page</h1><p>See <a href=other>this</a>.</p><form>Search</form></main><footer>(c)</footer>",
        ),
    });
    let rig = Rig::new();
    rig.links(&[(&web.url("/moved"), "spec")]);
    let made = rig.make_local(&[]);
    let expected = format!("# Page\n\nSee [this]({}).\n", web.url("/docs/other"));
    assert_eq!(made.content(), expected);
    assert!(made.text.contains("\n## Page\n"));
    assert_eq!(
        rig.make_local(&[]).content(),
        expected,
        "from the cache too"
    );
}

#[test]
fn no_cut_ends_on_a_heading() {
    let rig = Rig::new();
    let long = "A sentence of some length in a paragraph. ".repeat(120);
    for (name, body) in [
        (
            "a",
            format!("# A\n\n{long}\n\n## Two\n\n### Three\n\n{long}\n"),
        ),
        ("b", format!("{long}\n\nTwo\n---\n\n{long}\n")),
        (
            "c",
            format!(
                "# C\n\n```sh\n{}```\n",
                "echo a line of a script\n".repeat(900)
            ),
        ),
    ] {
        rig.file(&format!("tree/{name}.md"), body);
    }
    for (consumer, role) in [
        ("author", ""),
        ("author", "scratch"),
        ("reviewer", "conversation"),
        ("author", "conversation"),
    ] {
        rig.links(&["/a.md", "/b.md", "/c.md"].map(|uri| (uri, role)));
        let made = rig.make(&["--consumer", consumer, "--max-tokens", "100000"]);
        for envelope in made.envelopes() {
            let Some((kept, _)) = envelope.content.split_once("\n\n[… ") else {
                continue;
            };
            let last = kept.lines().last().unwrap();
            assert!(
                !last.starts_with('#') && last != "---",
                "{consumer} {role} {}: {last}",
                envelope.uri
            );
            assert!(
                kept.len() > 1_000,
                "{consumer} {role} {}: {kept}",
                envelope.uri
            );
        }
    }
}
