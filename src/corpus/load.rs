//! From what discovery found to a corpus: every skill read, parsed and accounted for.

use crate::corpus::discover::{Discovery, Fault, Place, Root, SKILL_FILE};
use crate::corpus::plugins::{MANIFEST_MAX_BYTES, Plugin, Plugins};
use crate::corpus::skill::{ParsedSkill, parse};
use crate::corpus::source::{self, SKILL_MAX_BYTES};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use std::collections::{BTreeMap, BTreeSet};
use vibey_context_contracts::canonical;
use vibey_context_contracts::diagnostic::{Code, Diagnostic, Finding, Severity};
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::index::SkillSummary;
use vibey_context_host::error::HostError;
use vibey_context_host::read::read_regular_nofollow;
use vibey_context_index::record::{Copy, IndexedSkill};
use vibey_context_index::sources::Rejected;

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
}

/// A skill file as it was read.
pub struct Raw {
    /// Ordinal of the root.
    pub root: u32,
    /// Path relative to the root.
    pub path: String,
    /// Its bytes, or why there are none.
    pub bytes: Result<Vec<u8>, Finding>,
}

/// What [`assemble`] makes a corpus from.
pub struct Parts {
    /// The skill files, by root and path.
    pub raw: Vec<Raw>,
    /// The plugin manifests of each root.
    pub plugins: Vec<Plugins>,
    /// Candidates that are no skills.
    pub rejected: Vec<Fault>,
    /// Findings about skills that are fine otherwise, or about no skill at all.
    pub noted: Vec<Fault>,
    /// Number of `SKILL.md` files that are a resource of another skill.
    pub nested: u64,
}

/// Reads everything that discovery found. `progress` is called with the number of files read, and of all files.
pub fn load(
    roots: &[Root],
    discovery: Discovery,
    progress: &mut dyn FnMut(usize, usize),
) -> Corpus {
    let mut noted = discovery.noted;
    let mut plugins: Vec<Plugins> = roots.iter().map(|_| Plugins::default()).collect();
    for (places, add) in [
        (
            &discovery.plugins,
            Plugins::add_plugin as fn(&mut Plugins, &str, &[u8]) -> Vec<Finding>,
        ),
        (&discovery.marketplaces, Plugins::add_marketplace),
    ] {
        for place in places {
            let Some(of_root) = plugins.get_mut(place.root as usize) else {
                continue;
            };
            let findings = match read_regular_nofollow(&place.real, MANIFEST_MAX_BYTES) {
                Ok(bytes) => add(of_root, plugin_folder(place), &bytes),
                Err(error) => {
                    let message = format!("file cannot be read: {}", error.reason());
                    vec![Finding::whole(Code::PluginManifest, message)]
                }
            };
            let fault = |finding| Fault {
                root: place.root,
                path: place.path.clone(),
                finding,
            };
            noted.extend(findings.into_iter().map(fault));
        }
    }
    let total = discovery.skills.len();
    let raw = discovery.skills.into_iter().enumerate().map(|(at, place)| {
        progress(at, total);
        let bytes =
            read_regular_nofollow(&place.real, SKILL_MAX_BYTES).map_err(|error| unreadable(&error));
        Raw {
            root: place.root,
            path: place.path,
            bytes,
        }
    });
    let raw = raw.collect();
    assemble(Parts {
        raw,
        plugins,
        rejected: discovery.rejected,
        noted,
        nested: discovery.nested,
    })
}

/// The folder that `.claude-plugin` lies in, relative to the root.
fn plugin_folder(place: &Place) -> &str {
    let folder = place.folder();
    folder.rsplit_once('/').map_or("", |(above, _)| above)
}

/// The finding for a file that can not be read. Its message names no absolute path, which would differ by machine.
#[must_use]
pub fn unreadable(error: &HostError) -> Finding {
    match error {
        HostError::NotRegular { kind, .. } => {
            Finding::whole(Code::NotRegular, format!("a {kind} is no skill file"))
        }
        HostError::TooLarge { limit, .. } => {
            Finding::whole(Code::TooLarge, format!("file is larger than {limit} bytes"))
        }
        HostError::Symlink { .. } => {
            Finding::whole(Code::NotRegular, "file became a link while it was read")
        }
        other => {
            let reason = other
                .kind()
                .map_or_else(|| "not accessible".to_owned(), |kind| kind.to_string());
            Finding::whole(Code::Unreadable, format!("file cannot be read: {reason}"))
        }
    }
}

/// A skill on its way into the corpus.
struct Draft {
    skill: IndexedSkill,
    plugin: Plugin,
    diagnosed: bool,
}

/// Makes a corpus of files that were read: a pure function of its input.
#[must_use]
pub fn assemble(parts: Parts) -> Corpus {
    let name = |root: u32, path: &str| {
        if root > 0 {
            format!("{root}:{path}")
        } else {
            path.to_owned()
        }
    };
    let mut summary = SkillSummary {
        nested: parts.nested,
        ..SkillSummary::default()
    };
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    let mut rejected: Vec<Rejected> = Vec::new();
    for fault in &parts.rejected {
        let diagnostic = fault
            .finding
            .clone()
            .in_file(&name(fault.root, &fault.path));
        let plugin = parts
            .plugins
            .get(fault.root as usize)
            .map(|plugins| plugins.of(&fault.path));
        rejected.push(reject(&fault.path, None, plugin.as_ref(), &diagnostic));
        diagnostics.push(diagnostic);
    }
    let mut noted: BTreeSet<(u32, &str)> = BTreeSet::new();
    for fault in &parts.noted {
        diagnostics.push(
            fault
                .finding
                .clone()
                .in_file(&name(fault.root, &fault.path)),
        );
        noted.insert((fault.root, &fault.path));
    }

    let mut drafts: Vec<Draft> = Vec::new();
    // On all processors; results come in the order of the files.
    let read: Vec<Read> = parts
        .raw
        .into_par_iter()
        .map(|raw| read(raw, &parts.plugins))
        .collect();
    for Read {
        root,
        path: source_path,
        plugin,
        parsed,
    } in read
    {
        let path = name(root, &source_path);
        let diagnosed = noted.contains(&(root, source_path.as_str()));
        let parsed = match parsed {
            Ok(parsed) => parsed,
            Err(finding) => {
                let diagnostic = finding.in_file(&path);
                rejected.push(reject(&source_path, None, Some(&plugin), &diagnostic));
                diagnostics.push(diagnostic);
                continue;
            }
        };
        let record = &parsed.skill.record;
        let found: Vec<Diagnostic> = parsed
            .findings
            .into_iter()
            .map(|finding| finding.in_file(&path))
            .collect();
        match found
            .iter()
            .find(|diagnostic| diagnostic.severity == Severity::Error)
        {
            Some(error) => rejected.push(reject(
                &record.source_path,
                Some(&record.skill),
                Some(&plugin),
                error,
            )),
            None => drafts.push(Draft {
                skill: parsed.skill,
                plugin,
                diagnosed: diagnosed || !found.is_empty(),
            }),
        }
        diagnostics.extend(found);
    }
    rejected.sort_by(|a, b| a.path.cmp(&b.path));
    summary.rejected = rejected.len() as u64;
    collapse_copies(&mut drafts, &mut summary, &mut diagnostics, &name);
    name_twice(&mut drafts, &mut diagnostics, &name);
    for draft in &drafts {
        *(if draft.diagnosed {
            &mut summary.degraded
        } else {
            &mut summary.ok
        }) += 1;
    }
    summary.found = summary.ok + summary.degraded + summary.rejected;
    diagnostics.sort();

    let release = parts
        .plugins
        .iter()
        .map(Plugins::release)
        .find(|release| !release.is_empty())
        .unwrap_or_default();
    let sha256 = corpus_digest(&drafts, release);
    let release = release.to_owned();
    let skills = drafts.into_iter().map(|draft| draft.skill).collect();
    Corpus {
        skills,
        diagnostics,
        summary,
        rejected,
        release,
        sha256,
    }
}

/// The row of a rejected skill: the forms in which somebody may ask for it, and what is wrong with it.
fn reject(
    path: &str,
    skill: Option<&str>,
    plugin: Option<&Plugin>,
    diagnostic: &Diagnostic,
) -> Rejected {
    let mut parts = path
        .rsplit('/')
        .filter(|part| !part.eq_ignore_ascii_case(SKILL_FILE));
    let mut names: Vec<String> = skill
        .into_iter()
        .chain(parts.next())
        .map(str::to_owned)
        .collect();
    if let Some(plugin) = plugin {
        names.extend(
            names
                .clone()
                .into_iter()
                .map(|name| format!("{}/{name}", plugin.name)),
        );
    }
    names.push(path.to_owned());
    names.sort_unstable();
    names.dedup();
    Rejected {
        names,
        path: diagnostic.path.clone(),
        code: diagnostic.code.as_str().to_owned(),
        message: diagnostic.message.clone(),
    }
}

/// A file that was decoded and parsed, or why not.
struct Read {
    root: u32,
    path: String,
    plugin: Plugin,
    parsed: Result<ParsedSkill, Finding>,
}

fn read(raw: Raw, plugins: &[Plugins]) -> Read {
    let folder = raw.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let plugin = match plugins.get(raw.root as usize) {
        Some(plugins) => plugins.of(folder),
        None => Plugins::default().of(folder),
    };
    let parsed = raw
        .bytes
        .and_then(source::decode)
        .map(|text| parse(raw.root, raw.path.clone(), &text, &plugin));
    Read {
        root: raw.root,
        path: raw.path,
        plugin,
        parsed,
    }
}

/// Byte-identical copies collapse onto the first path, which answers to their names too.
fn collapse_copies(
    drafts: &mut Vec<Draft>,
    summary: &mut SkillSummary,
    diagnostics: &mut Vec<Diagnostic>,
    name: &dyn Fn(u32, &str) -> String,
) {
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept: Vec<Draft> = Vec::new();
    for draft in drafts.drain(..) {
        let record = &draft.skill.record;
        let Some(&at) = first.get(&record.source_sha256) else {
            first.insert(record.source_sha256.clone(), kept.len());
            kept.push(draft);
            continue;
        };
        let original = &mut kept[at].skill.record;
        let message = format!(
            "text is the same as that of `{}`",
            name(original.root, &original.source_path)
        );
        let path = name(record.root, &record.source_path);
        diagnostics.push(Finding::whole(Code::DuplicateContent, message).in_file(&path));
        summary.degraded += 1;
        let copy = Copy {
            plugin: record.plugin.clone(),
            skill: record.skill.clone(),
            folder: record.folder.clone(),
        };
        let own = Copy {
            plugin: original.plugin.clone(),
            skill: original.skill.clone(),
            folder: original.folder.clone(),
        };
        if copy != own && !original.copies.contains(&copy) {
            original.copies.push(copy);
            original.copies.sort();
        }
    }
    *drafts = kept;
}

/// Skills of one plugin with one name all stay; each after the first is told which one it collides with.
fn name_twice(
    drafts: &mut [Draft],
    diagnostics: &mut Vec<Diagnostic>,
    name: &dyn Fn(u32, &str) -> String,
) {
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    for draft in drafts {
        let record = &draft.skill.record;
        let path = name(record.root, &record.source_path);
        if let Some(other) = first.get(&record.qualified()) {
            let message = format!("`{}` is also the name of `{other}`", record.qualified());
            diagnostics.push(Finding::whole(Code::DuplicateName, message).in_file(&path));
            draft.diagnosed = true;
        } else {
            first.insert(record.qualified(), path);
        }
    }
}

/// Digest over (root, path, text digest) and the plugin and marketplace values of every skill, and the release.
fn corpus_digest(drafts: &[Draft], release: &str) -> String {
    let rows: Vec<_> = drafts
        .iter()
        .map(
            |Draft {
                 skill: IndexedSkill { record, .. },
                 plugin,
                 ..
             }| {
                let copies: Vec<_> = record
                    .copies
                    .iter()
                    .map(|copy| [&copy.plugin, &copy.skill, &copy.folder])
                    .collect();
                serde_json::json!([
                    record.root,
                    record.source_path,
                    record.source_sha256,
                    plugin.name,
                    plugin.version,
                    plugin.category,
                    copies
                ])
            },
        )
        .collect();
    // No float is in it, so the canonical form exists.
    let list = canonical::compact(&serde_json::json!({"release": release, "skills": rows}))
        .unwrap_or_default();
    sha256_hex(list.as_bytes())
}
