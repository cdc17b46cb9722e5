//! What became of a job: off, skipped, compiled or failed?

use super::artifacts::Artifacts;
use super::record::Recorder;
use crate::compiler::Compiler;
use crate::compiler::failure::Failure;
use crate::compiler::packet::{Compiled, Order};
use crate::ledger::error::LedgerError;
use serde::Serialize;
use std::path::Path;
use vibey_context_contracts::canonical::pretty;
use vibey_context_contracts::conductor::config::{Mode, SkillsContext};
use vibey_context_contracts::conductor::event::{
    ArtifactProduced, ArtifactStatus, FailureCode, NewEvent, Payload, SkipReason, Skipped,
};
use vibey_context_contracts::conductor::job::{Job, request_of};
use vibey_context_contracts::packet::CorpusOrigin;
use vibey_context_contracts::version::SCHEMA_VERSION;

/// What jobs of a project need that is not switched off.
pub struct Context {
    /// How jobs get packets.
    pub config: SkillsContext,
    /// The compiler.
    pub compiler: Compiler,
    /// The ledger.
    pub recorder: Recorder,
}

/// What became of a job.
#[derive(Debug)]
pub struct Attempt {
    /// What is to be appended to the prompt.
    pub packet: Option<String>,
    /// The same for programs.
    pub summary: Summary,
    /// Why there is no packet, for a person.
    pub note: Option<Note>,
    /// Why there is no row in the ledger.
    pub unrecorded: Option<LedgerError>,
}

/// A warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What went wrong.
    pub text: String,
    /// What to do about it.
    pub help: Option<&'static str>,
}

impl Note {
    fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { text, help: None }
    }
}

/// What became of a job, as `--json` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Version of this document: 1.
    pub schema_version: u32,
    /// The job.
    pub job: String,
    /// Its project.
    pub project: String,
    /// Its attempt.
    pub attempt: u32,
    /// Its mode, after the share was applied.
    pub mode: Mode,
    /// What became of it.
    pub status: State,
    /// Why it was skipped.
    pub reason: Option<SkipReason>,
    /// Why there is no trustworthy answer, or why a good packet did not reach the prompt.
    pub error_code: Option<FailureCode>,
    /// Whether the packet was appended to the prompt.
    pub appended: bool,
    /// Position of its row in the project's chain; `null` where none was written.
    pub sequence: Option<i64>,
    /// Digest of that row, which `ledger verify --head` takes.
    pub head: Option<String>,
}

/// What became of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing was compiled, written or recorded.
    Off,
    /// The compiler was not asked.
    Skipped,
    /// It was, and this is what it said.
    #[serde(untagged)]
    Asked(ArtifactStatus),
}

impl State {
    /// The word that stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Skipped => "skipped",
            Self::Asked(status) => status.as_str(),
        }
    }
}

impl Attempt {
    /// The attempt of a job that gets no packet because that is switched off.
    #[must_use]
    pub fn off(job: &Job) -> Self {
        Self {
            packet: None,
            summary: Summary {
                schema_version: SCHEMA_VERSION,
                job: job.id.to_string(),
                project: job.project_id.to_string(),
                attempt: job.attempts,
                mode: Mode::Off,
                status: State::Off,
                reason: None,
                error_code: None,
                appended: false,
                sequence: None,
                head: None,
            },
            note: None,
            unrecorded: None,
        }
    }
}

/// Asks for the packet of a job in the canonical folder `worktree`, and records what came of it. Never fails: whatever
/// goes wrong is part of the answer.
pub async fn attempt(context: &Context, job: &Job, worktree: &Path) -> Attempt {
    let mut attempt = Attempt::off(job);
    let mode = context.config.mode_of(&job.id);
    if mode == Mode::Off {
        return attempt;
    }
    attempt.summary.mode = mode;
    let payload = match job.skip() {
        Some(reason) => {
            attempt.summary.status = State::Skipped;
            attempt.summary.reason = Some(reason);
            Payload::Skipped(Skipped {
                schema_version: SCHEMA_VERSION,
                mode,
                phase: job.phase.clone(),
                job_kind: job.kind.clone(),
                reason,
            })
        }
        None => {
            let asking = ask(context, job, mode, worktree);
            let (asked, opened) = tokio::join!(asking, context.recorder.prepare());
            attempt.unrecorded = opened.err();
            attempt.summary.status = State::Asked(asked.artifact.status);
            attempt.summary.error_code = asked.artifact.error_code;
            attempt.packet = asked.packet;
            attempt.note = asked.note;
            Payload::ArtifactProduced(Box::new(asked.artifact))
        }
    };
    let event = NewEvent {
        project: job.project_id.clone(),
        job: job.id.clone(),
        attempt: job.attempts,
        payload,
    };
    // A server that did not answer is not asked once more: the engine waits.
    let appended = match attempt.unrecorded.take() {
        Some(error) => Err(error),
        None => context.recorder.append(&event).await,
    };
    match appended {
        Ok(row) => {
            attempt.summary.sequence = Some(row.sequence);
            attempt.summary.head = Some(row.digest);
        }
        Err(error) => {
            attempt.packet = None;
            attempt.unrecorded = Some(error);
        }
    }
    attempt.summary.appended = attempt.packet.is_some();
    attempt
}

/// What came of asking.
struct Asked {
    artifact: ArtifactProduced,
    packet: Option<String>,
    note: Option<Note>,
}

async fn ask(context: &Context, job: &Job, mode: Mode, worktree: &Path) -> Asked {
    let budget = context.config.budget;
    let request = request_of(job, budget);
    let mut artifact = ArtifactProduced::new(mode, &job.phase, &job.kind, budget);
    artifact.query_sha256 = request.query_sha256().ok();
    let artifacts = Artifacts::of(worktree, &job.id);
    let begun = pretty(&request).map_err(|error| error.to_string());
    let begun = begun.and_then(|text| artifacts.begin(&text).map_err(|error| error.to_string()));
    if let Err(message) = begun {
        return failed(artifact, Failure::new(FailureCode::ArtifactFailed, message));
    }
    let order = Order {
        request: &artifacts.request,
        packet: &artifacts.packet,
        manifest: &artifacts.manifest,
        query_sha256: artifact.query_sha256.as_deref().unwrap_or_default(),
        budget,
    };
    let answer = context.compiler.compile(&order).await;
    let stderr = match &answer {
        Ok(compiled) => &compiled.stderr,
        Err(failure) => &failure.stderr,
    };
    let kept = artifacts.keep_stderr(stderr);
    let mut asked = match answer {
        Ok(compiled) => answered(artifact, compiled),
        Err(failure) => {
            artifacts.distrust();
            failed(artifact, failure)
        }
    };
    if let Err(error) = kept {
        asked.note.get_or_insert(Note::new(error.to_string()));
    }
    asked
}

fn answered(artifact: ArtifactProduced, compiled: Compiled) -> Asked {
    let mut artifact = artifact.with_manifest(&compiled.manifest);
    artifact.manifest_sha256 = Some(compiled.manifest_sha256);
    artifact.return_code = Some(compiled.return_code);
    artifact.compile_ms = compiled.compile_ms;
    let is_ok = artifact.status == ArtifactStatus::Ok;
    let mut note = None;
    if is_ok && compiled.manifest.corpus_origin != CorpusOrigin::Roots {
        artifact.error_code = Some(FailureCode::EmbeddedCorpus);
        note = Some(Note {
            text: "packet is from the starter corpus, not from your skills; it is not used"
                .to_owned(),
            help: Some("name your skills in `skills_context.skills` of `.vibey/project.json`"),
        });
    }
    artifact.appended = artifact.mode == Mode::Inject
        && is_ok
        && artifact.error_code.is_none()
        && !compiled.packet.is_empty();
    Asked {
        packet: artifact.appended.then_some(compiled.packet),
        artifact,
        note,
    }
}

fn failed(mut artifact: ArtifactProduced, failure: Failure) -> Asked {
    let note = Some(Note {
        text: format!("{}; the prompt stays as it is", failure.message),
        help: Some(failure.help()),
    });
    artifact.status = ArtifactStatus::Error;
    artifact.error_code = Some(failure.code);
    artifact.return_code = failure.return_code;
    artifact.signal = failure.signal;
    artifact.compiler_version = failure.compiler_version;
    artifact.contract_version = failure.contract_version;
    artifact.compile_ms = failure.compile_ms;
    Asked {
        artifact,
        packet: None,
        note,
    }
}
