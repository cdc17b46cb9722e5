//! Does this name stay inside that folder?
//!
//! [`RelPath`] answers for names that come from data, before anything is opened; [`confine`] answers for
//! paths that exist, after every symlink on the way is resolved. A folder that somebody else can change
//! at the same moment can still swap a component after the answer: open what [`confine`] returned with
//! [`crate::read::read_regular_nofollow`].

use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use crate::deliver::MOST_LINKS;
use crate::error::{HostError, Result};
use crate::read::is_absent;

/// A relative path with `/` between its components, safe to join to any folder.
///
/// No component is empty, `.` or `..`, holds a backslash, a control character or starts like a drive
/// (`c:`), so the same text is the same place on every platform. The order is that of the UTF-8 bytes of
/// the whole text, whatever the locale.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(String);

impl RelPath {
    /// Checks every component of `text`.
    ///
    /// # Errors
    /// [`HostError::InvalidComponent`] for the first component at fault; an absolute path and an empty text
    /// start with an empty component.
    pub fn new(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        for component in text.split('/') {
            check_component(&text, component)?;
        }
        Ok(Self(text))
    }

    /// The same for a [`Path`], with no normalisation.
    ///
    /// # Errors
    /// As [`RelPath::new`], and for a path that is not UTF-8.
    pub fn from_path(path: &Path) -> Result<Self> {
        path.to_str().map_or_else(
            || {
                let lossy = path.to_string_lossy().into_owned();
                Err(invalid(&lossy, &lossy, "is not UTF-8"))
            },
            Self::new,
        )
    }

    /// The whole path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The components from the first folder to the last name; never empty.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The last component.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0
            .rsplit_once('/')
            .map_or(self.as_str(), |(_, name)| name)
    }

    /// The path without its last component; `None` where there is only one.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let (parent, _) = self.0.rsplit_once('/')?;
        Some(Self(parent.to_owned()))
    }

    /// This path with `tail` behind it.
    ///
    /// # Errors
    /// As [`RelPath::new`], for `tail` alone.
    pub fn join(&self, tail: &str) -> Result<Self> {
        let tail = Self::new(tail)?;
        Ok(Self(format!("{}/{}", self.0, tail.0)))
    }

    /// The place below `root`. Lexical: a symlink on the way is for [`confine`] to find.
    #[must_use]
    pub fn below(&self, root: &Path) -> PathBuf {
        root.join(&self.0)
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for RelPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<RelPath> for String {
    fn from(path: RelPath) -> Self {
        path.0
    }
}

impl FromStr for RelPath {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self> {
        Self::new(text)
    }
}

fn check_component(path: &str, component: &str) -> Result<()> {
    let reason = match component {
        "" => "is empty",
        "." | ".." => "is a dot name",
        _ if component.contains('\\') => "holds a backslash",
        _ if component.contains(char::is_control) => "holds a control character",
        _ if starts_like_a_drive(component) => "starts like a drive",
        _ => return Ok(()),
    };
    Err(invalid(path, component, reason))
}

/// Windows joins `c:x` by replacing the folder it is joined to.
fn starts_like_a_drive(component: &str) -> bool {
    matches!(component.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn invalid(path: &str, component: &str, reason: &'static str) -> HostError {
    HostError::InvalidComponent {
        path: path.to_owned(),
        component: component.to_owned(),
        reason,
    }
}

/// Resolves every symlink of `candidate` and returns the canonical path if it lies in `root_canonical` or
/// is that folder itself.
///
/// `root_canonical` must be canonical: otherwise everything is refused.
///
/// # Errors
/// [`HostError::Outside`], or [`HostError::Io`] where `candidate` does not exist or can not be resolved.
pub fn confine(root_canonical: &Path, candidate: &Path) -> Result<PathBuf> {
    let resolved = candidate
        .canonicalize()
        .map_err(|cause| HostError::io("resolve", candidate, cause))?;
    // An empty root is a prefix of every path.
    if root_canonical.is_absolute() && resolved.starts_with(root_canonical) {
        Ok(resolved)
    } else {
        Err(HostError::Outside {
            path: candidate.to_path_buf(),
            root: root_canonical.to_path_buf(),
        })
    }
}

/// The place that a path leads to when every symlink is resolved, whether or not something is there.
///
/// What exists is resolved by the system; the names behind it are kept as they are. A link that leads nowhere is followed
/// to where it would lead.
///
/// # Errors
/// [`HostError::Io`]: a loop of links, a folder that must not be entered, or a `..` behind a name that is missing.
pub fn resolve(path: &Path) -> Result<PathBuf> {
    let mut missing = Vec::new();
    let mut existing = path.to_path_buf();
    let mut links = 0;
    loop {
        // A relative path of which nothing exists starts in the current folder.
        let place = match existing.as_os_str().is_empty() {
            true => Path::new("."),
            false => &existing,
        };
        let cause = match place.canonicalize() {
            Ok(place) => return Ok(missing.iter().rev().fold(place, |at, name| at.join(name))),
            Err(cause) => cause,
        };
        // A `..` has no name: where it leads is not known when what stands before it is missing.
        let (Some(name), Some(folder), true) =
            (existing.file_name(), existing.parent(), is_absent(&cause))
        else {
            return Err(HostError::io("resolve", path, cause));
        };
        // A link that leads nowhere yet says where it will lead.
        existing = match existing.read_link() {
            Ok(target) if links < MOST_LINKS => {
                links += 1;
                folder.join(target)
            }
            Ok(_) => return Err(HostError::io("resolve", path, cause)),
            Err(_) => {
                missing.push(name.to_owned());
                folder.to_path_buf()
            }
        };
    }
}

/// The way from the folder `base` to `target`, with `/` and leading `..` as needed; `.` where they are equal.
///
/// Lexical, so both must be canonical. `None` where either is not, where no relative path exists, or where
/// the result would not be UTF-8.
#[must_use]
pub fn relative_between(base: &Path, target: &Path) -> Option<String> {
    let plain = |path: &Path| {
        path.is_absolute() && !path.components().any(|part| part == Component::ParentDir)
    };
    if !plain(base) || !plain(target) {
        return None;
    }
    let mut base_rest = base.components().peekable();
    let mut target_rest = target.components().peekable();
    while base_rest.peek().is_some() && base_rest.peek() == target_rest.peek() {
        base_rest.next();
        target_rest.next();
    }
    let mut parts = vec![".."; base_rest.count()];
    for component in target_rest {
        let Component::Normal(name) = component else {
            return None;
        };
        parts.push(name.to_str()?);
    }
    if parts.is_empty() {
        parts.push(".");
    }
    Some(parts.join("/"))
}

/// What tells a folder from another one that has taken its place under the same path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
}

/// The identity of what `path` leads to, links followed.
///
/// # Errors
/// [`HostError::Io`], also where nothing is there.
pub fn identity(path: &Path) -> Result<Identity> {
    let found = path
        .metadata()
        .map_err(|cause| HostError::io("look at", path, cause))?;
    Ok(Identity {
        device: found.dev(),
        inode: found.ino(),
    })
}

/// Is the last component of `path` a symlink? A missing path is none.
///
/// # Errors
/// [`HostError::Io`] where the path can not be looked at.
pub fn is_symlink(path: &Path) -> Result<bool> {
    // The system follows a link that is written `link/` or `link/.`; a rebuilt path ends in the name.
    let bare: PathBuf = path.components().collect();
    match bare.symlink_metadata() {
        Ok(found) => Ok(found.file_type().is_symlink()),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(HostError::io("look at", path, cause)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
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
}
