//! Temporary files beside outputs: what is left of a `packet`, a `materialize` or a job that was killed while it wrote.

use super::{Sweep, Verdict};
use crate::cli::failure::Failure;
use crate::cli::locate::Meant;
use crate::corpus::roots;
use std::path::{Path, PathBuf};
use vibey_context_contracts::upkeep::CleanKind;
use vibey_context_host::error::HostError;
use vibey_context_host::path::is_symlink;
use vibey_context_host::read::{EntryKind, list_dir};
use vibey_context_host::tree::extent;
use vibey_context_host::write::{is_temporary, remove_file};

/// Seconds from which on a temporary file is nobody's. One lives for milliseconds, on a slow disk for minutes; no lock says
/// whose it is.
const ABANDONED_SECONDS: u64 = 86_400;

/// Folders below `.vibey` in which both programs write. That of `markers` is mended by the next `markers apply`.
const BELOW_VIBEY: [&str; 4] = ["", "context", "skills", "skills-context"];

pub(super) fn sweep(
    sweep: &mut Sweep,
    meant: &Meant<'_>,
    named: &[PathBuf],
) -> Result<(), Failure> {
    let cwd = &meant.surroundings.cwd;
    for folder in named {
        let path = cwd.join(folder);
        if !path.is_dir() {
            let message = format!("`{}` is no folder", folder.display());
            let help = "name folders in which packets and other outputs were written";
            return Err(Failure::new("usage", message, help).at(folder));
        }
    }
    let mut folders: Vec<PathBuf> = named.iter().map(|folder| cwd.join(folder)).collect();
    folders.push(cwd.clone());
    let repository = roots::repository_of(cwd);
    if let Some(repository) = &repository {
        folders.push(repository.clone());
        let vibey = repository.join(".vibey");
        if !is_symlink(&vibey)? {
            let below = BELOW_VIBEY.iter().map(|name| vibey.join(name));
            folders.extend(below.filter(|path| is_symlink(path).is_ok_and(|link| !link)));
        }
    }
    folders.extend(meant.index_folders());
    // One folder by two paths is one folder.
    let mut real: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| folder.canonicalize().ok())
        .collect();
    real.sort();
    real.dedup();
    for folder in real {
        if let Err(error) = one(sweep, &folder) {
            // What can not be listed holds nothing that we could remove.
            let verdict = Verdict::Stays(error.to_string());
            sweep.note(CleanKind::Scratch, &folder, &Default::default(), verdict);
        }
    }
    Ok(())
}

fn one(sweep: &mut Sweep, folder: &Path) -> Result<(), HostError> {
    let entries = match list_dir(folder) {
        Err(error) if error.is_not_found() => return Ok(()),
        listed => listed?,
    };
    for entry in entries {
        let path = folder.join(&entry.name);
        if entry.kind != EntryKind::File || !is_temporary(&entry.name) {
            continue;
        }
        let Some(size) = extent(&path)? else {
            continue;
        };
        let verdict = if sweep.age(&size) < ABANDONED_SECONDS {
            let why = "it is younger than a day, and somebody may be writing it";
            Verdict::Stays(why.to_owned())
        } else if sweep.dry_run {
            Verdict::Goes
        } else {
            let removed = remove_file(&path);
            removed.map_or_else(
                |error| Verdict::Failed(error.to_string()),
                |_| Verdict::Goes,
            )
        };
        sweep.note(CleanKind::Scratch, &path, &size, verdict);
    }
    Ok(())
}
