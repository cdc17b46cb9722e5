use super::*;
use std::os::unix::fs::symlink;

/// A brain with an artifact, a cache, and what lies outside both.
struct Bed {
    _scratch: tempfile::TempDir,
    top: PathBuf,
    artifact: Artifact,
}

impl Bed {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().canonicalize().unwrap();
        for folder in [
            "brain/threads/t",
            "brain-evil",
            "cache/project-brain",
            "other",
        ] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
        }
        let path = top.join("brain/threads/t/thread.md");
        std::fs::write(&path, "x").unwrap();
        let artifact = Artifact {
            path,
            relative: "threads/t/thread.md".to_owned(),
            id: "t".to_owned(),
            primary_project: None,
            title: "t".to_owned(),
            links: Vec::new(),
            accepted: true,
            warnings: Vec::new(),
        };
        Self {
            _scratch: scratch,
            top,
            artifact,
        }
    }

    fn choose(&self, wish: Wish<'_>, scratch: &str) -> Result<Target, Refused> {
        let (brain, cache) = (self.top.join("brain"), self.top.join("cache"));
        let scratch = self.top.join(scratch);
        let zones = Zones {
            brain: &brain,
            cache: Some(&cache),
            scratch: Some(&scratch),
        };
        choose(wish, &zones, &self.artifact, "app", Mode::Materialize, 0)
    }

    fn out(&self, path: &str) -> Result<Target, Refused> {
        self.choose(Wish::Out(&self.top.join(path)), "s")
    }
}

#[test]
fn named_places_lie_in_the_zones() {
    let bed = Bed::new();
    symlink(bed.top.join("other"), bed.top.join("brain/link")).unwrap();
    symlink(bed.top.join("none"), bed.top.join("brain/dangling")).unwrap();
    for inside in [
        "brain/new/deep",
        "cache/project-brain/x",
        "brain/a.md",
        "brain/x/../y",
    ] {
        let chosen = bed.out(inside);
        assert_eq!(
            chosen.is_ok(),
            inside != "brain/x/../y",
            "{inside}: {chosen:?}"
        );
    }
    for outside in [
        "other/x",
        "brain-evil/x",
        "cache/x",
        "brain/../other/x",
        "brain/new/../../other",
        "brain/link/x",
        "brain/link",
        "brain/dangling",
        "brain/dangling/x",
    ] {
        let chosen = bed.out(outside);
        assert!(
            matches!(chosen, Err(Refused::OutsideZones { .. })),
            "{outside}: {chosen:?}"
        );
    }
}

#[test]
fn nothing_foreign_is_replaced() {
    let bed = Bed::new();
    std::fs::write(bed.top.join("brain/other.md"), "mine").unwrap();
    std::fs::create_dir(bed.top.join("brain/folder")).unwrap();
    std::fs::write(bed.top.join("brain/folder/context.json"), "{}").unwrap();
    let ours = "---\nkind: stale-refs\nartifact: a.md\ngenerated_at: now\n---\n";
    std::fs::write(bed.top.join("brain/ours.md"), ours).unwrap();
    for (name, text) in [
        ("start.md", "---\nkind: materialized-context\n".to_owned()),
        ("open.md", ours.replace("now\n---", "now")),
        ("thread.md", ours.replace("now\n", "now\nsoft_links: []\n")),
        ("leaf.md", ours.replace("now\n", "now\nid: leaf\n")),
    ] {
        std::fs::write(bed.top.join("brain").join(name), text).unwrap();
    }
    for foreign in [
        "brain/threads/t/thread.md",
        "brain/other.md",
        "brain/folder",
        "brain/start.md",
        "brain/open.md",
        "brain/thread.md",
        "brain/leaf.md",
    ] {
        let chosen = bed.out(foreign);
        assert!(matches!(chosen, Err(Refused::Foreign { .. })), "{foreign}");
    }
    assert!(matches!(bed.out("brain/ours.md"), Ok(Target::File(_))));
    for private in ["brain/.git/x", "brain/a/.ssh/x.md", "brain/.env"] {
        let chosen = bed.out(private);
        assert!(
            matches!(chosen, Err(Refused::PrivatePlace { .. })),
            "{private}"
        );
    }
}

#[test]
fn kept_results_stay_in_the_brain_and_never_meet() {
    let bed = Bed::new();
    let beside = bed.top.join("brain/threads/t/.context");
    let folder = beside.join("19700101T000000Z");
    let target = Target::Persist(folder.clone());
    assert_eq!(bed.choose(Wish::Persist, "s").unwrap(), target);
    assert!(!beside.exists(), "choosing creates nothing");
    std::fs::create_dir_all(&folder).unwrap();
    let collision = bed.choose(Wish::Persist, "s");
    assert!(matches!(collision, Err(Refused::Collision { .. })));
    std::fs::remove_dir_all(&beside).unwrap();
    symlink(bed.top.join("other"), &beside).unwrap();
    let escape = bed.choose(Wish::Persist, "s");
    assert!(matches!(escape, Err(Refused::PersistEscapes { .. })));
}

#[test]
fn runs_of_one_second_get_folders_of_their_own() {
    let bed = Bed::new();
    let target = bed.choose(Wish::Scratch, "s").unwrap();
    let files = Files {
        document: ("context.md", "x"),
        sidecar: Some(("context.json", "{}")),
    };
    for name in [
        "19700101T000000Z",
        "19700101T000000Z-2",
        "19700101T000000Z-3",
    ] {
        let written = write(&target, &files).unwrap();
        let folder = bed.top.join("s/app/t").join(name);
        assert_eq!(written.document, folder.join("context.md"));
        assert_eq!(written.sidecar, Some(folder.join("context.json")));
    }
    let inside = bed.choose(Wish::Scratch, "brain/s");
    assert!(matches!(inside, Err(Refused::ScratchUnsafe { .. })));
    std::fs::create_dir_all(bed.top.join("s2")).unwrap();
    symlink(bed.top.join("other"), bed.top.join("s2/app")).unwrap();
    let escape = bed.choose(Wish::Scratch, "s2");
    assert!(matches!(escape, Err(Refused::ScratchUnsafe { .. })));
}
