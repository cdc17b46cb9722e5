//! One file that holds many byte strings, each with its checksum, readable one at a time.
//!
//! Layout, little endian: magic (8 bytes), number of blobs (u32), CRC-32 of the table (u32); the table with one row
//! for each blob: offset in the file (u64), stored size (u32), size before compression (u32), CRC-32 of the stored
//! bytes (u32), a number of the writer's choice (u32); then the blobs. A blob whose stored size equals its original
//! size is stored as it is, else compressed (LZ4 block).

use tantivy::directory::FileSlice;

const MAGIC: &[u8; 8] = b"vctxblb1";
const HEAD_BYTES: usize = 16;
const ROW_BYTES: usize = 24;
/// No blob is larger: a skill is at most 4 MiB of text, its record a fraction of that.
const BLOB_MAX_BYTES: u32 = 256 * 1024 * 1024;

/// A blob as it is stored.
pub(crate) struct Packed {
    stored: Vec<u8>,
    /// Size before compression.
    original: u32,
    /// CRC-32 of the stored bytes.
    crc: u32,
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
            crc: crc32fast::hash(&stored),
            stored,
        }
    }
}

/// Collects blobs for one file.
#[derive(Default)]
pub(crate) struct Writer {
    table: Vec<u8>,
    data: Vec<u8>,
    count: u32,
}

impl Writer {
    /// Adds a blob; `number` comes back with it.
    pub(crate) fn push(&mut self, blob: Packed, number: u32) {
        let Packed {
            stored,
            original,
            crc,
        } = blob;
        // Offsets are relative to the data here; `finish` knows how long the table is.
        self.table
            .extend_from_slice(&(self.data.len() as u64).to_le_bytes());
        for value in [stored.len() as u32, original, crc, number] {
            self.table.extend_from_slice(&value.to_le_bytes());
        }
        self.data.extend_from_slice(&stored);
        self.count += 1;
    }

    /// The file's bytes.
    pub(crate) fn finish(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEAD_BYTES + self.table.len() + self.data.len());
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&self.count.to_le_bytes());
        out.extend_from_slice(&crc32fast::hash(&self.table).to_le_bytes());
        out.extend_from_slice(&self.table);
        out.extend_from_slice(&self.data);
        out
    }
}

/// A file of blobs, open for reading. Errors are a reason in words: the caller knows which index it reads.
pub(crate) struct Reader {
    file: FileSlice,
    table: Vec<u8>,
    data: FileSlice,
}

impl Reader {
    /// Opens a file; its table is checked.
    pub(crate) fn open(file: &FileSlice) -> Result<Self, String> {
        let bytes = |from: usize, to: usize| {
            if to > file.len() {
                return Err(format!(
                    "file ends at byte {} instead of {to} or later",
                    file.len()
                ));
            }
            file.read_bytes_slice(from..to)
                .map_err(|error| error.to_string())
        };
        use tantivy::HasLen as _;
        let head = bytes(0, HEAD_BYTES)?;
        if !head.starts_with(MAGIC) {
            return Err("file does not start with its magic bytes".to_owned());
        }
        let count = u32_at(&head, 8)? as usize;
        let table = bytes(HEAD_BYTES, HEAD_BYTES + count * ROW_BYTES)?.to_vec();
        if crc32fast::hash(&table) != u32_at(&head, 12)? {
            return Err("checksum of the table does not match".to_owned());
        }
        Ok(Self {
            file: file.clone(),
            data: file.slice_from(HEAD_BYTES + table.len()),
            table,
        })
    }

    /// CRC-32 of the whole file.
    pub(crate) fn checksum(&self) -> Result<u32, String> {
        let bytes = self.file.read_bytes().map_err(|error| error.to_string())?;
        Ok(crc32fast::hash(&bytes))
    }

    /// Number of blobs.
    pub(crate) fn len(&self) -> usize {
        self.table.len() / ROW_BYTES
    }

    /// The number stored with blob `at`.
    pub(crate) fn number(&self, at: usize) -> Result<u32, String> {
        u32_at(&self.table, at * ROW_BYTES + 20)
    }

    /// Blob `at`.
    pub(crate) fn get(&self, at: usize) -> Result<Vec<u8>, String> {
        use tantivy::HasLen as _;
        let row = at * ROW_BYTES;
        let low = u64::from(u32_at(&self.table, row)?);
        let offset = low | (u64::from(u32_at(&self.table, row + 4)?) << 32);
        let (stored, original) = (
            u32_at(&self.table, row + 8)?,
            u32_at(&self.table, row + 12)?,
        );
        let end = offset.saturating_add(u64::from(stored));
        if original > BLOB_MAX_BYTES || end > self.data.len() as u64 {
            return Err(format!("entry {at} lies outside the file"));
        }
        let bytes = self
            .data
            .read_bytes_slice(offset as usize..end as usize)
            .map_err(|error| error.to_string())?;
        if crc32fast::hash(&bytes) != u32_at(&self.table, row + 16)? {
            return Err(format!("checksum of entry {at} does not match"));
        }
        if stored == original {
            return Ok(bytes.to_vec());
        }
        lz4_flex::block::decompress(&bytes, original as usize)
            .map_err(|error| format!("entry {at}: {error}"))
    }
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
            writer.push(Packed::new(blob), at as u32 * 7);
        }
        writer.finish()
    }

    fn read_all(bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, String> {
        let reader = Reader::open(&FileSlice::from(bytes))?;
        (0..reader.len()).map(|at| reader.get(at)).collect()
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(blobs in prop::collection::vec(prop::collection::vec(0u8..4, 0..200), 0..6)) {
            prop_assert_eq!(read_all(file(&blobs)).unwrap(), blobs);
        }

        #[test]
        fn a_flipped_bit_is_an_error_or_the_numbers_only(bit in 0usize..8 * 300) {
            let blobs = vec![vec![1u8; 100], (0..100).collect(), vec![]];
            let mut bytes = file(&blobs);
            let bit = bit % (bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(read_all(bytes).is_err());
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
