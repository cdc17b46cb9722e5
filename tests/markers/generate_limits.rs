//! Generators that run too long or write too much are ended with all that they started, and markers are restored.

use super::project::{GUIDANCE, Project, manifest};
use serde_json::json;

/// A project whose generator has these limits.
fn limited(script: &str, limits: &[(&str, u64)]) -> Project {
    let project = Project::generating(&format!("echo $$ >pids; rm -rf out\n{script}"));
    let mut value = manifest(&["out"]);
    for (key, limit) in limits {
        value["generator"][key] = json!(limit);
    }
    project.manifest(&value);
    project
}

/// Fails unless `generate` ends like this, with the marker restored and nothing running.
#[track_caller]
fn assert_ends(project: &Project, expected: &str) {
    project.run("generate").is(expected);
    assert_eq!(project.running("pids"), Vec::<String>::new());
    assert_eq!(project.marker("out"), GUIDANCE);
    project.run("check").is("0 ok, out unchanged");
}

const TIMED_OUT: &str = "1 generatorFailed, out restored, generator timedOut";
const FLOODED: &str = "1 generatorFailed, out restored, generator outputLimit";
const OK: &str = "0 ok, out restored, generator ok 0";

#[test]
fn a_generator_that_sleeps_past_its_time_is_ended() {
    for script in [
        "sleep 1000",
        "sleep 1000 & echo $! >>pids; wait",
        "while :; do :; done",
        "exec sleep 1000",
        // Not without end, but it stops itself.
        "kill -STOP $$",
    ] {
        let project = limited(script, &[("timeoutMs", 1000)]);
        assert_ends(&project, TIMED_OUT);
    }
}

#[test]
fn a_generator_that_ignores_term_is_killed() {
    let script = "trap '' TERM INT HUP; (trap '' TERM; echo canary; while :; do sleep 1; done) & echo $! >>pids
        while :; do sleep 1; done";
    let project = limited(script, &[("timeoutMs", 500)]);
    assert_ends(&project, TIMED_OUT);
}

#[test]
fn a_generator_that_is_asked_to_end_may_clean_up_and_is_timed_out_all_the_same() {
    let script = "trap 'echo bye >said; exit 0' TERM; while :; do sleep 0.01; done";
    let project = limited(script, &[("timeoutMs", 500)]);
    assert_ends(&project, TIMED_OUT);
    assert_eq!(project.read("said"), "bye\n");
}

#[test]
fn a_generator_that_writes_two_mebibytes_is_ended() {
    for script in [
        "head -c 2097152 /dev/zero; touch finished",
        "head -c 2097152 /dev/zero >&2; touch finished",
        // Neither stream alone is too much.
        "head -c 1048000 /dev/zero; head -c 1048000 /dev/zero >&2; sleep 1000",
        "yes canary",
        "trap '' TERM PIPE; while :; do echo canary; done",
    ] {
        let project = limited(script, &[]);
        assert_ends(&project, FLOODED);
    }
}

#[test]
fn the_limit_is_of_both_streams_and_to_the_byte() {
    let half = 512 * 1024;
    for (out, err, expected) in [
        (2 * half, 0, OK),
        (0, 2 * half, OK),
        (half, half, OK),
        (2 * half + 1, 0, FLOODED),
        (half, half + 1, FLOODED),
    ] {
        // Its exit comes after its output, however that ends.
        let script = format!("head -c {out} /dev/zero; head -c {err} /dev/zero >&2");
        assert_ends(&limited(&script, &[]), expected);
    }
    let two = "head -c 2097152 /dev/zero";
    assert_ends(&limited(two, &[("maxOutputBytes", 2 << 20)]), OK);
    assert_ends(&limited("printf x", &[("maxOutputBytes", 1)]), OK);
    assert_ends(&limited("printf xy", &[("maxOutputBytes", 1)]), FLOODED);
}
