//! Which skills stand for byte-identical copies, and what would the copies be called? Beside the shards, since a copy
//! that comes or goes must not change the shard of the skill that stands for it.

use crate::codec::{Decoder, Encoder};
use crate::record::Copy;
use crate::schema::{Key, keys};

/// The copies of a corpus, by the skill that stands for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Copies(Vec<(usize, Vec<Copy>)>);

impl Copies {
    /// From rows in the order of skills.
    pub(crate) fn new(rows: Vec<(usize, Vec<Copy>)>) -> Self {
        Self(rows)
    }

    pub(crate) fn write(&self, out: &mut Encoder) {
        out.number(self.0.len() as u64);
        for (at, copies) in &self.0 {
            out.number(*at as u64);
            out.number(copies.len() as u64);
            for copy in copies {
                out.text(&copy.plugin);
                out.text(&copy.skill);
                out.text(&copy.folder);
            }
        }
    }

    pub(crate) fn read(decoder: &mut Decoder<'_>) -> Option<Self> {
        let rows = (0..decoder.count()?).map(|_| {
            let at = usize::try_from(decoder.number()?).ok()?;
            let copies = (0..decoder.count()?).map(|_| {
                Some(Copy {
                    plugin: decoder.text()?,
                    skill: decoder.text()?,
                    folder: decoder.text()?,
                })
            });
            Some((at, copies.collect::<Option<Vec<_>>>()?))
        });
        rows.collect::<Option<Vec<_>>>().map(Self)
    }

    /// The copies that skill `at` stands for.
    pub(crate) fn of(&self, at: usize) -> &[Copy] {
        let found = self.0.binary_search_by_key(&at, |(skill, _)| *skill);
        found.map_or(&[], |row| &self.0[row].1)
    }

    /// Every skill that stands for a copy, with that copy.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Copy)> {
        let rows = self.0.iter();
        rows.flat_map(|(at, copies)| copies.iter().map(|copy| (*at, copy)))
    }

    /// The skills of which a copy answers to `key`.
    pub(crate) fn keyed(&self, key: &str) -> impl Iterator<Item = usize> {
        self.iter()
            .filter(move |(_, copy)| of_copy(copy).iter().any(|own| own == key))
            .map(|(at, _)| at)
    }

    /// What copies answer to, of one kind.
    pub(crate) fn names(&self, kind: Key) -> impl Iterator<Item = String> {
        let prefix = kind.term("");
        self.iter()
            .flat_map(|(_, copy)| of_copy(copy))
            .filter_map(move |key| key.strip_prefix(&prefix).map(str::to_owned))
    }

    /// The last skill that stands for a copy.
    pub(crate) fn last(&self) -> Option<usize> {
        self.0.last().map(|(at, _)| *at)
    }
}

fn of_copy(copy: &Copy) -> [String; 5] {
    keys(&copy.plugin, &copy.skill, &copy.folder)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let copy = |plugin: &str| Copy {
            plugin: plugin.into(),
            skill: "s".into(),
            folder: "f".into(),
        };
        let copies = Copies::new(vec![(3, vec![copy("a"), copy("b")]), (9, vec![copy("a")])]);
        let mut out = Encoder::default();
        copies.write(&mut out);
        assert_eq!(Copies::read(&mut Decoder(&out.0)).unwrap(), copies);
        assert_eq!(copies.of(3).len(), 2);
        assert_eq!(copies.of(4), []);
        assert_eq!(copies.keyed("sa/f").collect::<Vec<_>>(), [3, 9]);
        assert_eq!(copies.keyed("pb").collect::<Vec<_>>(), [3]);
        let plugins: Vec<String> = copies.names(Key::Plugin).collect();
        assert_eq!(plugins, ["a", "b", "a"]);
        for cut in 0..out.0.len() {
            assert!(Copies::read(&mut Decoder(&out.0[..cut])).is_none(), "{cut}");
        }
    }
}
