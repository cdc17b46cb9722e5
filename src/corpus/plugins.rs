//! Which plugin a skill belongs to, in which version and category: `plugin.json` and `marketplace.json`.

use serde_json::Value;
use std::collections::BTreeMap;
use vibey_context_contracts::diagnostic::{Code, Finding};

/// Path of a plugin's own description below the plugin's folder.
pub const PLUGIN_JSON: &str = ".claude-plugin/plugin.json";
/// Path of a marketplace below its folder.
pub const MARKETPLACE_JSON: &str = ".claude-plugin/marketplace.json";
/// The largest manifest that is read, in bytes.
pub const MANIFEST_MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The plugin of a skill that belongs to none.
const NO_PLUGIN: &str = "local";

/// What a skill takes from its plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugin {
    /// Name of the plugin.
    pub name: String,
    /// Version of the plugin; else empty.
    pub version: String,
    /// Category in the marketplace; else empty.
    pub category: String,
}

/// The plugin manifests of one root.
#[derive(Debug, Default)]
pub struct Plugins {
    /// Folder (empty for the root) to what its `plugin.json` says.
    own: BTreeMap<String, (String, String)>,
    /// Entries of all marketplaces, in order of folder and entry.
    entries: Vec<Entry>,
    /// Folder to the entries that hold it and what is below, by their places: a marketplace may have thousands.
    holders: BTreeMap<String, Vec<usize>>,
    /// `metadata.version` of the first marketplace that has one.
    release: String,
}

#[derive(Debug)]
struct Entry {
    name: String,
    version: String,
    category: String,
    /// Length of the plugin's folder, relative to the root.
    depth: usize,
    /// Whether it lists its skills; else all below its folder are.
    listed: bool,
}

impl Plugins {
    /// Takes in the `plugin.json` of `folder`, relative to the root.
    pub fn add_plugin(&mut self, folder: &str, bytes: &[u8]) -> Vec<Finding> {
        let value = match object(bytes) {
            Ok(value) => value,
            Err(finding) => return vec![finding],
        };
        let Some(name) = text(&value, "name") else {
            return vec![Finding::whole(
                Code::PluginManifest,
                "`name` is missing, or no text of one line",
            )];
        };
        let version = text(&value, "version").unwrap_or_default();
        self.add_values(folder, name, version);
        Vec::new()
    }

    /// Takes in what the `plugin.json` of `folder` says.
    pub fn add_values(&mut self, folder: &str, name: String, version: String) {
        self.own.insert(folder.to_owned(), (name, version));
    }

    /// Name and version as the `plugin.json` of `folder` gives them.
    #[must_use]
    pub fn values(&self, folder: &str) -> Option<&(String, String)> {
        self.own.get(folder)
    }

    /// Takes in the `marketplace.json` of `folder`, relative to the root.
    pub fn add_marketplace(&mut self, folder: &str, bytes: &[u8]) -> Vec<Finding> {
        let value = match object(bytes) {
            Ok(value) => value,
            Err(finding) => return vec![finding],
        };
        let metadata = value.get("metadata").cloned().unwrap_or_default();
        if self.release.is_empty() {
            self.release = text(&metadata, "version").unwrap_or_default();
        }
        let base = join(folder, &text(&metadata, "pluginRoot").unwrap_or_default());
        let Some(plugins) = value.get("plugins").and_then(Value::as_array) else {
            return vec![Finding::whole(
                Code::PluginManifest,
                "`plugins` is missing or no list",
            )];
        };
        let mut findings = Vec::new();
        for (at, plugin) in plugins.iter().enumerate() {
            let Some(name) = text(plugin, "name") else {
                let message = format!("`plugins[{at}]` has no `name` of one line");
                findings.push(Finding::whole(Code::PluginManifest, message));
                continue;
            };
            // A source that is an object names another repository: nothing of it lies here.
            let Some(source) = text(plugin, "source").and_then(|source| local(&base, &source))
            else {
                continue;
            };
            let skills = plugin
                .get("skills")
                .and_then(Value::as_array)
                .map(|skills| {
                    skills
                        .iter()
                        .filter_map(Value::as_str)
                        .filter_map(|skill| local(&source, skill))
                        .collect::<Vec<String>>()
                });
            let place = self.entries.len();
            let mut hold = |folder: &String| {
                let holders = self.holders.entry(folder.clone()).or_default();
                holders.push(place);
            };
            match &skills {
                Some(skills) => skills.iter().for_each(&mut hold),
                None => hold(&source),
            }
            self.entries.push(Entry {
                name,
                version: text(plugin, "version").unwrap_or_default(),
                category: text(plugin, "category").unwrap_or_default(),
                depth: source.len(),
                listed: skills.is_some(),
            });
        }
        findings
    }

    /// Release of the collection: `metadata.version` of its marketplace, else empty.
    #[must_use]
    pub fn release(&self) -> &str {
        &self.release
    }

    /// The plugin of the skill whose folder is `folder`, relative to the root.
    #[must_use]
    pub fn of(&self, folder: &str) -> Plugin {
        let own = ancestors(folder).find_map(|above| self.own.get(above));
        let entry = self.entry(folder);
        let (version, category) = entry
            .map(|entry| (entry.version.clone(), entry.category.clone()))
            .unwrap_or_default();
        if let Some((name, own_version)) = own {
            let version = if own_version.is_empty() {
                version
            } else {
                own_version.clone()
            };
            return Plugin {
                name: name.clone(),
                version,
                category,
            };
        }
        let name = entry
            .map(|entry| entry.name.clone())
            .or_else(|| below_plugins(folder));
        Plugin {
            name: name.unwrap_or_else(|| NO_PLUGIN.to_owned()),
            version,
            category,
        }
    }

    /// The entry that holds `folder`: one that lists it, else the one with the deepest source; the first of equals.
    fn entry(&self, folder: &str) -> Option<&Entry> {
        let holders = ancestors(folder).filter_map(|above| self.holders.get(above));
        let best = holders.flatten().max_by_key(|&&place| {
            let entry = &self.entries[place];
            (entry.listed, entry.depth, std::cmp::Reverse(place))
        });
        best.map(|&place| &self.entries[place])
    }
}

fn object(bytes: &[u8]) -> Result<Value, Finding> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match serde_json::from_slice::<Value>(bytes) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => Err(Finding::whole(
            Code::PluginManifest,
            "file is not a JSON object",
        )),
        Err(error) => {
            let (line, column) = (error.line() as u32, error.column() as u32);
            let full = error.to_string();
            let reason = full
                .rsplit_once(" at line ")
                .map_or(full.as_str(), |(reason, _)| reason);
            Err(Finding::at(
                Code::PluginManifest,
                line,
                column,
                format!("file is not JSON: {reason}"),
            ))
        }
    }
}

/// A text of one line without control characters; anything else counts as absent.
fn text(value: &Value, key: &str) -> Option<String> {
    let text = value.get(key)?.as_str()?.trim();
    let usable = !text.is_empty() && !text.chars().any(char::is_control);
    usable.then(|| text.to_owned())
}

/// `path` below `base`; `None` where it leaves the root or is absolute.
fn local(base: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

fn join(base: &str, path: &str) -> String {
    local(base, path).unwrap_or_else(|| base.to_owned())
}

/// `a/b/c`, `a/b`, `a`, and the root as an empty text.
fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |path| match path.rsplit_once('/') {
        Some((above, _)) => Some(above),
        None => (!path.is_empty()).then_some(""),
    })
}

/// The component after the last `plugins` that has one.
fn below_plugins(folder: &str) -> Option<String> {
    let parts: Vec<&str> = folder.split('/').collect();
    parts
        .windows(2)
        .rev()
        .find(|pair| pair[0] == "plugins")
        .map(|pair| pair[1].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plugins(marketplace: &str) -> Plugins {
        let mut plugins = Plugins::default();
        assert_eq!(plugins.add_marketplace("", marketplace.as_bytes()), []);
        plugins
    }

    #[test]
    fn without_manifests_the_folder_names_the_plugin() {
        let none = Plugins::default();
        assert_eq!(none.of("plugins/web/skills/forms").name, "web");
        assert_eq!(none.of("skills/forms").name, "local");
        assert_eq!(none.of("").name, "local");
    }

    #[test]
    fn the_deepest_source_wins_and_a_listed_skill_beats_it() {
        let plugins = plugins(
            r#"{"metadata": {"version": "2.0"}, "plugins": [
                {"name": "all", "source": "./", "version": "1", "category": "c"},
                {"name": "web", "source": "./plugins/web"},
                {"name": "far", "source": {"source": "github", "repo": "a/b"}},
                {"name": "docs", "source": "./", "skills": ["./skills/pdf"]}]}"#,
        );
        assert_eq!(plugins.release(), "2.0");
        assert_eq!(plugins.of("plugins/web/skills/forms").name, "web");
        assert_eq!(plugins.of("plugins/website/skills/forms").name, "all");
        assert_eq!(plugins.of("skills/pdf").name, "docs");
        assert_eq!(
            plugins.of("skills/xlsx"),
            Plugin {
                name: "all".into(),
                version: "1".into(),
                category: "c".into()
            }
        );
    }

    #[test]
    fn the_nearest_plugin_json_names_the_plugin_and_the_marketplace_fills_in() {
        let mut plugins = plugins(
            r#"{"plugins": [{"name": "m", "source": ".", "version": "1", "category": "c"}]}"#,
        );
        plugins.add_plugin("", br#"{"name": "outer"}"#);
        plugins.add_plugin("a/b", br#"{"name": "inner", "version": "3"}"#);
        assert_eq!(
            plugins.of("a/b/skills/x"),
            Plugin {
                name: "inner".into(),
                version: "3".into(),
                category: "c".into()
            }
        );
        assert_eq!(
            plugins.of("a/c"),
            Plugin {
                name: "outer".into(),
                version: "1".into(),
                category: "c".into()
            }
        );
    }

    #[test]
    fn a_source_outside_the_root_holds_nothing() {
        let plugins = plugins(
            r#"{"plugins": [{"name": "up", "source": "../x"}, {"name": "abs", "source": "/x"}]}"#,
        );
        assert_eq!(plugins.of("x").name, "local");
    }

    #[test]
    fn faults_are_findings_with_a_place() {
        let mut plugins = Plugins::default();
        assert_eq!(plugins.add_plugin("", b"{\n\"name\": }")[0].line, 2);
        assert_eq!(plugins.add_plugin("", b"[]").len(), 1);
        assert_eq!(plugins.add_plugin("", br#"{"name": 3}"#).len(), 1);
        assert_eq!(
            plugins
                .add_marketplace("", br#"{"plugins": [{}, {"name": "ok", "source": "."}]}"#)
                .len(),
            1
        );
        assert_eq!(plugins.of("x").name, "ok");
    }
}
