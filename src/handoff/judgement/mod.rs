//! Is an artifact good enough, and what should be known about it all the same?

pub(crate) mod judge;
pub(crate) mod oddities;
pub(crate) mod reviews;
pub(crate) mod verdict;
