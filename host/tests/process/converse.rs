//! A program that is spoken with, and its end.

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::runtime::{Builder, Runtime};
use vibey_context_host::process::{Ended, Output, StartFailure, converse};

use crate::bed::{pids, runs, script, until};

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_io().build().unwrap()
}

#[test]
fn questions_are_answered_and_the_group_ends_with_its_partner() {
    let command = script(
        "sleep 100 & echo $$ $!; while read x; do echo got $x; done",
        &[],
    );
    let group = runtime().block_on(async {
        let (mut sender, receiver, partner) = converse(&command).unwrap();
        let mut lines = BufReader::new(receiver).lines();
        let group = pids(&lines.next_line().await.unwrap().unwrap());
        for word in ["one", "two"] {
            sender
                .write_all(format!("{word}\n").as_bytes())
                .await
                .unwrap();
            let answer = lines.next_line().await.unwrap();
            assert_eq!(answer, Some(format!("got {word}")));
        }
        assert!(group.iter().all(|pid| runs(*pid)));
        drop(partner);
        group
    });
    until("the death of the group", || {
        !group.iter().any(|pid| runs(*pid))
    });
}

#[test]
fn a_partner_that_hears_no_more_may_end_by_itself() {
    runtime().block_on(async {
        let mut command = script("cat", &[]);
        command.stderr = Output::Null;
        let (sender, _receiver, mut partner) = converse(&command).unwrap();
        assert!(partner.take_stderr().is_none(), "it is not captured");
        assert!(partner.ended().unwrap().is_none());
        drop(sender);
        until("the end of the program", || {
            partner.ended().unwrap().is_some()
        });
        // Looking does not reap: it can be asked again, and dropped.
        assert!(partner.ended().unwrap().is_some());
    });
}

#[test]
fn a_partner_says_how_it_ended_and_what_it_said() {
    for (text, ended, said) in [
        ("echo why >&2; exit 3", Ended::Exited(3), "why\n"),
        ("kill -9 $$", Ended::Signalled(9), ""),
    ] {
        runtime().block_on(async {
            let (_sender, _receiver, mut partner) = converse(&script(text, &[])).unwrap();
            let mut stderr = partner.take_stderr().unwrap();
            let mut heard = String::new();
            stderr.read_to_string(&mut heard).await.unwrap();
            assert_eq!(heard, said);
            until("the end of the program", || {
                partner.ended().unwrap().is_some()
            });
            assert_eq!(partner.ended().unwrap(), Some(ended));
            assert!(partner.take_stderr().is_none(), "it was taken");
        });
    }
}

#[test]
fn a_program_that_is_not_there_is_no_partner() {
    let mut command = script("", &[]);
    command.program = "/no/such/program".into();
    let refused = runtime().block_on(async { converse(&command).map(|_| ()) });
    assert!(matches!(refused, Err(StartFailure::NotFound)));
}
