//! Every file of an index deleted, cut and with single bits flipped: an error, never a panic, never another packet;
//! and a build makes it whole again.

use super::rig::{INDEX, Rig, SOURCES, Seeded, names};

/// Bits flipped in each file.
const FLIPS: usize = 4;

type Packet = (Vec<u8>, Vec<u8>);

/// Reads from a damaged index: the error, or what was there before. Says which.
#[track_caller]
fn read(rig: &Rig, good: &Packet, what: &str) -> bool {
    let run = rig.try_packet(INDEX);
    if run.code == 1 {
        assert_eq!(run.error().code, "index_corrupt", "{what}: {}", run.stdout);
        assert!(!rig.dir.has("packet.md"), "{what}");
        return false;
    }
    assert_eq!(run.code, 0, "{what}: {}", run.stdout);
    let now = (rig.dir.bytes("packet.md"), rig.dir.bytes("packet.json"));
    assert!(now == *good, "{what}: another packet");
    true
}

/// A build must make the index whole again.
#[track_caller]
fn repair(rig: &Rig, good: &Packet, what: &str) {
    let run = rig.try_build(INDEX);
    assert!(!run.stderr.contains("panicked"), "{what}: {}", run.stderr);
    assert_eq!(run.code, 0, "{what}: {}{}", run.stdout, run.stderr);
    let run = rig.try_packet(INDEX);
    assert_eq!(run.code, 0, "{what}, after the build: {}", run.stdout);
    let now = (rig.dir.bytes("packet.md"), rig.dir.bytes("packet.json"));
    assert!(now == *good, "{what}: another packet after the build");
    let run = rig.inspect(INDEX, true);
    assert_eq!(run.code, 0, "{what}, after the build: {}", run.stdout);
}

fn built() -> (Rig, Packet) {
    let rig = Rig::new();
    rig.build();
    let good = rig.packet();
    (rig, good)
}

#[test]
fn a_damaged_manifest_is_named_and_rebuilt() {
    let (rig, good) = built();
    let path = "index/manifest.json";
    let text = rig.dir.bytes(path);
    let half = text[..text.len() / 2].to_vec();
    for (what, bytes, code) in [
        ("empty", Vec::new(), "index_corrupt"),
        ("truncated", half, "index_corrupt"),
        ("NUL", vec![0; text.len()], "index_corrupt"),
        ("garbage", b"\xff\xfe\x00garbage".to_vec(), "index_corrupt"),
        ("a list", b"[]".to_vec(), "index_foreign"),
        (
            "only a kind",
            br#"{"kind": "vibey-context-index", "index_version": 1}"#.to_vec(),
            "index_outdated",
        ),
    ] {
        rig.dir.file(path, bytes);
        rig.try_packet(INDEX).fails(code);
        rig.inspect(INDEX, false).fails(code);
        if code == "index_foreign" {
            // Not ours by its own words: for the user to decide.
            rig.try_build(INDEX).fails(code);
            rig.dir.file(path, &text);
        }
        repair(&rig, &good, what);
    }
    rig.dir.remove(path);
    rig.try_packet(INDEX).fails("index_missing");
    repair(&rig, &good, "missing");
    rig.assert_clean(INDEX);
}

#[test]
fn a_flipped_bit_in_the_manifest_gives_no_other_packet() {
    let (rig, good) = built();
    let path = "index/manifest.json";
    let text = rig.dir.bytes(path);
    let mut seeded = Seeded(7);
    let mut line_start = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        // Somewhere in the line, and near its end, where the value stands.
        for at in [seeded.below(line.len()), line.len().saturating_sub(4)] {
            let mut bytes = text.clone();
            // The lowest bit: a digit stays a digit.
            bytes[line_start + at] ^= 1;
            rig.dir.file(path, &bytes);
            same_or_refused(&rig, &good, &String::from_utf8_lossy(line));
        }
        line_start += line.len();
    }
}

#[track_caller]
fn same_or_refused(rig: &Rig, good: &Packet, what: &str) {
    let run = rig.try_packet(INDEX);
    if run.code == 1 {
        let code = run.error().code;
        let known = ["corrupt", "foreign", "outdated", "newer"].map(|end| format!("index_{end}"));
        assert!(known.contains(&code), "{what}: {code}");
    } else {
        let now = (rig.dir.bytes("packet.md"), rig.dir.bytes("packet.json"));
        assert!(run.code == 0 && now == *good, "{what}: another packet");
    }
}

#[test]
fn deleted_and_cut_files_are_named_and_rebuilt() {
    let (rig, good) = built();
    for name in names(&rig.generation(INDEX)) {
        let path = rig.generation(INDEX).join(&name);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let what = format!("{name} deleted");
        assert_eq!(read(&rig, &good, &what), name == SOURCES, "{what}");
        repair(&rig, &good, &what);
        for len in [0, 1, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..len]).unwrap();
            let what = format!("{name} cut to {len} bytes");
            assert_eq!(read(&rig, &good, &what), name == SOURCES, "{what}");
            if len != 1 {
                repair(&rig, &good, &what);
            }
        }
    }
    let folder = rig.generation(INDEX);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(!read(&rig, &good, "no generation"));
    repair(&rig, &good, "no generation");
    rig.assert_clean(INDEX);
}

#[test]
fn flipped_bits_are_noticed_and_repaired() {
    let (rig, good) = built();
    let mut seeded = Seeded(2);
    for name in names(&rig.generation(INDEX)) {
        let path = rig.generation(INDEX).join(&name);
        let bytes = std::fs::read(&path).unwrap();
        for _ in 0..FLIPS {
            let at = seeded.below(bytes.len());
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << seeded.below(8);
            std::fs::write(&path, &flipped).unwrap();
            let what = format!("byte {at} of {} of {name}", bytes.len());
            read(&rig, &good, &what);
            if name != SOURCES {
                let run = rig.inspect(INDEX, true);
                assert_eq!(run.code, 1, "{what}: not noticed by --deep");
                assert_eq!(run.error().code, "index_corrupt", "{what}");
            }
            repair(&rig, &good, &what);
            // Whatever was written in the repair, it is what stood there.
            if name != SOURCES {
                assert!(std::fs::read(&path).unwrap() == bytes, "{what}");
            }
        }
    }
}

#[test]
fn a_damaged_table_of_sources_never_loses_a_skill() {
    let (rig, good) = built();
    let report = rig.build();
    let path = rig.generation(INDEX).join(SOURCES);
    let mut bytes = std::fs::read(&path).unwrap();
    // `SKILL.md` becomes `SKHLL.md` in the listing of a folder, which comes before the paths of files.
    let name = b"SKILL.md";
    let at = bytes.windows(name.len()).position(|part| part == name);
    bytes[at.unwrap() + 2] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let now = rig.build();
    assert_eq!(now["skills"], report["skills"]);
    assert_eq!(now["corpus_sha256"], report["corpus_sha256"]);
    assert!(rig.packet() == good);
}
