//! Folders that may not be written, homes that may not, and no home at all.

use super::writer::{Stage, WRITERS, Writer};
use crate::corpus::unprivileged::{Unprivileged, mode};
use std::path::PathBuf;

/// The folder in which a writer's result lies.
fn folder(stage: &Stage) -> PathBuf {
    match stage.writer {
        Writer::Index => stage.dir.at("index"),
        Writer::Packet => stage.dir.at("out"),
        Writer::Materialize => stage.cwd().join("made"),
        Writer::Markers => stage.dir.at("project/b"),
        Writer::Handoff => stage.dir.home().join(".claude/sdd"),
    }
}

#[test]
fn a_folder_that_may_not_be_written_keeps_what_it_holds() {
    for writer in WRITERS {
        let stage = Stage::new(writer);
        let nobody = Unprivileged::new(&stage.dir);
        let folder = folder(&stage);
        mode(&folder, 0o555);
        nobody.assert_unwritable(&folder);
        let words = stage.words();
        let run = nobody.program(&stage.cwd(), words.iter().map(String::as_str));
        mode(&folder, 0o755);
        let told = format!("{}{}", run.stdout, run.stderr);
        assert!(told.contains("ermission denied"), "{writer:?}: {told}");
        let worked = stage.assert_whole("a folder that may not be written", &run);
        assert!(!worked, "{writer:?}");
    }
}

#[test]
fn a_home_that_may_not_be_written_stops_only_what_lies_in_it() {
    for writer in WRITERS {
        let stage = Stage::new(writer);
        let nobody = Unprivileged::new(&stage.dir);
        let home = stage.dir.home();
        // The pipeline of the handoff is there already; a new folder can not be made.
        mode(&home, 0o555);
        nobody.assert_unwritable(&home);
        let words = stage.words();
        let run = nobody.program(&stage.cwd(), words.iter().map(String::as_str));
        mode(&home, 0o755);
        let worked = stage.assert_whole("a read-only home", &run);
        assert!(worked, "{writer:?}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn without_a_home_only_the_handoff_asks_for_one() {
    for writer in WRITERS {
        let stage = Stage::new(writer);
        let nobody = Unprivileged::new(&stage.dir);
        let words = stage.words();
        let run = nobody.homeless(&stage.cwd(), words.iter().map(String::as_str));
        let worked = stage.assert_whole("no home", &run);
        assert_eq!(
            worked,
            writer != Writer::Handoff,
            "{writer:?}: {}{}",
            run.stdout,
            run.stderr
        );
        if !worked {
            let told = format!("{}{}", run.stdout, run.stderr);
            assert!(told.contains("HOME") || told.contains("--home"), "{told}");
        }
    }
}
