//! The dashboard is one file of five blocks, in which every name is text.

use super::stage::Stage;

/// A title that would be an element, if it were not escaped.
const HOSTILE: &str = "<script>alert(1)</script><img src=x onerror=alert(2)>";

/// A stage whose state is full of hostile names.
fn hostile() -> Stage {
    let stage = Stage::specified();
    let spec = stage.read("specs/shop/spec.md").replace(
        "- E-mail addresses are compared",
        &format!("- `{HOSTILE}` compared"),
    );
    stage.file(
        "specs/shop/spec.md",
        spec.replace("— User Authentication", &format!("— `{HOSTILE}`")),
    );
    stage
        .transition("spec-writer", "implementer", &[])
        .expect(0);
    let mut state = stage.state();
    state["phases"][0]["display_name"] = HOSTILE.into();
    state["phases"][0]["summary"] = HOSTILE.into();
    state["phases"][0]["artifacts"][0]["path"] = format!("{HOSTILE}.md").into();
    state["phases"][1]["blockers"] = serde_json::json!([HOSTILE]);
    state["accumulated_context"]["files_modified"] = serde_json::json!([HOSTILE, "x".repeat(300)]);
    state["accumulated_context"]["test_results"]["implementer"] = serde_json::json!([HOSTILE]);
    state["accumulated_context"]["deviations"] = serde_json::json!([HOSTILE]);
    state["reconstructed"] = true.into();
    state["reconstruction_confidence"] = "low".into();
    stage.write_state(&state);
    stage.run(&["dashboard"]).expect(0);
    stage
}

/// The page that `.ci/pages` opens in a browser; written to `VIBEY_DASHBOARD_PAGE` where that is set.
#[test]
fn a_hostile_name_is_text() {
    let page = hostile().dashboard();
    assert!(
        !page.contains("<script") && !page.contains("<img"),
        "{page}"
    );
    assert!(
        page.matches("&#60;script&#62;alert(1)").count() >= 8,
        "{page}"
    );
    if let Some(path) = std::env::var_os("VIBEY_DASHBOARD_PAGE") {
        std::fs::write(path, page).unwrap();
    }
}

#[test]
fn the_page_needs_nothing_else() {
    let stage = Stage::implementing();
    let page = stage.dashboard();
    for block in ["flow", "phases", "budget", "accumulated", "warnings"] {
        assert!(
            page.contains(&format!("<section id=\"{block}\"")),
            "{block}"
        );
    }
    for absent in ["<script", "src=", "href=", "url(", "@import", "http"] {
        // `http-equiv` is how the page forbids everything else.
        let found = page.replace("http-equiv", "").contains(absent);
        assert!(!found, "{absent}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn without_a_brief_the_page_says_so() {
    let stage = Stage::empty();
    stage
        .transition("spec-writer", "implementer", &[])
        .expect(1);
    assert!(
        stage
            .dashboard()
            .contains("There is no brief for the current position yet.")
    );
}

#[test]
#[cfg(target_os = "linux")]
fn the_page_is_opened_by_the_desktops_own_program() {
    use std::os::unix::fs::PermissionsExt as _;
    let stage = Stage::implementing();
    let bin = stage.dir.home().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let opener = bin.join("xdg-open");
    std::fs::write(&opener, "#!/bin/sh\nprintf %s \"$1\" >\"$HOME/opened\"\n").unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let status = stage
        .command(&["dashboard", "--open"])
        .env("PATH", &bin)
        .status()
        .unwrap();
    assert!(status.success());
    let opened = std::fs::read_to_string(stage.dir.home().join("opened")).unwrap();
    assert!(
        opened.ends_with("/.claude/sdd/dashboards/shop/dashboard.html"),
        "{opened}"
    );
    // Where there is none, the page is written all the same, and the failure says so.
    let error = stage
        .run(&["dashboard", "--open", "--json"])
        .expect(2)
        .error();
    assert_eq!(error.code, "browser");
}
