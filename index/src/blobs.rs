//! Many byte strings in one part of a shard, readable one at a time.
//!
//! Layout, little endian: number of blobs (u32); the table with one row for each blob: offset behind the table (u32),
//! stored size (u32), size before compression (u32), a number of the writer's choice (u32); then the blobs. A blob whose
//! stored size equals its original size is stored as it is, else compressed (LZ4 block). Checksums are the business of
//! the file around it.

use tantivy::directory::{FileSlice, OwnedBytes};

const HEAD_BYTES: usize = 4;
const ROW_BYTES: usize = 16;
/// No blob is larger: a skill is at most 4 MiB of text, its record a fraction of that.
const BLOB_MAX_BYTES: u32 = 256 * 1024 * 1024;

/// A blob as it is stored.
pub(crate) struct Packed {
    stored: Vec<u8>,
    /// Size before compression.
    original: u32,
}

impl Packed {
    /// Compresses `bytes` where that makes them smaller.
    pub(crate) fn new(bytes: &[u8]) -> Self {
        let packed = lz4_flex::block::compress(bytes);
        let stored = if packed.len() < bytes.len() {
            packed
        } else {
            bytes.to_vec()
        };
        Self {
            original: bytes.len() as u32,
            stored,
        }
    }
}

/// Collects blobs for one part.
#[derive(Default)]
pub(crate) struct Writer {
    table: Vec<u8>,
    data: Vec<u8>,
    count: u32,
}

impl Writer {
    /// Adds a blob; `number` comes back with it.
    pub(crate) fn push(&mut self, blob: &Packed, number: u32) {
        for value in [
            self.data.len() as u32,
            blob.stored.len() as u32,
            blob.original,
            number,
        ] {
            self.table.extend_from_slice(&value.to_le_bytes());
        }
        self.data.extend_from_slice(&blob.stored);
        self.count += 1;
    }

    /// The part's bytes.
    pub(crate) fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEAD_BYTES + self.table.len() + self.data.len());
        out.extend_from_slice(&self.count.to_le_bytes());
        out.extend_from_slice(&self.table);
        out.extend_from_slice(&self.data);
        out
    }
}

/// A part of blobs, open for reading. Errors are a reason in words: the caller knows which index it reads.
pub(crate) struct Reader {
    file: FileSlice,
    count: usize,
}

impl Reader {
    /// Opens a part.
    pub(crate) fn open(file: FileSlice) -> Result<Self, String> {
        let head = bytes(&file, 0, HEAD_BYTES)?;
        let count = u32_at(&head, 0)? as usize;
        Ok(Self { file, count })
    }

    /// Number of blobs.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    fn row(&self, at: usize) -> Result<[u32; 4], String> {
        if at >= self.count {
            return Err(format!("there is no entry {at}"));
        }
        let from = HEAD_BYTES + at * ROW_BYTES;
        let row = bytes(&self.file, from, from + ROW_BYTES)?;
        Ok([
            u32_at(&row, 0)?,
            u32_at(&row, 4)?,
            u32_at(&row, 8)?,
            u32_at(&row, 12)?,
        ])
    }

    /// The number stored with blob `at`.
    pub(crate) fn number(&self, at: usize) -> Result<u32, String> {
        Ok(self.row(at)?[3])
    }

    /// Blob `at`.
    pub(crate) fn get(&self, at: usize) -> Result<Vec<u8>, String> {
        let [offset, stored, original, _] = self.row(at)?;
        if original > BLOB_MAX_BYTES {
            return Err(format!("entry {at} is too large"));
        }
        let from = HEAD_BYTES + self.count * ROW_BYTES + offset as usize;
        let bytes = bytes(&self.file, from, from + stored as usize)?;
        if stored == original {
            return Ok(bytes.to_vec());
        }
        lz4_flex::block::decompress(&bytes, original as usize)
            .map_err(|error| format!("entry {at}: {error}"))
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
        let mut writer = Writer::default();
        for (at, blob) in blobs.iter().enumerate() {
            writer.push(&Packed::new(blob), at as u32 * 7);
        }
        writer.finish()
    }

    fn read_all(bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, String> {
        let reader = Reader::open(FileSlice::from(bytes))?;
        (0..reader.len()).map(|at| reader.get(at)).collect()
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(blobs in prop::collection::vec(prop::collection::vec(0u8..4, 0..200), 0..6)) {
            prop_assert_eq!(read_all(file(&blobs)).unwrap(), blobs);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0usize..300) {
            let _ = read_all(bytes.clone());
            let mut ours = file(&[vec![7; 50]]);
            ours.truncate(at.min(ours.len().saturating_sub(1)));
            prop_assert!(read_all(ours).is_err());
        }
    }
}
