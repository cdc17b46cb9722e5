//! What do the plugin manifests of the roots say?

use crate::corpus::discover::{Discovery, Fault, Place};
use crate::corpus::plugins::{MANIFEST_MAX_BYTES, PLUGIN_JSON, Plugins};
use crate::corpus::read::stamp;
use vibey_context_contracts::diagnostic::{Code, Finding};
use vibey_context_host::error::HostError;
use vibey_context_host::read::file_stamp;
use vibey_context_host::resolved::read_stamped_resolved;
use vibey_context_index::sources::{Facts, FileRow};

/// The manifests of every root.
#[derive(Debug, Default)]
pub(super) struct Manifests {
    /// By ordinal of the root.
    pub(super) plugins: Vec<Plugins>,
    /// What is wrong with them.
    pub(super) findings: Vec<Fault>,
    /// The files, for the table of sources.
    pub(super) rows: Vec<FileRow>,
}

impl Manifests {
    /// Reads all of them, except descriptions of plugins that `known` knows.
    pub(super) fn read(
        roots: usize,
        discovery: &Discovery,
        known: &dyn Fn(&Place) -> Option<FileRow>,
    ) -> Self {
        let mut all = Self {
            plugins: (0..roots).map(|_| Plugins::default()).collect(),
            ..Self::default()
        };
        for place in &discovery.plugins {
            let row = known(place);
            let facts = row.as_ref().map(|row| &row.facts);
            match (all.plugins.get_mut(place.root as usize), facts) {
                (Some(of_root), Some(Facts::Plugin { name, version })) => {
                    of_root.add_values(plugin_folder(place), name.clone(), version.clone());
                    all.rows.extend(row);
                }
                (_, Some(Facts::Nothing)) => all.rows.extend(row),
                _ => all.take_in(place, Plugins::add_plugin),
            }
        }
        for place in &discovery.marketplaces {
            all.take_in(place, Plugins::add_marketplace);
        }
        all
    }

    /// Release of the collection; else empty.
    pub(super) fn release(&self) -> &str {
        let mut releases = self.plugins.iter().map(Plugins::release);
        releases
            .find(|release| !release.is_empty())
            .unwrap_or_default()
    }

    fn take_in(&mut self, place: &Place, add: impl Fn(&mut Plugins, &str, &[u8]) -> Vec<Finding>) {
        let Some(of_root) = self.plugins.get_mut(place.root as usize) else {
            return;
        };
        let folder = plugin_folder(place);
        let findings = match read_stamped_resolved(&place.real, MANIFEST_MAX_BYTES) {
            Ok((bytes, read)) => {
                let findings = add(of_root, folder, &bytes);
                let own = place.path.ends_with(PLUGIN_JSON) && findings.is_empty();
                let values = of_root.values(folder).filter(|_| own);
                let facts = values.map_or(Facts::Nothing, |(name, version)| Facts::Plugin {
                    name: name.clone(),
                    version: version.clone(),
                });
                self.rows.push(FileRow {
                    root: place.root,
                    path: place.path.clone(),
                    stamp: stamp(read),
                    facts,
                });
                findings
            }
            Err(error) => {
                // Too large it stays until it changes; without a row every refresh would look at everything.
                let known = matches!(error, HostError::TooLarge { .. });
                let found = file_stamp(&place.real).ok().filter(|_| known);
                self.rows.extend(found.map(|found| FileRow {
                    root: place.root,
                    path: place.path.clone(),
                    stamp: stamp(found),
                    facts: Facts::Nothing,
                }));
                let message = format!("file cannot be read: {}", error.reason());
                vec![Finding::whole(Code::PluginManifest, message)]
            }
        };
        let fault = |finding| Fault {
            root: place.root,
            path: place.path.clone(),
            finding,
        };
        self.findings.extend(findings.into_iter().map(fault));
    }
}

/// The folder that `.claude-plugin` lies in, relative to the root.
fn plugin_folder(place: &Place) -> &str {
    let folder = place.folder();
    folder.rsplit_once('/').map_or("", |(above, _)| above)
}
