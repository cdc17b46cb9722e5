//! Which command is meant by a command line that the parser refuses?

use std::ffi::OsString;

/// Options before or behind a command that take a value.
const WITH_VALUE: [&str; 2] = ["--skills", "--manifest"];

/// The command: the first word that is no option.
pub(super) fn command(words: &[OsString]) -> Option<&str> {
    plain_words(words).next()
}

/// What the command is to do: the second word that is no option.
pub(super) fn action(words: &[OsString]) -> Option<&str> {
    plain_words(words).nth(1)
}

/// The words behind the program's name that are neither options nor the values of those that have one.
fn plain_words(words: &[OsString]) -> impl Iterator<Item = &str> {
    let mut words = words.iter().skip(1);
    std::iter::from_fn(move || {
        loop {
            let word = words.next()?.to_str()?;
            if WITH_VALUE.contains(&word) {
                words.next();
            } else if !word.starts_with('-') {
                return Some(word);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn command_and_action_are_found_among_options() {
        for (line, expected) in [
            ("p markers apply", Some("apply")),
            ("p --skills apply markers check", Some("check")),
            (
                "p --skills=x --embedded markers --skills y generate --json",
                Some("generate"),
            ),
            ("p markers --manifest explain apply", Some("apply")),
            ("p markers", None),
            ("p markers --help", None),
        ] {
            assert_eq!(command(&words(line)), Some("markers"), "{line}");
            assert_eq!(action(&words(line)), expected, "{line}");
        }
        for line in [
            "p",
            "p check markers",
            "p --skills markers check",
            "p --embedded",
        ] {
            assert_ne!(command(&words(line)), Some("markers"), "{line}");
        }
    }
}
