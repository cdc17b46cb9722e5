//! What of the phases before does the next one get?
//!
//! The include keys of the transition, in their order, from the artifacts of the source; a key that the source has nothing
//! for, from those of earlier phases.

mod chunk;
mod rest;

pub(crate) use chunk::{Chosen, Dependency, Prior, choose};

use crate::handoff::artifact::headings::folded;
use crate::handoff::artifact::holes::{is_inside, merged, within, without};
use crate::handoff::artifact::issues::known_issues;
use crate::handoff::artifact::page::{Page, Section};
use crate::handoff::artifact::shelf::Shelf;
use crate::handoff::brief::block::in_line;
use crate::handoff::pipelines::Pipelines;
use std::collections::BTreeMap;
use std::ops::Range;
use vibey_context_contracts::handoff::config::Transition;

/// The include key that is cut by user story.
const STORIES: &str = "user_stories";
/// Include keys that are never compressed.
const PROTECTED: [&str; 3] = ["acceptance_criteria", "decisions", "deviations"];

/// What is never compressed, by the folded phrases that its headings begin with.
pub(crate) fn protected(pipelines: &Pipelines) -> Vec<String> {
    let own = ["Acceptance Scenarios"].map(folded);
    let keys = PROTECTED.iter().flat_map(|key| pipelines.headings(key));
    keys.map(|phrase| folded(&phrase)).chain(own).collect()
}

/// What the next phase gets.
#[derive(Debug, Default)]
pub(crate) struct Curated {
    /// Its pieces, the most important first.
    pub(crate) pieces: Vec<Piece>,
    /// For each source, where what it says besides is to be found.
    pub(crate) rest: Vec<String>,
    /// What a reader should know.
    pub(crate) warnings: Vec<String>,
}

/// A piece of what the next phase gets: a section of its brief.
#[derive(Debug)]
pub(crate) enum Piece {
    /// The story that is worked on.
    Story {
        /// Its number, title and priority, as a heading.
        title: String,
        /// Its text.
        block: Block,
    },
    /// Stories that are done.
    Prior(Vec<Prior>),
    /// Stories that the current one refers to.
    Dependencies(Vec<Dependency>),
    /// What an include key stands for.
    Sections {
        /// The key as a heading.
        title: String,
        /// The sections.
        blocks: Vec<Block>,
        /// Whether the blocks are a list of files.
        is_files: bool,
        /// Whether they are never compressed.
        is_protected: bool,
        /// Where further sections stand that were left out; empty where none was.
        pointer: String,
    },
}

/// A part of an artifact, with where it comes from.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// Path of the artifact, relative to the project.
    pub(crate) path: String,
    /// The heading that it stood under.
    pub(crate) heading: String,
    /// Its first and last line, from 1, heading included.
    pub(crate) lines: (u32, u32),
    /// Its Markdown, without the heading.
    pub(crate) text: String,
}

impl Block {
    fn new(page: &Page, section: &Section, without: &[Range<usize>]) -> Self {
        Self {
            path: in_line(&page.path),
            heading: section.heading.clone(),
            lines: page.lines(&section.whole),
            text: text_without(page, &section.body, without),
        }
    }
}

/// What is asked for.
pub(crate) struct Task<'a> {
    /// What lies ready.
    pub(crate) shelf: &'a Shelf<'a>,
    /// What is handed over; `None` hands over nothing.
    pub(crate) transition: Option<&'a Transition>,
    /// The configuration.
    pub(crate) pipelines: &'a Pipelines,
    /// The story to work on; where none is named, the first.
    pub(crate) step: Option<u32>,
}

/// Cuts what goes to the next phase, by the chosen story where there is one.
pub(crate) fn curate(
    task: &Task<'_>,
    chosen: Option<&Chosen>,
    is_done: &dyn Fn(u32) -> bool,
) -> Curated {
    let mut curated = Curated::default();
    for page in task.shelf.source() {
        curated.warnings.extend(page.dropped.iter().map(|dropped| {
            let (first, last) = dropped.lines;
            format!(
                "Reasoning dropped from {}: {}, lines {first}-{last}",
                page.path, dropped.what
            )
        }));
    }
    let Some(transition) = task.transition else {
        return curated;
    };
    let stories_of = chosen.map(|chosen| chosen.path.as_str());
    let mut cutting = Cutting {
        task,
        transition,
        stories_of,
        taken: BTreeMap::new(),
    };
    for key in transition
        .include
        .iter()
        .filter(|key| !transition.exclude.contains(key))
    {
        if key == STORIES
            && let Some(chosen) = chosen
        {
            curated
                .pieces
                .extend(chunk::pieces(task, chosen, is_done, &mut curated.warnings));
            continue;
        }
        let blocks = cutting.blocks(key);
        if blocks.is_empty() {
            if !cutting.is_shown(key) {
                let phrases = task.pipelines.headings(key).join(", ");
                let pages = task.shelf.source().iter().map(|page| page.path.as_str());
                let paths = match pages.collect::<Vec<_>>().join(", ") {
                    none if none.is_empty() => "any Markdown artifact".to_owned(),
                    paths => paths,
                };
                curated.warnings.push(format!(
                    "Nothing found for include key {key}: no section of {paths} is called {phrases}"
                ));
            }
            continue;
        }
        curated.pieces.push(Piece::Sections {
            title: title(key),
            blocks,
            is_files: key == "files_modified",
            is_protected: PROTECTED.contains(&key.as_str()),
            pointer: String::new(),
        });
    }
    for page in task.shelf.source() {
        let excluded = merged(cutting.excluded(page));
        curated.warnings.extend(known_issues(page, &excluded));
        curated
            .rest
            .extend(rest::rest(page, &cutting.covered(page)));
    }
    curated
}

/// What has been cut so far.
struct Cutting<'a> {
    task: &'a Task<'a>,
    transition: &'a Transition,
    /// What of each page stands in the brief already, by path.
    taken: BTreeMap<String, Vec<Range<usize>>>,
    /// The page whose stories are cut by themselves.
    stories_of: Option<&'a str>,
}

impl Cutting<'_> {
    /// What a key stands for, from the first phase that has anything for it.
    fn blocks(&mut self, key: &str) -> Vec<Block> {
        let phrases = self.task.pipelines.headings(key);
        for pages in self.task.shelf.phases() {
            let mut blocks = Vec::new();
            for page in pages {
                blocks.extend(self.blocks_of(page, key, &phrases));
            }
            if !blocks.is_empty() {
                return blocks;
            }
        }
        Vec::new()
    }

    /// Whether what a key stands for is in the brief under another key.
    fn is_shown(&self, key: &str) -> bool {
        let phrases = self.task.pipelines.headings(key);
        self.task.shelf.source().iter().any(|page| {
            let taken = merged(self.taken.get(&page.path).cloned().unwrap_or_default());
            let sections = page.sections(&phrases);
            sections
                .iter()
                .any(|section| is_inside(&section.whole, &taken))
        })
    }

    fn blocks_of(&mut self, page: &Page, key: &str, phrases: &[String]) -> Vec<Block> {
        let mut sections = page.sections(phrases);
        if key == STORIES {
            let wholes = merged(sections.iter().map(|one| one.whole.clone()).collect());
            let stories = page.stories.iter();
            let outside = stories.filter(|story| !is_inside(&story.whole, &wholes));
            let stories: Vec<Section> = outside
                .map(|story| Section {
                    heading: story.heading.clone(),
                    whole: story.whole.clone(),
                    body: story.body.clone(),
                })
                .collect();
            sections.extend(stories);
            sections.sort_by_key(|section| section.whole.start);
        }
        let mut hidden = self.excluded(page);
        hidden.extend(self.taken.get(&page.path).cloned().unwrap_or_default());
        if self.stories_of == Some(page.path.as_str()) {
            hidden.extend(page.stories.iter().map(|story| story.whole.clone()));
        }
        let hidden = merged(hidden);
        sections.retain(|section| !is_inside(&section.whole, &hidden));
        let blocks = sections
            .iter()
            .map(|section| Block::new(page, section, &hidden))
            .collect();
        let taken = self.taken.entry(page.path.clone()).or_default();
        taken.extend(sections.into_iter().map(|section| section.whole));
        blocks
    }

    /// What of a page stands in the brief, or is left out on purpose: stories are steps, and what is excluded is not named.
    fn covered(&self, page: &Page) -> Vec<Range<usize>> {
        let mut covered = self.excluded(page);
        covered.extend(self.taken.get(&page.path).cloned().unwrap_or_default());
        if self.stories_of == Some(page.path.as_str()) {
            covered.extend(page.stories.iter().map(|story| story.whole.clone()));
        }
        merged(covered)
    }

    /// What no section of a page may hold.
    fn excluded(&self, page: &Page) -> Vec<Range<usize>> {
        let keys = self.transition.exclude.iter();
        let sections = keys.flat_map(|key| page.sections(&self.task.pipelines.headings(key)));
        sections.map(|section| section.whole).collect()
    }
}

/// The text of a range without what lies in others, which are [`merged`].
fn text_without(page: &Page, body: &Range<usize>, holes: &[Range<usize>]) -> String {
    without(page.slice(body), &within(body, holes)).0
}

/// `tech_stack` as `Tech Stack`.
fn title(key: &str) -> String {
    let words = key.split(['_', '-', '.']).filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars.next().map_or(String::new(), |first| {
            first.to_ascii_uppercase().to_string() + chars.as_str()
        })
    };
    in_line(&words.map(capital).collect::<Vec<_>>().join(" "))
}
