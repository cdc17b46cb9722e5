//! `--detect-stale`: which links are broken or have drifted, without their content.

use super::page::{Broken, StaleRefs, yaml_text};
use super::refused::Refused;
use super::resolve;
use super::setup::Setup;
use super::zones::{self, Files, Written};
use crate::text::neutralise::one_line;
use askama::Template as _;
use vibey_context_contracts::materialize::{Counts, StaleRef};
use vibey_context_contracts::time::rfc3339;

/// Name of the file.
pub const STALE_DOCUMENT: &str = "stale-refs.md";

/// The file before it is written.
#[derive(Debug, Clone)]
pub struct Stale {
    /// `stale-refs.md`.
    pub document: String,
    /// Links that are broken or have drifted, in order.
    pub refs: Vec<StaleRef>,
    /// All links; those that are still what they were count as resolved.
    pub counts: Counts,
    /// One sentence each.
    pub warnings: Vec<String>,
}

/// Looks at every link.
///
/// # Errors
/// The runtime can not be started, or a template fails.
pub fn stale(setup: &Setup) -> Result<Stale, Refused> {
    let mut warnings = setup.warnings.clone();
    let refs = resolve::comparisons(&setup.links, &setup.places(), &setup.network, &mut warnings)?;
    let mut broken = Vec::new();
    let mut lines = Vec::new();
    for one in &refs {
        if let Err(why) = &one.outcome {
            lines.push(Broken::new(&one.uri, one.label.as_deref(), &why.reason));
            broken.push(StaleRef {
                uri: one.uri.clone(),
                role: one.label.clone(),
                reason: why.reason.to_string(),
            });
        }
    }
    let (total, unresolved) = (refs.len() as u64, broken.len() as u64);
    let document = StaleRefs {
        artifact: yaml_text(&setup.artifact.relative),
        generated_at: yaml_text(&rfc3339(setup.now_ms)),
        title: one_line(&setup.artifact.title),
        total: refs.len(),
        refs: lines,
    };
    Ok(Stale {
        document: format!("{}\n", document.render()?.trim_end_matches('\n')),
        refs: broken,
        counts: Counts {
            total,
            resolved: total - unresolved,
            unresolved,
            trimmed: 0,
        },
        warnings,
    })
}

/// Writes the file where `context.md` would go.
///
/// # Errors
/// The place was taken meanwhile, or the system refuses.
pub fn write(setup: &Setup, stale: &Stale) -> Result<Option<Written>, Refused> {
    let Some(target) = &setup.target else {
        return Ok(None);
    };
    let files = Files {
        document: (STALE_DOCUMENT, &stale.document),
        sidecar: None,
    };
    zones::write(target, &files).map(Some)
}
