//! Where does a pipeline stand, and how does it move?

pub(crate) mod accumulate;
pub(crate) mod change;
pub(crate) mod conclude;
pub(crate) mod drift;
pub(crate) mod lifecycle;
pub(crate) mod next;
pub(crate) mod reconstruct;
pub(crate) mod start;
pub(crate) mod store;
