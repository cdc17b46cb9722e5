use super::*;
use crate::materialize::registry::Projects;
use crate::materialize::uri::form;
use std::os::unix::fs::symlink;

/// A brain, a repository beside it and what links may try to reach.
struct Bed {
    _scratch: tempfile::TempDir,
    top: PathBuf,
    aliases: Aliases,
}

impl Bed {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let top = scratch.path().canonicalize().unwrap();
        for (path, text) in [
            ("brain/tree/a.md", "a"),
            ("brain/tree/has#mark.md", "literal"),
            ("brain/tree/dir/NODE.md", "node"),
            ("brain/tree/leaf/leaf.md", "leaf"),
            ("brain/tree/empty/x.txt", "x"),
            ("brain/threads/t/thread.md", "t"),
            ("brain/old/o.md", "old"),
            ("brain/.env", "secret"),
            ("brain/tree/closed/.agent-no-read.md", ""),
            ("brain/tree/closed/c.md", "closed"),
            ("brain-evil/x.md", "evil"),
            ("app/src/lib.rs", "code"),
            ("app/.git/config", "secret"),
            ("app/brain/archive/t/thread.md", "archived"),
            ("app/brain/tree/a.md", "other a"),
            ("with space/f.md", "f"),
        ] {
            let path = top.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        symlink(top.join("brain-evil/x.md"), top.join("brain/tree/out.md")).unwrap();
        symlink("a.md", top.join("brain/tree/in.md")).unwrap();
        symlink("../.env", top.join("brain/tree/env.md")).unwrap();
        let project = |root: Option<&str>, brain: Option<&str>| Project {
            root: root.map(|root| top.join(root)),
            brain: brain.map(|brain| top.join(brain)),
            written: Vec::new(),
        };
        let config = Projects::from([
            ("app".to_owned(), project(Some("app"), Some("app/brain"))),
            ("repo".to_owned(), project(Some("app"), None)),
            ("gone".to_owned(), project(None, Some("none"))),
        ]);
        Self {
            _scratch: scratch,
            aliases: Aliases {
                config,
                ..Aliases::default()
            },
            top,
        }
    }

    fn source(&self, uri: &str, allow_private: bool) -> Result<String, String> {
        let brain = self.top.join("brain");
        let places = Places {
            own: "app",
            brain: &brain,
            aliases: &self.aliases,
            allow_private,
        };
        let found = locate(&form(uri), &places).map_err(|reason| reason.to_string())?;
        read(&found).map_err(|reason| reason.to_string())?;
        Ok(found.source)
    }
}

#[test]
fn links_are_found_in_the_order_of_their_rules() {
    let bed = Bed::new();
    for (uri, source) in [
        ("/tree/a.md", "tree/a.md"),
        ("/a.md", "tree/a.md"),
        ("/project-brain/tree/a.md", "tree/a.md"),
        ("/thoughts/old/o.md", "old/o.md"),
        ("/tree/dir", "tree/dir/NODE.md"),
        ("/leaf", "tree/leaf/leaf.md"),
        ("/a.md#part", "tree/a.md"),
        ("/has#mark.md", "tree/has#mark.md"),
        ("/tree/in.md", "tree/a.md"),
        ("tree/a.md", "tree/a.md"),
        ("/tree/dir/../a.md", "tree/a.md"),
        ("app:tree/a.md", "app:tree/a.md"),
        ("app:a.md", "app:tree/a.md"),
        ("app:src/lib.rs", "app:src/lib.rs"),
        ("repo:src/lib.rs", "repo:src/lib.rs"),
        ("app:thread/t", "app:archive/t/thread.md"),
        ("app:thread/t#x", "app:archive/t/thread.md"),
    ] {
        assert_eq!(bed.source(uri, false), Ok(source.to_owned()), "{uri}");
    }
}

#[test]
fn what_is_not_resolved_says_why() {
    let bed = Bed::new();
    for (uri, reason) in [
        ("/none.md", "not-found"),
        ("/tree/empty", "not-found"),
        ("/tree/a.md/x", "not-found"),
        ("/../brain-evil/x.md", "path-escapes-root"),
        ("/../none", "path-escapes-root"),
        ("//etc/passwd", "path-escapes-root"),
        ("/tree/out.md", "path-escapes-root"),
        ("app:/etc/passwd", "path-escapes-root"),
        ("app:../brain/tree/a.md", "path-escapes-root"),
        ("app:thread/..", "not-found"),
        ("you:tree/a.md", "unknown alias"),
        ("gone:tree/a.md", "alias root unreachable"),
        ("repo:thread/t", "alias root unreachable"),
        ("/.env", "blocked-private"),
        ("/tree/env.md", "blocked-private"),
        ("app:.git/config", "blocked-private"),
        ("app:.git/none", "blocked-private"),
        ("/tree/closed/c.md", "excluded-by-marker"),
        ("file:///dev/zero", "blocked-private"),
        ("file:///proc/self/environ", "blocked-private"),
        ("file://elsewhere/x", "unsupported-scheme"),
        ("ftp://h/x", "unsupported-scheme"),
    ] {
        assert_eq!(bed.source(uri, false), Err(reason.to_owned()), "{uri}");
    }
    assert_eq!(bed.source("/.env", true), Ok(".env".to_owned()));
    let device = bed.source("file:///dev/zero", true);
    assert_eq!(device, Err("not-a-file: character device".to_owned()));
}

#[test]
fn file_links_are_decoded_where_they_lead_nowhere() {
    let bed = Bed::new();
    let path = bed.top.join("with space/f.md");
    let plain = format!("file://{}", path.display());
    let encoded = plain.replace(' ', "%20");
    let expected = Ok(plain.clone());
    for uri in [
        plain.clone(),
        encoded,
        plain.replace("file://", "FILE://localhost"),
    ] {
        assert_eq!(bed.source(&uri, false), expected, "{uri}");
    }
    let hidden = format!("file://{}/%2Eenv", bed.top.join("brain").display());
    assert_eq!(
        bed.source(&hidden, false),
        Err("blocked-private".to_owned())
    );
}
