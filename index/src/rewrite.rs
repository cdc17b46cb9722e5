//! From the engine's files of a segment to the parts of a shard: word by word instead of field by field, and without what is
//! never asked for.

use crate::error::IndexError;
use crate::lexicon::{Holding, Lexicon, Writer};
use crate::schema::{FIELDS, Fields, SkillField};
use std::io;
use std::ops::Range;
use std::path::Path;
use tantivy::HasLen as _;
use tantivy::directory::footer::Footer;
use tantivy::directory::{CompositeFile, Directory as _, FileSlice, OwnedBytes, RamDirectory};
use tantivy::schema::Field;
use tantivy::termdict::{TermDictionary, TermStreamer};

/// Bytes of the number of words in front of a field's postings.
const COUNT_BYTES: usize = 8;

/// What an engine's segment comes down to.
pub(crate) struct Rewritten {
    pub(crate) lexicon: Lexicon,
    /// For each field of skills the length of each skill, as one of the engine's 256 steps.
    pub(crate) lengths: Vec<u8>,
    /// The same of sections.
    pub(crate) section_lengths: Vec<u8>,
    /// Number of words in each field.
    pub(crate) tokens: [u64; FIELDS],
}

/// Rewrites the segment of this name, of which the first `skills` documents are skills.
pub(crate) fn rewrite(
    directory: &RamDirectory,
    name: &str,
    fields: &Fields,
    skills: usize,
) -> Result<Rewritten, IndexError> {
    let file = |extension: &str| -> io::Result<CompositeFile> {
        let path = format!("{name}.{extension}");
        let bytes = directory.atomic_read(Path::new(&path));
        let bytes = bytes.map_err(io::Error::other)?;
        let (_, body) = Footer::extract_footer(FileSlice::from(bytes))?;
        CompositeFile::open(&body)
    };
    let (words, postings) = (file("term")?, file("idx")?);
    let (positions, norms) = (file("pos")?, file("fieldnorm")?);
    let numbers: Vec<Field> = fields.skill.into_iter().chain(fields.section).collect();
    let mut held = Vec::with_capacity(FIELDS);
    for &field in &numbers {
        held.push(Held::open(field, &words, &postings, &positions)?);
    }
    let mut tokens = [0; FIELDS];
    for (count, held) in tokens.iter_mut().zip(&held) {
        *count = held.as_ref().map_or(0, |held| held.tokens);
    }
    let (mut lengths, mut section_lengths) = (Vec::new(), Vec::new());
    for (at, &field) in numbers.iter().enumerate() {
        let file = norms.open_read(field);
        let missing = || IndexError::Engine("a field has no lengths".to_owned());
        let file = file.filter(|file| file.len() >= skills);
        let (of_skills, of_sections) = file.ok_or_else(missing)?.split(skills);
        if at < SkillField::ALL.len() {
            lengths.extend_from_slice(&of_skills.read_bytes()?);
        } else {
            section_lengths.extend_from_slice(&of_sections.read_bytes()?);
        }
    }
    Ok(Rewritten {
        lexicon: merge(&held)?,
        lengths,
        section_lengths,
        tokens,
    })
}

/// What the engine has of a field.
struct Held {
    words: TermDictionary,
    postings: OwnedBytes,
    positions: OwnedBytes,
    tokens: u64,
}

impl Held {
    /// `None` where no document has the field.
    fn open(
        field: Field,
        words: &CompositeFile,
        postings: &CompositeFile,
        positions: &CompositeFile,
    ) -> io::Result<Option<Self>> {
        let files = (words.open_read(field), postings.open_read(field));
        let (Some(words), Some(postings)) = files else {
            return Ok(None);
        };
        let (count, postings) = postings.split(COUNT_BYTES);
        let count = count.read_bytes()?;
        let tokens = count.as_slice().try_into().map_err(io::Error::other)?;
        let positions = positions.open_read(field);
        Ok(Some(Self {
            words: TermDictionary::open(words)?,
            postings: postings.read_bytes()?,
            positions: positions
                .map_or_else(|| Ok(OwnedBytes::empty()), |file| file.read_bytes())?,
            tokens: u64::from_le_bytes(tokens),
        }))
    }
}

/// The dictionaries of all fields as one.
fn merge(held: &[Option<Held>]) -> io::Result<Lexicon> {
    let mut streams: Vec<(usize, &Held, TermStreamer<'_>)> = Vec::new();
    for (field, held) in held.iter().enumerate() {
        if let Some(held) = held {
            let mut stream = held.words.stream()?;
            if stream.advance() {
                streams.push((field, held, stream));
            }
        }
    }
    let mut writer = Writer::new()?;
    let mut word = Vec::new();
    loop {
        let first = streams.iter().map(|(_, _, stream)| stream.key()).min();
        let Some(first) = first else { break };
        word.clear();
        word.extend_from_slice(first);
        let mut fields = [Holding::default(); FIELDS];
        let mut over = Vec::new();
        for (at, (field, held, stream)) in streams.iter_mut().enumerate() {
            if stream.key() != word {
                continue;
            }
            let row = stream.value();
            fields[*field] = Holding {
                documents: row.doc_freq,
                postings: piece(&held.postings, &row.postings_range)?,
                positions: piece(&held.positions, &row.positions_range)?,
            };
            if !stream.advance() {
                over.push(at);
            }
        }
        writer.push(&word, &fields)?;
        for at in over.into_iter().rev() {
            streams.remove(at);
        }
    }
    writer.finish()
}

fn piece<'a>(bytes: &'a [u8], range: &Range<usize>) -> io::Result<&'a [u8]> {
    let piece = bytes.get(range.clone());
    piece.ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, "a word without postings"))
}
