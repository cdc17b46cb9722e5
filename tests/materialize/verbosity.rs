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
fn a_run_that_names_no_links_says_that_some_are_unresolved() {
    let rig = rig();
    let line = "warning: 1 of 2 links is unresolved; it stands under \"## Unresolved refs\"\n";
    for (args, said) in [
        (&[][..], line),
        (&["--verbosity", "normal"], line),
        (&["--verbosity", "verbose"], ""),
        (&["--json"], ""),
        (&["--dry-run"], ""),
        (&["--roles", "external-reference"], ""),
    ] {
        assert_eq!(rig.run(args).expect(0).stderr, said, "{args:?}");
    }
    assert_eq!(rig.make(&[]).warnings(), "");
    rig.links(&[("/a.md", ""), ("/b.md", ""), ("/c.md", "")]);
    let several = "warning: 2 of 3 links are unresolved; they stand under \"## Unresolved refs\"\n";
    assert_eq!(rig.run(&[]).expect(0).stderr, several);
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
    let values = "and has to be one of terse, normal, verbose\n";
    let variable = format!("warning: `PROJECT_BRAIN_VERBOSITY` is `shrill`, {values}");
    assert!(stderr.contains(&variable), "{stderr}");
    rig.file("config.yaml", "primary_project: app\nverbosity: loud\n");
    let file = format!("warning: `verbosity` in `config.yaml` is `loud`, {values}");
    assert_eq!(lines(None, &[]).0, terse);
    assert!(lines(None, &[]).1.contains(&file), "{}", lines(None, &[]).1);
    rig.file("config.yaml", "primary_project: app\nverbosity: [normal]\n");
    let (count, stderr) = lines(None, &[]);
    let list = "warning: `verbosity` is a list, and a text is expected in `config.yaml`\n";
    assert!(count == terse && stderr.contains(list), "{stderr}");
    rig.file("config.yaml", "primary_project: app\nverbosity: normal\n");
    assert_eq!(lines(Some(""), &[]).0, normal);
}
