//! Who asks, about which project, at what time; and where do the files of that project lie?

use crate::handoff::error::HandoffError;
use std::path::{Path, PathBuf};
use vibey_context_contracts::handoff::name::ProjectName;
use vibey_context_contracts::time::rfc3339_seconds;
use vibey_context_host::error::HostError;

use crate::text::tokens::Tokenizer;

/// Where state, briefs and dashboards lie below the user's home, where nothing else is said.
const HOME: [&str; 2] = [".claude", "sdd"];

/// What every command is told by whoever runs it: libraries read neither environment nor clock.
#[derive(Debug, Clone)]
pub struct Desk {
    /// The project.
    pub project: ProjectName,
    /// Its folder, canonical.
    pub project_path: PathBuf,
    /// The user's home, canonical: paths below it are written as `~/…`.
    pub user_home: Option<PathBuf>,
    /// Where state, briefs and dashboards of all projects lie.
    pub home: PathBuf,
    /// The time, in milliseconds since 1970.
    pub now_ms: u64,
    /// The UUID of a pipeline that begins now.
    pub new_id: String,
    /// What tokens are counted by.
    pub tokenizer: Tokenizer,
    /// Whether the project may have moved since its state was written.
    pub adopt_path: bool,
}

impl Desk {
    /// The time as it is written: RFC 3339 in whole seconds.
    #[must_use]
    pub fn now(&self) -> String {
        rfc3339_seconds(self.now_ms)
    }

    /// Whether state, briefs and dashboards lie where they lie when nothing is said.
    pub(crate) fn is_usual_home(&self) -> bool {
        self.user_home
            .as_deref()
            .is_some_and(|user_home| self.home == usual_home(user_home))
    }

    /// The configuration of pipelines.
    #[must_use]
    pub fn config_path(&self) -> PathBuf {
        self.home.join("pipeline-config.json")
    }

    /// The state of the project's pipeline.
    #[must_use]
    pub fn state_path(&self) -> PathBuf {
        self.home
            .join(format!("pipeline-state-{}.json", self.project))
    }

    /// The state before the last change.
    #[must_use]
    pub fn backup_path(&self) -> PathBuf {
        self.home
            .join(format!("pipeline-state-{}.json.bak", self.project))
    }

    /// Held by whoever changes anything in [`Desk::home`]: one for all projects, so that its holder may remove what killed
    /// processes left.
    #[must_use]
    pub fn lock_path(&self) -> PathBuf {
        self.home.join("handoff.lock")
    }

    /// The folder of the project's briefs.
    #[must_use]
    pub fn briefs_folder(&self) -> PathBuf {
        self.home.join("context-briefs").join(self.project.as_str())
    }

    /// The brief of a phase, or of a step in it.
    #[must_use]
    pub fn brief_path(&self, phase: u32, step: Option<u32>) -> PathBuf {
        let name = match step {
            Some(step) => format!("phase{phase}-step{step}.md"),
            None => format!("phase{phase}.md"),
        };
        self.briefs_folder().join(name)
    }

    /// The folder of the project's dashboard.
    #[must_use]
    pub fn dashboard_folder(&self) -> PathBuf {
        self.home.join("dashboards").join(self.project.as_str())
    }

    /// The project's dashboard.
    #[must_use]
    pub fn dashboard_path(&self) -> PathBuf {
        self.dashboard_folder().join("dashboard.html")
    }

    /// A path as it is written: `~/…` below the user's home.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        let below = self
            .user_home
            .as_deref()
            .and_then(|home| path.strip_prefix(home).ok());
        match below {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }

    /// The path that [`Desk::shown`] has written.
    #[must_use]
    pub fn expanded(&self, shown: &str) -> PathBuf {
        match (shown.strip_prefix('~'), &self.user_home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => PathBuf::from(shown),
        }
    }

    /// Refuses a stored folder that is another than the project's: two projects of one name would share a file.
    ///
    /// # Errors
    /// [`HandoffError::OtherProject`], unless [`Desk::adopt_path`].
    pub(crate) fn same_project(&self, stored: &str) -> Result<(), HandoffError> {
        let path = self.expanded(stored);
        let real = path.canonicalize().ok();
        let is_same = real.as_ref().unwrap_or(&path) == &self.project_path;
        if self.adopt_path || is_same {
            return Ok(());
        }
        Err(HandoffError::OtherProject {
            project: self.project.to_string(),
            stored: stored.to_owned(),
            exists: real.is_some(),
            given: self.shown(&self.project_path),
        })
    }
}

/// Where state, briefs and dashboards of a user lie, where nothing else is said.
#[must_use]
pub fn usual_home(user_home: &Path) -> PathBuf {
    user_home.join(HOME.iter().collect::<PathBuf>())
}

/// The canonical form of a folder that has to exist.
///
/// # Errors
/// [`HostError::Io`] where it does not, or is no folder.
pub fn folder(path: &Path) -> Result<PathBuf, HostError> {
    vibey_context_host::read::dir_stamp(path)?;
    vibey_context_host::path::resolve(path)
}
