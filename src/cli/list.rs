//! `list`.

use super::args::ListArgs;
use super::failure::Failure;
use super::index::entries;
use super::locate::Meant;
use super::output::{json, stdout};
use crate::text::nearest::nearest;
use crate::text::neutralise::{excerpt, plain_line};
use std::collections::BTreeMap;
use vibey_context_contracts::exit;
use vibey_context_contracts::index::SkillEntry;
use vibey_context_contracts::report::PluginEntry;

/// Characters of a description that a line shows.
const SHOWN: usize = 100;

/// Runs the command.
pub(super) fn run(args: &ListArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let opened = meant.open(args.index.as_deref())?;
    let mut plugins: BTreeMap<String, Vec<SkillEntry>> = BTreeMap::new();
    for entry in entries(&opened.reader)? {
        plugins.entry(entry.plugin.clone()).or_default().push(entry);
    }
    if let Some(wanted) = &args.plugin {
        let Some(skills) = plugins.remove(wanted) else {
            let names: Vec<String> = plugins.into_keys().collect();
            let near: Vec<String> = nearest(wanted, &names)
                .iter()
                .map(|name| format!("`{name}`"))
                .collect();
            let help = if near.is_empty() {
                "`vibey-context list` prints every plugin".to_owned()
            } else {
                format!("did you mean {}?", near.join(", "))
            };
            return Err(Failure::new(
                "plugin_unknown",
                format!("plugin `{}` is not in the corpus", excerpt(wanted, SHOWN)),
                help,
            ));
        };
        plugins = BTreeMap::from([(wanted.clone(), skills)]);
    }
    let mut listing: Vec<PluginEntry> = plugins
        .into_iter()
        .map(|(plugin, skills)| PluginEntry { plugin, skills })
        .collect();
    for plugin in &mut listing {
        plugin
            .skills
            .sort_by(|a, b| (&a.skill, &a.source_path).cmp(&(&b.skill, &b.source_path)));
    }
    if args.json {
        json(&listing)?;
    } else {
        stdout(&text(&listing))?;
    }
    Ok(exit::DONE)
}

fn text(listing: &[PluginEntry]) -> String {
    let mut text = String::new();
    for plugin in listing {
        text.push_str(&format!("{}\n", plain_line(&plugin.plugin)));
        for skill in &plugin.skills {
            let description: String = plain_line(&skill.description).chars().take(SHOWN).collect();
            text.push_str(&format!("  {}  {description}\n", plain_line(&skill.skill)));
        }
    }
    text
}
