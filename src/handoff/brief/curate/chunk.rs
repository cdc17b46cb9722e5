//! How is a specification cut by user story? The current one in full, those that are done in short, those that it refers to by
//! the sentence that does; no others.

use super::{Block, Piece, Task};
use crate::handoff::artifact::page::{Page, Section};
use crate::handoff::artifact::stories::{Story, mentioned};
use crate::handoff::artifact::summary::{SUMMARY_CHARS, sentences, shortened, summary};
use crate::handoff::brief::block::{in_line, in_title};
use crate::handoff::error::HandoffError;
use crate::text::passages::passages;
use std::collections::{BTreeMap, BTreeSet};
use vibey_context_contracts::handoff::config::Chunking;

/// The story that is worked on, and those beside it.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    /// Path of the artifact that tells it.
    pub(crate) path: String,
    /// Its number.
    pub(crate) number: u32,
    /// The name of its step.
    pub(crate) name: String,
    /// Every story, in order: number, name of the step, summary.
    pub(crate) stories: Vec<(u32, String, String)>,
}

/// A story that is done.
#[derive(Debug, Clone)]
pub(crate) struct Prior {
    /// Its number.
    pub(crate) number: u32,
    /// Its title; empty where it has none.
    pub(crate) title: String,
    /// What it was about.
    pub(crate) summary: String,
    /// Path and lines of it.
    pub(crate) source: (String, (u32, u32)),
}

/// A story that the current one refers to.
#[derive(Debug, Clone)]
pub(crate) struct Dependency {
    /// Its number.
    pub(crate) number: u32,
    /// Its title; empty where it has none.
    pub(crate) title: String,
    /// The sentence that refers to it.
    pub(crate) sentence: String,
    /// Path and lines of it.
    pub(crate) source: (String, (u32, u32)),
}

/// The story to work on, where the transition is cut by story and any page tells one.
///
/// # Errors
/// [`HandoffError::UnknownStep`].
pub(crate) fn choose(
    task: &Task<'_>,
    warnings: &mut Vec<String>,
) -> Result<Option<Chosen>, HandoffError> {
    if task
        .transition
        .is_none_or(|transition| transition.chunking_strategy != Chunking::ByUserStory)
    {
        if let Some(step) = task.step {
            warnings.push(format!(
                "Step {step} has no effect: this transition is not cut by user story"
            ));
        }
        return Ok(None);
    }
    let Some(page) = telling(task) else {
        warnings.push("No user stories found: what is included is included in full".to_owned());
        return Ok(None);
    };
    let stories = distinct(page);
    for story in stories.values().filter(|same| same.len() > 1) {
        let lines: Vec<String> = story
            .iter()
            .map(|one| page.lines(&one.whole).0.to_string())
            .collect();
        let number = story.first().map_or(0, |one| one.number);
        warnings.push(format!(
            "User story {number} stands {} times in {} (lines {}): the first one counts",
            story.len(),
            page.path,
            lines.join(", ")
        ));
    }
    let first = page.stories.first().map(|story| story.number);
    let number = task.step.or(first).unwrap_or_default();
    let Some(story) = stories.get(&number).and_then(|same| same.first()) else {
        return Err(HandoffError::UnknownStep {
            step: number,
            known: stories.keys().copied().collect(),
        });
    };
    let told = in_order(page).map(|story| {
        (
            story.number,
            in_line(&story.name()),
            in_line(&told(page, story)),
        )
    });
    Ok(Some(Chosen {
        path: page.path.clone(),
        number,
        name: in_line(&story.name()),
        stories: told.collect(),
    }))
}

/// The pieces of the brief that the stories make.
pub(super) fn pieces(
    task: &Task<'_>,
    chosen: &Chosen,
    is_done: &dyn Fn(u32) -> bool,
    warnings: &mut Vec<String>,
) -> Vec<Piece> {
    let Some(page) = telling(task) else {
        return Vec::new();
    };
    let stories: Vec<&Story> = in_order(page).collect();
    let Some(at) = stories
        .iter()
        .position(|story| story.number == chosen.number)
    else {
        return Vec::new();
    };
    let (before, current) = (stories.get(..at).unwrap_or_default(), stories[at]);
    let source = |story: &Story| (in_line(&page.path), page.lines(&story.whole));
    let done = before.iter().filter(|story| is_done(story.number));
    let prior = done.map(|story| Prior {
        number: story.number,
        title: in_title(&story.title),
        summary: in_line(&told(page, story)),
        source: source(story),
    });
    let section = Section {
        heading: current.heading.clone(),
        whole: current.whole.clone(),
        body: current.body.clone(),
    };
    let by_number: BTreeMap<u32, &Story> =
        stories.iter().map(|story| (story.number, *story)).collect();
    let mut dependencies = Vec::new();
    for (number, sentence) in referred(page, current) {
        match by_number.get(&number) {
            Some(story) => dependencies.push(Dependency {
                number,
                title: in_title(&story.title),
                sentence: in_line(&sentence),
                source: source(story),
            }),
            None => warnings.push(format!(
                "User story {} refers to story {number}, which {} does not tell",
                current.number, page.path
            )),
        }
    }
    vec![
        Piece::Story {
            title: heading(current),
            block: Block::new(page, &section, &[]),
        },
        Piece::Prior(prior.collect()),
        Piece::Dependencies(dependencies),
    ]
}

fn telling<'a>(task: &'a Task<'_>) -> Option<&'a Page> {
    task.shelf
        .phases()
        .flatten()
        .find(|page| !page.stories.is_empty())
}

/// The stories of a page by number; of several with one number the first stands first.
fn distinct(page: &Page) -> BTreeMap<u32, Vec<&Story>> {
    let mut stories: BTreeMap<u32, Vec<&Story>> = BTreeMap::new();
    for story in &page.stories {
        stories.entry(story.number).or_default().push(story);
    }
    stories
}

/// The stories of a page as they stand there, each number once.
fn in_order(page: &Page) -> impl Iterator<Item = &Story> {
    let mut seen = BTreeSet::new();
    page.stories
        .iter()
        .filter(move |story| seen.insert(story.number))
}

fn told(page: &Page, story: &Story) -> String {
    summary(page.slice(&story.body))
}

/// `User Story 3 — Title (P2)`.
fn heading(story: &Story) -> String {
    let mut text = format!("User Story {}", story.number);
    if !story.title.is_empty() {
        text.push_str(&format!(" — {}", in_title(&story.title)));
    }
    if let Some(priority) = &story.priority {
        text.push_str(&format!(" ({priority})"));
    }
    text
}

/// The other stories that a story names, by number, with the first sentence that does, as long as a summary may be.
fn referred(page: &Page, story: &Story) -> BTreeMap<u32, String> {
    let mut found = BTreeMap::new();
    for passage in passages(page.slice(&story.body)) {
        for sentence in sentences(&passage.text) {
            let numbers = mentioned(&sentence);
            let short = shortened(&sentence, SUMMARY_CHARS);
            for number in numbers.into_iter().filter(|one| *one != story.number) {
                found.entry(number).or_insert_with(|| short.clone());
            }
        }
    }
    found
}
