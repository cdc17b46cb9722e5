//! Manifests that are none: each refused as a whole, with nothing written, however small the fault.

use super::project::{Project, manifest};
use serde_json::{Value, json};

const MAX: usize = 64 * 1024;

/// Fails unless this text is refused by every operation under one of these codes, with the manifest named.
#[track_caller]
fn assert_refused(project: &Project, text: impl AsRef<[u8]>, codes: &[&str]) {
    let shown = String::from_utf8_lossy(text.as_ref())
        .chars()
        .take(200)
        .collect::<String>();
    project.file("m.json", &text);
    let fault = project.all_refused("m.json");
    let expected = codes
        .iter()
        .any(|code| fault == format!("{code} at m.json"));
    assert!(expected, "{shown}: {fault}");
}

const JSON: &[&str] = &["manifest_json"];
const INVALID: &[&str] = &["manifest_invalid"];
/// Either the document or one of its fields is to blame.
const EITHER: &[&str] = &["manifest_json", "manifest_invalid", "path_invalid"];

/// The good manifest with one change.
fn changed(change: impl FnOnce(&mut Value)) -> String {
    let mut value = manifest(&["out"]);
    change(&mut value);
    value.to_string()
}

/// A good manifest with spaces up to a length in bytes.
fn padded(length: usize) -> String {
    let text = manifest(&["out"]).to_string();
    format!("{text}{}", " ".repeat(length - text.len()))
}

#[test]
fn a_manifest_has_at_most_64_kib() {
    let project = Project::new();
    project.file("m.json", padded(MAX));
    project.run("check").is("1 checkFailed, out missing");
    let codes = ["manifest_json", "manifest_invalid", "too_large"];
    assert_refused(&project, padded(MAX + 1), &codes);
    assert_refused(&project, padded(10 * MAX), &codes);
}

#[test]
fn a_manifest_has_1_to_64_entries() {
    let project = Project::new();
    let named = |count: usize| {
        let names: Vec<String> = (0..count).map(|number| format!("o{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        manifest(&names)
    };
    for count in [0, 65, 200] {
        assert_refused(&project, named(count).to_string(), INVALID);
    }
    project.manifest(&named(64));
    let report = project.run("apply");
    assert_eq!((report.code, report.result.markers.len()), (0, 64));
    assert_eq!(project.marker("o63"), super::project::GUIDANCE);
}

#[test]
fn only_version_1_is_known_and_only_as_the_number_1() {
    let project = Project::new();
    let good = manifest(&["out"]).to_string();
    for version in [
        "2",
        "0",
        "-1",
        "1.0",
        "1e0",
        "10e-1",
        "true",
        "\"1\"",
        "null",
        "[1]",
        "{}",
        "01",
        "+1",
        "4294967297",
    ] {
        let text = good.replace("\"version\":1", &format!("\"version\":{version}"));
        assert_ne!(text, good);
        assert_refused(&project, text, EITHER);
    }
    assert_refused(
        &project,
        good.replace("\"version\":1", "\"Version\":1"),
        INVALID,
    );
    let without = changed(|value| drop(value.as_object_mut().unwrap().remove("version")));
    assert_refused(&project, without, INVALID);
}

#[test]
fn an_unknown_key_is_refused_at_each_level() {
    let project = Project::new();
    assert_refused(
        &project,
        changed(|value| value["extra"] = json!(1)),
        INVALID,
    );
    let entry = changed(|value| value["markers"][0]["extra"] = json!("canary"));
    assert_refused(&project, entry, INVALID);
    for key in ["extra", "env", "cwd", "shell", "timeout_ms"] {
        let generator = changed(|value| value["generator"][key] = json!({}));
        assert_refused(&project, generator, INVALID);
    }
}

#[test]
fn a_repeated_key_is_refused_at_each_level() {
    let project = Project::new();
    let good = manifest(&["out"]).to_string();
    for key in [
        "\"version\":1",
        "\"directory\":\"out\"",
        "\"guidanceFile\":\"docs/g.md\"",
        "\"executable\":\"/bin/sh\"",
        "\"args\":[\"gen.sh\"]",
        "\"timeoutMs\":60000",
    ] {
        let twice = good.replace(key, &format!("{key},{key}"));
        assert_ne!(twice, good, "{key}");
        assert_refused(&project, twice, EITHER);
    }
    let markers = format!("{{\"markers\":[],{}", &good[1..]);
    assert_refused(&project, markers, EITHER);
    // The same key, spelled in another way.
    let escaped = format!("{{\"v\\u0065rsion\":1,{}", &good[1..]);
    assert_refused(&project, escaped, EITHER);
}

#[test]
fn a_missing_key_is_refused() {
    let project = Project::new();
    for (level, key) in [
        ("", "markers"),
        ("/markers/0", "directory"),
        ("/markers/0", "guidanceFile"),
        ("/generator", "executable"),
    ] {
        let text = changed(|value| {
            let object = value.pointer_mut(level).unwrap().as_object_mut().unwrap();
            object.remove(key).unwrap();
        });
        assert_refused(&project, text, INVALID);
    }
}

#[test]
fn an_array_or_another_type_is_no_object() {
    let project = Project::new();
    let good = manifest(&["out"]);
    let arrays = json!([1, good["markers"], good["generator"]]);
    assert_refused(&project, arrays.to_string(), EITHER);
    for other in ["[]", "null", "1", "\"canary\"", "true", "{}"] {
        assert_refused(&project, other, EITHER);
    }
    let changes: Vec<fn(&mut Value)> = vec![
        |value| value["markers"][0] = json!(["out", "docs/g.md"]),
        |value| value["markers"][0] = json!("out"),
        |value| value["markers"][0] = json!(null),
        |value| value["markers"] = json!({"directory": "out", "guidanceFile": "docs/g.md"}),
        |value| value["markers"] = json!({"0": {"directory": "out", "guidanceFile": "docs/g.md"}}),
        |value| value["markers"] = json!(null),
        |value| value["markers"][0]["directory"] = json!(["out"]),
        |value| value["markers"][0]["directory"] = json!(7),
        |value| value["markers"][0]["guidanceFile"] = json!(null),
        |value| value["generator"] = json!(["/bin/sh", ["gen.sh"], 1000, 1000]),
        |value| value["generator"] = json!("/bin/sh gen.sh"),
        |value| value["generator"] = json!(null),
        |value| value["generator"]["executable"] = json!(["/bin/sh"]),
        |value| value["generator"]["executable"] = json!(""),
        |value| value["generator"]["args"] = json!("gen.sh"),
        |value| value["generator"]["args"] = json!(["gen.sh", 1]),
        |value| value["generator"]["args"] = json!(null),
    ];
    for change in changes {
        assert_refused(&project, changed(change), EITHER);
    }
}

#[test]
fn limits_of_the_generator_have_their_ranges() {
    let project = Project::new();
    for (key, most) in [("timeoutMs", 3_600_000_u64), ("maxOutputBytes", 64 << 20)] {
        for value in [json!(1), json!(most)] {
            project.file("m.json", changed(|all| all["generator"][key] = value));
            project.run("check").is("1 checkFailed, out missing");
        }
        for value in [
            json!(0),
            json!(-1),
            json!(most + 1),
            json!(u64::MAX),
            json!(1.0),
            json!(1.5),
            json!(true),
            json!("1000"),
            json!(null),
        ] {
            assert_refused(
                &project,
                changed(|all| all["generator"][key] = value),
                EITHER,
            );
        }
        let text = changed(|all| all["generator"][key] = json!("NUMBER"));
        for number in ["1e3", "18446744073709551617", "1e999"] {
            assert_refused(&project, text.replace("\"NUMBER\"", number), EITHER);
        }
    }
}

#[test]
fn bytes_that_are_no_json_in_utf_8_are_refused() {
    let project = Project::new();
    let good = manifest(&["out"]).to_string();
    let wide: Vec<u8> = good.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let with = |bytes: &[u8]| [bytes, good.as_bytes()].concat();
    for text in [
        with(b"\xef\xbb\xbf"),
        with(b"\xff\xfe"),
        wide,
        Vec::new(),
        b"   \n".to_vec(),
        good.as_bytes()[..good.len() - 1].to_vec(),
        [good.as_bytes(), b"x"].concat(),
        [good.as_bytes(), good.as_bytes()].concat(),
        [good.as_bytes(), b"\0"].concat(),
        with(b"\0"),
        with(b"// canary\n"),
        good.replace('"', "'").into_bytes(),
        good.replace("}]", "},]").into_bytes(),
        b"canary of a text that was named by mistake".to_vec(),
    ] {
        assert_refused(&project, text, JSON);
    }
    // Deep nesting is a fault like any other, not the end of the stack.
    for deep in ["[".repeat(MAX), "{\"a\":".repeat(MAX / 5)] {
        assert_refused(&project, deep, EITHER);
    }
    for bytes in [
        &b"o\xff"[..],
        b"\xed\xa0\x80",
        b"\xc0\xaf",
        b"o\0",
        b"o\n",
        b"\xf5\x80\x80\x80",
    ] {
        let (before, after) = good.split_once("out").unwrap();
        let text = [before.as_bytes(), bytes, after.as_bytes()].concat();
        assert_refused(&project, text, JSON);
    }
}

#[test]
fn a_lone_surrogate_and_a_nul_are_refused_wherever_they_stand() {
    let project = Project::new();
    let good = manifest(&["out"]).to_string();
    for escape in [
        "\\ud800",
        "\\udfff",
        "\\udc00\\ud800",
        "\\u0000",
        "x\\u0000y",
    ] {
        for place in [
            "\"out\"",
            "\"docs/g.md\"",
            "\"/bin/sh\"",
            "\"gen.sh\"",
            "\"directory\"",
        ] {
            let text = good.replacen(place, &format!("\"{escape}\""), 1);
            assert_ne!(text, good);
            project.file("m.json", text);
            let fault = project.all_refused("m.json");
            let code = fault.split(' ').next().unwrap();
            assert!(EITHER.contains(&code), "{escape} for {place}: {fault}");
        }
    }
    // A pair is a character.
    project.file("m.json", good.replacen("\"out\"", "\"\\ud83c\\udf89\"", 1));
    project.run("apply").is("0 ok, 🎉 created");
}

#[test]
fn generate_needs_a_generator_and_nothing_else_does() {
    let project = Project::new();
    let mut without = manifest(&["out"]);
    without.as_object_mut().unwrap().remove("generator");
    project.manifest(&without);
    let fault = project.refused(["generate", "--manifest", "m.json"]);
    assert_eq!(fault, "generator_missing at m.json");
    project.run("apply").is("0 ok, out created");
    project.run("check").is("0 ok, out unchanged");
}
