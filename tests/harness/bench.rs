//! How do tests try many requests against one index, with something old at the targets each time?

use super::{Dir, Output, fixture};
use serde_json::Value;
use vibey_context_contracts::packet::PacketManifest;

/// A corpus with its index, and `packet` runs against it.
pub(crate) struct Bench {
    pub(crate) dir: Dir,
    pub(crate) root: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let dir = Dir::new();
        let root = fixture::indexed(&dir);
        Self { dir, root }
    }

    /// Compiles `request` with further arguments; what lies at the targets before is old.
    pub(crate) fn packet(&self, request: &Value, more: &[&str]) -> Output {
        let request = self.dir.request("request.json", request);
        self.file(&request, more)
    }

    /// The same for a request file that is there already.
    pub(crate) fn file(&self, request: &str, more: &[&str]) -> Output {
        self.dir.file("p.md", "an old packet");
        self.dir.file("p.json", "an old manifest");
        let index = self.dir.arg("index");
        let form = [
            "packet",
            "--request",
            request,
            "--index",
            &index,
            "--output",
            "p.md",
            "--json",
        ];
        self.dir.run(form.iter().chain(more))
    }

    /// Fails if a packet, a manifest or a temporary file is there.
    #[track_caller]
    pub(crate) fn nothing_left(&self) {
        assert!(
            !self.dir.has("p.md") && !self.dir.has("p.json"),
            "something is left beside the failure"
        );
        let names: Vec<_> = self
            .dir
            .path()
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !["corpus", "index", "request.json"].contains(&name.as_str()))
            .collect();
        assert_eq!(names, Vec::<String>::new(), "a temporary file is left");
    }

    /// Fails unless the run fails with `code` and leaves nothing.
    #[track_caller]
    pub(crate) fn fails(&self, request: &Value, more: &[&str], code: &str) -> Output {
        let run = self.packet(request, more).fails(code);
        self.nothing_left();
        run
    }

    /// The manifest of the last run.
    #[track_caller]
    pub(crate) fn manifest(&self) -> PacketManifest {
        serde_json::from_value(self.dir.json("p.json")).unwrap()
    }
}
