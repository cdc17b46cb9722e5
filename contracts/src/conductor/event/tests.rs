#![allow(clippy::unwrap_used)]

use super::*;
use crate::digest::sha256_hex;
use crate::packet::PacketManifest;
use proptest::prelude::*;
use serde_json::{Value, json};

const SECRET: &str = "password=hunter2hunter2";

fn row() -> ChainRow<'static> {
    ChainRow {
        sequence: 1,
        id: "01938f2e-0000-7000-8000-000000000000",
        project: "p",
        job: "j",
        attempt: 1,
        at: "2026-11-30T15:45:07.123Z",
        kind: "outcome",
        payload: r#"{"result":"accepted"}"#,
        previous: GENESIS,
    }
}

#[test]
fn a_digest_is_that_of_the_exported_line_without_it() {
    let row = row();
    let digest = row.digest();
    let mut line: Value = serde_json::from_str(&row.line(&digest)).unwrap();
    assert_eq!(canonical::compact(&line).unwrap(), row.line(&digest));
    assert_eq!(
        line.as_object_mut().unwrap().remove("digest").unwrap(),
        json!(digest)
    );
    assert_eq!(
        sha256_hex(canonical::compact(&line).unwrap().as_bytes()),
        digest
    );
    // Fixed: a ledger outlives the program that wrote it.
    assert_eq!(
        digest,
        "de3e6a04a2edc02ec426bd347aad2e253f1d8524b7c9f583dd1ab224330aefc5"
    );
}

#[test]
fn every_column_is_covered() {
    let base = row();
    let other = "x";
    let changed = [
        ChainRow {
            sequence: 2,
            ..base
        },
        ChainRow { id: other, ..base },
        ChainRow {
            project: other,
            ..base
        },
        ChainRow { job: other, ..base },
        ChainRow { attempt: 2, ..base },
        ChainRow { at: other, ..base },
        ChainRow {
            kind: other,
            ..base
        },
        ChainRow {
            payload: r#"{"result": "accepted"}"#,
            ..base
        },
        ChainRow {
            previous: other,
            ..base
        },
    ];
    for row in changed {
        assert_ne!(row.digest(), base.digest(), "{row:?}");
    }
}

#[test]
fn columns_do_not_run_together() {
    let one = ChainRow {
        project: "a\",\"sequence\":1}",
        ..row()
    };
    let two = ChainRow {
        payload: "{},\"previous\":\"x",
        ..row()
    };
    assert_ne!(one.digest(), row().digest());
    assert_ne!(
        two.digest(),
        ChainRow {
            payload: "{}",
            ..row()
        }
        .digest()
    );
}

/// Fills every text of a JSON value with `text`, except those of a closed vocabulary.
fn filled(value: &mut Value, text: &str, keep: &[&str]) {
    match value {
        Value::String(old) => *old = text.to_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| filled(item, text, keep)),
        Value::Object(map) => {
            for (key, item) in map.iter_mut() {
                if !keep.contains(&key.as_str()) {
                    filled(item, text, keep);
                }
            }
        }
        _ => {}
    }
}

#[test]
fn no_secret_and_no_long_text_stays_in_any_field() {
    let artifact = ArtifactProduced {
        compiler_version: Some(String::new()),
        contract_version: Some(String::new()),
        query_sha256: Some(String::new()),
        corpus_sha256: Some(String::new()),
        index_generation: Some(String::new()),
        packet_sha256: Some(String::new()),
        manifest_sha256: Some(String::new()),
        tokenizer: Some(String::new()),
        selected_plugins: vec![String::new(); LIST_MAX + 1],
        selected_skills: (0..=LIST_MAX as u64)
            .map(|n| (format!("{n} {SECRET} {}", "x".repeat(500)), n))
            .collect(),
        ..ArtifactProduced::new(Mode::Inject, "", "", 1_000)
    };
    let skipped = Skipped {
        schema_version: 1,
        mode: Mode::Shadow,
        phase: String::new(),
        job_kind: String::new(),
        reason: SkipReason::Kind,
    };
    for payload in [
        Payload::ArtifactProduced(Box::new(artifact)),
        Payload::Skipped(skipped),
        Payload::Outcome(Outcome::new(Verdict::Accepted)),
    ] {
        let kind = payload.kind();
        let mut value = serde_json::to_value(&payload).unwrap();
        let text = format!("{SECRET} {}", "TASK ".repeat(100));
        filled(&mut value, &text, &["mode", "status", "reason", "result"]);
        let stored = Payload::read(kind, &value.to_string())
            .unwrap()
            .canonical()
            .unwrap();
        assert!(!stored.contains("hunter2"), "{stored}");
        assert!(!stored.contains(&"TASK ".repeat(40)), "{stored}");
        let read = Payload::read(kind, &stored).unwrap();
        assert_eq!(read.kind(), kind);
        if let Payload::ArtifactProduced(read) = read {
            assert_eq!(read.artifact_type, ARTIFACT_TYPE);
            assert_eq!((read.query_sha256, read.compiler_version), (None, None));
            assert_eq!(read.selected_plugins.len(), LIST_MAX);
            assert!(read.selected_skills.len() <= LIST_MAX);
        }
    }
}

#[test]
fn figures_come_from_the_manifest() {
    let text = include_str!("../../../examples/packet-manifest/good/ok.json");
    let manifest: PacketManifest = serde_json::from_str(text).unwrap();
    let artifact =
        ArtifactProduced::new(Mode::Shadow, "build", "implement", 6_000).with_manifest(&manifest);
    assert_eq!(artifact.status, ArtifactStatus::Ok);
    assert_eq!(artifact.packet_tokens, manifest.packet_token_estimate);
    assert_eq!(artifact.selected_skills, manifest.selected_skill_tokens);
    let omitted: u64 = artifact.omissions.values().sum();
    assert_eq!(omitted, manifest.omitted_chunks.len() as u64);
    assert_eq!(
        Payload::ArtifactProduced(Box::new(artifact.clone())).cleaned(),
        Payload::ArtifactProduced(Box::new(artifact))
    );
}

#[test]
fn kinds_have_one_spelling() {
    for kind in Kind::ALL {
        assert_eq!(Kind::parse(kind.as_str()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), json!(kind.as_str()));
    }
    assert_eq!(Kind::parse("Outcome"), None);
}

proptest! {
    #[test]
    fn any_row_exports_as_canonical_json(
        project in ".*", job in ".*", at in ".*", attempt: u32, sequence: u64,
        payload in prop::collection::btree_map(".*", any::<i64>(), 0..3),
    ) {
        let payload = canonical::compact(&payload).unwrap();
        let row = ChainRow { project: &project, job: &job, at: &at, attempt, sequence, payload: &payload, ..row() };
        let line = row.line(&row.digest());
        let value: Value = serde_json::from_str(&line).unwrap();
        prop_assert_eq!(canonical::compact(&value).unwrap(), line);
    }
}
