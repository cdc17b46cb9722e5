//! Markers that `apply` wrote keep skills out of `index`, and so out of packets.

use super::project::{MARKER, Project, manifest};
use serde_json::json;

const SKILL: &str = "# Secret\n\n## How\n\nThe text of the generated skill.\n";

#[test]
fn a_skill_below_an_applied_marker_is_rejected_and_in_no_packet() {
    let project = Project::new();
    let dir = &project.dir;
    for (folder, name) in [
        ("skills/open", "open"),
        ("skills/generated/deep/secret", "secret"),
    ] {
        dir.skill(
            &format!("project/{folder}"),
            name,
            &format!("Explains {name} things."),
            "",
            SKILL,
        );
    }
    let (skills, index) = (dir.arg("project/skills"), dir.arg("index"));
    let build = [
        "--skills", &skills, "index", "build", "--output", &index, "--json",
    ];
    let request = dir.request("request.json", &json!({"required_skills": ["secret"]}));
    let packet = |code: i32| {
        let (output, made) = (dir.arg("packet.md"), dir.arg("packet.json"));
        let args = [
            "packet",
            "--request",
            &request,
            "--index",
            &index,
            "--output",
            &output,
            "--manifest",
            &made,
            "--json",
        ];
        dir.run(args).expect(code)
    };
    assert_eq!(dir.run(build).expect(0).json()["skill_count"], 2);
    packet(0);
    assert!(
        dir.read("packet.md")
            .contains("The text of the generated skill.")
    );

    project.manifest(&manifest(&["skills/generated"]));
    project.run("apply").is("0 ok, skills/generated created");
    let report = dir.run(build).expect(0).json();
    assert_eq!(
        (&report["skill_count"], &report["skills"]["rejected"]),
        (&json!(1), &json!(1))
    );
    let check = dir.run(["check", &skills, "--json"]).expect(1).json();
    let found: Vec<String> = check["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!(
                "{} {}",
                one["path"].as_str().unwrap(),
                one["code"].as_str().unwrap()
            )
        })
        .collect();
    assert!(
        found.contains(&"generated/deep/secret/SKILL.md excluded-by-marker".to_owned()),
        "{found:?}"
    );
    assert_eq!(packet(1).error().code, "skill_rejected");
    let why = dir.run(["--skills", &skills, "list", "--json"]).expect(0);
    assert!(!why.stdout.contains("secret"), "{}", why.stdout);

    // The same answer by the other way to ask.
    let mut explain =
        project.command(["explain", "skills/generated/deep/secret/SKILL.md", "--json"]);
    let answer = crate::harness::outcome(&mut explain).expect(0).json();
    assert_eq!(
        answer["marker"]["path"],
        format!("skills/generated/{MARKER}")
    );
}

#[test]
fn a_packet_from_a_built_index_looks_for_no_marker() {
    let project = Project::new();
    let dir = &project.dir;
    dir.skill(
        "project/skills/one",
        "one",
        "Explains one thing.",
        "",
        SKILL,
    );
    let (skills, index) = (dir.arg("project/skills"), dir.arg("index"));
    let build = [
        "--skills", &skills, "index", "build", "--output", &index, "--json",
    ];
    dir.run(build).expect(0);
    let request = dir.request("request.json", &json!({"required_skills": ["one"]}));
    let output = dir.arg("packet.md");
    let args = [
        "packet",
        "--request",
        &request,
        "--index",
        &index,
        "--output",
        &output,
    ];
    dir.run(args).expect(0);
    let before = dir.bytes("packet.md");
    project.manifest(&manifest(&["skills/one"]));
    project.run("apply").is("0 ok, skills/one created");
    dir.run(args).expect(0);
    assert_eq!(
        dir.bytes("packet.md"),
        before,
        "the same index, the same bytes"
    );
}
