//! From skills to the files of a generation: a pure function, one thread, one segment, no clock, no chance.

use crate::analysis::{Analyzer, FORM_MARK};
use crate::blobs;
use crate::error::IndexError;
use crate::record::{IndexedSkill, SkillRecord};
use crate::schema::{self, Fields, Key, TOKENIZER};
use rayon::iter::ParallelIterator as _;
use rayon::slice::ParallelSlice as _;
use std::collections::BTreeMap;
use std::path::Path;
use tantivy::directory::{Directory as _, RamDirectory};
use tantivy::indexer::SingleSegmentIndexWriter;
use tantivy::schema::Field;
use tantivy::tokenizer::TokenizerManager;
use tantivy::{Index, TantivyDocument};
use vibey_context_contracts::digest::FieldDigest;
use vibey_context_contracts::version::{COMPILER_VERSION, INDEX_FORMAT};

/// Records of the skills, one blob each; the blob's number is the document number of the first section.
pub(crate) const RECORDS: &str = "records.bin";
/// Texts of the skills, one blob each.
pub(crate) const TEXTS: &str = "texts.bin";
/// The engine's list of segments.
pub(crate) const META: &str = "meta.json";

/// The engine's list of the files that it has written.
pub(crate) const MANAGED: &str = ".managed.json";

/// What the engine's writer is told of its memory, in bytes. It sizes the term table at the start and bounds
/// nothing: 15 MB is the engine's own minimum, and a larger table only costs page faults in a small corpus.
const WRITER_MEMORY: usize = 15_000_000;

/// Skills that are analysed before the next ones are looked at: bounds the memory that analysed text takes.
const BATCH: usize = 1024;
/// Skills that one thread takes at a time: enough to make its store of stems worth while, few enough to keep the others
/// busy to the end.
const CHUNK: usize = 32;

/// The files of a generation by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Name of the generation for a corpus: 64 hexadecimal characters over format, compiler version and corpus digest.
#[must_use]
pub fn generation_name(corpus_sha256: &str) -> String {
    FieldDigest::default()
        .field(&INDEX_FORMAT.to_le_bytes())
        .field(COMPILER_VERSION.as_bytes())
        .field(corpus_sha256.as_bytes())
        .finish()
}

/// Builds the files of a generation. `progress` is called with the number of skills done after each one.
///
/// # Errors
/// The engine's own; none is expected, since everything happens in memory.
pub fn build(
    skills: &[IndexedSkill],
    generation: &str,
    progress: &mut dyn FnMut(usize),
) -> Result<Files, IndexError> {
    let (schema, fields) = schema::schema();
    let directory = RamDirectory::create();
    let tokenizers = TokenizerManager::default();
    tokenizers.register(TOKENIZER, schema::LineTokenizer::default());
    let mut writer: SingleSegmentIndexWriter = Index::builder()
        .schema(schema)
        .tokenizers(tokenizers)
        .single_segment_index_writer(directory.clone(), WRITER_MEMORY)?;

    let mut records = blobs::Writer::default();
    let mut texts = blobs::Writer::default();
    let mut sections = Vec::new();
    let mut next_section = skills.len() as u32;
    let mut done = 0;
    for batch in skills.chunks(BATCH) {
        for prepared in prepare(&fields, batch)? {
            writer.add_document(prepared.document)?;
            records.push(prepared.record, next_section);
            texts.push(prepared.text, 0);
            next_section += prepared.sections.len() as u32;
            sections.extend(prepared.sections);
            done += 1;
            progress(done);
        }
    }
    for (heading, text) in sections {
        let mut document = TantivyDocument::new();
        add(&mut document, fields.section[0], &heading);
        add(&mut document, fields.section[1], &text);
        writer.add_document(document)?;
    }
    let index = writer.finalize()?;

    let mut files = engine_files(&index, &directory, generation)?;
    files.insert(RECORDS.to_owned(), records.finish());
    files.insert(TEXTS.to_owned(), texts.finish());
    Ok(files)
}

/// A skill, ready for the engine and the blobs.
struct Prepared {
    document: TantivyDocument,
    record: blobs::Packed,
    text: blobs::Packed,
    /// Analysed heading and text of each section.
    sections: Vec<(String, String)>,
}

/// Analyses and compresses skills on all processors; what comes out is in the order of what went in, so that the number
/// of threads shows nowhere.
fn prepare(fields: &Fields, batch: &[IndexedSkill]) -> Result<Vec<Prepared>, IndexError> {
    let chunks: Vec<Result<Vec<Prepared>, IndexError>> = batch
        .par_chunks(CHUNK)
        .map(|chunk| {
            let mut analyzer = Analyzer::default();
            chunk
                .iter()
                .map(|skill| prepared(&mut analyzer, fields, skill))
                .collect()
        })
        .collect();
    Ok(chunks
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect())
}

fn prepared(
    analyzer: &mut Analyzer,
    fields: &Fields,
    skill: &IndexedSkill,
) -> Result<Prepared, IndexError> {
    let mut sections = Vec::with_capacity(skill.record.sections.len());
    let document = skill_document(analyzer, fields, skill, &mut sections);
    let record =
        serde_json::to_vec(&skill.record).map_err(|error| IndexError::Engine(error.to_string()))?;
    Ok(Prepared {
        document,
        record: blobs::Packed::new(&record),
        text: blobs::Packed::new(skill.text.as_bytes()),
        sections,
    })
}

/// Analysed text without the own forms of words, which sections do not need.
fn without_forms(lines: &str) -> String {
    let stems = lines.split_inclusive('\n');
    stems.filter(|line| !line.starts_with(FORM_MARK)).collect()
}

/// The document of a skill; the analysed heading and text of each section go to `sections`.
fn skill_document(
    analyzer: &mut Analyzer,
    fields: &Fields,
    skill: &IndexedSkill,
    sections: &mut Vec<(String, String)>,
) -> TantivyDocument {
    let record = &skill.record;
    let mut lines = |texts: &mut dyn Iterator<Item = &str>| {
        let mut out = String::new();
        texts.for_each(|text| analyzer.lines_with_forms(text, &mut out));
        out
    };
    let mut names = vec![record.skill.as_str()];
    if record.folder != record.skill {
        names.push(&record.folder);
    }
    let name = lines(&mut names.into_iter());
    let plugin = lines(&mut std::iter::once(record.plugin.as_str()));
    let description = lines(&mut std::iter::once(record.description.as_str()));
    let tags = lines(&mut record.tags.values().flatten().map(String::as_str));
    let own_headings = record
        .sections
        .iter()
        .filter(|section| section.part.is_none_or(|part| part.number == 1));
    let headings = lines(
        &mut own_headings
            .filter_map(|section| section.heading_path.last())
            .map(String::as_str),
    );
    let mut body = String::new();
    for section in &record.sections {
        let mut heading = String::new();
        for part in &section.heading_path {
            analyzer.lines(part, &mut heading);
        }
        let range = section.start as usize..section.end as usize;
        let from = body.len();
        if let Some(text) = skill.text.get(range) {
            analyzer.lines_with_forms(text, &mut body);
        }
        sections.push((heading, without_forms(body.get(from..).unwrap_or_default())));
    }
    let mut document = TantivyDocument::new();
    for (field, text) in
        fields
            .skill
            .into_iter()
            .zip([name, plugin, description, tags, headings, body])
    {
        add(&mut document, field, &text);
    }
    for key in keys(record) {
        document.add_text(fields.key, &key);
    }
    document
}

fn add(document: &mut TantivyDocument, field: Field, text: &str) {
    if !text.is_empty() {
        document.add_text(field, text);
    }
}

/// Every form in which the skill, or a copy that it stands for, can be addressed.
fn keys(record: &SkillRecord) -> Vec<String> {
    let own = (&record.plugin, &record.skill, &record.folder);
    let copies = record
        .copies
        .iter()
        .map(|copy| (&copy.plugin, &copy.skill, &copy.folder));
    let mut keys: Vec<String> = std::iter::once(own)
        .chain(copies)
        .flat_map(|(plugin, skill, folder)| {
            [
                Key::Plugin.term(plugin),
                Key::Skill.term(skill),
                Key::Skill.term(folder),
                Key::Skill.term(&format!("{plugin}/{skill}")),
                Key::Skill.term(&format!("{plugin}/{folder}")),
            ]
        })
        .collect();
    keys.push(Key::Skill.term(&record.address()));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The engine's files under names that follow from the generation: the engine itself draws the segment's name at
/// random.
fn engine_files(
    index: &Index,
    directory: &RamDirectory,
    generation: &str,
) -> Result<Files, IndexError> {
    let metas = index.searchable_segment_metas()?;
    let [segment] = metas.as_slice() else {
        return Err(IndexError::Engine(format!(
            "{} segments instead of one",
            metas.len()
        )));
    };
    let drawn = segment.id().uuid_string();
    let fixed: String = generation.chars().take(drawn.len()).collect();
    let engine = |error: serde_json::Error| IndexError::Engine(error.to_string());
    let read = |path: &Path| {
        directory
            .atomic_read(path)
            .map_err(|error| IndexError::Engine(error.to_string()))
    };
    let mut files = Files::new();
    // The engine keeps a list of the files that it has written.
    let written: Vec<String> =
        serde_json::from_slice(&read(Path::new(MANAGED))?).map_err(engine)?;
    for name in written.iter().filter(|name| name.starts_with(&drawn)) {
        files.insert(name.replace(&drawn, &fixed), read(Path::new(name))?);
    }
    let mut meta: serde_json::Value =
        serde_json::from_slice(&read(Path::new(META))?).map_err(engine)?;
    meta["segments"][0]["segment_id"] = serde_json::Value::from(hyphenated(&fixed));
    let meta = vibey_context_contracts::canonical::pretty(&meta)
        .map_err(|error| IndexError::Engine(error.to_string()))?;
    files.insert(META.to_owned(), meta.into_bytes());
    Ok(files)
}

/// 32 hexadecimal characters in the 8-4-4-4-12 groups of a UUID (RFC 9562).
fn hyphenated(hex: &str) -> String {
    let mut out = String::new();
    for (at, character) in hex.chars().enumerate() {
        if matches!(at, 8 | 12 | 16 | 20) {
            out.push('-');
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_corpus_has_files_too_and_building_twice_gives_the_same_bytes() {
        let name = generation_name("corpus");
        let one = build(&[], &name, &mut |_| {}).unwrap();
        let two = build(&[], &name, &mut |_| {}).unwrap();
        assert_eq!(one, two);
        let reader = crate::reader::Reader::in_memory(one).unwrap();
        assert_eq!(reader.skill_count(), 0);
        assert!(
            crate::rank::rank(&reader, &crate::rank::Query::default(), None)
                .unwrap()
                .skills
                .is_empty()
        );
    }

    #[test]
    fn a_generation_is_named_by_its_corpus() {
        assert_ne!(generation_name("a"), generation_name("b"));
        assert!(vibey_context_contracts::digest::is_sha256_hex(
            &generation_name("a")
        ));
    }

    #[test]
    fn groups_of_a_uuid() {
        assert_eq!(
            hyphenated("00112233445566778899aabbccddeeff"),
            "00112233-4455-6677-8899-aabbccddeeff"
        );
    }
}
