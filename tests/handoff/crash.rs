//! A transition killed at any moment leaves state, brief and dashboard old or new, and never torn.

use super::stage::Stage;
use std::time::Instant;

/// Transitions that are killed.
const KILLS: u64 = 300;
/// Transitions that are measured to know how long a whole one takes here.
const MEASURED: u32 = 5;
/// Modulus of the generator of moments.
const MODULUS: u32 = 2_147_483_647;

#[test]
fn a_killed_transition_leaves_everything_whole() {
    let stage = Stage::implementing();
    // The moments are spread over a whole transition, however long one takes on this machine.
    let began = Instant::now();
    for step in ["2", "3", "4", "5", "1"] {
        stage.step(step).expect(0);
    }
    let latest = began.elapsed() / MEASURED;
    let mut drawn: u32 = 7;
    let mut moved = 0;
    for round in 0..KILLS {
        let before = stage.state()["current_phase"]["step_number"]
            .as_u64()
            .unwrap();
        let step = round % 5 + 1;
        let words = [
            "transition",
            "--from",
            "spec-writer",
            "--to",
            "implementer",
            "--step",
            &step.to_string(),
        ];
        let mut run = stage.command(&words).spawn().unwrap();
        // The same parts of a transition in every run (Park and Miller 1988). No assertion about time.
        drawn = (u64::from(drawn) * 48_271 % u64::from(MODULUS)) as u32;
        std::thread::sleep(latest.mul_f64(f64::from(drawn) / f64::from(MODULUS)));
        run.kill().unwrap();
        run.wait().unwrap();
        let state: vibey_context_contracts::handoff::state::PipelineState =
            vibey_context_contracts::handoff::state::parse(stage.state_text().as_bytes()).unwrap();
        let after = u64::from(state.current_phase.step_number.unwrap());
        assert!(
            after == before || after == step,
            "round {round}: {before}, {step}, {after}"
        );
        moved += u64::from(after == step && after != before);
        let brief = stage.brief(&format!("phase2-step{after}"));
        assert!(
            brief.starts_with("# Context Brief: ") && brief.ends_with("dashboard.html\n"),
            "round {round}"
        );
        assert!(
            stage.dashboard().trim_end().ends_with("</html>"),
            "round {round}"
        );
        let backup = std::fs::read(stage.home("pipeline-state-shop.json.bak")).unwrap();
        assert!(
            vibey_context_contracts::handoff::state::parse(&backup).is_ok(),
            "round {round}"
        );
    }
    assert!(
        (1..KILLS).contains(&moved),
        "some were killed before and some after: {moved}"
    );
    // The next one clears up.
    stage.step("1").expect(0);
    for folder in ["", "context-briefs/shop", "dashboards/shop"] {
        let names = stage
            .home(folder)
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = names
            .filter(|name| name.to_str().unwrap().starts_with(".vibey-tmp-"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
