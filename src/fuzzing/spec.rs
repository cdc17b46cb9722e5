//! A specification: handed over in a brief whose headings are its own, without reasoning, secrets or anything hidden.

use super::pipeline::{Bench, brief_holds};
use crate::handoff::transition::{Move, transition};
use std::cell::OnceCell;

thread_local! {
    static BENCH: OnceCell<Bench> = const { OnceCell::new() };
}

/// Any bytes are no text, or a specification that is handed over by story and whole.
pub(super) fn spec(data: &[u8]) {
    BENCH.with(|bench| {
        let bench = bench.get_or_init(Bench::new);
        bench.begin();
        bench.file("project/spec.md", data);
        for (pipeline, step) in [("stories", None), ("whole", None), ("stories", Some(2))] {
            handed_over(bench, pipeline, step);
        }
    });
}

fn handed_over(bench: &Bench, pipeline: &str, step: Option<u32>) {
    bench.forget();
    let asked = Move {
        from: "write",
        to: "build",
        pipeline: Some(pipeline),
        step,
        force: false,
    };
    let Ok(report) = transition(&bench.desk, &asked) else {
        return;
    };
    for warning in report.warnings.iter().chain(&report.failures) {
        assert!(!warning.contains('\n'), "{warning:?}");
    }
    if let Some(brief) = bench.brief(&report) {
        brief_holds(&brief);
        let again = transition(&bench.desk, &asked).expect("a transition can be made again");
        assert_eq!(bench.brief(&again).map(|text| text.len() > 0), Some(true));
    }
}
