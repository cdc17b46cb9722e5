//! Every tuned number of the ranking.

/// Weight of each field of a skill document in BM25F, in the order of `SkillField::ALL`: name, plugin, description,
/// tags, headings, body. Starting point of the retrieval work: a prototype with 10, 5, 10, 3 and 0.5 reached hit@1 0.78
/// on 80 cases over 794 skills; tags weigh as headings do, since authors set them by hand.
pub const SKILL_FIELDS: [f64; 6] = [10.0, 5.0, 10.0, 3.0, 3.0, 0.5];
/// Length normalisation `b` of the same fields: short ones by habit of BM25F less than the body.
pub const SKILL_LENGTHS: [f64; 6] = [0.3, 0.0, 0.5, 0.0, 0.5, 0.75];
/// Weight of each field of a section document, in the order of `SectionField::ALL`: heading, text.
pub const SECTION_FIELDS: [f64; 2] = [2.0, 1.0];
/// Length normalisation `b` of the same fields.
pub const SECTION_LENGTHS: [f64; 2] = [0.5, 0.6];
/// Saturation `k1` of BM25F over skills: fields are weighted up to 10, so it lies above the customary 1.2.
pub const SKILL_K1: f64 = 4.0;
/// Saturation `k1` of BM25F over sections (the customary value).
pub const SECTION_K1: f64 = 1.2;
/// How many of a skill's sections vote for it.
pub const VOTING_SECTIONS: usize = 3;
/// Weight of the sections' votes beside the skill's own fields, both relative to the best skill.
pub const SECTIONS_WEIGHT: f64 = 0.5;
/// The most that the circumstances can add to a skill's score, relative to the best skill's fields: enough to decide
/// between siblings, not enough to beat the words of the task.
pub const SIGNALS_WEIGHT: f64 = 0.15;
/// Skills whose sections are looked at. A skill that its fields put behind forty others is not lifted by sections.
pub const CANDIDATES: usize = 40;
/// Words of a query that are looked up, the most telling ones by weight and idf: a long request repeats itself, and
/// every word costs its postings in eight fields. As many unknown words count as unexplained.
pub const QUERY_WORDS: usize = 64;
/// Documents that a smaller corpus is taken to have when words are weighed: among three skills every word is frequent, and
/// a request that one of them answers would look unexplained beside words that none of them holds.
pub const SMALL_CORPUS: u32 = 10;
