//! Which project has which alias, and where are its brain and its repository?
//!
//! Two sources with one shape: `aliases` in the brain's `config.yaml`, and the registry of the user. The first one
//! wins.

use crate::text::yaml::{Mapping, Node, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the parts of a project lie. `remotes` and `default_remote` of a descriptor name servers, which nothing here
/// asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Project {
    /// The repository.
    pub(crate) root: Option<PathBuf>,
    /// The brain.
    pub(crate) brain: Option<PathBuf>,
    /// Both as they are written, which is the same on every machine.
    pub(crate) written: Vec<String>,
}

/// One letter of so many may differ between an alias and the one that is meant.
const NEAR_SHARE: usize = 3;

/// Projects by alias.
pub(crate) type Projects = BTreeMap<String, Project>;

/// All aliases that a run knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Aliases {
    /// Those of the brain's `config.yaml`.
    pub(crate) config: Projects,
    /// Those of the registry.
    pub(crate) registry: Projects,
    /// The alias by which the brain's `config.yaml` names its own project, with the brain itself.
    pub(crate) own: Option<(String, PathBuf)>,
}

impl Aliases {
    /// The alias that is most like one that is not known.
    pub(crate) fn nearest(&self, alias: &str) -> Option<&str> {
        let known = self.config.keys().chain(self.registry.keys());
        let known = known.chain(self.own.as_ref().map(|(own, _)| own));
        let near = known.filter_map(|other| {
            let distance = strsim::osa_distance(alias, other);
            (distance <= alias.len().max(other.len()) / NEAR_SHARE).then_some((distance, other))
        });
        near.min().map(|(_, alias)| alias.as_str())
    }

    /// The project of an alias.
    pub(crate) fn get(&self, alias: &str) -> Option<Project> {
        let described = self.config.get(alias).or_else(|| self.registry.get(alias));
        described.cloned().or_else(|| {
            let (_, brain) = self.own.as_ref().filter(|(own, _)| own == alias)?;
            Some(Project {
                brain: Some(brain.clone()),
                ..Project::default()
            })
        })
    }
}

/// The projects of a mapping from alias to descriptor, and a sentence for each descriptor that is none.
///
/// Relative paths start in `base`, the folder of the file of this name; `~` is `home`.
pub(crate) fn projects(
    map: &Mapping,
    file: &str,
    base: &Path,
    home: Option<&Path>,
) -> (Projects, Vec<String>) {
    let mut found = Projects::new();
    let mut warnings = Vec::new();
    for (alias, node) in map.iter() {
        match project(node, base, home) {
            Some(project) => {
                found.insert(alias.to_owned(), project);
            }
            None => {
                // The alias stays known, so that a link to it says what is wrong.
                found.insert(alias.to_owned(), Project::default());
                warnings.push(format!(
                    "alias `{alias}` in line {} of `{file}` is neither a path nor `root` and `brain`",
                    node.place.line
                ));
            }
        }
    }
    (found, warnings)
}

fn project(node: &Node, base: &Path, home: Option<&Path>) -> Option<Project> {
    match &node.value {
        Value::Text(_) => Some(Project {
            root: None,
            brain: Some(place(node.text()?, base, home)),
            written: vec![node.text()?.to_owned()],
        }),
        Value::Map(map) => {
            let root = map.text("root").map(|text| place(text, base, home));
            let base = root.as_deref().unwrap_or(base);
            let brain = map.text("brain").map(|text| place(text, base, home));
            let written = ["root", "brain"].map(|key| map.text(key).map(str::to_owned));
            (root.is_some() || brain.is_some()).then_some(Project {
                root,
                brain,
                written: written.into_iter().flatten().collect(),
            })
        }
        Value::Null | Value::List(_) => None,
    }
}

/// A path of a descriptor. Without a home `~` stays as it is, and leads nowhere.
fn place(text: &str, base: &Path, home: Option<&Path>) -> PathBuf {
    match (text.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_path_buf(),
        (Some(rest), Some(home)) if rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => base.join(text),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::string_slice)]
mod tests {
    use super::*;
    use crate::text::yaml::mapping;

    fn read(source: &str) -> (Projects, Vec<String>) {
        let map = mapping(source, 1).unwrap();
        projects(
            &map,
            "projects.yaml",
            Path::new("/etc/brain"),
            Some(Path::new("/home/x")),
        )
    }

    #[test]
    fn descriptors_have_two_shapes() {
        let (found, warnings) = read(
            "a: ~/a/project-brain\n\
             b: {root: /srv/b, brain: project-brain, remotes: [{name: o, url: u}], default_remote: o}\n\
             c: {root: ~}\n\
             d: {brain: '~'}\n\
             e: rel\n\
             f: ~other/x\n",
        );
        let brain = |alias: &str| found[alias].brain.as_deref().unwrap().to_str().unwrap();
        assert_eq!(brain("a"), "/home/x/a/project-brain");
        assert_eq!(brain("b"), "/srv/b/project-brain");
        assert_eq!(brain("d"), "/home/x");
        assert_eq!(brain("e"), "/etc/brain/rel");
        assert_eq!(brain("f"), "/etc/brain/~other/x");
        assert_eq!(found["c"], Project::default());
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(
            warnings[0].contains("`c` in line 3 of `projects.yaml`"),
            "{warnings:?}"
        );
        assert_eq!(found["b"].written, ["/srv/b", "project-brain"]);
        assert_eq!(found["f"].written, ["~other/x"]);
    }

    #[test]
    fn the_brains_own_aliases_win() {
        let (config, _) = read("a: /config\n");
        let (registry, _) = read("a: /registry\nb: /b\n");
        let aliases = Aliases {
            config,
            registry,
            own: Some(("me".to_owned(), "/brain".into())),
        };
        let brain = |alias: &str| aliases.get(alias).and_then(|project| project.brain);
        assert_eq!(brain("a"), Some("/config".into()));
        assert_eq!(brain("b"), Some("/b".into()));
        assert_eq!(brain("me"), Some("/brain".into()));
        assert_eq!(aliases.get("you"), None);
        assert_eq!(aliases.nearest("you"), None);
    }
}
