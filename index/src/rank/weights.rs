//! Every tuned number of the ranking. docs/ranking.md has the formulas, the sweeps and the ablation table behind them; the
//! figures beside a constant are cases of 80 (dev) that change when it is taken out or halved and doubled.

/// Weight of each field of a skill document in BM25F, in the order of `SkillField::ALL`: name, plugin, description,
/// tags, headings, body. Name and description are what an author writes to be found by; the body holds everything.
pub const SKILL_FIELDS: [f64; 6] = [10.0, 5.0, 10.0, 3.0, 2.0, 0.6];
/// Saturation `k1` of BM25F over skills, for words and pairs: fields are weighted up to 10, so it lies above the customary
/// 1.2.
pub const SKILL_K1: f64 = 2.0;
/// Weight of a word's own form beside its stem.
pub const FORMS_WEIGHT: f64 = 0.5;

/// Words between which a pair may stand: in the request as in the text, the second one is at most so many words behind
/// the first. Function words do not count.
pub const PAIR_SPAN: usize = 4;
/// Pairs of a request that are looked up: those with the most telling words.
pub const PAIRS: usize = 64;
/// Weight of pairs beside words.
pub const PAIRS_WEIGHT: f64 = 0.5;

/// Weight of each field of a section document, in the order of `SectionField::ALL`: heading, text.
pub const SECTION_FIELDS: [f64; 2] = [3.0, 1.0];
/// Length normalisation `b` of the same fields.
pub const SECTION_LENGTHS: [f64; 2] = [0.5, 0.8];
/// Saturation `k1` of BM25F over sections (the customary value).
pub const SECTION_K1: f64 = 1.2;
/// Weight of a skill's best section beside its own fields, both relative to the best skill.
pub const SECTIONS_WEIGHT: f64 = 0.3;

/// Weight of the mean score of a plugin's skills, relative to the best plugin.
pub const SIBLINGS_WEIGHT: f64 = 0.5;
/// A plugin of fewer skills counts as one of so many, so that a single skill is not its own witness.
pub const SIBLINGS_MIN: usize = 4;

/// The most that the circumstances can add to a skill's score, relative to the best skill's fields. A skill that holds
/// every one of a request's signals in its strongest fields would get it all; real ones get a tenth to a quarter.
pub const SIGNALS_WEIGHT: f64 = 1.0;

/// Skills whose pairs and sections are looked at. A skill that its fields put behind forty others is not lifted by them:
/// 80 or 200 candidates give the same figures.
pub const CANDIDATES: usize = 40;
/// Words of a query that are looked up, the most telling ones: a long request repeats itself, and every word costs its
/// postings in eight fields. As many unknown words count as unexplained.
pub const QUERY_WORDS: usize = 64;
/// Documents that a smaller corpus is taken to have when words are weighed: among three skills every word is frequent, and
/// a request that one of them answers would look unexplained beside words that none of them holds.
pub const SMALL_CORPUS: u32 = 10;
