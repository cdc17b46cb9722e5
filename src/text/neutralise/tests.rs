use proptest::prelude::*;

use super::*;

fn shown(text: &str) -> String {
    visible(text).0.into_owned()
}

#[test]
fn imitated_markers_lose_their_bracket() {
    for (text, want, count) in [
        ("<!-- frame: x -->", "&lt;!-- frame: x -->", 1),
        (
            "a <!--FRAME:end--><!--\n\n frame:",
            "a &lt;!--FRAME:end-->&lt;!--\n\n frame:",
            2,
        ),
        ("<!-- other --> <!-- fram", "<!-- other --> <!-- fram", 0),
        (
            "<!<U+200B>-- fr<U+2060>ame:",
            "&lt;!<U+200B>-- fr<U+2060>ame:",
            1,
        ),
        ("<!-- <U+00AD> frame:", "&lt;!-- <U+00AD> frame:", 1),
        ("<<!-- frame:", "<&lt;!-- frame:", 1),
        ("<U+200B<!--frame:", "<U+200B&lt;!--frame:", 1),
        ("<! -- frame: <!- frame:", "<! -- frame: <!- frame:", 0),
        // Half of one, at the end of a section: the next one may begin with the rest.
        ("a <!--\n\n", "a &lt;!--\n\n", 1),
        ("a <!-- <U+200B>", "a &lt;!-- <U+200B>", 1),
    ] {
        let got = frame_safe(text, "frame:");
        assert_eq!((got.0.as_ref(), got.1), (want, count), "{text:?}");
        assert_eq!(frame_safe(want, "frame:").1, 0);
    }
}

#[test]
fn long_runs_of_escapes_and_brackets_are_linear() {
    // Quadratic work on these would take minutes.
    for text in [
        "\u{200b}".repeat(200_000),
        "<".repeat(400_000),
        "<U+".repeat(400_000),
        "<!--".repeat(400_000),
    ] {
        let shown = shown(&text) + ".";
        assert_eq!(frame_safe(&shown, "frame:").1, 0);
    }
}

#[test]
fn metadata_cannot_leave_its_comment() {
    assert_eq!(
        one_line(" a\n\tb --> c---d <\"&\u{200b} "),
        "a b -&#45;&gt; c-&#45;&#45;d &lt;&quot;&amp;&lt;U+200B&gt;"
    );
    assert_eq!(one_line(""), "");
}

#[test]
fn unescaping_resolves_each_entity_once() {
    assert_eq!(
        unescape_one_line("&amp;lt; &gt;&#45;&nbsp; & &"),
        "&lt; >-&nbsp; & &"
    );
}

/// Text with many characters that matter here.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "\u{200d}",
            "\u{200c}",
            "\u{200b}",
            "\u{fe0f}",
            "\u{fe00}",
            "\u{e0100}",
            "\u{e0067}",
            "\u{e007f}",
            "🏴",
            "👩",
            "❤",
            "म",
            "م",
            "字",
            "ᠠ",
            "\u{180b}",
            "1",
            "a",
            "\u{202e}",
            "\u{1}",
            "\n",
            " ",
            "<",
            "<!",
            "<!-",
            "<!--",
            "frame:",
            "FRA",
            "me:",
            "<U+",
            "200B>",
            "<U+200B>",
            ">",
            "-",
            "--",
            "&",
            "&lt;",
            "\"",
            "\u{a0}",
            "\u{85}",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn no_imitation_is_left(text in hostile()) {
        let once = shown(&text);
        let (safe, imitations) = frame_safe(&once, "frame:");
        prop_assert_eq!(frame_safe(&safe, "frame:").1, 0);
        prop_assert_eq!(safe.len(), once.len() + 3 * usize::try_from(imitations).unwrap());
        let lower = safe.to_ascii_lowercase();
        for (_, after) in lower.match_indices("<!--").map(|(at, _)| lower.split_at(at + 4)) {
            prop_assert!(!after.trim_start().starts_with("frame:"), "{}", safe);
        }
        let both = frame_safe(&once, "frame:").0.into_owned() + "frame:";
        prop_assert_eq!(frame_safe(&both, "frame:").1, 0);
    }

    #[test]
    fn one_line_is_safe_and_reversible(text in hostile()) {
        let line = one_line(&text);
        prop_assert!(!line.contains("--"));
        prop_assert!(!line.contains(['<', '>', '"', '\n', '\r']));
        let collapsed = text.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(unescape_one_line(&line), visible(&collapsed).0);
    }
}
