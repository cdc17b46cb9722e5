//! Why a skill is in a packet, or is not: its rank, the words that matched and missed, and the rule that decided.

use super::compile::{Compile, CompileError, compile_ranked};
use super::eligibility::{self, EligibilityError};
use super::explain::{missed, scale, table, totals};
use super::select::{NEW_SHARE, RUNNERS_UP, SKILL_SHARE, SKILLS_MAX, nearness};
use super::{own_words, query};
use crate::text::neutralise::plain_line;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use vibey_context_contracts::packet::{OmissionReason, PacketManifest, Status};
use vibey_context_index::error::IndexError;
use vibey_context_index::rank::{RankedSkill, Ranking, explain, rank_with};
use vibey_context_index::reader::Reader;
use vibey_context_index::record::SkillRecord;

/// The packet of the request, and the skill that is asked about.
struct Case<'a> {
    reader: &'a Reader,
    manifest: PacketManifest,
    ranking: Ranking,
    /// Position of the skill's record.
    at: usize,
    record: SkillRecord,
}

/// The report for one skill.
///
/// # Errors
/// As [`compile_ranked`], and a name that fits no skill or several.
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
        let nearest = crate::text::nearest::nearest(name, &reader.all_skill_names()?);
        return Err(EligibilityError::Unknown {
            what: "skill",
            name: name.to_owned(),
            nearest,
        }
        .into());
    };
    let record = reader.skill(at)?;
    let request = task.request;
    let eligible = eligibility::resolve(reader, request, task.rejected)?;
    let eligible = eligible.skills.as_ref();
    let asked = query(request).query;
    let explained = explain(reader, &asked, eligible, &[at])?;
    let with = rank_with(reader, &asked, eligible, &BTreeSet::from([at]))?;
    let (compiled, ranking) = compile_ranked(task)?;
    let case = Case {
        reader,
        manifest: compiled.manifest,
        ranking,
        at,
        record,
    };

    let decision = if eligible.is_none_or(|skills| skills.contains(&at)) {
        case.decision()?
    } else {
        "not eligible: the request requires or excludes others".to_owned()
    };
    let mut report = format!(
        "{}  {}\ndecision: {decision}\n",
        plain_line(&case.record.qualified()),
        plain_line(&case.record.address())
    );
    if let Some(confidence) = &case.manifest.confidence {
        let _ = writeln!(
            report,
            "confidence of the request: {} of 1000, a packet needs {}",
            confidence.score, confidence.threshold
        );
    }
    let used = case.manifest.selected_skills.iter();
    let used: Vec<String> = used.map(|name| plain_line(name)).collect();
    if !used.is_empty() {
        let _ = writeln!(report, "skills of the packet: {}", used.join(", "));
    }
    let _ = write!(report, "rank: {}", case.rank(eligible.map(BTreeSet::len)));
    let own = own_words(request);
    let skill = with.skills.iter().find(|one| one.at == at);
    let matched = match skill.zip(explained.first()) {
        Some((skill, explained)) => {
            let _ = write!(
                report,
                "{}{}\n{}\nmatched:\n{}",
                if case.is_ranked() {
                    ", "
                } else {
                    "; if it were: "
                },
                totals(skill, explained, &case.record),
                scale(),
                table(explained, &own, "  ")
            );
            skill.matched.as_slice()
        }
        None => {
            report.push_str("\nmatched: nothing\n");
            &[]
        }
    };
    let _ = writeln!(report, "{}", missed(&with, matched, &own));
    Ok(report)
}

impl Case<'_> {
    /// What became of an eligible skill, and the rule that decided.
    fn decision(&self) -> Result<String, IndexError> {
        let qualified = self.record.qualified();
        match self.manifest.status {
            Status::LowConfidence => return Ok(self.low_confidence().to_owned()),
            Status::BudgetInsufficient => {
                let needed = self.manifest.required_context_tokens.unwrap_or_default();
                return Ok(format!(
                    "no packet: budget_insufficient, what must be in it needs {needed} tokens and the budget is {}",
                    self.manifest.maximum_context_tokens
                ));
            }
            Status::Ok => {}
        }
        let sections = self.sections_used(&self.record);
        if sections > 0 {
            return Ok(format!(
                "in the packet, with {sections} of {} sections",
                self.record.sections.len()
            ));
        }
        let mut rows = self.manifest.omitted_chunks.iter();
        let reason = rows.find(|row| row.id == qualified).map(|row| row.reason);
        Ok(match reason {
            Some(OmissionReason::BelowThreshold) => self.below_threshold()?,
            Some(OmissionReason::Diversity) => {
                format!("dropped: diversity, a packet uses at most {SKILLS_MAX} skills")
            }
            Some(OmissionReason::MandatoryOverBudget) => {
                "dropped: mandatory_over_budget, its mandatory text does not fit".to_owned()
            }
            Some(OmissionReason::Budget | OmissionReason::Duplicate) => {
                "dropped: nothing of it fits or is new".to_owned()
            }
            None if self.any_section_omitted() => {
                "activated, but none of its sections fits or matches well enough".to_owned()
            }
            None => format!("dropped: not among the first {RUNNERS_UP} skills"),
        })
    }

    /// Which part of the rule in `confidence` failed.
    fn low_confidence(&self) -> &'static str {
        let score = self.manifest.confidence.as_ref().map_or(0, |one| one.score);
        if self.ranking.skills.is_empty() {
            "no packet: low_confidence, no eligible skill holds a word of the request"
        } else if score == 0 {
            "no packet: low_confidence, none of the first skills holds two words of the request, one of them outside its text, \
             or one in its name"
        } else {
            "no packet: low_confidence, the first skills explain too little of the request"
        }
    }

    /// How far the skill is from what a further skill needs.
    fn below_threshold(&self) -> Result<String, IndexError> {
        let mut chosen: Vec<&RankedSkill> = Vec::new();
        for skill in self.ranking.skills.iter().take(RUNNERS_UP) {
            if self.sections_used(&self.reader.skill(skill.at)?) > 0 {
                chosen.push(skill);
            }
        }
        let mut skills = self.ranking.skills.iter();
        let own = skills.find(|skill| skill.at == self.at);
        let Some((best, own)) = self.ranking.skills.first().zip(own) else {
            return Ok("dropped: below_threshold".to_owned());
        };
        let near = nearness(best, &chosen, own);
        Ok(format!(
            "dropped: below_threshold; a further skill needs {} % of the best one's score, and this one has {} % ({} of {}); or \
             it explains, beyond the skills of the packet, {} % of what the best one does, and this one {} %",
            SKILL_SHARE / 10,
            near.score / 10,
            own.score,
            best.score,
            NEW_SHARE / 10,
            near.new / 10
        ))
    }

    /// Its place, and what it is a place among: the candidates, of all skills that are eligible where those are counted.
    fn rank(&self, eligible: Option<usize>) -> String {
        let (all, what) = match eligible {
            Some(eligible) => (eligible, "eligible skills"),
            None => (self.reader.skill_count(), "skills"),
        };
        let best = self.ranking.skills.len();
        let among = if best == all {
            format!("{all} {what}")
        } else {
            format!("the {best} best of {all} {what}")
        };
        let mut ranked = self.ranking.skills.iter();
        match ranked.position(|skill| skill.at == self.at) {
            Some(place) => format!("{} of {among}", place + 1),
            None if best == 0 => format!("none of {all} {what} holds a word of the request"),
            None => format!("not among {among}"),
        }
    }

    /// Whether it is among the candidates.
    fn is_ranked(&self) -> bool {
        let mut ranked = self.ranking.skills.iter();
        ranked.any(|skill| skill.at == self.at)
    }

    /// How many sections of a skill are in the packet.
    fn sections_used(&self, record: &SkillRecord) -> usize {
        let address = record.address();
        let chunks = self.manifest.included_chunks.iter();
        chunks.filter(|chunk| chunk.source_path == address).count()
    }

    fn any_section_omitted(&self) -> bool {
        let rows = &self.manifest.omitted_chunks;
        let mut sections = self.record.sections.iter();
        sections.any(|section| rows.iter().any(|row| row.id == section.id))
    }
}
