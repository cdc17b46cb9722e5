//! What is not ours to touch, or not ours to read, is named and left as it is.

use super::rig::{INDEX, Rig, names, snapshot};
use crate::harness::{Dir, fixture};
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn a_folder_with_a_users_file_is_foreign_and_stays_as_it_is() {
    let rig = Rig::small();
    for file in ["notes.txt", ".env", "generations.bak/x"] {
        rig.dir.file(&format!("theirs/{file}"), "precious");
        let before = snapshot(&rig.dir, "theirs");
        rig.try_build("theirs").fails("index_foreign");
        rig.try_packet("theirs").fails("index_foreign");
        rig.inspect("theirs", false).fails("index_foreign");
        assert!(snapshot(&rig.dir, "theirs") == before);
        std::fs::remove_dir_all(rig.dir.at("theirs")).unwrap();
    }
    // Ours, with a file of a user in it.
    rig.build();
    rig.dir.file("index/notes.txt", "precious");
    rig.try_build(INDEX).fails("index_foreign");
    assert_eq!(rig.dir.read("index/notes.txt"), "precious");
}

#[test]
fn a_foreign_manifest_is_foreign() {
    let rig = Rig::small();
    for other in [r#"{"kind": "something else"}"#, r#"{"name": "x"}"#] {
        rig.dir.file("theirs/manifest.json", other);
        rig.try_build("theirs").fails("index_foreign");
        rig.try_packet("theirs").fails("index_foreign");
        assert_eq!(rig.dir.read("theirs/manifest.json"), other);
    }
}

#[test]
fn an_empty_folder_and_the_leftovers_of_a_killed_first_build_are_fine() {
    let rig = Rig::small();
    std::fs::create_dir(rig.dir.at("empty")).unwrap();
    rig.try_packet("empty").fails("index_missing");
    rig.try_build("empty").expect(0);
    rig.try_packet("empty").expect(0);
    rig.dir.file("left/.vibey-tmp-x1", "half");
    rig.dir.file("left/lock", "");
    rig.dir.file(
        &format!("left/generations/{}/meta.json", "a".repeat(64)),
        "half",
    );
    rig.try_build("left").expect(0);
    rig.try_packet("left").expect(0);
    rig.assert_clean("left");
}

#[test]
fn collecting_leftovers_takes_only_what_is_named_like_a_generation() {
    let rig = Rig::small();
    rig.build();
    for name in ["notes", &"A".repeat(64), &"a".repeat(63)] {
        rig.dir.file(&format!("index/generations/{name}/x"), "kept");
    }
    rig.dir.file(
        &format!("index/generations/{}/x", "0".repeat(64)),
        "left by a kill",
    );
    rig.build();
    let left = names(&rig.dir.at("index/generations"));
    assert_eq!(left.len(), 4, "{left:?}");
    assert!(!left.contains(&"0".repeat(64)));
}

#[test]
fn a_linked_index_is_refused_whatever_the_spelling() {
    let rig = Rig::small();
    rig.build();
    rig.dir.link("index", "link");
    let before = snapshot(&rig.dir, INDEX);
    for spelling in ["link", "link/", "./link/.", "link//"] {
        rig.try_build(spelling).fails("index_link");
        rig.try_packet(spelling).fails("index_link");
        rig.inspect(spelling, false).fails("index_link");
    }
    assert!(snapshot(&rig.dir, INDEX) == before);
    rig.dir.link("nowhere", "dangling");
    rig.try_build("dangling").fails("index_link");
    assert!(!rig.dir.has("nowhere"));
}

#[test]
fn a_linked_generation_is_not_followed_out_of_the_index() {
    let rig = Rig::small();
    rig.build();
    let folder = rig.generation(INDEX);
    std::fs::rename(&folder, rig.dir.at("elsewhere")).unwrap();
    std::os::unix::fs::symlink(rig.dir.at("elsewhere"), &folder).unwrap();
    let before = snapshot(&rig.dir, "elsewhere");
    // Whatever a build makes of it, what lies outside stays.
    rig.dir.skill("s/new", "new", "d", "", "# N\n\nx\n");
    rig.try_build(INDEX);
    rig.dir.remove("s/new/SKILL.md");
    rig.try_build(INDEX);
    rig.try_build(INDEX);
    assert!(snapshot(&rig.dir, "elsewhere") == before);
}

/// Changes one value of `manifest.json`.
fn edit(rig: &Rig, key: &str, value: Value) {
    let mut manifest = rig.manifest(INDEX);
    manifest[key] = value;
    rig.dir.file("index/manifest.json", manifest.to_string());
}

#[test]
fn a_newer_format_is_refused_by_all_and_left_alone() {
    let rig = Rig::small();
    rig.build();
    let version = rig.manifest(INDEX)["index_version"].as_u64().unwrap();
    edit(&rig, "index_version", json!(version + 1));
    let before = snapshot(&rig.dir, INDEX);
    rig.try_build(INDEX).fails("index_newer");
    rig.try_packet(INDEX).fails("index_newer");
    rig.inspect(INDEX, false).fails("index_newer");
    assert!(snapshot(&rig.dir, INDEX) == before);
}

#[test]
fn an_older_format_is_refused_by_readers_and_rebuilt_by_a_build() {
    let rig = Rig::small();
    rig.build();
    let good = rig.packet();
    for (key, value) in [
        ("index_version", json!(0)),
        ("compiler_version", json!("0.0.1")),
    ] {
        edit(&rig, key, value);
        rig.try_packet(INDEX).fails("index_outdated");
        rig.inspect(INDEX, false).fails("index_outdated");
        assert!(!rig.dir.has("packet.md"), "no packet of before stays");
        rig.build();
        assert!(rig.packet() == good);
        rig.assert_clean(INDEX);
    }
}

#[test]
fn a_real_index_of_format_2_is_refused_by_readers_and_rebuilt_by_a_build() {
    let rig = Rig::small();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/index-format-2");
    let mut folders = vec![kept.clone()];
    while let Some(folder) = folders.pop() {
        for name in names(&folder) {
            let path = folder.join(name);
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let below = path.strip_prefix(&kept).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            rig.dir.file(&format!("{INDEX}/{}", below.display()), bytes);
        }
    }
    assert_eq!(rig.manifest(INDEX)["index_version"], 2);
    rig.try_packet(INDEX).fails("index_outdated");
    rig.inspect(INDEX, true).fails("index_outdated");
    assert_eq!(rig.build()["outcome"], "built");
    rig.packet();
    rig.assert_clean(INDEX);
}

#[test]
fn a_missing_index_is_an_error_and_is_not_made_by_reading() {
    let rig = Rig::small();
    rig.try_packet("nothing").fails("index_missing");
    rig.inspect("nothing", true).fails("index_missing");
    assert!(!rig.dir.has("nothing"));
}

#[test]
fn other_roots_than_those_of_a_named_index_are_an_error_until_it_is_built() {
    let dir = Dir::new();
    let root = fixture::indexed(&dir);
    dir.skill("other/a", "a", "d", "", "# A\n\nx\n");
    let (other, index) = (dir.arg("other"), dir.arg("index"));
    let request = dir.request("r.json", &fixture::migration());
    let out = dir.arg("p.md");
    let packet = |skills: &[&str]| {
        let mut args = Vec::new();
        for root in skills {
            args.extend(["--skills", root]);
        }
        args.extend([
            "packet",
            "--request",
            &request,
            "--index",
            &index,
            "--output",
            &out,
            "--json",
        ]);
        dir.run(args)
    };
    packet(&[&root]).expect(0);
    packet(&[]).expect(0);
    packet(&[&other]).fails("index_roots_differ");
    packet(&[&root, &other]).fails("index_roots_differ");
    assert!(!dir.has("p.md"));
    let build = [
        "--skills", &root, "--skills", &other, "index", "build", "--output", &index, "--json",
    ];
    let report = dir.run(build).expect(0).json();
    assert_eq!(report["skill_count"], fixture::SKILLS + 1);
    packet(&[&root, &other]).expect(0);
    packet(&[&other, &root]).fails("index_roots_differ");
    packet(&[&root]).fails("index_roots_differ");
}

#[test]
fn a_root_that_is_missing_or_empty_is_an_error_and_never_a_fallback() {
    let rig = Rig::small();
    std::fs::create_dir(rig.dir.at("empty")).unwrap();
    for root in ["missing", "empty"] {
        let (root, index) = (rig.dir.arg(root), rig.dir.arg("made"));
        let good = rig.root.as_str();
        for roots in [
            vec!["--skills", root.as_str()],
            vec!["--skills", good, "--skills", &root],
        ] {
            let mut args = roots.clone();
            args.extend(["index", "build", "--output", &index, "--json"]);
            rig.dir.run(&args).fails("skills_root");
            let mut args = roots.clone();
            args.extend(["list", "--json"]);
            rig.dir.run(&args).fails("skills_root");
        }
        rig.dir.run(["check", &root, "--json"]).fails("skills_root");
        // No index was published.
        assert!(!rig.dir.has("made/manifest.json"));
    }
    // Nor is one that was there changed.
    rig.build();
    let before = rig.manifest(INDEX);
    std::fs::remove_dir_all(rig.dir.at("s")).unwrap();
    rig.try_build(INDEX).fails("skills_root");
    std::fs::create_dir(rig.dir.at("s")).unwrap();
    rig.try_build(INDEX).fails("skills_root");
    assert_eq!(rig.manifest(INDEX), before);
    rig.try_packet(INDEX).expect(0);
}
