//! Which values stand for a secret without being one?
//!
//! The rule: a placeholder is recognised by its *form* (a variable, a template, an angle bracket, a mask) or
//! is a word that no secret is. A value that merely sounds like an example (`…EXAMPLE…`, `changeme`,
//! `your-key-here`) is redacted: when in doubt, it goes.

use super::bytes::{at, is_word, one_of, part, run, starts, starts_ci};
use super::marker::only_markers;

/// Longest placeholder looked at; longer ones are values.
const MOST: usize = 128;

/// Literals and type names of the languages that requests quote.
const LITERALS: &[&str] = &[
    "*const",
    "*mut",
    "any",
    "array",
    "blob",
    "bool",
    "boolean",
    "bstr",
    "buffer",
    "byte",
    "bytes",
    "char",
    "date",
    "dict",
    "empty",
    "enabled",
    "disabled",
    "false",
    "filtered",
    "float",
    "hidden",
    "inherit",
    "int",
    "integer",
    "list",
    "masked",
    "n/a",
    "nil",
    "no",
    "none",
    "null",
    "number",
    "object",
    "off",
    "on",
    "optional",
    "redacted",
    "removed",
    "required",
    "secretstr",
    "secretstring",
    "securestring",
    "str",
    "string",
    "text",
    "true",
    "tbd",
    "f32",
    "f64",
    "i32",
    "i64",
    "isize",
    "u16",
    "u32",
    "u64",
    "u8",
    "uint8array",
    "usize",
    "undefined",
    "unknown",
    "unset",
    "uuid",
    "varchar",
    "write",
    "yes",
];

/// A value that only names what it is (`password=password`, `token: token`) is a parameter, no secret.
const NAMES: &[&str] = &[
    "access_token",
    "accesstoken",
    "access-token",
    "api_key",
    "apikey",
    "api-key",
    "auth_token",
    "authtoken",
    "bearer",
    "client_secret",
    "clientsecret",
    "credential",
    "credentials",
    "id_token",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "private_key",
    "pwd",
    "refresh_token",
    "secret",
    "secret_key",
    "secretkey",
    "token",
];

/// Is the whole `value` a placeholder by form: empty, marker, mask, variable or template?
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    value.is_empty()
        || only_markers(value)
        || is_mask(value)
        || (value.starts_with(b"$(") && value.ends_with(b")"))
        || (value.len() <= MOST && structural_end(value, 0) == Some(value.len()))
}

/// [`is_placeholder`], or a literal, type or name that no secret is.
pub(super) fn is_no_value(value: &[u8]) -> bool {
    if is_placeholder(value) {
        return true;
    }
    let bare = value.trim_ascii();
    let bare = bare
        .strip_prefix(b"&")
        .or(bare.strip_prefix(b"?"))
        .unwrap_or(bare);
    let bare = bare.strip_suffix(b"?").unwrap_or(bare);
    let inner = bare
        .strip_prefix(b"[")
        .and_then(|v| v.strip_suffix(b"]"))
        .unwrap_or(bare);
    one_of(inner, LITERALS) || one_of(bare, NAMES)
}

/// One byte repeated, as masks are: `****`, `xxxx`, `…`.
fn is_mask(value: &[u8]) -> bool {
    let first = at(value, 0).to_ascii_lowercase();
    let same = value.iter().all(|c| c.to_ascii_lowercase() == first);
    same && matches!(
        first,
        b'*' | b'x' | b'.' | b'-' | b'_' | b'?' | b'#' | b'<' | b'='
    ) || value
        .chunks(3)
        .all(|c| c == "…".as_bytes() || c == "•".as_bytes())
}

/// The end of the variable or template that starts at `i`.
pub(super) fn structural_end(b: &[u8], i: usize) -> Option<usize> {
    let one = at(b, i);
    let two = at(b, i + 1);
    match (one, two) {
        (b'$', b'{') if at(b, i + 2) == b'{' => closed(b, i + 3, b"}}", is_template),
        (b'$', b'{') => closed(b, i + 2, b"}", is_template),
        (b'{', b'{') => closed(b, i + 2, b"}}", is_template),
        (b'{', b'%') => closed(b, i + 2, b"%}", is_template),
        (b'#', b'{') => closed(b, i + 2, b"}", is_template),
        (b'{', _) => closed(b, i + 1, b"}", is_word),
        (b'<', _) => closed(b, i + 1, b">", is_description),
        (b'%', b'(') => closed(b, i + 2, b")", is_word).map(|end| end + 1),
        (b'%', b's' | b'd' | b'v' | b'q') if !is_word(at(b, i + 2)) => Some(i + 2),
        (b'%', _) => variable(b, i + 1)
            .filter(|&end| at(b, end) == b'%')
            .map(|end| end + 1),
        (b'$', _) => variable(b, i + 1),
        (b':', _) => {
            Some(run(b, i + 1, |c| c.is_ascii_lowercase() || c == b'_')).filter(|&end| end > i + 1)
        }
        _ => None,
    }
    .filter(|&end| end - i <= MOST)
}

/// `$NAME` and `$name`: letters and `_`, with digits only in capitals, since `$ecret1` is a password.
fn variable(b: &[u8], start: usize) -> Option<usize> {
    let start = if starts_ci(b, start, b"env:") {
        start + 4
    } else {
        start
    };
    let end = run(b, start, is_word);
    let name = part(b, start, end);
    let digits = name.iter().any(u8::is_ascii_digit);
    let small = name.iter().any(u8::is_ascii_lowercase);
    let value = name.is_empty() || at(name, 0).is_ascii_digit() || (digits && small);
    (!value).then_some(end)
}

/// The position behind `close`, if only bytes of `class`, at least one, stand before it.
fn closed(b: &[u8], start: usize, close: &[u8], class: fn(u8) -> bool) -> Option<usize> {
    let mut i = start;
    while i < b.len() && i - start <= MOST {
        if starts(b, i, close) {
            return (i > start).then(|| i + close.len());
        }
        if !class(at(b, i)) || matches!(at(b, i), b'\n' | b'\r') {
            return None;
        }
        i += 1;
    }
    None
}

/// What a template may hold without carrying a default value (`${NAME:-default}`).
fn is_template(c: u8) -> bool {
    is_word(c)
        || matches!(
            c,
            b' ' | b'.' | b'|' | b'"' | b'\'' | b'(' | b')' | b'[' | b']'
        )
}

/// What an angle bracket may hold: words, no digits.
fn is_description(c: u8) -> bool {
    c.is_ascii_alphabetic() || matches!(c, b' ' | b'_' | b'-' | b'.' | b'|' | b'\'' | b'/')
}
