//! Do descriptions hold words that a request could find the skill by? A service of `check`: a vague description degrades
//! no skill.

use std::collections::{BTreeMap, BTreeSet};
use vibey_context_contracts::diagnostic::{Code, Diagnostic, Finding};
use vibey_context_index::analysis::Analyzer;
use vibey_context_index::record::{IndexedSkill, SkillRecord};

/// Words that fit any skill, beyond the function words that the analyser drops: what a skill is called, whom and when it
/// serves, praise, and what stands where a text is still to be written. Compared as stems, so `helps` goes with `help`.
///
/// Not among them are words that are the whole topic of some skill (`test`, `write`) or share its stem (`powerful` and
/// `power`, `custom` and `customer`): a vague description that is missed costs less than a good one that is blamed.
/// Of 989 skills in three public collections the barest descriptions keep five different words beside these and those of
/// their names, and the rule blames only what keeps none.
const GENERIC: &str = "
    skill tool helper help helpful assist assistant assistance support guide guidance guideline instruction reference
    resource information description overview content template example sample tip best practice
    agent user task work case situation stuff anything everything way
    needed necessary required relevant related appropriate applicable available asked
    provide handle enable allow
    general generic common various different specific certain basic new main default
    good great better nice useful awesome amazing simple easy comprehensive
    todo tbd fixme wip placeholder untitled unknown none lorem ipsum
";

/// A finding for every description that says nothing, or the same as another one. `told` are the findings so far: a skill
/// without a description of its own is among them already.
#[must_use]
pub fn check(skills: &[IndexedSkill], told: &[Diagnostic]) -> Vec<Diagnostic> {
    let borrowed: BTreeSet<&str> = told
        .iter()
        .filter(|found| found.code == Code::FmMissing)
        .map(|found| found.path.as_str())
        .collect();
    let mut analyzer = Analyzer::default();
    let generic = stems(&mut analyzer, GENERIC);
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    let mut found = Vec::new();
    for IndexedSkill { record, .. } in skills {
        let path = record.address();
        if record.description.is_empty() || borrowed.contains(path.as_str()) {
            continue;
        }
        if says_nothing(&mut analyzer, &generic, record) {
            let message = "description says no more than the name and words that fit any skill";
            found.push(Finding::whole(Code::DescriptionGeneric, message).in_file(&path));
            continue;
        }
        let folded = folded(&record.description);
        if let Some(other) = first.get(&folded) {
            let message = format!("description is the same as that of `{other}`");
            found.push(Finding::whole(Code::DuplicateDescription, message).in_file(&path));
        } else {
            first.insert(folded, path);
        }
    }
    found
}

/// Whether every word is generic or belongs to the names, which are searched by themselves.
fn says_nothing(analyzer: &mut Analyzer, generic: &BTreeSet<String>, record: &SkillRecord) -> bool {
    let names = format!("{} {} {}", record.plugin, record.skill, record.folder);
    let names = stems(analyzer, &names);
    let mut nothing = true;
    analyzer.terms(&record.description, |term| {
        nothing &= generic.contains(term) || names.contains(term);
    });
    nothing
}

fn stems(analyzer: &mut Analyzer, text: &str) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    analyzer.terms(text, |term| {
        stems.insert(term.to_owned());
    });
    stems
}

/// The text without regard to line breaks, repeated blanks, and upper and lower case.
fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}
