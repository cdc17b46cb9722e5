//! Is every test file part of the test program? With `autotests = false` a file that no `mod` names is never compiled.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn no_test_file_is_forgotten() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut reached = BTreeSet::new();
    reach(&tests.join("main.rs"), &tests, &mut reached);
    let mut all = BTreeSet::new();
    list(&tests, &mut all);
    let forgotten: Vec<&PathBuf> = all.difference(&reached).collect();
    assert!(
        forgotten.is_empty(),
        "no `mod` leads to {forgotten:?}: declare it in the file above"
    );
    assert!(all.len() > 5, "the walk found hardly anything: {all:?}");
}

/// Follows `mod name;` lines from `file`, whose modules lie in `folder`.
fn reach(file: &Path, folder: &Path, reached: &mut BTreeSet<PathBuf>) {
    reached.insert(file.to_owned());
    let text = std::fs::read_to_string(file).unwrap();
    for line in text.lines() {
        let declared = line.trim().strip_suffix(';').and_then(|line| {
            line.strip_prefix("mod ")
                .or_else(|| line.strip_prefix("pub(crate) mod "))
        });
        let Some(name) = declared else { continue };
        for path in [
            folder.join(format!("{name}.rs")),
            folder.join(name).join("mod.rs"),
        ] {
            if path.is_file() {
                reach(&path, &folder.join(name), reached);
            }
        }
    }
}

fn list(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            list(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.insert(path);
        }
    }
}
