//! The picture in README.md: `.ci/report-picture` has this test write the page that it takes it of.

use super::{generated, record, report};
use crate::stage::Stage;

/// Rows of the ledger: enough for intervals that say something.
const ROWS: usize = 3_000;

#[test]
fn the_page_of_the_picture_has_its_charts() {
    let stage = Stage::new();
    record(&stage, &generated::events(ROWS));
    report(&stage, &["--html", "page.html", "--price-per-mtok", "3"]);
    let page = stage.text("page.html");
    assert!(page.contains("<svg"), "{page}");
    if let Some(file) = std::env::var_os("VIBEY_REPORT_PICTURE") {
        std::fs::write(file, &page).unwrap();
    }
}
