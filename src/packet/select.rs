//! Which skills and sections go into a packet: mandatory text first, then the most valuable text that fits.
//!
//! Sizes are bytes of the rendered packet, so the ceiling holds for the file as it is written.

use super::render;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use vibey_context_contracts::packet::{ContentClass, OmissionReason};
use vibey_context_index::error::IndexError;
use vibey_context_index::rank::{RankedSkill, Ranking};
use vibey_context_index::reader::Reader;
use vibey_context_index::record::{SectionRecord, SkillRecord};

/// Skills in a packet at most, where the request does not require them: a task needs two to four.
const SKILLS_MAX: usize = 4;
/// A further skill is activated from this share of the best skill's score on, in thousandths.
const SKILL_SHARE: i64 = 600;
/// A section of a further skill is offered from this share of the best section's score on, in thousandths: below it
/// stand sections that share a common word with the request.
const SECTION_SHARE: i64 = 150;
/// Skills among which runner-ups are named in the manifest.
const RUNNERS_UP: usize = 10;

/// A skill of the packet with everything that rendering needs.
pub(super) struct Chosen {
    pub(super) record: SkillRecord,
    pub(super) text: String,
    /// Sections in the packet, in source order.
    pub(super) included: Vec<Included>,
}

/// A section of the packet.
pub(super) struct Included {
    /// Position in the skill's record.
    pub(super) section: usize,
    pub(super) block: render::Block,
    /// `None` where sections were not ranked.
    pub(super) score: Option<i64>,
    pub(super) reasons: Vec<String>,
}

/// A row of the manifest's omissions.
pub(super) struct Omitted {
    pub(super) id: String,
    pub(super) reason: OmissionReason,
    pub(super) tokens: u64,
}

/// The outcome of a selection.
pub(super) enum Selection {
    /// A packet of at most the budget's size.
    Fits {
        chosen: Vec<Chosen>,
        omitted: Vec<Omitted>,
    },
    /// What must be in the packet is larger than the budget: bytes that it needs.
    TooSmall { bytes: usize },
}

/// What a selection is made from.
pub(super) struct Task<'a> {
    pub(super) reader: &'a Reader,
    pub(super) ranking: &'a Ranking,
    /// Skills that are activated whatever their rank, in record order; empty where none is required.
    pub(super) required: Vec<usize>,
    /// Those of them that the request names one by one: each has at least one section in the packet.
    pub(super) named: BTreeSet<usize>,
    /// Bytes of the packet's head.
    pub(super) head: usize,
    /// Bytes of the whole packet at most.
    pub(super) ceiling: usize,
}

/// A skill that is activated, or about to be.
struct Candidate {
    at: usize,
    chosen: Chosen,
    /// Sections that may still be included; rendered when their turn comes.
    offered: BTreeSet<usize>,
    /// Bytes of the skill's heading.
    heading: usize,
    /// Mandatory sections whose text another skill has brought into the packet.
    repeated: Vec<usize>,
    /// Bytes of the mandatory sections, and of the heading where there is one.
    mandatory: usize,
    /// Bytes that are kept for the skill until it has a section in the packet.
    reserved: usize,
    ranked: Option<RankedSkill>,
}

/// Chooses.
pub(super) fn select(task: &Task<'_>) -> Result<Selection, IndexError> {
    let mut omitted = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut used = task.head;
    let mut candidates: Vec<Candidate> = Vec::new();
    let must: Vec<usize> = if task.required.is_empty() {
        task.ranking
            .skills
            .first()
            .map(|best| best.at)
            .into_iter()
            .collect()
    } else {
        order_required(task)
    };
    for at in must {
        let candidate = open(task, at, &mut seen)?;
        used += candidate.mandatory;
        candidates.push(candidate);
    }
    for candidate in &mut candidates {
        candidate.reserved = least(task, candidate, &seen)?;
    }
    let reserved: usize = candidates.iter().map(|candidate| candidate.reserved).sum();
    if used + reserved > task.ceiling {
        return Ok(Selection::TooSmall {
            bytes: used + reserved,
        });
    }
    if task.required.is_empty() {
        further(task, &mut candidates, &mut omitted, &mut used, &mut seen)?;
    }
    fill(
        task,
        &mut candidates,
        &mut omitted,
        used,
        reserved,
        &mut seen,
    )?;
    let mut chosen: Vec<Chosen> = candidates
        .into_iter()
        .map(|candidate| candidate.chosen)
        .collect();
    for skill in &mut chosen {
        skill.included.sort_by_key(|included| included.section);
    }
    chosen.retain(|skill| !skill.included.is_empty());
    omitted.sort_by(|a, b| (a.reason, &a.id).cmp(&(b.reason, &b.id)));
    Ok(Selection::Fits { chosen, omitted })
}

/// Required skills by rank, then those that no word found, in record order.
fn order_required(task: &Task<'_>) -> Vec<usize> {
    let ranked: Vec<usize> = task.ranking.skills.iter().map(|skill| skill.at).collect();
    let rest = task
        .required
        .iter()
        .copied()
        .filter(|at| !ranked.contains(at));
    ranked.iter().copied().chain(rest).collect()
}

/// Reads a skill and includes its mandatory sections.
fn open(task: &Task<'_>, at: usize, seen: &mut BTreeSet<String>) -> Result<Candidate, IndexError> {
    let (record, text) = (task.reader.skill(at)?, task.reader.text(at)?);
    let ranked = task
        .ranking
        .skills
        .iter()
        .find(|skill| skill.at == at)
        .cloned();
    let heading = render::skill_heading(&record).len();
    let mut candidate = Candidate {
        at,
        chosen: Chosen {
            record,
            text,
            included: Vec::new(),
        },
        offered: BTreeSet::new(),
        heading,
        repeated: Vec::new(),
        mandatory: 0,
        reserved: 0,
        ranked,
    };
    let mandatory: Vec<usize> = (0..candidate.chosen.record.sections.len())
        .filter(|&section| {
            candidate.chosen.record.sections[section].class == ContentClass::Mandatory
        })
        .collect();
    for section in mandatory {
        // The same mandatory text in two skills stands once; both are satisfied by it.
        if !seen.insert(sameness(&candidate.chosen.record.sections[section])) {
            candidate.repeated.push(section);
            continue;
        }
        let block = block(task, &candidate.chosen, section)?;
        if candidate.chosen.included.is_empty() {
            candidate.mandatory += heading;
        }
        candidate.mandatory += block.text.len();
        let score = candidate
            .ranked
            .as_ref()
            .map(|ranked| ranked.ranked_sections[section].score);
        candidate.chosen.included.push(Included {
            section,
            block,
            score,
            reasons: vec!["mandatory".to_owned()],
        });
    }
    for section in 0..candidate.chosen.record.sections.len() {
        let record = &candidate.chosen.record.sections[section];
        if record.class != ContentClass::Mandatory && !record.bare {
            candidate.offered.insert(section);
        }
    }
    Ok(candidate)
}

fn block(task: &Task<'_>, chosen: &Chosen, section: usize) -> Result<render::Block, IndexError> {
    let record = &chosen.record.sections[section];
    let content = chosen.text.get(record.start as usize..record.end as usize);
    let Some(content) = content else {
        return Err(task
            .reader
            .corrupt(format!("section {} lies outside its text", record.id)));
    };
    if vibey_context_contracts::digest::sha256_hex(content.as_bytes()) != record.content_sha256 {
        return Err(task.reader.corrupt(format!(
            "text of section {} does not match its digest",
            record.id
        )));
    }
    Ok(render::section(&chosen.record, record, content))
}

/// What two sections must share to be the same text: the parts of one large section never are, whatever they hold.
fn sameness(section: &SectionRecord) -> String {
    match section.part {
        Some(part) => format!("{} {}/{}", section.content_sha256, part.number, part.of),
        None => section.content_sha256.clone(),
    }
}

/// Bytes that a skill needs at least to be seen in the packet: its smallest new section, where the request names the
/// skill and it has no mandatory one; else none.
fn least(
    task: &Task<'_>,
    candidate: &Candidate,
    seen: &BTreeSet<String>,
) -> Result<usize, IndexError> {
    if !task.named.contains(&candidate.at) || !candidate.chosen.included.is_empty() {
        return Ok(0);
    }
    let smallest = smallest(task, candidate, seen)?;
    Ok(smallest.map_or(0, |(_, bytes)| candidate.heading + bytes))
}

/// The smallest section that is not in the packet yet, and its bytes.
fn smallest(
    task: &Task<'_>,
    candidate: &Candidate,
    seen: &BTreeSet<String>,
) -> Result<Option<(usize, usize)>, IndexError> {
    let mut best: Option<(usize, usize)> = None;
    for &section in &candidate.offered {
        if seen.contains(&sameness(&candidate.chosen.record.sections[section])) {
            continue;
        }
        let bytes = block(task, &candidate.chosen, section)?.text.len();
        if best.is_none_or(|(_, so_far)| bytes < so_far) {
            best = Some((section, bytes));
        }
    }
    Ok(best)
}

/// Activates further skills by rank, as long as they are near the best one and their mandatory text fits; names the
/// runner-ups.
fn further(
    task: &Task<'_>,
    candidates: &mut Vec<Candidate>,
    omitted: &mut Vec<Omitted>,
    used: &mut usize,
    seen: &mut BTreeSet<String>,
) -> Result<(), IndexError> {
    let best = task.ranking.skills.first().map_or(0, |best| best.score);
    for skill in task.ranking.skills.iter().take(RUNNERS_UP).skip(1) {
        let reason = if skill.score * 1000 < best * SKILL_SHARE {
            OmissionReason::BelowThreshold
        } else if candidates.len() >= SKILLS_MAX {
            OmissionReason::Diversity
        } else {
            let mut tentative = seen.clone();
            let candidate = open(task, skill.at, &mut tentative)?;
            if *used + candidate.mandatory <= task.ceiling {
                *used += candidate.mandatory;
                *seen = tentative;
                candidates.push(candidate);
                continue;
            }
            OmissionReason::MandatoryOverBudget
        };
        let record = task.reader.skill(skill.at)?;
        omitted.push(Omitted {
            id: record.qualified(),
            reason,
            tokens: record.token_estimate,
        });
    }
    Ok(())
}

/// A section that may still be included.
struct Offer {
    candidate: usize,
    section: usize,
    value: i64,
}

/// Fills the rest of the budget: the best section of each skill, then all by value. `reserved` bytes are kept for skills
/// that the request names and that have nothing in the packet yet.
fn fill(
    task: &Task<'_>,
    candidates: &mut [Candidate],
    omitted: &mut Vec<Omitted>,
    mut used: usize,
    mut reserved: usize,
    seen: &mut BTreeSet<String>,
) -> Result<(), IndexError> {
    let mut offers = offers(task, candidates, omitted);
    offers.sort_by_key(|offer| (Reverse(offer.value), offer.candidate, offer.section));
    // One section for each skill comes first, so that a second skill is not crowded out by the tail of the first.
    let mut led = BTreeSet::new();
    let (leading, rest): (Vec<Offer>, Vec<Offer>) = offers.into_iter().partition(|offer| {
        candidates[offer.candidate].chosen.included.is_empty() && led.insert(offer.candidate)
    });
    for offer in leading {
        let candidate = &mut candidates[offer.candidate];
        reserved -= candidate.reserved;
        let ceiling = task.ceiling - reserved;
        let verdict = include(task, candidate, offer.section, ceiling, &mut used, seen)?;
        if verdict.is_some()
            && candidate.reserved > 0
            && let Some((smallest, _)) = smallest(task, candidate, seen)?
        {
            // Its bytes were reserved; it fails only where another skill has brought the same text.
            include(task, candidate, smallest, ceiling, &mut used, seen)?;
        }
        omit(candidate, offer.section, verdict, omitted);
    }
    for offer in rest {
        let candidate = &mut candidates[offer.candidate];
        if candidate.offered.contains(&offer.section) {
            let verdict = include(
                task,
                candidate,
                offer.section,
                task.ceiling,
                &mut used,
                seen,
            )?;
            omit(candidate, offer.section, verdict, omitted);
        }
    }
    Ok(())
}

/// Includes a section where its text is new and it fits below `ceiling`; else says what stands against it.
fn include(
    task: &Task<'_>,
    candidate: &mut Candidate,
    section: usize,
    ceiling: usize,
    used: &mut usize,
    seen: &mut BTreeSet<String>,
) -> Result<Option<OmissionReason>, IndexError> {
    let record = &candidate.chosen.record.sections[section];
    let key = sameness(record);
    if seen.contains(&key) {
        return Ok(Some(OmissionReason::Duplicate));
    }
    let heading = if candidate.chosen.included.is_empty() {
        candidate.heading
    } else {
        0
    };
    // A frame only adds to the text, so most of what does not fit need not be rendered.
    let text = (record.end - record.start) as usize;
    if *used + heading + text > ceiling {
        return Ok(Some(OmissionReason::Budget));
    }
    let block = block(task, &candidate.chosen, section)?;
    let bytes = heading + block.text.len();
    if *used + bytes > ceiling {
        return Ok(Some(OmissionReason::Budget));
    }
    *used += bytes;
    seen.insert(key);
    candidate.offered.remove(&section);
    let (score, reasons) = why(task, candidate, section);
    candidate.chosen.included.push(Included {
        section,
        block,
        score,
        reasons,
    });
    Ok(None)
}

fn omit(
    candidate: &Candidate,
    section: usize,
    verdict: Option<OmissionReason>,
    omitted: &mut Vec<Omitted>,
) {
    if let Some(reason) = verdict {
        let record = &candidate.chosen.record.sections[section];
        omitted.push(Omitted {
            id: record.id.clone(),
            reason,
            tokens: record.token_estimate,
        });
    }
}

/// What may be included: of the best skill, or of a required one, everything; of others what matches well enough.
fn offers(task: &Task<'_>, candidates: &[Candidate], omitted: &mut Vec<Omitted>) -> Vec<Offer> {
    let score = |candidate: &Candidate, section: usize| {
        candidate
            .ranked
            .as_ref()
            .map_or(0, |ranked| ranked.ranked_sections[section].score)
    };
    let all = || {
        candidates.iter().flat_map(|candidate| {
            candidate
                .offered
                .iter()
                .map(move |&section| (candidate, section))
        })
    };
    let best_section = all()
        .map(|(candidate, section)| score(candidate, section))
        .max()
        .unwrap_or(0);
    let best_skill = candidates
        .first()
        .and_then(|first| first.ranked.as_ref())
        .map_or(0, |ranked| ranked.score)
        .max(1);
    let mut offers = Vec::new();
    for candidate in candidates {
        for &section in &candidate.repeated {
            let record = &candidate.chosen.record.sections[section];
            omitted.push(Omitted {
                id: record.id.clone(),
                reason: OmissionReason::Duplicate,
                tokens: record.token_estimate,
            });
        }
    }
    for (at, candidate) in candidates.iter().enumerate() {
        let skill = candidate.ranked.as_ref().map_or(0, |ranked| ranked.score);
        for &section in &candidate.offered {
            let own = score(candidate, section);
            let further = at > 0 && task.required.is_empty();
            if further && own * 1000 < best_section * SECTION_SHARE {
                let record = &candidate.chosen.record.sections[section];
                let (id, tokens) = (record.id.clone(), record.token_estimate);
                omitted.push(Omitted {
                    id,
                    reason: OmissionReason::BelowThreshold,
                    tokens,
                });
                continue;
            }
            offers.push(Offer {
                candidate: at,
                section,
                value: own * skill / best_skill,
            });
        }
    }
    offers
}

/// Score and reasons of a section for the manifest.
fn why(task: &Task<'_>, candidate: &Candidate, section: usize) -> (Option<i64>, Vec<String>) {
    let Some(ranked) = &candidate.ranked else {
        return (None, vec!["required_skill".to_owned()]);
    };
    let section = &ranked.ranked_sections[section];
    if section.matched.is_empty() {
        return (Some(section.score), vec!["rest_of_skill".to_owned()]);
    }
    let reasons = section.matched.iter().map(|(term, fields)| {
        let fields: Vec<&str> = fields.iter().map(|field| field.as_str()).collect();
        format!("{}:{}", task.ranking.terms[*term].term, fields.join("+"))
    });
    (Some(section.score), reasons.collect())
}
