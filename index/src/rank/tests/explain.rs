//! Do the rows of an explanation add up to the scores that the ranking prints, and is every mechanism among them?

use super::*;
use proptest::prelude::*;

/// A query with every kind of row: words, one form, one pair, signals.
fn every_kind() -> Query {
    Query {
        forms: vec!["=queries".to_owned(), "slow".to_owned()],
        pairs: vec![("quer".to_owned(), "slow".to_owned())],
        signals: signals("index web"),
        ..query("slow queries index plan schema")
    }
}

fn points(rows: &[Row]) -> i64 {
    rows.iter().map(|row| row.points).sum()
}

/// Every sum of every ranked skill.
fn check_sums(reader: &Reader, query: &Query) -> Vec<Explained> {
    let ranking = rank(reader, query, None).unwrap();
    let wanted: Vec<usize> = ranking.skills.iter().map(|skill| skill.at).collect();
    let explained = super::explain(reader, query, None, &wanted).unwrap();
    assert_eq!(explained.len(), ranking.skills.len());
    for (skill, explained) in ranking.skills.iter().zip(&explained) {
        assert_eq!(skill.at, explained.at);
        assert_eq!(points(&explained.words), skill.words, "{explained:?}");
        assert_eq!(points(&explained.signals), skill.signals, "{explained:?}");
        assert_eq!(points(&explained.best_section_words), skill.sections);
        let sections = explained.sections.iter().map(|rows| points(rows));
        let scores = skill.ranked_sections.iter().map(|section| section.score);
        assert!(sections.eq(scores), "{explained:?}");
        let best = explained
            .best_section
            .map(|at| skill.ranked_sections[at].score);
        let most = skill
            .ranked_sections
            .iter()
            .map(|section| section.score)
            .max();
        assert_eq!(best.unwrap_or(0), most.unwrap_or(0));
        let every = explained.words.iter().chain(&explained.signals);
        let every = every.chain(&explained.best_section_words);
        for row in every.chain(explained.sections.iter().flatten()) {
            let parts: i64 = row.fields.iter().map(|part| part.points).sum();
            assert_eq!(parts, row.points, "{row:?}");
            assert!(!row.fields.is_empty() && row.points >= 0, "{row:?}");
            assert!((0..=1000).contains(&row.gain) && row.holders > 0, "{row:?}");
        }
    }
    explained
}

#[test]
fn rows_add_up_to_the_scores_and_every_kind_is_there() {
    let explained = check_sums(&reader(&corpus()), &every_kind());
    let best = &explained[0];
    let kinds = |rows: &[Row]| rows.iter().map(|row| row.kind).collect::<BTreeSet<_>>();
    assert_eq!(best.at, 1);
    assert_eq!(
        kinds(&best.words),
        BTreeSet::from([Kind::Word, Kind::Form, Kind::Pair])
    );
    assert_eq!(kinds(&best.signals), BTreeSet::from([Kind::Signal]));
    assert_eq!(
        kinds(&best.best_section_words),
        BTreeSet::from([Kind::Section])
    );
    let siblings = best.siblings.as_ref().unwrap();
    assert_eq!((siblings.plugin.as_str(), siblings.skills), ("db", 2));
    assert!(best.words.is_sorted_by(|a, b| a.points >= b.points));
}

/// By the formulas of docs/ranking.md, for one word in one field of one skill.
#[test]
fn a_row_is_what_the_formula_says() {
    let skills = [
        skill(0, "a", "x", "glaze", &[("T", "text")]),
        skill(1, "b", "y", "kiln", &[("T", "text")]),
    ];
    let reader = reader(&skills);
    let query = Query {
        forms: vec!["glaze".to_owned()],
        ..query("glaze")
    };
    let explained = &check_sums(&reader, &query)[0];
    let [word, form] = explained.words.as_slice() else {
        panic!("{explained:?}");
    };
    let weight = weights::SKILL_FIELDS[2];
    let gain = milli(weight / (weights::SKILL_K1 + weight));
    for row in [word, form] {
        assert_eq!(
            (row.gain, row.idf, row.holders),
            (gain, milli(idf(2, 1)), 1)
        );
        let part = &row.fields[0];
        assert_eq!((part.field, part.frequency), ("description", milli(weight)));
    }
    // The word counts one, its form a half, and both are all that the skill has.
    assert_eq!((word.points, form.points), (667, 333));
}

#[test]
fn a_skill_that_is_no_candidate_is_explained_as_if_it_were_one() {
    let reader = reader(&corpus());
    let (query, only) = (query("index"), BTreeSet::from([0]));
    let explained = super::explain(&reader, &query, Some(&only), &[1, 2, 0, 99]).unwrap();
    // The third one does not hold the word, and there is no hundredth.
    let at: Vec<usize> = explained.iter().map(|one| one.at).collect();
    assert_eq!(at, [1, 0]);
    let ranked = |also: &[usize]| {
        let also = also.iter().copied().collect();
        rank_with(&reader, &query, Some(&only), &also)
            .unwrap()
            .skills
    };
    let order = |skills: &[RankedSkill]| skills.iter().map(|one| one.at).collect::<BTreeSet<_>>();
    assert_eq!(order(&ranked(&[])), only);
    let both = ranked(&[0, 1]);
    assert_eq!(order(&both), BTreeSet::from([0, 1]));
    for skill in &both {
        let rows = explained.iter().find(|one| one.at == skill.at).unwrap();
        assert_eq!(points(&rows.words), skill.words);
        assert_eq!(points(&rows.best_section_words), skill.sections);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn rows_always_add_up(
        texts in prop::collection::vec("([abc]{4}( |\n)){0,12}", 1..6),
        asked in "([abcd]{4} ){1,8}",
    ) {
        let skills: Vec<IndexedSkill> = texts
            .iter()
            .enumerate()
            .map(|(at, text)| {
                let plugin = if at % 2 == 0 { "even" } else { "odd" };
                skill(at as u32, plugin, "x", text, &[("One", text), ("Two", &asked)])
            })
            .collect();
        let words = words(&asked);
        let mut unique = words.clone();
        unique.sort();
        unique.dedup();
        let pair = |two: &[String]| (two[0].clone().min(two[1].clone()), two[0].clone().max(two[1].clone()));
        let query = Query {
            words: unique.clone(),
            forms: unique,
            pairs: words.windows(2).map(pair).filter(|(left, right)| left != right).collect::<BTreeSet<_>>().into_iter().collect(),
            signals: signals("even odd"),
        };
        check_sums(&reader(&skills), &query);
    }
}
