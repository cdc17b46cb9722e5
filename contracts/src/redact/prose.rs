//! Which values behind a label are ordinary words, code, paths or links?
//!
//! `Password: must have 12 characters`, `token: Option<String>`, `secret = os.environ["X"]` name a secret
//! and give none. The lists are short on purpose: what they do not hold is redacted.

use super::bytes::{
    at, is_alnum, is_quote, is_space, is_word, looks_generated, one_of, part, run_within, starts,
    starts_ci,
};

/// Words that sentences and code put behind `label:`; no list of passwords holds a use for them.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "a", "absent", "accept", "accepts", "access", "added", "after", "all", "allow", "allowed", "already", "always", "an",
    "and", "another", "any", "are", "argument", "arguments", "as", "async", "at", "auth", "authentication",
    "authorization", "await", "bad", "be", "because", "been", "before", "being", "both", "broken", "but", "by", "can",
    "cannot", "case", "change", "changed", "changes", "check", "checks", "class", "config", "configuration", "configuration", "const",
    "could", "create", "created", "creates", "decoded", "delete", "deleted", "describe", "details", "did", "do", "does",
    "done", "during", "each", "either", "else", "encrypted", "ensure", "env", "environment", "error", "errors", "every",
    "exchange", "expect", "expected", "expiration", "expired", "expires", "expiry", "extract", "failed", "failure",
    "fetch", "field", "fields", "file", "files", "fix", "flag", "flags", "flow", "for", "format", "found", "from",
    "function", "generate", "generated", "generation", "get", "given", "grant", "handle", "handled", "handler",
    "handling", "has", "hash", "hashed", "hashes", "hashing", "have", "header", "headers", "help", "how", "id", "if",
    "implement", "in", "incorrect", "input", "invalid", "is", "issue", "issued", "issues", "it", "its", "key", "keys",
    "lambda", "leak", "leaked", "leaks", "length", "let", "limit", "limits", "load", "login", "logout", "long", "lookup",
    "make", "management", "manager", "may", "method", "might", "minimum", "missing", "mismatch", "mode", "more", "must",
    "name", "names", "need", "needed", "needs", "never", "new", "not", "now", "of", "one", "only", "option", "options",
    "or", "otherwise", "output", "parameter", "parameters", "parse", "parser", "parsing", "path", "policies", "policy",
    "prompt", "provide", "provided", "provider", "read", "reads", "redact", "redacted", "redaction", "refresh",
    "refreshed", "refreshes", "reject", "rejected", "remove", "removed", "replace", "request", "requests", "requires",
    "reset", "resets", "response", "return", "returned", "returns", "reuse", "revocation", "revoke", "revoked", "rotate",
    "rotated", "rotates", "rotation", "same", "scanning", "see", "self", "send", "sent", "server", "service", "session",
    "set", "sets", "setting", "settings", "shall", "should", "show", "signed", "size", "so", "some", "still", "storage",
    "store", "stored", "stores", "strength", "such", "support", "supported", "switch", "test", "tests", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too", "tokens", "type", "types",
    "unexpected", "until", "update", "updated", "use", "used", "user", "users", "uses", "using", "valid", "validate",
    "validated", "validation", "value", "values", "variable", "variables", "verification", "verify", "via", "was", "we",
    "were", "what", "when", "where", "whether", "which", "while", "who", "will",
];

/// More of the same: these came up in sentences about tests, messages and rules.
#[rustfmt::skip]
const MORE: &[&str] = &[
    "with", "without", "won't", "works", "would", "wrong", "you", "your", "our", "my", "his", "her", "don't", "doesn't",
    "isn't", "no-op", "also", "least", "most", "between", "up", "per",
];

/// First words of names that hold values in code (`self.token`, `process.env.TOKEN`).
#[rustfmt::skip]
const ROOTS: &[&str] = &[
    "app", "args", "argv", "cfg", "config", "context", "credentials", "crate", "ctx", "data", "env", "environ", "event",
    "form", "github", "input", "inputs", "local", "matrix", "opts", "options", "os", "params", "process", "props", "req",
    "request", "response", "result", "secrets", "self", "session", "settings", "state", "std", "steps", "super", "this",
    "user", "var",
];

/// Names of algorithms and formats: letters and digits, and no secret.
#[rustfmt::skip]
const TERMS: &[&str] = &[
    "aes", "argon2", "base16", "base32", "base58", "base62", "base64", "bcrypt", "blake2", "blake3", "chacha20",
    "cl100k", "curve25519", "ec2", "ed25519", "es256", "es384", "es512", "gpt2", "hmac", "hs256", "hs384", "hs512",
    "http", "iso", "k8s", "md5", "o200k", "oauth", "p256", "pbkdf2", "pkcs", "ps256", "rfc", "rs256", "scram", "sha", "utf",
    "x509",
];

/// Folders that absolute paths start with. Base64 may start with `/` too, so a bare `/` is not enough.
#[rustfmt::skip]
const TOP_FOLDERS: &[&str] = &[
    "app", "bin", "builds", "data", "dev", "etc", "home", "lib", "media", "mnt", "opt", "private", "proc", "root", "run",
    "secrets", "src", "srv", "sys", "tmp", "Users", "usr", "var", "vault", "Volumes", "workspace",
];

/// A path segment of this length with both cases and digits is taken for data.
const MIXED: usize = 10;
/// Longest code name looked at.
const MOST_NAME: usize = 128;

pub(super) fn is_common_word(value: &[u8]) -> bool {
    let end = value
        .iter()
        .rposition(|c| is_alnum(*c))
        .map_or(0, |last| last + 1);
    let word = part(value, 0, end);
    let rest = part(value, end, value.len());
    rest.iter()
        .all(|c| matches!(c, b'?' | b'!' | b')' | b'*' | b'.' | b','))
        && (one_of(word, COMMON) || one_of(word, MORE))
}

/// Is the first word of `value` a common one?
pub(super) fn starts_commonly(value: &[u8]) -> bool {
    is_common_word(value.split(|&c| is_space(c)).next().unwrap_or_default())
}

/// A name in capitals: usage texts write `--token TOKEN`, code `api_key=OPENAI_API_KEY`.
pub(super) fn is_metavariable(value: &[u8]) -> bool {
    value.iter().all(|&c| c.is_ascii_uppercase() || c == b'_')
}

/// Is `value` a path: relative with a dot, from the home folder, from a known top folder, or of a drive?
pub(super) fn is_path(value: &[u8]) -> bool {
    let plain = value
        .iter()
        .all(|&c| is_word(c) || matches!(c, b'/' | b'.' | b'-' | b'\\' | b':' | b'~' | b' '));
    let relative = [&b"./"[..], b"../", b"~/"]
        .iter()
        .any(|start| value.starts_with(start));
    let drive = at(value, 0).is_ascii_alphabetic()
        && at(value, 1) == b':'
        && matches!(at(value, 2), b'\\' | b'/');
    let top = value.strip_prefix(b"/").is_some_and(|rest| {
        let first = rest.split(|&c| c == b'/').next().unwrap_or_default();
        first.len() < rest.len() && TOP_FOLDERS.iter().any(|folder| folder.as_bytes() == first)
    });
    // Base64 holds slashes too; folders do not look like it.
    let mixed = value.split(|&c| matches!(c, b'/' | b'\\')).any(|segment| {
        segment.len() >= MIXED && looks_generated(segment, 1) && has_both_cases(segment)
    });
    plain && !mixed && (relative || drive || top)
}

fn has_both_cases(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase)
}

/// A call, an index, a generic type or a field of a known root at `start`; names with digits are values.
pub(super) fn is_code(b: &[u8], start: usize) -> bool {
    let start = start + usize::from(matches!(at(b, start), b'&' | b'*' | b'!' | b'@'));
    let end = run_within(b, start, MOST_NAME, |c| {
        c.is_ascii_alphabetic() || matches!(c, b'_' | b'.' | b':' | b'?' | b'!')
    });
    let name = part(b, start, end);
    if name.is_empty() || !at(name, 0).is_ascii_alphabetic() && at(name, 0) != b'_' {
        return false;
    }
    let dotted = name.contains(&b'.') || name.windows(2).any(|w| w == b"::");
    let close = match at(b, end) {
        b'(' | b'<' if dotted => return true,
        b'(' | b'[' | b'{' if name.ends_with(b"!") => return true,
        b'(' => b')',
        b'[' if dotted || one_of(name, ROOTS) => return true,
        b'<' if at(name, 0).is_ascii_uppercase() => b'>',
        _ => return is_field(b, name, end),
    };
    // A bracket that nothing closes, or that the value goes on behind, is part of a password.
    let reach = part(b, end + 1, end + 1 + MOST_NAME);
    let inside = reach
        .iter()
        .take_while(|&&c| c != b'\n' && c != close)
        .count();
    let behind = at(b, end + 2 + inside);
    at(b, end + 1 + inside) == close && !is_word(behind)
}

fn is_field(b: &[u8], name: &[u8], end: usize) -> bool {
    let next = at(b, end);
    let over = end >= b.len()
        || is_space(next)
        || is_quote(next)
        || matches!(next, b',' | b';' | b')' | b']' | b'}');
    let root = name.iter().position(|c| matches!(c, b'.' | b':' | b'?'));
    let typed = name.windows(2).any(|w| w == b"::") && !name.ends_with(b":");
    let rooted = root.is_some_and(|dot| dot + 1 < name.len() && one_of(part(name, 0, dot), ROOTS));
    over && (typed || rooted)
}

/// `API key: https://example.com/keys` tells where to get one. Behind `=` a URL is a value.
pub(super) fn is_public_url(b: &[u8], start: usize, tight: bool) -> bool {
    !tight && (starts_ci(b, start, b"http://") || starts_ci(b, start, b"https://"))
}

/// The length of the word that `b` starts with, if it looks generated and is no term, version, unit,
/// ticket or path.
pub(super) fn generated_word(b: &[u8], least: usize) -> Option<usize> {
    let end = run_within(b, 0, b.len(), |c| {
        !is_space(c)
            && !is_quote(c)
            && !matches!(
                c,
                b',' | b';' | b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'|'
            )
    });
    let word = part(b, 0, end);
    let tail = word
        .iter()
        .rev()
        .take_while(|c| matches!(c, b'.' | b':' | b'?' | b'!'))
        .count();
    let bare = part(word, 0, end - tail);
    let ordinary =
        is_term(bare) || is_version(bare) || is_unit(bare) || is_ticket(bare) || is_file(bare);
    let padding = bare.iter().rev().take_while(|c| **c == b'=').count();
    let assigns = part(bare, 0, bare.len() - padding).contains(&b'=');
    (looks_generated(bare, least) && !ordinary && at(bare, 0) != b'-' && !assigns)
        .then_some(bare.len())
}

/// `sha256`, `base64-encoded`, `RFC6749`: a term, digits, and words joined by hyphens.
pub(super) fn is_term(word: &[u8]) -> bool {
    TERMS.iter().any(|term| {
        starts_ci(word, 0, term.as_bytes()) && {
            let rest = part(word, term.len(), word.len());
            let digits = run_within(rest, 0, 6, |c| {
                c.is_ascii_digit() || matches!(c, b'-' | b'.' | b'_' | b':')
            });
            part(rest, digits, rest.len())
                .split(|c| matches!(c, b'-' | b'_' | b'/'))
                .all(|piece| {
                    piece.len() <= 10
                        && (piece.iter().all(u8::is_ascii_alphabetic)
                            || piece.iter().all(u8::is_ascii_digit))
                })
        }
    })
}

/// `v1.2.3`, `1.2.3-rc1`
fn is_version(word: &[u8]) -> bool {
    let digits = usize::from(matches!(at(word, 0), b'v' | b'V'));
    at(word, digits).is_ascii_digit() && word.len() <= 16 && word.contains(&b'.')
}

/// `30min`, `2fa`, `10-character`
fn is_unit(word: &[u8]) -> bool {
    let digits = run_within(word, 0, 9, |c| {
        c.is_ascii_digit() || matches!(c, b'-' | b'_')
    });
    let unit = part(word, digits, word.len());
    digits > 0 && unit.len() <= 12 && unit.iter().all(|c| c.is_ascii_lowercase() || *c == b'-')
}

/// `ABC-1234`, `CVE-2024-1234`, `GH#12`
fn is_ticket(word: &[u8]) -> bool {
    let letters = run_within(word, 0, 10, |c| c.is_ascii_uppercase());
    let rest = part(word, letters, word.len());
    letters > 0
        && matches!(at(rest, 0), b'-' | b'#')
        && rest
            .iter()
            .all(|c| c.is_ascii_digit() || matches!(c, b'-' | b'#'))
}

/// `src/auth/token2.rs`, `https://host/page1`: slashes with lower-case words, or a short ending.
fn is_file(word: &[u8]) -> bool {
    let ending = word
        .iter()
        .rposition(|&c| c == b'.')
        .map(|dot| part(word, dot + 1, word.len()));
    let named =
        ending.is_some_and(|e| (1..=5).contains(&e.len()) && e.iter().all(u8::is_ascii_lowercase));
    let slashed = word.contains(&b'/') && !word.iter().any(u8::is_ascii_uppercase);
    named || slashed || starts(word, 0, b"http")
}
