use super::*;
use proptest::prelude::*;
use std::os::unix::fs::symlink;

#[test]
fn bad_components_are_refused_with_their_reason() {
    for (text, component, reason) in [
        ("", "", "is empty"),
        ("/a", "", "is empty"),
        ("a//b", "", "is empty"),
        ("a/", "", "is empty"),
        ("./a", ".", "is a dot name"),
        ("a/../b", "..", "is a dot name"),
        ("a\\b", "a\\b", "holds a backslash"),
        ("a/b\0", "b\0", "holds a control character"),
        ("a/b\n", "b\n", "holds a control character"),
        ("a/b\u{7f}", "b\u{7f}", "holds a control character"),
        ("C:/a", "C:", "starts like a drive"),
        ("a/c:b", "c:b", "starts like a drive"),
    ] {
        let Err(HostError::InvalidComponent {
            component: found,
            reason: why,
            ..
        }) = RelPath::new(text)
        else {
            panic!("{text:?} was accepted");
        };
        assert_eq!((found.as_str(), why), (component, reason), "{text:?}");
    }
}

#[test]
fn harmless_oddities_are_accepted() {
    for text in ["...", ".a", "a..b", "ab:c", "é:x", " ", "a b/~", "%2F"] {
        assert_eq!(RelPath::new(text).unwrap().as_str(), text);
    }
}

#[test]
fn parts_of_a_path() {
    let path = RelPath::new("a/b/c.md").unwrap();
    assert_eq!(path.file_name(), "c.md");
    assert_eq!(path.parent().unwrap().as_str(), "a/b");
    assert_eq!(RelPath::new("a").unwrap().parent(), None);
    assert_eq!(path.join("d/e").unwrap().as_str(), "a/b/c.md/d/e");
    assert!(path.join("../x").is_err());
    assert_eq!(path.components().collect::<Vec<_>>(), ["a", "b", "c.md"]);
    assert_eq!(path.below(Path::new("/r")), Path::new("/r/a/b/c.md"));
}

#[test]
fn a_path_that_is_not_utf8_is_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let path = Path::new(OsStr::from_bytes(b"a/\xff"));
    assert!(matches!(
        RelPath::from_path(path),
        Err(HostError::InvalidComponent {
            reason: "is not UTF-8",
            ..
        })
    ));
}

#[test]
fn order_is_that_of_bytes() {
    let sorted = ["A", "a", "a-b", "a/b", "aB", "a_b", "é"];
    let mut paths: Vec<RelPath> = sorted
        .iter()
        .rev()
        .map(|text| RelPath::new(*text).unwrap())
        .collect();
    paths.sort();
    assert_eq!(
        paths.iter().map(RelPath::as_str).collect::<Vec<_>>(),
        sorted
    );
}

#[test]
fn a_sibling_with_the_same_prefix_is_outside() {
    let scratch = tempfile::tempdir().unwrap();
    let top = scratch.path().canonicalize().unwrap();
    for name in ["a", "a-evil"] {
        std::fs::create_dir(top.join(name)).unwrap();
        std::fs::write(top.join(name).join("f"), "x").unwrap();
    }
    let root = top.join("a");
    assert_eq!(confine(&root, &root.join("f")).unwrap(), root.join("f"));
    assert_eq!(confine(&root, &root).unwrap(), root);
    for outside in [
        top.join("a-evil/f"),
        root.join("../a-evil/f"),
        top.clone(),
        "/".into(),
    ] {
        assert!(
            matches!(confine(&root, &outside), Err(HostError::Outside { .. })),
            "{outside:?}"
        );
    }
    assert!(
        confine(&root, &root.join("none"))
            .unwrap_err()
            .is_not_found()
    );
}

#[test]
fn a_link_out_of_the_root_is_outside_and_a_link_within_is_not() {
    let scratch = tempfile::tempdir().unwrap();
    let top = scratch.path().canonicalize().unwrap();
    let root = top.join("root");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(top.join("secret"), "x").unwrap();
    std::fs::write(root.join("own"), "x").unwrap();
    symlink("../secret", root.join("out")).unwrap();
    symlink("own", root.join("in")).unwrap();
    assert!(matches!(
        confine(&root, &root.join("out")),
        Err(HostError::Outside { .. })
    ));
    assert_eq!(confine(&root, &root.join("in")).unwrap(), root.join("own"));
}

#[test]
fn a_root_that_is_not_canonical_confines_nothing() {
    for root in ["", ".", "relative"] {
        assert!(
            matches!(
                confine(Path::new(root), Path::new("/")),
                Err(HostError::Outside { .. })
            ),
            "{root:?}"
        );
    }
}

#[test]
fn ways_between_folders() {
    for (base, target, way) in [
        ("/a/b", "/a/b", Some(".")),
        ("/a/b", "/a/b/c/d", Some("c/d")),
        ("/a/b", "/a/bc", Some("../bc")),
        ("/a/b", "/c", Some("../../c")),
        ("/", "/c", Some("c")),
        ("/a", "/", Some("..")),
        ("/a/b/", "/a/b/c", Some("c")),
        ("a", "/a", None),
        ("/a", "a", None),
        ("/a/../b", "/b", None),
    ] {
        assert_eq!(
            relative_between(Path::new(base), Path::new(target)).as_deref(),
            way,
            "{base} to {target}"
        );
    }
}

#[test]
fn a_link_is_seen_behind_a_trailing_slash() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().join("folder");
    let link = scratch.path().join("link");
    std::fs::create_dir(&folder).unwrap();
    symlink(&folder, &link).unwrap();
    assert!(is_symlink(&link).unwrap());
    assert!(is_symlink(&link.join("")).unwrap());
    assert!(is_symlink(&link.join(".")).unwrap());
    assert!(!is_symlink(&folder).unwrap());
    assert!(!is_symlink(&scratch.path().join("none")).unwrap());
    std::fs::write(scratch.path().join("file"), "").unwrap();
    assert!(is_symlink(&scratch.path().join("file/x")).is_err());
}

/// Texts made mostly of the characters that the rules are about.
fn tricky_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ac:./\\\\\u{0}\n ~é]{0,12}",
        any::<String>(),
        "(a|b|\\.|\\.\\.|c:|é)?(/(a|b|\\.|\\.\\.|c:|é)?){0,4}",
    ]
}

fn good_component() -> impl Strategy<Value = String> {
    "[a-zé_. -]{1,6}".prop_filter("dot names", |name| name != "." && name != "..")
}

proptest! {
    #[test]
    fn what_is_accepted_stays_below_any_root(text in tricky_text()) {
        if let Ok(path) = RelPath::new(text.as_str()) {
            prop_assert_eq!(path.as_str(), text.as_str());
            let below = path.below(Path::new("/root"));
            let rest = below.strip_prefix("/root").unwrap();
            let names: Vec<_> = rest
                .components()
                .map(|part| match part {
                    Component::Normal(name) => name.to_str().unwrap(),
                    other => panic!("{other:?}"),
                })
                .collect();
            // Equal to the text's own split: the system normalises nothing away.
            prop_assert_eq!(names, path.components().collect::<Vec<_>>());
            prop_assert!(!text.contains(|c: char| c == '\\' || c.is_control()));
        }
    }

    #[test]
    fn good_components_are_accepted_and_one_bad_one_is_not(
        parts in prop::collection::vec(good_component(), 1..5),
        bad in prop::sample::select(vec!["", ".", "..", "a\\b", "a\0", "\u{85}", "z:"]),
        place in any::<prop::sample::Index>(),
    ) {
        let path = RelPath::new(parts.join("/")).unwrap();
        prop_assert_eq!(path.components().collect::<Vec<_>>(), parts.clone());
        let mut spoilt = parts;
        let place = place.index(spoilt.len() + 1);
        spoilt.insert(place, bad.to_owned());
        prop_assert!(RelPath::new(spoilt.join("/")).is_err());
    }

    #[test]
    fn order_equals_byte_order(
        left in prop::collection::vec(good_component(), 1..4),
        right in prop::collection::vec(good_component(), 1..4),
    ) {
        let left = RelPath::new(left.join("/")).unwrap();
        let right = RelPath::new(right.join("/")).unwrap();
        prop_assert_eq!(
            left.cmp(&right),
            left.as_str().as_bytes().cmp(right.as_str().as_bytes())
        );
    }

    #[test]
    fn the_way_leads_to_the_target(
        base in prop::collection::vec("[abc]", 0..5),
        target in prop::collection::vec("[abc]", 0..5),
    ) {
        let base = format!("/{}", base.join("/"));
        let target = format!("/{}", target.join("/"));
        let way = relative_between(Path::new(&base), Path::new(&target)).unwrap();
        let mut walked = PathBuf::from(&base);
        for part in way.split('/') {
            match part {
                "." => {}
                ".." => prop_assert!(walked.pop()),
                name => walked.push(name),
            }
        }
        prop_assert_eq!(walked, PathBuf::from(&target));
    }
}

#[test]
fn what_is_missing_is_resolved_as_far_as_it_exists() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("real")).unwrap();
    std::fs::write(root.join("real/file"), "").unwrap();
    std::os::unix::fs::symlink("real", root.join("link")).unwrap();
    std::os::unix::fs::symlink("nowhere", root.join("dangling")).unwrap();
    for (path, expected) in [
        ("link", "real"),
        ("link/file", "real/file"),
        ("link/new/deep", "real/new/deep"),
        ("link/file/below", "real/file/below"),
        ("link/../new", "new"),
        ("dangling/x", "nowhere/x"),
    ] {
        assert_eq!(
            resolve(&root.join(path)).unwrap(),
            root.join(expected),
            "{path}"
        );
    }
    assert!(resolve(&root.join("new/../x")).is_err());
    std::os::unix::fs::symlink("circle", root.join("circle")).unwrap();
    assert!(resolve(&root.join("circle/x")).is_err());
    let here = Path::new(".").canonicalize().unwrap();
    assert_eq!(
        resolve(Path::new("no-such-name")).unwrap(),
        here.join("no-such-name")
    );
}

#[test]
fn a_folder_in_the_place_of_another_is_not_the_same() {
    let scratch = tempfile::tempdir().unwrap();
    let place = |name: &str| scratch.path().join(name);
    std::fs::create_dir(place("a")).unwrap();
    std::os::unix::fs::symlink("a", place("link")).unwrap();
    let before = identity(&place("a")).unwrap();
    assert_eq!(identity(&place("link")).unwrap(), before);
    std::fs::rename(place("a"), place("b")).unwrap();
    std::fs::create_dir(place("a")).unwrap();
    assert_ne!(identity(&place("a")).unwrap(), before);
    assert_eq!(identity(&place("b")).unwrap(), before);
    assert!(identity(&place("none")).is_err());
}
