//! Which command is meant by a command line that the parser refuses?

use super::args::Cli;
use clap::CommandFactory as _;
use std::ffi::OsString;

/// Options before or between names of commands that take a value, which is no name.
const WITH_VALUE: [&str; 2] = ["--skills", "--manifest"];

/// The names of the command that the words name, with that of its own command where it has some.
pub(super) fn meant(words: &[OsString]) -> Vec<String> {
    let mut command = &Cli::command();
    let mut names = Vec::new();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        if WITH_VALUE.iter().any(|option| word == option) {
            words.next();
        } else if !word.as_encoded_bytes().starts_with(b"-") {
            let Some(found) = command.find_subcommand(word) else {
                break;
            };
            names.push(found.get_name().to_owned());
            command = found;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn names_of_commands_are_found_among_options() {
        for (line, expected) in [
            ("p", ""),
            ("p --embedded", ""),
            ("p leap", ""),
            ("p markers apply", "markers apply"),
            ("p --skills apply markers check", "markers check"),
            (
                "p --skills=x --embedded markers --skills y generate --json",
                "markers generate",
            ),
            ("p markers --manifest explain apply", "markers apply"),
            ("p markers", "markers"),
            ("p markers leap apply", "markers"),
            ("p check markers", "check"),
            ("p --skills markers check", "check"),
            ("p handoff --json transition", "handoff transition"),
        ] {
            assert_eq!(meant(&words(line)).join(" "), expected, "{line}");
        }
    }
}
