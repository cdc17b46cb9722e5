//! Many byte strings in one part of a shard, readable one at a time.
//!
//! Layout, little endian: number of blobs (u32), number of blocks (u32); a row for each blob: its block (u32), where it starts
//! in the block's bytes (u32), its size (u32), a number of the writer's choice (u32); a row for each block: where it
//! starts behind the rows (u32), stored size (u32), size before compression (u32); then the blocks. A block whose stored
//! size equals its original size is stored as it is, else compressed (zstd frame). Checksums are the business of the file
//! around it.

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tantivy::directory::{FileSlice, OwnedBytes};
use zstd::bulk::{Compressor, Decompressor};

const HEAD_BYTES: usize = 8;
const ROW_BYTES: usize = 16;
const BLOCK_ROW_BYTES: usize = 12;
/// No block is larger: a skill is at most 4 MiB of text, its record a fraction of that.
const BLOCK_MAX_BYTES: u32 = 256 * 1024 * 1024;
/// zstd's own default: the first level makes the texts of 794 skills 7 % larger for 30 ms less, the sixth 5 % smaller for
/// 200 ms more.
const LEVEL: i32 = 3;

/// Bytes of blobs that are compressed together, before compression.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Together(usize);

/// Texts: of 794 skills (12.1 MB) one by one 5.2 MB, in blocks of 32 KiB 4.6, of 64 KiB 4.4, of 128 KiB 4.3. Whoever reads a
/// text unpacks its block, 64 KiB in less than a tenth of a millisecond, and a packet reads a handful.
pub(crate) const TEXTS: Together = Together(64 * 1024);
/// Records: half of each is digests, which no block makes smaller.
pub(crate) const RECORDS: Together = Together(16 * 1024);

/// Collects blobs for one part.
pub(crate) struct Writer {
    together: usize,
    rows: Vec<[u32; 4]>,
    blocks: Vec<Vec<u8>>,
}

impl Writer {
    pub(crate) fn new(together: Together) -> Self {
        Self {
            together: together.0,
            rows: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Adds a blob; `number` comes back with it.
    pub(crate) fn push(&mut self, blob: &[u8], number: u32) {
        let full = self.blocks.last();
        if full.is_none_or(|block| block.len() + blob.len() > self.together) {
            self.blocks.push(Vec::new());
        }
        let last = self.blocks.len() - 1;
        if let Some(block) = self.blocks.last_mut() {
            let row = [last as u32, block.len() as u32, blob.len() as u32, number];
            self.rows.push(row);
            block.extend_from_slice(blob);
        }
    }

    /// The part's bytes.
    pub(crate) fn finish(self) -> io::Result<Vec<u8>> {
        let packed = self.blocks.par_iter().map_init(
            || Compressor::new(LEVEL),
            |compressor, block| match compressor {
                Ok(compressor) => {
                    let packed = compressor.compress(block)?;
                    Ok(if packed.len() < block.len() {
                        packed
                    } else {
                        block.clone()
                    })
                }
                Err(error) => Err(io::Error::other(error.to_string())),
            },
        );
        let packed: Vec<Vec<u8>> = packed.collect::<io::Result<_>>()?;
        let mut out = Vec::new();
        let mut number = |value: u32| out.extend_from_slice(&value.to_le_bytes());
        number(self.rows.len() as u32);
        number(packed.len() as u32);
        self.rows.iter().flatten().for_each(|value| number(*value));
        let mut start = 0;
        for (packed, block) in packed.iter().zip(&self.blocks) {
            let row = [start, packed.len() as u32, block.len() as u32];
            row.into_iter().for_each(&mut number);
            start += packed.len() as u32;
        }
        packed
            .iter()
            .for_each(|packed| out.extend_from_slice(packed));
        Ok(out)
    }
}

/// A block that was unpacked, with its number.
type Block = (u32, Arc<Vec<u8>>);

/// A part of blobs, open for reading. Errors are a reason in words: the caller knows which index it reads.
pub(crate) struct Reader {
    file: FileSlice,
    count: usize,
    /// The rows of blobs and blocks: read whole when the first one is asked for.
    rows: OnceLock<Rows>,
    /// The block that was read last: neighbours are often asked for together.
    last: Mutex<Option<Block>>,
}

struct Rows {
    bytes: OwnedBytes,
    blocks: usize,
}

impl Reader {
    /// A part of `count` blobs. It is looked at when the first one is asked for.
    pub(crate) fn new(file: FileSlice, count: usize) -> Self {
        Self {
            file,
            count,
            rows: OnceLock::new(),
            last: Mutex::default(),
        }
    }

    fn rows(&self) -> Result<&Rows, String> {
        if let Some(rows) = self.rows.get() {
            return Ok(rows);
        }
        let head = bytes(&self.file, 0, HEAD_BYTES)?;
        let (count, blocks) = (u32_at(&head, 0)? as usize, u32_at(&head, 4)? as usize);
        if count != self.count {
            return Err(format!("{count} entries instead of {}", self.count));
        }
        let end = HEAD_BYTES + count * ROW_BYTES + blocks * BLOCK_ROW_BYTES;
        let bytes = bytes(&self.file, HEAD_BYTES, end)?;
        Ok(self.rows.get_or_init(|| Rows { bytes, blocks }))
    }

    fn row(&self, at: usize) -> Result<[u32; 4], String> {
        if at >= self.count {
            return Err(format!("there is no entry {at}"));
        }
        let (rows, from) = (self.rows()?, at * ROW_BYTES);
        let value = |place: usize| u32_at(&rows.bytes, from + place * 4);
        Ok([value(0)?, value(1)?, value(2)?, value(3)?])
    }

    /// The number stored with blob `at`.
    pub(crate) fn number(&self, at: usize) -> Result<u32, String> {
        Ok(self.row(at)?[3])
    }

    /// Blob `at`.
    pub(crate) fn get(&self, at: usize) -> Result<Vec<u8>, String> {
        let [block, start, len, _] = self.row(at)?;
        let unpacked = self.block(block)?;
        let blob = unpacked.get(start as usize..start as usize + len as usize);
        let blob = blob.ok_or_else(|| format!("entry {at} ends behind its block"))?;
        Ok(blob.to_vec())
    }

    fn block(&self, number: u32) -> Result<Arc<Vec<u8>>, String> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, block)) = last.as_ref().filter(|(at, _)| *at == number) {
            return Ok(Arc::clone(block));
        }
        let rows = self.rows()?;
        if number as usize >= rows.blocks {
            return Err(format!("there is no block {number}"));
        }
        let from = self.count * ROW_BYTES + number as usize * BLOCK_ROW_BYTES;
        let value = |place: usize| u32_at(&rows.bytes, from + place * 4);
        let (start, stored, original) = (value(0)?, value(1)?, value(2)?);
        if original > BLOCK_MAX_BYTES {
            return Err(format!("block {number} is too large"));
        }
        let from = HEAD_BYTES + rows.bytes.len() + start as usize;
        let packed = bytes(&self.file, from, from + stored as usize)?;
        let unpacked = if stored == original {
            packed.to_vec()
        } else {
            let decompressor = Decompressor::new();
            decompressor
                .and_then(|mut one| one.decompress(&packed, original as usize))
                .map_err(|error| format!("block {number}: {error}"))?
        };
        let unpacked = Arc::new(unpacked);
        *last = Some((number, Arc::clone(&unpacked)));
        Ok(unpacked)
    }
}

fn bytes(file: &FileSlice, from: usize, to: usize) -> Result<OwnedBytes, String> {
    use tantivy::HasLen as _;
    if to > file.len() {
        return Err(format!("it ends at byte {} instead of {to}", file.len()));
    }
    file.read_bytes_slice(from..to)
        .map_err(|error| error.to_string())
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, String> {
    let four = bytes
        .get(at..at + 4)
        .ok_or_else(|| format!("no entry at byte {at} of the table"))?;
    Ok(u32::from_le_bytes(
        four.try_into().map_err(|_| "four bytes".to_owned())?,
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(blobs: &[Vec<u8>]) -> Vec<u8> {
        let mut writer = Writer::new(Together(300));
        for (at, blob) in blobs.iter().enumerate() {
            writer.push(blob, at as u32 * 7);
        }
        writer.finish().unwrap()
    }

    fn read_all(bytes: Vec<u8>, count: usize) -> Result<Vec<Vec<u8>>, String> {
        let reader = Reader::new(FileSlice::from(bytes), count);
        (0..count)
            .map(|at| {
                reader.number(at)?;
                reader.get(at)
            })
            .collect()
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(blobs in prop::collection::vec(prop::collection::vec(0u8..4, 0..400), 0..9)) {
            prop_assert_eq!(read_all(file(&blobs), blobs.len()).unwrap(), blobs);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0usize..300) {
            let _ = read_all(bytes.clone(), 3);
            let mut ours = file(&[vec![7; 50], vec![8; 299], bytes]);
            ours.truncate(at.min(ours.len().saturating_sub(1)));
            prop_assert!(read_all(ours, 3).is_err());
        }
    }

    #[test]
    fn numbers_come_back() {
        let blobs = [vec![1; 100], vec![2; 900], vec![]];
        let reader = Reader::new(FileSlice::from(file(&blobs)), 3);
        let numbers = (0..3).map(|at| reader.number(at).unwrap());
        assert_eq!(numbers.collect::<Vec<_>>(), [0, 7, 14]);
        assert!(reader.get(3).is_err());
    }
}
