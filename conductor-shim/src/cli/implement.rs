//! `implement`.

use super::args::ImplementArgs;
use super::failure::Failure;
use super::output::{json_line, note, stderr, stdout};
use super::outputs::{kept, refuse_kept, refuse_same};
use super::place::{Meant, block_on};
use super::session::{PROMPT_MAX_BYTES, Session, read_prompt, told};
use crate::job::attempt::{Attempt, Context, attempt};
use crate::job::engine::{Engine, run_engine, signalled};
use crate::job::prompt::augmented;
use crate::project::locate::folder;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;
use vibey_context_contracts::conductor::job::{JOB_MAX_BYTES, Job, parse};
use vibey_context_contracts::exit;
use vibey_context_host::read::read_regular;
use vibey_context_host::write::{deliver, retract};

/// Runs the command.
pub(super) fn run(args: &ImplementArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let prompt_out = args.prompt_out.as_deref();
    if args.json && prompt_out.is_none() && args.engine.is_empty() {
        let message = "standard output cannot take both the prompt and what `--json` prints";
        return Err(Failure::new(
            "usage",
            message,
            "name a file for the prompt with --prompt-out",
        ));
    }
    let worktree = folder(&args.worktree)?;
    let job = read_job(&args.job)?;
    let prompt = match &args.prompt {
        Some(path) => read_prompt(path)?,
        None => read_stdin()?,
    };
    let project = meant.project(&worktree);
    if let Some(out) = prompt_out {
        for input in args.prompt.iter().chain([&args.job]) {
            refuse_same(input, out)?;
        }
        let kept = project.as_ref().map(|(dir, config)| kept(dir, config));
        refuse_kept(out, &kept.unwrap_or_default())?;
        // Nobody must take an earlier prompt for that of a job that failed.
        retract(out)?;
    }
    let (dir, config) = project?;
    let Session { signals, context } = Session::open(meant, &dir, config)?;
    let done = match context {
        Some(context) => block_on(asked(context, &job, &worktree))?,
        None => Attempt::off(&job),
    };
    stderr(&told(&done));
    // Nothing of ours is running now that would have to be ended in order.
    signals.end_within(Some(Duration::ZERO));
    let code = match signals.first() {
        Some(signal) => signalled(signal),
        None => {
            let prompt = augmented(prompt, done.packet.as_deref());
            if let Some(out) = prompt_out {
                deliver(out, &prompt)?;
            }
            match args.engine.split_first() {
                Some((program, args)) => {
                    let engine = Engine {
                        program,
                        args,
                        cwd: &meant.surroundings.cwd,
                        worktree: &worktree,
                        variables: &meant.surroundings.variables,
                    };
                    // From here on a signal is the engine's, and so is the time that it takes.
                    signals.end_within(None);
                    let end = run_engine(&engine, prompt, &signals);
                    signals.end_within(Some(Duration::ZERO));
                    if let Some(failure) = end.failure {
                        note(&format!("error: {failure}"));
                        end.help
                            .into_iter()
                            .for_each(|help| note(&format!("help: {help}")));
                    }
                    end.code
                }
                None if prompt_out.is_none() => {
                    stdout(&prompt)?;
                    exit::DONE
                }
                None => exit::DONE,
            }
        }
    };
    if args.json {
        json_line(&done.summary)?;
    }
    Ok(match code {
        exit::DONE if done.unrecorded.is_some() => exit::SHIM_FAILED,
        code => code,
    })
}

async fn asked(context: Context, job: &Job, worktree: &Path) -> Attempt {
    let done = attempt(&context, job, worktree).await;
    context.recorder.leave().await;
    done
}

fn read_job(path: &Path) -> Result<Job, Failure> {
    // Above the contract's own limit, whose message is the better one.
    let bytes = read_regular(path, 2 * JOB_MAX_BYTES as u64)?;
    let read = parse(&bytes).map_err(|error| Failure::document(error, path, 1))?;
    for warning in &read.warnings {
        note(&format!("note: {warning}"));
    }
    Ok(read.value)
}

fn read_stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let limit = PROMPT_MAX_BYTES + 1;
    let read = std::io::stdin().lock().take(limit).read_to_end(&mut bytes);
    let help = "pipe the prompt in, or name a file with --prompt";
    read.map_err(|error| Failure::new("io", format!("cannot read standard input: {error}"), help))?;
    if bytes.len() as u64 == limit {
        let message = format!("prompt on standard input is larger than {PROMPT_MAX_BYTES} bytes");
        return Err(Failure::new("too_large", message, help));
    }
    Ok(bytes)
}
