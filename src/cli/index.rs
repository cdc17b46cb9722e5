//! `index build` and `index inspect`.

use super::args::{BuildArgs, IndexAction, IndexArgs, InspectArgs};
use super::failure::Failure;
use super::locate::{Meant, build};
use super::output::{json, stdout};
use crate::corpus::build::Origin;
use crate::corpus::roots;
use crate::text::neutralise::plain_line;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use vibey_context_contracts::exit;
use vibey_context_contracts::index::{BuildOutcome, IndexManifest, IndexReport, SkillEntry};
use vibey_context_contracts::packet::CorpusOrigin;
use vibey_context_contracts::version::SCHEMA_VERSION;
use vibey_context_index::publish;
use vibey_context_index::reader::Reader;
use vibey_context_index::record::SkillRecord;

/// Runs the command.
pub(super) fn run(args: &IndexArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    match &args.action {
        None => build_index(&args.build, meant),
        Some(IndexAction::Build(args)) => build_index(args, meant),
        Some(IndexAction::Inspect(args)) => inspect(args, meant),
    }
}

fn build_index(args: &BuildArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let Some(output) = &args.output else {
        let opened = meant.open(None)?;
        let Some(path) = &opened.path else {
            let help = "name a folder that can be written with `--output`";
            return Err(Failure::new(
                "index_unwritable",
                "no default place for the index can be written",
                help,
            ));
        };
        return say(path, meant, opened.manifest, opened.outcome, args.json);
    };
    let path = meant.surroundings.cwd.join(output);
    let origin = meant.origin()?;
    let (mut manifest, mut outcome) = build(&path, &origin, meant.surroundings)?;
    if matches!(origin, Origin::Found(_)) && manifest.skills.found == 0 {
        meant.instead_of(&origin)?;
        (manifest, outcome) = build(&path, &Origin::Embedded, meant.surroundings)?;
    }
    say(&path, meant, manifest, Some(outcome), args.json)
}

fn say(
    path: &Path,
    meant: &Meant<'_>,
    manifest: IndexManifest,
    outcome: Option<BuildOutcome>,
    as_json: bool,
) -> Result<u8, Failure> {
    let report = report(manifest, outcome);
    if as_json {
        json(&report)?;
    } else {
        stdout(&summary(path, &report, meant.choice.skills))?;
    }
    Ok(exit::DONE)
}

fn inspect(args: &InspectArgs, meant: &Meant<'_>) -> Result<u8, Failure> {
    let path = match &args.index {
        Some(path) => meant.surroundings.cwd.join(path),
        None => default_index(meant)?,
    };
    let (manifest, reader) = publish::open(&path)?;
    if args.deep {
        reader.verify_deep(&manifest)?;
    }
    let mut report = report(manifest, None);
    report.deep = args.deep;
    if args.skills_list {
        report.skills_list = Some(entries(&reader)?);
    }
    if args.json {
        json(&report)?;
    } else {
        // An index that is named knows its roots; the default one is that of the command line.
        let roots = match &args.index {
            Some(_) if meant.choice.skills.is_empty() => roots::restored(&path, &report.roots),
            _ => meant.choice.skills.to_owned(),
        };
        let mut text = summary(&path, &report, &roots);
        for entry in report.skills_list.iter().flatten() {
            text.push_str(&format!(
                "{}/{}  {}\n",
                plain_line(&entry.plugin),
                plain_line(&entry.skill),
                plain_line(&entry.source_path)
            ));
        }
        stdout(&text)?;
    }
    Ok(exit::DONE)
}

/// The first default place that holds an index.
fn default_index(meant: &Meant<'_>) -> Result<PathBuf, Failure> {
    let origin = meant.origin()?;
    let mut places = meant.default_places(&origin);
    if matches!(origin, Origin::Found(_)) {
        // Found folders may hold no skill; the starter corpus is then what was indexed.
        places.extend(meant.default_places(&Origin::Embedded));
    }
    let found = places
        .iter()
        .find(|path| path.join("manifest.json").exists());
    found.cloned().ok_or_else(|| {
        let message = "there is no index of these skills at a default place";
        Failure::new(
            "index_missing",
            message,
            "run `vibey-context index build`, or name an index",
        )
    })
}

/// Every skill of an index, in record order.
pub(super) fn entries(reader: &Reader) -> Result<Vec<SkillEntry>, Failure> {
    (0..reader.skill_count())
        .map(|at| Ok(entry(reader.skill(at)?)))
        .collect()
}

fn entry(record: SkillRecord) -> SkillEntry {
    SkillEntry {
        source_path: record.address(),
        plugin: record.plugin,
        skill: record.skill,
        folder: record.folder,
        version: record.version,
        description: record.description,
        token_estimate: record.token_estimate,
    }
}

fn report(manifest: IndexManifest, outcome: Option<BuildOutcome>) -> IndexReport {
    IndexReport {
        schema_version: SCHEMA_VERSION,
        index_version: manifest.index_version,
        size_bytes: publish::size_bytes(&manifest),
        compiler_version: manifest.compiler_version,
        outcome,
        generation: manifest.generation,
        corpus_sha256: manifest.corpus_sha256,
        corpus_origin: manifest.corpus_origin,
        skills_release: manifest.skills_release,
        roots: manifest.roots,
        skill_count: manifest.skill_count,
        chunk_count: manifest.chunk_count,
        skills: manifest.skills,
        deep: false,
        skills_list: None,
    }
}

fn summary(path: &Path, report: &IndexReport, roots: &[PathBuf]) -> String {
    let did = match report.outcome {
        Some(BuildOutcome::Built) => "built",
        Some(BuildOutcome::Refreshed) => "refreshed",
        Some(BuildOutcome::Fresh) => "fresh",
        None => "index",
    };
    let origin = match report.corpus_origin {
        CorpusOrigin::Roots => "skill roots",
        CorpusOrigin::Embedded => "the starter corpus",
    };
    let skills = &report.skills;
    let mut text = format!(
        "{did} {}\n{} skills and {} sections of {origin}, {} bytes, corpus {}\n\
         found {}: {} ok, {} degraded, {} rejected; {} nested\n",
        path.display(),
        report.skill_count,
        report.chunk_count,
        report.size_bytes,
        report.corpus_sha256,
        skills.found,
        skills.ok,
        skills.degraded,
        skills.rejected,
        skills.nested,
    );
    if skills.degraded + skills.rejected > 0 {
        let _ = writeln!(
            text,
            "run `vibey-context{} check` for what is wrong with them",
            arguments(roots)
        );
    }
    if report.deep {
        text.push_str("every file and section matches its digest\n");
    }
    text
}

/// `--skills ROOT` for each root, as a shell takes it.
fn arguments(roots: &[PathBuf]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,@:=~".contains(c);
    let argument = |root: &PathBuf| {
        let root = plain_line(&root.to_string_lossy());
        if !root.is_empty() && root.chars().all(plain) {
            format!(" --skills {root}")
        } else {
            format!(" --skills '{}'", root.replace('\'', "'\\''"))
        }
    };
    roots.iter().map(argument).collect()
}
