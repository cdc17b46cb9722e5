//! The command line, as it is typed.

use super::ledger::LedgerArgs;
use super::report::ReportArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::ffi::OsString;
use std::path::PathBuf;
use vibey_context_contracts::conductor::config::Mode;
use vibey_context_contracts::conductor::event::Verdict;

/// What `--version` prints: the version, and in a release the commit. `-V` has the version alone.
const LONG_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("VIBEY_COMMIT"));

/// Give implement jobs their packets, and record what came of it
///
/// Asks vibey-context for one packet per job over a process boundary. A failure of the compiler never fails a job: the
/// prompt then stays as it was.
#[derive(Debug, Parser)]
#[command(
    name = "vibey-conductor",
    version,
    long_version = LONG_VERSION,
    propagate_version = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Exit codes: 0 done, 1 error or usage, 2 a structured result that says no; implement and run: the engine's own, 125 where this program failed (see docs/exit-codes.md)"
)]
pub struct Cli {
    /// Project whose configuration and ledger are meant
    ///
    /// Without it: the main working tree of the repository that holds the worktree, or the current directory.
    #[arg(long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// One variant for each command; one file in `cli` for each.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write mode and budget into the project's configuration
    New(NewArgs),
    /// Run one job
    Implement(ImplementArgs),
    /// Run a batch of jobs
    Run(RunArgs),
    /// Record how an attempt ended
    Outcome(OutcomeArgs),
    /// Read the ledger
    Ledger(LedgerArgs),
    /// Measure what packets do
    Report(ReportArgs),
    /// Compile a past job again and compare
    Reproduce(ReproduceArgs),
    /// Print a completion script for a shell
    Completions {
        /// Shell to write for
        shell: Shell,
    },
}

/// Arguments of `new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// What happens to jobs [default: what the file says, else off]
    #[arg(long, value_name = "MODE")]
    pub skills_context_mode: Option<ModeArg>,
    /// Tokens of a packet at most, 1000 to 32000 [default: what the file says, else 6000]
    #[arg(long, value_name = "TOKENS")]
    pub skills_context_budget: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// [`Mode`], as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// Compile, write and record nothing
    Off,
    /// Compile and record; prompts stay as they are
    Shadow,
    /// Compile and record, and append the packet to the prompt
    Inject,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Off => Self::Off,
            ModeArg::Shadow => Self::Shadow,
            ModeArg::Inject => Self::Inject,
        }
    }
}

/// Arguments of `implement`.
#[derive(Debug, Args)]
pub struct ImplementArgs {
    /// Job to run
    #[arg(long, value_name = "FILE")]
    pub job: PathBuf,
    /// Working tree in which it runs
    #[arg(long, value_name = "DIR")]
    pub worktree: PathBuf,
    /// Prompt of the job [default: standard input]
    #[arg(long, value_name = "FILE")]
    pub prompt: Option<PathBuf>,
    /// Where the final prompt goes [default: standard output, unless there is an engine]
    #[arg(long, value_name = "FILE")]
    pub prompt_out: Option<PathBuf>,
    /// Print what was recorded as a line of JSON, after what the engine prints
    #[arg(long)]
    pub json: bool,
    /// Engine that gets the final prompt on standard input, and its arguments
    #[arg(last = true, value_name = "ENGINE")]
    pub engine: Vec<OsString>,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// Batch: one JSON object a line, with job, worktree, prompt and prompt_out
    #[arg(long, value_name = "FILE")]
    pub jobs: PathBuf,
    /// Jobs at a time [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub parallel: Option<u16>,
    /// Draw a progress bar on a terminal
    #[arg(long)]
    pub progress: bool,
    /// Print what was recorded, a line of JSON for each job
    #[arg(long)]
    pub json: bool,
}

/// The largest number of turns, retries or tokens: what is larger is a mistake, and would spoil every mean.
const FIGURE_MAX: u64 = 1_000_000_000_000;

/// Arguments of `outcome`.
#[derive(Debug, Args)]
pub struct OutcomeArgs {
    /// Job that ended
    #[arg(long, value_name = "ID")]
    pub job: String,
    /// Project of the job [default: the one whose ledger rows name it]
    #[arg(long, value_name = "ID")]
    pub project_id: Option<String>,
    /// Attempt that ended
    #[arg(long, value_name = "N")]
    pub attempt: u32,
    /// How it ended
    #[arg(long)]
    pub result: ResultArg,
    /// What the agent cost in US dollars, with at most six decimals
    #[arg(long, value_name = "USD")]
    pub cost: Option<String>,
    /// Turns of the agent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=FIGURE_MAX))]
    pub turns: Option<u64>,
    /// Retries within the attempt
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=FIGURE_MAX))]
    pub retries: Option<u64>,
    /// Tokens that the agent used
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=FIGURE_MAX))]
    pub tokens: Option<u64>,
    /// Print what was recorded as JSON
    #[arg(long)]
    pub json: bool,
}

/// [`Verdict`], as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ResultArg {
    /// The work was accepted
    Accepted,
    /// It was not
    Rejected,
}

impl From<ResultArg> for Verdict {
    fn from(result: ResultArg) -> Self {
        match result {
            ResultArg::Accepted => Self::Accepted,
            ResultArg::Rejected => Self::Rejected,
        }
    }
}

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// Working tree in which the job ran
    #[arg(long, value_name = "DIR")]
    pub worktree: PathBuf,
    /// Job to compile again
    #[arg(long, value_name = "ID")]
    pub job: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Command {
    /// Whether errors go to standard output as JSON.
    #[must_use]
    pub fn json(&self) -> bool {
        match self {
            Self::New(args) => args.json,
            Self::Implement(args) => args.json,
            Self::Run(args) => args.json,
            Self::Outcome(args) => args.json,
            Self::Ledger(args) => args.json(),
            Self::Report(args) => args.json,
            Self::Reproduce(args) => args.json,
            Self::Completions { .. } => false,
        }
    }
}
