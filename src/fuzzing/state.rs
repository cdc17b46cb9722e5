//! A state file: refused, or kept with every key of it through all that a command does.

use super::pipeline::{Bench, brief_holds, page_holds};
use crate::handoff::command::transition::{Move, transition};
use crate::handoff::command::{redraw, refresh, report, resume, status};
use std::cell::OnceCell;
use vibey_context_contracts::handoff::state::{StateFault, parse};

thread_local! {
    static BENCH: OnceCell<Bench> = const { OnceCell::new() };
}

/// Any bytes are refused, or a state that is written as it was read.
pub(super) fn state(data: &[u8]) {
    obeyed(data);
}

/// The same; how many commands took the state.
pub(super) fn obeyed(data: &[u8]) -> usize {
    let read = parse(data);
    if let Ok(state) = &read {
        let text = state.pretty().expect("a state is JSON");
        let again = parse(text.as_bytes()).expect("what we write is read");
        assert_eq!(again.pretty().ok(), Some(text), "written in two ways");
    }
    let count = BENCH.with(|bench| commands(bench.get_or_init(Bench::new), data, read.is_ok()));
    if let Err(StateFault::Newer(_)) = read {
        BENCH.with(|bench| {
            let bench = bench.get().expect("it was made above");
            assert_eq!(
                bench.state().as_deref(),
                Some(data),
                "a newer state was touched"
            );
        });
    }
    count
}

/// What each command makes of it. The project's name and folder are taken over, so that it is of this project.
fn commands(bench: &Bench, data: &[u8], is_state: bool) -> usize {
    let mut count = 0;
    bench.begin();
    bench.file("project/spec.md", b"# S\n\n## User Story 1: A\n\nText.\n");
    let lying = || bench.lay(data);
    lying();
    if let Ok(told) = status::status(&bench.desk) {
        assert!(is_state);
        count += 1;
        let _ = report::text(&told);
        assert_eq!(
            bench.state().as_deref(),
            Some(data),
            "a question has written"
        );
    }
    if let Ok(told) = redraw::redraw(&bench.desk) {
        page_holds(&bench.dashboard(&told));
        count += 1;
    }
    if let Ok(told) = refresh::refresh(&bench.desk) {
        bench.brief(&told).as_deref().map(brief_holds);
        count += 1;
    }
    if let Ok(told) = resume::resume(&bench.desk) {
        bench.brief(&told).as_deref().map(brief_holds);
        count += 1;
    }
    lying();
    let asked = Move {
        from: "write",
        to: "build",
        pipeline: None,
        step: None,
        force: true,
    };
    if let Ok(told) = transition(&bench.desk, &asked) {
        bench.brief(&told).as_deref().map(brief_holds);
        count += 1;
        let written = bench.state().expect("a transition writes");
        parse(&written).expect("what we write is read");
    }
    count
}
