//! The five steps of a build with a generated runtime, as a host takes them: rebuild twice, check, exclude, build and test.

use super::project::{MARKER, Project, manifest};
use crate::harness::outcome;
use serde_json::json;
use std::process::Command;

const GUIDANCE: &str = "# Generated runtime\n\n- Read docs/runtime-api.md for the public interface.\n- Edit src/ for changes.\n";

/// A project whose `generated/` is made of `src/`, deleted and rebuilt at each run.
fn runtime() -> Project {
    let project = Project::generating(
        "rm -rf generated\nmkdir -p generated/lib\nsed 's/template/canary runtime/' src/runtime.in >generated/lib/runtime.sh\necho run >>runs",
    );
    project.file("src/runtime.in", "greet() { echo \"template $1\"; }\n");
    project.file("src/app.sh", ". generated/lib/runtime.sh\ngreet world\n");
    project.file("docs/runtime-api.md", "greet NAME\n");
    project.file("docs/generated-guidance.md", GUIDANCE);
    let mut value = manifest(&["generated"]);
    value["markers"][0]["guidanceFile"] = json!("docs/generated-guidance.md");
    project.manifest(&value);
    project
}

fn readable(project: &Project, path: &str) -> bool {
    let run = outcome(&mut project.command(["explain", path, "--json"])).expect(0);
    run.json()["readable"].as_bool().unwrap()
}

#[test]
fn the_five_steps() {
    let project = runtime();
    // 1 and 2: the generator runs twice, and each time the marker is back and current.
    project
        .run("generate")
        .is("0 ok, generated restored, generator ok 0");
    project.run("check").is("0 ok, generated unchanged");
    project
        .run("generate")
        .is("0 ok, generated restored, generator ok 0");
    project.run("check").is("0 ok, generated unchanged");
    assert_eq!(project.read("runs"), "run\nrun\n");
    assert_eq!(project.marker("generated"), GUIDANCE);
    // 3: what is generated is not read, and what it is made of is.
    for path in ["generated", "generated/lib", "generated/lib/runtime.sh"] {
        assert!(!readable(&project, path), "{path}");
    }
    for path in [
        "src",
        "src/runtime.in",
        "src/app.sh",
        "docs/runtime-api.md",
        "docs/generated-guidance.md",
    ] {
        assert!(readable(&project, path), "{path}");
    }
    // 4: a fixed build uses the generated code all the same.
    let app = Command::new("/bin/sh")
        .arg("src/app.sh")
        .current_dir(project.root())
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(app.stdout).unwrap(),
        "canary runtime world\n"
    );
    // 5: nothing is left but the project itself.
    project.file("src/runtime.in", "exit 3\n");
    project.script("rm -rf generated; exit 3");
    project
        .run("generate")
        .is("1 generatorFailed, generated restored, generator failed 3");
    assert_eq!(project.marker("generated"), GUIDANCE);
    assert!(!project.has("generated/lib"));
    let mut names: Vec<_> = project
        .at("generated")
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, [MARKER]);
}
