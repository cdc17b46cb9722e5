//! Bytes go in and come out, however much and in whatever order, and nobody waits for the other.

use std::time::Duration;

use vibey_context_host::process::{Bound, Input, Outcome, Output, run};

use crate::bed::{PATIENCE, script, text};

#[test]
fn a_flood_on_one_stream_does_not_block_the_other() {
    let flood = "head -c 10000000 /dev/zero | tr '\\0' 'e' >&2; echo done";
    let mut command = script(flood, &[]);
    command.stderr = Output::Capture(Bound {
        head_bytes: 10,
        tail_bytes: 20,
    });
    let finished = run(&command);
    assert!(matches!(finished.outcome, Outcome::Exited(0)));
    assert_eq!(text(finished.stdout), "done\n");
    let stderr = finished.stderr;
    assert!(stderr.ended);
    assert_eq!((stderr.head.len(), stderr.tail.len()), (10, 20));
    assert_eq!(stderr.left_out_bytes, 10_000_000 - 30);
    assert_eq!(stderr.whole(), None);
}

#[test]
fn input_larger_than_a_pipe_comes_back_whole() {
    let input: Vec<u8> = (0..200_000u32).map(|n| (n % 251) as u8).collect();
    let mut command = script("cat", &[]);
    command.stdin = Input::Bytes(input.clone());
    let finished = run(&command);
    assert!(matches!(finished.outcome, Outcome::Exited(0)));
    assert!(finished.stdout.whole().unwrap() == input);
}

#[test]
fn input_that_nobody_reads_is_no_error() {
    for script_text in ["exit 4", "exec <&-; sleep 0.1; exit 4"] {
        let mut command = script(script_text, &[]);
        command.stdin = Input::Bytes(vec![b'x'; 200_000]);
        assert!(matches!(run(&command).outcome, Outcome::Exited(4)));
    }
}

#[test]
fn input_ends_also_where_it_is_empty() {
    for stdin in [Input::Null, Input::Bytes(Vec::new())] {
        let mut command = script("cat; echo end", &[]);
        command.stdin = stdin;
        let finished = run(&command);
        assert!(matches!(finished.outcome, Outcome::Exited(0)));
        assert_eq!(text(finished.stdout), "end\n");
        assert!(finished.duration < PATIENCE);
    }
}

#[test]
fn bytes_that_are_no_text_are_kept() {
    let finished = run(&script("printf '\\262\\377\\000x'", &[]));
    assert_eq!(finished.stdout.whole().unwrap(), b"\xB2\xFF\0x");
}

#[test]
fn more_output_than_allowed_ends_the_run() {
    let endless = "while :; do echo 0123456789; echo 0123456789 >&2; done";
    let short = "head -c 100000 /dev/zero";
    for script_text in [endless, short] {
        let mut command = script(script_text, &[]);
        command.output_limit_bytes = Some(99_999);
        assert!(matches!(run(&command).outcome, Outcome::OutputLimit));
        command.output_limit_bytes = None;
        command.timeout = Some(Duration::from_millis(500));
        assert!(!matches!(run(&command).outcome, Outcome::OutputLimit));
    }
    let mut command = script(short, &[]);
    command.output_limit_bytes = Some(100_000);
    assert!(matches!(run(&command).outcome, Outcome::Exited(0)));
}

#[test]
fn what_is_not_captured_is_empty() {
    let mut command = script("echo out; echo err >&2", &[]);
    command.stderr = Output::Null;
    let finished = run(&command);
    assert_eq!(text(finished.stdout), "out\n");
    assert_eq!(finished.stderr.head, b"");
    assert!(!finished.stderr.ended);
}
