//! What is to be in which marker? Everything is validated and all guidance is read before anything is written.

use super::fault::Fault;
use super::guidance::{self, FILE_MAX_BYTES};
use super::root::Root;
use super::source::{self, Source};
use super::target::{self, Case};
use super::{journal, place};
use crate::policy::MARKER_FILE;
use std::path::Path;
use vibey_context_contracts::markers::manifest::{self, Generator, MANIFEST_MAX_BYTES, Manifest};
use vibey_context_host::path::RelPath;

/// A snapshot: what is in it does not change when the manifest or guidance does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// The manifest's path.
    pub(super) manifest: RelPath,
    /// The markers, in the order of the manifest.
    pub(super) entries: Vec<Entry>,
    /// What `generate` runs, where the manifest says.
    generator: Option<Generator>,
}

impl Plan {
    /// What `generate` runs.
    ///
    /// # Errors
    /// The manifest does not say.
    pub(super) fn generator(&self) -> Result<&Generator, Fault> {
        self.generator.as_ref().ok_or_else(|| {
            let message = "the manifest has no `generator`; add one, or use `apply`";
            Fault::new("generator_missing", message).at(self.manifest.as_str())
        })
    }
}

/// A marker and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) directory: RelPath,
    pub(super) marker: RelPath,
    pub(super) text: String,
}

/// Reads manifest and guidance and looks at every place that is to be written. Changes nothing.
///
/// # Errors
/// The first thing that is not as it must be.
pub(super) fn read(root: &Root, manifest: &Path) -> Result<Plan, Fault> {
    let root = root.path();
    journal::check_place(root)?;
    let given = manifest
        .to_str()
        .ok_or_else(|| Fault::new("path_invalid", "`--manifest` is not UTF-8; rename the file"))?;
    let given = source::relative(given, "`--manifest`")?;
    let source = source::locate(root, given.clone(), "manifest")?;
    let bytes = source.read(MANIFEST_MAX_BYTES as u64)?;
    let manifest =
        manifest::parse(&bytes).map_err(|error| Fault::manifest(&error).at(given.as_str()))?;
    Ok(Plan {
        entries: entries(root, &manifest, &source)?,
        manifest: given,
        generator: manifest.generator,
    })
}

fn entries(root: &Path, manifest: &Manifest, source: &Source) -> Result<Vec<Entry>, Fault> {
    let mut directories = Vec::new();
    let mut sources = Vec::new();
    for (at, entry) in manifest.markers.iter().enumerate() {
        let field = |name: &str| format!("`markers[{at}].{name}`");
        directories.push(source::relative(&entry.directory, &field("directory"))?);
        let guidance = source::relative(&entry.guidance_file, &field("guidanceFile"))?;
        sources.push(guidance);
    }
    let case = Case::of(root, &source.given);
    target::check(&directories, case)?;
    target::check_source(source, &directories, case)?;
    let mut entries = Vec::new();
    for (directory, guidance) in directories.iter().zip(sources) {
        let source = source::locate(root, guidance, "guidance file")?;
        target::check_source(&source, &directories, case)?;
        let text = guidance::normalise(&source.read(FILE_MAX_BYTES)?)
            .map_err(|fault| fault.at(source.given.as_str()))?;
        let marker = directory.join(MARKER_FILE).map_err(|error| {
            Fault::host("the marker has no name", &error).at(directory.as_str())
        })?;
        let entry = Entry {
            directory: directory.clone(),
            marker,
            text,
        };
        place::look(root, &entry)?;
        entries.push(entry);
    }
    Ok(entries)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests;
