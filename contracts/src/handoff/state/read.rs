//! From the bytes of a state file to a state, or why they are none.

use super::PipelineState;
use crate::handoff::name;
use crate::version::SCHEMA_VERSION;
use serde_json::Value;

/// Key by which a later format would announce itself; the first one has none.
const VERSION_KEY: &str = "schema_version";

/// Why bytes are no state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateFault {
    /// Not JSON: cut off, overwritten, or never a state.
    #[error("it is not valid JSON: {0}")]
    Torn(String),
    /// JSON of another shape.
    #[error("it is not a pipeline state: {0}")]
    Foreign(String),
    /// Written by a later version: it is whole, and not ours to change.
    #[error("it has `schema_version` {0}, and this program reads {SCHEMA_VERSION}")]
    Newer(String),
}

/// Reads a state.
///
/// # Errors
/// [`StateFault`].
pub fn parse(bytes: &[u8]) -> Result<PipelineState, StateFault> {
    match serde_json::from_slice::<PipelineState>(bytes) {
        Ok(state) => {
            refuse_newer(state.unknown.get(VERSION_KEY))?;
            check(&state).map_err(StateFault::Foreign)?;
            Ok(state)
        }
        Err(fault) => match serde_json::from_slice::<Value>(bytes) {
            Ok(value) => {
                refuse_newer(value.get(VERSION_KEY))?;
                Err(StateFault::Foreign(fault.to_string()))
            }
            Err(fault) => Err(StateFault::Torn(fault.to_string())),
        },
    }
}

fn refuse_newer(version: Option<&Value>) -> Result<(), StateFault> {
    match version {
        Some(version) if version.as_u64() != Some(u64::from(SCHEMA_VERSION)) => {
            Err(StateFault::Newer(version.to_string()))
        }
        _ => Ok(()),
    }
}

/// What the types do not say: names are names, phases are numbered from 1, and the position is one of them.
fn check(state: &PipelineState) -> Result<(), String> {
    for (what, text) in [
        ("project_name", &state.project_name),
        ("pipeline_type", &state.pipeline_type),
    ] {
        if let Some(reason) = name::fault(text) {
            return Err(format!("`{what}` {reason}"));
        }
    }
    for (number, phase) in (1u32..).zip(&state.phases) {
        if phase.phase_number != number {
            return Err(format!(
                "phase {number} has the number {}",
                phase.phase_number
            ));
        }
        if let Some(reason) = name::fault(&phase.phase_name) {
            return Err(format!("name of phase {number} {reason}"));
        }
    }
    let current = &state.current_phase;
    let is_known = state.phases.iter().any(|phase| {
        phase.phase_number == current.phase_number && phase.phase_name == current.phase_name
    });
    if is_known {
        return Ok(());
    }
    let known: Vec<String> = state
        .phases
        .iter()
        .map(|phase| format!("{} `{}`", phase.phase_number, phase.phase_name))
        .collect();
    Err(format!(
        "`current_phase` is {} `{}`, none of `phases`: {}",
        current.phase_number,
        current.phase_name,
        known.join(", ")
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn state() -> Value {
        json!({
            "pipeline_id": "i", "pipeline_type": "sdd", "project_name": "p", "project_path": "~/p",
            "started_at": "t", "updated_at": "t", "overall_status": "in-progress",
            "current_phase": {"phase_number": 1, "phase_name": "a", "step_number": null, "step_name": null, "zz": 1},
            "phases": [{
                "phase_number": 1, "phase_name": "a", "display_name": "A", "status": "pending", "started_at": null,
                "completed_at": null, "summary": null, "artifacts": [], "context_brief_path": null, "blockers": [],
                "steps": [], "notes": {"kept": [1.5, null]},
            }],
            "accumulated_context": {
                "key_decisions": [], "artifacts_created": [], "files_modified": [], "test_results": {}, "deviations": [],
            },
            "config": {
                "context_window": 128_000, "compression_threshold": 0.6, "enable_drift_detection": true,
                "enable_dashboard": true,
            },
            "reconstructed": false, "reconstruction_confidence": null, "owner": "somebody",
        })
    }

    fn read(value: &Value) -> Result<PipelineState, StateFault> {
        parse(value.to_string().as_bytes())
    }

    #[test]
    fn unknown_keys_survive_a_rewrite_in_every_object() {
        let written = read(&state()).unwrap().pretty().unwrap();
        assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), state());
    }

    #[test]
    fn faults_are_told_apart() {
        let whole = state().to_string();
        let cut = whole.as_bytes().get(..whole.len() / 2).unwrap();
        for torn in [cut, b"", b"\0\0\0\0", b"\xff"] {
            assert!(matches!(parse(torn), Err(StateFault::Torn(_))));
        }
        for foreign in [json!([]), json!({}), json!(null), json!({"pipeline_id": 1})] {
            assert!(
                matches!(read(&foreign), Err(StateFault::Foreign(_))),
                "{foreign}"
            );
        }
        for version in [json!(2), json!("1"), json!(1.5)] {
            let mut newer = state();
            newer[VERSION_KEY] = version.clone();
            assert!(
                matches!(read(&newer), Err(StateFault::Newer(_))),
                "{version}"
            );
            assert!(matches!(
                read(&json!({VERSION_KEY: version})),
                Err(StateFault::Newer(_))
            ));
        }
        let mut ours = state();
        ours[VERSION_KEY] = json!(1);
        assert!(read(&ours).is_ok());
    }

    #[test]
    fn a_state_that_contradicts_itself_is_none() {
        for (pointer, value) in [
            ("/current_phase/phase_name", json!("b")),
            ("/current_phase/phase_number", json!(2)),
            ("/phases/0/phase_number", json!(3)),
            ("/phases/0/phase_name", json!("## Mission")),
            ("/project_name", json!("../x")),
            ("/overall_status", json!("lost")),
        ] {
            let mut broken = state();
            *broken.pointer_mut(pointer).unwrap() = value;
            assert!(
                matches!(read(&broken), Err(StateFault::Foreign(_))),
                "{pointer}"
            );
        }
    }
}
