//! What do the skills of a shard answer to? The engine's dictionary, with the skills of each name: their number, then the
//! first one and the distances to the next, in numbers of [`crate::codec`].

use crate::codec::{Decoder, Encoder};
use crate::record::SkillRecord;
use crate::schema::{self, Key};
use std::collections::BTreeMap;
use std::io;
use tantivy::postings::TermInfo;
use tantivy::termdict::TermDictionaryBuilder;

/// The dictionary of names and the skills of each.
pub(crate) fn write<'a>(
    skills: impl Iterator<Item = &'a SkillRecord>,
) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut names: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (place, record) in skills.enumerate() {
        for name in keys(record) {
            names.entry(name).or_default().push(place as u32);
        }
    }
    let mut dictionary = TermDictionaryBuilder::create(Vec::new())?;
    let mut out = Encoder::default();
    for (name, places) in &names {
        let start = out.0.len();
        out.number(places.len() as u64);
        let mut before = 0;
        for place in places {
            out.number(u64::from(place - before));
            before = *place;
        }
        let row = TermInfo {
            doc_freq: 0,
            postings_range: start..out.0.len(),
            positions_range: 0..0,
        };
        dictionary.insert(name, &row)?;
    }
    Ok((dictionary.finish()?, out.0))
}

/// The skills of a name, each below `skills`; `None` where the bytes say something else.
pub(crate) fn read(bytes: &[u8], skills: usize) -> Option<Vec<usize>> {
    let mut decoder = Decoder(bytes);
    let mut at = 0_usize;
    let places = (0..decoder.count()?).map(|_| {
        at = at.checked_add(usize::try_from(decoder.number()?).ok()?)?;
        (at < skills).then_some(at)
    });
    places.collect()
}

/// Every form in which the skill can be addressed.
fn keys(record: &SkillRecord) -> Vec<String> {
    let mut keys = schema::keys(&record.plugin, &record.skill, &record.folder).to_vec();
    keys.push(Key::Skill.term(&record.address()));
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = read(&bytes, 7);
        }
    }

    #[test]
    fn places_are_those_of_skills() {
        assert_eq!(read(&[3, 0, 2, 4], 7).unwrap(), [0, 2, 6]);
        assert_eq!(read(&[3, 0, 2, 5], 7), None);
        assert_eq!(read(&[3, 0, 2], 7), None);
    }
}
