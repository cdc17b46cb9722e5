//! A small report as a whole. `INSTA_UPDATE=always` writes it anew.

use super::{record, report, small};
use crate::stage::Stage;

#[test]
fn a_small_report() {
    let stage = Stage::new();
    record(&stage, &small("web/forms", false));
    let text = |words: &[&str]| String::from_utf8(report(&stage, words).stdout).unwrap();
    let price = ["--price-per-mtok", "3"];
    insta::assert_snapshot!("table", text(&price));
    insta::assert_snapshot!("json", text(&[&price[..], &["--json"]].concat()));
}
