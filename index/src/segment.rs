//! From the skills of a shard to its file: a pure function, one segment of the engine, no clock, no chance.

use crate::analysis::{Analyzer, FORM_MARK};
use crate::blobs;
use crate::container::{Head, Part, pack};
use crate::error::IndexError;
use crate::plugins;
use crate::record::{IndexedSkill, SkillRecord};
use crate::schema::{self, Fields, Key, TOKENIZER};
use rayon::iter::ParallelIterator as _;
use rayon::slice::ParallelSlice as _;
use std::path::Path;
use tantivy::directory::{Directory as _, RamDirectory};
use tantivy::indexer::SingleSegmentIndexWriter;
use tantivy::schema::Field;
use tantivy::tokenizer::TokenizerManager;
use tantivy::{Index, TantivyDocument};
use vibey_context_contracts::digest::FieldDigest;
use vibey_context_contracts::version::{COMPILER_VERSION, INDEX_FORMAT};

/// What the engine's writer is told of its memory, in bytes. It sizes the term table at the start and bounds
/// nothing: 15 MB is the engine's own minimum, and a larger table only costs page faults in a small corpus.
const WRITER_MEMORY: usize = 15_000_000;

/// Skills that one thread takes at a time: enough to make its store of stems worth while, few enough to keep the others
/// busy to the end.
const CHUNK: usize = 32;

/// Characters of a shard's key in the name of its file: 128 bits.
const SHARD_NAME_LEN: usize = 32;

/// Name of the generation for a corpus: 64 hexadecimal characters over format, compiler version and corpus digest.
#[must_use]
pub fn generation_name(corpus_sha256: &str) -> String {
    FieldDigest::default()
        .field(&INDEX_FORMAT.to_le_bytes())
        .field(COMPILER_VERSION.as_bytes())
        .field(corpus_sha256.as_bytes())
        .finish()
}

/// Name of the file of the shard with this key.
#[must_use]
pub fn shard_file(key: &str) -> String {
    let name: String = key.chars().take(SHARD_NAME_LEN).collect();
    format!("{name}.shard")
}

/// Builds the file of a shard. `key` is what its name is made of: 64 hexadecimal characters that say the same of the
/// skills, whatever they are. Their copies are nobody's business here.
///
/// # Errors
/// The engine's own; none is expected, since everything happens in memory.
pub fn build(skills: &[IndexedSkill], key: &str) -> Result<Vec<u8>, IndexError> {
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
    for prepared in prepare(&fields, skills)? {
        writer.add_document(prepared.document)?;
        records.push(&prepared.record, next_section);
        texts.push(&prepared.text, 0);
        next_section += prepared.sections.len() as u32;
        sections.extend(prepared.sections);
    }
    for (heading, text) in sections {
        let mut document = TantivyDocument::new();
        add(&mut document, fields.section[0], &heading);
        add(&mut document, fields.section[1], &text);
        writer.add_document(document)?;
    }
    let index = writer.finalize()?;

    let mut parts = engine_parts(&index, &directory)?;
    let plugins = plugins::write(skills.iter().map(|skill| skill.record.plugin.as_str()));
    parts.extend([
        (Part::Records, records.finish()),
        (Part::Texts, texts.finish()),
        (Part::Plugins, plugins),
    ]);
    let head = Head {
        key: key.to_owned(),
        skills: skills.len() as u32,
        documents: next_section,
    };
    Ok(pack(&head, &parts))
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

/// Every form in which the skill can be addressed.
fn keys(record: &SkillRecord) -> Vec<String> {
    let mut keys = schema::keys(&record.plugin, &record.skill, &record.folder).to_vec();
    keys.push(Key::Skill.term(&record.address()));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// What the engine has written, without the name of the segment, which it draws at random.
fn engine_parts(
    index: &Index,
    directory: &RamDirectory,
) -> Result<Vec<(Part, Vec<u8>)>, IndexError> {
    let metas = index.searchable_segment_metas()?;
    let [segment] = metas.as_slice() else {
        return Err(IndexError::Engine(format!(
            "{} segments instead of one",
            metas.len()
        )));
    };
    let drawn = segment.id().uuid_string();
    let part = |(part, extension): (Part, &str)| {
        let path = format!("{drawn}.{extension}");
        let bytes = directory.atomic_read(Path::new(&path));
        let bytes = bytes.map_err(|error| IndexError::Engine(error.to_string()))?;
        Ok((part, bytes))
    };
    Part::ENGINE.into_iter().map(part).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_is_named_by_its_corpus() {
        assert_ne!(generation_name("a"), generation_name("b"));
        assert!(vibey_context_contracts::digest::is_sha256_hex(
            &generation_name("a")
        ));
    }
}
