//! Does the best skill explain enough of the request for a packet to be better than none?
//!
//! The rule: *explained weight*. Every word of the request weighs its field's weight times its idf, a word unknown to the
//! corpus as much as the rarest known one. The score is the weight of the words that the best skill holds, divided by the
//! weight of all words and of one more unknown word: a short request must be understood almost whole, a long one, most of
//! whose words are about its own project, only in part.

use vibey_context_contracts::packet::Confidence;
use vibey_context_index::rank::{Ranking, SkillField, unknown_word};
use vibey_context_index::reader::Reader;

/// Smallest score with which a packet is compiled, in thousandths. On 80 requests over 794 skills it rejects four, and of
/// 25 requests about nothing in them it lets four pass.
const THRESHOLD: i64 = 180;
/// Smallest number of different words of the request that the best skill must hold, unless its name holds them all: one
/// common word (`help`) is no topic.
const WORDS: usize = 2;

/// The verdict, and whether it suffices.
pub(super) fn judge(reader: &Reader, ranking: &Ranking) -> (Confidence, bool) {
    let verdict = |score: i64| Confidence {
        score: score.clamp(0, 1000) as u32,
        threshold: THRESHOLD as u32,
    };
    let Some(best) = ranking.skills.first() else {
        return (verdict(0), false);
    };
    let score = best.held * 1000 / (ranking.asked + unknown_word(reader)).max(1);
    let by_name = best
        .matched
        .iter()
        .filter(|(_, fields)| fields.contains(&SkillField::Name))
        .count();
    let topic = best.matched.len() >= WORDS || by_name == ranking.terms.len();
    (verdict(score), score >= THRESHOLD && topic)
}
