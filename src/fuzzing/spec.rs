//! A specification: handed over in a brief whose headings are its own, without reasoning, secrets or anything hidden.

use super::pipeline::{Bench, brief_holds};
use crate::handoff::command::transition::{Move, transition};
use std::cell::OnceCell;

thread_local! {
    static BENCH: OnceCell<Bench> = const { OnceCell::new() };
}

/// Any bytes are no text, or a specification that is handed over by story and whole.
pub(super) fn spec(data: &[u8]) {
    briefs(data);
}

/// The same; how many briefs were looked at.
pub(super) fn briefs(data: &[u8]) -> usize {
    BENCH.with(|bench| {
        let bench = bench.get_or_init(Bench::new);
        bench.begin();
        bench.file("project/spec.md", data);
        [("stories", None), ("whole", None), ("stories", Some(2))]
            .into_iter()
            .filter_map(|(pipeline, step)| handed_over(bench, pipeline, step))
            .count()
    })
}

fn handed_over(bench: &Bench, pipeline: &str, step: Option<u32>) -> Option<()> {
    bench.forget();
    let asked = Move {
        from: "write",
        to: "build",
        pipeline: Some(pipeline),
        step,
        force: false,
    };
    let report = transition(&bench.desk, &asked).ok()?;
    for warning in report.warnings.iter().chain(&report.failures) {
        assert!(!warning.contains('\n'), "{warning:?}");
    }
    brief_holds(&bench.brief(&report)?);
    let again = transition(&bench.desk, &asked).expect("a transition can be made again");
    brief_holds(&bench.brief(&again).expect("and gives a brief again"));
    Some(())
}
