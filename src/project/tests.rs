use super::*;
use std::fs::{create_dir_all, write};
use tempfile::TempDir;

fn place() -> (TempDir, PathBuf) {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().canonicalize().unwrap();
    create_dir_all(root.join("skills/a")).unwrap();
    create_dir_all(root.join("sub/deep")).unwrap();
    (scratch, root)
}

fn said(text: &str) -> Result<ProjectFile, ProjectFileError> {
    let (_scratch, root) = place();
    write(root.join(FILE), text).unwrap();
    read(&root.join(FILE), &root)
}

#[test]
fn every_key_is_read() {
    let (_scratch, root) = place();
    let text = "# ours\nskills = ['skills', \"./skills/\", 'sub/../sub']\nexclude = ['old']\nbudget = 8_000\n";
    write(root.join(FILE), text).unwrap();
    let file = read(&root.join(FILE), &root).unwrap();
    assert_eq!(
        file.skills,
        Some(vec![root.join("skills"), root.join("sub")])
    );
    assert_eq!(file.exclude.texts(), ["old"]);
    assert_eq!(file.budget, Some(8000));
    let used = file.used();
    assert_eq!(used.path, FILE);
    assert_eq!(used.sha256, sha256_hex(text.as_bytes()));
    assert!(file.chooses_skills());

    let empty = said("").unwrap();
    assert!(!empty.chooses_skills());
    assert_eq!((empty.skills, empty.budget), (None, None));
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (text, line, column, message, help) in [
        ("skils = []", 1, 1, "key `skils` is not known", "`skills`"),
        (
            "\n  wrong = 1",
            2,
            3,
            "key `wrong` is not known",
            "`budget`",
        ),
        ("[skills]\na = 1", 1, 1, "`skills` is a table", "skills = ["),
        ("skills = 'a'", 1, 10, "has to be a list", "skills = ["),
        (
            "skills = ['skills', 1]",
            1,
            21,
            "holds a integer",
            "skills = [",
        ),
        ("skills = []", 1, 10, "names no folder", "leave the key out"),
        ("skills = ['/etc']", 1, 11, "not relative", "--skills"),
        ("skills = ['~/x']", 1, 11, "not relative", "--skills"),
        ("skills = ['..']", 1, 11, "leads out", "--skills"),
        (
            "skills = ['none']",
            1,
            11,
            "can not be used",
            "that is there",
        ),
        ("skills = [\"a\\u0007b\"]", 1, 11, "is no path", "relative"),
        (
            "skills = ['vibey-context.toml']",
            1,
            11,
            "is no folder",
            "SKILL.md",
        ),
        ("exclude = ['a', '[']", 1, 17, "`[` is no pattern", "`**`"),
        ("budget = '6000'", 1, 10, "is a string", "budget = 6000"),
        (
            "budget = 10",
            1,
            10,
            "`budget` is 10 tokens",
            "1000 to 32000",
        ),
        (
            "budget = -1",
            1,
            10,
            "`budget` is -1 tokens",
            "1000 to 32000",
        ),
        (
            "budget = 1000\nbudget = 2000",
            2,
            1,
            "is not TOML: duplicate key",
            "place",
        ),
        ("skills = [", 1, 11, "is not TOML", "place"),
        // The first mistake of the file, not of the alphabet.
        (
            "skills = 1\nbudget = 1",
            1,
            10,
            "has to be a list",
            "skills",
        ),
    ] {
        let error = said(text).unwrap_err();
        assert!(error.message.contains(message), "{text}: {error}");
        assert!(error.help.contains(help), "{text}: {}", error.help);
        assert_eq!(
            (error.line, error.column),
            (line, column),
            "{text}: {error}"
        );
    }
}

#[test]
fn a_link_leads_neither_to_the_file_nor_out_of_the_repository() {
    let (_scratch, root) = place();
    let outside = tempfile::tempdir().unwrap();
    write(outside.path().join("x.toml"), "").unwrap();
    std::os::unix::fs::symlink(outside.path(), root.join("out")).unwrap();
    write(root.join(FILE), "skills = ['out']").unwrap();
    let error = read(&root.join(FILE), &root).unwrap_err();
    assert!(error.message.contains("leads out"), "{error}");
    std::fs::remove_file(root.join(FILE)).unwrap();
    std::os::unix::fs::symlink(outside.path().join("x.toml"), root.join(FILE)).unwrap();
    let error = read(&root.join(FILE), &root).unwrap_err();
    assert!(error.message.contains("is a symlink"), "{error}");
    assert_eq!(error.line, 0);
}

#[test]
fn the_nearest_file_up_to_the_repository_is_found() {
    let (_scratch, root) = place();
    let deep = root.join("sub/deep");
    assert_eq!(find(&deep, Some(&root)).unwrap(), None);
    write(root.join(FILE), "").unwrap();
    assert_eq!(find(&deep, Some(&root)).unwrap(), Some(root.join(FILE)));
    assert_eq!(find(&deep, Some(&root.join("sub"))).unwrap(), None);
    assert_eq!(find(&deep, None).unwrap(), None);
    assert_eq!(find(&root, None).unwrap(), Some(root.join(FILE)));
    write(root.join("sub").join(FILE), "").unwrap();
    let near = root.join("sub").join(FILE);
    assert_eq!(find(&deep, Some(&root)).unwrap(), Some(near.clone()));
    assert_eq!(
        read(&near, &root).unwrap().used().path,
        "sub/vibey-context.toml"
    );
}
