//! Is there an index to compile from?

use super::Compiler;
use super::call::call;
use super::failure::Failure;
use crate::project::folder::{owned, refuse_link};
use crate::project::{VIBEY, config::OURS};
use std::path::{Component, Path, PathBuf};
use tokio::sync::Mutex;
use vibey_context_contracts::conductor::event::FailureCode;
use vibey_context_contracts::exit;
use vibey_context_host::error::HostError;
use vibey_context_host::write::{Durability, create_folder};

/// The file that an index has once it was published.
const MANIFEST: &str = "manifest.json";

/// The index of a project, which one process builds once, and again where it has gone.
pub(super) struct Index {
    path: PathBuf,
    /// The project's folder of our files, where the index lies in it.
    ours: Option<PathBuf>,
    /// What came of building it in this process. The lock is held meanwhile, so that others wait for it.
    built: Mutex<Option<Result<(), Failure>>>,
}

impl Index {
    pub(super) fn new(dir: &Path, configured: &str) -> Self {
        let path: PathBuf = dir
            .join(configured)
            .components()
            .filter(|part| *part != Component::CurDir)
            .collect();
        let vibey = dir.join(VIBEY);
        Self {
            ours: path.starts_with(vibey.join(OURS)).then_some(vibey),
            path,
            built: Mutex::new(None),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Builds the index, or brings it up to date, unless this process has done so. What failed once is not tried for
    /// every job of a batch.
    pub(super) async fn ensure(&self, compiler: &Compiler) -> Result<(), Failure> {
        let mut built = self.built.lock().await;
        match &*built {
            Some(Err(failure)) => return Err(failure.clone()),
            Some(Ok(())) if self.path.join(MANIFEST).is_file() => return Ok(()),
            _ => {}
        }
        // An index takes no part in how long a packet took.
        let result = self.build(compiler).await.map_err(|failure| Failure {
            compile_ms: 0,
            ..failure
        });
        *built = Some(result.clone());
        result
    }

    async fn build(&self, compiler: &Compiler) -> Result<(), Failure> {
        let prepared = self.prepare();
        prepared.map_err(|error| Failure::new(FailureCode::IndexFailed, error.to_string()))?;
        let words = [
            "index".as_ref(),
            "build".as_ref(),
            "--output".as_ref(),
            self.path.as_os_str(),
        ];
        let answer = call(compiler, &words).await?;
        if answer.return_code != i32::from(exit::DONE) {
            let message = format!("`index build` ended with exit code {}", answer.return_code);
            return Err(answer.failed(FailureCode::IndexFailed, message));
        }
        Ok(())
    }

    /// The folder of our files, which git passes over; one that is configured elsewhere is the compiler's to create.
    fn prepare(&self) -> Result<(), HostError> {
        let Some(vibey) = &self.ours else {
            return Ok(());
        };
        refuse_link(vibey)?;
        create_folder(vibey, Durability::Durable)?;
        owned(vibey, &[OURS], Durability::Durable)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_lies_in_our_folder_and_a_relative_path_in_the_project() {
        let dir = Path::new("/p");
        for (configured, path, ours) in [
            (
                ".vibey/skills-context/index",
                "/p/.vibey/skills-context/index",
                true,
            ),
            (
                "./.vibey/./skills-context/x",
                "/p/.vibey/skills-context/x",
                true,
            ),
            (".vibey/other", "/p/.vibey/other", false),
            ("/var/index", "/var/index", false),
        ] {
            let index = Index::new(dir, configured);
            assert_eq!(
                (index.path(), index.ours.is_some()),
                (Path::new(path), ours)
            );
        }
    }
}
