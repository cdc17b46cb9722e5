use proptest::prelude::*;

use super::*;

fn shown(text: &str) -> String {
    visible(text).0.into_owned()
}

#[test]
fn hidden_characters_become_visible() {
    for (text, want) in [
        ("a\u{1}b\u{1b}[31mc", "a<U+0001>b<U+001B>[31mc"),
        ("a\u{7f}\u{85}\u{9b}", "a<U+007F><U+0085><U+009B>"),
        ("\r\n\t", "<U+000D>\n\t"),
        (
            "\u{202e}x\u{2066}\u{61c}\u{200f}",
            "<U+202E>x<U+2066><U+061C><U+200F>",
        ),
        ("a\u{200b}b\u{2060}\u{feff}c", "a<U+200B>b<U+2060><U+FEFF>c"),
        ("soft\u{ad}hyphen", "soft<U+00AD>hyphen"),
        ("a\u{2028}b\u{2029}", "a<U+2028>b<U+2029>"),
        (
            "\u{180e}\u{2061}\u{fff9}\u{3164}",
            "<U+180E><U+2061><U+FFF9><U+3164>",
        ),
        ("a\u{e0041}\u{e0042}", "a<U+E0041><U+E0042>"),
        ("a\u{e0100}\u{fe00}", "a<U+E0100><U+FE00>"),
    ] {
        assert_eq!(shown(text), want, "{text:?}");
    }
}

#[test]
fn what_shows_stays() {
    for text in [
        "plain ASCII\n\twith `code` ~ and <U+200B>",
        "é 你好 \u{a0}\u{202f}\u{3000} \u{fffd} \u{e000}",
        "👩\u{200d}💻 👩🏽\u{200d}⚕\u{fe0f} 👁\u{fe0f}\u{200d}🗨\u{fe0f} ❤\u{fe0f}\u{200d}🔥",
        "1\u{fe0f}\u{20e3} ©\u{fe0f} ‼\u{fe0f}",
        "می\u{200c}خواهم",
        "क्\u{200d}ष ශ්\u{200d}රී",
        "葛\u{e0100}",
        "ᠠ\u{180b}",
        "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    ] {
        let (got, count) = visible(text);
        assert!(matches!(got, Cow::Borrowed(_)), "{got}");
        assert_eq!(count, 0);
        assert_eq!(count_hidden(text), None);
    }
}

#[test]
fn joiners_selectors_and_tags_out_of_place_are_shown() {
    for (text, want) in [
        ("a\u{200d}b", "a<U+200D>b"),
        ("\u{200d}👩", "<U+200D>👩"),
        ("👩\u{200d}", "👩<U+200D>"),
        ("👩\u{200c}💻", "👩<U+200C>💻"),
        ("👩\u{200d}\u{200d}💻", "👩<U+200D><U+200D>💻"),
        ("👩\u{200b}\u{200d}💻", "👩<U+200B><U+200D>💻"),
        ("👩\u{200d}م", "👩<U+200D>م"),
        ("😀\u{fe0f}\u{fe0e}\u{e0100}", "😀\u{fe0f}<U+FE0E><U+E0100>"),
        ("é\u{fe0f}", "é<U+FE0F>"),
        ("🏴\u{e0067}\u{e0062}", "🏴<U+E0067><U+E0062>"),
        ("🏴\u{e007f}", "🏴<U+E007F>"),
        (
            "😀\u{e0067}\u{e0062}\u{e0073}\u{e007f}",
            "😀<U+E0067><U+E0062><U+E0073><U+E007F>",
        ),
    ] {
        assert_eq!(shown(text), want, "{text:?}");
    }
}

#[test]
fn hidden_characters_are_counted_and_placed() {
    assert_eq!(count_hidden("é\u{200b}x\u{200b}"), Some((2, 2)));
    assert_eq!(visible("é\u{200b}x\u{200b}").1, 2);
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
        let shown = shown(&text);
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
    fn visible_is_idempotent_and_agrees_with_the_count(text in hostile()) {
        let (once, count) = visible(&text);
        prop_assert_eq!(count_hidden(&text).map_or(0, |(_, count)| count), count);
        prop_assert_eq!(visible(&once), (Cow::Borrowed(once.as_ref()), 0));
    }

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
