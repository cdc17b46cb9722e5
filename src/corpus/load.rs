//! Every skill of the roots, read and parsed, with everything that is wrong with it: what `check` looks at.

use crate::corpus::account::{Account, Fate, Row, shown};
use crate::corpus::discover::{Discovery, Place, Root};
use crate::corpus::manifests::Manifests;
use crate::corpus::plugins::{Plugin, Plugins};
use crate::corpus::read::{self, File, Raw};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use std::collections::{BTreeMap, BTreeSet};
use vibey_context_contracts::diagnostic::Diagnostic;
use vibey_context_contracts::index::SkillSummary;
use vibey_context_index::record::IndexedSkill;
use vibey_context_index::sources::Rejected;

/// Files that are read before the progress is told again.
const BATCH: usize = 256;

/// Every skill of the roots, and everything that is wrong with them.
#[derive(Debug)]
pub struct Corpus {
    /// The skills to index, by root and source path.
    pub skills: Vec<IndexedSkill>,
    /// Every diagnostic, by path, line and column.
    pub diagnostics: Vec<Diagnostic>,
    /// What became of the skills that were found.
    pub summary: SkillSummary,
    /// The skills that were found and are not in the corpus, by path.
    pub rejected: Vec<Rejected>,
    /// Release of the collection; else empty.
    pub release: String,
    /// Digest over paths, texts, plugin and marketplace values.
    pub sha256: String,
    /// Pattern to how many folders and skill files it has left out.
    pub left_out: BTreeMap<String, u64>,
}

/// Reads everything that discovery found. `progress` is called with the number of files read, and of all files.
pub fn load(
    roots: &[Root],
    discovery: Discovery,
    progress: &mut dyn FnMut(usize, usize),
) -> Corpus {
    let manifests = Manifests::read(roots.len(), &discovery, &|_| None);
    assemble(&discovery, &manifests, &read::raw, progress)
}

/// Reads, by `raw`, and parses the skills of a discovery.
pub(super) fn assemble(
    discovery: &Discovery,
    manifests: &Manifests,
    raw: &(dyn Fn(&Place) -> Raw + Sync),
    progress: &mut dyn FnMut(usize, usize),
) -> Corpus {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let faults = discovery.rejected.iter().chain(&discovery.noted);
    for fault in faults.chain(&manifests.findings) {
        let path = shown(fault.root, &fault.path);
        diagnostics.push(fault.finding.clone().in_file(&path));
    }
    let mut account = opened(discovery, &manifests.plugins);
    let noted = noted(discovery);
    let mut skills = Vec::new();
    let places = discovery.skills.as_slice();
    for (at, batch) in places.chunks(BATCH).enumerate() {
        progress(at * BATCH, places.len());
        // On all processors; results come in the order of the files.
        let files: Vec<(Plugin, File)> = batch
            .par_iter()
            .map(|place| {
                let plugin = read::plugin(&manifests.plugins, place);
                let file = File::parse(place, &plugin, raw(place));
                (plugin, file)
            })
            .collect();
        for (place, (plugin, file)) in batch.iter().zip(files) {
            diagnostics.extend(file.diagnostics(&shown(place.root, &place.path)));
            let row = Row {
                root: place.root,
                path: &place.path,
                plugin: &plugin,
                facts: &file.facts,
                noted: noted.contains(&(place.root, &place.path)),
            };
            let kept = account.fates(std::slice::from_ref(&row)) == [Fate::Kept];
            account.add(&row, &mut diagnostics);
            if let (true, Ok(parsed)) = (kept, file.parsed) {
                skills.push(parsed.skill);
            }
        }
    }
    diagnostics.sort();
    let release = manifests.release().to_owned();
    let totals = account.finish(discovery.nested, &release);
    for (at, copies) in totals.copies {
        if let Some(skill) = skills.get_mut(at) {
            skill.record.copies = copies;
        }
    }
    Corpus {
        skills,
        diagnostics,
        summary: totals.summary,
        rejected: totals.rejected,
        release,
        sha256: totals.sha256,
        left_out: discovery.left_out.clone(),
    }
}

/// An account of what discovery has refused.
pub(super) fn opened(discovery: &Discovery, plugins: &[Plugins]) -> Account {
    let mut account = Account::default();
    for fault in &discovery.rejected {
        let plugin = plugins.get(fault.root as usize);
        let plugin = plugin.map(|plugins| plugins.of(&fault.path));
        account.refuse(fault, plugin.as_ref());
    }
    account
}

/// The files that discovery has found something about.
pub(super) fn noted(discovery: &Discovery) -> BTreeSet<(u32, &String)> {
    let faults = discovery.noted.iter();
    faults.map(|fault| (fault.root, &fault.path)).collect()
}
