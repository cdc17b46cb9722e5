//! Bytes that are no text, and text in other clothes: each file for itself.

use super::judge::{ROOT, Verdict, fm, judge, sibling, text};
use crate::harness::Dir;

const DEMO: &str = "---\nname: demo\ndescription: Reads\n  text.\nmandatory_sections: [Two]\n---\nintro\n\n# One\n\n```sh\n# no\n```\n\n## Two\n\nlast\n";

fn one(bytes: impl AsRef<[u8]>) -> Verdict {
    let dir = Dir::new();
    sibling(&dir);
    dir.file(&format!("{ROOT}/demo/SKILL.md"), bytes);
    judge(&dir)
}

#[track_caller]
fn rejected(bytes: impl AsRef<[u8]>, found: &str, says: &[&str]) {
    let verdict = one(bytes);
    assert_eq!(verdict.found, [format!("demo/SKILL.md:{found}")]);
    assert_eq!(verdict.summary, "2 = 1 + 0 + 1, 0 nested");
    assert_eq!(verdict.listed, ["local/good good/SKILL.md"]);
    let message = text(&verdict.diagnostics[0]["message"]);
    for part in says {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_named_with_offset_and_hex() {
    rejected(
        b"---\nname: demo\n---\nab\xA1\xAA\n",
        "4:3 not-utf8",
        &["offset 21", "a1 aa"],
    );
}

#[test]
fn other_encodings_are_named() {
    let utf16: Vec<u8> = "\u{feff}---\nname: demo\n---\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    rejected(&utf16, "0:0 not-utf8", &["UTF-16 (little endian)"]);
    let utf16: Vec<u8> = "\u{feff}---\nname: demo\n---\n"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    rejected(&utf16, "0:0 not-utf8", &["UTF-16 (big endian)"]);
}

#[test]
fn a_nul_byte_makes_a_file_no_text() {
    rejected(
        b"---\nname: demo\n---\na\0b\n",
        "4:2 nul-byte",
        &["offset 20"],
    );
    // UTF-16 without a mark.
    rejected(b"-\0-\0-\0\n\0", "1:2 nul-byte", &[]);
}

#[test]
fn a_file_over_the_limit_is_rejected_and_one_at_the_limit_is_read() {
    const LIMIT: usize = 4 * 1024 * 1024;
    let mut bytes = fm("name: demo\ndescription: d").into_bytes();
    // One heading in 64 KiB, so that no section is absurd.
    while bytes.len() < LIMIT {
        bytes.extend_from_slice(b"\n# More\n\n");
        let fill = (LIMIT - bytes.len()).min(64 * 1024);
        bytes.extend(
            std::iter::repeat_n(b"word ", fill / 5 + 1)
                .flatten()
                .take(fill),
        );
        bytes.truncate(LIMIT);
    }
    let verdict = one(&bytes);
    assert_eq!(verdict.found, [""; 0]);
    assert_eq!(verdict.summary, "2 = 2 + 0 + 0, 0 nested");
    bytes.push(b'x');
    rejected(&bytes, "0:0 too-large", &["4194304 bytes"]);
}

#[test]
fn a_byte_order_mark_and_line_ends_change_nothing() {
    let plain = one(DEMO);
    assert_eq!(plain.summary, "2 = 2 + 0 + 0, 0 nested");
    let twins = [
        format!("\u{feff}{DEMO}"),
        DEMO.replace('\n', "\r\n"),
        DEMO.replace('\n', "\r"),
        format!("\u{feff}{}", DEMO.replace('\n', "\r\n")),
    ];
    for twin in twins {
        let twin = one(twin);
        assert_eq!(twin.found, [""; 0]);
        assert_eq!(twin.report["corpus_sha256"], plain.report["corpus_sha256"]);
        assert_eq!(twin.report["generation"], plain.report["generation"]);
        for (a, b) in twin.skills.iter().zip(&plain.skills) {
            assert_eq!(a.text, b.text);
            assert_eq!(a.record, b.record, "ids, lines and digests");
        }
        assert_eq!(twin.described, plain.described);
    }
}

#[test]
fn an_inner_byte_order_mark_is_data_and_told() {
    let verdict = one(DEMO.replace("last", "la\u{feff}st"));
    assert_eq!(verdict.found, ["demo/SKILL.md:17:3 hidden-characters"]);
    assert!(verdict.skills[0].text.contains('\u{feff}'));
}

#[test]
fn control_characters_are_told_and_kept() {
    let verdict = one(fm("name: demo\ndescription: d") + "a\u{1}b\u{1b}[31mc\n");
    assert_eq!(verdict.found, ["demo/SKILL.md:7:2 hidden-characters"]);
    let message = text(&verdict.diagnostics[0]["message"]);
    assert!(
        message.contains("2 hidden") && message.contains("U+0001"),
        "{message}"
    );
}

#[test]
fn a_name_that_is_no_text_is_told_and_its_siblings_stay() {
    use std::os::unix::ffi::OsStrExt as _;
    let dir = Dir::new();
    sibling(&dir);
    let folder = dir.at(ROOT).join(std::ffi::OsStr::from_bytes(b"bad\xff"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("SKILL.md"), fm("name: bad\ndescription: d")).unwrap();
    let verdict = judge(&dir);
    assert_eq!(verdict.summary, "2 = 1 + 0 + 1, 0 nested");
    assert_eq!(verdict.diagnostics[0]["code"], "path-not-text");
}
