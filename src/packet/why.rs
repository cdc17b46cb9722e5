//! Why a skill is in a packet, or is not: its rank, the words that matched and missed, and the rule that decided.

use super::compile::{Compile, CompileError, compile, ranking};
use super::eligibility::{self, EligibilityError};
use super::explain::{OwnWords, missed, scale, table, totals};
use super::{own_words, query};
use crate::text::neutralise::plain_line;
use std::fmt::Write as _;
use vibey_context_contracts::packet::{OmissionReason, PacketManifest, Status};
use vibey_context_index::rank::{Explained, Ranking, explain, weights};
use vibey_context_index::record::SkillRecord;

/// The report for one skill.
///
/// # Errors
/// As [`compile`], and a name that fits no skill or several.
pub fn why(task: Compile<'_>, name: &str) -> Result<String, CompileError> {
    let reader = task.reader;
    let Some(at) = eligibility::one_skill(reader, "skill", name)? else {
        if let Some(rejected) = (task.rejected)()
            .into_iter()
            .find(|rejected| rejected.names.iter().any(|n| n == name))
        {
            return Err(EligibilityError::Rejected {
                what: "skill",
                name: name.to_owned(),
                rejected: Box::new(rejected),
            }
            .into());
        }
        let nearest = eligibility::nearest(name, &reader.all_skill_names()?);
        return Err(EligibilityError::Unknown {
            what: "skill",
            name: name.to_owned(),
            nearest,
        }
        .into());
    };
    let record = reader.skill(at)?;
    let eligible = eligibility::resolve(reader, task.request, task.rejected)?;
    let among = ranking(reader, task.request, eligible.skills.as_ref())?;
    let eligible = eligible.skills.as_ref();
    let admitted = eligible.is_none_or(|skills| skills.contains(&at));
    let explained = explain(reader, &query(task.request).query, eligible, &[at])?;
    let own = own_words(task.request);
    let manifest = compile(task)?.manifest;
    let qualified = record.qualified();

    let mut report = format!(
        "{}  {}\n",
        plain_line(&qualified),
        plain_line(&record.address())
    );
    let decision = if !admitted {
        "not eligible: the request requires or excludes others".to_owned()
    } else if manifest.status == Status::LowConfidence {
        "no packet: low_confidence, the best skill does not explain enough of the request"
            .to_owned()
    } else if manifest.status == Status::BudgetInsufficient {
        "no packet: budget_insufficient, mandatory text does not fit the budget".to_owned()
    } else if manifest.selected_skills.contains(&qualified) {
        let mine = manifest
            .included_chunks
            .iter()
            .filter(|chunk| chunk.source_path == record.address());
        format!(
            "in the packet, with {} of {} sections",
            mine.count(),
            record.sections.len()
        )
    } else {
        match manifest
            .omitted_chunks
            .iter()
            .find(|row| row.id == qualified)
            .map(|row| row.reason)
        {
            Some(OmissionReason::BelowThreshold) => {
                "dropped: below_threshold, its score is too far behind the best skill's"
            }
            Some(OmissionReason::Diversity) => {
                "dropped: diversity, the packet covers enough skills"
            }
            Some(OmissionReason::MandatoryOverBudget) => {
                "dropped: mandatory_over_budget, its mandatory text does not fit"
            }
            Some(OmissionReason::Budget | OmissionReason::Duplicate) => {
                "dropped: nothing of it fits or is new"
            }
            None if record
                .sections
                .iter()
                .any(|section| dropped(&manifest, &section.id)) =>
            {
                "activated, but none of its sections fits or matches well enough"
            }
            None => "dropped: not among the first ten skills",
        }
        .to_owned()
    };
    let _ = writeln!(report, "decision: {decision}");
    if let Some(confidence) = &manifest.confidence {
        let _ = writeln!(
            report,
            "confidence: {} of 1000, a packet needs {}",
            confidence.score, confidence.threshold
        );
    }
    describe_rank(&mut report, &among, &record, explained.first(), &own);
    Ok(report)
}

fn dropped(manifest: &PacketManifest, id: &str) -> bool {
    manifest.omitted_chunks.iter().any(|row| row.id == id)
}

fn describe_rank(
    report: &mut String,
    ranking: &Ranking,
    record: &SkillRecord,
    explained: Option<&Explained>,
    own: &OwnWords,
) {
    let place = explained.and_then(|explained| {
        let mut skills = ranking.skills.iter();
        Some((explained, skills.position(|one| one.at == explained.at)?))
    });
    let Some((explained, place)) = place else {
        let _ = writeln!(
            report,
            "rank: not among the {} skills that share most words with the request",
            weights::CANDIDATES
        );
        return;
    };
    let skill = &ranking.skills[place];
    let _ = writeln!(
        report,
        "rank: {} of {}, {}\n{}\nmatched:\n{}{}",
        place + 1,
        ranking.skills.len(),
        totals(skill, explained, record),
        scale(),
        table(explained, own, "  "),
        missed(ranking, skill, own)
    );
}
