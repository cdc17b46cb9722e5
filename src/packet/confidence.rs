//! Does the best skill explain enough of the request for a packet to be better than none?
//!
//! The rule: *explained weight*. Every word of the request weighs its field's weight times its idf, an unknown word as
//! much as the rarest known one; the score is the share of that weight whose words the best skill holds. A packet is
//! compiled from [`THRESHOLD`] on, and where the skill holds at least [`WORDS`] different words of the request (or all of
//! them, where one of them names the skill).

use vibey_context_contracts::packet::Confidence;
use vibey_context_index::rank::{Ranking, SkillField};

/// Smallest share of the request's weight that the best skill must hold, in thousandths.
const THRESHOLD: u32 = 300;
/// Smallest number of different words of the request that the best skill must hold: a single common word is no topic.
const WORDS: usize = 2;

/// The verdict, and whether it suffices. `None` where no word of the request was looked up.
pub(super) fn judge(ranking: &Ranking) -> (Option<Confidence>, bool) {
    let Some(best) = ranking.skills.first() else {
        let nothing = Confidence {
            score: 0,
            threshold: THRESHOLD,
        };
        return (Some(nothing), false);
    };
    let confidence = Confidence {
        score: best.coverage,
        threshold: THRESHOLD,
    };
    let named = best
        .matched
        .iter()
        .any(|(_, fields)| fields.contains(&SkillField::Name));
    let enough =
        best.matched.len() >= WORDS || (named && best.matched.len() == ranking.terms.len());
    (Some(confidence), best.coverage >= THRESHOLD && enough)
}
