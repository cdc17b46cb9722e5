//! What does the next phase get, and how does that fit?

pub(crate) mod again;
pub(crate) mod block;
pub(crate) mod budget;
pub(crate) mod compose;
pub(crate) mod curate;
pub(crate) mod fold;
pub(crate) mod template;
