//! `run`: a batch of jobs.

use super::args::RunArgs;
use super::failure::Failure;
use super::output::{json_line, stderr};
use super::outputs::{kept, real, refuse_kept};
use super::place::{Meant, block_on};
use super::session::{Session, read_prompt, told};
use crate::job::attempt::{Attempt, Context, State, attempt};
use crate::job::engine::signalled;
use crate::job::prompt::augmented;
use crate::project::locate::folder;
use crate::report::words::number;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::task::JoinSet;
use vibey_context_contracts::conductor::job::{Job, parse_entry};
use vibey_context_contracts::exit;
use vibey_context_host::read::read_regular;
use vibey_context_host::signals::Signals;
use vibey_context_host::write::{deliver, retract};

/// The largest batch file, in bytes: some ten thousand jobs, held in memory while they wait.
const BATCH_MAX_BYTES: u64 = 256 * 1024 * 1024;

/// One line of a batch.
struct Entry {
    job: Job,
    worktree: PathBuf,
    prompt: PathBuf,
    prompt_out: PathBuf,
}

/// Runs the command.
pub(super) fn run(args: &RunArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let entries = read(&args.jobs)?;
    let (dir, config) = meant.project(Path::new("."))?;
    let kept = kept(&dir, &config);
    for entry in &entries {
        refuse_kept(&entry.prompt_out, &kept)
            .map_err(|failure| failure.of_job(entry.job.id.as_str()))?;
    }
    let Session { signals, context } = Session::open(meant, &dir, config)?;
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let bar = match args.progress && meant.surroundings.interactive {
        true => ProgressBar::new(entries.len() as u64).with_style(style()),
        false => ProgressBar::hidden(),
    };
    let all = Batch {
        parallel: args.parallel.map_or_else(processors, usize::from),
        json: args.json,
        bar,
        signals: signals.clone(),
        failed: false,
        ended: BTreeMap::new(),
        appended: 0,
    };
    let failed = block_on(all.run(entries, context))??;
    Ok(match signals.first() {
        Some(signal) => signalled(signal),
        None if failed => exit::SHIM_FAILED,
        None => exit::DONE,
    })
}

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {eta}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A batch on its way.
struct Batch {
    parallel: usize,
    json: bool,
    bar: ProgressBar,
    signals: Signals,
    failed: bool,
    /// Jobs by what became of them.
    ended: BTreeMap<State, u64>,
    /// Jobs whose prompt got its packet.
    appended: u64,
}

impl Batch {
    /// Runs every entry, unless a signal stops it. Returns whether anything failed that is this program's to do.
    async fn run(mut self, entries: Vec<Entry>, context: Option<Context>) -> Result<bool, Failure> {
        let context = context.map(Arc::new);
        let mut running = JoinSet::new();
        let mut waiting = entries.len();
        for entry in entries {
            while running.len() >= self.parallel {
                self.take(running.join_next().await)?;
            }
            if self.signals.first().is_some() {
                break;
            }
            waiting -= 1;
            running.spawn(one(entry, context.clone(), self.signals.clone()));
        }
        while !running.is_empty() {
            self.take(running.join_next().await)?;
        }
        self.bar.finish_and_clear();
        stderr(&self.summary());
        if waiting > 0 {
            stderr(&format!(
                "note: stopped by a signal; {waiting} jobs were not begun\n"
            ));
        }
        if let Some(context) = context.and_then(Arc::into_inner) {
            context.recorder.close().await;
        }
        Ok(self.failed)
    }

    /// What came of all jobs, in a line.
    fn summary(&self) -> String {
        let ended: Vec<String> = self
            .ended
            .iter()
            .map(|(state, jobs)| format!("{jobs} {}", state.as_str()))
            .collect();
        let all = number(self.ended.values().sum(), "job");
        let appended = match self.appended {
            0 => String::new(),
            appended => format!("; {} got a packet", number(appended, "prompt")),
        };
        format!("{all}: {}{appended}\n", ended.join(", "))
    }

    /// Says what came of a job.
    fn take(
        &mut self,
        ended: Option<Result<Result<Attempt, Failure>, tokio::task::JoinError>>,
    ) -> Result<(), Failure> {
        let said = match ended {
            None => return Ok(()),
            Some(Ok(Ok(attempt))) => {
                self.failed |= attempt.unrecorded.is_some();
                *self.ended.entry(attempt.summary.status).or_default() += 1;
                self.appended += u64::from(attempt.summary.appended);
                if self.json {
                    self.bar.suspend(|| json_line(&attempt.summary))?;
                }
                told(&attempt)
            }
            Some(Ok(Err(failure))) => {
                self.failed = true;
                failure.text()
            }
            Some(Err(panic)) => {
                self.failed = true;
                format!("error: a job was not run to its end: {panic}\n")
            }
        };
        if !said.is_empty() {
            self.bar.suspend(|| stderr(&said));
        }
        self.bar.inc(1);
        Ok(())
    }
}

/// Runs one job. Without a signal its final prompt is written, whatever the compiler did.
async fn one(
    entry: Entry,
    context: Option<Arc<Context>>,
    signals: Signals,
) -> Result<Attempt, Failure> {
    let of_job = |failure: Failure| failure.of_job(entry.job.id.as_str());
    let worktree = folder(&entry.worktree).map_err(|error| of_job(error.into()))?;
    let prompt = read_prompt(&entry.prompt).map_err(of_job)?;
    retract(&entry.prompt_out).map_err(|error| of_job(error.into()))?;
    let done = match context {
        Some(context) => attempt(&context, &entry.job, &worktree).await,
        None => Attempt::off(&entry.job),
    };
    if signals.first().is_none() {
        let prompt = augmented(prompt, done.packet.as_deref());
        deliver(&entry.prompt_out, &prompt).map_err(|error| of_job(error.into()))?;
    }
    Ok(done)
}

/// Reads a batch. Whatever is wrong with a line is said before the first job runs.
fn read(path: &Path) -> Result<Vec<Entry>, Failure> {
    let bytes = read_regular(path, BATCH_MAX_BYTES)?;
    let mut entries = Vec::new();
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let read = parse_entry(line).map_err(|error| Failure::document(error, path, at + 1))?;
        for warning in &read.warnings {
            stderr(&format!("note: line {}: {warning}\n", at + 1));
        }
        let entry = read.value;
        entries.push(Entry {
            job: entry.job,
            worktree: entry.worktree.into(),
            prompt: entry.prompt.into(),
            prompt_out: entry.prompt_out.into(),
        });
    }
    refuse_clashes(&entries, path)?;
    Ok(entries)
}

/// Refuses jobs that would write over each other's files, or over what is read.
fn refuse_clashes(entries: &[Entry], batch: &Path) -> Result<(), Failure> {
    let mut inputs: BTreeSet<PathBuf> = entries.iter().map(|entry| real(&entry.prompt)).collect();
    inputs.insert(real(batch));
    let mut outputs = BTreeSet::new();
    let mut jobs = BTreeSet::new();
    for entry in entries {
        let out = real(&entry.prompt_out);
        let clash = if inputs.contains(&out) {
            "is both read and written"
        } else if !outputs.insert(out) {
            "is written by two jobs"
        } else if !jobs.insert((real(&entry.worktree), entry.job.id.as_str().to_lowercase())) {
            // Upper and lower case are the same file to some systems.
            let message = format!("job `{}` stands twice in one worktree", entry.job.id);
            return Err(Failure::new(
                "batch_invalid",
                message,
                "give each attempt a batch of its own",
            )
            .at(batch));
        } else {
            continue;
        };
        let message = format!("`{}` {clash}", entry.prompt_out.display());
        return Err(Failure::new(
            "batch_invalid",
            message,
            "give each job a `prompt_out` of its own",
        )
        .at(batch));
    }
    Ok(())
}
