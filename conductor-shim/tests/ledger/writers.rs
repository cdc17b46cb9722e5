//! Several processes write at the same time, and some of them are killed.

use super::on_both;
use super::place::{Place, event, location, rows, wait};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use vibey_conductor_shim::ledger::Ledger;
use vibey_conductor_shim::ledger::read::Filter;

on_both!(
    eight_processes_lose_nothing,
    a_killed_writer_leaves_a_whole_chain,
    tasks_of_one_process_share_a_ledger,
);

const PLACE: &str = "VIBEY_TEST_WRITER_PLACE";
const NAME: &str = "VIBEY_TEST_WRITER_NAME";
const EVENTS: &str = "VIBEY_TEST_WRITER_EVENTS";

/// The body of a writer process, which is this binary again; without its variables it is not one.
///
/// It opens the ledger itself, so that the first ones race for its creation, and prints the digest of each row that
/// was acknowledged.
#[test]
fn writer() {
    let (Ok(place), Ok(name), Ok(events)) = (
        std::env::var(PLACE),
        std::env::var(NAME),
        std::env::var(EVENTS),
    ) else {
        return;
    };
    wait(async {
        let ledger = Ledger::open(&location(&place)).await.unwrap();
        for n in 0..events.parse::<u64>().unwrap() {
            let project = if n % 4 == 3 { "own" } else { "shared" };
            let job = format!("{name}-{n}");
            let appended = ledger.append(&event(project, &job)).await.unwrap();
            let mut out = std::io::stdout().lock();
            writeln!(out, "\nACK {}", appended.digest).unwrap();
            out.flush().unwrap();
        }
    });
}

struct Writer {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Writer {
    fn start(place: &Place, name: &str, events: u64) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "ledger::writers::writer",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(PLACE, &place.text)
            .env(NAME, name)
            .env(EVENTS, events.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    /// Digests of the next rows that were acknowledged, at most `most`.
    fn acknowledged(&mut self, most: usize) -> Vec<String> {
        let mut digests = Vec::new();
        let mut line = String::new();
        while digests.len() < most {
            line.clear();
            if self.out.read_line(&mut line).unwrap() == 0 {
                break;
            }
            if let Some(digest) = line.strip_prefix("ACK ") {
                digests.push(digest.trim().to_owned());
            }
        }
        digests
    }
}

/// The chain is whole, and everything that was acknowledged is in it. Returns the number of rows.
fn whole(place: &Place, acknowledged: &[String]) -> usize {
    let ledger = place.open();
    let verdict = wait(ledger.verify(None, None)).unwrap();
    assert!(verdict.whole, "{verdict:?}");
    let stored = rows(&ledger, &Filter::default());
    let digests: BTreeSet<&str> = stored.iter().map(|row| row.digest.as_str()).collect();
    for digest in acknowledged {
        assert!(digests.contains(digest.as_str()), "{digest} is lost");
    }
    stored.len()
}

fn eight_processes_lose_nothing(place: &Place) {
    const EACH: u64 = 25;
    let mut writers: Vec<Writer> = (0..8)
        .map(|n| Writer::start(place, &format!("w{n}"), EACH))
        .collect();
    let mut acknowledged = Vec::new();
    for writer in &mut writers {
        acknowledged.extend(writer.acknowledged(usize::MAX));
        assert!(writer.child.wait().unwrap().success());
    }
    assert_eq!(acknowledged.len(), 200);
    assert_eq!(whole(place, &acknowledged), 200);
}

fn a_killed_writer_leaves_a_whole_chain(place: &Place) {
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        let mut survivor = Writer::start(place, &format!("s{round}"), 20);
        // It would write for ever; `kill` is SIGKILL.
        let mut victim = Writer::start(place, &format!("v{round}"), 1_000_000);
        acknowledged.extend(victim.acknowledged(10));
        victim.child.kill().unwrap();
        victim.child.wait().unwrap();
        acknowledged.extend(victim.acknowledged(usize::MAX));
        acknowledged.extend(survivor.acknowledged(usize::MAX));
        assert!(survivor.child.wait().unwrap().success());
    }
    assert!(acknowledged.len() >= 3 * 30);
    assert!(whole(place, &acknowledged) >= acknowledged.len());
}

fn tasks_of_one_process_share_a_ledger(place: &Place) {
    let ledger = place.open();
    let events: Vec<_> = (0..40).map(|n| event("p", &format!("j{n}"))).collect();
    let appended = wait(async {
        let mut tasks = tokio::task::JoinSet::new();
        let ledger = std::sync::Arc::new(ledger);
        for event in events {
            let ledger = ledger.clone();
            tasks.spawn(async move { ledger.append(&event).await.unwrap().digest });
        }
        tasks.join_all().await
    });
    assert_eq!(whole(place, &appended), 40);
}

/// On PostgreSQL alone: a SQLite connection has no other end.
#[test]
fn a_server_that_hung_up_is_called_again() {
    super::place::on_postgres(|place| {
        let ledger = place.open();
        let hang_up = || {
            let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                WHERE datname = current_database() AND pid <> pg_backend_pid()";
            place.execute(others).unwrap();
        };
        let mut acknowledged = Vec::new();
        for n in 0..3 {
            hang_up();
            let appended = wait(ledger.append(&event("p", &format!("j{n}")))).unwrap();
            acknowledged.push(appended.digest);
        }
        assert_eq!(whole(place, &acknowledged), 3);
        hang_up();
        // A read is not made twice behind the caller's back, but the next one has a new connection.
        let _ = wait(ledger.heads());
        assert_eq!(wait(ledger.heads()).unwrap()[0].sequence, 3);
    });
}
