//! What a generation holds besides its shards: their order, and the copies.
//!
//! Layout: CRC-32 of what follows (u32, little endian); number of shards, the key of each (32 bytes); the copies.

use crate::codec::{Decoder, Encoder, from_hex};
use crate::copies::Copies;
use crate::record::Copy;
use vibey_context_contracts::digest::hex;

/// Name of the file inside a generation.
pub const FILE: &str = "corpus.bin";

const KEY_BYTES: usize = 32;

/// The order of shards, and the copies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Corpus {
    /// Keys of the shards, in the order of their skills.
    pub(crate) shards: Vec<String>,
    pub(crate) copies: Copies,
}

/// The file's bytes: keys of the shards in the order of their skills, and the copies that skills stand for, by the number
/// of the skill.
#[must_use]
pub fn write(shards: &[String], copies: Vec<(usize, Vec<Copy>)>) -> Vec<u8> {
    let mut out = Encoder::default();
    out.number(shards.len() as u64);
    for key in shards {
        out.0.extend(from_hex(key).unwrap_or_default());
    }
    Copies::new(copies).write(&mut out);
    let mut file = crc32fast::hash(&out.0).to_le_bytes().to_vec();
    file.extend_from_slice(&out.0);
    file
}

/// The file's content; `None` where a bit of it differs from what was written.
pub(crate) fn read(bytes: &[u8]) -> Option<Corpus> {
    let mut decoder = Decoder(bytes);
    let crc = decoder.u32()?;
    if crc32fast::hash(decoder.0) != crc {
        return None;
    }
    let shards = (0..decoder.count()?).map(|_| decoder.take(KEY_BYTES).map(hex));
    Some(Corpus {
        shards: shards.collect::<Option<_>>()?,
        copies: Copies::read(&mut decoder)?,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_noticed() {
        let copy = Copy {
            plugin: "p".into(),
            skill: "s".into(),
            folder: "f".into(),
        };
        let shards = ["ab".repeat(32), "01".repeat(32)];
        let good = write(&shards, vec![(1, vec![copy])]);
        let read_back = read(&good).unwrap();
        assert_eq!(read_back.shards, shards);
        assert_eq!(read_back.copies.of(1).len(), 1);
        for bit in 0..good.len() * 8 {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read(&bytes), None, "bit {bit}");
        }
    }
}
