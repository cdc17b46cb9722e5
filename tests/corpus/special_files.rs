//! FIFOs, devices and folders where a skill file belongs: told, and never waited for.

use super::judge::{ROOT, judge, sibling};
use crate::harness::Dir;
use rustix::fs::{CWD, Mode, mkfifoat};

#[test]
fn what_is_no_regular_file_is_rejected_without_waiting() {
    let dir = Dir::new();
    sibling(&dir);
    for folder in ["fifo", "folder/SKILL.md", "device", "socket"] {
        std::fs::create_dir_all(dir.at(&format!("{ROOT}/{folder}"))).unwrap();
    }
    let path = |name: &str| dir.at(&format!("{ROOT}/{name}/SKILL.md"));
    mkfifoat(CWD, path("fifo"), Mode::RUSR | Mode::WUSR).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
    dir.link("/dev/zero", &format!("{ROOT}/device/SKILL.md"));
    let verdict = judge(&dir);
    assert_eq!(
        verdict.found,
        [
            "device/SKILL.md:0:0 link-outside-root",
            "fifo/SKILL.md:0:0 not-regular",
            "folder/SKILL.md:0:0 not-regular",
            "socket/SKILL.md:0:0 not-regular",
        ]
    );
    assert_eq!(verdict.summary, "5 = 1 + 0 + 4, 0 nested");
    assert_eq!(verdict.listed, ["local/good good/SKILL.md"]);
}

#[test]
fn a_manifest_that_is_a_fifo_is_not_waited_for() {
    let dir = Dir::new();
    sibling(&dir);
    let folder = dir.at(&format!("{ROOT}/.claude-plugin"));
    std::fs::create_dir(&folder).unwrap();
    mkfifoat(
        CWD,
        folder.join("marketplace.json"),
        Mode::RUSR | Mode::WUSR,
    )
    .unwrap();
    let verdict = judge(&dir);
    assert_eq!(
        verdict.found,
        [".claude-plugin/marketplace.json:0:0 plugin-manifest"]
    );
    assert_eq!(verdict.summary, "1 = 1 + 0 + 0, 0 nested");
}

#[test]
fn a_root_that_is_a_file_is_an_error_and_no_fallback() {
    let dir = Dir::new();
    let file = dir.file("skills", "text").to_str().unwrap().to_owned();
    dir.run(["check", &file, "--json"]).fails("skills_root");
    dir.run(["--skills", &file, "list", "--json"])
        .fails("skills_root");
    // Found, not named: a file in place of the folder is no root.
    let run = dir.run(["list", "--json"]).expect(0);
    assert!(run.stderr.contains("starter corpus"), "{}", run.stderr);
}
