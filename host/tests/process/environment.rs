//! A program gets what it was given, and nothing of ours.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use vibey_context_host::process::run;

use crate::bed::{script, text};

#[test]
fn the_environment_is_exactly_the_given_one() {
    assert!(
        std::env::vars_os().count() > 0,
        "there is something to inherit"
    );
    let mut command = script("", &[]);
    command.program = "/usr/bin/env".into();
    command.args = vec!["-0".into()];
    command.environment = vec![
        ("B".into(), "2 = two\nlines".into()),
        ("A".into(), OsString::from_vec(b"\xFF".to_vec())),
        ("B".into(), "3".into()),
    ];
    let finished = run(&command);
    let printed = finished.stdout.whole().unwrap();
    let mut entries: Vec<&[u8]> = printed.split(|byte| *byte == 0).collect();
    entries.sort_unstable();
    assert_eq!(entries, [&b""[..], b"A=\xFF", b"B=3"]);
    command.environment.clear();
    assert_eq!(run(&command).stdout.whole().unwrap(), b"");
}

#[test]
fn arguments_are_not_interpreted_and_the_folder_is_the_given_one() {
    let scratch = tempfile::tempdir().unwrap();
    let mut command = script("printf '%s|' \"$@\"; pwd -P", &["a b", "$HOME", "", "*"]);
    command.directory = scratch.path().to_owned();
    let folder = scratch.path().canonicalize().unwrap();
    let expected = format!("a b|$HOME||*|{}\n", folder.display());
    assert_eq!(text(run(&command).stdout), expected);
}

#[test]
fn the_program_leads_a_group_of_its_own() {
    let stat = "cat /proc/$$/stat";
    if cfg!(target_os = "linux") {
        let printed = text(run(&script(stat, &[])).stdout);
        let pid = printed.split(' ').next().unwrap();
        let group = printed.rsplit_once(") ").unwrap().1.split(' ').nth(2);
        assert_eq!(group, Some(pid));
    }
}
