//! Would a YAML loader take a plain scalar for text? A skill called `yes`, `123` or `2024-01-01` is read by its source
//! text here, and as something else elsewhere.

/// What loaders make of a plain scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text.
    Text,
    /// Nothing: `null`, `~` or no text at all.
    Null,
    /// Something else, by its name with an article.
    Other(&'static str),
}

/// The kind of a plain scalar, in YAML 1.2 or, since many loaders still speak it, in YAML 1.1.
pub(super) fn kind_of(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Kind::Null,
        _ => {}
    }
    if is_boolean(text) {
        Kind::Other("a boolean")
    } else if is_date(text) {
        Kind::Other("a date")
    } else if is_number(text) {
        Kind::Other("a number")
    } else if is_time(text) {
        Kind::Other("a time")
    } else {
        Kind::Text
    }
}

/// One of the words, all lowercase, all uppercase or capitalised.
fn is_boolean(text: &str) -> bool {
    let cased =
        text.chars().skip(1).all(char::is_lowercase) || text.chars().all(char::is_uppercase);
    cased
        && ["true", "false", "yes", "no", "on", "off"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word))
}

fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some(digits) = unsigned.strip_prefix("0x") {
        return is_run(digits, |c| c.is_ascii_hexdigit());
    }
    if let Some(digits) = unsigned
        .strip_prefix("0o")
        .or_else(|| unsigned.strip_prefix("0b"))
    {
        return is_run(digits, |c| c.is_ascii_digit());
    }
    if [".inf", ".nan"]
        .iter()
        .any(|word| unsigned.eq_ignore_ascii_case(word))
    {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.is_empty() || is_run(part, |c| c.is_ascii_digit());
    let power = exponent.is_none_or(|power| {
        is_run(power.strip_prefix(['+', '-']).unwrap_or(power), |c| {
            c.is_ascii_digit()
        })
    });
    digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty()) && power
}

/// `12:30`, `1:02:03`: a number to the base of 60 in YAML 1.1.
fn is_time(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = text.split(':');
    let first = parts.next().unwrap_or_default();
    let rest: Vec<_> = parts.collect();
    is_run(first, |c| c.is_ascii_digit())
        && !rest.is_empty()
        && rest.iter().all(|part| {
            let whole = part.split('.').next().unwrap_or_default();
            (1..=2).contains(&whole.len()) && is_run(whole, |c| c.is_ascii_digit())
        })
}

/// `2024-01-01`, with or without a time of day behind it.
fn is_date(text: &str) -> bool {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let parts: Vec<_> = date.split('-').collect();
    let numbers = parts
        .iter()
        .all(|part| is_run(part, |c| c.is_ascii_digit()));
    let lengths: Vec<_> = parts.iter().map(|part| part.len()).collect();
    numbers
        && matches!(lengths.as_slice(), [4, 1..=2, 1..=2])
        && time.is_none_or(|time| {
            let clock = time.trim_start().trim_end_matches(['Z', 'z']);
            is_time(clock.split(['+', '-', ' ']).next().unwrap_or_default())
        })
}

/// Not empty, starts with such a character, and goes on with such characters or `_`.
fn is_run(text: &str, fits: impl Fn(char) -> bool) -> bool {
    text.starts_with(&fits) && text.chars().all(|c| c == '_' || fits(c))
}
/// Characters of a value that a message shows.
const SHOWN_CHARS: usize = 40;

/// A text of the skill as a message shows it: one line, cut, control characters escaped.
pub(super) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars().take(SHOWN_CHARS) {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    if text.chars().nth(SHOWN_CHARS).is_some() {
        shown.push('…');
    }
    shown
}
