//! What does a command print? The blocks of the original, word for word, from the facts that `--json` prints.

use crate::handoff::brief::block::in_title;
use std::fmt::Write as _;
use vibey_context_contracts::handoff::report::{
    Command, HandoffReport, JudgedFile, Outcome, PhaseLine, Place, Reconstruction, StepLine,
};
use vibey_context_contracts::handoff::state::{OverallStatus, Status};
use vibey_context_contracts::visible::in_one_line;

/// The report for people.
#[must_use]
pub fn text(report: &HandoffReport) -> String {
    let mut blocks = Vec::new();
    if let Some(reconstruction) = &report.reconstruction {
        blocks.push(reconstructed(report, reconstruction));
    }
    blocks.push(match (report.outcome, report.command) {
        (Outcome::ValidationFailed, _) => failed(report) + &judged(&report.judged),
        (_, Command::Transition) => transition(report),
        (_, Command::Resume) => resume(report),
        (_, Command::Refresh) => refresh(report),
        (_, Command::Status) => status(report),
        (_, Command::Restart) => {
            let first = format!(
                "🔄 Pipeline restarted at phase: {}",
                report.target_phase.as_deref().unwrap_or_default()
            );
            let next = report.next_command.as_deref().unwrap_or_default();
            moved(report, &first) + &format!("➡️ The brief is written by: {}\n", in_one_line(next))
        }
        (_, Command::Finish) => moved(
            report,
            &format!("✅ Pipeline completed for project: {}", report.project_name),
        ),
        (_, Command::Pause) => moved(
            report,
            &format!("⏸️ Pipeline paused for project: {}", report.project_name),
        ),
        (_, Command::Dashboard) => written(report),
        (_, Command::Validate) => {
            format!(
                "✅ Artifacts valid for phase: {}\n{}",
                report.source_phase.as_deref().unwrap_or_default(),
                judged(&report.judged)
            )
        }
    });
    if !report.warnings.is_empty() {
        blocks.push(
            report
                .warnings
                .iter()
                .map(|warning| format!("⚠️ {}\n", in_one_line(warning)))
                .collect(),
        );
    }
    blocks.join("\n")
}

fn transition(report: &HandoffReport) -> String {
    let (source, target) = ends(report);
    let budget = report.budget.as_ref();
    format!(
        "{}\n{source} → {target} | {} tokens (~{}% of budget)\n",
        written(report),
        budget.map_or(0, |budget| budget.tokens),
        budget.map_or(0, |budget| budget.used_percent)
    )
}

fn resume(report: &HandoffReport) -> String {
    format!(
        "🔄 Pipeline resumed for project: {}\n📍 Current position: {}\n{}",
        report.project_name,
        position(report),
        written(report)
    )
}

fn refresh(report: &HandoffReport) -> String {
    format!(
        "🔄 Context refreshed for project: {}\n📍 Position: {}\n{}\n⚠️ No pipeline advancement (refresh only)\n",
        report.project_name,
        position(report),
        written(report)
    )
}

/// A change of the state alone.
fn moved(report: &HandoffReport, first: &str) -> String {
    format!(
        "{first}\n📍 Current position: {}\n{}",
        position(report),
        written(report)
    )
}

/// A line for each file that was written.
fn written(report: &HandoffReport) -> String {
    let mut out = String::new();
    for (words, path) in [
        ("✅ Context brief generated", &report.brief_path),
        ("📊 Pipeline dashboard updated", &report.dashboard_path),
        ("💾 Pipeline state saved", &report.state_path),
    ] {
        if let Some(path) = path {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(out, "{words}: {}", in_one_line(path));
        }
    }
    out
}

fn failed(report: &HandoffReport) -> String {
    let (source, target) = ends(report);
    let mut out = format!("❌ HANDOFF VALIDATION FAILED: {source} → {target}\n\nFailures:\n");
    for (number, failure) in (1..).zip(&report.failures) {
        let _ = writeln!(out, "{number}. {}", in_one_line(failure));
    }
    let is_blocked =
        |phase: &PhaseLine| phase.phase_name == source && phase.status == Status::Blocked;
    if report.phases.iter().any(is_blocked) {
        let _ = writeln!(out, "\nPipeline blocked at phase: {source}");
    }
    let paths: Vec<String> = report
        .failed_paths
        .iter()
        .map(|path| in_one_line(path))
        .collect();
    let _ = writeln!(
        out,
        "\nAction required: Re-run the {source} phase or fix the artifact manually at {}.",
        paths.join(" or ")
    );
    out
}

fn reconstructed(report: &HandoffReport, inferred: &Reconstruction) -> String {
    let list = |items: &[String]| match items {
        [] => "None".to_owned(),
        items => in_one_line(&items.join(", ")),
    };
    format!(
        "⚠️ Pipeline state was reconstructed from disk artifacts.\n\n\
         Reconstruction confidence: {}\n\
         Inferred pipeline type: {}\n\
         Inferred current phase: {} (phase {})\n\n\
         Accuracy is approximate. Please verify:\n\
         - Current phase: {}\n\
         - Completed phases: {}\n\
         - Artifacts found: {}\n\n\
         If this is incorrect, manually edit: {}\n",
        inferred.confidence.shown(),
        report.pipeline_type,
        inferred.phase_name,
        inferred.phase_number,
        inferred.phase_name,
        list(&inferred.completed_phases),
        list(&inferred.artifacts_found),
        in_one_line(&inferred.state_path)
    )
}

fn status(report: &HandoffReport) -> String {
    let overall = report
        .overall_status
        .map_or("unknown", OverallStatus::as_str);
    let mut out = format!(
        "📍 {} ({}): {overall}\nCurrent position: {}\n\n",
        report.project_name,
        report.pipeline_type,
        position(report)
    );
    let width = report
        .phases
        .iter()
        .map(|phase| phase.phase_name.len())
        .max()
        .unwrap_or_default();
    for phase in &report.phases {
        let _ = write!(
            out,
            "{:>3}  {:width$}  {}",
            phase.phase_number,
            phase.phase_name,
            phase.status.as_str()
        );
        if phase.artifacts > 0 {
            let _ = write!(
                out,
                ", {} artifact{}",
                phase.artifacts,
                if phase.artifacts == 1 { "" } else { "s" }
            );
        }
        let done = |step: &&StepLine| step.status == Status::Completed;
        if !phase.steps.is_empty() {
            let count = phase.steps.iter().filter(done).count();
            let _ = write!(out, ", {count} of {} steps", phase.steps.len());
        }
        out.push('\n');
        if phase.status == Status::Blocked {
            for blocker in &phase.blockers {
                let _ = writeln!(out, "     - {}", in_one_line(blocker));
            }
        }
        let position = report.position.as_ref();
        let is_current = position.is_some_and(|at| at.phase_number == phase.phase_number);
        out.push_str(&steps(phase, is_current));
    }
    format!("{out}\n{}", places(report))
}

/// The mark of a step.
fn mark(status: Status) -> &'static str {
    match status {
        Status::Completed => "✓",
        Status::InProgress => "▶",
        Status::Pending | Status::Blocked | Status::Skipped => " ",
    }
}

/// The stories of the current phase, by name.
fn steps(phase: &PhaseLine, is_current: bool) -> String {
    let mut out = String::new();
    if is_current {
        for step in &phase.steps {
            let _ = writeln!(
                out,
                "     {} {}  {}",
                mark(step.status),
                step.step_number,
                in_title(&step.step_name)
            );
        }
    }
    out
}

/// Where the files of a pipeline lie, and what comes next.
fn places(report: &HandoffReport) -> String {
    let mut out = String::new();
    for (words, path) in [
        ("Brief", &report.brief_path),
        ("Dashboard", &report.dashboard_path),
        ("State", &report.state_path),
    ] {
        let shown = path.as_deref().map_or("none yet".to_owned(), in_one_line);
        let _ = write!(out, "{words}: {shown}");
        if let (Some(budget), "Brief") = (&report.budget, words) {
            let _ = write!(
                out,
                " | {} tokens (~{}% of budget) | {}",
                budget.tokens,
                budget.used_percent,
                budget.status.shown()
            );
        }
        out.push('\n');
    }
    if let Some(next) = &report.next_command {
        let _ = writeln!(out, "Next: {}", in_one_line(next));
    }
    out
}

/// Which files were judged, and by what.
fn judged(files: &[JudgedFile]) -> String {
    let mut out = String::new();
    for file in files {
        let rule = match &file.rule {
            Some(rule) => format!("rule {}: {}", in_one_line(rule), file.requires.join("; ")),
            None => "no rule: it has to hold something".to_owned(),
        };
        let _ = writeln!(out, "Judged: {} by {rule}", in_one_line(&file.path));
    }
    out
}

fn ends(report: &HandoffReport) -> (&str, &str) {
    (
        report.source_phase.as_deref().unwrap_or_default(),
        report.target_phase.as_deref().unwrap_or_default(),
    )
}

/// `Phase 2 (implementer), Step 3 (Profiles)`.
fn position(report: &HandoffReport) -> String {
    let Some(Place {
        phase_number,
        phase_name,
        step_number,
        step_name,
    }) = &report.position
    else {
        return "unknown".to_owned();
    };
    let mut text = format!("Phase {phase_number} ({phase_name})");
    if let Some(step) = step_number {
        let _ = write!(
            text,
            ", Step {step} ({})",
            in_title(step_name.as_deref().unwrap_or_default())
        );
    }
    text
}
