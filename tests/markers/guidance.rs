//! From a guidance file to the text of a marker: normalized, bounded, and otherwise copied to the byte.

use super::project::{MARKER, Project};

const MAX: usize = 8 * 1024;

/// The marker's bytes after `apply`, which `check` must then find unchanged.
#[track_caller]
fn applied(project: &Project, guidance: impl AsRef<[u8]>) -> Vec<u8> {
    project.file("docs/g.md", guidance);
    let report = project.run("apply");
    assert_eq!(report.code, 0, "{}", report.shown());
    project.run("check").is("0 ok, out unchanged");
    project.dir.bytes(&format!("project/out/{MARKER}"))
}

/// Fails unless `apply` makes `marker` of `guidance`.
#[track_caller]
fn assert_becomes(project: &Project, guidance: &str, marker: &str) {
    let found = String::from_utf8(applied(project, guidance)).unwrap();
    assert_eq!(found, marker, "from {guidance:?}");
}

#[test]
fn line_ends_become_one_kind() {
    let project = Project::new();
    for (guidance, marker) in [
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\rb\r", "a\nb\n"),
        ("a\n\rb", "a\n\nb\n"),
        ("a\r\r\nb", "a\n\nb\n"),
        ("a\r\n\r\nb", "a\n\nb\n"),
        ("a\nb", "a\nb\n"),
        ("a\nb\n\n\n", "a\nb\n"),
        ("a", "a\n"),
        // Not line ends here, and not at the edge.
        ("a\u{2028}b\u{85}c\u{b}d", "a\u{2028}b\u{85}c\u{b}d\n"),
    ] {
        assert_becomes(&project, guidance, marker);
    }
}

#[test]
fn outer_white_space_goes_by_the_set_of_ecmascript() {
    let project = Project::new();
    let set = "\t\n\u{b}\u{c}\r \u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
    for blank in set.chars() {
        let guidance = format!("{blank}{blank}a{blank}b{blank}");
        let inner = if blank == '\r' { '\n' } else { blank };
        assert_becomes(&project, &guidance, &format!("a{inner}b\n"));
    }
    assert_becomes(&project, &format!("{set}a{set}"), "a\n");
    assert_becomes(&project, "\u{feff}a\n", "a\n");
    // White space to Unicode or to the eye, but not in that set.
    for kept in [
        '\u{85}', '\u{180e}', '\u{200b}', '\u{2060}', '\u{1c}', '\u{1f}', '\0',
    ] {
        assert_becomes(
            &project,
            &format!("{kept}a{kept}"),
            &format!("{kept}a{kept}\n"),
        );
    }
}

#[test]
fn guidance_of_nothing_or_blanks_makes_an_empty_marker_that_counts() {
    for guidance in ["", "\n", " \t\r\n\r\n  ", "\u{feff}", "\u{a0}\u{3000}\n"] {
        let project = Project::new();
        project.file("docs/g.md", guidance);
        project.run("check").is("1 checkFailed, out missing");
        assert_becomes(&project, guidance, "");
        let mut explained = project.command(["explain", "out/generated", "--json"]);
        let run = crate::harness::outcome(&mut explained).expect(0);
        assert_eq!(run.json()["readable"], false);
    }
}

#[test]
fn what_stands_in_guidance_is_copied_and_not_evaluated() {
    let project = Project::new();
    for text in [
        "---\nversion: 1\n---\n\n# Title\n\n- [a](b.md) ![c](d.png) <!-- e -->\n\n```sh\nrm -rf out\n```\n",
        "{{ include docs/other.md }} @docs/other.md $(touch ran) `touch ran` ${HOME} %PATH% \\n \\u0041\n",
        "tab\tand  two blanks  \nand trailing ones  \n\n\n\nand empty lines\n",
        "日本語 🎉 e\u{301} \u{202e}abc\n",
    ] {
        assert_becomes(&project, text, text);
    }
    assert!(!project.has("ran"));
}

#[test]
fn a_marker_has_at_most_8_kib_with_its_last_line_end() {
    let project = Project::new();
    let exact = "x".repeat(MAX - 1);
    assert_eq!(applied(&project, &exact).len(), MAX);
    assert_eq!(applied(&project, format!("{exact}\n")).len(), MAX);
    // What is dropped does not count, on whichever side it is.
    assert_eq!(applied(&project, format!("{exact}\r\n\r\n  \n")).len(), MAX);
    assert_eq!(
        applied(&project, format!("\u{feff}{}{exact}", " \r\n".repeat(MAX))).len(),
        MAX
    );
    let lines = "y\r\n".repeat(MAX / 2);
    assert_eq!(applied(&project, &lines).len(), MAX);
    let wide = format!("{}é", "x".repeat(MAX - 3));
    assert_eq!(applied(&project, &wide).len(), MAX);

    for long in [
        "x".repeat(MAX),
        format!("{exact}x\n"),
        format!("{}é", "x".repeat(MAX - 2)),
        format!("y\n{}", "y\r\n".repeat(MAX / 2)),
        format!("x{}x", " ".repeat(MAX)),
        "x".repeat(1 << 20),
    ] {
        let project = Project::new();
        project.file("docs/g.md", &long);
        assert_eq!(
            project.all_refused("m.json"),
            "guidance_too_long at docs/g.md"
        );
    }
}

#[test]
fn guidance_that_is_not_utf_8_is_refused() {
    let project = Project::new();
    for bytes in [
        &b"canary \xff"[..],
        b"\xff\xfea\0",
        b"\xed\xa0\x80",
        b"\xc0\x80",
        b"cut \xf0\x9f\x8e",
        // At the edge, where it would have to be trimmed.
        b"a\n\xa0",
    ] {
        project.file("docs/g.md", bytes);
        assert_eq!(
            project.all_refused("m.json"),
            "guidance_not_utf8 at docs/g.md"
        );
    }
}
