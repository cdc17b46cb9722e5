//! Why a command could not be carried out. That an artifact is not good enough is no error but an answer.

use std::borrow::Cow;
use std::path::Path;
use vibey_context_contracts::document::DocumentError;
use vibey_context_contracts::handoff::state::StateFault;
use vibey_context_host::error::HostError;

/// Usage, configuration, state or I/O.
#[derive(Debug, thiserror::Error)]
pub enum HandoffError {
    /// A system call failed.
    #[error(transparent)]
    Host(#[from] HostError),
    /// `pipeline-config.json` is none.
    #[error("{fault}")]
    Config {
        /// What is wrong with it.
        fault: Box<DocumentError>,
        /// The file, as it is written.
        path: String,
    },
    /// No pipeline has this name.
    #[error("pipeline type `{name}` does not exist; there are {}", names(known))]
    UnknownPipeline {
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// No pipeline has this phase.
    #[error("no pipeline has a phase `{phase}`")]
    PhaseNowhere {
        /// The phase.
        phase: String,
        /// Phases with the most similar names.
        near: Vec<String>,
    },
    /// A field of the state holds what there is not: somebody has edited it.
    #[error("`{field}` in the state is `{value}`; there are {}", names(known))]
    StateValue {
        /// The field.
        field: &'static str,
        /// What it holds.
        value: String,
        /// What it may hold.
        known: Vec<String>,
        /// Where the state lies.
        path: String,
    },
    /// Several pipelines lead from one phase to the other, or none.
    #[error("{} from `{from}` to `{to}`", if known.is_empty() { "no pipeline has both phases: none leads" } else { "several pipelines lead" })]
    WhichPipeline {
        /// The first phase.
        from: String,
        /// The second phase.
        to: String,
        /// The pipelines that lead there.
        known: Vec<String>,
    },
    /// The project's pipeline is of another type.
    #[error("the pipeline of `{project}` is of type `{stored}`, not `{given}`")]
    OtherPipeline {
        /// The project.
        project: String,
        /// The type in the state.
        stored: String,
        /// The type that was asked for.
        given: String,
    },
    /// The description of the pipeline has other phases than the state.
    #[error("{differs}; pipeline `{pipeline}` has {}", names(known))]
    OtherPhases {
        /// The pipeline.
        pipeline: String,
        /// Which field of the state differs.
        differs: String,
        /// The phases of the pipeline.
        known: Vec<String>,
        /// Where the state lies.
        path: String,
    },
    /// The pipeline has no such phase.
    #[error(
        "phase `{phase}` is not in pipeline `{pipeline}`; its phases are {}",
        names(known)
    )]
    UnknownPhase {
        /// The phase.
        phase: String,
        /// The pipeline.
        pipeline: String,
        /// Its phases.
        known: Vec<String>,
    },
    /// A transition has to lead forward.
    #[error("phase `{to}` does not come after `{from}`")]
    Backwards {
        /// The phase that hands over.
        from: String,
        /// The phase that would take over.
        to: String,
    },
    /// The pipeline stands elsewhere.
    #[error("the pipeline stands at phase `{current}`, not `{given}`")]
    OtherPosition {
        /// Where it stands.
        current: String,
        /// What was said.
        given: String,
    },
    /// The phase has not begun.
    #[error("phase `{0}` has not begun")]
    NotBegun(String),
    /// The last phase has not been reached.
    #[error("phase `{current}` is not the last one, `{last}`")]
    NotLast {
        /// Where the pipeline stands.
        current: String,
        /// Its last phase.
        last: String,
    },
    /// A phase before is blocked, and its artifacts are not good enough still.
    #[error("phase `{phase}` is blocked: {}", blockers.join("; "))]
    Blocked {
        /// The phase.
        phase: String,
        /// What is wrong with its artifacts.
        blockers: Vec<String>,
    },
    /// The pipeline is paused.
    #[error("the pipeline of `{0}` is on hold")]
    OnHold(String),
    /// The pipeline is finished.
    #[error("the pipeline of `{0}` is completed")]
    Completed(String),
    /// No story has this number.
    #[error("no user story has the number {step}; there are {}", numbers(known))]
    UnknownStep {
        /// The number.
        step: u32,
        /// Those that there are.
        known: Vec<u32>,
    },
    /// There is no state.
    #[error("there is no state for `{project}`")]
    NoState {
        /// The project.
        project: String,
        /// Where it would lie.
        path: String,
    },
    /// There is a state, and it can not be used.
    #[error("state can not be used: {fault}")]
    BadState {
        /// What is wrong.
        fault: StateFault,
        /// Where it lies.
        path: String,
    },
    /// Somebody has changed the state while we worked.
    #[error("state was changed by another program meanwhile; nothing was written over it")]
    StateChanged {
        /// Where it lies.
        path: String,
    },
    /// The state belongs to another folder.
    #[error("project `{project}` lies in `{stored}`, not in `{given}`")]
    OtherProject {
        /// The project.
        project: String,
        /// The folder in the state.
        stored: String,
        /// Is it still there?
        exists: bool,
        /// The folder that was named.
        given: String,
    },
    /// No artifact of any pipeline lies in the project.
    #[error("there is no state for `{0}`, and no artifact in the project to infer one from")]
    NothingFound(String),
    /// The dashboard could not be rendered, or the state not written as JSON.
    #[error("cannot render: {0}")]
    Render(String),
}

impl HandoffError {
    /// A stable name of the kind of failure.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Host(HostError::LockTimeout { .. }) => "busy",
            Self::Host(error) => error.code(),
            Self::Config { fault, .. } => fault.code,
            Self::UnknownPipeline { .. } => "pipeline_unknown",
            Self::WhichPipeline { .. } => "pipeline_ambiguous",
            Self::OtherPipeline { .. } => "pipeline_differs",
            Self::OtherPhases { .. } => "phases_differ",
            Self::UnknownPhase { .. } | Self::PhaseNowhere { .. } => "phase_unknown",
            Self::StateValue { .. } => "state_value",
            Self::Backwards { .. } => "phase_order",
            Self::OtherPosition { .. } => "position_differs",
            Self::NotBegun(_) => "phase_not_begun",
            Self::NotLast { .. } => "phase_not_last",
            Self::Blocked { .. } => "phase_blocked",
            Self::OnHold(_) => "on_hold",
            Self::Completed(_) => "completed",
            Self::UnknownStep { .. } => "step_unknown",
            Self::NoState { .. } => "state_missing",
            Self::BadState {
                fault: StateFault::Newer(_),
                ..
            } => "state_newer",
            Self::BadState { .. } => "state_invalid",
            Self::StateChanged { .. } => "state_changed",
            Self::OtherProject { .. } => "project_path_differs",
            Self::NothingFound(_) => "nothing_found",
            Self::Render(_) => "internal",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Host(HostError::LockTimeout { .. }) => {
                "wait for the other `handoff`, or end it, and try again".to_owned()
            }
            Self::Host(HostError::Symlink { .. }) => {
                "put the file itself in the place of the link: a link would be replaced by the next change".to_owned()
            }
            Self::Host(error) => error.help().to_owned(),
            Self::Config { fault, .. } => fault.help.clone(),
            Self::UnknownPipeline { .. } => {
                "name one of them, or describe it in `pipeline-config.json`".to_owned()
            }
            Self::PhaseNowhere { near, .. } if near.is_empty() => {
                "docs/handoff.md lists the phases of each pipeline".to_owned()
            }
            Self::PhaseNowhere { near, .. } => format!("the nearest names are {}", names(near)),
            Self::StateValue { .. } => {
                "correct the field, or describe what it names in `pipeline-config.json`".to_owned()
            }
            Self::WhichPipeline { known, .. } if known.is_empty() => {
                "name two phases of one pipeline".to_owned()
            }
            Self::WhichPipeline { known, .. } => {
                format!("name one with `--pipeline`: {}", names(known))
            }
            Self::OtherPipeline { stored, .. } => {
                format!("leave `--pipeline` out, or say `--pipeline {stored}`")
            }
            Self::OtherPhases { .. } => {
                "correct the field, restore the phases in `pipeline-config.json`, or move the state file away"
                    .to_owned()
            }
            Self::UnknownPhase { .. } => "name one of its phases".to_owned(),
            Self::Backwards { to, .. } => format!("`handoff restart --phase {to}` goes back"),
            Self::OtherPosition { current, .. } => {
                format!(
                    "say `--from {current}`, go back with `handoff restart`, or insist with `--force`"
                )
            }
            Self::NotBegun(_) => "`handoff transition` goes forward".to_owned(),
            Self::NotLast { current, .. } => {
                format!("`handoff transition --from {current}` goes on first")
            }
            Self::Blocked { phase, .. } => format!(
                "mend its artifacts, go back with `handoff restart --phase {phase}`, or insist with `handoff transition … --force`"
            ),
            Self::OnHold(_) => "`handoff resume` goes on".to_owned(),
            Self::Completed(_) => "`handoff restart --phase PHASE` reopens it".to_owned(),
            Self::UnknownStep { .. } => {
                "name the number of a story with `handoff transition … --step N`".to_owned()
            }
            Self::NoState { .. } => {
                "begin with `handoff transition`, or let `handoff resume` infer it".to_owned()
            }
            Self::BadState {
                fault: StateFault::Newer(_),
                ..
            } => "use the newer program".to_owned(),
            Self::BadState { .. } => {
                "correct the file, or let `handoff resume` move it aside and infer a new one"
                    .to_owned()
            }
            Self::StateChanged { .. } => "look at the state, and run the command again".to_owned(),
            Self::OtherProject { exists: false, .. } => {
                "that folder is gone: if the project has moved, `handoff resume --adopt-path`; else choose another name".to_owned()
            }
            Self::OtherProject { stored, .. } => {
                format!(
                    "run it in `{stored}`, or say `--project-path {stored}`; if the project has moved, `handoff resume --adopt-path`; else choose another name"
                )
            }
            Self::NothingFound(_) => {
                "check `--project-path`, or begin with `handoff transition`".to_owned()
            }
            Self::Render(_) => "report this with the project that shows it".to_owned(),
        }
    }

    /// The file that it is about.
    #[must_use]
    pub fn path(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Host(error) => error.path().map(Path::to_string_lossy),
            Self::Config { path, .. }
            | Self::NoState { path, .. }
            | Self::StateValue { path, .. }
            | Self::OtherPhases { path, .. }
            | Self::BadState { path, .. }
            | Self::StateChanged { path } => Some(Cow::Borrowed(path)),
            _ => None,
        }
    }

    /// Line and column in that file, from 1.
    #[must_use]
    pub fn place(&self) -> Option<(usize, usize)> {
        match self {
            Self::Config { fault, .. } if fault.line > 0 => Some((fault.line, fault.column)),
            _ => None,
        }
    }
}

fn names(known: &[String]) -> String {
    known
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn numbers(known: &[u32]) -> String {
    known
        .iter()
        .map(u32::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}
