//! Is a page a page, whatever names the ledger holds?

use super::{record, report, small};
use crate::stage::Stage;

/// What a skill must not be called.
const HOSTILE: &str =
    "x/\"'><script>alert(1)</script><img src=x onerror=alert(2)>&amp;</title></svg>";

#[test]
fn a_hostile_name_is_text() {
    let stage = Stage::new();
    record(&stage, &small(HOSTILE, true));
    report(&stage, &["--html", "page.html"]);
    let page = stage.text("page.html");
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
    assert_eq!(page, {
        report(&stage, &["--html", "page.html"]);
        stage.text("page.html")
    });
}

#[test]
fn a_terminal_is_not_steered() {
    let stage = Stage::new();
    record(&stage, &small("x/\u{1b}[2J\u{202e}name", false));
    let table = String::from_utf8(report(&stage, &[]).stdout).unwrap();
    assert!(!table.contains(['\u{1b}', '\u{202e}']), "{table}");
}
