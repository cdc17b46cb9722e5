//! May this output be written, or would it take the place of something that is needed?

use super::failure::Failure;
use crate::project::folder::is_ours;
use std::path::{Path, PathBuf};
use vibey_context_contracts::conductor::config::Config;
use vibey_context_host::write::resolved;

/// What a project keeps where its configuration says.
pub(super) fn kept(dir: &Path, config: &Config) -> Vec<PathBuf> {
    let index = Some(&config.skills_context.index_path);
    let paths = index.into_iter().chain(&config.ledger_url_file);
    paths.map(|path| real(&dir.join(path))).collect()
}

/// Refuses an output that would take the place of what this program or the compiler keeps: [`kept`], or anywhere.
pub(super) fn refuse_kept(output: &Path, kept: &[PathBuf]) -> Result<(), Failure> {
    let output_real = real(output);
    let is_kept = kept.iter().any(|path| output_real.starts_with(path));
    match is_kept || is_ours(&output_real) {
        true => {
            let message = format!(
                "`{}` is a file that jobs and the ledger need",
                output.display()
            );
            Err(Failure::new("usage", message, "name another file"))
        }
        false => Ok(()),
    }
}

/// The one spelling of a path, also of one that does not exist yet.
pub(super) fn real(path: &Path) -> PathBuf {
    let path = resolved(path).unwrap_or_else(|_| path.to_owned());
    let parent = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return path,
    };
    match (parent.canonicalize(), path.file_name()) {
        (Ok(parent), Some(name)) => parent.join(name),
        _ => path,
    }
}

/// Refuses an output that is one of the inputs; a device can be both.
pub(super) fn refuse_same(input: &Path, output: &Path) -> Result<(), Failure> {
    match output.is_file() && real(input) == real(output) {
        true => {
            let message = format!("`{}` is both read and written", output.display());
            Err(Failure::new("usage", message, "name another file"))
        }
        false => Ok(()),
    }
}
