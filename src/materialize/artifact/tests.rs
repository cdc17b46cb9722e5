use super::*;

/// Writes `text` at `relative` in a brain and reads it as an artifact.
fn read_as(relative: &str, text: &str) -> Result<Artifact, Refused> {
    let scratch = tempfile::tempdir().unwrap();
    let brain = scratch.path().canonicalize().unwrap();
    let path = brain.join(relative);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    read(&path, &brain)
}

fn leaf(text: &str) -> Result<Artifact, Refused> {
    read_as("tree/area/leaf.md", text)
}

#[test]
fn links_have_two_spellings_and_their_faults_are_kept() {
    let artifact = leaf(
        "---\nsoft_links:\n- /tree/a.md\n- {uri: 'https://h/x', role: spec, note: n}\n- role: spec\n- ~\n- [x]\n- ''\n---\n",
    )
    .unwrap();
    let pair = |link: &Link| (link.uri.clone(), link.role.clone());
    let got: Vec<_> = artifact.links.iter().map(pair).collect();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        got,
        [
            (some("/tree/a.md"), None),
            (some("https://h/x"), some("spec")),
            (None, some("spec")),
            (None, None),
            (None, None),
            (None, None),
        ]
    );
}

#[test]
fn no_links_are_links_too() {
    for value in ["", " ~", " []", " null"] {
        let text = format!("<!-- c -->\n---\nsoft_links:{value}\n---\n");
        assert_eq!(leaf(&text).unwrap().links, [], "{value}");
    }
}

#[test]
fn faults_have_their_line_in_the_file() {
    for (text, line, column) in [
        ("---\na: 1\na: 2\n---\n", 3, 1),
        ("<!-- x\ny -->\n---\nsoft_links: x\n---\n", 4, 13),
        ("---\nsoft_links: [\n---\n", 2, 13),
        ("---\nsoft_links: []\n", 1, 1),
    ] {
        match leaf(text) {
            Err(Refused::Yaml {
                line: at,
                column: col,
                ..
            }) => assert_eq!((at, col), (line, column), "{text:?}"),
            other => panic!("{text:?}: {other:?}"),
        }
    }
}

#[test]
fn an_artifact_without_the_key_is_refused() {
    for text in ["", "# x\n", "---\ntitle: x\n---\n"] {
        assert!(
            matches!(leaf(text), Err(Refused::NoSoftLinks { .. })),
            "{text:?}"
        );
    }
}

#[test]
fn names_that_leave_their_folder_are_refused() {
    for id in ["../../x", "a/b", "..", ".", "'a\\b'", "'a\tb'", "c:x"] {
        let text = format!("---\nsoft_links: []\nid: {id}\n---\n");
        assert!(
            matches!(leaf(&text), Err(Refused::UnsafeName { .. })),
            "{id}"
        );
        let text = format!("---\nsoft_links: []\nprimary_project: {id}\n---\n");
        assert!(
            matches!(leaf(&text), Err(Refused::UnsafeName { .. })),
            "{id}"
        );
    }
    let long = format!("---\nsoft_links: []\nid: {}\n---\n", "x".repeat(129));
    assert!(matches!(leaf(&long), Err(Refused::UnsafeName { .. })));
}

#[test]
fn names_fall_back_to_slug_and_stem() {
    let text = "---\nsoft_links: []\n---\n# The *title*\n";
    for (relative, id, accepted) in [
        ("threads/login/thread.md", "login", true),
        ("archive/login/thread.md", "login", true),
        ("tree/area/leaf.md", "leaf", true),
        ("tree/area/NODE.md", "area", true),
        ("tree/area/impl-spec.md", "area", true),
        ("threads/login/tree-staging/new.md", "new", true),
        ("threads/login/proposal.md", "proposal", false),
        ("notes.md", "notes", false),
    ] {
        let artifact = read_as(relative, text).unwrap();
        assert_eq!(artifact.id, id, "{relative}");
        assert_eq!(artifact.accepted, accepted, "{relative}");
        assert_eq!(artifact.title, "The title", "{relative}");
        assert_eq!(artifact.relative, relative);
    }
}
