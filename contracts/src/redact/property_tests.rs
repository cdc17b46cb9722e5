//! Laws that hold for every text.
#![allow(clippy::unwrap_used, clippy::string_slice)]

use super::fakes::{assert_gone, providers};
use super::marker::TEXT;
use super::{contains_secret, redact, redact_json};
use proptest::prelude::*;

/// Pieces that texts around secrets are made of; random sequences of them reach states that nobody writes.
const FRAGMENTS: &[&str] = &[
    "password",
    "token",
    "api_key",
    "secret",
    "passphrase",
    "tokens",
    "auth",
    "Authorization",
    "Bearer",
    "Basic",
    "Cookie",
    "Set-Cookie",
    "DB_PASSWORD",
    "--token",
    "--password",
    "-u",
    "-p",
    "curl",
    "sshpass",
    "mysql",
    "docker",
    "export",
    "name",
    "value",
    "key",
    "id",
    "private",
    "access",
    "is",
    "the",
    "must",
    "unexpected",
    "login",
    "bob",
    "hunter2",
    "abc123def456",
    "x9",
    "42",
    "null",
    "true",
    "=",
    ":",
    "::",
    ":=",
    "=>",
    "==",
    " = ",
    ": ",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\n  ",
    "\\n",
    "\\\n",
    "\\",
    "\\\"",
    "\\\\\\\"",
    "\"",
    "'",
    "`",
    "\"\"",
    "''",
    "\"\"\"",
    ",",
    ";",
    ".",
    "&",
    "?",
    "#",
    "|",
    "|\n  ",
    ">",
    "<",
    "</",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "${",
    "$",
    "{{",
    "}}",
    "%",
    "%3D",
    "%20",
    "*",
    "**",
    "-",
    "--",
    "-----",
    "_",
    "@",
    "://",
    "https://",
    "user:pw1@",
    "/",
    "+",
    "é",
    "…",
    "：",
    "\u{201c}",
    "\u{0}",
    "[redacted:labelled]",
    "[redacted:private-key]",
    "[redacted:",
    "redacted:",
    "labelled]",
    "BEGIN",
    "END",
    "PRIVATE KEY",
    "RSA ",
    "path=/",
    "eyJ",
    "sk-",
    "sk-ant-",
    "AKIA",
    "npm_",
    "1//0",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
    "AAAA=",
    "0123456789abcdef0123456789abcdef01234567",
];

fn fragments() -> impl Strategy<Value = String> {
    let fixed = proptest::sample::select(FRAGMENTS).prop_map(str::to_owned);
    let random = "[A-Za-z0-9]{1,24}";
    let fake = (1u64..1000, any::<proptest::sample::Index>()).prop_map(|(seed, index)| {
        let all = providers(seed);
        all[index.index(all.len())].text.clone()
    });
    let piece = prop_oneof![12 => fixed, 2 => random, 1 => fake];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn laws(text: &str) {
    let clean = redact(text);
    assert_eq!(redact(&clean), clean, "not idempotent: {text:?}");
    assert!(!contains_secret(&clean));
    assert_eq!(contains_secret(text), clean != text);
    assert_eq!(redact(text), clean, "not deterministic");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn laws_hold_for_any_text(text in any::<String>()) {
        laws(&text);
    }

    #[test]
    fn laws_hold_for_texts_of_fragments(text in fragments()) {
        laws(&text);
    }

    #[test]
    fn passes_settle(text in fragments()) {
        let clean = redact(&text);
        prop_assert_ne!(clean.as_ref(), format!("[redacted:{TEXT}]"));
    }

    #[test]
    fn provider_secrets_go_between_any_fragments(
        before in fragments(),
        after in fragments(),
        seed in 1_000_000u64..2_000_000,
        which in any::<proptest::sample::Index>(),
        gap in proptest::sample::select(&[" ", "\n", "\"", "(", "=", ",", "\\n", "："][..]),
    ) {
        let fakes = providers(seed);
        let secret = &fakes[which.index(fakes.len())].text;
        let text = format!("{before}{gap}{secret}{gap}{after}");
        // The fragments hold fakes too, with the same prefixes.
        assert_gone(&redact(&text), &secret[secret.len() - 16..], &text);
    }

    #[test]
    fn labelled_secrets_go_behind_any_text(
        before in fragments(),
        secret in "[A-Za-z0-9][A-Za-z0-9+/_.!%-]{2}[a-z][0-9][A-Za-z0-9+/_!%-]{8}[a-z]",
        label in proptest::sample::select(&["password", "apiKey", "db_token", "CLIENT_SECRET", "x-api-key"][..]),
        sign in proptest::sample::select(&["=", ": ", " = ", "=\"", "\": \""][..]),
    ) {
        let text = format!("{before}\n{label}{sign}{secret}");
        assert_gone(&redact(&text), &secret, &text);
    }

    #[test]
    fn json_redaction_is_idempotent(key in fragments(), text in fragments(), other in any::<String>()) {
        let mut once = serde_json::json!({ key: [text.clone(), { "password": other, "list": ["--token", text] }] });
        redact_json(&mut once);
        let mut twice = once.clone();
        redact_json(&mut twice);
        prop_assert_eq!(once, twice);
    }
}
