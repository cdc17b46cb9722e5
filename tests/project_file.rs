//! Does `vibey-context.toml` choose what it may choose, and nothing where somebody else has a say?

use crate::harness::{Dir, Output, fixture};
use serde_json::{Value, json};
use std::path::PathBuf;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::packet::PacketManifest;

const FILE: &str = "repo/vibey-context.toml";

/// A repository with skills in an unusual folder, some of them drafts, and one skill where agents keep theirs.
fn repository() -> Dir {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.at("repo/.git")).unwrap();
    std::fs::create_dir_all(dir.at("repo/src/deep")).unwrap();
    for (folder, name) in [
        ("team/skills/one", "one"),
        ("team/skills/drafts/two", "two"),
        ("skills/usual", "usual"),
    ] {
        let body = format!("# {name}\n\nMigration of {name}: align the telescope mirror.\n");
        dir.skill(
            &format!("repo/{folder}"),
            name,
            &format!("Aligns a telescope mirror after its migration ({name})."),
            "",
            &body,
        );
    }
    dir.request(
        "r.json",
        &json!({"objective": "align the telescope mirror after the migration"}),
    );
    dir
}

fn run(dir: &Dir, args: &[&str]) -> Output {
    dir.run_in(&dir.at("repo/src/deep"), args)
}

/// Names of the skills that `list` prints.
#[track_caller]
fn listed(dir: &Dir, more: &[&str]) -> Vec<String> {
    let args: Vec<&str> = ["list", "--json"].iter().chain(more).copied().collect();
    names(&run(dir, &args).expect(0).json())
}

fn names(listing: &Value) -> Vec<String> {
    let plugins = listing.as_array().unwrap().iter();
    let skills = plugins.flat_map(|plugin| plugin["skills"].as_array().unwrap());
    skills
        .map(|skill| skill["skill"].as_str().unwrap().to_owned())
        .collect()
}

/// Packet and manifest of the request, with further arguments.
#[track_caller]
fn packet(dir: &Dir, more: &[&str]) -> (String, PacketManifest) {
    let (request, output) = (dir.arg("r.json"), dir.arg("p.md"));
    let own = ["packet", "--request", &request, "--output", &output];
    let args: Vec<&str> = own.iter().chain(more).copied().collect();
    let ended = run(dir, &args);
    assert!([0, 2].contains(&ended.code), "{ended:?}");
    let manifest = serde_json::from_value(dir.json("p.json")).unwrap();
    (dir.read("p.md"), manifest)
}

#[test]
fn every_command_goes_by_it_from_any_folder_of_the_repository() {
    let dir = repository();
    assert_eq!(listed(&dir, &[]), ["usual"]);
    let text = "skills = ['team/skills']\nexclude = ['drafts']\nbudget = 2000\n";
    dir.file(FILE, text);
    assert_eq!(listed(&dir, &[]), ["one"]);
    assert_eq!(listed(&dir, &["--no-project-file"]), ["usual"]);

    let check = run(&dir, &["check", "--json"]).expect(0);
    assert_eq!(check.json()["summary"]["found"], 1);
    assert_eq!(
        check.stderr,
        "note: `exclude` leaves out 1 folder or skill by `drafts`\n"
    );
    let built = run(&dir, &["index", "build", "--json"]).expect(0).json();
    assert_eq!(built["skill_count"], 1);
    let inspected = run(&dir, &["index", "inspect", "--json"]).expect(0).json();
    assert_eq!(inspected["corpus_sha256"], built["corpus_sha256"]);
    let hits = run(&dir, &["search", "migration", "--json"])
        .expect(0)
        .json();
    assert!(
        hits.as_array()
            .unwrap()
            .iter()
            .all(|hit| hit["skill"] == "one")
    );
    assert!(!hits.as_array().unwrap().is_empty());
    let request = dir.arg("r.json");
    let why = run(&dir, &["why", "one", "--request", &request])
        .expect(0)
        .stdout;
    assert!(why.contains("local/one"), "{why}");
    run(&dir, &["why", "usual", "--request", &request]).expect(1);

    let (text_of_packet, manifest) = packet(&dir, &[]);
    assert!(text_of_packet.contains("Migration of one:"));
    assert!(!text_of_packet.contains("vibey-context.toml"));
    assert_eq!(manifest.maximum_context_tokens, 2000);
    assert_eq!(manifest.contract_version, "1.1.0");
    let used = manifest.project_file.unwrap();
    assert_eq!(used.path, "vibey-context.toml");
    assert_eq!(used.sha256, sha256_hex(text.as_bytes()));
}

#[test]
fn the_command_line_beats_the_request_and_that_beats_the_file() {
    let dir = repository();
    dir.file(FILE, "budget = 2000\n");
    let tokens = |more: &[&str]| {
        let (_, manifest) = packet(&dir, more);
        (
            manifest.maximum_context_tokens,
            manifest.project_file.is_some(),
        )
    };
    assert_eq!(tokens(&[]), (2000, true));
    assert_eq!(tokens(&["--no-project-file"]), (6000, false));
    assert_eq!(tokens(&["--budget", "4000"]), (4000, false));
    let team = dir.arg("repo/team/skills");
    assert_eq!(tokens(&["--skills", &team]), (2000, true));
    dir.request(
        "r.json",
        &json!({"objective": "align the telescope mirror after the migration", "maximum_context_tokens": 3000}),
    );
    assert_eq!(tokens(&[]), (3000, false));
    assert_eq!(tokens(&["--budget", "4000"]), (4000, false));

    dir.file(FILE, "skills = ['team/skills']\nexclude = ['one']\n");
    assert_eq!(listed(&dir, &[]), ["two"]);
    assert_eq!(listed(&dir, &["--skills", &team]), ["one", "two"]);
    let usual = dir.arg("repo/skills");
    assert_eq!(listed(&dir, &["--skills", &usual]), ["usual"]);
    let (_, manifest) = packet(&dir, &["--embedded"]);
    assert_eq!(manifest.project_file, None);
}

#[test]
fn a_file_that_has_no_say_leaves_every_byte() {
    let dir = repository();
    packet(&dir, &[]);
    let before = (dir.bytes("p.md"), dir.bytes("p.json"));
    assert!(!dir.read("p.json").contains("project_file"));
    for text in ["", "# nothing\n", "exclude = []\n"] {
        dir.file(FILE, text);
        packet(&dir, &[]);
        assert!((dir.bytes("p.md"), dir.bytes("p.json")) == before, "{text}");
    }
    dir.file(FILE, "budget = 1000\nskills = ['team/skills']\n");
    packet(&dir, &["--no-project-file"]);
    assert!((dir.bytes("p.md"), dir.bytes("p.json")) == before);
}

#[test]
fn a_broken_file_is_an_error_only_where_it_has_a_say() {
    let dir = repository();
    dir.file(FILE, "skils = ['team/skills']\n");
    let (root, index) = (dir.arg("repo/team/skills"), dir.arg("index"));
    let (request, output, manifest) = (dir.arg("r.json"), dir.arg("p.md"), dir.arg("m.json"));
    // The three forms of a conductor, from a folder where an agent has written.
    run(
        &dir,
        &["--skills", &root, "index", "build", "--output", &index],
    )
    .expect(0);
    run(
        &dir,
        &["--skills", &root, "index", "inspect", &index, "--json"],
    )
    .expect(0);
    let form = [
        "--skills",
        &root,
        "packet",
        "--request",
        &request,
        "--index",
        &index,
        "--budget",
        "4000",
        "--output",
        &output,
        "--manifest",
        &manifest,
    ];
    assert_eq!(run(&dir, &form).expect(0).stderr, "");
    run(&dir, &["list", "--index", &index]).expect(0);

    for args in [
        &["list", "--json"][..],
        &["check", "--json"],
        &["index", "build", "--json"],
        &["index", "inspect", "--json"],
        &["search", "x", "--json"],
        &[
            "packet",
            "--request",
            &request,
            "--output",
            &output,
            "--json",
        ],
        &[
            "packet",
            "--request",
            &request,
            "--output",
            &output,
            "--index",
            &index,
            "--json",
        ],
        &[
            "why",
            "one",
            "--request",
            &request,
            "--skills",
            &root,
            "--json",
        ],
    ] {
        let error = run(&dir, args).fails("project_file").error();
        assert_eq!((error.line, error.column), (Some(1), Some(1)), "{args:?}");
        assert_eq!(error.help.as_deref(), Some("did you mean `skills`?"));
        assert_eq!(error.path, Some(dir.arg(FILE)));
    }
    assert!(
        !dir.has("p.md"),
        "a packet of before is not left for the answer"
    );
    run(&dir, &["list", "--no-project-file"]).expect(0);
    let text = run(&dir, &["list"]).expect(1).stderr;
    assert!(text.contains("vibey-context.toml:1:1"), "{text}");
}

#[test]
fn no_root_lies_outside_the_repository() {
    let dir = repository();
    dir.skill(
        "elsewhere/secret",
        "secret",
        "Not for agents.",
        "",
        "# S\n\nx\n",
    );
    dir.link(dir.at("elsewhere"), "repo/inside");
    let absolute = format!("'{}'", dir.arg("elsewhere"));
    for root in [
        "'../elsewhere'",
        "'inside'",
        "'team/../../elsewhere'",
        "'~/x'",
        &absolute,
    ] {
        dir.file(FILE, format!("\nskills = [{root}]\n"));
        let error = run(&dir, &["list", "--json"]).fails("project_file").error();
        assert_eq!((error.line, error.column), (Some(2), Some(11)), "{root}");
    }
    // The file itself is none of theirs either.
    dir.file("elsewhere/x.toml", "");
    dir.remove(FILE);
    dir.link(dir.at("elsewhere/x.toml"), FILE);
    let error = run(&dir, &["list", "--json"]).fails("project_file").error();
    assert!(error.message.contains("symlink"), "{error:?}");
    // A root that holds no skill is an error, never a reason to use another.
    dir.remove(FILE);
    dir.file(FILE, "skills = ['src']\n");
    run(&dir, &["list", "--json"]).fails("skills_root");
}

#[test]
fn the_nearest_file_counts_and_none_above_the_repository() {
    let dir = repository();
    dir.file("vibey-context.toml", "not toml");
    assert_eq!(listed(&dir, &[]), ["usual"]);
    dir.file(FILE, "skills = ['team/skills/one']\n");
    dir.file(
        "repo/src/vibey-context.toml",
        "skills = ['../team/skills/drafts']\n",
    );
    assert_eq!(listed(&dir, &[]), ["two"]);
    let (_, manifest) = packet(&dir, &[]);
    assert_eq!(
        manifest.project_file.unwrap().path,
        "src/vibey-context.toml"
    );
    let above = dir
        .run_in(&dir.at("repo/team"), ["list", "--json"])
        .expect(0);
    assert_eq!(names(&above.json()), ["one"]);
    // Outside a repository only the folder's own file counts.
    dir.file("loose/vibey-context.toml", "skills = ['s']\n");
    dir.skill("loose/s/a", "loose", "d", "", "# A\n\nx\n");
    std::fs::create_dir_all(dir.at("loose/below")).unwrap();
    let here = dir.run_in(&dir.at("loose"), ["list", "--json"]).expect(0);
    assert_eq!(names(&here.json()), ["loose"]);
    let below = dir
        .run_in(&dir.at("loose/below"), ["list", "--json"])
        .expect(0);
    assert!(below.stderr.contains("starter corpus"), "{}", below.stderr);
}

#[test]
fn what_is_left_out_is_said_and_never_everything() {
    let dir = repository();
    dir.file(FILE, "exclude = ['usual', 'nowhere/*']\n");
    let error = run(&dir, &["list", "--json"]).fails("skills_root").error();
    assert!(error.message.contains("leaves no skill"), "{error:?}");
    dir.skill(
        "repo/skills/more",
        "more",
        "Migration more.",
        "",
        "# M\n\nx\n",
    );
    assert_eq!(listed(&dir, &[]), ["more"]);
    let notes = run(&dir, &["check"]).expect(0).stderr;
    assert!(
        notes.contains("leaves out 1 folder or skill by `usual`"),
        "{notes}"
    );
    assert!(
        notes.contains("leaves out nothing by `nowhere/*`"),
        "{notes}"
    );
}

#[test]
fn an_index_follows_the_patterns_and_is_what_a_new_one_is() {
    let dir = repository();
    let index = dir.arg("index");
    let build = |output: &str| -> Value {
        run(&dir, &["index", "build", "--output", output, "--json"])
            .expect(0)
            .json()
    };
    let count = |text: &str| {
        dir.file(FILE, text);
        let refreshed = build(&index);
        let fresh = dir.at("fresh");
        if fresh.exists() {
            std::fs::remove_dir_all(&fresh).unwrap();
        }
        let anew = build(fresh.to_str().unwrap());
        for key in ["corpus_sha256", "generation", "skill_count", "skills"] {
            assert_eq!(refreshed[key], anew[key], "{text}");
        }
        refreshed["skill_count"].as_u64().unwrap()
    };
    assert_eq!(count("skills = ['team/skills']\n"), 2);
    assert_eq!(
        count("skills = ['team/skills']\nexclude = ['drafts/*']\n"),
        1
    );
    assert_eq!(
        count("skills = ['team/skills']\nexclude = ['one/SKILL.md']\n"),
        1
    );
    assert_eq!(count("skills = ['team/skills']\nexclude = ['three']\n"), 2);
}

#[test]
fn reproduce_names_a_changed_file_where_the_packet_differs_and_only_there() {
    let dir = repository();
    dir.file(FILE, "skills = ['team/skills']\nbudget = 2000\n");
    packet(&dir, &[]);
    let (request, manifest) = (dir.arg("r.json"), dir.arg("p.json"));
    let args = ["reproduce", "--manifest", &manifest, "--request", &request];
    run(&dir, &args).expect(0);
    dir.file(
        FILE,
        "# a remark\nskills = ['team/skills']\nbudget = 9000\n",
    );
    run(&dir, &args).expect(0);
    let root = dir.arg("repo/team/skills");
    let named: Vec<&str> = ["--skills", root.as_str()]
        .iter()
        .chain(&args)
        .copied()
        .collect();
    run(&dir, &named).expect(0);
    dir.file(FILE, "skills = ['team/skills']\nexclude = ['one']\n");
    let differs = run(&dir, &args).expect(2).stdout;
    assert!(
        differs.contains("project file: `vibey-context.toml` "),
        "{differs}"
    );
    assert!(differs.contains("corpus: "), "{differs}");
}

#[test]
fn markers_refuse_the_option_as_they_refuse_skills() {
    let dir = repository();
    dir.run(["--no-project-file", "markers", "explain", "x"])
        .expect(2);
    dir.run(["markers", "explain", "x", "--no-project-file"])
        .expect(2);
}

#[test]
fn the_fixture_with_a_file_has_a_manifest_that_fits_the_schema() {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.at(".git")).unwrap();
    fixture::write(&dir);
    dir.file("vibey-context.toml", "skills = ['corpus']\n");
    let request = dir.request("r.json", &fixture::migration());
    dir.run(["packet", "--request", &request, "--output", "p.md"])
        .expect(0);
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("contracts/schemas/packet-manifest.v1.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let manifest = dir.json("p.json");
    assert_eq!(manifest["project_file"]["path"], "vibey-context.toml");
    if let Err(error) = validator.validate(&manifest) {
        panic!("{error}");
    }
}
