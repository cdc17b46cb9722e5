//! What is a manifest, and what is not one, by how much.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn entry() -> Value {
    json!({"directory": "generated", "guidanceFile": "docs/guide.md"})
}

fn with_generator(generator: Value) -> Value {
    json!({"version": 1, "markers": [entry()], "generator": generator})
}

fn read(value: &Value) -> Result<Manifest, DocumentError> {
    parse(value.to_string().as_bytes())
}

fn field(text: &str) -> String {
    let error = parse(text.as_bytes()).expect_err(text);
    assert!(!error.help.is_empty(), "{text}");
    error.field.unwrap_or_default()
}

#[test]
fn what_is_left_out_has_its_documented_value() {
    let manifest = read(&with_generator(json!({"executable": "node"}))).unwrap();
    let generator = manifest.generator.unwrap();
    assert!(generator.args.is_empty());
    assert_eq!(generator.timeout_ms, 120_000);
    assert_eq!(generator.max_output_bytes, 1_048_576);
    let without = read(&json!({"version": 1, "markers": [entry()]})).unwrap();
    assert_eq!(without.generator, None);
}

#[test]
fn one_to_sixty_four_entries_belong() {
    for (count, fits) in [(0, false), (1, true), (64, true), (65, false)] {
        let manifest = json!({"version": 1, "markers": vec![entry(); count]});
        assert_eq!(read(&manifest).is_ok(), fits, "{count}");
    }
}

#[test]
fn a_manifest_has_64_kib_at_most() {
    let mut text = json!({"version": 1, "markers": [entry()]}).to_string();
    text.push_str(&" ".repeat(MANIFEST_MAX_BYTES - text.len()));
    assert!(parse(text.as_bytes()).is_ok());
    text.push(' ');
    let error = parse(text.as_bytes()).unwrap_err();
    assert_eq!(error.code, "manifest_json");
}

#[test]
fn limits_are_inclusive() {
    for (key, most) in [("timeoutMs", 3_600_000), ("maxOutputBytes", 67_108_864)] {
        for (value, fits) in [(0, false), (1, true), (most, true), (most + 1, false)] {
            let generator = json!({"executable": "x", key: value});
            let read = read(&with_generator(generator));
            assert_eq!(read.is_ok(), fits, "{key} {value}");
            if let Err(error) = read {
                assert_eq!(error.field, Some(format!("generator.{key}")));
            }
        }
    }
}

#[test]
fn only_the_number_one_is_version_one() {
    for version in ["2", "0", "1.0", "1e0", "true", "\"1\"", "null", "-1", "[1]"] {
        let text = format!(r#"{{"version": {version}, "markers": [{}]}}"#, entry());
        assert_eq!(field(&text), "version", "{version}");
    }
}

#[test]
fn unknown_and_repeated_keys_are_named_at_every_level() {
    let inner = r#""directory": "a", "guidanceFile": "b""#;
    let manifest = |top: &str, entry: &str, generator: &str| {
        format!(
            r#"{{"version": 1, {top} "markers": [{{{inner}{entry}}}], "generator": {{"executable": "x"{generator}}}}}"#
        )
    };
    assert!(parse(manifest("", "", "").as_bytes()).is_ok());
    for (top, entry, generator, place, key) in [
        (r#""cwd": "/", "#, "", "", "cwd", "cwd"),
        (r#""version": 1, "#, "", "", "", "version"),
        ("", r#", "guide": "x""#, "", "markers[0].guide", "guide"),
        ("", r#", "directory": "a""#, "", "markers[0]", "directory"),
        ("", "", r#", "env": {}"#, "generator.env", "env"),
        ("", "", r#", "args": [], "args": []"#, "generator", "args"),
    ] {
        let text = manifest(top, entry, generator);
        let error = parse(text.as_bytes()).expect_err(&text);
        // Of a repeated key the reader knows the object, and names the key in its message.
        assert_eq!(error.field.unwrap_or_default(), place);
        assert!(
            error.message.contains(&format!("`{key}`")),
            "{}",
            error.message
        );
        assert!(error.line == 1 && error.column > 1);
    }
}

#[test]
fn an_array_is_no_object_and_nothing_is_null() {
    let list = |markers: &str, generator: &str| {
        format!(r#"{{"version": 1, "markers": {markers}, "generator": {generator}}}"#)
    };
    let good = format!("[{}]", entry());
    for text in [
        "[1, [], {}]".to_owned(),
        list(r#"[["a", "b"]]"#, r#"{"executable": "x"}"#),
        list("{}", r#"{"executable": "x"}"#),
        list("null", r#"{"executable": "x"}"#),
        list(&good, r#"["x", [], 1, 1]"#),
        list(&good, "null"),
        list(&good, r#"{"executable": "x", "args": null}"#),
        list(&good, r#"{"executable": "x", "args": "a"}"#),
        list(&good, r#"{"executable": "x", "args": [1]}"#),
        list(&good, r#"{"executable": "x", "timeoutMs": "1"}"#),
        list(&good, r#"{"executable": "x", "timeoutMs": 1.5}"#),
        list(&good, r#"{"executable": ""}"#),
        list(&good, "{}"),
    ] {
        assert!(parse(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn what_is_no_json_text_is_refused() {
    let good = json!({"version": 1, "markers": [entry()]}).to_string();
    let mut bom = b"\xEF\xBB\xBF".to_vec();
    bom.extend(good.bytes());
    let surrogate = good.replace("generated", "\\ud800");
    let raw_nul = good.replace("generated", "a\0b");
    let trailing = format!("{good} {{}}");
    let latin: &[u8] = b"{\"version\": 1, \"markers\": \"\xE9\"}";
    for bytes in [
        &bom[..],
        surrogate.as_bytes(),
        raw_nul.as_bytes(),
        trailing.as_bytes(),
        latin,
        b"",
    ] {
        let error = parse(bytes).unwrap_err();
        assert_eq!(error.code, "manifest_json", "{error}");
    }
    let words = json!({"executable": "x", "args": ["a", "b\0"]});
    let error = read(&with_generator(words)).unwrap_err();
    assert_eq!(error.field.as_deref(), Some("generator.args[1]"));
}

#[test]
fn a_text_that_is_no_manifest_is_not_repeated() {
    for text in [
        r#""SECRET""#,
        r#"{"version": "SECRET"}"#,
        r#"{"a SECRET sentence": 1}"#,
        r#"{"version": 1, "markers": [{"/SECRET": 1}]}"#,
        "SECRET",
        "\"SECRET",
    ] {
        let error = parse(text.as_bytes()).unwrap_err();
        assert!(!format!("{error:?}").contains("SECRET"), "{error:?}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_fail_otherwise(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn what_is_read_is_what_was_written(
        directory in "[a-z/.\\\\ \"\u{e9}]{0,20}",
        args in proptest::collection::vec("[^\0]{0,10}", 0..4),
        timeout in 1u64..=TIMEOUT_MS_MAX,
    ) {
        let value = json!({
            "version": 1,
            "markers": [{"directory": directory, "guidanceFile": "g"}],
            "generator": {"executable": "x", "args": args, "timeoutMs": timeout},
        });
        let manifest = read(&value).unwrap();
        prop_assert_eq!(&manifest.markers[0].directory, &directory);
        let generator = manifest.generator.unwrap();
        prop_assert_eq!(generator.args, args);
        prop_assert_eq!(generator.timeout_ms, timeout);
    }
}
