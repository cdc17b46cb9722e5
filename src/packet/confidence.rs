//! Do the best skills explain enough of the request for a packet to be better than none?
//!
//! The rule: *explained weight*. Every word of the request weighs its idf, a word unknown to the corpus more than the
//! rarest known one. A skill explains of it what BM25 gives for the word: much where name or description holds it, little
//! where it stands once in a long text. The score is what the best skill explains, divided by the weight of the request and
//! of three more unknown words: a request of three words must be understood well, one of four hundred, most of
//! whose words are about its own project, in a tenth. docs/ranking.md has the curves.

use super::select::SKILLS_MAX;
use vibey_context_contracts::packet::Confidence;
use vibey_context_index::rank::{RankedSkill, Ranking, SkillField, unknown_word};
use vibey_context_index::reader::Reader;

/// Smallest score with which a packet is compiled, in thousandths. Of the development cases over 794 skills it rejects 2 of
/// 80 requests, and of 25 requests about nothing in them it lets 1 pass; of 120 cases that another author wrote afterwards it
/// rejects 3 of 60 and lets 10 of 60 pass (at 80: 3 and 13; at 100: 3 and 7, but then 5 of the 80).
const THRESHOLD: i64 = 90;
/// Unknown words that every request is taken to have beside its own: fewer let small talk pass, more reject
/// objectives of five words.
const MORE_WORDS: i64 = 3;
/// Smallest number of different words of the request that a skill must hold, unless one of them is in its name: one
/// common word (`help`) is no topic.
const WORDS: usize = 2;

/// The verdict, and whether it suffices.
pub(super) fn judge(reader: &Reader, ranking: &Ranking) -> (Confidence, bool) {
    let asked = (ranking.asked + MORE_WORDS * unknown_word(reader)).max(1);
    // As many as a packet uses: the request's topic may lie in the second one.
    let on_topic = ranking.skills.iter().take(SKILLS_MAX);
    let on_topic = on_topic.filter(|skill| has_topic(skill));
    let best = on_topic.map(|skill| skill.explained).max().unwrap_or(0);
    let score = (best * 1000 / asked).clamp(0, 1000);
    let verdict = Confidence {
        score: score as u32,
        threshold: THRESHOLD as u32,
    };
    (verdict, score >= THRESHOLD)
}

/// Whether the words that a skill holds are a topic: several, and one of them where its author says what it is about; or one
/// in its name.
fn has_topic(skill: &RankedSkill) -> bool {
    let holds = |what: fn(&SkillField) -> bool| {
        let fields = skill.matched.iter().flat_map(|(_, fields)| fields);
        fields.into_iter().any(what)
    };
    let said = holds(|field| *field != SkillField::Body);
    (said && skill.matched.len() >= WORDS) || holds(|field| *field == SkillField::Name)
}
