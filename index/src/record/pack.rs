//! How does a record stand in a shard? In numbers and texts of [`crate::codec`]; what follows from the section before it is
//! not written again. Copies are not part of it: they stand beside the shards.

use super::{SectionRecord, SkillRecord};
use crate::codec::{Decoder, Encoder, from_hex};
use std::collections::BTreeMap;
use vibey_context_contracts::digest::hex;
use vibey_context_contracts::packet::{ContentClass, Part};

/// The classes by their numbers.
const CLASSES: [ContentClass; 5] = [
    ContentClass::Mandatory,
    ContentClass::Procedure,
    ContentClass::Reference,
    ContentClass::Example,
    ContentClass::Source,
];
/// What stands in front of a digest that is no hexadecimal text: those of tests.
const PLAIN: u8 = 0;
/// Bit of a section that holds headings only.
const BARE: u8 = 1;
/// Bit of a section that is a part of one.
const PARTED: u8 = 2;

/// The record's bytes.
pub(crate) fn write(record: &SkillRecord) -> Vec<u8> {
    let mut out = Encoder::default();
    out.number(record.root.into());
    digest(&mut out, &record.source_sha256);
    for text in [
        &record.source_path,
        &record.plugin,
        &record.skill,
        &record.folder,
        &record.version,
        &record.description,
    ] {
        out.text(text);
    }
    out.number(record.tags.len() as u64);
    for (key, values) in &record.tags {
        out.text(key);
        out.texts(values.iter());
    }
    out.number(record.token_estimate);
    out.number(record.sections.len() as u64);
    let mut before: Option<&SectionRecord> = None;
    for section in &record.sections {
        write_section(&mut out, section, before);
        before = Some(section);
    }
    // Digests apart from what can be compressed.
    for section in &record.sections {
        digest(&mut out, &section.id);
        digest(&mut out, &section.content_sha256);
    }
    out.0
}

fn write_section(out: &mut Encoder, section: &SectionRecord, before: Option<&SectionRecord>) {
    let above = before.map_or(&[][..], |before| &before.heading_path);
    let same = above.iter().zip(&section.heading_path);
    let same = same.take_while(|(one, other)| one == other).count();
    out.number(same as u64);
    out.texts(section.heading_path[same..].iter());
    let bits = [(BARE, section.bare), (PARTED, section.part.is_some())];
    out.u8(bits.into_iter().map(|(bit, set)| bit * u8::from(set)).sum());
    out.u8(CLASSES
        .iter()
        .position(|class| *class == section.class)
        .map_or(0, |at| at as u8));
    if let Some(part) = section.part {
        out.number(part.number.into());
        out.number(part.of.into());
    }
    let (line, end) = before.map_or((0, 0), |before| (before.line_end, before.end));
    for (value, base) in [
        (section.line_start, line),
        (section.line_end, section.line_start),
        (section.start, end),
        (section.end, section.start),
    ] {
        // Wraps where it does not grow, and comes back the same.
        out.number(value.wrapping_sub(base).into());
    }
    out.number(section.token_estimate);
}

/// The record; `None` where the bytes are not what [`write()`] made.
pub(crate) fn read(bytes: &[u8]) -> Option<SkillRecord> {
    let mut from = Decoder(bytes);
    let root = number(&mut from)?;
    let source_sha256 = read_digest(&mut from)?;
    let mut record = SkillRecord {
        root,
        source_sha256,
        source_path: from.text()?,
        plugin: from.text()?,
        skill: from.text()?,
        folder: from.text()?,
        version: from.text()?,
        description: from.text()?,
        tags: BTreeMap::new(),
        copies: Vec::new(),
        token_estimate: 0,
        sections: Vec::new(),
    };
    for _ in 0..from.count()? {
        let key = from.text()?;
        record.tags.insert(key, from.texts()?);
    }
    record.token_estimate = from.number()?;
    for _ in 0..from.count()? {
        let section = read_section(&mut from, record.sections.last())?;
        record.sections.push(section);
    }
    for section in &mut record.sections {
        section.id = read_digest(&mut from)?;
        section.content_sha256 = read_digest(&mut from)?;
    }
    from.0.is_empty().then_some(record)
}

fn read_section(from: &mut Decoder<'_>, before: Option<&SectionRecord>) -> Option<SectionRecord> {
    let same = usize::try_from(from.number()?).ok()?;
    let above = before.map_or(&[][..], |before| &before.heading_path);
    let mut heading_path = above.get(..same)?.to_vec();
    heading_path.extend(from.texts()?);
    let bits = from.u8()?;
    let class = *CLASSES.get(usize::from(from.u8()?))?;
    let part = if bits & PARTED == 0 {
        None
    } else {
        let (number, of) = (number(from)?, number(from)?);
        Some(Part { number, of })
    };
    let (line, end) = before.map_or((0, 0), |before| (before.line_end, before.end));
    let line_start = number(from)?.wrapping_add(line);
    let line_end = number(from)?.wrapping_add(line_start);
    let start = number(from)?.wrapping_add(end);
    let end = number(from)?.wrapping_add(start);
    Some(SectionRecord {
        id: String::new(),
        heading_path,
        line_start,
        line_end,
        start,
        end,
        content_sha256: String::new(),
        class,
        part,
        bare: bits & BARE != 0,
        token_estimate: from.number()?,
    })
}

fn number(from: &mut Decoder<'_>) -> Option<u32> {
    u32::try_from(from.number()?).ok()
}

/// A hexadecimal text by its bytes, behind their number.
fn digest(out: &mut Encoder, text: &str) {
    match from_hex(text).filter(|bytes| !bytes.is_empty() && bytes.len() < 0x80) {
        Some(bytes) => out.bytes(&bytes),
        None => {
            out.u8(PLAIN);
            out.text(text);
        }
    }
}

fn read_digest(from: &mut Decoder<'_>) -> Option<String> {
    match from.bytes()? {
        [] => from.text(),
        bytes => Some(hex(bytes)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        fn section()(
            id in "[0-9a-f]{24}|[a-z]{0,9}",
            heading_path in prop::collection::vec("a|b|\\PC{0,9}", 0..4),
            numbers in any::<[u32; 4]>(),
            content_sha256 in "([0-9a-f]{64})?",
            class in 0_usize..5,
            part in prop::option::of(any::<[u32; 2]>()),
            bare in any::<bool>(),
            token_estimate in any::<u64>(),
        ) -> SectionRecord {
            let [line_start, line_end, start, end] = numbers;
            SectionRecord {
                id, heading_path, line_start, line_end, start, end, content_sha256,
                class: CLASSES[class],
                part: part.map(|[number, of]| Part { number, of }),
                bare, token_estimate,
            }
        }
    }

    prop_compose! {
        fn record()(
            root in any::<u32>(),
            texts in prop::array::uniform7("\\PC{0,12}"),
            tags in prop::collection::btree_map("[a-z]{1,5}", prop::collection::vec("\\PC{0,5}", 0..3), 0..3),
            token_estimate in any::<u64>(),
            sections in prop::collection::vec(section(), 0..5),
        ) -> SkillRecord {
            let [source_path, source_sha256, plugin, skill, folder, version, description] = texts;
            SkillRecord {
                root, source_path, source_sha256, plugin, skill, folder, version, description, tags,
                copies: Vec::new(),
                token_estimate, sections,
            }
        }
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(record in record()) {
            let bytes = write(&record);
            prop_assert_eq!(read(&bytes), Some(record));
            for cut in 0..bytes.len() {
                prop_assert_eq!(read(&bytes[..cut]), None);
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = read(&bytes);
        }
    }
}
