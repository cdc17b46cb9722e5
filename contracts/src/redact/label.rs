//! Which words announce a secret?
//!
//! The rule is *head-final*: a label is secret by its last word. `github_token`, `dbPassword` and
//! `AWS_SECRET_ACCESS_KEY` are labels; `token_count`, `password_policy`, `secretName`, `tokenizer` and
//! `secretary` are not. Case and the separators `_`, `-`, `.` and one blank do not matter. Endings that
//! only qualify the value (`_prod`, `_new`, `2`) are taken off first.

use super::bytes::{at, is_alnum, is_blank, part, run_back};

/// What kind of thing the label names; some rules differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noun {
    /// A password: short, chosen by people.
    Password,
    /// A phrase of several words.
    Passphrase,
    /// A token: in prose also a unit of text, so that plain numbers stay.
    Token,
    /// A key or any other secret.
    Key,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) noun: Noun,
    /// Zero: any value is secret. Else the value must look generated and have so many bytes.
    pub(super) least: usize,
}

/// Length that a value must have where the label alone is weak evidence: plurals (`tokens`), `auth`, ….
const WEAK: usize = 16;
/// `auth` holds base64 of `user:password`, 12 bytes for the shortest real ones.
const WEAK_AUTH: usize = 12;
/// `pass` is also a test result: `pass: 12ms`.
const WEAK_PASS: usize = 6;

/// Stems without separators, the head last; the first that the label ends with decides.
const STEMS: &[(&str, Noun, usize)] = &[
    ("password", Noun::Password, 0),
    ("passwd", Noun::Password, 0),
    ("passphrase", Noun::Passphrase, 0),
    ("passcode", Noun::Password, 0),
    ("passwort", Noun::Password, 0),
    ("pwd", Noun::Password, 0),
    ("pword", Noun::Password, 0),
    ("passwordconfirmation", Noun::Password, 0),
    ("passwordconfirm", Noun::Password, 0),
    ("passwordagain", Noun::Password, 0),
    ("secret", Noun::Key, 0),
    ("secretkeybase", Noun::Key, 0),
    ("credential", Noun::Key, 0),
    ("mnemonicphrase", Noun::Passphrase, 0),
    ("seedphrase", Noun::Passphrase, 0),
    ("recoveryphrase", Noun::Passphrase, 0),
    ("token", Noun::Token, 0),
    ("bearer", Noun::Token, 8),
    ("apikey", Noun::Key, 0),
    ("apikeyid", Noun::Key, 0),
    ("accesskey", Noun::Key, 0),
    ("accesskeyid", Noun::Key, 0),
    ("secretkey", Noun::Key, 0),
    ("privatekey", Noun::Key, 0),
    ("authkey", Noun::Key, 0),
    ("signingkey", Noun::Key, 0),
    ("signaturekey", Noun::Key, 0),
    ("encryptionkey", Noun::Key, 0),
    ("encryptkey", Noun::Key, 0),
    ("decryptionkey", Noun::Key, 0),
    ("accountkey", Noun::Key, 0),
    ("masterkey", Noun::Key, 0),
    ("servicekey", Noun::Key, 0),
    ("servicerolekey", Noun::Key, 0),
    ("sharedkey", Noun::Key, 0),
    ("storagekey", Noun::Key, 0),
    ("sessionkey", Noun::Key, 0),
    ("deploykey", Noun::Key, 0),
    ("sshkey", Noun::Key, 0),
    ("adminkey", Noun::Key, 0),
    ("subscriptionkey", Noun::Key, 0),
    ("consumerkey", Noun::Key, 0),
    ("hmackey", Noun::Key, 0),
    ("webhookkey", Noun::Key, 0),
    ("rsakey", Noun::Key, 0),
    ("aeskey", Noun::Key, 0),
    ("jwtkey", Noun::Key, 0),
    ("licensekey", Noun::Key, WEAK_PASS),
    ("integrationkey", Noun::Key, WEAK_PASS),
    ("functionkey", Noun::Key, WEAK),
    ("clientkey", Noun::Key, WEAK),
    ("serverkey", Noun::Key, WEAK),
    ("hostkey", Noun::Key, WEAK),
    ("appkey", Noun::Key, WEAK),
    ("applicationkey", Noun::Key, WEAK),
    ("keydata", Noun::Key, WEAK),
    ("keymaterial", Noun::Key, WEAK),
    ("keybase64", Noun::Key, WEAK),
    ("passwordhash", Noun::Password, WEAK),
    ("passwords", Noun::Password, WEAK_PASS),
    ("secrets", Noun::Key, WEAK),
    ("tokens", Noun::Token, WEAK),
    ("credentials", Noun::Key, WEAK_PASS),
    ("creds", Noun::Key, WEAK_PASS),
    ("cred", Noun::Key, WEAK_PASS),
    ("apikeys", Noun::Key, WEAK_PASS),
    ("accesskeys", Noun::Key, WEAK_PASS),
    ("privatekeys", Noun::Key, WEAK),
    ("secretkeys", Noun::Key, WEAK_PASS),
    ("sharedaccesssignature", Noun::Key, WEAK),
    ("amzsignature", Noun::Key, WEAK),
    ("amzcredential", Noun::Key, WEAK),
    ("requirepass", Noun::Password, 0),
    // `openssl -passin pass:…`
    ("passin", Noun::Password, 0),
    ("passout", Noun::Password, 0),
    ("masterauth", Noun::Password, 0),
    ("auth", Noun::Key, WEAK_AUTH),
    ("authcode", Noun::Key, WEAK_AUTH),
];

/// Accounts whose `pass` is a password whatever it looks like; a bare `pass` is also a test result.
const PASS_OWNERS: &[&str] = &[
    "admin", "auth", "basic", "cert", "database", "db", "email", "ftp", "http", "key", "login",
    "mail", "mysql", "pg", "postgres", "proxy", "redis", "root", "smtp", "ssh", "user",
];

/// Heads that end in `token` and name text, cursors or colours.
const PLAIN_TOKENS: &[&str] = &[
    "bostoken",
    "cancellationtoken",
    "clstoken",
    "colortoken",
    "continuationtoken",
    "currenttoken",
    "designtoken",
    "endtoken",
    "eostoken",
    "firsttoken",
    "lasttoken",
    "masktoken",
    "maxtoken",
    "mintoken",
    "nexttoken",
    "numtoken",
    "pagetoken",
    "padtoken",
    "paginationtoken",
    "pertoken",
    "prevtoken",
    "septoken",
    "specialtoken",
    "starttoken",
    "stoptoken",
    "synctoken",
    "unktoken",
];

/// Endings that say which of several values it is, longest first where one ends another.
const QUALIFIERS: &[&str] = &[
    "production",
    "prod",
    "development",
    "dev",
    "testing",
    "test",
    "staging",
    "stage",
    "sandbox",
    "live",
    "value",
    "val",
    "string",
    "raw",
    "plaintext",
    "plain",
    "old",
    "new",
    "current",
    "previous",
    "primary",
    "secondary",
    "backup",
    "default",
    "base64",
    "b64",
    "encoded",
    "override",
    "fallback",
];

/// Most bytes of one word of a label; longer words are data.
const MOST_WORD: usize = 24;

/// Reads the word that ends at `end` as a label; `start` is where its run of label bytes begins.
pub(super) fn label_at(b: &[u8], start: usize, end: usize) -> Option<Label> {
    // Only the last words count, so a long run costs no more than a short one.
    let near = start.max(end.saturating_sub(4 * MOST_WORD));
    let name = part(b, near, end);
    if let Some(label) = classify(name) {
        return Some(label);
    }
    // Prose writes `api key` and `access key id` with blanks.
    if !name.eq_ignore_ascii_case(b"key")
        && !name.eq_ignore_ascii_case(b"id")
        && !name.eq_ignore_ascii_case(b"phrase")
    {
        return None;
    }
    let mut wide = start;
    for _ in 0..2 {
        if !is_blank(at(b, wide.wrapping_sub(1))) {
            break;
        }
        let word = run_back(b, wide - 1, MOST_WORD, u8_is_alphabetic);
        if word + 1 == wide {
            break;
        }
        wide = word;
        if let Some(label) = classify(part(b, wide, end)) {
            return Some(label);
        }
    }
    None
}

fn u8_is_alphabetic(c: u8) -> bool {
    c.is_ascii_alphabetic()
}

/// Reads a whole object key as a label.
pub(super) fn classify(name: &[u8]) -> Option<Label> {
    let mut name = name;
    for _ in 0..4 {
        if let Some(label) = by_stem(name) {
            return Some(label);
        }
        name = without_qualifier(name)?;
    }
    None
}

fn by_stem(name: &[u8]) -> Option<Label> {
    let last = last_letter(name);
    let (noun, least) = match STEMS
        .iter()
        .filter(|(stem, ..)| ends_with_letter(stem, last))
        .filter_map(|(stem, noun, least)| Some((stem_start(name, stem)?, stem, noun, least)))
        .max_by_key(|(_, stem, _, _)| stem.len())
    {
        // npm keeps credentials under this name.
        Some(_) if name == b"_auth" => (Noun::Key, 0),
        // `oauth` and `needs_auth` are methods; only the word itself is a field for credentials.
        Some((start, &"auth", ..)) if !is_word_start(name, start) => return None,
        Some((start, &("cred" | "creds"), ..)) if !is_word_start(name, start) => return None,
        Some((_, _, noun, least)) => (*noun, *least),
        None => return pass(name),
    };
    if noun == Noun::Token
        && PLAIN_TOKENS
            .iter()
            .any(|plain| stem_start(name, plain).is_some())
    {
        return None;
    }
    Some(Label { noun, least })
}

/// `pass` needs a word boundary (`bypass`, `compass`) or an owner before it.
fn pass(name: &[u8]) -> Option<Label> {
    let start = stem_start(name, "pass")?;
    let owner = part(name, 0, start);
    let owned = PASS_OWNERS
        .iter()
        .any(|word| stem_start(owner, word).is_some());
    if !owned && !is_word_start(name, start) {
        return None;
    }
    // `DB_PASS` in capitals is a variable of the environment.
    let variable = start > 0 && !name.iter().any(u8::is_ascii_lowercase);
    Some(Label {
        noun: Noun::Password,
        least: if owned || variable { 0 } else { WEAK_PASS },
    })
}

/// The last byte of `name` that is no separator, in lower case.
fn last_letter(name: &[u8]) -> u8 {
    name.iter()
        .rev()
        .find(|c| !is_separator(**c))
        .map_or(0, u8::to_ascii_lowercase)
}

/// A cheap filter before [`stem_start`]: most words end with none of the letters that stems end with.
fn ends_with_letter(stem: &str, letter: u8) -> bool {
    stem.as_bytes().last() == Some(&letter)
}

/// Where `stem` starts in `name`, if `name` ends with it, without regard to case and separators.
fn stem_start(name: &[u8], stem: &str) -> Option<usize> {
    let mut i = name.len();
    for &wanted in stem.as_bytes().iter().rev() {
        while i > 0 && is_separator(at(name, i - 1)) {
            i -= 1;
        }
        if i == 0 || at(name, i - 1).to_ascii_lowercase() != wanted {
            return None;
        }
        i -= 1;
    }
    Some(i)
}

fn is_separator(c: u8) -> bool {
    matches!(c, b'_' | b'-' | b'.' | b' ' | b'\t')
}

/// Does a word of `name` start at `i`: at its beginning, behind a separator or at a camel hump?
fn is_word_start(name: &[u8], i: usize) -> bool {
    i == 0
        || !is_alnum(at(name, i - 1))
        || (at(name, i).is_ascii_uppercase() && !at(name, i - 1).is_ascii_uppercase())
}

/// `name` without one qualifying ending or its trailing digits.
fn without_qualifier(name: &[u8]) -> Option<&[u8]> {
    let digits = name
        .iter()
        .rev()
        .take_while(|c| c.is_ascii_digit() || is_separator(**c))
        .count();
    let last = last_letter(name);
    let mut qualifiers = QUALIFIERS
        .iter()
        .filter(|word| ends_with_letter(word, last));
    let word = qualifiers.find_map(|word| {
        let start = stem_start(name, word)?;
        (start > 0 && is_word_start(name, start)).then_some(start)
    });
    let end = match word {
        Some(start) => start,
        None if digits > 0 => name.len() - digits,
        None => return None,
    };
    (end > 0).then(|| part(name, 0, end))
}
