//! The `manifest.json` of an index: refused, or one with one spelling that names no file outside its generation.

use super::index_files::with_bed;
use serde_json::{Map, Value};
use std::path::{Component, Path};
use vibey_context_contracts::canonical;
use vibey_context_contracts::index::IndexManifest;
use vibey_context_index::publish::{intact, manifest_of, open, read_sources, size_bytes};

/// The manifest of an index, relative to the folder of a bed.
const MANIFEST: &str = "index/manifest.json";

/// Any bytes are refused, or a manifest. So they are with the right digest, as somebody would write it who wants to harm;
/// and where they are some keys of one, with the other keys of a good one.
pub(super) fn index_manifest(data: &[u8]) {
    with_bed(|bed| {
        accepted(data);
        let good = bed.good(Path::new(MANIFEST));
        for text in [Some(data.to_vec()), sealed(data), patched(good, data)]
            .into_iter()
            .flatten()
        {
            accepted(&text);
            bed.put(Path::new(MANIFEST), Some(&text));
            opened(&bed.index());
        }
    });
}

/// The manifest with its digest.
fn sealed(bytes: &[u8]) -> Option<Vec<u8>> {
    let manifest: IndexManifest = serde_json::from_slice(bytes).ok()?;
    let text = canonical::pretty(&manifest.sealed().ok()?).ok()?;
    Some(text.into_bytes())
}

/// A good manifest with some keys of another.
fn patched(good: &[u8], keys: &[u8]) -> Option<Vec<u8>> {
    let keys: Map<String, Value> = serde_json::from_slice(keys).ok()?;
    let mut whole: Map<String, Value> = serde_json::from_slice(good).ok()?;
    whole.extend(keys);
    sealed(&serde_json::to_vec(&whole).ok()?)
}

fn accepted(bytes: &[u8]) {
    let index = Path::new("/index");
    let Ok(manifest) = manifest_of(index, bytes) else {
        return;
    };
    for name in manifest.files.keys() {
        let mut parts = Path::new(name).components();
        assert!(
            matches!(parts.next(), Some(Component::Normal(_))),
            "{name:?}"
        );
        assert_eq!(parts.next(), None, "{name:?}");
        assert!(!name.contains('\0'), "{name:?}");
    }
    let text = canonical::pretty(&manifest).expect("no field is a float");
    assert_eq!(manifest_of(index, text.as_bytes()).ok(), Some(manifest));
}

fn opened(index: &Path) {
    if let Ok((manifest, reader)) = open(index) {
        let _ = read_sources(index, &manifest);
        let _ = intact(index, &manifest);
        let _ = size_bytes(&manifest);
        for at in 0..reader.skill_count() {
            let _ = reader.skill(at);
        }
    }
}
