//! How much is said about a run, and who decides that?

use super::rig::{Rig, THREAD};
use crate::harness::outcome;

fn rig() -> Rig {
    let rig = Rig::new();
    rig.file(
        "tree/a.md",
        format!("# A\n\n{}", "A paragraph of some length.\n\n".repeat(50)),
    );
    rig.links(&[("/a.md", "external-reference"), ("/none.md", "spec")]);
    rig
}

/// What is printed, with the test's own folder left out.
fn said(rig: &Rig, args: &[&str]) -> String {
    let run = rig.run(args).expect(0);
    let home = rig.dir.home().canonicalize().unwrap();
    run.stdout.replace(home.to_str().unwrap(), "HOME")
}

#[test]
fn the_three_verbosities() {
    let rig = rig();
    let mut all = String::new();
    for (number, how) in ["terse", "normal", "verbose"].iter().enumerate() {
        let now = format!("2026-11-30T12:00:0{number}Z");
        all += &format!(
            "=== {how}\n{}\n",
            said(&rig, &["--verbosity", how, "--now", &now])
        );
        let now = format!("2026-11-30T13:00:0{number}Z");
        let args = ["--detect-stale", "--verbosity", how, "--now", &now];
        all += &format!("=== {how}, stale\n{}\n", said(&rig, &args));
    }
    insta::assert_snapshot!("materialize_verbosity", all);
}

#[test]
fn the_option_beats_the_environment_and_that_the_configuration() {
    let rig = rig();
    let lines = |variable: Option<&str>, args: &[&str]| {
        let mut command = rig.command(&[&[THREAD], args].concat());
        if let Some(value) = variable {
            command.env("PROJECT_BRAIN_VERBOSITY", value);
        }
        let run = outcome(&mut command).expect(0);
        (run.stdout.lines().count(), run.stderr)
    };
    let (terse, normal, verbose) = (1, 4, 8);
    assert_eq!(lines(None, &[]).0, terse);
    rig.file("config.yaml", "primary_project: app\nverbosity: normal\n");
    assert_eq!(lines(None, &[]).0, normal);
    assert_eq!(lines(Some("verbose"), &[]).0, verbose);
    assert_eq!(lines(Some("verbose"), &["--verbosity", "terse"]).0, terse);
    let (count, stderr) = lines(Some("shrill"), &[]);
    assert_eq!(count, normal);
    assert!(stderr.contains("`shrill` is no verbosity"), "{stderr}");
    assert_eq!(lines(Some(""), &[]).0, normal);
}
