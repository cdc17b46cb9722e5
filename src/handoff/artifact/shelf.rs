//! What lies ready of the phases before: the pages of the source first, those of earlier phases only where they are asked for.

use crate::handoff::artifact::file::read;
use crate::handoff::artifact::page::Page;
use crate::handoff::desk::Desk;
use crate::handoff::judgement::judge::Found;
use std::cell::OnceCell;
use vibey_context_contracts::handoff::config::Format;
use vibey_context_contracts::handoff::state::Phase;

/// The pages of phases, the source first, then those before it, nearest first.
pub(crate) struct Shelf<'a> {
    desk: &'a Desk,
    source: Vec<Page>,
    /// The Markdown artifacts of each phase, and their pages once they were asked for.
    earlier: Vec<(Vec<String>, OnceCell<Vec<Page>>)>,
}

impl<'a> Shelf<'a> {
    /// A shelf of what was found of the source, and of the phases before it.
    pub(crate) fn new(desk: &'a Desk, source: &[Found], before: &[Phase]) -> Self {
        let markdown = source
            .iter()
            .filter(|found| found.format == Format::Markdown);
        Self {
            desk,
            source: markdown
                .map(|found| Page::new(&found.artifact.path, &found.text))
                .collect(),
            earlier: before
                .iter()
                .rev()
                .map(|phase| (markdown_of(phase), OnceCell::new()))
                .collect(),
        }
    }

    /// The pages of the source.
    pub(crate) fn source(&self) -> &[Page] {
        &self.source
    }

    /// The pages of each phase, the source first. An earlier phase is read when it is reached.
    pub(crate) fn phases(&self) -> impl Iterator<Item = &[Page]> {
        let earlier = self
            .earlier
            .iter()
            .map(|(paths, pages)| pages.get_or_init(|| self.read(paths)).as_slice());
        std::iter::once(self.source.as_slice()).chain(earlier)
    }

    /// What is gone or no text any more is drift's to report.
    fn read(&self, paths: &[String]) -> Vec<Page> {
        let page = |path: &String| Some(Page::new(path, &read(self.desk, path).ok()?.text().ok()?));
        paths.iter().filter_map(page).collect()
    }
}

/// The Markdown that the state records of a phase.
fn markdown_of(phase: &Phase) -> Vec<String> {
    let paths = phase.artifacts.iter().map(|artifact| artifact.path.clone());
    paths
        .filter(|path| path.ends_with(".md") || path.ends_with(".markdown"))
        .collect()
}
