//! Is there a test behind every promise of docs/reliability.md?

use super::{repository, text};

/// Fewer would be a table that nobody can read any more.
const LEAST: usize = 20;

#[test]
fn every_test_that_a_promise_names_exists() {
    let document = text("docs/reliability.md");
    let mut named = 0;
    let table = document.lines().filter(|line| line.starts_with("| "));
    for path in table.flat_map(|line| line.split('`').skip(1).step_by(2)) {
        let mut segments: Vec<&str> = path.split("::").collect();
        // The same test on two databases.
        segments.retain(|segment| *segment != "sqlite");
        let Some((test, modules)) = segments
            .split_last()
            .filter(|(_, modules)| !modules.is_empty())
        else {
            continue;
        };
        named += 1;
        let file = format!("{}.rs", modules.join("/"));
        let found = ["tests", "conductor-shim/tests"].iter().any(|folder| {
            let path = repository().join(folder).join(&file);
            let text = std::fs::read_to_string(path).unwrap_or_default();
            text.contains(&format!("fn {test}("))
        });
        assert!(found, "no test `{path}`");
    }
    assert!(named >= LEAST, "{named}");
}
