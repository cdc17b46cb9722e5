//! Does the same brain at the same time give the same bytes, whatever the machine is like?

use super::rig::{NOW, Rig, THREAD, made};
use super::web::Web;
use crate::harness::outcome;

#[test]
fn machines_differ_and_results_do_not() {
    let web = Web::text("remote");
    let uri = web.url("/x");
    let mut results = Vec::new();
    for (zone, locale, cwd) in [
        ("UTC", "C", "app"),
        (
            "Pacific/Kiritimati",
            "tr_TR.UTF-8",
            "app/project-brain/threads/t",
        ),
    ] {
        let rig = Rig::new();
        rig.file("tree/a.md", "# İ\n\nText.\n");
        rig.file("tree/.env", "x");
        rig.links(&[
            ("/a.md", "spec"),
            (&uri, "external-reference"),
            ("/none.md", "spec"),
            ("/.env", "scratch"),
            ("mcp://none/x", ""),
            ("b.md", "odd"),
        ]);
        let cwd = rig.dir.at(cwd);
        let artifact = super::rig::text(&rig.brain().join(THREAD));
        let mut command = rig.dir.command(&cwd);
        command
            .env("TZ", zone)
            .env("LC_ALL", locale)
            .env("TMPDIR", rig.dir.path())
            .args([
                "materialize",
                &artifact,
                "--now",
                NOW,
                "--json",
                "--allow-private-network",
            ]);
        let made = made(outcome(&mut command));
        assert!(!made.text.contains(&rig.dir.name()));
        assert!(!made.manifest.to_string().contains(&rig.dir.name()));
        results.push((made.text, made.manifest));
    }
    assert_eq!(results[0], results[1]);
}

#[test]
fn the_sidecar_keeps_to_its_contract() {
    let rig = Rig::new();
    rig.file("tree/a.md", "# A\n");
    rig.links(&[("/a.md", "spec"), ("/b.md", "")]);
    let made = rig.make(&[]);
    let plan = rig.run(&["--dry-run", "--json"]).expect(0).json();
    let stale = rig.run(&["--detect-stale", "--json"]).expect(0).json();
    for (name, document) in [
        ("context-manifest", &made.manifest),
        ("materialize-report", &made.report),
        ("materialize-report", &stale),
        ("materialize-plan", &plan),
    ] {
        let path = format!(
            "{}/contracts/schemas/{name}.v1.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let schema = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        if let Err(error) = validator.validate(document) {
            panic!("{name}: {error}\n{document}");
        }
    }
}
