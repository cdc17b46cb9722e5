//! Which skills do the required and excluded lists of a request mean, and how do they fail?

use crate::harness::Dir;
use crate::harness::bench::Bench;
use serde_json::json;

#[test]
fn an_unknown_required_name_offers_the_nearest() {
    let bench = Bench::new();
    let request = json!({"required_skills": ["postgres-migration"]});
    let error = bench.fails(&request, &[], "skill_unknown").error();
    assert!(
        error.message.contains("`postgres-migration`"),
        "{}",
        error.message
    );
    let help = error.help.unwrap();
    assert!(help.contains("`postgres-migrations`"), "{help}");
    let request = json!({"required_plugins": ["atlass"]});
    let error = bench.fails(&request, &[], "plugin_unknown").error();
    assert!(error.help.unwrap().contains("`atlas`"));
    // Nothing is near: the help still says where names come from.
    let request = json!({"required_skills": ["zzzz"]});
    let error = bench.fails(&request, &[], "skill_unknown").error();
    assert!(error.help.unwrap().contains("list"));
}

#[test]
fn required_and_excluded_in_different_forms_is_refused() {
    let bench = Bench::new();
    for (required, excluded) in [
        (json!(["glossary"]), json!(["garden/glossary"])),
        // Folder and name of one skill.
        (json!(["backup"]), json!(["cluster-backup"])),
    ] {
        let request = json!({"required_skills": required, "excluded_skills": excluded});
        bench.fails(&request, &[], "required_and_excluded");
    }
    let request = json!({"required_skills": ["glossary"], "excluded_plugins": ["garden"]});
    bench.fails(&request, &[], "required_and_excluded");
}

#[test]
fn a_name_that_fits_two_skills_lists_both() {
    let bench = Bench::new();
    for field in ["required_skills", "excluded_skills"] {
        let request = json!({"objective": "review of a change", field: ["code-review"]});
        let error = bench.fails(&request, &[], "skill_ambiguous").error();
        for candidate in ["`atlas/code-review`", "`forge/code-review`"] {
            assert!(error.message.contains(candidate), "{}", error.message);
        }
    }
    // The form that was offered works.
    bench
        .packet(&json!({"required_skills": ["forge/code-review"]}), &[])
        .expect(0);
    assert_eq!(bench.manifest().selected_skills, ["forge/code-review"]);
}

#[test]
fn every_form_of_a_name_is_accepted() {
    let bench = Bench::new();
    for name in ["cluster-backup", "backup", "atlas/cluster-backup"] {
        bench
            .packet(
                &json!({"required_skills": [name], "maximum_context_tokens": 32000}),
                &[],
            )
            .expect(0);
        assert_eq!(
            bench.manifest().selected_skills,
            ["atlas/cluster-backup"],
            "{name}"
        );
    }
}

#[test]
fn a_rejected_required_skill_gives_its_diagnostic() {
    let dir = Dir::new();
    dir.skill(
        "skills/good",
        "good",
        "A good one.",
        "",
        "# Good\n\nText.\n",
    );
    dir.skill(
        "skills/hollow",
        "hollow",
        "Lacks what it promises.",
        "mandatory_sections: [Not there]",
        "# Hollow\n\nText.\n",
    );
    dir.file(
        "skills/latin/SKILL.md",
        b"---\nname: latin\ndescription: caf\xE9\n---\n\n# Latin\n",
    );
    let built = dir
        .run([
            "--skills", "skills", "index", "build", "--output", "index", "--json",
        ])
        .expect(0)
        .json();
    assert_eq!(built["skills"]["rejected"], 2);
    for (name, needle) in [("hollow", "Not there"), ("latin", "UTF-8")] {
        let request = dir.request("request.json", &json!({"required_skills": [name]}));
        let run = dir
            .run([
                "packet",
                "--request",
                &request,
                "--index",
                "index",
                "--output",
                "p.md",
                "--json",
            ])
            .fails("skill_rejected");
        let error = run.error();
        assert!(error.message.contains(needle), "{}", error.message);
        assert!(
            error.path.unwrap().contains(name),
            "the path leads to the skill"
        );
        assert!(!dir.has("p.md") && !dir.has("p.json"));
    }
}

#[test]
fn a_required_skill_overrides_low_confidence() {
    let bench = Bench::new();
    let request = json!({"objective": "hello there how are you", "required_skills": ["glossary"]});
    bench.packet(&request, &[]).expect(0);
    assert_eq!(bench.manifest().selected_skills, ["garden/glossary"]);
}
