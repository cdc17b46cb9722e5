//! What does a second build do? Nothing where nothing changed, little where only times did, else a new generation.

use super::rig::{INDEX, Rig, snapshot};
use serde_json::json;
use std::time::{Duration, SystemTime};
use vibey_context_index::publish;

#[test]
fn a_fresh_index_is_left_as_it_is() {
    let rig = Rig::new();
    let built = rig.build();
    assert_eq!(built["outcome"], "built");
    rig.settle();
    let before = snapshot(&rig.dir, INDEX);
    let fresh = rig.build();
    assert_eq!(fresh["outcome"], "fresh");
    assert!(snapshot(&rig.dir, INDEX) == before, "not one time changed");
    for key in [
        "corpus_sha256",
        "generation",
        "skills",
        "chunk_count",
        "size_bytes",
    ] {
        assert_eq!(fresh[key], built[key]);
    }
}

#[test]
fn a_touched_file_refreshes_the_table_of_times_alone() {
    let rig = Rig::new();
    rig.build();
    rig.settle();
    let (sealed, manifest) = (rig.sealed(INDEX), rig.manifest(INDEX));
    let skill = rig.dir.at("corpus/plugins/relay/skills/tracing/SKILL.md");
    let file = std::fs::File::options().write(true).open(skill).unwrap();
    let past = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    file.set_modified(past).unwrap();
    assert_eq!(rig.build()["outcome"], "refreshed");
    assert!(rig.sealed(INDEX) == sealed);
    assert_eq!(rig.manifest(INDEX), manifest);
}

/// Builds, changes something, builds, changes it back, builds.
#[track_caller]
fn changes(change: impl FnOnce(&Rig), back: impl FnOnce(&Rig)) {
    let rig = Rig::new();
    let first = rig.build();
    let packet = rig.packet();
    change(&rig);
    let second = rig.build();
    assert_eq!(second["outcome"], "built");
    assert_ne!(second["corpus_sha256"], first["corpus_sha256"]);
    assert_ne!(second["generation"], first["generation"]);
    rig.inspect(INDEX, true).expect(0);
    back(&rig);
    let third = rig.build();
    assert_eq!(third["outcome"], "built");
    for key in [
        "corpus_sha256",
        "generation",
        "skills",
        "skill_count",
        "chunk_count",
    ] {
        assert_eq!(third[key], first[key], "{key}");
    }
    assert!(rig.packet() == packet, "the first packet again");
    rig.assert_clean(INDEX);
}

const TRACING: &str = "corpus/plugins/relay/skills/tracing/SKILL.md";

#[test]
fn a_changed_text_is_another_corpus_and_back() {
    let text = Rig::new().dir.read(TRACING);
    let other = text.replace("spans", "spins");
    assert_eq!(text.len(), other.len(), "the size alone does not tell");
    changes(
        |rig| drop(rig.dir.file(TRACING, &other)),
        |rig| drop(rig.dir.file(TRACING, &text)),
    );
}

#[test]
fn an_added_skill_is_another_corpus_and_back() {
    changes(
        |rig| {
            rig.dir.skill(
                "corpus/plugins/relay/skills/new",
                "new",
                "d",
                "",
                "# New\n\nx\n",
            )
        },
        |rig| std::fs::remove_dir_all(rig.dir.at("corpus/plugins/relay/skills/new")).unwrap(),
    );
}

#[test]
fn a_removed_skill_is_another_corpus_and_back() {
    let text = Rig::new().dir.read(TRACING);
    changes(
        |rig| rig.dir.remove(TRACING),
        |rig| drop(rig.dir.file(TRACING, &text)),
    );
}

#[test]
fn a_renamed_folder_is_another_corpus_and_back() {
    let moved = |rig: &Rig, from: &str, to: &str| {
        let below = "corpus/plugins/relay/skills";
        let place = |name: &str| rig.dir.at(&format!("{below}/{name}"));
        std::fs::rename(place(from), place(to)).unwrap();
    };
    changes(
        |rig| moved(rig, "tracing", "spans"),
        |rig| moved(rig, "spans", "tracing"),
    );
}

#[test]
fn an_edited_plugin_manifest_is_another_corpus_and_back() {
    let file = "corpus/plugins/relay/.claude-plugin/plugin.json";
    changes(
        |rig| drop(rig.dir.file(file, json!({"name": "other"}).to_string())),
        |rig| rig.dir.remove(file),
    );
}

#[test]
fn an_edited_marketplace_is_another_corpus_and_back() {
    let file = "corpus/.claude-plugin/marketplace.json";
    let text = Rig::new().dir.read(file);
    for (from, to) in [
        ("2.4.1", "2.4.2"),
        ("\"data\"", "\"base\""),
        ("1.2.0", "1.2.1"),
    ] {
        changes(
            |rig| drop(rig.dir.file(file, text.replace(from, to))),
            |rig| drop(rig.dir.file(file, &text)),
        );
    }
}

#[test]
fn a_change_that_keeps_size_and_modification_time_is_seen() {
    let rig = Rig::new();
    let first = rig.build();
    rig.settle();
    let path = rig.dir.at(TRACING);
    let modified = path.metadata().unwrap().modified().unwrap();
    let text = rig.dir.read(TRACING).replace("spans", "spins");
    rig.dir.file(TRACING, text);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(modified).unwrap();
    let second = rig.build();
    assert_eq!(second["outcome"], "built");
    assert_ne!(second["corpus_sha256"], first["corpus_sha256"]);
}

#[test]
fn a_time_in_the_future_is_never_trusted_and_never_fatal() {
    let rig = Rig::new();
    let file = std::fs::File::options()
        .write(true)
        .open(rig.dir.at(TRACING))
        .unwrap();
    let future = SystemTime::UNIX_EPOCH + Duration::from_secs(4_070_908_800);
    file.set_modified(future).unwrap();
    rig.build();
    let text = rig.dir.read(TRACING).replace("spans", "spins");
    rig.dir.file(TRACING, text);
    file.set_modified(future).unwrap();
    assert_eq!(rig.build()["outcome"], "built");
}

#[test]
fn an_added_rejected_file_changes_the_summary_and_keeps_the_generation() {
    let rig = Rig::new();
    let first = rig.build();
    rig.dir.file("corpus/bad/SKILL.md", b"\xff");
    let second = rig.build();
    for key in ["corpus_sha256", "generation", "skill_count"] {
        assert_eq!(second[key], first[key], "{key}");
    }
    let count = |report: &serde_json::Value, key: &str| report["skills"][key].as_u64().unwrap();
    assert_eq!(count(&second, "found"), count(&first, "found") + 1);
    assert_eq!(count(&second, "rejected"), 1);
    assert_eq!(
        rig.inspect(INDEX, true).expect(0).json()["skills"],
        second["skills"]
    );
    rig.dir.remove("corpus/bad/SKILL.md");
    assert_eq!(rig.build()["skills"], first["skills"]);
}

#[test]
fn a_manifest_that_is_too_large_is_looked_at_once() {
    let rig = Rig::new();
    let blanks = vec![b' '; 5 * 1024 * 1024];
    rig.dir
        .file("corpus/.claude-plugin/marketplace.json", blanks);
    rig.build();
    let index = rig.dir.at(INDEX);
    let manifest = publish::read_manifest(&index).unwrap();
    // A file without a row makes each refresh look at every file.
    let table = publish::read_sources(&index, &manifest).unwrap();
    let mut rows = table.files.iter();
    assert!(rows.any(|row| row.path.ends_with("marketplace.json")));
}
