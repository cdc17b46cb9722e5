//! Every exit code of every command, in one table; the documentation is generated from it.

/// The command did what it was asked.
pub const DONE: u8 = 0;
/// Usage, input, index or I/O: anything that is neither success nor a structured result.
pub const FAILED: u8 = 1;
/// A structured non-success: the result is complete, and it says no.
pub const STRUCTURED: u8 = 2;

/// Usage of the commands whose 1 means something else: `handoff`, `markers` and `materialize`.
pub const USAGE: u8 = 2;

/// `vibey-conductor implement` and `run`: the shim failed, not the engine; usage included. As `env` and `timeout` do
/// it.
pub const SHIM_FAILED: u8 = 125;
/// The engine exists and can not be executed.
pub const ENGINE_NOT_EXECUTABLE: u8 = 126;
/// There is no such engine.
pub const ENGINE_NOT_FOUND: u8 = 127;
/// Added to the number of the signal that killed the engine.
pub const ENGINE_SIGNALLED: u8 = 128;

/// With which code wrong usage of a command ends: [`FAILED`], but [`USAGE`] where 1 means something else.
#[must_use]
pub fn usage_of(command: Option<&str>) -> u8 {
    match command {
        Some("handoff" | "markers" | "materialize") => USAGE,
        _ => FAILED,
    }
}

/// What the exit codes of a group of commands mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The commands, as they are typed.
    pub commands: &'static [&'static str],
    /// Meaning of 0.
    pub zero: &'static str,
    /// Meaning of 1.
    pub one: &'static str,
    /// Meaning of 2; `–` where the commands never end with it.
    pub two: &'static str,
}

/// The table. A command that is not in it does not exist.
pub const TABLE: &[Row] = &[
    Row {
        commands: &["packet"],
        zero: "`ok`",
        one: "usage, input, index, I/O",
        two: "`low_confidence`, `budget_insufficient`",
    },
    Row {
        commands: &[
            "index",
            "search",
            "why",
            "list",
            "contract",
            "completions",
            "man",
            "clean",
        ],
        zero: "done",
        one: "any error, usage",
        two: "–",
    },
    Row {
        commands: &["doctor"],
        zero: "no problem (warnings included)",
        one: "a problem; error, usage",
        two: "–",
    },
    Row {
        commands: &["check"],
        zero: "no error-level diagnostic",
        one: "one (any, with `--strict`); usage",
        two: "–",
    },
    Row {
        commands: &["reproduce"],
        zero: "same bytes",
        one: "error, usage",
        two: "differs",
    },
    Row {
        commands: &["evaluate"],
        zero: "done",
        one: "error, usage",
        two: "regression against `--baseline`",
    },
    Row {
        commands: &["handoff"],
        zero: "done",
        one: "artifacts failed their validation",
        two: "usage, configuration, state, I/O",
    },
    Row {
        commands: &["markers apply", "markers check", "markers generate"],
        zero: "success",
        one: "failed check, generator or restore; interrupted or cancelled generate",
        two: "usage, configuration, unsafe path, `busy`, failure before the generator ran",
    },
    Row {
        commands: &["markers explain", "markers orphans"],
        zero: "an answer",
        one: "–",
        two: "any error, usage",
    },
    Row {
        commands: &["materialize"],
        zero: "done (soft failures included)",
        one: "refused",
        two: "usage",
    },
    Row {
        commands: &["mcp"],
        zero: "the client has gone, or a signal asked it to end",
        one: "usage, I/O, no MCP client; a failed call is an answer to its client",
        two: "–",
    },
    Row {
        commands: &["vibey-conductor implement", "vibey-conductor run"],
        zero: "the engine's own code; 0 without one",
        one: "–",
        two: "–; the shim failed, usage included: 125; engine not executable: 126, not found: 127, killed: 128 + signal",
    },
    Row {
        commands: &[
            "vibey-conductor new",
            "vibey-conductor completions",
            "vibey-conductor outcome",
            "vibey-conductor report",
            "vibey-conductor ledger list",
            "vibey-conductor ledger show",
            "vibey-conductor ledger export",
        ],
        zero: "done",
        one: "any error, usage",
        two: "–",
    },
    Row {
        commands: &["vibey-conductor ledger verify"],
        zero: "chains whole, triggers in place",
        one: "error, usage",
        two: "broken",
    },
    Row {
        commands: &["vibey-conductor reproduce"],
        zero: "same bytes",
        one: "error, usage",
        two: "differs",
    },
    Row {
        commands: &["no command, an unknown one"],
        zero: "–",
        one: "usage",
        two: "–",
    },
];

/// The table as Markdown, as it stands in the documentation.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::from("| command | 0 | 1 | 2 |\n| --- | --- | --- | --- |\n");
    for row in TABLE {
        let commands: Vec<String> = row
            .commands
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        let commands = commands
            .join(", ")
            .replace("`no command, an unknown one`", "no command, an unknown one");
        out.push_str(&format!(
            "| {commands} | {} | {} | {} |\n",
            row.zero, row.one, row.two
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_command_stands_twice() {
        let all: Vec<_> = TABLE.iter().flat_map(|row| row.commands).collect();
        let distinct: BTreeSet<_> = all.iter().collect();
        assert_eq!(all.len(), distinct.len());
    }

    #[test]
    fn usage_ends_as_the_table_says() {
        for row in TABLE {
            let ours = |name: &&str| !name.starts_with("vibey-conductor");
            for name in row.commands.iter().copied().filter(|name| ours(name)) {
                let cell = match usage_of(name.split(' ').next()) {
                    USAGE => row.two,
                    _ => row.one,
                };
                assert!(cell.contains("usage"), "{name}");
            }
        }
    }
}
