//! Who builds while another builds? Nobody: the second waits, and then finds the work done.

use super::rig::{INDEX, Rig};
use crate::corpus::unprivileged::find;
use crate::harness::BIN;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

/// Holds the lock of an index in another process, until its standard input is closed.
fn hold(rig: &Rig) -> Child {
    let flock = find("flock").expect("this test needs `flock` (util-linux)");
    let mut holder = Command::new(flock)
        .arg(rig.dir.at("index/lock"))
        .args(["sh", "-c", "echo held; cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "held\n");
    holder
}

fn release(mut holder: Child) {
    drop(holder.stdin.take());
    assert!(holder.wait().unwrap().success());
}

#[test]
fn a_second_build_waits_for_the_first_and_readers_wait_for_nobody() {
    let rig = Rig::small();
    rig.build();
    let good = rig.packet();
    rig.dir.skill("s/new", "new", "d", "", "# N\n\nx\n");
    let holder = hold(&rig);
    let mut build = Command::new(BIN)
        .args([
            "--skills",
            &rig.root,
            "index",
            "build",
            "--output",
            &rig.dir.arg(INDEX),
            "--json",
        ])
        .env_clear()
        .env("HOME", rig.dir.home())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut stderr = BufReader::new(build.stderr.take().unwrap());
    stderr.read_line(&mut said).unwrap();
    assert!(said.contains("another build holds the index"), "{said}");
    // It has said that it waits, and does: the packet is the old one.
    assert!(build.try_wait().unwrap().is_none());
    assert!(rig.packet() == good);
    rig.inspect(INDEX, true).expect(0);
    release(holder);
    let mut report = String::new();
    build
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut report)
        .unwrap();
    assert!(build.wait().unwrap().success());
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(
        (&report["outcome"], &report["skill_count"]),
        (&"built".into(), &4.into())
    );
}

#[test]
fn what_stands_in_the_lock_file_means_nothing() {
    let rig = Rig::small();
    rig.build();
    let own = std::process::id().to_string();
    for content in ["", "1\n", own.as_str(), "{\"pid\": 1}", "\0\0\0"] {
        rig.dir.file("index/lock", content);
        rig.dir
            .skill("s/new", "new", "d", "", &format!("# N\n\n{content:?}\n"));
        let run = rig.try_build(INDEX).expect(0);
        assert_eq!(run.stderr, "", "nobody holds it");
        assert_eq!(run.json()["outcome"], "built");
    }
}

#[test]
fn a_build_leaves_the_lock_file_in_place() {
    use std::os::unix::fs::MetadataExt as _;
    let rig = Rig::small();
    rig.build();
    let inode = || rig.dir.at("index/lock").metadata().unwrap().ino();
    let before = inode();
    rig.dir.skill("s/new", "new", "d", "", "# N\n\nx\n");
    rig.build();
    assert_eq!(
        inode(),
        before,
        "a new file under the name would be a second lock"
    );
}
