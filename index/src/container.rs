//! One file for all that an index keeps of a shard, each block of it with a checksum that is compared when the block is
//! first read: a packet reads a small part of an index, and a flipped bit in that part must be an error.
//!
//! Layout, little endian: magic (8 bytes), length of the head (u32), CRC-32 of the head (u32); the head: key of the
//! shard (32 bytes), number of skills (u32), number of documents (u32), number of words in each field (u64), number of
//! parts (u8), for each its kind (u8) and length (u64), then the CRC-32 of every block of the data (u32); then the data, part behind part.

use crate::codec::{Decoder, Encoder, from_hex};
use crate::schema::FIELDS;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use tantivy::HasLen;
use tantivy::directory::{FileHandle, FileSlice, OwnedBytes};
use vibey_context_contracts::digest::hex;

const MAGIC: &[u8; 8] = b"vctxshd2";
/// Magic, length and checksum of the head.
const PREFIX_BYTES: usize = 16;

/// Bytes of data for each checksum. A posting list is read whole and most are shorter than a page, so small blocks mean
/// little to check around it; below the size of a page nothing is won, since the page is read anyway.
const BLOCK_BYTES: usize = 4096;

/// Bytes that are read at a time where everything is compared.
const VERIFY_BYTES: usize = 64 * BLOCK_BYTES;

/// Bytes from the start of the file that are read with its head: head, lengths and plugins of a thousand skills, which
/// every ranking needs, are in them, so that they cost one call.
const FRONT_BYTES: usize = 32 * 1024;

/// What a shard consists of. The number is its kind in the file; what every ranking reads comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// Lengths of the fields of skills.
    Lengths = 0,
    /// Which plugin each skill is of.
    Plugins = 1,
    /// The dictionary of words.
    Words = 2,
    /// For each word how skills hold it.
    Postings = 3,
    /// For each word how sections hold it, and where it stands in skills.
    Details = 4,
    /// The dictionary of names.
    Names = 5,
    /// For each name the skills that answer to it.
    Named = 6,
    /// Lengths of the fields of sections.
    SectionLengths = 7,
    /// Records of the skills, one blob each; the blob's number is the document number of the first section.
    Records = 8,
    /// Texts of the skills, one blob each.
    Texts = 9,
}

impl Part {
    const COUNT: usize = 10;
}

/// What the head says besides the places of the parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// 64 hexadecimal characters.
    pub(crate) key: String,
    /// Number of skills.
    pub(crate) skills: u32,
    /// Number of the engine's documents: skills and sections.
    pub(crate) documents: u32,
    /// Number of words in each field of skills and of sections.
    pub(crate) tokens: [u64; FIELDS],
}

/// The bytes of a shard's file.
pub(crate) fn pack(head: &Head, parts: &[(Part, Vec<u8>)]) -> Vec<u8> {
    let mut encoder = Encoder::default();
    encoder
        .0
        .extend_from_slice(&from_hex(&head.key).unwrap_or_default());
    encoder.u32(head.skills);
    encoder.u32(head.documents);
    head.tokens.into_iter().for_each(|count| encoder.u64(count));
    encoder.u8(parts.len() as u8);
    let mut data = Vec::with_capacity(parts.iter().map(|(_, bytes)| bytes.len()).sum());
    for (part, bytes) in parts {
        encoder.u8(*part as u8);
        encoder.u64(bytes.len() as u64);
        data.extend_from_slice(bytes);
    }
    for block in data.chunks(BLOCK_BYTES) {
        encoder.u32(crc32fast::hash(block));
    }
    let head = encoder.0;
    let mut file = Vec::with_capacity(PREFIX_BYTES + head.len() + data.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&(head.len() as u32).to_le_bytes());
    file.extend_from_slice(&crc32fast::hash(&head).to_le_bytes());
    file.extend_from_slice(&head);
    file.extend_from_slice(&data);
    file
}

/// A shard's file, open.
pub(crate) struct Container {
    pub(crate) head: Head,
    parts: [Option<Range<usize>>; Part::COUNT],
    blocks: Arc<Blocks>,
}

impl Container {
    /// Opens a file; its head is checked. Errors are a reason in words: the caller knows which index it reads.
    pub(crate) fn open(file: &FileSlice) -> Result<Self, String> {
        let cut = || "file is shorter than its head says".to_owned();
        let read = |from: usize, to: usize| {
            if to > file.len() {
                return Err(cut());
            }
            let read = file.read_bytes_slice(from..to);
            read.map_err(|error| error.to_string())
        };
        let front = read(0, file.len().min(FRONT_BYTES))?;
        let mut prefix = Decoder(&front);
        if prefix.take(MAGIC.len()) != Some(MAGIC) {
            return Err("file does not start with its magic bytes".to_owned());
        }
        let len = prefix.u32().ok_or_else(cut)? as usize;
        let crc = prefix.u32().ok_or_else(cut)?;
        let end = PREFIX_BYTES + len;
        let bytes = if end <= front.len() {
            front.slice(PREFIX_BYTES..end)
        } else {
            read(PREFIX_BYTES, end)?
        };
        if crc32fast::hash(&bytes) != crc {
            return Err("checksum of the head does not match".to_owned());
        }
        let data = file.slice_from(PREFIX_BYTES + len);
        let front = front.slice(end.min(front.len())..front.len());
        let (head, parts, sums) = read_head(&bytes).ok_or_else(cut)?;
        let whole = parts.iter().flatten().map(|range| range.end).max();
        if whole.unwrap_or_default() != data.len()
            || sums.len() != data.len().div_ceil(BLOCK_BYTES) * 4
        {
            return Err(cut());
        }
        let sums = bytes.slice(len - sums.len()..len);
        let blocks = Blocks { data, front, sums };
        Ok(Self {
            head,
            parts,
            blocks: Arc::new(blocks),
        })
    }

    /// A part of the shard, whose blocks are checked as they are read.
    pub(crate) fn part(&self, part: Part) -> Result<FileSlice, String> {
        let blocks = Arc::clone(&self.blocks);
        let range = self.range(part)?;
        Ok(FileSlice::new(Arc::new(Checked { blocks, range })))
    }

    /// As [`Container::part`], out of another view of the same file.
    pub(crate) fn part_of(&self, file: &FileSlice, part: Part) -> Result<FileSlice, String> {
        let len = self.blocks.data.len();
        let start = file.len().checked_sub(len);
        let start = start.ok_or_else(|| "another view of it is shorter".to_owned())?;
        let range = self.range(part)?;
        let blocks = Arc::new(Blocks {
            data: file.slice_from(start),
            front: OwnedBytes::empty(),
            sums: self.blocks.sums.clone(),
        });
        Ok(FileSlice::new(Arc::new(Checked { blocks, range })))
    }

    fn range(&self, part: Part) -> Result<Range<usize>, String> {
        let range = self.parts[part as usize].clone();
        range.ok_or_else(|| format!("it has no part {}", part as u8))
    }

    /// Compares every block with its checksum.
    pub(crate) fn verify(&self) -> Result<(), String> {
        let len = self.blocks.data.len();
        for from in (0..len).step_by(VERIFY_BYTES) {
            let read = self.blocks.read(from..len.min(from + VERIFY_BYTES));
            read.map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

type Parts = [Option<Range<usize>>; Part::COUNT];

fn read_head(bytes: &[u8]) -> Option<(Head, Parts, &[u8])> {
    let mut decoder = Decoder(bytes);
    let head = Head {
        key: hex(decoder.take(32)?),
        skills: decoder.u32()?,
        documents: decoder.u32()?,
        tokens: read_tokens(&mut decoder)?,
    };
    let mut parts = Parts::default();
    let mut start = 0_usize;
    for _ in 0..decoder.u8()? {
        let kind = decoder.u8()?;
        let len = usize::try_from(decoder.u64()?).ok()?;
        let end = start.checked_add(len)?;
        *parts.get_mut(usize::from(kind))? = Some(start..end);
        start = end;
    }
    Some((head, parts, decoder.0))
}

fn read_tokens(decoder: &mut Decoder<'_>) -> Option<[u64; FIELDS]> {
    let mut tokens = [0; FIELDS];
    for count in &mut tokens {
        *count = decoder.u64()?;
    }
    Some(tokens)
}

/// The data of a shard with its checksums.
struct Blocks {
    data: FileSlice,
    /// The first bytes of the data, as they were read with the head.
    front: OwnedBytes,
    /// CRC-32 (ISO-HDLC) of each block, four bytes each.
    sums: OwnedBytes,
}

impl Blocks {
    fn read(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.start > range.end || range.end > self.data.len() {
            let reason = "read beyond the file";
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason));
        }
        if range.is_empty() {
            return Ok(OwnedBytes::empty());
        }
        let first = range.start / BLOCK_BYTES;
        let from = first * BLOCK_BYTES;
        let to = range.end.next_multiple_of(BLOCK_BYTES).min(self.data.len());
        let bytes = if to <= self.front.len() {
            self.front.slice(from..to)
        } else {
            self.data.read_bytes_slice(from..to)?
        };
        for (block, bytes) in bytes.chunks(BLOCK_BYTES).enumerate() {
            let block = first + block;
            let sum = self.sums.get(block * 4..block * 4 + 4);
            if sum != Some(crc32fast::hash(bytes).to_le_bytes().as_slice()) {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("checksum of block {block} does not match"),
                ));
            }
        }
        Ok(bytes.slice(range.start - from..range.end - from))
    }
}

/// A part of a shard as the engine reads it.
struct Checked {
    blocks: Arc<Blocks>,
    range: Range<usize>,
}

impl fmt::Debug for Checked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Checked({:?})", self.range)
    }
}

impl HasLen for Checked {
    fn len(&self) -> usize {
        self.range.len()
    }
}

impl FileHandle for Checked {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let start = self.range.start;
        self.blocks.read(start + range.start..start + range.end)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn parts() -> Vec<(Part, Vec<u8>)> {
        let long = (0..3 * BLOCK_BYTES + 7).map(|at| (at % 251) as u8);
        vec![
            (Part::Words, long.collect()),
            (Part::Records, vec![]),
            (Part::Texts, b"text".to_vec()),
        ]
    }

    fn file() -> Vec<u8> {
        let head = Head {
            key: "ab".repeat(32),
            skills: 3,
            documents: 9,
            tokens: std::array::from_fn(|at| at as u64),
        };
        pack(&head, &parts())
    }

    fn opened(bytes: Vec<u8>) -> Result<Container, String> {
        Container::open(&FileSlice::from(bytes))
    }

    #[test]
    fn what_goes_in_comes_out() {
        let container = opened(file()).unwrap();
        assert_eq!(container.head.key, "ab".repeat(32));
        assert_eq!((container.head.skills, container.head.documents), (3, 9));
        assert_eq!(container.head.tokens[FIELDS - 1], FIELDS as u64 - 1);
        for (part, bytes) in parts() {
            let found = container.part(part).unwrap().read_bytes().unwrap();
            assert!(found.as_slice() == bytes, "{part:?}");
        }
        assert!(container.part(Part::Plugins).is_err());
        container.verify().unwrap();
    }

    #[test]
    fn a_flipped_bit_is_an_error_where_it_is_read_and_nowhere_else() {
        let good = file();
        let data = good.len() - parts().iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        for at in (0..good.len()).step_by(97).chain([good.len() - 1]) {
            let mut bytes = good.clone();
            bytes[at] ^= 1 << (at % 8);
            let Ok(container) = opened(bytes) else {
                assert!(at < data, "byte {at} is not of the head");
                continue;
            };
            assert!(at >= data, "byte {at} of the head is not noticed");
            assert!(container.verify().is_err(), "byte {at}");
            let read = |part| container.part(part).unwrap().read_bytes();
            let block = (at - data) / BLOCK_BYTES;
            assert_eq!(read(Part::Texts).is_err(), block == 3, "byte {at}");
            assert!(read(Part::Words).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_cut_file_is_refused() {
        let good = file();
        for len in (0..good.len()).step_by(31) {
            assert!(opened(good[..len].to_vec()).is_err(), "{len} bytes");
        }
    }
}
