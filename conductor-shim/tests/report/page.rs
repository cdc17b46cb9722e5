//! Is a page a page, whatever names the ledger holds?

use super::{record, report, small};
use crate::stage::Stage;
use vibey_conductor_shim::report::html::html;
use vibey_context_contracts::conductor::report::Report;

/// What a skill must not be called.
const HOSTILE: &str =
    "x/\"'><script>alert(1)</script><img src=x onerror=alert(2)>&amp;</title></svg>";

#[test]
fn a_hostile_name_is_text() {
    let stage = Stage::new();
    record(&stage, &small("x/named", true));
    // The ledger keeps no such name; a report that comes from elsewhere may have one.
    let json = String::from_utf8(report(&stage, &["--json"]).stdout).unwrap();
    let named = serde_json::to_string(HOSTILE).unwrap();
    let json = json.replace("\"x/named\"", &named);
    let page = html(&serde_json::from_str::<Report>(&json).unwrap()).unwrap();
    // A browser opens this one in CI.
    if let Some(file) = std::env::var_os("VIBEY_REPORT_PAGE") {
        std::fs::write(file, &page).unwrap();
    }
    for tag in ["<script", "<img", "</title></svg>", "\"'>"] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert!(page.contains("&#60;script&#62;alert(1)"), "{page}");
    for chart in [
        "accepted",
        "difference",
        "statuses",
        "saved",
        "tokens",
        "time",
        "selected",
    ] {
        assert!(
            page.contains(&format!("<title id=\"{chart}-title\">")),
            "{chart}"
        );
    }
    // Nothing from elsewhere.
    for word in ["http:", "https:", "src=", "@import", "url(", "href="] {
        let named = page.replace("http-equiv", "").replace("src=x", "");
        assert!(!named.contains(word), "{word}");
    }
    report(&stage, &["--html", "page.html"]);
    let written = stage.text("page.html");
    assert_eq!(page.lines().count(), written.lines().count());
    assert!(written.contains("x/named"));
}

#[test]
fn a_terminal_is_not_steered() {
    let stage = Stage::new();
    record(&stage, &small("x/\u{1b}[2J\u{202e}name", false));
    let table = String::from_utf8(report(&stage, &[]).stdout).unwrap();
    assert!(!table.contains(['\u{1b}', '\u{202e}']), "{table}");
}
