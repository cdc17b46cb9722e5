//! From a request to a packet and its manifest: the whole way, without touching the machine.

use super::confidence;
use super::eligibility::{self, EligibilityError};
use super::query::{self, Asked};
use super::render::{self, Head};
use super::select::{Chosen, Measure, Omitted, Selection, Task, select};
use crate::text::tokens::Tokenizer;
use std::collections::{BTreeMap, BTreeSet};
use vibey_context_contracts::canonical::{self, CanonicalError};
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::index::IndexManifest;
use vibey_context_contracts::packet::{
    Confidence, ContentClass, Fallback, IncludedChunk, IndexIdentity, OmittedChunk, PacketManifest,
    Status,
};
use vibey_context_contracts::request::{BUDGET_MAX, Request};
use vibey_context_contracts::version::{Compiler, PACKET_MANIFEST, SCHEMA_VERSION};
use vibey_context_index::error::IndexError;
use vibey_context_index::rank::{Ranking, rank};
use vibey_context_index::reader::Reader;
use vibey_context_index::sources::Rejected;

/// Warnings in a manifest at most: one reads a handful, and a request of a megabyte could cause a hundred thousand.
const WARNINGS_MAX: usize = 20;

/// What a packet is compiled from.
pub struct Compile<'a> {
    /// The index.
    pub reader: &'a Reader,
    /// Its manifest.
    pub index: &'a IndexManifest,
    /// The request.
    pub request: &'a Request,
    /// One sentence for each thing that was ignored in the request.
    pub warnings: Vec<String>,
    /// Tokens of the whole packet at most.
    pub budget: u64,
    /// What tokens are counted by.
    pub tokenizer: Tokenizer,
    /// The skills that are not in the index, asked for only where a required name is unknown.
    pub rejected: &'a dyn Fn() -> Vec<Rejected>,
}

/// A packet as it is written: empty where the status is not `ok`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The packet file.
    pub packet: String,
    /// The manifest.
    pub manifest: PacketManifest,
}

impl Compiled {
    /// The manifest file.
    ///
    /// # Errors
    /// Never in practice: no field is a float.
    pub fn manifest_file(&self) -> Result<String, CanonicalError> {
        canonical::pretty(&self.manifest)
    }
}

/// Why no packet could be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The request's lists can not be followed.
    #[error(transparent)]
    Eligibility(#[from] EligibilityError),
    /// The index is not usable.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A document has no canonical form.
    #[error(transparent)]
    Canonical(#[from] CanonicalError),
}

/// Compiles a packet.
///
/// # Errors
/// Lists that can not be followed, or an index that is not usable. A budget that does not suffice and a request that no
/// skill explains are results, not errors.
pub fn compile(compile: Compile<'_>) -> Result<Compiled, CompileError> {
    compile_ranked(compile).map(|(compiled, _)| compiled)
}

/// As [`compile`], with the ranking that the packet was chosen from.
///
/// # Errors
/// As [`compile`].
pub fn compile_ranked(compile: Compile<'_>) -> Result<(Compiled, Ranking), CompileError> {
    let eligible = eligibility::resolve(compile.reader, compile.request, compile.rejected)?;
    let Asked { query, fields } = query::query(compile.request);
    let ranking = rank(compile.reader, &query, eligible.skills.as_ref())?;
    let query_sha256 = compile.request.query_sha256()?;
    let head = render::head(&Head {
        corpus_sha256: &compile.index.corpus_sha256,
        query_sha256: &query_sha256,
        release: &compile.index.skills_release,
    });
    let (confidence, confident) = confidence::judge(compile.reader, &ranking);
    let confidence = (!query.words.is_empty()).then_some(confidence);
    let mut manifest = blank(&compile, query_sha256, confidence);
    manifest.warnings.extend(eligible.warnings);
    let more = manifest.warnings.len().saturating_sub(WARNINGS_MAX);
    if more > 0 {
        manifest.warnings.truncate(WARNINGS_MAX);
        manifest.warnings.push(format!("and {more} more"));
    }
    manifest.signals = known(compile.reader, fields)?;

    if !confident && !eligible.required {
        return Ok((unexplained(manifest), ranking));
    }
    let measure = Measure(compile.tokenizer);
    let required = if eligible.required {
        eligible.skills.unwrap_or_default().into_iter().collect()
    } else {
        Vec::new()
    };
    let mut task = Task {
        reader: compile.reader,
        ranking: &ranking,
        required,
        named: eligible.named,
        measure,
        head: measure.of(&head),
        ceiling: measure.ceiling(compile.budget),
    };
    let compiled = loop {
        match select(&task)? {
            Selection::TooSmall { needed } => {
                manifest.status = Status::BudgetInsufficient;
                // What the loop below has taken off the ceiling is needed too.
                let taken = measure.ceiling(compile.budget) - task.ceiling;
                let required = measure.tokens(needed + taken);
                manifest.fallback = Some(if required <= BUDGET_MAX {
                    Fallback::RaiseBudget
                } else {
                    Fallback::ActivateFullNativeSkills
                });
                manifest.required_context_tokens = Some(required);
                let packet = String::new();
                break Compiled { packet, manifest };
            }
            Selection::Fits { chosen, .. } if chosen.is_empty() && task.required.is_empty() => {
                // The skill that the words found holds no text.
                break unexplained(manifest);
            }
            Selection::Fits { chosen, omitted } => {
                let packet = rendered(&head, &chosen);
                let tokens = compile.tokenizer.count(&packet);
                // A vocabulary may need a token more for a whole than for its parts.
                let over = tokens.saturating_sub(compile.budget);
                if over > 0 {
                    task.ceiling = task.ceiling.saturating_sub(over as usize);
                    continue;
                }
                manifest.packet_token_estimate = tokens;
                break written(packet, &chosen, omitted, manifest);
            }
        }
    };
    Ok((compiled, ranking))
}

/// The answer to a request that no skill explains.
fn unexplained(mut manifest: PacketManifest) -> Compiled {
    manifest.status = Status::LowConfidence;
    manifest.fallback = Some(Fallback::ActivateFullNativeSkills);
    let packet = String::new();
    Compiled { packet, manifest }
}

/// The manifest of an empty packet; what a packet adds is filled in later.
fn blank(
    compile: &Compile<'_>,
    query_sha256: String,
    confidence: Option<Confidence>,
) -> PacketManifest {
    PacketManifest {
        schema_version: SCHEMA_VERSION,
        contract_version: PACKET_MANIFEST.to_string(),
        compiler: Compiler::current(),
        index_version: compile.index.index_version,
        index: IndexIdentity {
            format: compile.index.index_version,
            generation: compile.index.generation.clone(),
        },
        corpus_origin: compile.index.corpus_origin,
        skills_release: compile.index.skills_release.clone(),
        corpus_sha256: compile.index.corpus_sha256.clone(),
        query_sha256,
        status: Status::Ok,
        fallback: None,
        tokenizer: compile.tokenizer.name().to_owned(),
        maximum_context_tokens: compile.budget,
        required_context_tokens: None,
        packet_token_estimate: 0,
        mandatory_token_estimate: 0,
        retrieved_token_estimate: 0,
        confidence,
        signals: BTreeMap::new(),
        selected_plugins: Vec::new(),
        selected_skills: Vec::new(),
        selected_skill_tokens: BTreeMap::new(),
        included_chunks: Vec::new(),
        omitted_chunks: Vec::new(),
        omitted_by_reason: BTreeMap::new(),
        warnings: compile.warnings.clone(),
        packet_sha256: sha256_hex(b""),
        project_file: None,
    }
}

/// The words of each field that stand in the corpus vocabulary. Words that do not are the request's own business.
fn known(
    reader: &Reader,
    fields: BTreeMap<String, Vec<String>>,
) -> Result<BTreeMap<String, Vec<String>>, IndexError> {
    let mut signals = BTreeMap::new();
    for (field, words) in fields {
        let mut kept = Vec::new();
        for word in words {
            if reader.knows(&word)? {
                kept.push(word);
            }
        }
        if !kept.is_empty() {
            signals.insert(field, kept);
        }
    }
    Ok(signals)
}

/// The packet as it is written.
fn rendered(head: &str, chosen: &[Chosen]) -> String {
    let mut packet = head.to_owned();
    for skill in chosen {
        packet.push_str(&render::skill_heading(&skill.record));
        for run in skill.runs() {
            packet.push_str(&skill.render(&run));
        }
    }
    packet
}

/// Completes the manifest.
fn written(
    packet: String,
    chosen: &[Chosen],
    omitted: Vec<Omitted>,
    mut manifest: PacketManifest,
) -> Compiled {
    let mut plugins = BTreeSet::new();
    let mut skills = BTreeSet::new();
    for skill in chosen {
        let record = &skill.record;
        plugins.insert(record.plugin.clone());
        skills.insert(record.qualified());
        *manifest
            .selected_skill_tokens
            .entry(record.qualified())
            .or_default() += record.token_estimate;
        for (&place, included) in &skill.included {
            let section = &record.sections[place];
            let estimate = if section.class == ContentClass::Mandatory {
                &mut manifest.mandatory_token_estimate
            } else {
                &mut manifest.retrieved_token_estimate
            };
            *estimate += section.token_estimate;
            manifest.included_chunks.push(IncludedChunk {
                id: section.id.clone(),
                plugin: record.plugin.clone(),
                skill: record.skill.clone(),
                skill_version: record.version.clone(),
                heading_path: section.heading_path.clone(),
                source_path: record.address(),
                line_start: section.line_start,
                line_end: section.line_end,
                content_sha256: section.content_sha256.clone(),
                content_class: section.class,
                part: section.part,
                token_estimate: section.token_estimate,
                score: included.score,
                neutralised: included.shown.neutralised,
                reasons: included.reasons.clone(),
            });
        }
    }
    manifest.selected_plugins = plugins.into_iter().collect();
    manifest.selected_skills = skills.into_iter().collect();
    for row in omitted {
        let name = serde_json::to_value(row.reason)
            .ok()
            .and_then(|name| name.as_str().map(str::to_owned));
        *manifest
            .omitted_by_reason
            .entry(name.unwrap_or_default())
            .or_default() += 1;
        manifest.omitted_chunks.push(OmittedChunk {
            id: row.id,
            reason: row.reason,
            token_estimate: row.tokens,
        });
    }
    manifest.packet_sha256 = sha256_hex(packet.as_bytes());
    Compiled { packet, manifest }
}
