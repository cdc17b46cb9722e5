use proptest::prelude::*;

use super::*;

fn headings(text: &str) -> Vec<(u8, String, &str)> {
    let line = |h: Heading| (h.level, h.text, text.get(h.start..h.end).unwrap());
    outline(text).headings.into_iter().map(line).collect()
}

fn texts(text: &str) -> Vec<String> {
    headings(text)
        .into_iter()
        .map(|(_, text, _)| text)
        .collect()
}

#[test]
fn headings_in_containers_and_code_open_nothing() {
    for text in [
        "# A\n```sh\n# not\n```\ntext\n# B\n",
        "# A\n~~~\n```\n# x\n~~~\n# B\n",
        "# A\n````md\n```\n# x\n```\n````\n# B\n",
        "# A\n```\n``` info\n# x\n```\n# B\n",
        "# A\n\n    # x\n\n# B\n",
        "# A\n> # Q\n\n1. # in\n\n# B\n",
        "# A\n<!--\n# no\n-->\n# B\n",
        "# A\n- x\n\n  y\n  ===\n\n# B\n",
        "# A\n<pre>\n# no\n</pre>\n# B\n",
    ] {
        assert_eq!(texts(text), ["A", "B"], "{text:?}");
    }
}

#[test]
fn a_backtick_in_the_info_string_opens_no_fence() {
    assert_eq!(texts("``` a`b\n# A\n"), ["A"]);
}

#[test]
fn headings_span_whole_lines() {
    let text = "text\n   ## A ##  \nText\ntwo\n ===\n#\n### `c` *e* [l](u) &amp; \\#\n";
    assert_eq!(
        headings(text),
        [
            (2, "A".to_owned(), "   ## A ##  \n"),
            (1, "Text two".to_owned(), "Text\ntwo\n ===\n"),
            (1, String::new(), "#\n"),
            (3, "c e l & #".to_owned(), "### `c` *e* [l](u) &amp; \\#\n"),
        ]
    );
}

#[test]
fn a_heading_at_the_end_needs_no_newline() {
    for text in ["# A", "A\n=", "A\n---", "##", "# A #"] {
        let found = headings(text);
        assert_eq!(found.len(), 1, "{text:?}");
        assert_eq!(found[0].2, text);
    }
}

#[test]
fn only_an_id_of_plain_text_is_removed() {
    for (text, want) in [
        ("# Set up {#setup}", "Set up"),
        ("# Set up {#setup} now", "Set up {#setup} now"),
        ("# Svelte `{#if}`", "Svelte {#if}"),
        ("# Use {name}", "Use {name}"),
        ("# {#}", "{#}"),
        ("Set up {#a-b}\n---", "Set up"),
    ] {
        assert_eq!(texts(text), [want], "{text:?}");
    }
}

#[test]
fn inline_html_is_text_only_without_other_text() {
    assert_eq!(texts("# <a name=\"x\"></a>Set up<br>"), ["Set up"]);
    assert_eq!(texts("# <Component>"), ["<Component>"]);
}

#[test]
fn plain_line_reads_inline_markdown() {
    assert_eq!(plain_line("**Hard**  `rules`\n"), "Hard rules");
    assert_eq!(plain_line(""), "");
}

#[test]
fn cuts_know_their_strength_and_spare_code_and_tables() {
    let text = "\
para
line

- one
  more
  - deep

- ```
  code
  ```
> quote
> quote

| a |
|---|
| b |

    code

    code
<div>
html
</div>

***
# H
";
    use Strength::{Block, Inner, Item, Line};
    let got: Vec<(&str, Strength)> = outline(text)
        .cuts
        .iter()
        .map(|cut| (text[cut.at..].lines().next().unwrap(), cut.strength))
        .collect();
    assert_eq!(
        got,
        [
            ("para", Block),
            ("line", Line),
            ("- one", Block),
            ("  more", Line),
            ("  - deep", Inner),
            ("- ```", Item),
            ("> quote", Block),
            ("> quote", Line),
            ("| a |", Block),
            ("    code", Block),
            ("<div>", Block),
            ("html", Line),
            ("</div>", Line),
            ("***", Block),
            ("# H", Block),
        ]
    );
}

#[test]
fn only_a_fence_that_runs_to_the_end_is_unclosed() {
    for (text, want) in [
        ("# A\n```\n# x\n", Some(4)),
        ("# A\n```\n# x", Some(4)),
        ("a\n\n  ~~~ sh", Some(3)),
        ("```\n    ```", Some(0)),
        ("- ```\n  x", Some(0)),
        ("```\nx\n```", None),
        ("```\nx\n```\n", None),
        ("```\nx\n   ```  \n", None),
        ("- ```\n  x\n\ny\n", None),
        ("    ```\n    x\n", None),
    ] {
        assert_eq!(outline(text).unclosed_fence, want, "{text:?}");
    }
}

#[test]
fn the_closing_line_fits_its_container() {
    for (text, want) in [
        ("```\nx", Some("```")),
        ("````md\n```\n", Some("````")),
        ("~~~~~ sh\n~~~", Some("~~~~~")),
        ("  ```\n  x\n", Some("  ```")),
        ("- a\n\n  ```\n  x\n", Some("  ```")),
        ("10. ```\n    x\n", Some("    ```")),
        ("> ```\n> x\n", Some("> ```")),
        ("> - ~~~\n>   x", Some(">   ~~~")),
        ("-\t```\n\tx", Some(" \t```")),
        ("```\nx\n```", None),
        ("> ```\n> x\n\n", None),
        ("a ``` b", None),
        ("", None),
    ] {
        assert_eq!(open_fence(text).as_deref(), want, "{text:?}");
    }
}

#[test]
fn links_come_with_their_destinations() {
    let text = "[a](b.md 't') ![i](<p q.png>) [r] [x][r] <https://e.org> `[c](d)` [^1]\n\n[r]: r%20s.md\n[^1]: note\n";
    let links = outline(text).links;
    let got: Vec<(&str, &str)> = links
        .iter()
        .map(|link| (link.target.as_str(), &text[link.start..link.end]))
        .collect();
    assert_eq!(
        got,
        [
            ("b.md", "[a](b.md 't')"),
            ("p q.png", "![i](<p q.png>)"),
            ("r%20s.md", "[r]"),
            ("r%20s.md", "[x][r]"),
        ]
    );
}

/// Pieces of Markdown that interact badly.
pub(crate) fn nasty() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(vec![
        "# ",
        "#",
        "## A",
        "### B {#b}",
        "\n",
        "\n",
        "\n\n",
        "===",
        "---",
        "```",
        "````",
        "~~~",
        "    ",
        "\t",
        "- ",
        "1. ",
        "> ",
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "<pre>",
        "| a | b |",
        "|---|---|",
        "`",
        "*",
        "_",
        "[a]",
        "(b)",
        "[a]: b",
        "[^1]:",
        "\\",
        "&amp;",
        "text",
        "你好",
        "é",
        "🔥",
        "\u{200D}",
        "\u{202E}",
        " ",
        "{#x}",
        "\r",
        "\u{0}",
    ]);
    prop::collection::vec(fragment, 0..40).prop_map(|fragments| fragments.concat())
}

fn check_outline(text: &str) -> Result<(), TestCaseError> {
    let outline = outline(text);
    let mut last = 0;
    for heading in &outline.headings {
        prop_assert!(last <= heading.start && heading.start < heading.end);
        prop_assert!(text.get(heading.start..heading.end).is_some());
        last = heading.end;
    }
    prop_assert!(outline.cuts.is_sorted_by_key(|cut| cut.at));
    for cut in &outline.cuts {
        prop_assert!(text.is_char_boundary(cut.at));
        prop_assert!(cut.at == 0 || text[..cut.at].ends_with('\n'));
        prop_assert!(
            !outline
                .atoms
                .iter()
                .any(|atom| atom.start < cut.at && cut.at < atom.end)
        );
    }
    for pair in outline.atoms.windows(2) {
        prop_assert!(pair[0].end <= pair[1].start, "{:?}", outline.atoms);
    }
    for link in &outline.links {
        prop_assert!(text.get(link.start..link.end).is_some());
    }
    Ok(())
}

fn check_closed(text: &str) -> Result<(), TestCaseError> {
    if let Some(line) = open_fence(text) {
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        let closed = format!("{text}{newline}{line}\n");
        prop_assert_eq!(open_fence(&closed), None, "{:?}", closed);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn outlines_of_nasty_markdown_are_sound(text in nasty()) {
        check_outline(&text)?;
    }

    #[test]
    fn outlines_of_any_text_are_sound(text in any::<String>()) {
        check_outline(&text)?;
    }

    #[test]
    fn a_closing_line_closes_nasty_markdown(text in nasty()) {
        check_closed(&text)?;
    }
}
