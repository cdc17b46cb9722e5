//! From what discovery found to a corpus: every skill read, parsed and accounted for.

use crate::corpus::discover::{Discovery, Fault, Place, Root, SKILL_FILE};
use crate::corpus::frontmatter::{self, Frontmatter};
use crate::corpus::plugins::{MANIFEST_MAX_BYTES, Plugin, Plugins};
use crate::corpus::sections::{self, Section};
use crate::corpus::source::{self, SKILL_MAX_BYTES};
use crate::text::tokens;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use std::collections::{BTreeMap, BTreeSet};
use vibey_context_contracts::canonical;
use vibey_context_contracts::diagnostic::{Code, Diagnostic, Finding, Severity};
use vibey_context_contracts::digest::{FieldDigest, sha256_hex};
use vibey_context_contracts::index::SkillSummary;
use vibey_context_contracts::packet::Part;
use vibey_context_host::error::HostError;
use vibey_context_host::read::read_regular_nofollow;
use vibey_context_index::record::{Copy, IndexedSkill, SectionRecord, SkillRecord};
use vibey_context_index::sources::Rejected;

/// Length of a section's id in hexadecimal characters: 96 bits, so that among ten million sections a collision is
/// less likely than one in 10^15 (birthday bound).
const ID_HEX_LEN: usize = 24;

/// Name of a skill that lies directly in its root and does not name itself: the root's own name is not ours to use,
/// since it differs between checkouts.
const ROOT_SKILL: &str = "root";

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
                Err(error) => vec![Finding::whole(
                    Code::PluginManifest,
                    unreadable(&error).message,
                )],
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

struct ParsedSkill {
    skill: IndexedSkill,
    findings: Vec<Finding>,
}

/// Parses one skill: the only way from text to a record, for `check`, `index` and the embedded corpus alike.
fn parse(root: u32, source_path: String, text: &str, plugin: &Plugin) -> ParsedSkill {
    let folder = source_path
        .rsplit('/')
        .nth(1)
        .map_or_else(|| ROOT_SKILL.to_owned(), str::to_owned);
    let parsed = frontmatter::parse(text, &folder);
    let front = parsed.frontmatter;
    let skill = front.name.clone().unwrap_or_else(|| folder.clone());
    let sectioned = sections::sections(
        text,
        parsed.body_start,
        parsed.body_line,
        &skill,
        &front.mandatory_sections,
        &front.mandatory_lines,
    );
    let mut findings = parsed.findings;
    if root_named(&source_path) {
        // The root's name is not part of a skill's identity, so there is nothing to differ from.
        findings.retain(|finding| finding.code != Code::NameDiffers);
    }
    findings.extend(sectioned.findings);
    findings.sort();
    let source_sha256 = sha256_hex(text.as_bytes());
    let body = text.get(parsed.body_start..).unwrap_or_default();
    let sections = sectioned
        .sections
        .into_iter()
        .map(|section| {
            record(
                root,
                &source_path,
                &source_sha256,
                text,
                parsed.body_start,
                section,
            )
        })
        .collect();
    let record = SkillRecord {
        root,
        source_sha256,
        plugin: plugin.name.clone(),
        skill,
        folder,
        version: front
            .version
            .clone()
            .unwrap_or_else(|| plugin.version.clone()),
        description: front.description.clone().unwrap_or_default(),
        tags: tags(&front, plugin),
        copies: Vec::new(),
        token_estimate: tokens::estimate(body),
        sections,
        source_path,
    };
    ParsedSkill {
        skill: IndexedSkill {
            record,
            text: body.to_owned(),
        },
        findings,
    }
}

/// Whether the skill lies directly in its root.
fn root_named(source_path: &str) -> bool {
    !source_path.contains('/')
}

fn tags(front: &Frontmatter, plugin: &Plugin) -> BTreeMap<String, Vec<String>> {
    let category: Vec<String> = std::iter::once(&plugin.category)
        .filter(|text| !text.is_empty())
        .cloned()
        .collect();
    [
        ("category", &category),
        ("domains", &front.domains),
        ("languages", &front.languages),
        ("phases", &front.phases),
        ("technologies", &front.technologies),
    ]
    .into_iter()
    .filter(|(_, values)| !values.is_empty())
    .map(|(key, values)| (key.to_owned(), values.clone()))
    .collect()
}

fn record(
    root: u32,
    path: &str,
    source: &str,
    text: &str,
    body_start: usize,
    section: Section,
) -> SectionRecord {
    let content = text.get(section.range.clone()).unwrap_or_default();
    let headings = section
        .heading_path
        .iter()
        .fold(FieldDigest::default(), |digest, text| {
            digest.field(text.as_bytes())
        });
    let mut id = FieldDigest::default()
        .field(&root.to_le_bytes())
        .field(path.as_bytes())
        .field(source.as_bytes())
        .field(headings.finish().as_bytes())
        .field(&section.line_start.to_le_bytes())
        .field(&section.part.to_le_bytes())
        .finish();
    id.truncate(ID_HEX_LEN);
    SectionRecord {
        id,
        line_start: section.line_start,
        line_end: section.line_end,
        start: (section.range.start - body_start) as u32,
        end: (section.range.end - body_start) as u32,
        content_sha256: sha256_hex(content.as_bytes()),
        class: section.class,
        part: (section.parts > 1).then_some(Part {
            number: section.part,
            of: section.parts,
        }),
        bare: section.bare,
        token_estimate: section.token_estimate,
        heading_path: section.heading_path,
    }
}
