//! `packet`.

use super::args::PacketArgs;
use super::failure::Failure;
use super::locate::{Budget, Meant, Opened};
use super::output::{note, stdout};
use crate::corpus::discover::SKILL_FILE;
use crate::packet::compile::{Compile, Compiled, compile};
use crate::text::tokens::Tokenizer;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use vibey_context_contracts::digest::is_sha256_hex;
use vibey_context_contracts::exit;
use vibey_context_contracts::packet::{PacketManifest, Status};
use vibey_context_contracts::request::REQUEST_MAX_BYTES;
use vibey_context_contracts::request::parse::{Parsed, check_budget, parse};
use vibey_context_host::clock::Stopwatch;
use vibey_context_host::error::HostError;
use vibey_context_host::read::read_regular;
use vibey_context_host::write::{deliver, resolved, retract};

/// A path that means standard input or standard output.
const STREAM: &str = "-";

/// Where the results go.
struct Targets {
    /// `None` for standard output.
    packet: Option<PathBuf>,
    /// `None` where no manifest is asked for.
    manifest: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn run(args: &PacketArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let targets = targets(args, &meant.surroundings.cwd)?;
    // The manifest goes first and comes last: whoever finds one finds its packet. Where it can not go, the packet goes all the
    // same, and stands for nothing.
    let old = targets.manifest.iter().chain(&targets.packet);
    let gone: Vec<_> = old.map(|path| retract(path)).collect();
    gone.into_iter().collect::<Result<(), _>>()?;
    match write(args, meant, &targets) {
        Ok(code) => Ok(code),
        Err(failure) => {
            // A packet without its manifest is not left behind either.
            for path in targets.manifest.iter().chain(&targets.packet) {
                let _ = retract(path);
            }
            Err(failure)
        }
    }
}

fn write(args: &PacketArgs, meant: &Meant<'_>, targets: &Targets) -> Result<u8, Failure> {
    let mut timings = Timings {
        watch: Stopwatch::start(),
        steps: BTreeMap::new(),
    };
    if let Some(expected) = args
        .expect_corpus
        .as_ref()
        .filter(|text| !is_sha256_hex(text))
    {
        let message = format!("`{expected}` is no digest of 64 hexadecimal characters");
        return Err(Failure::new(
            "usage",
            message,
            "`index inspect --json` prints the digest as `corpus_sha256`",
        ));
    }
    if let Some(budget) = args.budget {
        check_budget(budget)
            .map_err(|error| Failure::new(error.code, error.message, error.help))?;
    }
    let parsed = read_request(&args.request, &meant.surroundings.cwd)?;
    timings.step("request");
    let budget = meant.budget(args.budget, &parsed.request)?;
    let opened = meant.open(args.index.as_deref())?;
    timings.step("index");
    if let Some(expected) = args
        .expect_corpus
        .as_ref()
        .filter(|expected| **expected != opened.manifest.corpus_sha256)
    {
        let message = format!(
            "corpus is {}, not {expected}",
            opened.manifest.corpus_sha256
        );
        return Err(Failure::new(
            "corpus_differs",
            message,
            "build the index from the expected skills",
        ));
    }
    let compiled = compiled(parsed, &opened, &budget, args.tokenizer)?;
    timings.step("compile");
    emit(&compiled, targets)?;
    timings.step("write");
    if let Some(path) = &args.timings {
        let text = vibey_context_contracts::canonical::pretty(&timings.steps)?;
        deliver(&meant.surroundings.cwd.join(path), text.as_bytes())?;
    }
    if let Some(text) = explanation(&compiled.manifest) {
        note(&text);
    }
    Ok(match compiled.manifest.status {
        Status::Ok => exit::DONE,
        Status::LowConfidence | Status::BudgetInsufficient => exit::STRUCTURED,
    })
}

/// The packet of a request.
pub(super) fn compiled(
    parsed: Parsed,
    opened: &Opened,
    budget: &Budget,
    tokenizer: Tokenizer,
) -> Result<Compiled, Failure> {
    let Compiled { packet, manifest } = compile(Compile {
        reader: &opened.reader,
        index: &opened.manifest,
        request: &parsed.request,
        warnings: parsed.warnings,
        budget: budget.tokens,
        tokenizer,
        rejected: &|| opened.rejected(),
    })?;
    let manifest = manifest.with_project_file(budget.project_file(opened));
    Ok(Compiled { packet, manifest })
}

/// What a reader should know who finds an empty packet.
pub(super) fn explanation(manifest: &PacketManifest) -> Option<String> {
    match manifest.status {
        Status::Ok => None,
        Status::LowConfidence => Some(
            "note: low_confidence: no skill explains enough of the request; the packet is empty"
                .to_owned(),
        ),
        Status::BudgetInsufficient => Some(format!(
            "note: budget_insufficient: {} tokens are needed, {} allowed; the packet is empty",
            manifest.required_context_tokens.unwrap_or_default(),
            manifest.maximum_context_tokens
        )),
    }
}

/// Durations of the steps in microseconds.
struct Timings {
    watch: Stopwatch,
    steps: BTreeMap<String, u64>,
}

impl Timings {
    fn step(&mut self, name: &str) {
        self.steps
            .insert(format!("{name}_micros"), self.watch.elapsed_micros());
        self.watch = Stopwatch::start();
    }
}

/// The packet first, the manifest last: whoever finds a manifest finds its packet.
fn emit(compiled: &Compiled, targets: &Targets) -> Result<(), Failure> {
    let manifest = compiled.manifest_file()?;
    match &targets.packet {
        Some(path) => deliver(path, compiled.packet.as_bytes())?,
        None => stdout(&compiled.packet)?,
    }
    if let Some(path) = &targets.manifest {
        deliver(path, manifest.as_bytes())?;
    }
    Ok(())
}

fn targets(args: &PacketArgs, cwd: &Path) -> Result<Targets, Failure> {
    let packet = (args.output != Path::new(STREAM)).then(|| cwd.join(&args.output));
    let manifest = match (&args.manifest, &packet) {
        (Some(path), _) => Some(cwd.join(path)),
        (None, Some(packet)) => Some(packet.with_extension("json")),
        (None, None) => None,
    };
    let request = (args.request != Path::new(STREAM)).then(|| cwd.join(&args.request));
    let timings = args.timings.as_ref().map(|path| cwd.join(path));
    let named = [
        ("--request", request),
        ("--output", packet.clone()),
        ("--manifest", manifest.clone()),
        ("--timings", timings),
    ];
    let named: Vec<(&str, PathBuf)> = named
        .into_iter()
        .filter_map(|(name, path)| Some((name, path?)))
        .collect();
    for (name, path) in &named {
        if *name != "--request" {
            refuse_ours(name, path)?;
        }
    }
    for (at, (name, path)) in named.iter().enumerate() {
        for (other, second) in named.iter().skip(at + 1) {
            if same_file(path, second) {
                let message = format!("{name} and {other} are the same file `{}`", path.display());
                return Err(Failure::new("usage", message, "give each its own path"));
            }
        }
    }
    Ok(Targets { packet, manifest })
}

/// Folders between an index and the files in it.
const INDEX_DEPTH: usize = 3;

/// Refuses an output that would replace a skill or a file of an index.
fn refuse_ours(name: &str, path: &Path) -> Result<(), Failure> {
    let path = &resolved(path).unwrap_or_else(|_| path.to_owned());
    let is_index =
        |folder: &&Path| folder.join("generations").is_dir() && folder.join("lock").is_file();
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let what = if file.eq_ignore_ascii_case(SKILL_FILE) {
        "would replace a skill"
    } else if path
        .ancestors()
        .skip(1)
        .take(INDEX_DEPTH)
        .any(|folder| is_index(&folder))
    {
        "lies inside an index"
    } else {
        return Ok(());
    };
    let message = format!("{name} `{}` {what}", path.display());
    Err(Failure::new("usage", message, "name another path"))
}

/// Whether two paths mean the same regular file, whatever links lead there. Devices may stand twice.
fn same_file(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| {
        // A dangling link leads to the file that writing through it would create.
        let path = &resolved(path).unwrap_or_else(|_| path.to_owned());
        path.canonicalize()
            .ok()
            .or_else(|| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?)))
    };
    let device = |path: &Path| {
        path.metadata()
            .is_ok_and(|found| !found.is_file() && !found.is_dir())
    };
    match (real(a), real(b)) {
        (Some(a), Some(b)) => a == b && !device(&a),
        _ => a == b,
    }
}

/// Reads and parses a request; `-` means standard input.
pub(super) fn read_request(path: &Path, cwd: &Path) -> Result<Parsed, Failure> {
    let bytes = if path == Path::new(STREAM) {
        let mut bytes = Vec::new();
        let read = std::io::stdin()
            .lock()
            .take(REQUEST_MAX_BYTES + 1)
            .read_to_end(&mut bytes);
        read.map_err(|error| {
            let message = format!("cannot read standard input: {error}");
            Failure::new(
                "request_unreadable",
                message,
                "pipe the request in, or name a file",
            )
        })?;
        bytes
    } else {
        read_regular(&cwd.join(path), REQUEST_MAX_BYTES).map_err(|error| {
            let (code, help) = match error {
                HostError::TooLarge { .. } => {
                    ("request_too_large", "shorten the texts of the request")
                }
                _ => (
                    "request_unreadable",
                    "name a readable JSON file with `--request`",
                ),
            };
            Failure::new(code, error.to_string(), help).at(path)
        })?
    };
    parse(&bytes).map_err(|error| Failure::request(error, path))
}
