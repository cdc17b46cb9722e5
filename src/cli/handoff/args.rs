//! The words of `handoff`.

use crate::cli::values::tokenizer;
use crate::text::tokens::{ESTIMATOR, Tokenizer};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Arguments of `handoff`.
#[derive(Debug, Args)]
pub struct HandoffArgs {
    /// What to do
    #[command(subcommand)]
    pub action: HandoffAction,
}

/// One variant for each command; one file in `handoff` for each.
#[derive(Debug, Subcommand)]
pub enum HandoffAction {
    /// Go from one phase to the next: judge its artifacts, write the brief of the next one
    Transition(TransitionArgs),
    /// Go on from where the pipeline stands; infer that from artifacts where there is no state
    Resume(BriefArgs),
    /// Write the brief of the current position again, and nothing else
    Refresh(RefreshArgs),
    /// Go back to a phase; no file of the project is touched
    Restart(RestartArgs),
    /// Judge the artifacts of a phase, and write nothing
    Validate(ValidateArgs),
    /// Complete the last phase and with it the pipeline
    Finish(ChangeArgs),
    /// Put the pipeline on hold until somebody resumes
    Pause(ChangeArgs),
    /// Print where the pipeline stands
    Status(StatusArgs),
    /// Write the dashboard again
    Dashboard(DashboardArgs),
}

/// Arguments of every command.
#[derive(Debug, Args)]
pub struct CommonArgs {
    /// Name of the project
    #[arg(long, value_name = "NAME")]
    pub project: String,
    /// Folder of the project
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub project_path: PathBuf,
    /// Folder of state, briefs and dashboards [default: ~/.claude/sdd]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Time to write instead of the clock's, as 2026-11-30T15:45:00Z
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,
    /// UUID of a pipeline that begins, instead of a random one
    #[arg(long, value_name = "UUID")]
    pub id: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of commands that change the state.
#[derive(Debug, Args)]
pub struct ChangeArgs {
    /// The arguments of every command.
    #[command(flatten)]
    pub common: CommonArgs,
    /// Take the state over from another folder: the project has moved
    #[arg(long)]
    pub adopt_path: bool,
}

/// Arguments of commands that may change the state and write a brief.
#[derive(Debug, Args)]
pub struct BriefArgs {
    /// The arguments of commands that change the state.
    #[command(flatten)]
    pub change: ChangeArgs,
    /// Count tokens by NAME, an estimate or a vocabulary (see docs/tokens.md)
    #[arg(long, value_name = "NAME", default_value = ESTIMATOR, value_parser = tokenizer())]
    pub tokenizer: Tokenizer,
}

/// Arguments of `transition`.
#[derive(Debug, Args)]
pub struct TransitionArgs {
    /// Phase that hands over
    #[arg(long, value_name = "PHASE")]
    pub from: String,
    /// Phase that takes over
    #[arg(long, value_name = "PHASE")]
    pub to: String,
    /// Type of the pipeline [default: the state's, else the one with both phases]
    #[arg(long, value_name = "TYPE")]
    pub pipeline: Option<String>,
    /// User story to work on [default: the state's, else the first]
    #[arg(long, value_name = "N", value_parser = whole_number)]
    pub step: Option<u32>,
    /// Go on although the pipeline stands elsewhere
    #[arg(long)]
    pub force: bool,
    /// The arguments of commands that write a brief.
    #[command(flatten)]
    pub brief: BriefArgs,
}

/// Arguments of `refresh`.
#[derive(Debug, Args)]
pub struct RefreshArgs {
    /// The arguments of every command.
    #[command(flatten)]
    pub common: CommonArgs,
    /// Count tokens by NAME, an estimate or a vocabulary (see docs/tokens.md)
    #[arg(long, value_name = "NAME", default_value = ESTIMATOR, value_parser = tokenizer())]
    pub tokenizer: Tokenizer,
}

/// Arguments of `restart`.
#[derive(Debug, Args)]
pub struct RestartArgs {
    /// Phase to go back to
    #[arg(long, value_name = "PHASE")]
    pub phase: String,
    /// The arguments of commands that change the state.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// Arguments of `validate`.
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// Phase to judge [default: the current one]
    #[arg(long, value_name = "PHASE")]
    pub phase: Option<String>,
    /// Type of the pipeline [default: the state's, else the one with the phase]
    #[arg(long, value_name = "TYPE")]
    pub pipeline: Option<String>,
    /// The arguments of every command.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Arguments of `status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// The arguments of every command.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Arguments of `dashboard`.
#[derive(Debug, Args)]
pub struct DashboardArgs {
    /// Open it in a browser
    #[arg(long)]
    pub open: bool,
    /// The arguments of every command.
    #[command(flatten)]
    pub common: CommonArgs,
}

fn whole_number(text: &str) -> Result<u32, String> {
    text.parse()
        .map_err(|_| "it is the number of a story, a whole number".to_owned())
}

/// What every command is told, with what only some take.
pub(super) struct Asked<'a> {
    /// The arguments of every command.
    pub(super) common: &'a CommonArgs,
    /// Whether the project may have moved.
    pub(super) adopt_path: bool,
    /// What tokens are counted by.
    pub(super) tokenizer: Tokenizer,
}

impl HandoffArgs {
    /// Whether errors go to standard output as JSON.
    #[must_use]
    pub fn json(&self) -> bool {
        self.asked().common.json
    }

    /// What the command is told.
    pub(super) fn asked(&self) -> Asked<'_> {
        let brief = |args: &'_ BriefArgs| (args.change.adopt_path, args.tokenizer);
        let plain = (false, Tokenizer::Estimate);
        let change = |args: &'_ ChangeArgs| (args.adopt_path, Tokenizer::Estimate);
        let (common, (adopt_path, tokenizer)) = match &self.action {
            HandoffAction::Transition(args) => (&args.brief.change.common, brief(&args.brief)),
            HandoffAction::Resume(args) => (&args.change.common, brief(args)),
            HandoffAction::Refresh(args) => (&args.common, (false, args.tokenizer)),
            HandoffAction::Restart(args) => (&args.change.common, change(&args.change)),
            HandoffAction::Finish(args) | HandoffAction::Pause(args) => {
                (&args.common, change(args))
            }
            HandoffAction::Validate(args) => (&args.common, plain),
            HandoffAction::Status(args) => (&args.common, plain),
            HandoffAction::Dashboard(args) => (&args.common, plain),
        };
        Asked {
            common,
            adopt_path,
            tokenizer,
        }
    }
}
