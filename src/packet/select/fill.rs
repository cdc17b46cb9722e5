//! Filling the budget: the best section of each skill, then the others by value, what is smaller than its frame only beside
//! another; where much is left unused then, larger sections for less valuable ones.

use super::skill::Candidate;
use super::{Seen, Task};
use std::cmp::Reverse;
use vibey_context_contracts::packet::OmissionReason;
use vibey_context_index::error::IndexError;

/// A section of a further skill is offered from this share of the best section's score on, in thousandths: below it
/// stand sections that share a common word with the request.
const SECTION_SHARE: i64 = 150;
/// A packet below this share of its budget, in thousandths, is tried again with other sections while relevant ones are
/// left.
const FILLED: usize = 850;

/// A section that may still be included.
#[derive(Debug, Clone, Copy)]
struct Offer {
    candidate: usize,
    section: usize,
    value: i64,
}

/// The room that is left, in the units of the task's measure.
struct Room<'a> {
    task: &'a Task<'a>,
    used: i64,
    /// What is kept for skills that the request names and that have nothing in the packet yet.
    reserved: i64,
}

impl Room<'_> {
    fn left(&self) -> i64 {
        self.task.ceiling as i64 - self.reserved - self.used
    }

    /// Includes a section where it fits; whether it did.
    fn include(
        &mut self,
        candidate: &mut Candidate,
        section: usize,
        seen: &mut Seen,
    ) -> Result<bool, IndexError> {
        let cost = candidate.include(self.task, section, self.left(), seen)?;
        self.used += cost.unwrap_or_default();
        Ok(cost.is_some())
    }
}

/// Fills what `used` and `reserved` leave of the budget.
pub(super) fn fill(
    task: &Task<'_>,
    candidates: &mut [Candidate],
    used: usize,
    reserved: usize,
    seen: &mut Seen,
) -> Result<(), IndexError> {
    let mut room = Room {
        task,
        used: used as i64,
        reserved: reserved as i64,
    };
    let offers = offers(task, candidates);
    lead(&mut room, candidates, &offers, seen)?;
    rest(&mut room, candidates, &offers, seen)?;
    improve(&mut room, candidates, &offers, seen)?;
    bridge(&mut room, candidates, seen)
}

/// One section for each skill comes first, so that a second skill is not crowded out by the tail of the first: the best
/// one that fits and is worth a frame; where none is, the best one that fits, of a required skill or of the best one.
fn lead(
    room: &mut Room<'_>,
    candidates: &mut [Candidate],
    offers: &[Offer],
    seen: &mut Seen,
) -> Result<(), IndexError> {
    for (place, candidate) in candidates.iter_mut().enumerate() {
        if !candidate.chosen.included.is_empty() {
            continue;
        }
        room.reserved -= candidate.reserved as i64;
        let own = offers.iter().filter(|offer| offer.candidate == place);
        let (worth, small): (Vec<&Offer>, Vec<&Offer>) =
            own.partition(|offer| candidate.worth_a_frame(room.task, offer.section));
        let must = candidate.reserved > 0 || !room.task.required.is_empty();
        let small = if must { small } else { Vec::new() };
        for offer in worth.into_iter().chain(small) {
            if room.include(candidate, offer.section, seen)? {
                break;
            }
        }
    }
    Ok(())
}

/// Sections by value; those that are smaller than the frame around them only where they join others.
fn rest(
    room: &mut Room<'_>,
    candidates: &mut [Candidate],
    offers: &[Offer],
    seen: &mut Seen,
) -> Result<(), IndexError> {
    let mut small = Vec::new();
    for offer in offers {
        let candidate = &mut candidates[offer.candidate];
        if !candidate.offered.contains_key(&offer.section) {
            continue;
        }
        if candidate.worth_a_frame(room.task, offer.section) || candidate.joins(offer.section) {
            room.include(candidate, offer.section, seen)?;
        } else {
            small.push(*offer);
        }
    }
    // Each one that is included may be the neighbour that another one waits for.
    let mut again = true;
    while again {
        again = false;
        for offer in &small {
            let candidate = &mut candidates[offer.candidate];
            if candidate.offered.contains_key(&offer.section) && candidate.joins(offer.section) {
                again |= room.include(candidate, offer.section, seen)?;
            }
        }
    }
    for offer in small {
        let verdict = candidates[offer.candidate].offered.get_mut(&offer.section);
        if let Some(verdict @ None) = verdict {
            *verdict = Some(OmissionReason::BelowThreshold);
        }
    }
    Ok(())
}

/// Where much of the budget is unused although relevant text is left, that text is large: less valuable sections make
/// room for it, if more of the budget is used then.
fn improve(
    room: &mut Room<'_>,
    candidates: &mut [Candidate],
    offers: &[Offer],
    seen: &mut Seen,
) -> Result<(), IndexError> {
    for (place, offer) in offers.iter().enumerate() {
        if room.used * 1000 >= (room.task.ceiling * FILLED) as i64 {
            break;
        }
        let waiting = candidates[offer.candidate].offered.get(&offer.section);
        if waiting != Some(&Some(OmissionReason::Budget)) {
            continue;
        }
        let before = (room.used, candidates.to_vec(), seen.clone());
        let mut fits = false;
        for victim in offers[place + 1..].iter().rev() {
            let candidate = &mut candidates[victim.candidate];
            if !candidate.may_give_way(room.task, victim.section) {
                continue;
            }
            room.used -= candidate.exclude(room.task, victim.section, seen);
            fits = room.include(&mut candidates[offer.candidate], offer.section, seen)?;
            if fits {
                break;
            }
        }
        if fits {
            rest(room, candidates, &offers[place + 1..], seen)?;
        }
        if !fits || room.used <= before.0 {
            room.used = before.0;
            candidates.clone_from_slice(&before.1);
            *seen = before.2;
        }
    }
    Ok(())
}

/// A section between two that are in the packet comes along where it is smaller than the frame that it saves.
fn bridge(
    room: &mut Room<'_>,
    candidates: &mut [Candidate],
    seen: &mut Seen,
) -> Result<(), IndexError> {
    for candidate in candidates {
        let waiting: Vec<(usize, Option<OmissionReason>)> = candidate
            .offered
            .iter()
            .map(|(section, verdict)| (*section, *verdict))
            .collect();
        for (section, verdict) in waiting {
            if !candidate.joins_both(section) {
                continue;
            }
            match candidate.include(room.task, section, 0, seen)? {
                Some(cost) => room.used += cost,
                None => {
                    candidate.offered.insert(section, verdict);
                }
            }
        }
    }
    Ok(())
}

/// What may be included, most valuable first: of the best skill, or of a required one, everything; of others what matches
/// well enough.
fn offers(task: &Task<'_>, candidates: &mut [Candidate]) -> Vec<Offer> {
    let every = candidates.iter().flat_map(|candidate| {
        let scores = candidate.offered.keys();
        scores.map(|&section| candidate.score(section))
    });
    let best_section = every.max().unwrap_or(0);
    let rank = |at: usize| task.ranked(at).map_or(0, |ranked| ranked.score);
    let best_skill = candidates.first().map_or(1, |first| rank(first.at)).max(1);
    let mut offers = Vec::new();
    for (place, candidate) in candidates.iter_mut().enumerate() {
        let skill = rank(candidate.at);
        let further = place > 0 && task.required.is_empty();
        let sections: Vec<usize> = candidate.offered.keys().copied().collect();
        for section in sections {
            let own = candidate.score(section);
            if further && own * 1000 < best_section * SECTION_SHARE {
                let below = Some(OmissionReason::BelowThreshold);
                candidate.offered.insert(section, below);
                continue;
            }
            offers.push(Offer {
                candidate: place,
                section,
                value: own * skill / best_skill,
            });
        }
    }
    offers.sort_by_key(|offer| (Reverse(offer.value), offer.candidate, offer.section));
    offers
}
