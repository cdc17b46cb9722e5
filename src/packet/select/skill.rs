//! One skill on its way into a packet: which of its sections are in, which may still come, and what it costs.

use super::super::render::{Run, Shown, shown, skill_heading};
use super::{Measure, Omitted, Seen, Task};
use std::collections::BTreeMap;
use std::rc::Rc;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::packet::{ContentClass, OmissionReason};
use vibey_context_index::error::IndexError;
use vibey_context_index::record::{SectionRecord, SkillRecord};

/// Sections of a run at most: what one more costs is found by looking at its run, so a skill of ten thousand small
/// sections would take minutes.
const RUN_MAX: usize = 64;

/// A skill of the packet with everything that rendering needs.
#[derive(Clone)]
pub(crate) struct Chosen {
    pub(crate) record: Rc<SkillRecord>,
    pub(crate) text: Rc<str>,
    /// Sections in the packet, by their position in the skill's record.
    pub(crate) included: BTreeMap<usize, Included>,
}

/// A section of the packet.
#[derive(Clone)]
pub(crate) struct Included {
    pub(crate) shown: Shown,
    /// `None` where sections were not ranked.
    pub(crate) score: Option<i64>,
    pub(crate) reasons: Vec<String>,
}

impl Chosen {
    /// The included sections as runs without a gap, in source order.
    pub(crate) fn runs(&self) -> Vec<Vec<usize>> {
        let mut runs: Vec<Vec<usize>> = Vec::new();
        for &section in self.included.keys() {
            match runs.last_mut() {
                Some(run) if run.last().is_some_and(|&last| self.touch(last, section)) => {
                    run.push(section);
                }
                _ => runs.push(vec![section]),
            }
        }
        runs
    }

    /// Whether two sections follow each other without a gap. The parts of a section that was cut stay apart: they may
    /// begin within a line. So do runs that would become too long.
    fn touch(&self, left: usize, right: usize) -> bool {
        let whole = |section: usize| self.record.sections[section].part.is_none();
        left + 1 == right && whole(left) && whole(right) && !right.is_multiple_of(RUN_MAX)
    }

    /// A run as it stands in the packet.
    pub(crate) fn render(&self, run: &[usize]) -> String {
        self.run(run, None).render(&self.digest(run))
    }

    /// Digest of a run's text in the file.
    fn digest(&self, run: &[usize]) -> String {
        let range = match (run.first(), run.last()) {
            (Some(&first), Some(&last)) => {
                self.record.sections[first].start as usize..self.record.sections[last].end as usize
            }
            _ => 0..0,
        };
        let source = self.text.get(range).unwrap_or_default();
        sha256_hex(source.as_bytes())
    }

    /// The run of these sections; `more` stands for one that is not included yet.
    fn run<'a>(&'a self, run: &[usize], more: Option<(usize, &'a Shown)>) -> Run<'a> {
        let shown = |section: &usize| match more {
            Some((place, shown)) if place == *section => shown,
            _ => &self.included[section].shown,
        };
        let rows = run
            .iter()
            .map(|section| (&self.record.sections[*section], shown(section)));
        Run {
            skill: &self.record,
            sections: rows.collect(),
        }
    }

    /// Size of what stands around a run's texts.
    fn frame(&self, measure: Measure, run: &[usize], more: Option<(usize, &Shown)>) -> usize {
        /// As long as every digest.
        const DIGEST: &str = "0000000000000000000000000000000000000000000000000000000000000000";
        if run.is_empty() {
            return 0;
        }
        // Every digest is equally long, but a vocabulary knows some better than others.
        let frame = if measure.is_bytes() {
            self.run(run, more).frame(DIGEST)
        } else {
            self.run(run, more).frame(&self.digest(run))
        };
        measure.of(&frame.open) + measure.of(&frame.close)
    }

    /// The included sections that end where `section` starts, and those that start where it ends.
    fn neighbours(&self, section: usize) -> (Vec<usize>, Vec<usize>) {
        let mut left = Vec::new();
        let mut at = section;
        while at > 0 && self.included.contains_key(&(at - 1)) && self.touch(at - 1, at) {
            at -= 1;
            left.push(at);
        }
        left.reverse();
        let mut right = Vec::new();
        at = section;
        while self.included.contains_key(&(at + 1)) && self.touch(at, at + 1) {
            at += 1;
            right.push(at);
        }
        (left, right)
    }
}

/// A skill that is activated, or about to be.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) at: usize,
    pub(super) chosen: Chosen,
    /// Sections that may still be included, and what has stood against it so far.
    pub(super) offered: BTreeMap<usize, Option<OmissionReason>>,
    /// Size of the skill's heading.
    heading: usize,
    /// Size of the skill in the packet: heading and runs; 0 where it has no section in it.
    pub(super) size: usize,
    /// Size that is kept for the skill until it has a section in the packet.
    pub(super) reserved: usize,
    /// Score of each section; empty where the skill was not ranked.
    scores: Vec<i64>,
}

impl Candidate {
    /// Reads a skill and includes its mandatory sections.
    pub(super) fn open(task: &Task<'_>, at: usize, seen: &mut Seen) -> Result<Self, IndexError> {
        let chosen = Chosen {
            record: task.reader.skill(at)?.into(),
            text: task.reader.text(at)?.into(),
            included: BTreeMap::new(),
        };
        let ranked = task.ranked(at).map(|ranked| &ranked.ranked_sections);
        let scores = ranked.into_iter().flatten().map(|section| section.score);
        let mut candidate = Self {
            at,
            heading: task.measure.of(&skill_heading(&chosen.record)),
            chosen,
            offered: BTreeMap::new(),
            size: 0,
            reserved: 0,
            scores: scores.collect(),
        };
        for section in 0..candidate.chosen.record.sections.len() {
            let record = &candidate.chosen.record.sections[section];
            if record.class != ContentClass::Mandatory {
                if !record.bare && !candidate.is_blank(section) {
                    candidate.offered.insert(section, None);
                }
            } else if seen.insert(sameness(record)) {
                let shown = candidate.shown(task, section)?;
                let cost = candidate.cost(task, section, &shown);
                candidate.put(section, shown, cost, vec!["mandatory".to_owned()]);
            } else {
                // The same mandatory text in two skills stands once; both are satisfied by it.
                let verdict = Some(OmissionReason::Duplicate);
                candidate.offered.insert(section, verdict);
            }
        }
        Ok(candidate)
    }

    /// How well a section matches, in thousandths; 0 where the skill was not ranked.
    pub(super) fn score(&self, section: usize) -> i64 {
        self.scores.get(section).copied().unwrap_or_default()
    }

    /// The record of a section.
    pub(super) fn section(&self, section: usize) -> &SectionRecord {
        &self.chosen.record.sections[section]
    }

    /// Whether a section is nothing but white space, as a part of a large one can be.
    fn is_blank(&self, section: usize) -> bool {
        let record = self.section(section);
        let range = record.start as usize..record.end as usize;
        let text = self.chosen.text.get(range).unwrap_or_default();
        text.trim_start().is_empty()
    }

    /// Whether a section touches one that is in the packet.
    pub(super) fn joins(&self, section: usize) -> bool {
        let (left, right) = self.chosen.neighbours(section);
        !left.is_empty() || !right.is_empty()
    }

    /// Whether a section is at least as large as the frame that it would need: a smaller one costs more than it tells.
    pub(super) fn worth_a_frame(&self, task: &Task<'_>, section: usize) -> bool {
        let record = self.section(section);
        let shown = Shown {
            text: String::from("\n"),
            neutralised: 0,
        };
        let frame = self
            .chosen
            .frame(task.measure, &[section], Some((section, &shown)));
        task.measure.size_of(record) >= frame
    }

    /// Whether a section stands between two that are in the packet.
    pub(super) fn joins_both(&self, section: usize) -> bool {
        let (left, right) = self.chosen.neighbours(section);
        !left.is_empty() && !right.is_empty()
    }

    /// The smallest section whose text is not in the packet yet, and what it would cost.
    pub(super) fn smallest(
        &self,
        task: &Task<'_>,
        seen: &Seen,
    ) -> Result<Option<(usize, usize)>, IndexError> {
        let mut best: Option<(usize, usize)> = None;
        for &section in self.offered.keys() {
            if seen.contains(&sameness(self.section(section))) {
                continue;
            }
            let cost = self.cost(task, section, &self.shown(task, section)?) as usize;
            if best.is_none_or(|(_, so_far)| cost < so_far) {
                best = Some((section, cost));
            }
        }
        Ok(best)
    }

    /// Includes a section where its text is new and costs at most `room`; else notes what stands against it. Returns what
    /// it has cost: less than nothing where it joins two runs and is smaller than the frame that it saves.
    pub(super) fn include(
        &mut self,
        task: &Task<'_>,
        section: usize,
        room: i64,
        seen: &mut Seen,
    ) -> Result<Option<i64>, IndexError> {
        let record = self.section(section);
        let key = sameness(record);
        if seen.contains(&key) {
            self.offered
                .insert(section, Some(OmissionReason::Duplicate));
            return Ok(None);
        }
        // What is shown is at least as long as the text, so most of what does not fit need not be prepared.
        let bytes = (record.end - record.start) as usize;
        let (_, right) = self.chosen.neighbours(section);
        let saved = self.chosen.frame(task.measure, &right, None);
        if task.measure.at_least(bytes) as i64 - saved as i64 > room {
            self.offered.insert(section, Some(OmissionReason::Budget));
            return Ok(None);
        }
        let shown = self.shown(task, section)?;
        let cost = self.cost(task, section, &shown);
        if cost > room {
            self.offered.insert(section, Some(OmissionReason::Budget));
            return Ok(None);
        }
        seen.insert(key);
        let reasons = self.why(task, section);
        self.put(section, shown, cost, reasons);
        Ok(Some(cost))
    }

    /// Whether a section can be taken out again: never the only one of a skill that must be seen, and none that holds
    /// sections in the packet which are smaller than a frame of their own.
    pub(super) fn may_give_way(&self, task: &Task<'_>, section: usize) -> bool {
        let included = &self.chosen.included;
        let (left, right) = self.chosen.neighbours(section);
        included.contains_key(&section)
            && (self.reserved == 0 || included.len() > 1)
            && [left, right].iter().all(|run| {
                let texts = run
                    .iter()
                    .map(|place| task.measure.of(&included[place].shown.text));
                texts.sum::<usize>() >= self.chosen.frame(task.measure, run, None)
            })
    }

    /// Takes a section out again; returns what that saves.
    pub(super) fn exclude(&mut self, task: &Task<'_>, section: usize, seen: &mut Seen) -> i64 {
        let Some(included) = self.chosen.included.remove(&section) else {
            return 0;
        };
        seen.remove(&sameness(self.section(section)));
        let saved = self.cost(task, section, &included.shown);
        self.size = (self.size as i64 - saved) as usize;
        self.offered.insert(section, Some(OmissionReason::Budget));
        saved
    }

    /// The omissions of this skill's sections. What is `seen` in the packet is a duplicate whatever else stood against it.
    pub(super) fn omissions(&self, seen: &Seen, omitted: &mut Vec<Omitted>) {
        for (&section, reason) in &self.offered {
            let record = self.section(section);
            let reason = match reason {
                _ if seen.contains(&sameness(record)) => OmissionReason::Duplicate,
                // Its twin has given way since.
                None | Some(OmissionReason::Duplicate) => OmissionReason::Budget,
                Some(reason) => *reason,
            };
            omitted.push(Omitted {
                id: record.id.clone(),
                reason,
                tokens: record.token_estimate,
            });
        }
    }

    /// A section's text as the packet shows it.
    fn shown(&self, task: &Task<'_>, section: usize) -> Result<Shown, IndexError> {
        let record = self.section(section);
        let range = record.start as usize..record.end as usize;
        let Some(content) = self.chosen.text.get(range) else {
            let fault = format!("section {} lies outside its text", record.id);
            return Err(task.reader.corrupt(fault));
        };
        if sha256_hex(content.as_bytes()) != record.content_sha256 {
            let fault = format!("text of section {} does not match its digest", record.id);
            return Err(task.reader.corrupt(fault));
        }
        Ok(shown(content))
    }

    /// What the packet grows by with a section: its text, and the difference in frames and heading.
    fn cost(&self, task: &Task<'_>, section: usize, shown: &Shown) -> i64 {
        let (left, right) = self.chosen.neighbours(section);
        let frame = |run: &[usize], more| self.chosen.frame(task.measure, run, more) as i64;
        let mut joined = left.clone();
        joined.push(section);
        joined.extend(&right);
        let heading = if self.chosen.included.is_empty() {
            self.heading as i64
        } else {
            0
        };
        heading + task.measure.of(&shown.text) as i64 + frame(&joined, Some((section, shown)))
            - frame(&left, None)
            - frame(&right, None)
    }

    fn put(&mut self, section: usize, shown: Shown, cost: i64, reasons: Vec<String>) {
        self.size = (self.size as i64 + cost) as usize;
        self.offered.remove(&section);
        let score = (!self.scores.is_empty()).then(|| self.score(section));
        let included = Included {
            shown,
            score,
            reasons,
        };
        self.chosen.included.insert(section, included);
    }

    /// Why a section is in the packet, for the manifest.
    fn why(&self, task: &Task<'_>, section: usize) -> Vec<String> {
        let Some(ranked) = task.ranked(self.at) else {
            return vec!["required_skill".to_owned()];
        };
        let section = &ranked.ranked_sections[section];
        if section.matched.is_empty() {
            return vec!["rest_of_skill".to_owned()];
        }
        let reasons = section.matched.iter().map(|(term, fields)| {
            let fields: Vec<&str> = fields.iter().map(|field| field.as_str()).collect();
            format!("{}:{}", task.ranking.terms[*term].term, fields.join("+"))
        });
        reasons.collect()
    }
}

/// What two sections must share to be the same text: the parts of one large section never are, whatever they hold.
pub(super) fn sameness(section: &SectionRecord) -> String {
    match section.part {
        Some(part) => format!("{} {}/{}", section.content_sha256, part.number, part.of),
        None => section.content_sha256.clone(),
    }
}
