//! From the skills of a shard to its file: a pure function, one segment of the engine, no clock, no chance.

use crate::analysis::Analyzer;
use crate::blobs;
use crate::container::{Head, Part, pack};
use crate::error::IndexError;
use crate::names;
use crate::plugins;
use crate::record::{IndexedSkill, pack as pack_record};
use crate::rewrite::rewrite;
use crate::schema::{self, Fields, TOKENIZER};
use rayon::iter::ParallelIterator as _;
use rayon::slice::ParallelSlice as _;
use tantivy::directory::RamDirectory;
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
/// Skills that are analysed before the engine takes them: so many are in memory as terms, and so often progress is told.
const BATCH: usize = 8 * CHUNK;

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
/// skills, whatever they are. Their copies are nobody's business here. `progress` is told the number of skills that the engine
/// has taken since it was told last.
///
/// # Errors
/// The engine's own; none is expected, since everything happens in memory.
pub fn build(
    skills: &[IndexedSkill],
    key: &str,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<u8>, IndexError> {
    let (schema, fields) = schema::schema();
    let directory = RamDirectory::create();
    let tokenizers = TokenizerManager::default();
    tokenizers.register(TOKENIZER, schema::LineTokenizer::default());
    let mut writer: SingleSegmentIndexWriter = Index::builder()
        .schema(schema)
        .tokenizers(tokenizers)
        .single_segment_index_writer(directory.clone(), WRITER_MEMORY)?;

    let mut records = blobs::Writer::new(blobs::RECORDS);
    let mut texts = blobs::Writer::new(blobs::TEXTS);
    let mut sections = Vec::new();
    let mut next_section = skills.len() as u32;
    for batch in skills.chunks(BATCH) {
        for (prepared, skill) in prepare(&fields, batch).into_iter().zip(batch) {
            writer.add_document(prepared.document)?;
            records.push(&pack_record::write(&skill.record), next_section);
            texts.push(skill.text.as_bytes(), 0);
            next_section += prepared.sections.len() as u32;
            sections.extend(prepared.sections);
        }
        progress(batch.len());
    }
    for (heading, text) in sections {
        let mut document = TantivyDocument::new();
        add(&mut document, fields.section[0], &heading);
        add(&mut document, fields.section[1], &text);
        writer.add_document(document)?;
    }
    let index = writer.finalize()?;
    let segment = rewrite(&directory, &drawn_name(&index)?, &fields, skills.len())?;
    let (names, named) = names::write(skills.iter().map(|skill| &skill.record))?;
    let plugins = plugins::write(skills.iter().map(|skill| skill.record.plugin.as_str()));
    let parts = [
        (Part::Lengths, segment.lengths),
        (Part::Plugins, plugins),
        (Part::Words, segment.lexicon.words),
        (Part::Postings, segment.lexicon.postings),
        (Part::Details, segment.lexicon.details),
        (Part::Names, names),
        (Part::Named, named),
        (Part::SectionLengths, segment.section_lengths),
        (Part::Records, records.finish()?),
        (Part::Texts, texts.finish()?),
    ];
    let head = Head {
        key: key.to_owned(),
        skills: skills.len() as u32,
        documents: next_section,
        tokens: segment.tokens,
    };
    Ok(pack(&head, &parts))
}

/// A skill, ready for the engine.
struct Prepared {
    document: TantivyDocument,
    /// Analysed heading and text of each section.
    sections: Vec<(String, String)>,
}

/// Analyses skills on all processors; what comes out is in the order of what went in, so that the number of threads shows
/// nowhere.
fn prepare(fields: &Fields, skills: &[IndexedSkill]) -> Vec<Prepared> {
    let chunks = skills.par_chunks(CHUNK).flat_map_iter(|chunk| {
        let mut analyzer = Analyzer::default();
        chunk
            .iter()
            .map(move |skill| prepared(&mut analyzer, fields, skill))
    });
    chunks.collect()
}

fn prepared(analyzer: &mut Analyzer, fields: &Fields, skill: &IndexedSkill) -> Prepared {
    let mut sections = Vec::with_capacity(skill.record.sections.len());
    let document = skill_document(analyzer, fields, skill, &mut sections);
    Prepared { document, sections }
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
        // Sections do not need the own forms of words.
        let mut own = String::new();
        if let Some(text) = skill.text.get(range) {
            analyzer.both_lines(text, &mut own, &mut body);
        }
        sections.push((heading, own));
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
    document
}

fn add(document: &mut TantivyDocument, field: Field, text: &str) {
    if !text.is_empty() {
        document.add_text(field, text);
    }
}

/// The name of the segment that the engine has written, which it draws at random.
fn drawn_name(index: &Index) -> Result<String, IndexError> {
    let metas = index.searchable_segment_metas()?;
    match metas.as_slice() {
        [segment] => Ok(segment.id().uuid_string()),
        _ => Err(IndexError::Engine(format!(
            "{} segments instead of one",
            metas.len()
        ))),
    }
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
