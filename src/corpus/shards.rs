//! Which skills are indexed together? A shard is built, kept or replaced as a whole, so a change costs with its size.
//!
//! The list of the skills that are kept, in the order of root and path, is cut where the digest of a path says so: a skill
//! that comes or goes moves the cuts beside it and no others (content-defined chunking, as Muthitacharoen, Chen and
//! Mazières cut files in "A Low-bandwidth Network File System", 2001). Copies and rejected files move none: the digest of a
//! corpus knows nothing of their places, and the same corpus must have the same shards.

use crate::corpus::discover::Place;
use crate::corpus::plugins::Plugin;
use vibey_context_contracts::digest::FieldDigest;
use vibey_context_contracts::version::{COMPILER_VERSION, INDEX_FORMAT};

/// Bounds of the number of skills in a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// No cut before so many.
    pub min: usize,
    /// From there on each skill is the first of a new shard with a chance of one in so many.
    pub spread: u32,
    /// A cut behind so many in any case.
    pub max: usize,
}

impl Sizes {
    /// What indexes are built with: 1,024 to 1,792 skills in a shard, about 1,400 on average, so that an index of the largest
    /// known collections of a few hundred skills is one, and one of 80,000 about fifty-five. A packet asks every shard: at half
    /// the size it takes a third longer. A refresh builds one or two anew, and the largest shard is what bounds it to a thirtieth of
    /// a full build at 80,000 skills. docs/performance.md has the measurements.
    pub const DEFAULT: Self = Self {
        min: 1024,
        spread: 512,
        max: 1792,
    };
}

/// Number of those skills, from the first one on and in their order, that are a shard; `None` where it depends on those that
/// follow.
#[must_use]
pub(super) fn first<'a>(skills: impl Iterator<Item = &'a Place>, sizes: Sizes) -> Option<usize> {
    let mut numbered = skills.enumerate();
    let next = numbered.find(|(at, place)| {
        *at >= sizes.max || (*at >= sizes.min.max(1) && starts(place, sizes.spread))
    });
    next.map(|(at, _)| at)
}

/// Whether a shard may start at this skill.
fn starts(place: &Place, spread: u32) -> bool {
    let digest = FieldDigest::default()
        .field(&place.root.to_le_bytes())
        .field(place.path.as_bytes())
        .finish();
    let number = digest
        .get(..8)
        .and_then(|hex| u32::from_str_radix(hex, 16).ok());
    number.is_some_and(|number| number % spread.max(1) == 0)
}

/// A skill as far as its shard depends on it.
pub(super) struct Member<'a> {
    pub(super) root: u32,
    pub(super) path: &'a str,
    pub(super) text_sha256: &'a str,
    pub(super) plugin: &'a Plugin,
}

/// Key of the shard of these skills: whoever has the same key has the same file.
#[must_use]
pub(super) fn key<'a>(members: impl Iterator<Item = Member<'a>>) -> String {
    let start = FieldDigest::default()
        .field(&INDEX_FORMAT.to_le_bytes())
        .field(COMPILER_VERSION.as_bytes());
    let add = |digest: FieldDigest, member: Member<'a>| {
        digest
            .field(&member.root.to_le_bytes())
            .field(member.path.as_bytes())
            .field(member.text_sha256.as_bytes())
            .field(member.plugin.name.as_bytes())
            .field(member.plugin.version.as_bytes())
            .field(member.plugin.category.as_bytes())
    };
    members.fold(start, add).finish()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SMALL: Sizes = Sizes {
        min: 2,
        spread: 3,
        max: 6,
    };

    fn places(numbers: &[u16]) -> Vec<Place> {
        let place = |number: &u16| Place {
            root: 0,
            path: format!("{number:05}/SKILL.md"),
            real: std::path::PathBuf::new(),
        };
        let mut places: Vec<Place> = numbers.iter().map(place).collect();
        places.sort();
        places.dedup();
        places
    }

    fn cut(places: &[Place], sizes: Sizes) -> Vec<std::ops::Range<usize>> {
        let (mut shards, mut start) = (Vec::new(), 0);
        while start < places.len() {
            let len = first(places[start..].iter(), sizes);
            let end = len.map_or(places.len(), |len| start + len);
            shards.push(start..end);
            start = end;
        }
        shards
    }

    proptest! {
        #[test]
        fn shards_are_the_files_in_order_and_within_their_bounds(numbers in prop::collection::vec(any::<u16>(), 0..80)) {
            let places = places(&numbers);
            let shards = cut(&places, SMALL);
            let mut end = 0;
            for (at, shard) in shards.iter().enumerate() {
                prop_assert_eq!(shard.start, end);
                prop_assert!(shard.len() <= SMALL.max && !shard.is_empty());
                prop_assert!(shard.len() >= SMALL.min || at + 1 == shards.len());
                end = shard.end;
            }
            prop_assert_eq!(end, places.len());
        }
    }

    #[test]
    fn a_file_more_changes_the_cuts_beside_it_alone() {
        let numbers: Vec<u16> = (0..4000).map(|number| number * 2).collect();
        let before = places(&numbers);
        let paths = |places: &[Place]| -> Vec<Vec<String>> {
            let shards = cut(places, SMALL).into_iter();
            let paths =
                |shard: std::ops::Range<usize>| places[shard].iter().map(|one| one.path.clone());
            shards.map(|shard| paths(shard).collect()).collect()
        };
        let old = paths(&before);
        for added in [1, 4001, 7999] {
            let mut numbers = numbers.clone();
            numbers.push(added);
            let new = paths(&places(&numbers));
            let changed = new.iter().filter(|shard| !old.contains(shard)).count();
            assert!((1..=8).contains(&changed), "{changed} shards");
        }
    }
}
