//! From the bytes of a manifest to typed entries, strictly: what is wrong is named with its field and place.
//!
//! Whether paths are safe is not decided here: that needs a file system.

use super::VERSION;
use crate::document::{self, DocumentError, Object, Words};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};

/// The largest manifest, in bytes.
pub const MANIFEST_MAX_BYTES: usize = 64 * 1024;
/// Entries of a manifest at most; at least one.
pub const MARKERS_MAX: usize = 64;
/// Milliseconds that a generator may take where the manifest does not say.
pub const TIMEOUT_MS: u64 = 120_000;
/// The longest time in milliseconds: an hour.
pub const TIMEOUT_MS_MAX: u64 = 3_600_000;
/// Bytes that a generator may write to both streams together where the manifest does not say: 1 MiB.
pub const OUTPUT_BYTES: u64 = 1024 * 1024;
/// The most that a manifest may allow: 64 MiB.
pub const OUTPUT_BYTES_MAX: u64 = 64 * 1024 * 1024;

const MANIFEST: Words = Words {
    name: "manifest",
    unreadable: "manifest_json",
    invalid: "manifest_invalid",
    help: "see `contracts/schemas/markers-manifest.v1.json` for the fields of a manifest",
    limit: MANIFEST_MAX_BYTES,
    // What is not a manifest may be guidance that was named by mistake, and that is never printed.
};

/// Which folders are marked, and what rebuilds them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    /// Version of the contract's major: 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// The folders to mark, 1 to 64.
    #[serde(deserialize_with = "entries")]
    #[schemars(length(min = 1, max = 64))]
    pub markers: Vec<Entry>,
    /// What `generate` runs.
    #[serde(default, deserialize_with = "generator")]
    #[schemars(with = "Generator")]
    pub generator: Option<Generator>,
}

/// A folder to mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Entry {
    /// The output directory: relative to the project, with `/` between components.
    pub directory: String,
    /// The file whose text becomes the marker's: relative to the project, outside every output directory.
    pub guidance_file: String,
}

/// A fixed program that rebuilds output directories.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Generator {
    /// The program. Without a `/` it is looked up in `PATH`, else it starts at the project.
    #[schemars(length(min = 1))]
    pub executable: String,
    /// Its arguments, passed as they are: there is no shell.
    #[serde(default)]
    pub args: Vec<String>,
    /// Milliseconds that it may take, 1 to 3,600,000.
    #[serde(default = "timeout_ms")]
    #[schemars(range(min = 1, max = 3_600_000))]
    pub timeout_ms: u64,
    /// Bytes that it may write to both streams together, 1 to 64 MiB.
    #[serde(default = "output_bytes")]
    #[schemars(range(min = 1, max = 67_108_864))]
    pub max_output_bytes: u64,
}

fn timeout_ms() -> u64 {
    TIMEOUT_MS
}

fn output_bytes() -> u64 {
    OUTPUT_BYTES
}

fn entries<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Entry>, D::Error> {
    let entries = Vec::<Object<Entry>>::deserialize(from)?;
    if entries.is_empty() || entries.len() > MARKERS_MAX {
        let count = entries.len();
        let message = format!("{count} entries, where 1 to {MARKERS_MAX} belong");
        return Err(D::Error::custom(message));
    }
    Ok(entries.into_iter().map(|Object(entry)| entry).collect())
}

/// The key may be missing; `null` is no object.
fn generator<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Generator>, D::Error> {
    document::object(from).map(Some)
}

/// Reads a manifest.
///
/// # Errors
/// Over 64 KiB, a BOM, invalid UTF-8, invalid JSON, an unknown or repeated key, a wrong type (`null` too), a value outside its
/// range, or a NUL in what becomes a word of a command line.
pub fn parse(bytes: &[u8]) -> Result<Manifest, DocumentError> {
    let (manifest, _) = document::read::<Manifest>(bytes, &MANIFEST)?;
    if manifest.version != VERSION {
        let message = format!(
            "version is {}, this program speaks {VERSION}",
            manifest.version
        );
        return Err(refused("version", &message, "write the number 1"));
    }
    if let Some(generator) = &manifest.generator {
        check(generator)?;
    }
    Ok(manifest)
}

fn check(generator: &Generator) -> Result<(), DocumentError> {
    if generator.executable.is_empty() {
        let help = "name the program to run";
        return Err(refused("generator.executable", "is empty", help));
    }
    let arguments = generator.args.iter().enumerate();
    let words = arguments.map(|(at, word)| (format!("generator.args[{at}]"), word));
    let executable = ("generator.executable".to_owned(), &generator.executable);
    for (field, word) in std::iter::once(executable).chain(words) {
        if word.contains('\0') {
            let help = "remove it: no program can be given one";
            return Err(refused(&field, "holds a NUL character", help));
        }
    }
    for (field, value, most) in [
        ("generator.timeoutMs", generator.timeout_ms, TIMEOUT_MS_MAX),
        (
            "generator.maxOutputBytes",
            generator.max_output_bytes,
            OUTPUT_BYTES_MAX,
        ),
    ] {
        if !(1..=most).contains(&value) {
            let message = format!("{value} is not between 1 and {most}");
            return Err(refused(field, &message, "choose a number in this range"));
        }
    }
    Ok(())
}

fn refused(field: &str, message: &str, help: &str) -> DocumentError {
    let message = format!("manifest, field `{field}`: {message}");
    DocumentError::new(MANIFEST.invalid, message, help).field(field)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
