//! From what was read of a state to one that goes on: the stored one, or where there is none, one that is made.

use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::handoff::state::change::adopt;
use crate::handoff::state::store::{Reading, Seen, lost, orphan};
use vibey_context_contracts::handoff::report::Reconstruction;
use vibey_context_contracts::handoff::state::PipelineState;

/// A state that goes on.
pub(crate) struct Start {
    /// The state.
    pub(crate) state: PipelineState,
    /// What lay at its place.
    pub(crate) seen: Seen,
    /// What a person should know about how it came about.
    pub(crate) warnings: Vec<String>,
    /// What was inferred, where it was.
    pub(crate) reconstruction: Option<Reconstruction>,
    /// Whether it differs from what lies on disk.
    pub(crate) is_new: bool,
}

/// A state that was made.
pub(crate) struct Made {
    /// The state.
    pub(crate) state: PipelineState,
    /// What was inferred, where it was.
    pub(crate) reconstruction: Option<Reconstruction>,
    /// What a person should know about it.
    pub(crate) warnings: Vec<String>,
}

/// The state that was read, with the project's folder adopted where the desk says so; else what `make` makes.
pub(crate) fn start(
    desk: &Desk,
    reading: Reading,
    make: impl FnOnce() -> Result<Made, HandoffError>,
) -> Result<Start, HandoffError> {
    let (seen, mut warnings) = match reading {
        Reading::Found(stored) => {
            let mut state = stored.state;
            let moved = adopt(desk, &mut state);
            return Ok(Start {
                state,
                seen: stored.seen,
                is_new: moved.is_some() || stored.warning.is_some(),
                warnings: stored.warning.into_iter().chain(moved).collect(),
                reconstruction: None,
            });
        }
        Reading::Missing => (Seen::default(), orphan(desk)?.into_iter().collect()),
        Reading::Lost { fault, seen } => {
            let warning = lost(desk, &fault, &seen);
            (seen, vec![warning])
        }
    };
    let made = make()?;
    warnings.extend(made.warnings);
    Ok(Start {
        state: made.state,
        seen,
        warnings,
        reconstruction: made.reconstruction,
        is_new: true,
    })
}
