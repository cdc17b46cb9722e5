//! Which plugin is each skill of a shard of? Names once, then a number for each skill: a ranking asks for all of them.
//!
//! Layout: number of names, the names, then for each skill the place of its plugin among them (u32, little endian).

use crate::codec::{Decoder, Encoder};
use std::collections::BTreeMap;

/// The part's bytes, from the plugin of each skill.
pub(crate) fn write<'a>(of_skills: impl Iterator<Item = &'a str>) -> Vec<u8> {
    let mut places: BTreeMap<&str, u32> = BTreeMap::new();
    let mut names = Vec::new();
    let mut numbers = Encoder::default();
    for plugin in of_skills {
        let place = *places.entry(plugin).or_insert_with(|| {
            names.push(plugin);
            names.len() as u32 - 1
        });
        numbers.u32(place);
    }
    let mut out = Encoder::default();
    out.number(names.len() as u64);
    names.iter().for_each(|name| out.text(name));
    out.0.extend_from_slice(&numbers.0);
    out.0
}

/// The names, and the place of its plugin among them for each skill.
pub(crate) fn read(bytes: &[u8]) -> Option<(Vec<&str>, Vec<u32>)> {
    let mut decoder = Decoder(bytes);
    let names: Option<Vec<&str>> = (0..decoder.count()?).map(|_| decoder.str()).collect();
    let names = names?;
    let mut places = Vec::new();
    while !decoder.0.is_empty() {
        let place = decoder.u32()?;
        names.get(place as usize)?;
        places.push(place);
    }
    Some((names, places))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let bytes = write(["b", "a", "b", "", "a"].into_iter());
        let (names, places) = read(&bytes).unwrap();
        let named: Vec<&str> = places.iter().map(|&place| names[place as usize]).collect();
        assert_eq!(named, ["b", "a", "b", "", "a"]);
        assert!(read(&write(std::iter::empty())).unwrap().1.is_empty());
        assert!(read(&bytes[..bytes.len() - 1]).is_none());
    }
}
