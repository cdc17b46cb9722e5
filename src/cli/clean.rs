//! `clean`.

pub(super) mod args;
mod indexes;
mod kept;
mod scratch;

use super::failure::Failure;
use super::locate::Meant;
use super::measures::{age, age_seconds, counted, size};
use super::output::{json, stdout};
use crate::text::neutralise::plain_line;
use args::CleanArgs;
use std::fmt::Write as _;
use std::path::Path;
use vibey_context_contracts::exit;
use vibey_context_contracts::upkeep::{CleanEntry, CleanKind, CleanOutcome, CleanReport};
use vibey_context_contracts::version::SCHEMA_VERSION;
use vibey_context_host::clock::unix_nanos_now;
use vibey_context_host::tree::Extent;

/// Seconds of a day.
const DAY: u64 = 86_400;

/// Runs the command.
pub(super) fn run(args: &CleanArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let mut sweep = Sweep {
        dry_run: args.dry_run,
        older_than: args.older_than * DAY,
        now_ns: unix_nanos_now(),
        entries: Vec::new(),
    };
    indexes::sweep(&mut sweep, meant)?;
    scratch::sweep(&mut sweep, meant, &args.folders)?;
    kept::sweep(&mut sweep, meant);
    let report = sweep.report(args.older_than);
    let failed = |entry: &CleanEntry| entry.outcome == CleanOutcome::Failed;
    let code = match report.entries.iter().any(failed) {
        true => exit::FAILED,
        false => exit::DONE,
    };
    if args.json {
        json(&report)?;
    } else {
        stdout(&text(&report))?;
    }
    Ok(code)
}

/// What is found, and what becomes of it.
struct Sweep {
    dry_run: bool,
    /// Age in seconds from which on what is kept for later goes.
    older_than: u64,
    now_ns: i128,
    entries: Vec<CleanEntry>,
}

/// What happens to something.
enum Verdict {
    /// It goes.
    Goes,
    /// It stays, and why.
    Stays(String),
    /// It should have gone.
    Failed(String),
}

impl Sweep {
    fn age(&self, extent: &Extent) -> u64 {
        age_seconds(extent.newest_ns, self.now_ns)
    }

    fn note(&mut self, kind: CleanKind, path: &Path, extent: &Extent, verdict: Verdict) {
        let (outcome, reason) = match verdict {
            Verdict::Goes if self.dry_run => (CleanOutcome::WouldRemove, None),
            Verdict::Goes => (CleanOutcome::Removed, None),
            Verdict::Stays(why) => (CleanOutcome::Kept, Some(why)),
            Verdict::Failed(why) => (CleanOutcome::Failed, Some(why)),
        };
        self.entries.push(CleanEntry {
            kind,
            path: path.to_string_lossy().into_owned(),
            size_bytes: extent.bytes,
            age_seconds: self.age(extent),
            outcome,
            reason,
        });
    }

    fn report(mut self, older_than_days: u64) -> CleanReport {
        self.entries
            .sort_by(|a, b| (a.kind, &a.path).cmp(&(b.kind, &b.path)));
        self.entries.dedup_by(|a, b| a.path == b.path);
        let gone = |entry: &&CleanEntry| {
            matches!(
                entry.outcome,
                CleanOutcome::Removed | CleanOutcome::WouldRemove
            )
        };
        CleanReport {
            schema_version: SCHEMA_VERSION,
            dry_run: self.dry_run,
            older_than_days,
            freed_bytes: self
                .entries
                .iter()
                .filter(gone)
                .map(|entry| entry.size_bytes)
                .sum(),
            entries: self.entries,
        }
    }
}

fn text(report: &CleanReport) -> String {
    let mut text = String::new();
    let mut gone = 0;
    for entry in &report.entries {
        let did = match entry.outcome {
            CleanOutcome::Removed => "removed",
            CleanOutcome::WouldRemove => "would remove",
            CleanOutcome::Kept => "kept",
            CleanOutcome::Failed => "failed",
        };
        gone += u64::from(entry.reason.is_none());
        let what = match entry.kind {
            CleanKind::Scratch => "leftover of a killed run",
            CleanKind::Generation => "old generation",
            CleanKind::Index => "index",
            CleanKind::Result => "result",
            CleanKind::Answer => "answer of a server",
        };
        let _ = writeln!(
            text,
            "{did}: {what}, {}, {} old\n    {}",
            size(entry.size_bytes),
            age(entry.age_seconds),
            plain_line(&entry.path)
        );
        if let Some(reason) = &entry.reason {
            let _ = writeln!(text, "    {}", plain_line(reason));
        }
    }
    let freed = size(report.freed_bytes);
    let places = counted(gone, "place");
    let _ = match report.dry_run {
        true => writeln!(text, "{freed} in {places} would be freed"),
        false => writeln!(text, "freed {freed} in {places}"),
    };
    text
}
