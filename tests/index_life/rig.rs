//! One corpus, one index, one request: how do the tests of this folder build, read and compare an index?

use crate::harness::{Dir, Output, fixture};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where the index lies below the [`Dir`] of a [`Rig`].
pub(crate) const INDEX: &str = "index";
/// How names of our temporary files start.
pub(crate) const TEMPORARY: &str = ".vibey-tmp-";
/// The table of sources: inside a generation, but not part of what is published.
pub(crate) const SOURCES: &str = "sources.bin";

/// A corpus and the place of its index.
pub(crate) struct Rig {
    pub(crate) dir: Dir,
    pub(crate) root: String,
    request: String,
}

impl Rig {
    /// The fixture corpus, not yet indexed.
    pub(crate) fn new() -> Self {
        let dir = Dir::new();
        let root = fixture::write(&dir);
        Self::over(dir, root, &fixture::migration())
    }

    /// Three small skills in no plugin, not yet indexed: cheap where a test builds many times.
    pub(crate) fn small() -> Self {
        let dir = Dir::new();
        for name in ["one", "two", "three"] {
            let body =
                format!("# {name}\n\n## Migration\n\nMigration of {name}.\n\n## More\n\nText.\n");
            dir.skill(
                &format!("s/{name}"),
                name,
                &format!("Migration {name}."),
                "",
                &body,
            );
        }
        let root = dir.arg("s");
        let all = json!({"required_skills": ["one", "two", "three"]});
        Self::over(dir, root, &all)
    }

    fn over(dir: Dir, root: String, request: &Value) -> Self {
        let request = dir.request("request.json", request);
        Self { dir, root, request }
    }

    /// `index build` at `index`.
    pub(crate) fn try_build(&self, index: &str) -> Output {
        let index = self.dir.arg(index);
        let args = [
            "--skills", &self.root, "index", "build", "--output", &index, "--json",
        ];
        self.dir.run(args)
    }

    /// What a build that works prints.
    #[track_caller]
    pub(crate) fn build(&self) -> Value {
        self.try_build(INDEX).expect(0).json()
    }

    /// Builds until nothing is left to do. A stamp that is younger than the granularity of file systems is not
    /// trusted, so that a build soon after a change may be followed by one that refreshes it.
    #[track_caller]
    pub(crate) fn settle(&self) -> Value {
        for _ in 0..4 {
            let report = self.build();
            match report["outcome"].as_str() {
                Some("fresh") => return report,
                Some("refreshed") => {}
                other => panic!("outcome {other:?}"),
            }
        }
        panic!("never fresh");
    }

    /// `packet --index`, at the smallest cost.
    pub(crate) fn try_packet(&self, index: &str) -> Output {
        self.packet_to(index, "packet")
    }

    /// `packet --index`, its files named after `name`.
    pub(crate) fn packet_to(&self, index: &str, name: &str) -> Output {
        let index = self.dir.arg(index);
        let (packet, manifest) = (
            self.dir.arg(&format!("{name}.md")),
            self.dir.arg(&format!("{name}.json")),
        );
        let args = [
            "packet",
            "--request",
            &self.request,
            "--index",
            &index,
            "--output",
            &packet,
            "--manifest",
            &manifest,
            "--json",
        ];
        let run = self.dir.run(args);
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        run
    }

    /// The bytes of the packet and its manifest.
    #[track_caller]
    pub(crate) fn packet(&self) -> (Vec<u8>, Vec<u8>) {
        self.try_packet(INDEX).expect(0);
        (self.dir.bytes("packet.md"), self.dir.bytes("packet.json"))
    }

    pub(crate) fn inspect(&self, index: &str, deep: bool) -> Output {
        let index = self.dir.arg(index);
        let mut args = vec!["index", "inspect", &index, "--json"];
        if deep {
            args.push("--deep");
        }
        let run = self.dir.run(args);
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        run
    }

    pub(crate) fn manifest(&self, index: &str) -> Value {
        self.dir.json(&format!("{index}/manifest.json"))
    }

    /// The folder of the current generation.
    pub(crate) fn generation(&self, index: &str) -> PathBuf {
        let name = self.manifest(index)["generation"].clone();
        self.dir
            .at(&format!("{index}/generations"))
            .join(name.as_str().unwrap())
    }

    /// The published files of the current generation.
    pub(crate) fn sealed(&self, index: &str) -> BTreeMap<String, Vec<u8>> {
        let folder = self.generation(index);
        let manifest = self.manifest(index);
        let names = manifest["files"].as_object().unwrap().keys();
        names
            .map(|name| (name.clone(), std::fs::read(folder.join(name)).unwrap()))
            .collect()
    }

    /// Fails unless the index folder holds one current generation, at most one more, and nothing that a killed
    /// build left.
    #[track_caller]
    pub(crate) fn assert_clean(&self, index: &str) {
        let manifest = self.manifest(index);
        let kept: Vec<String> = ["generation", "previous_generation"]
            .iter()
            .filter_map(|key| Some(manifest[key].as_str()?.to_owned()))
            .collect();
        let generations = names(&self.dir.at(&format!("{index}/generations")));
        assert!(generations.len() <= 2, "{generations:?}");
        assert!(generations.iter().all(|name| kept.contains(name)));
        assert!(generations.contains(&kept[0]));
        let left: Vec<PathBuf> = self
            .dir
            .files_below(index)
            .into_iter()
            .filter(|path| path.to_string_lossy().contains(TEMPORARY))
            .collect();
        assert_eq!(left, [""; 0].map(PathBuf::from));
    }
}

/// Names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Path, bytes and modification time of every file below `relative`.
pub(crate) fn snapshot(
    dir: &Dir,
    relative: &str,
) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
    dir.files_below(relative)
        .into_iter()
        .map(|path| {
            let (bytes, found) = (std::fs::read(&path).unwrap(), path.metadata().unwrap());
            (path, bytes, found.modified().unwrap())
        })
        .collect()
}

/// The same numbers in every run: splitmix64 (Steele, Lea and Flood 2014).
pub(crate) struct Seeded(pub(crate) u64);

impl Seeded {
    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}
