//! Generated files are committed, so that people can read and link them; here they are compared with what the code
//! generates now.

use crate::files::{contracts, names, repository, text};
use std::path::Path;
use vibey_context_contracts::{canonical, exit, schema};

/// Compares a committed file with its generated content, or writes it where `VIBEY_BLESS=1` is set.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where generated files are written"
)]
fn compare(path: &Path, generated: &str) {
    if std::env::var_os("VIBEY_BLESS").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, generated).unwrap();
    }
    assert!(
        path.is_file(),
        "`{}` is missing; VIBEY_BLESS=1 writes it",
        path.display()
    );
    let committed = text(path);
    let differing = committed
        .lines()
        .zip(generated.lines())
        .position(|(old, new)| old != new)
        .unwrap_or(committed.lines().count().min(generated.lines().count()));
    assert!(
        committed == generated,
        "`{}` differs from what the code generates, from line {} on; VIBEY_BLESS=1 writes it anew",
        path.display(),
        differing + 1
    );
}

#[test]
fn schemas_are_those_of_the_types() {
    let folder = contracts().join("schemas");
    let mut expected = Vec::new();
    for (name, schema) in schema::all() {
        compare(&folder.join(name), &canonical::pretty(&schema).unwrap());
        expected.push(name);
    }
    expected.sort_unstable();
    assert_eq!(names(&folder), expected, "files in `{}`", folder.display());
}

#[test]
fn schemas_are_valid_schemas() {
    for (name, schema) in schema::all() {
        assert_eq!(
            schema["$schema"], "https://json-schema.org/draft/2020-12/schema",
            "{name}"
        );
        if let Err(error) = jsonschema::draft202012::meta::validate(&schema) {
            panic!("{name}: {error}");
        }
    }
}

/// What stands above the table of exit codes.
const EXIT_CODES_HEAD: &str = "\
# Exit codes

Generated from the table in `contracts/src/exit.rs`; `VIBEY_BLESS=1 cargo test -p vibey-context-contracts` writes it
anew.

- `0`: the command did what it was asked.
- `1`: usage, input, index or I/O. The reason stands on standard error in one sentence with a hint, or with `--json` as
  one object on standard output.
- `2`: a structured result that says no. It is complete and can be relied on; it is never a usage error, but with `markers`,
  whose `1` is the structured no.

`handoff` has it the other way round: its 1 is the answer that artifacts are not good enough, its 2 a failure of any kind.

";

#[test]
fn the_documented_exit_codes_are_those_of_the_table() {
    let document = format!("{EXIT_CODES_HEAD}{}", exit::markdown());
    compare(&repository().join("docs/exit-codes.md"), &document);
}
