//! What does the help of every command say? A change of wording is a change of the interface, and is reviewed as one.

use crate::harness::{Dir, Output};

fn help(args: &[&str]) -> Output {
    Dir::new().run(args.iter().chain(&["--help"])).expect(0)
}

macro_rules! snapshots {
    ($($name:ident: $args:expr;)+) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(concat!("help_", stringify!($name)), help(&$args).stdout);
        }
    )+

        /// The commands that have a snapshot.
        const SHOWN: &[&[&str]] = &[$(&$args),+];
    };
}

snapshots! {
    program: [];
    index: ["index"];
    index_build: ["index", "build"];
    index_inspect: ["index", "inspect"];
    packet: ["packet"];
    materialize: ["materialize"];
    search: ["search"];
    reproduce: ["reproduce"];
    why: ["why"];
    evaluate: ["evaluate"];
    handoff: ["handoff"];
    handoff_transition: ["handoff", "transition"];
    handoff_resume: ["handoff", "resume"];
    handoff_refresh: ["handoff", "refresh"];
    handoff_restart: ["handoff", "restart"];
    handoff_validate: ["handoff", "validate"];
    handoff_finish: ["handoff", "finish"];
    handoff_pause: ["handoff", "pause"];
    handoff_status: ["handoff", "status"];
    handoff_dashboard: ["handoff", "dashboard"];
    list: ["list"];
    check: ["check"];
    markers: ["markers"];
    markers_apply: ["markers", "apply"];
    markers_check: ["markers", "check"];
    markers_generate: ["markers", "generate"];
    markers_explain: ["markers", "explain"];
    markers_orphans: ["markers", "orphans"];
    mcp: ["mcp"];
    doctor: ["doctor"];
    clean: ["clean"];
    contract: ["contract"];
    completions: ["completions"];
    man: ["man"];
}

#[test]
fn every_command_has_its_snapshot() {
    let listed = help(&[]).stdout;
    let commands = listed
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .filter(|name| *name != "help");
    let mut count = 0;
    for command in commands {
        assert!(
            SHOWN.iter().any(|args| args == &[command]),
            "`{command}` has no snapshot of its help"
        );
        count += 1;
    }
    assert!(count >= 10, "{listed}");
}

#[test]
fn help_is_the_same_whatever_the_terminal() {
    let dir = Dir::new();
    let plain = dir.run(["packet", "--help"]).expect(0);
    assert!(!plain.stdout.contains('\x1b'));
    assert!(plain.stdout.lines().all(|line| line.chars().count() <= 100));
}
