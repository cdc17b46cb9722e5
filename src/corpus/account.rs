//! What becomes of every skill that was found? It is in the index, or a copy of one that is, or rejected; and what the
//! whole corpus comes down to.
//!
//! `check` and `index` both ask here, with what one reader and parser has said of each file; a build from nothing and a
//! refresh do too, so none of them judges a skill differently.

use crate::corpus::discover::{Fault, SKILL_FILE};
use crate::corpus::plugins::Plugin;
use crate::corpus::skill;
use vibey_context_contracts::canonical;
use vibey_context_contracts::diagnostic::{Code, Diagnostic, Finding};
use vibey_context_contracts::digest::StreamDigest;
use vibey_context_contracts::index::SkillSummary;
use vibey_context_index::record::Copy;
use vibey_context_index::sources::{Rejected, SkillFacts};

/// A skill file, as far as its fate depends on it.
#[derive(Debug, Clone)]
pub(super) struct Row<'a> {
    pub(super) root: u32,
    pub(super) path: &'a str,
    pub(super) plugin: &'a Plugin,
    pub(super) facts: &'a SkillFacts,
    /// Discovery has found something about it.
    pub(super) noted: bool,
}

/// What becomes of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is in the index.
    Kept,
    /// A skill before it has the same text.
    Copy,
    /// Something is wrong with it.
    Rejected,
}

/// A skill of the index.
struct Kept {
    root: u32,
    path: String,
    text_sha256: String,
    plugin: Plugin,
    /// How it is addressed itself.
    own: Copy,
    copies: Vec<Copy>,
}

/// Never iterated, so its order does not matter: trees of digests and names were a tenth of a refresh of 80,000 skills.
#[expect(clippy::disallowed_types, reason = "looked up only")]
type Table<Key, Value> = std::collections::HashMap<Key, Value, foldhash::fast::RandomState>;

/// What was said of the skills so far, in the order of root and path.
#[derive(Default)]
pub(super) struct Account {
    /// Digest of a text to the first skill that has it.
    first: Table<String, usize>,
    /// `plugin/skill` to the path of the first skill of that name.
    names: Table<String, String>,
    kept: Vec<Kept>,
    summary: SkillSummary,
    sections: u64,
    rejected: Vec<Rejected>,
}

/// What a corpus comes down to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) skills: u64,
    pub(super) sections: u64,
    pub(super) summary: SkillSummary,
    pub(super) rejected: Vec<Rejected>,
    /// Number of each skill that stands for copies, with the copies.
    pub(super) copies: Vec<(usize, Vec<Copy>)>,
    pub(super) sha256: String,
}

/// A path as diagnostics name it.
pub(super) fn shown(root: u32, path: &str) -> String {
    if root > 0 {
        format!("{root}:{path}")
    } else {
        path.to_owned()
    }
}

impl Account {
    /// A candidate that discovery has refused.
    pub(super) fn refuse(&mut self, fault: &Fault, plugin: Option<&Plugin>) {
        let path = shown(fault.root, &fault.path);
        let (code, message) = (fault.finding.code.as_str(), &fault.finding.message);
        self.reject(path, &fault.path, None, plugin, (code, message));
    }

    /// What would become of skills that come next, in order, if nothing else came before them.
    pub(super) fn fates(&self, rows: &[Row<'_>]) -> Vec<Fate> {
        let mut new: Table<&str, ()> = Table::default();
        let mut fates = Vec::with_capacity(rows.len());
        for row in rows {
            let digest = row.facts.text_sha256.as_str();
            fates.push(if row.facts.fault.is_some() {
                Fate::Rejected
            } else if self.first.contains_key(digest) || new.insert(digest, ()).is_some() {
                Fate::Copy
            } else {
                Fate::Kept
            });
        }
        fates
    }

    /// Takes in the next skill; what is to be said of it as one among others goes to `found`.
    pub(super) fn add(&mut self, row: &Row<'_>, found: &mut Vec<Diagnostic>) {
        let path = shown(row.root, row.path);
        let facts = row.facts;
        let name = facts.name.as_deref();
        if let Some((code, message)) = &facts.fault {
            let fault = (code.as_str(), message);
            return self.reject(path, row.path, name, Some(row.plugin), fault);
        }
        let own = Copy {
            plugin: row.plugin.name.clone(),
            skill: name.unwrap_or_default().to_owned(),
            folder: skill::folder(row.path).to_owned(),
        };
        if let Some(&at) = self.first.get(&facts.text_sha256) {
            let original = &mut self.kept[at];
            let other = shown(original.root, &original.path);
            let message = format!("text is the same as that of `{other}`");
            found.push(Finding::whole(Code::DuplicateContent, message).in_file(&path));
            self.summary.degraded += 1;
            if own != original.own && !original.copies.contains(&own) {
                original.copies.push(own);
                original.copies.sort();
            }
            return;
        }
        let mut diagnosed = row.noted || facts.diagnosed;
        let qualified = format!("{}/{}", own.plugin, own.skill);
        if let Some(other) = self.names.get(&qualified) {
            // All stay; each after the first is told which one it collides with.
            let message = format!("`{qualified}` is also the name of `{other}`");
            found.push(Finding::whole(Code::DuplicateName, message).in_file(&path));
            diagnosed = true;
        } else {
            self.names.insert(qualified, path);
        }
        if diagnosed {
            self.summary.degraded += 1;
        } else {
            self.summary.ok += 1;
        }
        self.sections += u64::from(facts.sections);
        let number = self.kept.len();
        self.first.insert(facts.text_sha256.clone(), number);
        self.kept.push(Kept {
            root: row.root,
            path: row.path.to_owned(),
            text_sha256: facts.text_sha256.clone(),
            plugin: row.plugin.clone(),
            own,
            copies: Vec::new(),
        });
    }

    /// The row of a rejected skill: the forms in which somebody may ask for it, and what is wrong with it.
    fn reject(
        &mut self,
        shown: String,
        path: &str,
        skill: Option<&str>,
        plugin: Option<&Plugin>,
        (code, message): (&str, &String),
    ) {
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
        self.rejected.push(Rejected {
            names,
            path: shown,
            code: code.to_owned(),
            message: message.clone(),
        });
    }

    /// What it comes down to. `nested` is the number of `SKILL.md` files that are a resource of another skill.
    pub(super) fn finish(mut self, nested: u64, release: &str) -> Totals {
        self.rejected.sort_by(|a, b| a.path.cmp(&b.path));
        let summary = &mut self.summary;
        summary.nested = nested;
        summary.rejected = self.rejected.len() as u64;
        summary.found = summary.ok + summary.degraded + summary.rejected;
        let sha256 = corpus_digest(&self.kept, release);
        let with_copies = |(at, kept): (usize, &mut Kept)| {
            let copies = std::mem::take(&mut kept.copies);
            (!copies.is_empty()).then_some((at, copies))
        };
        Totals {
            skills: self.kept.len() as u64,
            sections: self.sections,
            summary: self.summary,
            rejected: self.rejected,
            copies: self
                .kept
                .iter_mut()
                .enumerate()
                .filter_map(with_copies)
                .collect(),
            sha256,
        }
    }
}

/// Digest over (root, path, text digest) and the plugin and marketplace values of every skill, and the release: of the
/// canonical JSON `{"release": …, "skills": […]}`, of which only a row at a time is in memory.
fn corpus_digest(kept: &[Kept], release: &str) -> String {
    let mut digest = StreamDigest::default();
    digest.update(b"{\"release\":");
    digest.update(canonical(&release).as_bytes());
    digest.update(b",\"skills\":[");
    for (at, row) in kept.iter().enumerate() {
        if at > 0 {
            digest.update(b",");
        }
        let copies: Vec<_> = row
            .copies
            .iter()
            .map(|copy| [&copy.plugin, &copy.skill, &copy.folder])
            .collect();
        let row = (
            row.root,
            &row.path,
            &row.text_sha256,
            &row.plugin.name,
            &row.plugin.version,
            &row.plugin.category,
            copies,
        );
        digest.update(canonical(&row).as_bytes());
    }
    digest.update(b"]}");
    digest.finish()
}

/// A part of that document. No float is in it, so the canonical form exists.
fn canonical(value: &impl serde::Serialize) -> String {
    canonical::compact(value).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;
    use vibey_context_contracts::digest::sha256_hex;

    fn account(rows: &[(&str, &str, &str)]) -> Totals {
        let mut account = Account::default();
        for (path, plugin, text) in rows {
            let plugin = Plugin {
                name: (*plugin).to_owned(),
                version: "1".into(),
                category: String::new(),
            };
            let facts = SkillFacts {
                text_sha256: sha256_hex(text.as_bytes()),
                name: Some("n\"é".into()),
                sections: 2,
                ..SkillFacts::default()
            };
            let row = Row {
                root: 1,
                path,
                plugin: &plugin,
                facts: &facts,
                noted: false,
            };
            assert_eq!(account.fates(&[row.clone(), row.clone()])[1], Fate::Copy);
            account.add(&row, &mut Vec::new());
        }
        account.finish(0, "2.0")
    }

    #[test]
    fn the_digest_is_that_of_one_canonical_document() {
        let totals = account(&[
            ("a/SKILL.md", "p", "x"),
            ("b/SKILL.md", "q", "y"),
            ("c/SKILL.md", "r", "x"),
        ]);
        assert_eq!((totals.skills, totals.sections), (2, 4));
        let row = |path: &str, text: &[u8], plugin: &str, copies: serde_json::Value| {
            json!([1, path, sha256_hex(text), plugin, "1", "", copies])
        };
        let rows = [
            row("a/SKILL.md", b"x", "p", json!([["r", "n\"é", "c"]])),
            row("b/SKILL.md", b"y", "q", json!([])),
        ];
        let whole = json!({"release": "2.0", "skills": rows});
        let whole = canonical::compact(&whole).unwrap();
        assert_eq!(totals.sha256, sha256_hex(whole.as_bytes()));
    }
}
