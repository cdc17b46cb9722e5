//! What `markers` reads and writes: the manifest that names output directories and their guidance, the result of keeping
//! their markers, and the answers of `explain` and `orphans`.

pub mod answer;
pub mod manifest;
pub mod result;

/// `version` of every version-1 document of `markers`.
pub const VERSION: u32 = 1;
