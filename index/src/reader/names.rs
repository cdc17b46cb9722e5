//! What do skills answer to, and which plugin is each of?

use super::{Reader, Shard};
use crate::container::Part;
use crate::error::IndexError;
use crate::names;
use crate::plugins;
use crate::schema::Key;
use tantivy::HasLen as _;
use tantivy::termdict::TermDictionary;

/// What plugin each skill is of.
pub(crate) struct Plugins {
    /// Number of different plugins.
    pub(crate) count: usize,
    /// For each skill a number of its plugin.
    pub(crate) of_skill: Vec<usize>,
    /// Further plugins of skills that stand for copies, in the order of skills.
    pub(crate) of_copies: Vec<(usize, usize)>,
}

impl Shard {
    /// The shard's dictionary of names. It is read, since few commands ask for one.
    fn names(&self) -> Result<TermDictionary, IndexError> {
        let part = self.container.part(Part::Names);
        Ok(TermDictionary::open(part.map_err(IndexError::Engine)?)?)
    }
}

impl Reader {
    /// Skills that answer to `name`: frontmatter name, folder name or `plugin/skill`.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn skills_named(&self, name: &str) -> Result<Vec<usize>, IndexError> {
        self.keyed(&Key::Skill.term(name))
            .map_err(|error| self.damaged(error))
    }

    /// Skills of the plugin `name`.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn skills_of_plugin(&self, name: &str) -> Result<Vec<usize>, IndexError> {
        self.keyed(&Key::Plugin.term(name))
            .map_err(|error| self.damaged(error))
    }

    fn keyed(&self, key: &str) -> Result<Vec<usize>, IndexError> {
        let mut found: Vec<usize> = self.corpus.copies.keyed(key).collect();
        for shard in &self.shards {
            let row = shard.names().and_then(|names| Ok(names.get(key)?));
            let Some(row) = row.map_err(|error| self.damaged_in(shard, error))? else {
                continue;
            };
            let named = shard
                .container
                .part(Part::Named)
                .map_err(IndexError::Engine)?;
            if row.postings_range.end > named.len() {
                return Err(self.corrupt_in(shard, "a name has no skills"));
            }
            let bytes = named.read_bytes_slice(row.postings_range);
            let bytes = bytes.map_err(|error| self.corrupt_in(shard, error))?;
            let places = names::read(&bytes, shard.skills);
            let places =
                places.ok_or_else(|| self.corrupt_in(shard, "a name leads to no skill"))?;
            found.extend(places.into_iter().map(|place| shard.first + place));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Every name to which a skill answers, sorted; for "did you mean".
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn all_skill_names(&self) -> Result<Vec<String>, IndexError> {
        self.all_keys(Key::Skill)
            .map_err(|error| self.damaged(error))
    }

    /// Every plugin, sorted.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`].
    pub fn all_plugins(&self) -> Result<Vec<String>, IndexError> {
        self.all_keys(Key::Plugin)
            .map_err(|error| self.damaged(error))
    }

    fn all_keys(&self, kind: Key) -> Result<Vec<String>, IndexError> {
        let prefix = kind.term("");
        let mut names: Vec<String> = self.corpus.copies.names(kind).collect();
        for shard in &self.shards {
            let dictionary = shard.names()?;
            let mut stream = dictionary.range().ge(prefix.as_bytes()).into_stream()?;
            while stream.advance() {
                let Ok(key) = std::str::from_utf8(stream.key()) else {
                    continue;
                };
                match key.strip_prefix(&prefix) {
                    Some(name) => names.push(name.to_owned()),
                    None => break,
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// Which plugin each skill is of.
    pub(crate) fn plugins(&self) -> Result<Plugins, IndexError> {
        let mut parts = Vec::with_capacity(self.shards.len());
        for shard in &self.shards {
            let part = shard.container.part(Part::Plugins);
            let bytes = part.and_then(|part| part.read_bytes().map_err(|error| error.to_string()));
            parts.push(bytes.map_err(|reason| self.corrupt_in(shard, reason))?);
        }
        // Never iterated, so its order does not matter; a tree took twice as long for the plugins of 80,000 skills.
        #[expect(clippy::disallowed_types, reason = "looked up only")]
        let mut numbers: std::collections::HashMap<
            &str,
            usize,
            foldhash::fast::RandomState,
        > = Default::default();
        let mut of_skill = Vec::with_capacity(self.skills);
        for (shard, bytes) in self.shards.iter().zip(&parts) {
            let Some((names, places)) =
                plugins::read(bytes).filter(|(_, places)| places.len() == shard.skills)
            else {
                return Err(self.corrupt_in(shard, "skills and their plugins differ in number"));
            };
            let mut number = |name| {
                let next = numbers.len();
                *numbers.entry(name).or_insert(next)
            };
            let numbers: Vec<usize> = names.into_iter().map(&mut number).collect();
            of_skill.extend(places.into_iter().map(|place| numbers[place as usize]));
        }
        let mut of_copies: Vec<(usize, usize)> = Vec::new();
        for (at, copy) in self.corpus.copies.iter() {
            let next = numbers.len();
            let row = (at, *numbers.entry(&copy.plugin).or_insert(next));
            let start = of_copies.partition_point(|(skill, _)| *skill < at);
            if of_skill[at] != row.1 && !of_copies[start..].contains(&row) {
                of_copies.push(row);
            }
        }
        Ok(Plugins {
            count: numbers.len(),
            of_skill,
            of_copies,
        })
    }
}
