//! A project for tests: a temporary folder with guidance, a manifest, and a look at everything in it.

use serde_json::{Value, json};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use vibey_context_contracts::markers::result::{MarkerStatus, MarkersResult};

/// The manifest, relative to the project.
pub(super) const MANIFEST: &str = "markers.json";
/// What the marker of each entry says.
pub(super) const TEXT: &str = "# Guide\n\n- Edit src/.\n";

/// How [`Project::everything`] ends the line of a folder.
pub(super) const FOLDER: &str = "folder";

/// A project.
pub(super) struct Project {
    dir: TempDir,
}

impl Project {
    /// With guidance in `docs/guide.md` and a manifest that marks `directories`.
    pub(super) fn new(directories: &[&str]) -> Self {
        let project = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        project.file("docs/guide.md", TEXT);
        project.manifest(&json!({ "version": 1, "markers": entries(directories) }));
        project
    }

    /// The same with a generator: a shell script, run for five seconds at most.
    pub(super) fn generated_by(directories: &[&str], script: &str) -> Self {
        let project = Self::new(directories);
        let generator = json!({
            "executable": "/bin/sh",
            "args": ["-c", script],
            "timeoutMs": 5_000,
            "maxOutputBytes": 100_000,
        });
        project.manifest(&json!({
            "version": 1,
            "markers": entries(directories),
            "generator": generator,
        }));
        project
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(super) fn at(&self, relative: &str) -> PathBuf {
        self.dir.path().join(relative)
    }

    pub(super) fn manifest(&self, value: &Value) {
        self.file(MANIFEST, value.to_string());
    }

    pub(super) fn file(&self, relative: &str, content: impl AsRef<[u8]>) {
        let path = self.at(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(super) fn folder(&self, relative: &str) {
        std::fs::create_dir_all(self.at(relative)).unwrap();
    }

    pub(super) fn link(&self, target: &str, relative: &str) {
        symlink(target, self.at(relative)).unwrap();
    }

    pub(super) fn read(&self, relative: &str) -> Option<String> {
        std::fs::read_to_string(self.at(relative)).ok()
    }

    /// The text of the marker in a folder.
    pub(super) fn marker(&self, directory: &str) -> Option<String> {
        self.read(&format!("{directory}/.agent-no-read.md"))
    }

    /// A line for everything below the project: path, inode, time of the last change, and what it holds.
    pub(super) fn everything(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.dir.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir().unwrap() {
                let path = entry.unwrap().path();
                let meta = path.symlink_metadata().unwrap();
                let kind = meta.file_type();
                let content = if kind.is_file() {
                    String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned()
                } else if kind.is_symlink() {
                    format!("to {}", std::fs::read_link(&path).unwrap().display())
                } else if kind.is_dir() {
                    FOLDER.to_owned()
                } else {
                    "special".to_owned()
                };
                let stamp = (meta.ino(), meta.mtime(), meta.mtime_nsec());
                found.push(format!("{} {stamp:?} {content}", path.display()));
                if meta.is_dir() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

/// Entries of a manifest, all with the same guidance.
pub(super) fn entries(directories: &[&str]) -> Vec<Value> {
    directories
        .iter()
        .map(|directory| json!({"directory": directory, "guidanceFile": "docs/guide.md"}))
        .collect()
}

/// The statuses of a result's markers.
pub(super) fn statuses(result: &MarkersResult) -> Vec<MarkerStatus> {
    result.markers.iter().map(|marker| marker.status).collect()
}

/// The code of a result's error; empty where there is none.
pub(super) fn code(result: &MarkersResult) -> &str {
    result.error.as_ref().map_or("", |error| &error.code)
}
