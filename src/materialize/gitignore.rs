//! Would git pass over what is written there?

use ignore::gitignore::GitignoreBuilder;
use std::path::Path;
use vibey_context_host::read::read_regular;

/// Bytes of a `.gitignore`. Long ones have some KiB.
const FILE_MAX_BYTES: u64 = 1024 * 1024;

/// Whether a `.gitignore` between `top` and the folder that holds it covers `folder`. Only such files count: what a
/// person has excluded for this clone alone protects nobody else.
pub(crate) fn covers(top: &Path, folder: &Path) -> bool {
    let between = folder.ancestors().skip(1);
    let mut between: Vec<&Path> = between.take_while(|above| above.starts_with(top)).collect();
    between.reverse();
    let mut covered = false;
    for above in between {
        let Ok(bytes) = read_regular(&above.join(".gitignore"), FILE_MAX_BYTES) else {
            continue;
        };
        let mut builder = GitignoreBuilder::new(above);
        for line in String::from_utf8_lossy(&bytes).lines() {
            // git passes over a line that it does not understand.
            let _ = builder.add_line(None, line);
        }
        let Ok(rules) = builder.build() else {
            continue;
        };
        // Of several files the deepest that says something decides.
        let verdict = rules.matched_path_or_any_parents(folder, true);
        if !verdict.is_none() {
            covered = verdict.is_ignore();
        }
    }
    covered
}

/// The root of the repository around a folder.
pub(crate) fn repository(folder: &Path) -> Option<&Path> {
    let has_git = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    folder.ancestors().find(has_git)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;

    #[test]
    fn rules_above_the_folder_count_and_the_deepest_decides() {
        for (rules, covered) in [
            (&[][..], false),
            (&[("", ".context/\n")], true),
            (&[("", ".context\n")], true),
            (&[("", "**/.context/\n")], true),
            (&[("", "project-brain/\n")], true),
            (&[("", "/.context/\n")], false),
            (&[("", "# .context/\nother\n")], false),
            (&[("project-brain/a", ".context/\n")], true),
            (
                &[("", ".context/\n"), ("project-brain", "!.context/\n")],
                false,
            ),
        ] {
            let scratch = tempfile::tempdir().unwrap();
            let top = scratch.path().canonicalize().unwrap();
            let folder = top.join("project-brain/a/.context");
            std::fs::create_dir_all(top.join("project-brain/a")).unwrap();
            std::fs::create_dir(top.join(".git")).unwrap();
            for (place, text) in rules {
                std::fs::write(top.join(place).join(".gitignore"), text).unwrap();
            }
            assert_eq!(
                covers(repository(&folder).unwrap(), &folder),
                covered,
                "{rules:?}"
            );
        }
    }
}
