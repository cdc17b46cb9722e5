//! What does each command do, and what does it print?

pub(crate) mod answer;
pub mod finish;
pub mod pause;
pub(crate) mod publish;
pub mod redraw;
pub mod refresh;
pub mod report;
pub mod restart;
pub mod resume;
pub mod status;
pub mod transition;
pub mod validate;
