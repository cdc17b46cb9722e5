//! What a packet owes whatever is thrown at it: required skills, whole mandatory text, foreign files, an answer in time.

use crate::harness::Dir;
use serde_json::json;
use std::fmt::Write as _;
use vibey_context_contracts::packet::{PacketManifest, Status};

/// A folder with an index of the skills that `write` puts below `skills`.
fn indexed(write: impl Fn(&Dir)) -> Dir {
    let dir = Dir::new();
    write(&dir);
    dir.run(["--skills", "skills", "index", "build", "--output", "index"])
        .expect(0);
    dir
}

/// A skill of nothing but a name, a description and a body.
fn skill(dir: &Dir, folder: &str, name: &str, description: &str, body: &str) {
    let text = format!("---\nname: {name}\ndescription: {description}\n---\n{body}");
    dir.file(&format!("{folder}/SKILL.md"), text);
}

fn packet(dir: &Dir, request: &serde_json::Value, budget: &str) -> (i32, PacketManifest) {
    dir.request("r.json", request);
    let run = dir.run([
        "packet",
        "--request",
        "r.json",
        "--index",
        "index",
        "--output",
        "p.md",
        "--budget",
        budget,
    ]);
    (
        run.code,
        serde_json::from_value(dir.json("p.json")).unwrap(),
    )
}

#[test]
fn every_skill_that_is_required_by_name_is_in_the_packet_or_the_budget_is_insufficient() {
    let names: Vec<String> = (0..14).map(|at| format!("skill-{at:02}")).collect();
    let dir = indexed(|dir| {
        for name in &names {
            let long = format!("About {name} and its many uses. ").repeat(40);
            let text = format!("# {name}\n\nShort of {name}.\n\n## More\n\n{long}\n");
            dir.file(
                &format!("skills/{name}/SKILL.md"),
                format!("---\nname: {name}\ndescription: d\n---\n{text}"),
            );
        }
    });
    let request = json!({"title": "many uses", "required_skills": names});
    let (code, manifest) = packet(&dir, &request, "1000");
    assert_eq!((code, manifest.status), (2, Status::BudgetInsufficient));
    let needed = manifest.required_context_tokens.unwrap();
    let (code, manifest) = packet(&dir, &request, &needed.to_string());
    assert_eq!(code, 0);
    assert_eq!(manifest.selected_skills.len(), names.len());
    assert!(manifest.packet_token_estimate <= needed);
    let (code, _) = packet(&dir, &request, &(needed - 1).to_string());
    assert_eq!(code, 2);
}

#[test]
fn the_parts_of_one_mandatory_section_are_all_there_even_where_they_are_alike() {
    let line = "0123456789abcdef".repeat(700);
    let dir = indexed(|dir| {
        dir.file(
            "skills/a/SKILL.md",
            format!(
                "---\nname: a\ndescription: d\nmandatory_sections: [M]\n---\n# M\n\n{line}\nEND\n"
            ),
        );
    });
    let (code, manifest) = packet(&dir, &json!({"required_skills": ["a"]}), "32000");
    assert_eq!(code, 0);
    assert_eq!(manifest.omitted_chunks, []);
    let sections = vibey_context::packet::parse::sections(&dir.read("p.md"));
    let whole: String = sections
        .into_iter()
        .map(|section| section.content)
        .collect();
    assert_eq!(whole, format!("# M\n\n{line}\nEND\n"));
}

#[test]
fn a_name_of_a_megabyte_is_answered_in_a_sentence() {
    let dir = indexed(|dir| {
        skill(dir, "skills/a", "a", "d", "# A\n\ntext\n");
    });
    dir.request(
        "r.json",
        &json!({"required_skills": ["s9999z".repeat(100_000)]}),
    );
    let run = dir
        .run([
            "packet",
            "--request",
            "r.json",
            "--index",
            "index",
            "--output",
            "p.md",
        ])
        .expect(1);
    assert!(run.stderr.len() < 500, "{} bytes", run.stderr.len());
}

#[test]
fn a_hundred_thousand_links_are_checked() {
    let dir = Dir::new();
    let mut links = String::new();
    for at in 0..100_000 {
        let _ = writeln!(links, "[x](m{at}.md)");
    }
    skill(
        &dir,
        "skills/a",
        "a",
        "Lists links",
        &format!("# A\n\n{links}"),
    );
    let run = dir.run(["check", "skills", "--json"]).expect(0);
    let report = run.json();
    let rows = report["diagnostics"].as_array().unwrap();
    assert_eq!(rows.len(), 100_000);
    // `---`, name, description, `---`, heading, blank: the first link stands in line 7.
    assert_eq!(
        (&rows[9]["line"], &rows[9]["column"]),
        (&json!(16), &json!(1))
    );
}

#[test]
fn a_fifo_in_the_place_of_a_file_of_the_index_is_corruption_and_no_hang() {
    let dir = indexed(|dir| {
        skill(
            dir,
            "skills/a",
            "a",
            "alpha beta gamma",
            "# A\n\nalpha beta gamma\n",
        );
    });
    dir.request("r.json", &json!({"objective": "alpha beta gamma"}));
    let files = dir.files_below("index/generations");
    assert!(files.len() > 2);
    for file in files.iter().filter(|file| !file.ends_with("sources.bin")) {
        let kept = std::fs::read(file).unwrap();
        std::fs::remove_file(file).unwrap();
        rustix::fs::mkfifoat(
            rustix::fs::CWD,
            file,
            rustix::fs::Mode::from_raw_mode(0o600),
        )
        .unwrap();
        let args = [
            "packet",
            "--request",
            "r.json",
            "--index",
            "index",
            "--output",
            "p.md",
            "--json",
        ];
        let run = dir.run(args).expect(1);
        assert_eq!(run.error().code, "index_corrupt", "{}", file.display());
        std::fs::remove_file(file).unwrap();
        std::fs::write(file, kept).unwrap();
    }
    dir.run([
        "packet",
        "--request",
        "r.json",
        "--index",
        "index",
        "--output",
        "p.md",
    ])
    .expect(0);
}

#[test]
fn an_output_never_replaces_a_skill_or_a_file_of_an_index() {
    let dir = indexed(|dir| {
        skill(
            dir,
            "skills/a",
            "a",
            "alpha beta gamma",
            "# A\n\nalpha beta gamma\n",
        );
    });
    dir.request("r.json", &json!({"objective": "alpha beta gamma"}));
    let before = dir.bytes("index/manifest.json");
    let skill = dir.bytes("skills/a/SKILL.md");
    let inside = dir.files_below("index/generations").remove(0);
    for (output, manifest) in [
        ("skills/a/SKILL.md", "m.json"),
        ("p.md", "index/manifest.json"),
        ("index/p.md", "m.json"),
        ("p.md", inside.to_str().unwrap()),
    ] {
        let run = dir.run([
            "packet",
            "--request",
            "r.json",
            "--index",
            "index",
            "--output",
            output,
            "--manifest",
            manifest,
            "--json",
        ]);
        assert_eq!(run.expect(1).error().code, "usage", "{output} {manifest}");
    }
    assert_eq!(dir.bytes("index/manifest.json"), before);
    assert_eq!(dir.bytes("skills/a/SKILL.md"), skill);
    dir.run(["index", "inspect", "index", "--deep"]).expect(0);
}

#[test]
fn names_do_not_forge_a_second_message() {
    let dir = indexed(|dir| {
        skill(dir, "skills/a", "a", "d", "# A\n\ntext\n");
    });
    dir.request("r.json", &json!({"required_skills": ["a\nhelp: run this"]}));
    let run = dir.run([
        "packet",
        "--request",
        "r.json",
        "--index",
        "index",
        "--output",
        "p.md",
    ]);
    let stderr = run.expect(1).stderr;
    let helps = stderr
        .lines()
        .filter(|line| line.starts_with("help:"))
        .count();
    assert_eq!((helps, stderr.lines().count()), (1, 2), "{stderr}");
}

#[test]
fn warnings_are_bounded() {
    let dir = indexed(|dir| {
        skill(
            dir,
            "skills/a",
            "a",
            "alpha beta gamma",
            "# A\n\nalpha beta gamma\n",
        );
    });
    let unknown: Vec<String> = (0..5_000).map(|at| format!("nothing-{at}")).collect();
    let request = json!({"objective": "alpha beta gamma", "excluded_skills": unknown});
    let (code, manifest) = packet(&dir, &request, "2000");
    assert_eq!(code, 0);
    assert!(manifest.warnings.len() < 30);
    assert!(
        manifest.warnings.last().unwrap().contains("4980 more"),
        "{:?}",
        manifest.warnings.last()
    );
}

#[test]
fn a_plugin_manifest_behind_a_link_is_read_inside_the_root_and_named_outside() {
    let dir = Dir::new();
    skill(&dir, "skills/in/s", "s", "First", "# A\n\ntext of one\n");
    skill(&dir, "skills/out/t", "t", "Second", "# B\n\ntext of two\n");
    dir.file("skills/named.json", r#"{"name": "named"}"#);
    dir.file("elsewhere.json", r#"{"name": "foreign"}"#);
    std::fs::create_dir_all(dir.at("skills/in/.claude-plugin")).unwrap();
    std::fs::create_dir_all(dir.at("skills/out/.claude-plugin")).unwrap();
    dir.link("../../named.json", "skills/in/.claude-plugin/plugin.json");
    dir.link(
        "../../../elsewhere.json",
        "skills/out/.claude-plugin/plugin.json",
    );
    let report = dir.run(["check", "skills", "--json"]).expect(0).json();
    let rows = report["diagnostics"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0]["code"], "plugin-manifest");
    let list = dir
        .run(["--skills", "skills", "list", "--json"])
        .expect(0)
        .json();
    let plugins: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| row["plugin"].as_str())
        .collect();
    assert_eq!(plugins, ["local", "named"]);
}
