//! The file of a SQLite ledger goes away while a process has it open: what is acknowledged is where the path leads.
//!
//! On SQLite alone: a server's tables are not moved by their path.

use super::place::{Place, event, on_sqlite, rows, sqlite, wait};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use vibey_conductor_shim::ledger::Ledger;
use vibey_conductor_shim::ledger::error::LedgerError;
use vibey_conductor_shim::ledger::read::Filter;

const COMPANIONS: [&str; 3] = ["", "-wal", "-shm"];

fn append(ledger: &Ledger, job: &str) -> i64 {
    wait(ledger.append(&event("p", job))).unwrap().sequence
}

/// The jobs in the file that the path names, which is whole.
fn jobs(place: &Place) -> Vec<String> {
    let ledger = wait(Ledger::open_existing(&place.location)).unwrap();
    let verdict = wait(ledger.verify(None, None)).unwrap();
    assert!(verdict.whole, "{verdict:?}");
    let rows = rows(&ledger, &Filter::default());
    wait(ledger.close());
    rows.into_iter().map(|row| row.job).collect()
}

fn beside(path: &str, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{path}{suffix}"))
}

fn rename(from: &Path, to: &Path) {
    std::fs::rename(from, to).unwrap();
}

fn remove(place: &Place, suffixes: &[&str]) {
    for suffix in suffixes {
        let _ = std::fs::remove_file(beside(&place.text, suffix));
    }
}

#[test]
fn a_deleted_file_is_begun_anew() {
    // Whether or not its companions go with it, and whether or not another process has it open too.
    for suffixes in [&COMPANIONS[..], &COMPANIONS[..1], &COMPANIONS[..2]] {
        for others in [0, 1, 2] {
            on_sqlite(|place| {
                let ledger = place.open();
                append(&ledger, "before");
                let others: Vec<Ledger> = (0..others).map(|_| place.open()).collect();
                for other in &others {
                    append(other, "before");
                }
                remove(place, suffixes);
                assert_eq!(append(&ledger, "after-0"), 1);
                for (n, other) in others.iter().enumerate() {
                    assert_eq!(append(other, &format!("after-{}", n + 1)), n as i64 + 2);
                }
                assert_eq!(append(&ledger, "last"), others.len() as i64 + 2);
                let mut expected: Vec<String> =
                    (0..=others.len()).map(|n| format!("after-{n}")).collect();
                expected.push("last".to_owned());
                assert_eq!(jobs(place), expected);
            });
        }
    }
}

#[test]
fn a_file_that_was_moved_away_keeps_its_rows() {
    on_sqlite(|place| {
        let ledger = place.open();
        append(&ledger, "a");
        append(&ledger, "b");
        let archive = beside(&place.text, ".archive");
        rename(Path::new(&place.text), &archive);
        assert_eq!(append(&ledger, "c"), 1);
        assert_eq!(jobs(place), ["c"]);
        let text = archive.to_str().unwrap().to_owned();
        let archived = Place {
            location: super::place::location(&text),
            text,
            project: tempfile::tempdir().unwrap(),
        };
        assert_eq!(jobs(&archived), ["a", "b"]);
        // Back again: the new one is gone, the old one goes on.
        remove(place, &COMPANIONS);
        rename(&archive, Path::new(&place.text));
        assert_eq!(append(&ledger, "d"), 3);
        assert_eq!(jobs(place), ["a", "b", "d"]);
    });
}

#[test]
fn a_replaced_file_is_continued() {
    on_sqlite(|place| {
        // By a copy of itself, as a program does that saves by renaming.
        let ledger = place.open();
        append(&ledger, "a");
        let copy = beside(&place.text, ".copy");
        std::fs::copy(&place.text, &copy).unwrap();
        rename(&copy, Path::new(&place.text));
        assert_eq!(append(&ledger, "b"), 2);
        assert_eq!(jobs(place), ["a", "b"]);
        // By another ledger.
        let other = tempfile::tempdir().unwrap();
        let text = other.path().join("other.sqlite3");
        let text = text.to_str().unwrap().to_owned();
        let other = Place {
            location: super::place::location(&text),
            text,
            project: other,
        };
        let its = other.open();
        append(&its, "x");
        wait(its.close());
        remove(place, &COMPANIONS);
        rename(Path::new(&other.text), Path::new(&place.text));
        assert_eq!(append(&ledger, "y"), 2);
        assert_eq!(jobs(place), ["x", "y"]);
    });
}

#[test]
fn a_folder_that_was_moved_is_made_anew() {
    on_sqlite(|place| {
        let ledger = place.open();
        append(&ledger, "a");
        let folder = Path::new(&place.text).parent().unwrap();
        rename(folder, &folder.with_extension("away"));
        assert_eq!(append(&ledger, "b"), 1);
        assert_eq!(jobs(place), ["b"]);
    });
}

#[test]
fn a_link_in_its_place_is_refused() {
    on_sqlite(|place| {
        let ledger = place.open();
        append(&ledger, "a");
        let away = beside(&place.text, ".away");
        rename(Path::new(&place.text), &away);
        std::os::unix::fs::symlink(&away, &place.text).unwrap();
        let error = wait(ledger.append(&event("p", "b"))).unwrap_err();
        assert!(matches!(error, LedgerError::Host(_)), "{error}");
        remove(place, &[""]);
        rename(&away, Path::new(&place.text));
        assert_eq!(append(&ledger, "b"), 2);
    });
}

#[test]
fn a_file_that_goes_away_during_an_append_is_noticed() {
    on_sqlite(|place| {
        let ledger = place.open();
        append(&ledger, "a");
        let new = event("p", "b");
        let appended = wait(async {
            // While somebody else writes the append waits, its look at the path behind it.
            let mut writer = sqlite(Path::new(&place.text)).await;
            let begin = sqlx::raw_sql("BEGIN IMMEDIATE");
            begin.execute(&mut writer).await.unwrap();
            let gone = async {
                remove(place, &COMPANIONS);
                let end = sqlx::raw_sql("ROLLBACK");
                end.execute(&mut writer).await.unwrap();
            };
            // The first one runs until it waits before the second one starts.
            tokio::join!(biased; ledger.append(&new), gone).0
        });
        assert_eq!(appended.unwrap().sequence, 1);
        assert_eq!(jobs(place), ["b"]);
    });
}

const PLACE: &str = "VIBEY_TEST_HOLDER_PLACE";

/// The body of another process, which is this binary again: it appends, holds the ledger open until its standard input
/// ends, and appends once more.
#[test]
fn holder() {
    let Ok(place) = std::env::var(PLACE) else {
        return;
    };
    let ledger = wait(Ledger::open(&super::place::location(&place))).unwrap();
    append(&ledger, "held");
    let mut out = std::io::stdout();
    writeln!(out, "\nHELD").unwrap();
    out.flush().unwrap();
    std::io::stdin().read_to_string(&mut String::new()).unwrap();
    append(&ledger, "released");
}

#[test]
fn another_process_that_has_the_file_open_is_in_nobodys_way() {
    for suffixes in [&COMPANIONS[..], &COMPANIONS[..1]] {
        on_sqlite(|place| {
            let mut holder = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "ledger::moved::holder", "--nocapture"])
                .env(PLACE, &place.text)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
            assert!(lines.any(|line| line.unwrap() == "HELD"));
            remove(place, suffixes);
            assert_eq!(append(&place.open(), "new"), 1);
            assert_eq!(jobs(place), ["new"]);
            drop(holder.stdin.take());
            assert!(holder.wait().unwrap().success());
            assert_eq!(jobs(place), ["new", "released"]);
        });
    }
}
