//! What does a command print? The blocks of the original, word for word, from the facts that `--json` prints.

use std::fmt::Write as _;
use vibey_context_contracts::handoff::report::{
    Command, HandoffReport, Outcome, PhaseLine, Place, Reconstruction,
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
        (Outcome::ValidationFailed, _) => failed(report),
        (_, Command::Transition) => transition(report),
        (_, Command::Resume) => resume(report),
        (_, Command::Refresh) => refresh(report),
        (_, Command::Status) => status(report),
        (_, Command::Restart) => moved(
            report,
            &format!(
                "🔄 Pipeline restarted at phase: {}",
                report.target_phase.as_deref().unwrap_or_default()
            ),
        ),
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
                "✅ Artifacts valid for phase: {}\n",
                report.source_phase.as_deref().unwrap_or_default()
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
        out.push('\n');
        if phase.status == Status::Blocked {
            for blocker in &phase.blockers {
                let _ = writeln!(out, "     - {}", in_one_line(blocker));
            }
        }
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
            in_one_line(step_name.as_deref().unwrap_or_default())
        );
    }
    text
}
