//! Does the manifest tell the truth about its packet, and nothing about the machine or the request's texts?

use crate::harness::library::Memory;
use crate::harness::runs::{digest, runs};
use crate::harness::{Dir, fixture};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use vibey_context::packet::compile::Compiled;
use vibey_context::packet::parse::sections;
use vibey_context_contracts::canonical::pretty;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::packet::{ContentClass, PacketManifest, Status};

/// Budgets at which sections are left out, and one at which none are.
const BUDGETS: [u64; 5] = [1000, 1500, 2500, 6000, 32000];

/// Every packet that the fixture's requests get.
fn each(mut check: impl FnMut(&Memory, &Value, &Compiled)) {
    let dir = Dir::new();
    let memory = Memory::of(&fixture::write(&dir));
    let mut packets = 0;
    for request in fixture::requests() {
        for budget in BUDGETS {
            let compiled = memory.compile(&request, budget);
            packets += usize::from(compiled.manifest.status == Status::Ok);
            check(&memory, &request, &compiled);
        }
    }
    assert!(packets > 15, "only {packets} packets were compiled");
}

#[test]
fn the_packet_gives_every_section_back() {
    each(|_, request, compiled| {
        let runs = runs(&compiled.packet);
        let chunks = &compiled.manifest.included_chunks;
        assert_eq!(
            runs.iter().map(Vec::len).sum::<usize>(),
            chunks.len(),
            "{request}"
        );
        for run in &runs {
            for frame in run {
                assert_eq!(frame.attributes["sha256"], digest(run), "{request}");
            }
        }
        for (frame, chunk) in runs.iter().flatten().zip(chunks) {
            assert_eq!(frame.attributes["source"], chunk.source_path);
            assert_eq!(
                frame
                    .attributes
                    .get("class")
                    .is_some_and(|class| class == "mandatory"),
                chunk.content_class == ContentClass::Mandatory
            );
            let lines = format!("{}-{}", chunk.line_start, chunk.line_end);
            assert_eq!(frame.attributes["lines"], lines);
            assert_eq!(
                chunk.neutralised, 0,
                "the fixture holds nothing to make harmless"
            );
            assert_eq!(
                sha256_hex(frame.content.as_bytes()),
                chunk.content_sha256,
                "{}",
                frame.content
            );
        }
    });
}

#[test]
fn sections_are_the_lines_that_they_name() {
    let dir = Dir::new();
    let root = fixture::write(&dir);
    let memory = Memory::of(&root);
    let compiled = memory.compile(&fixture::migration(), 32000);
    for (frame, chunk) in sections(&compiled.packet)
        .iter()
        .zip(&compiled.manifest.included_chunks)
    {
        let source = dir.read(&format!("{}/{}", fixture::ROOT, chunk.source_path));
        let lines: Vec<&str> = source
            .split_inclusive('\n')
            .skip(chunk.line_start as usize - 1)
            .take((chunk.line_end - chunk.line_start) as usize + 1)
            .collect();
        assert_eq!(lines.concat(), frame.content);
    }
}

#[test]
fn sections_of_a_skill_stand_together_and_in_source_order() {
    each(|_, _, compiled| {
        let mut finished: BTreeSet<&str> = BTreeSet::new();
        let mut current: Option<(&str, u32)> = None;
        for chunk in &compiled.manifest.included_chunks {
            match current {
                Some((path, line)) if path == chunk.source_path => {
                    assert!(line < chunk.line_start || chunk.part.is_some());
                    assert!(line <= chunk.line_start);
                }
                Some((path, _)) => {
                    finished.insert(path);
                }
                None => {}
            }
            assert!(
                !finished.contains(chunk.source_path.as_str()),
                "{} stands in two places",
                chunk.source_path
            );
            current = Some((&chunk.source_path, chunk.line_start));
        }
    });
}

#[test]
fn no_content_stands_twice_and_ids_are_unique() {
    let mut duplicates = 0;
    each(|_, _, compiled| {
        let manifest = &compiled.manifest;
        let contents: BTreeSet<&str> = manifest
            .included_chunks
            .iter()
            .map(|chunk| chunk.content_sha256.as_str())
            .collect();
        assert_eq!(contents.len(), manifest.included_chunks.len());
        let ids: Vec<&str> = manifest
            .included_chunks
            .iter()
            .map(|chunk| chunk.id.as_str())
            .chain(manifest.omitted_chunks.iter().map(|row| row.id.as_str()))
            .collect();
        let distinct: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), distinct.len(), "{ids:?}");
        for chunk in &manifest.included_chunks {
            assert!(
                chunk.id.len() == 24 && chunk.id.bytes().all(|byte| byte.is_ascii_hexdigit()),
                "{}",
                chunk.id
            );
        }
        duplicates += manifest
            .omitted_by_reason
            .get("duplicate")
            .copied()
            .unwrap_or_default();
    });
    let dir = Dir::new();
    let memory = Memory::of(&fixture::write(&dir));
    let both = json!({"required_skills": ["postgres-migrations", "compile-times"]});
    let manifest = memory.compile(&both, 32000).manifest;
    assert_eq!(
        manifest.omitted_by_reason.get("duplicate"),
        Some(&1),
        "the section that both skills share"
    );
}

#[test]
fn every_mandatory_section_of_every_selected_skill_is_included() {
    let mut seen = 0;
    each(|memory, request, compiled| {
        let included: BTreeSet<&str> = compiled
            .manifest
            .included_chunks
            .iter()
            .map(|chunk| chunk.id.as_str())
            .collect();
        for at in 0..memory.reader.skill_count() {
            let record = memory.reader.skill(at).unwrap();
            if !compiled
                .manifest
                .selected_skills
                .contains(&record.qualified())
            {
                continue;
            }
            for section in record
                .sections
                .iter()
                .filter(|section| section.class == ContentClass::Mandatory)
            {
                assert!(
                    included.contains(section.id.as_str()),
                    "{request}: {:?} is missing",
                    section.heading_path
                );
                seen += 1;
            }
        }
    });
    assert!(seen > 5, "{seen} mandatory sections are too few to tell");
}

#[test]
fn sums_and_lists_agree_with_the_rows() {
    each(|memory, _, compiled| {
        let manifest = &compiled.manifest;
        let mut counted: BTreeMap<String, u64> = BTreeMap::new();
        for row in &manifest.omitted_chunks {
            let reason = serde_json::to_value(row.reason).unwrap();
            *counted
                .entry(reason.as_str().unwrap().to_owned())
                .or_default() += 1;
        }
        assert_eq!(counted, manifest.omitted_by_reason);

        let of = |mandatory: bool| {
            manifest
                .included_chunks
                .iter()
                .filter(|chunk| (chunk.content_class == ContentClass::Mandatory) == mandatory)
                .map(|chunk| chunk.token_estimate)
                .sum::<u64>()
        };
        assert_eq!(manifest.mandatory_token_estimate, of(true));
        assert_eq!(manifest.retrieved_token_estimate, of(false));

        let skills: BTreeSet<String> = manifest
            .included_chunks
            .iter()
            .map(|chunk| format!("{}/{}", chunk.plugin, chunk.skill))
            .collect();
        assert!(manifest.selected_skills.iter().eq(&skills), "{skills:?}");
        assert!(manifest.selected_skill_tokens.keys().eq(&skills));
        let plugins: BTreeSet<&str> = manifest
            .included_chunks
            .iter()
            .map(|chunk| chunk.plugin.as_str())
            .collect();
        assert!(manifest.selected_plugins.iter().eq(&plugins));
        for chunk in &manifest.included_chunks {
            assert!(!chunk.reasons.is_empty(), "{} has no reason", chunk.id);
        }

        // Sections of selected skills are in the packet, or are named as left out.
        let named: BTreeSet<&str> = manifest
            .included_chunks
            .iter()
            .map(|chunk| chunk.id.as_str())
            .chain(manifest.omitted_chunks.iter().map(|row| row.id.as_str()))
            .collect();
        for at in 0..memory.reader.skill_count() {
            let record = memory.reader.skill(at).unwrap();
            if skills.contains(&record.qualified()) {
                for section in record.sections.iter().filter(|section| !section.bare) {
                    assert!(
                        named.contains(section.id.as_str()),
                        "{:?} is lost in silence",
                        section.heading_path
                    );
                }
            }
        }
    });
}

#[test]
fn the_manifest_is_canonical_and_complete() {
    let all = every_key();
    each(|_, _, compiled| {
        let text = compiled.manifest_file().unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(pretty(&value).unwrap(), text);
        assert!(text.ends_with("}\n"));
        let present: BTreeSet<String> = value.as_object().unwrap().keys().cloned().collect();
        assert_eq!(present, all);
    });
}

/// The keys of packet manifest v1, as the specification lists them.
fn every_key() -> BTreeSet<String> {
    "schema_version contract_version compiler index_version index corpus_origin skills_release corpus_sha256 \
     query_sha256 status fallback tokenizer maximum_context_tokens required_context_tokens packet_token_estimate \
     mandatory_token_estimate retrieved_token_estimate confidence signals selected_plugins selected_skills \
     selected_skill_tokens included_chunks omitted_chunks omitted_by_reason warnings packet_sha256"
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_manifest_without_a_packet_has_every_key_too() {
    let dir = Dir::new();
    let memory = Memory::of(&fixture::write(&dir));
    for request in [
        json!({"objective": "blorptang wibbly"}),
        json!({"required_skills": ["cluster-backup"]}),
    ] {
        let compiled = memory.compile(&request, 1000);
        assert_ne!(compiled.manifest.status, Status::Ok);
        let value = serde_json::to_value(&compiled.manifest).unwrap();
        let present: BTreeSet<String> = value.as_object().unwrap().keys().cloned().collect();
        assert_eq!(present, every_key());
    }
}

#[test]
fn neither_the_machine_nor_the_requests_texts_are_in_the_manifest() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    // Words that no skill knows, so that no signal may show them.
    let request = json!({
        "title": "Zanzibarium postgres migration",
        "objective": "Backfill a NOT NULL column for Quixotrope without downtime",
        "requirements": ["Flimsington shall be told"],
        "acceptance_criteria": ["Grandilox agrees"],
        "error_summary": "Wuppertalix: lock timeout",
        "paths": ["src/Oberonium/a.sql"],
        "commands": ["psql --host Kleptomar"]
    });
    let path = dir.request("request.json", &request);
    dir.run([
        "packet",
        "--request",
        &path,
        "--index",
        "index",
        "--output",
        "p.md",
    ])
    .expect(0);
    let manifest = dir.read("p.json");
    let packet = dir.read("p.md");
    let folded = manifest.to_lowercase();
    for word in [
        "zanzibarium",
        "quixotrope",
        "flimsington",
        "grandilox",
        "wuppertalix",
        "oberonium",
        "kleptomar",
    ] {
        assert!(!folded.contains(word), "{word} is in the manifest");
    }
    // Stems too.
    for word in ["zanzibar", "quixotr", "flimsing", "kleptom"] {
        assert!(!folded.contains(word), "{word} is in the manifest");
    }
    for text in [&manifest, &packet] {
        assert!(!text.contains(&dir.name()), "the temporary folder shows");
        assert!(!text.contains(dir.path().to_str().unwrap()));
        assert!(
            !text.contains("/tmp") && !text.contains("\"/"),
            "an absolute path shows"
        );
    }
    let parsed: PacketManifest = serde_json::from_str(&manifest).unwrap();
    assert!(
        parsed
            .signals
            .values()
            .flatten()
            .any(|word| word.starts_with("migrat")),
        "{:?}",
        parsed.signals
    );
    assert!(
        parsed
            .included_chunks
            .iter()
            .all(|chunk| chunk.source_path.starts_with("plugins/"))
    );
    assert_eq!(parsed.packet_sha256, sha256_hex(packet.as_bytes()));
}

#[test]
fn the_same_corpus_elsewhere_gives_the_same_bytes() {
    let compile = || {
        let dir = Dir::new();
        let root = fixture::indexed(&dir);
        let request = dir.request("request.json", &fixture::migration());
        let form = [
            "--skills",
            &root,
            "packet",
            "--request",
            &request,
            "--index",
            "index",
            "--output",
            "p.md",
        ];
        let mut command = dir.command(&dir.path());
        command
            .args(form)
            .env("TZ", "Asia/Tokyo")
            .env("LC_ALL", "tr_TR.UTF-8");
        crate::harness::outcome(&mut command).expect(0);
        (dir.bytes("p.md"), dir.bytes("p.json"))
    };
    let here = compile();
    assert!(here == compile(), "two folders, two results");
    let dir = Dir::new();
    let memory = Memory::of(&fixture::write(&dir));
    let compiled = memory.compile(&fixture::migration(), 6000);
    assert!(
        here == (
            compiled.packet.clone().into_bytes(),
            compiled.manifest_file().unwrap().into_bytes()
        ),
        "an index in memory gives another result than one on disk"
    );
}
