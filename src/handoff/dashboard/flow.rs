//! Where do the boxes and arrows of the flow diagram lie?

use crate::handoff::artifact::summary::shortened;
use crate::text::neutralise::plain_line;
use vibey_context_contracts::handoff::state::Phase;

/// Height of a box, in CSS pixels: two lines of text.
const BOX_HEIGHT: usize = 52;
/// Room between two boxes, for the arrow.
const GAP: usize = 22;
/// Characters of a name that fit into a box on a phone.
const NAME_CHARS: usize = 32;

/// The diagram: boxes one below the other, which fits a phone as well as a wide page.
pub(super) struct Flow {
    /// Height of the whole.
    pub(super) height: usize,
    /// The boxes.
    pub(super) boxes: Vec<PhaseBox>,
}

/// A phase in the diagram.
pub(super) struct PhaseBox {
    /// Its upper edge.
    pub(super) top: usize,
    /// Its name, as long as it fits.
    pub(super) name: String,
    /// Its status.
    pub(super) status: &'static str,
    /// Where the arrow to it begins; none leads to the first.
    pub(super) arrow: Option<usize>,
}

impl Flow {
    /// The diagram of these phases.
    pub(super) fn new(phases: &[Phase]) -> Self {
        let step = BOX_HEIGHT + GAP;
        let boxes = phases.iter().enumerate().map(|(nth, phase)| PhaseBox {
            top: nth * step + 1,
            name: shortened(
                &plain_line(&format!("{}. {}", phase.phase_number, phase.display_name)),
                NAME_CHARS,
            ),
            status: phase.status.as_str(),
            arrow: (nth > 0).then(|| nth * step + 1 - GAP),
        });
        Self {
            height: (phases.len() * step).saturating_sub(GAP) + 2,
            boxes: boxes.collect(),
        }
    }
}
