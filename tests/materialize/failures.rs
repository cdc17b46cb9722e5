//! Does every row of the original skill's table of failures hold, with its text?

use super::rig::{Rig, THREAD};
use super::web::{Web, response};
use crate::harness::outcome;

#[test]
fn without_a_brain_nothing_begins() {
    let rig = Rig::new();
    rig.links(&[]);
    let outside = rig.dir.home();
    let run = outcome(
        rig.dir
            .command(&outside)
            .args(["materialize", "x.md", "--json"]),
    );
    let error = run.fails("brain_not_found").error();
    assert!(
        error.message.contains("brain root not found"),
        "{}",
        error.message
    );
    assert!(error.message.contains("project-brain/CONVENTIONS.md"));
    rig.run(&["--json", "--brain", "../.."])
        .fails("brain_not_found");
}

#[test]
fn a_brain_is_found_from_the_folder_the_artifact_and_by_name() {
    let rig = Rig::new();
    rig.links(&[]);
    let artifact = super::rig::text(&rig.brain().join(THREAD));
    let home = rig.dir.home();
    for (cwd, args) in [
        (rig.brain().join("threads/t"), vec!["thread.md"]),
        (rig.brain().join("threads/t"), vec![]),
        (rig.dir.at("app"), vec!["project-brain/threads/t/thread.md"]),
        (rig.dir.at("app"), vec!["project-brain/threads/t"]),
        (home.clone(), vec![&artifact]),
        (home.clone(), vec![&artifact, "--brain", "../work/app"]),
        (
            home,
            vec![&artifact, "--brain", "../work/app/project-brain"],
        ),
    ] {
        let run = outcome(rig.dir.command(&cwd).arg("materialize").args(&args));
        let run = run.expect(0);
        assert!(
            run.stdout
                .starts_with("Resolved 0 soft_links, wrote context bundle to ")
        );
    }
}

#[test]
fn without_an_artifact_no_other_is_blamed() {
    let rig = Rig::new();
    rig.links(&[]);
    let brain = super::rig::text(&rig.brain());
    for cwd in [
        rig.dir.at("app"),
        rig.dir.home(),
        rig.brain(),
        rig.brain().join("threads"),
    ] {
        let mut command = rig.dir.command(&cwd);
        let run = outcome(command.args(["materialize", "--brain", &brain, "--json"])).expect(2);
        let error = run.error();
        assert_eq!(error.code, "artifact_unclear", "{cwd:?}");
        let folder = cwd.canonicalize().unwrap();
        assert_eq!(error.path, Some(super::rig::text(&folder)));
    }
}

#[test]
fn an_artifact_that_nobody_names_must_be_clear() {
    let rig = Rig::new();
    rig.file("tree/a.md", "---\nsoft_links: []\n---\n");
    rig.file("tree/b.md", "---\nsoft_links: []\n---\n");
    let run = outcome(
        rig.dir
            .command(&rig.brain().join("tree"))
            .arg("materialize"),
    );
    let run = run.expect(2);
    assert!(run.stderr.contains("a.md, b.md"), "{}", run.stderr);
    let run = outcome(
        rig.dir
            .command(&rig.brain())
            .args(["materialize", "--json"]),
    );
    assert_eq!(run.expect(2).error().code, "artifact_unclear");
}

#[test]
fn malformed_frontmatter_is_refused_with_its_place_in_the_file() {
    let rig = Rig::new();
    for (text, line, column) in [
        ("<!-- a\nb -->\n---\ntitle: x\nsoft_links: [\n---\n", 5, 13),
        ("---\nsoft_links: []\nid: a\nid: b\n---\n", 4, 1),
        ("---\nsoft_links: {}\n---\n", 2, 13),
        ("---\nsoft_links: text\n---\n", 2, 13),
        ("---\nsoft_links: []\n", 1, 1),
        ("---\nsoft_links: []\nx: !tag y\n---\n", 3, 4),
        ("---\na: &x 1\nsoft_links: []\n---\n", 2, 7),
    ] {
        rig.file(THREAD, text);
        let error = rig.run(&["--json"]).fails("yaml_invalid").error();
        assert_eq!(
            (error.line, error.column),
            (Some(line), Some(column)),
            "{text:?}"
        );
        let run = rig.run(&[]).expect(1);
        assert!(
            run.stderr.contains(&format!("thread.md:{line}:{column}: ")),
            "{}",
            run.stderr
        );
    }
    rig.file(THREAD, b"---\nsoft_links: []\n---\n\xff");
    rig.run(&["--json"]).fails("not_text");
    let long = format!("---\nsoft_links: []\nx: {}\n---\n", "y".repeat(70_000));
    rig.file(THREAD, long);
    let error = rig.run(&["--json"]).fails("yaml_invalid").error();
    assert!(error.message.contains("65536"), "{}", error.message);
}

#[test]
fn an_artifact_without_links_is_refused_and_one_with_none_is_not() {
    let rig = Rig::new();
    for text in ["# x\n", "---\ntitle: x\n---\n"] {
        rig.file(THREAD, text);
        let error = rig.run(&["--json"]).fails("soft_links_missing").error();
        assert!(error.help.unwrap().contains("verify-tree"));
    }
    for empty in ["soft_links: []\n", "soft_links:\n", "soft_links: ~\n"] {
        rig.artifact(empty);
        let made = rig.make(&[]);
        assert!(
            made.text
                .contains("\n0 refs total — 0 resolved, 0 unresolved, 0 trimmed for budget.\n")
        );
        assert!(!made.text.contains("## "), "{}", made.text);
        assert_eq!(made.manifest["refs"].as_array().unwrap().len(), 0);
    }
}

#[test]
fn the_project_must_be_known() {
    let rig = Rig::new();
    rig.artifact("primary_project: shop\nsoft_links: []\n");
    let error = rig.run(&["--json"]).fails("project_unknown").error();
    assert!(error.message.contains("`shop`"), "{}", error.message);
    let registry = rig.dir.home().join(".config/project-brain/projects.yaml");
    assert!(
        error.message.contains(registry.to_str().unwrap()),
        "{}",
        error.message
    );
    std::fs::create_dir_all(registry.parent().unwrap()).unwrap();
    std::fs::write(&registry, "# nothing yet\n").unwrap();
    rig.run(&["--json"]).fails("project_unknown");
    std::fs::write(&registry, "shop: ~/shop/project-brain\n").unwrap();
    assert_eq!(rig.make(&[]).manifest["primary_project"], "shop");
    std::fs::write(&registry, "shop: 1\nshop: 2\n").unwrap();
    let error = rig.run(&["--json"]).fails("yaml_invalid").error();
    assert_eq!((error.line, error.column), (Some(2), Some(1)));
    std::fs::remove_file(&registry).unwrap();
    rig.file("config.yaml", "# no project\n");
    rig.artifact("soft_links: []\n");
    rig.run(&["--json"]).fails("project_missing");
}

#[test]
fn the_registry_is_found_where_the_environment_says() {
    let rig = Rig::new();
    rig.artifact("primary_project: shop\nsoft_links: ['shop:a.md']\n");
    rig.dir.file("shop/a.md", "from the shop");
    rig.dir.file(
        "named.yaml",
        format!("shop: {{root: {}}}\n", rig.dir.arg("shop")),
    );
    rig.dir.file(
        "xdg/project-brain/projects.yaml",
        format!("shop: {}\n", rig.dir.arg("shop")),
    );
    let xdg = rig.dir.arg("xdg");
    let named = rig.dir.arg("named.yaml");
    let with = |variables: &[(&str, &str)]| {
        let mut command = rig.command(&[THREAD, "--json"]);
        command.envs(variables.iter().copied());
        outcome(&mut command)
    };
    for variables in [
        vec![("PROJECT_BRAIN_PROJECTS_YAML", named.as_str())],
        vec![("XDG_CONFIG_HOME", xdg.as_str())],
    ] {
        let made = super::rig::made(with(&variables));
        assert_eq!(made.content(), "from the shop", "{variables:?}");
    }
    for unset in [
        ("XDG_CONFIG_HOME", "relative"),
        ("PROJECT_BRAIN_PROJECTS_YAML", ""),
    ] {
        with(&[unset]).fails("project_unknown");
    }
}

#[test]
fn aliases_that_are_none_are_passed_over_with_a_warning() {
    let rig = Rig::new();
    rig.links(&[("shop:a.md", "spec")]);
    rig.file("config.yaml", "primary_project: app\naliases: [shop]\n");
    let made = rig.make(&[]);
    assert_eq!(made.reason("shop:a.md"), "unknown alias");
    assert!(
        made.warnings().contains("is no mapping"),
        "{}",
        made.warnings()
    );
    rig.file(
        "config.yaml",
        "primary_project: app\naliases: {shop: [x]}\n",
    );
    let made = rig.make(&[]);
    assert_eq!(made.reason("shop:a.md"), "alias root unreachable");
    assert!(
        made.warnings().contains("`shop` in line 2"),
        "{}",
        made.warnings()
    );
}

#[test]
fn soft_failures_are_listed_and_do_not_end_the_run() {
    let rig = Rig::new();
    rig.file(
        "config.yaml",
        "primary_project: app\naliases: {gone: /no/such/brain}\n",
    );
    let web = Web::start(|_| response("404 Not Found", "", ""));
    let missing = web.url("/x");
    rig.links(&[
        ("you:tree/a.md", "spec"),
        ("gone:tree/a.md", "spec"),
        ("/tree/none.md", "spec"),
        (&missing, "spec"),
        ("mcp://chat/channel", "conversation"),
        ("gopher://h/x", ""),
        ("git@github.com:a/b.git", ""),
        ("C:\\x", ""),
    ]);
    let made = rig.make_local(&[]);
    for (uri, reason) in [
        ("you:tree/a.md", "unknown alias"),
        ("gone:tree/a.md", "alias root unreachable"),
        ("/tree/none.md", "not-found"),
        (missing.as_str(), "http 404"),
        ("mcp://chat/channel", "mcp-unreachable: chat"),
        ("gopher://h/x", "unsupported-scheme"),
        ("git@github.com:a/b.git", "unsupported-scheme"),
        ("C:\\x", "unsupported-scheme"),
    ] {
        assert_eq!(made.reason(uri), reason);
    }
    assert_eq!(made.report["refs_unresolved"], 8);
    assert_eq!(made.report["stale_refs"].as_array().unwrap().len(), 8);
}

#[test]
fn entries_that_are_no_links_are_invalid() {
    let rig = Rig::new();
    rig.artifact("soft_links: [{role: spec}, ~, [x], {uri: '', role: spec}]\n");
    let made = rig.make(&[]);
    assert_eq!(made.reason("(no uri)"), "invalid-ref");
    assert_eq!(made.manifest["refs_unresolved"], 4);
    rig.artifact("soft_links:\n- /a.md\n- role: spec\n- {uri: [/b.md], role: {a: b}}\n- ''\n");
    let warnings = rig.make(&[]).warnings();
    let expected = "entry 2 of `soft_links` has no `uri` (line 4)\n\
        entry 3 of `soft_links`: `uri` is a list, and a text is expected (line 5)\n\
        entry 3 of `soft_links`: `role` is a mapping, and a text is expected (line 5)\n\
        entry 4 of `soft_links` has no `uri` (line 6)";
    assert_eq!(warnings, expected);
}

#[test]
fn a_list_where_a_text_is_expected_is_named() {
    let rig = Rig::new();
    for key in ["id", "primary_project"] {
        rig.artifact(&format!("soft_links: []\n{key}: [a]\n"));
        let error = rig.run(&["--json"]).fails("yaml_invalid").error();
        assert_eq!(
            error.message,
            format!("`{key}` is a list, and a text is expected")
        );
        assert_eq!(error.line, Some(3));
    }
    rig.artifact("soft_links: []\ntitle: {a: b}\n");
    assert_eq!(
        rig.make(&[]).warnings(),
        "`title` is a mapping, and a text is expected"
    );
    rig.artifact("soft_links: []\n");
    rig.file("config.yaml", "primary_project: [app]\n");
    let error = rig.run(&["--json"]).fails("yaml_invalid").error();
    assert!(error.path.unwrap().ends_with("config.yaml"));
}

#[test]
fn a_link_to_another_project_says_what_is_wrong_with_it() {
    let rig = Rig::new();
    rig.file(
        "config.yaml",
        "primary_project: app\naliases: {platform: {root: ../../no-such, brain: b}, gone: ~/nowhere, empty: [x]}\n",
    );
    rig.links(&[
        ("platfrom:a.md", "spec"),
        ("platform:a.md", "spec"),
        ("gone:thread/x", "spec"),
        ("empty:a.md", "spec"),
        ("quite-another:a.md", "spec"),
    ]);
    let made = rig.make(&[]);
    assert_eq!(made.reason("platfrom:a.md"), "unknown alias");
    assert_eq!(made.reason("platform:a.md"), "alias root unreachable");
    let warnings = made.warnings();
    for sentence in [
        "alias `empty` in line 2 of `config.yaml` is neither a path nor `root` and `brain`",
        "`platfrom:a.md` is unresolved: unknown alias (did you mean `platform`?)",
        "`platform:a.md` is unresolved: alias root unreachable (neither of `../../no-such`, `b` can be listed)",
        "`gone:thread/x` is unresolved: alias root unreachable (`~/nowhere` is no folder that can be listed)",
        "`empty:a.md` is unresolved: alias root unreachable (`empty` names no folder)",
    ] {
        assert!(warnings.contains(sentence), "{sentence} in {warnings}");
    }
    assert!(
        !warnings.contains("quite-another"),
        "nothing is near: {warnings}"
    );
    let stale = rig.run(&["--detect-stale"]).expect(0).stderr;
    assert!(stale.contains("did you mean `platform`?"), "{stale}");
    // A bad alias of the registry is one of its file.
    let registry = rig.dir.file("named.yaml", "shop: [x]\n");
    let mut command = rig.command(&[THREAD, "--json"]);
    command.env("PROJECT_BRAIN_PROJECTS_YAML", registry);
    let made = super::rig::made(outcome(&mut command));
    assert!(
        made.warnings()
            .contains("alias `shop` in line 1 of `named.yaml`"),
        "{}",
        made.warnings()
    );
    let mut command = rig.command(&[THREAD, "--json"]);
    command.env("PROJECT_BRAIN_PROJECTS_YAML", "no/such.yaml");
    let made = super::rig::made(outcome(&mut command));
    let sentence = "`PROJECT_BRAIN_PROJECTS_YAML` names no file";
    assert!(made.warnings().contains(sentence), "{}", made.warnings());
}

#[test]
fn all_is_a_role_that_filters_nothing() {
    let rig = Rig::new();
    rig.links(&[("/a.md", "spec"), ("/b.md", "")]);
    for roles in ["all", "spec,all"] {
        let made = rig.make(&["--roles", roles]);
        assert_eq!(made.report["refs_total"], 2);
        assert!(made.text.contains("\nroles: all\n"));
    }
}

#[test]
fn a_scratch_folder_that_can_not_be_written_has_others() {
    let rig = Rig::new();
    rig.links(&[]);
    let file = rig.dir.file("file", "");
    let mut command = rig.command(&[THREAD, "--json"]);
    command.env("MATERIALIZE_SCRATCH_ROOT", &file);
    let error = outcome(&mut command).expect(1).error();
    let help = error.help.unwrap();
    assert!(
        help.contains("`MATERIALIZE_SCRATCH_ROOT`") && help.contains("`XDG_CACHE_HOME`"),
        "{help}"
    );
    assert!(error.path.unwrap().starts_with(file.to_str().unwrap()));
}

#[test]
fn unknown_roles_and_kinds_are_warned_of_once() {
    let rig = Rig::new();
    rig.file("tree/a.md", "# A\n\nText.\n");
    rig.links(&[
        ("/a.md", "vision"),
        ("/tree/a.md", "vision"),
        ("tree/a.md", "mood"),
    ]);
    let made = rig.make(&[]);
    assert_eq!(made.entry("/a.md")["role"], "vision");
    let warnings = made.warnings();
    let roles = "counts as none; roles are spec, prior-decision, related-work, conversation, scratch, external-reference";
    for (label, links) in [("vision", "`/a.md`, `/tree/a.md`"), ("mood", "`tree/a.md`")] {
        let sentence = format!("role `{label}` of {links} {roles}");
        assert_eq!(warnings.matches(&sentence).count(), 1, "{warnings}");
    }
    assert!(
        warnings.contains("`tree/a.md` is taken as a path in the brain"),
        "{warnings}"
    );
    assert!(!warnings.contains("neither a thread"), "{warnings}");
    rig.file("threads/t/proposal.md", "---\nsoft_links: []\n---\n");
    let run = rig.plain(&["threads/t/proposal.md"]).expect(0);
    assert!(run.stderr.contains("neither a thread"), "{}", run.stderr);
    rig.file(
        "threads/t/tree-staging/new.md",
        "---\nsoft_links: []\n---\n",
    );
    let run = rig.plain(&["threads/t/tree-staging/new.md"]).expect(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn roles_filter_before_anything_is_counted_or_asked() {
    let rig = Rig::new();
    rig.file("tree/a.md", "A");
    let web = Web::text("x");
    let uri = web.url("/");
    rig.links(&[
        ("/a.md", "spec"),
        ("/b.md", "prior-decision"),
        (&uri, "scratch"),
        ("/c.md", ""),
    ]);
    let made = rig.make_local(&["--roles", "spec,prior-decision"]);
    assert_eq!(made.report["refs_total"], 2);
    assert_eq!(made.report["refs_unresolved"], 1);
    assert!(made.text.contains("\nroles: [spec, prior-decision]\n"));
    assert_eq!(web.requests().len(), 0);
}

#[test]
fn usage_ends_with_two_and_refusal_with_one() {
    let rig = Rig::new();
    rig.links(&[]);
    for args in [
        vec!["--detect-stale", "--dry-run"],
        vec!["--mode", "materialize", "--dry-run"],
        vec!["--mode", "dry-run", "--detect-stale"],
        vec!["--mode", "else"],
        vec!["--consumer", "everybody"],
        vec!["--roles", "spec,other"],
        vec!["--roles", "spec,"],
        vec!["--max-tokens", "0"],
        vec!["--max-tokens", "x"],
        vec!["--verbosity", "loud"],
        vec!["--now", "yesterday"],
        vec!["--no-such-option"],
        vec!["one", "two"],
    ] {
        let run = rig.run(&args).expect(2);
        assert!(
            run.stderr.starts_with("error: "),
            "{args:?}: {}",
            run.stderr
        );
        assert_eq!(run.stdout, "");
        let run = rig.run(&[args.as_slice(), &["--json"]].concat()).expect(2);
        assert_eq!(run.error().code, "usage", "{args:?}");
    }
    for (words, help) in [
        (
            &["materialize", "--mode", "else"][..],
            "see `vibey-context materialize --help`",
        ),
        (
            &["--skills", "packet", "materialize", "--no"],
            "see `vibey-context materialize --help`",
        ),
        (
            &["index", "build", "--no"],
            "see `vibey-context index build --help`",
        ),
        (&["list", "--no"], "see `vibey-context list --help`"),
        (&["packets"], "`vibey-context --help` lists the commands"),
    ] {
        let run = rig.dir.run([words, &["--json"]].concat());
        assert_eq!(run.error().help.as_deref(), Some(help), "{words:?}");
    }
    rig.run(&["--mode", "dry-run", "--dry-run"]).expect(0);
    rig.dir.run(["--skills", "materialize", "pack"]).expect(1);
    rig.dir
        .run(["--skills", "x", "materialize", "--nonsense"])
        .expect(2);
}
