//! The command line, as it is typed.

use super::clean::args::CleanArgs;
use super::doctor::args::DoctorArgs;
use super::handoff::args::HandoffArgs;
use super::values::{Roles, consumer, mode, roles, tokenizer, verbosity};
use crate::materialize::report::Verbosity;
use crate::text::tokens::{ESTIMATOR, Tokenizer};
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;
use vibey_context_contracts::materialize::{Consumer, Mode};

/// What `--version` prints: the version, and in a release the commit. `-V`, and whatever has a digest, has the version alone.
const LONG_VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("VIBEY_COMMIT"));

/// Compile what a coding agent reads before it works
///
/// Packets need no network and are reproducible: the same skills and the same request give the same bytes, on any machine.
/// Only `materialize` asks servers: those that links name, and nothing else.
#[derive(Debug, Parser)]
#[command(
    name = "vibey-context",
    version,
    long_version = LONG_VERSION,
    propagate_version = true,
    arg_required_else_help = true
)]
#[command(
    after_help = "Exit codes: 0 done, 1 error or usage, 2 a structured result that says no; `materialize` and `markers` have their own (see docs/exit-codes.md)"
)]
pub struct Cli {
    /// Read skills below ROOT (repeatable)
    ///
    /// Without it: what vibey-context.toml of the repository names, else .claude/skills, .agents/skills, skills and plugins of this folder and those above up to the root of
    /// the repository, then those in the home folder, then the starter corpus.
    #[arg(long, global = true, value_name = "ROOT")]
    pub skills: Vec<PathBuf>,
    /// Use the starter corpus inside the program
    #[arg(long, global = true, conflicts_with = "skills")]
    pub embedded: bool,
    /// Pass over vibey-context.toml, the project file (see docs/project-file.md)
    #[arg(long, global = true)]
    pub no_project_file: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// One variant for each command; one file in `cli` for each.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Build, refresh or inspect an index
    #[command(args_conflicts_with_subcommands = true)]
    Index(IndexArgs),
    /// Compile a packet from a request
    Packet(PacketArgs),
    /// Gather the documents that an artifact links to
    Materialize(MaterializeArgs),
    /// Search sections of skills
    Search(SearchArgs),
    /// Compile a packet again and compare it with its manifest
    Reproduce(ReproduceArgs),
    /// Explain why a skill is chosen for a request, or not
    Why(WhyArgs),
    /// Measure how well requests with known answers find them
    Evaluate(EvaluateArgs),
    /// List plugins and their skills
    List(ListArgs),
    /// Report what is wrong with skills
    Check(CheckArgs),
    #[command(
        after_help = "Exit codes: 0 done, 1 artifacts are not good enough, 2 any failure (see docs/handoff.md)"
    )]
    /// Hand over from one phase of a pipeline of agents to the next
    Handoff(HandoffArgs),
    /// Keep agents out of generated folders
    Markers(MarkersArgs),
    /// Answer an MCP client over standard input and output
    Mcp(McpArgs),
    /// Say what of this installation works here, and what to do about the rest
    Doctor(DoctorArgs),
    /// Remove what killed runs, old builds and earlier results have left
    Clean(CleanArgs),
    /// Print the version of the compiler and of each contract it speaks
    Contract(JsonArgs),
    /// Print a completion script for a shell
    Completions {
        /// Shell to write for
        shell: Shell,
    },
    /// Print the manual page
    Man,
}

/// `index`, with or without `build`.
#[derive(Debug, Args)]
pub struct IndexArgs {
    /// `build` or `inspect`; `build` where neither is named.
    #[command(subcommand)]
    pub action: Option<IndexAction>,
    /// The arguments of `build`.
    #[command(flatten)]
    pub build: BuildArgs,
}

/// What to do with an index.
#[derive(Debug, Subcommand)]
pub enum IndexAction {
    /// Build the index, or refresh it; a fresh one is left as it is
    Build(BuildArgs),
    /// Check and describe an index
    Inspect(InspectArgs),
}

/// Arguments of `index build`.
#[derive(Debug, Args)]
pub struct BuildArgs {
    /// Write the index to DIR instead of its default place
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `index inspect`.
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// Index to inspect instead of the default one
    #[arg(value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// List the skills too
    #[arg(long)]
    pub skills_list: bool,
    /// Hash every file and section again
    #[arg(long)]
    pub deep: bool,
}

/// Arguments of `packet`.
#[derive(Debug, Args)]
pub struct PacketArgs {
    /// Request to compile, `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub request: PathBuf,
    /// Where the packet goes, `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Where the manifest goes [default: the packet's path, ending in .json]
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,
    /// Tokens of the whole packet at most, 1000 to 32000 [default: the request's, else 6000]
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<u64>,
    /// Count tokens by NAME, an estimate or a vocabulary (see docs/tokens.md)
    #[arg(long, value_name = "NAME", default_value = ESTIMATOR, value_parser = tokenizer())]
    pub tokenizer: Tokenizer,
    /// Index to use as it is, instead of the default one brought up to date
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Refuse any corpus but the one with this digest
    #[arg(long, value_name = "SHA256")]
    pub expect_corpus: Option<String>,
    /// Write how long each step took to FILE, as JSON
    #[arg(long, value_name = "FILE")]
    pub timings: Option<PathBuf>,
    /// Report errors as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `materialize`.
#[derive(Debug, Args)]
pub struct MaterializeArgs {
    /// Thread, leaf, NODE.md or impl-spec whose links to walk [default: the one that fits in this folder]
    #[arg(value_name = "ARTIFACT")]
    pub artifact: Option<PathBuf>,
    /// What to do [default: materialize]
    #[arg(long, value_name = "MODE", value_parser = mode())]
    pub mode: Option<Mode>,
    /// Report links that are broken or have drifted, without their content
    #[arg(long, conflicts_with = "dry_run")]
    pub detect_stale: bool,
    /// Print what would be written
    #[arg(long)]
    pub dry_run: bool,
    /// Who reads the result: the preset of the budget
    #[arg(long, value_name = "WHO", default_value = "author", value_parser = consumer())]
    pub consumer: Consumer,
    /// Only links with these roles, between commas [default: all]
    #[arg(long, value_name = "ROLES", value_delimiter = ',', value_parser = roles())]
    pub roles: Vec<Roles>,
    /// Tokens of the whole file at most [default: the consumer's, 8000, 32000, 2000 or none]
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_tokens: Option<u64>,
    /// Write below .context/ beside the artifact
    #[arg(long)]
    pub persist: bool,
    /// With --persist, write only what was confirmed
    #[arg(long)]
    pub strict: bool,
    /// Confirm that --persist or --out may keep private content in the brain
    #[arg(long)]
    pub confirm_persist: bool,
    /// Write to PATH: a file where it ends in .md, else a folder
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
    /// Ask servers again for what the cache has
    #[arg(long)]
    pub refresh: bool,
    /// Brain, or its parent [default: the one around this folder]
    #[arg(long, value_name = "DIR")]
    pub brain: Option<PathBuf>,
    /// Configuration of MCP servers [default: project-brain/mcp.json in the folder for configurations]
    #[arg(long, value_name = "FILE")]
    pub mcp_config: Option<PathBuf>,
    /// Let the .mcp.json of the project name MCP servers too; their commands are run
    #[arg(long)]
    pub trust_project_mcp: bool,
    /// Read private places too, such as .git, .ssh and .env
    #[arg(long)]
    pub allow_private: bool,
    /// Let links lead to this machine and its network
    #[arg(long)]
    pub allow_private_network: bool,
    /// Wait so long for each answer of a server at most
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub timeout: u64,
    /// Count tokens by NAME, an estimate or a vocabulary (see docs/tokens.md)
    #[arg(long, value_name = "NAME", default_value = ESTIMATOR, value_parser = tokenizer())]
    pub tokenizer: Tokenizer,
    /// How much to print [default: PROJECT_BRAIN_VERBOSITY, else the brain's config.yaml, else terse]
    #[arg(long, value_name = "HOW", value_parser = verbosity())]
    pub verbosity: Option<Verbosity>,
    /// Take TIME for now (RFC 3339)
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,
    /// Print the state passed forward, or the plan, as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `search`.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Words to look for
    pub query: String,
    /// Index to use as it is, instead of the default one brought up to date
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Sections to print at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
    /// Print where each score comes from, by word and field
    #[arg(long)]
    pub explain: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// Manifest of the packet
    #[arg(long, value_name = "FILE")]
    pub manifest: PathBuf,
    /// Request that it was compiled from
    #[arg(long, value_name = "FILE")]
    pub request: PathBuf,
    /// Index to use as it is, instead of the default one brought up to date
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Report errors as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `why`.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// Skill to explain: its name, its folder or plugin/skill
    pub skill: String,
    /// Request to explain it for, `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub request: PathBuf,
    /// Tokens of the whole packet at most, 1000 to 32000 [default: the request's, else 6000]
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<u64>,
    /// Count tokens by NAME, an estimate or a vocabulary (see docs/tokens.md)
    #[arg(long, value_name = "NAME", default_value = ESTIMATOR, value_parser = tokenizer())]
    pub tokenizer: Tokenizer,
    /// Index to use as it is, instead of the default one brought up to date
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Report errors as JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `evaluate`.
#[derive(Debug, Args)]
pub struct EvaluateArgs {
    /// Requests with the skills that answer them, as JSON (see docs/evaluate.md)
    #[arg(long, value_name = "FILE")]
    pub cases: PathBuf,
    /// Index to use as it is, instead of the default one brought up to date
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// What an earlier run printed with --json; end with 2 where a case has become worse
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only this plugin
    #[arg(long, value_name = "NAME")]
    pub plugin: Option<String>,
    /// Index to use as it is, instead of the default one brought up to date
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Roots to check instead of those that would be indexed
    #[arg(value_name = "ROOT")]
    pub roots: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Let warnings fail too
    #[arg(long)]
    pub strict: bool,
}

/// `markers`.
#[derive(Debug, Args)]
#[command(
    after_help = "--skills and --embedded are refused here, and by each of these commands.\n\nExit codes: 0 success, 1 failed check, generator or restore, 2 refused or failed before the generator ran (see docs/markers.md)"
)]
pub struct MarkersArgs {
    /// What to do.
    #[command(subcommand)]
    pub action: MarkersAction,
}

/// What to do with markers, in the project that is the working directory.
#[derive(Debug, Subcommand)]
pub enum MarkersAction {
    /// Create and update the markers of a manifest
    Apply(ManifestArgs),
    /// Say whether the markers of a manifest are up to date, and change nothing
    Check(ManifestArgs),
    /// Apply, run the generator of the manifest, and restore the markers
    Generate(ManifestArgs),
    /// Say whether agents may read a path, and which marker decides
    Explain(ExplainArgs),
    /// List markers that a manifest does not name
    Orphans(OrphansArgs),
}

/// Arguments of `markers apply`, `check` and `generate`.
#[derive(Debug, Args)]
pub struct ManifestArgs {
    /// Manifest, relative to the working directory (see docs/markers.md)
    #[arg(long, value_name = "FILE")]
    pub manifest: PathBuf,
}

/// Arguments of `markers explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// File or folder, which need not exist
    pub path: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `markers orphans`.
#[derive(Debug, Args)]
pub struct OrphansArgs {
    /// Manifest, relative to the working directory
    #[arg(long, value_name = "FILE")]
    pub manifest: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `mcp`.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Index to use as it is, instead of the default one brought up to date for each call
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Count tokens by NAME, an estimate or a vocabulary (see docs/tokens.md)
    #[arg(long, value_name = "NAME", default_value = ESTIMATOR, value_parser = tokenizer())]
    pub tokenizer: Tokenizer,
    /// Print notes to standard error
    #[arg(long)]
    pub log: bool,
}

/// Arguments of commands that take nothing else.
#[derive(Debug, Args)]
pub struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl Command {
    /// Whether errors go to standard output as JSON.
    #[must_use]
    pub fn json(&self) -> bool {
        match self {
            Self::Index(IndexArgs {
                action: Some(IndexAction::Inspect(args)),
                ..
            }) => args.json,
            Self::Index(IndexArgs {
                action: Some(IndexAction::Build(args)),
                ..
            }) => args.json,
            Self::Index(IndexArgs {
                action: None,
                build,
            }) => build.json,
            Self::Packet(args) => args.json,
            Self::Materialize(args) => args.json,
            Self::Search(args) => args.json,
            Self::Reproduce(args) => args.json,
            Self::Why(args) => args.json,
            Self::Evaluate(args) => args.json,
            Self::List(args) => args.json,
            Self::Check(args) => args.json,
            Self::Handoff(args) => args.json(),
            Self::Doctor(args) => args.json,
            Self::Clean(args) => args.json,
            Self::Contract(args) => args.json,
            // `markers` reports its failures itself.
            Self::Markers(_) | Self::Completions { .. } | Self::Man => false,
            // Standard output is the protocol's.
            Self::Mcp(_) => false,
        }
    }

    /// Whether this is `markers`, which has rules of its own for usage errors.
    #[must_use]
    pub fn is_markers(&self) -> bool {
        matches!(self, Self::Markers(_))
    }
}
