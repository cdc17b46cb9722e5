//! What is written and printed is what the schemas say.

use super::stage::Stage;
use serde_json::Value;
use vibey_context_contracts::schema;

fn validator(name: &str) -> jsonschema::Validator {
    let schemas = schema::all();
    let (_, schema) = schemas.iter().find(|(file, _)| *file == name).unwrap();
    jsonschema::draft202012::new(schema).unwrap()
}

#[track_caller]
fn valid(validator: &jsonschema::Validator, value: &Value) {
    if let Err(error) = validator.validate(value) {
        panic!("{error}\n{value}");
    }
}

#[test]
fn states_and_reports_are_valid() {
    let (state, report) = (
        validator("pipeline-state.v1.json"),
        validator("handoff-report.v1.json"),
    );
    let stage = Stage::specified();
    let mut reports = Vec::new();
    let mut run = |words: &[&str], code: i32| {
        reports.push(
            stage
                .run(&[words, &["--json"]].concat())
                .expect(code)
                .json(),
        );
        valid(&state, &stage.state());
    };
    run(
        &["transition", "--from", "spec-writer", "--to", "implementer"],
        0,
    );
    run(
        &["transition", "--from", "implementer", "--to", "reviewer"],
        1,
    );
    stage.copy("sdd/tasks.md", "tasks.md");
    run(
        &["transition", "--from", "implementer", "--to", "reviewer"],
        0,
    );
    for words in [
        &["refresh"][..],
        &["pause"],
        &["resume"],
        &["status"],
        &["dashboard"],
        &["restart", "--phase", "implementer"],
    ] {
        run(words, 0);
    }
    run(&["validate", "--phase", "reviewer"], 1);
    std::fs::remove_file(stage.state_path()).unwrap();
    run(&["resume"], 0);
    stage.copy("sdd/review-report.html", "review-report.html");
    run(&["finish"], 0);
    for one in &reports {
        valid(&report, one);
    }
    let commands: std::collections::BTreeSet<&str> = reports
        .iter()
        .map(|one| one["command"].as_str().unwrap())
        .collect();
    assert_eq!(commands.len(), 9);
}
