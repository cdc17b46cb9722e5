//! Where skills lie: every `SKILL.md` under the roots, in byte order of its path, and what stands in the way.
//!
//! Folders whose times have not changed since the last build are not listed again; everything else is looked at.
//! Real folders come first and links after them, so that a file reached both ways is known by its real path.

use crate::corpus::exclude::Exclude;
use crate::corpus::plugins::{MARKETPLACE_JSON, PLUGIN_JSON};
use crate::policy::{MARKER_FILE, is_marked};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use vibey_context_contracts::diagnostic::{Code, Finding};
use vibey_context_host::error::HostError;
use vibey_context_host::path::confine;
use vibey_context_host::read::{DirStamp, EntryKind, dir_stamp, list_dir};
use vibey_context_index::sources::{FolderRow, Sources, Stamp};

/// The file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// Folders that hold other people's code or build output; never entered.
const SKIPPED: &[&str] = &[
    ".git",
    ".venv",
    "__pycache__",
    "dist",
    "node_modules",
    "target",
    "venv",
];
/// Folders inside a skill whose `SKILL.md` files are resources of that skill, not skills.
const RESOURCE_FOLDERS: &[&str] = &[
    "assets",
    "examples",
    "fixtures",
    "references",
    "scripts",
    "template",
    "templates",
    "tests",
];
/// Deeper folders are not entered. Real collections end at nine levels; links are followed, but never twice, so this
/// bounds only what somebody builds on purpose.
const DEPTH_MAX: usize = 32;

/// A skill root, resolved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Root {
    /// Canonical path of the folder.
    pub path: PathBuf,
    /// What is left out below it.
    pub exclude: Exclude,
}

/// A file that discovery found, not yet opened.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Ordinal of the root.
    pub root: u32,
    /// Path relative to the root, with `/` between components.
    pub path: String,
    /// Canonical path to open.
    pub real: PathBuf,
}

impl Place {
    /// The folder that holds the file, relative to the root; empty for the root itself.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// A candidate that is no skill, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Ordinal of the root.
    pub root: u32,
    /// Path relative to the root.
    pub path: String,
    /// What is wrong.
    pub finding: Finding,
}

/// What lies under the roots.
#[derive(Debug, Default)]
pub struct Discovery {
    /// `SKILL.md` files, by root and path.
    pub skills: Vec<Place>,
    /// `plugin.json` files of `.claude-plugin` folders.
    pub plugins: Vec<Place>,
    /// `marketplace.json` files of `.claude-plugin` folders.
    pub marketplaces: Vec<Place>,
    /// Candidates that are no skills: each counts as found and rejected.
    pub rejected: Vec<Fault>,
    /// Findings about skills that are fine otherwise, or about no skill at all.
    pub noted: Vec<Fault>,
    /// Number of `SKILL.md` files that are a resource of another skill.
    pub nested: u64,
    /// Every folder that was looked at, for the next refresh.
    pub folders: Vec<FolderRow>,
    /// Pattern to how many folders were not entered, or skill files not read, because of it.
    pub left_out: BTreeMap<String, u64>,
}

/// Walks the roots. `previous` is the table of the last build, which spares listing folders that have not changed.
#[must_use]
pub fn discover(roots: &[Root], previous: Option<&Sources>) -> Discovery {
    let mut walk = Walk {
        roots,
        previous,
        found: Discovery::default(),
        entered: Default::default(),
        links: Vec::new(),
        near: 0,
    };
    for (ordinal, root) in roots.iter().enumerate() {
        let at = At {
            root: ordinal as u32,
            path: String::new(),
            real: root.path.clone(),
            depth: 0,
            inside: Inside::default(),
        };
        walk.folder(at);
    }
    // Links found behind links are appended while this runs; each folder is entered once, so it ends.
    let mut next = 0;
    while let Some(link) = walk.links.get(next).cloned() {
        walk.link(link);
        next += 1;
    }
    let mut found = walk.found;
    found.skills.sort();
    found.plugins.sort();
    found.marketplaces.sort();
    found.rejected.sort();
    found.noted.sort();
    found
        .folders
        .sort_by(|a, b| (a.root, &a.path).cmp(&(b.root, &b.path)));
    found
}

/// What the folders above say of a folder.
#[derive(Debug, Clone, Copy, Default)]
struct Inside {
    /// A folder above, or this one, is a skill.
    skill: bool,
    /// A resource folder lies between that skill and here.
    resource: bool,
    /// A marker keeps agents out.
    marked: bool,
}

#[derive(Debug, Clone)]
struct At {
    root: u32,
    path: String,
    real: PathBuf,
    depth: usize,
    inside: Inside,
}

impl At {
    fn child(&self, name: &str) -> Self {
        let path = if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}/{name}", self.path)
        };
        Self {
            path,
            real: self.real.join(name),
            depth: self.depth + 1,
            ..self.clone()
        }
    }
}

struct Walk<'a> {
    roots: &'a [Root],
    previous: Option<&'a Sources>,
    found: Discovery,
    /// Canonical paths of folders and of linked files: nothing counts twice. As `OsString`, since two `PathBuf` are
    /// compared component by component, which was a third of a refresh. Never iterated, so its order does not matter; a tree
    /// spent a tenth of a refresh on comparing paths.
    #[expect(clippy::disallowed_types, reason = "looked up only")]
    entered: std::collections::HashSet<OsString, foldhash::fast::RandomState>,
    /// Links that wait until all real folders are known.
    links: Vec<At>,
    /// Where the next folder probably stands in the table of the last build.
    near: usize,
}

impl Walk<'_> {
    fn reject(&mut self, at: &At, finding: Finding) {
        self.found.rejected.push(Fault {
            root: at.root,
            path: at.path.clone(),
            finding,
        });
    }

    fn note(&mut self, at: &At, finding: Finding) {
        self.found.noted.push(Fault {
            root: at.root,
            path: at.path.clone(),
            finding,
        });
    }

    /// Whether a pattern of the person leaves out what lies at a path. It is counted.
    fn is_left_out(&mut self, at: &At) -> bool {
        let root = self.roots.get(at.root as usize);
        let Some(pattern) = root.and_then(|root| root.exclude.pattern_of(&at.path)) else {
            return false;
        };
        let count = self.found.left_out.entry(pattern.to_owned()).or_default();
        *count += 1;
        true
    }

    fn folder(&mut self, at: At) {
        // The root itself was named.
        if !at.path.is_empty() && self.is_left_out(&at) {
            return;
        }
        if !self.entered.insert(at.real.clone().into_os_string()) {
            return;
        }
        if at.depth > DEPTH_MAX {
            return self.note(
                &at,
                Finding::whole(
                    Code::WalkTruncated,
                    format!("folder is deeper than {DEPTH_MAX} levels"),
                ),
            );
        }
        let row = match self.listing(&at) {
            Ok(row) => row,
            Err(error) => {
                return self.reject(&at, Finding::whole(Code::FolderUnreadable, error.reason()));
            }
        };
        let mut inside = at.inside;
        // A marker that is itself a link or a folder keeps agents out too.
        inside.marked |= row
            .files
            .iter()
            .chain(&row.links)
            .any(|name| name == MARKER_FILE);
        let here = At { inside, ..at };
        let names: BTreeMap<&str, EntryKind> = row
            .files
            .iter()
            .map(|name| (name.as_str(), EntryKind::File))
            .chain(
                row.links
                    .iter()
                    .map(|name| (name.as_str(), EntryKind::Symlink)),
            )
            .collect();
        let is_skill = self.skill_file(&here, &names);
        if here.path.rsplit('/').next() == Some(".claude-plugin") {
            self.manifests(&here, &row);
        }
        for name in &row.links {
            if !is_skill_name(name) && name != MARKER_FILE {
                let mut link = here.child(name);
                link.inside.skill |= is_skill;
                self.links.push(link);
            }
        }
        for name in &row.folders {
            let mut child = here.child(name);
            child.inside.skill |= is_skill;
            child.inside.resource |=
                child.inside.skill && RESOURCE_FOLDERS.contains(&name.as_str());
            self.folder(child);
        }
        self.found.folders.push(row);
    }

    /// What discovery cares for in a folder: from the last build where its times prove that nothing changed.
    fn listing(&mut self, at: &At) -> Result<FolderRow, HostError> {
        let DirStamp { mtime_ns, ctime_ns } = dir_stamp(&at.real)?;
        let stamp = Stamp {
            size: 0,
            mtime_ns,
            ctime_ns,
        };
        if let Some(row) = self
            .previous
            .and_then(|table| table.unchanged_folder(&mut self.near, at.root, &at.path, stamp))
        {
            return Ok(row.clone());
        }
        let mut row = FolderRow {
            root: at.root,
            path: at.path.clone(),
            stamp,
            folders: vec![],
            files: vec![],
            links: vec![],
        };
        for entry in list_dir(&at.real)? {
            let Some(name) = entry
                .name
                .to_str()
                .filter(|name| !name.chars().any(char::is_control))
            else {
                if matches!(entry.kind, EntryKind::Dir | EntryKind::Symlink) {
                    let shown: String = entry.name.to_string_lossy().escape_debug().collect();
                    let finding = Finding::whole(
                        Code::PathNotText,
                        "name is not UTF-8 or holds control characters",
                    );
                    self.reject(&at.child(&shown), finding);
                    // Not kept in the row: the folder must be listed again next time to be reported again.
                    row.stamp = Stamp {
                        mtime_ns: i128::MAX,
                        ..stamp
                    };
                }
                continue;
            };
            match entry.kind {
                EntryKind::Dir if is_skill_name(name) || name == MARKER_FILE => {
                    row.files.push(name.to_owned());
                }
                EntryKind::Dir if !SKIPPED.contains(&name) => row.folders.push(name.to_owned()),
                EntryKind::Dir => {}
                EntryKind::Symlink if !SKIPPED.contains(&name) => row.links.push(name.to_owned()),
                EntryKind::Symlink => {}
                EntryKind::File | EntryKind::Other if matters(&at.path, name) => {
                    row.files.push(name.to_owned())
                }
                EntryKind::File | EntryKind::Other => {}
            }
        }
        Ok(row)
    }

    /// Notes the folder's skill file; says whether the folder is a skill.
    fn skill_file(&mut self, here: &At, names: &BTreeMap<&str, EntryKind>) -> bool {
        let exact = names.get_key_value(SKILL_FILE);
        let Some((name, kind)) =
            exact.or_else(|| names.iter().find(|(name, _)| is_skill_name(name)))
        else {
            return false;
        };
        let at = here.child(name);
        if here.inside.skill && here.inside.resource {
            self.found.nested += 1;
        } else if self.is_left_out(&at) {
            // Still a skill: what lies below it are its resources.
        } else if here.inside.marked {
            self.reject(&at, marked());
        } else if *kind == EntryKind::Symlink {
            // Waits until all real files are known, so that one reached both ways has its real path.
            self.links.push(at);
        } else {
            let real = at.real.clone();
            self.skill(at, real);
        }
        true
    }

    /// Notes a skill, once for each file.
    fn skill(&mut self, at: At, real: PathBuf) {
        if !self.entered.insert(real.clone().into_os_string()) {
            return;
        }
        let name = at.path.rsplit('/').next().unwrap_or_default().to_owned();
        if name != SKILL_FILE {
            let message = format!("file is named `{name}`, not `{SKILL_FILE}`");
            self.note(&at, Finding::whole(Code::FileNameCase, message));
        }
        self.found.skills.push(Place {
            root: at.root,
            path: at.path,
            real,
        });
    }

    fn manifests(&mut self, here: &At, row: &FolderRow) {
        for name in row.files.iter().chain(&row.links) {
            let mut at = here.child(name);
            if !matters(&here.path, name) || is_skill_name(name) || name == MARKER_FILE {
                continue;
            }
            if row.links.contains(name) {
                match self.target(&at) {
                    Ok(real) => at.real = real,
                    Err(finding) => {
                        let finding = Finding::whole(Code::PluginManifest, finding.message);
                        self.note(&at, finding);
                        continue;
                    }
                }
            }
            let place = Place {
                root: at.root,
                path: at.path,
                real: at.real,
            };
            if PLUGIN_JSON.ends_with(name.as_str()) {
                self.found.plugins.push(place);
            } else if MARKETPLACE_JSON.ends_with(name.as_str()) {
                self.found.marketplaces.push(place);
            }
        }
    }

    /// Follows a link to a skill file or to a folder; a link to another file is nobody's business.
    fn link(&mut self, mut at: At) {
        let is_skill = at.path.rsplit('/').next().is_some_and(is_skill_name);
        match self.target(&at) {
            Ok(real) if is_skill && self.marked_above(&real) => self.reject(&at, marked()),
            Ok(real) if is_skill => self.skill(at, real),
            Ok(real) if real.is_dir() => {
                at.inside.marked |= self.marked_above(&real);
                self.folder(At { real, ..at });
            }
            Ok(_) => {}
            // Inside a skill it is a resource; with a file's extension it is no skill folder.
            Err(_) if !is_skill && (at.inside.skill || has_extension(&at.path)) => {}
            Err(finding) => self.reject(&at, finding),
        }
    }

    /// Whether a marker stands in a folder between `real`, the target of a link, and its root: a link does not lead
    /// around a marker.
    fn marked_above(&self, real: &Path) -> bool {
        let in_a_root =
            |folder: &&Path| self.roots.iter().any(|root| folder.starts_with(&root.path));
        let mut above = real.ancestors().skip(1).take_while(in_a_root);
        above.any(|folder| is_marked(folder).unwrap_or(true))
    }

    /// The canonical target of a link, which must lie inside one of the roots.
    fn target(&self, at: &At) -> Result<PathBuf, Finding> {
        let mut outside = None;
        for root in self.roots {
            match confine(&root.path, &at.real) {
                Ok(real) => return Ok(real),
                Err(HostError::Outside { .. }) => outside = Some(()),
                Err(error) => {
                    return Err(Finding::whole(
                        Code::DanglingLink,
                        format!("link leads nowhere: {}", error.reason()),
                    ));
                }
            }
        }
        debug_assert!(outside.is_some(), "there is at least one root");
        Err(Finding::whole(
            Code::LinkOutsideRoot,
            "link leads outside the root",
        ))
    }
}

fn marked() -> Finding {
    let message = format!("a `{MARKER_FILE}` in this folder or above keeps agents out");
    Finding::whole(Code::ExcludedByMarker, message)
}

fn is_skill_name(name: &str) -> bool {
    name.eq_ignore_ascii_case(SKILL_FILE)
}

fn matters(folder: &str, name: &str) -> bool {
    let in_plugin = || {
        Path::new(folder)
            .file_name()
            .is_some_and(|last| last == ".claude-plugin")
    };
    is_skill_name(name)
        || name == MARKER_FILE
        || (matches!(name, "plugin.json" | "marketplace.json") && in_plugin())
}

fn has_extension(path: &str) -> bool {
    let extension = Path::new(path)
        .extension()
        .and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        extension.len() <= 5 && extension.bytes().all(|byte| byte.is_ascii_alphabetic())
    })
}
