//! A shard whose bytes are damaged and whose checksums are right again: what a fault before the checksum, or a hand, leaves.
//! No checksum can tell, so the decoders must: an error that names the file and the way out, and never a panic.

use super::rig::{INDEX, Rig, Seeded};

/// Where the head begins: behind magic bytes, its length and its checksum.
const HEAD: usize = 16;
/// Bytes of a block that has a checksum of its own.
const BLOCK: usize = 4096;
/// Bytes of the head before the rows of the parts: key, skills, documents, words of eight fields, number of parts.
const FIXED: usize = 32 + 4 + 4 + 8 * 8 + 1;
/// Bytes of the row of a part: its kind and its length.
const ROW: usize = 9;
/// Kinds of the parts that are tried: postings, details, the names' skills, records, texts.
const KINDS: [u8; 5] = [3, 4, 6, 8, 9];
/// Damages of each part.
const TRIES: usize = 12;

/// A shard taken apart: kinds and places of its parts.
fn parts(file: &[u8]) -> Vec<(u8, std::ops::Range<usize>)> {
    let len = u32::from_le_bytes(file[8..12].try_into().unwrap()) as usize;
    let rows = &file[HEAD + FIXED..];
    let mut start = HEAD + len;
    (0..usize::from(file[HEAD + FIXED - 1]))
        .map(|at| {
            let row = &rows[at * ROW..(at + 1) * ROW];
            let size = u64::from_le_bytes(row[1..].try_into().unwrap()) as usize;
            start += size;
            (row[0], start - size..start)
        })
        .collect()
}

/// Makes every checksum of the file right.
fn seal(file: &mut [u8]) {
    let len = u32::from_le_bytes(file[8..12].try_into().unwrap()) as usize;
    let (head, data) = file.split_at_mut(HEAD + len);
    let sums: Vec<u8> = data
        .chunks(BLOCK)
        .flat_map(|block| crc32fast::hash(block).to_le_bytes())
        .collect();
    let at = head.len() - sums.len();
    head[at..].copy_from_slice(&sums);
    let sum = crc32fast::hash(&head[HEAD..]);
    head[12..HEAD].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn what_no_checksum_can_tell_is_an_error_or_harmless() {
    let rig = Rig::new();
    rig.build();
    let good = rig.packet();
    let sealed = rig.sealed(INDEX);
    let (name, bytes) = sealed
        .iter()
        .find(|(name, _)| name.ends_with(".shard"))
        .unwrap();
    let path = rig.generation(INDEX).join(name);
    let parts = parts(bytes);
    assert_eq!(parts.last().unwrap().1.end, bytes.len());
    // That the test seals as the writer does.
    let mut same = bytes.clone();
    seal(&mut same);
    assert!(same == *bytes);
    let mut seeded = Seeded(31);
    let mut refused = 0;
    for kind in KINDS {
        let (_, range) = parts.iter().find(|(found, _)| *found == kind).unwrap();
        for attempt in 0..TRIES {
            let mut forged = bytes.clone();
            let at = range.start + seeded.below(range.len());
            match attempt % 3 {
                0 => forged[at] ^= 1 << seeded.below(8),
                1 => forged[at..range.end.min(at + 40)].fill(0xff),
                _ => forged[range.start..at].fill(0),
            }
            seal(&mut forged);
            std::fs::write(&path, &forged).unwrap();
            let what = format!("part {kind}, byte {at}, attempt {attempt}");
            // `try_packet` looks for a panic.
            let run = rig.try_packet(INDEX);
            // Words that are held by nobody any more: an index that says so, and a packet that says no.
            assert!(matches!(run.code, 0..=2), "{what}: {}", run.stderr);
            if run.code == 1 {
                let error = run.error();
                assert_eq!(error.code, "index_corrupt", "{what}: {}", run.stdout);
                // A text that unpacks to something else is known by its section's digest.
                let named = [name.as_str(), "text of section"];
                let named = named.iter().any(|named| run.stdout.contains(named));
                assert!(named, "{what}: {}", run.stdout);
                assert!(run.stdout.contains("index build"), "{what}: {}", run.stdout);
                refused += 1;
            }
        }
    }
    assert!(refused > TRIES, "{refused} refused");
    rig.try_build(INDEX).expect(0);
    assert!(rig.sealed(INDEX) == sealed);
    assert!(rig.packet() == good);
}
