//! Every provider shape in every place where people paste one.
#![allow(clippy::unwrap_used, clippy::string_slice)]

use super::fakes::{BASE32, BASE62, BASE64, armour, assert_gone, letters, pem_body, providers};
use super::shapes::{LONGEST_PREFIX, rows};
use super::{contains_secret, redact};

/// Texts around a secret; `{}` is its place. All but the last three keep the kind of the shape.
const CONTEXTS: &[&str] = &[
    "{}",
    "Use {} to log in, then retry.",
    "It is {}.",
    "({})",
    "see `{}` and \u{201c}{}\u{201d}",
    "{\"value\":\"{}\"}",
    "{\"body\": \"{\\\"value\\\": \\\"{}\\\"}\"}",
    "line one\\n{}\\nline three",
    "setting: {}\nother: 1",
    "setting: '{}' # comment",
    "- {}",
    "SETTING={}\nOTHER=1\n",
    "export SETTING=\"{}\"",
    "curl -H 'X-Custom: {}' https://example.com",
    "https://example.com/cb?state={}&x=1",
    "https://example.com/cb%3Fstate%3D{}",
    "é{}é",
    "<td>{}</td>",
    "{},{}",
    "Authorization: Bearer {}",
    "https://example.com/?access_token={}&page=2",
    "API_TOKEN={}",
];

#[test]
fn every_provider_shape_goes_in_every_place() {
    for seed in 1..12 {
        for fake in providers(seed) {
            for context in CONTEXTS {
                let text = context.replace("{}", &fake.text);
                let clean = redact(&text);
                assert_gone(&clean, &fake.text, &text);
                assert!(contains_secret(&text));
                assert_eq!(redact(&clean), clean, "not idempotent: {text}");
                let bare = clean.contains(&format!("[redacted:{}]", fake.kind));
                assert!(
                    bare || context.contains("Bearer"),
                    "kind {} missing: {clean}",
                    fake.kind
                );
            }
        }
    }
}

#[test]
fn what_stands_around_a_shape_stays() {
    for fake in providers(7) {
        let text = format!(
            "Deploy with {} on host-1, then check commit 0a1b2c3.",
            fake.text
        );
        let expected = format!(
            "Deploy with [redacted:{}] on host-1, then check commit 0a1b2c3.",
            fake.kind
        );
        assert_eq!(redact(&text), expected);
    }
}

#[test]
fn webhooks_lose_their_path_and_keep_their_host() {
    let path = format!(
        "T{}/B{}/{}",
        letters(3, 8, BASE32),
        letters(4, 10, BASE32),
        letters(5, 24, BASE62)
    );
    let text = format!(
        "post to https://hooks.slack{}{path} daily",
        ".com/services/"
    );
    assert_eq!(
        redact(&text),
        "post to https://hooks.slack.com/services/[redacted:slack] daily"
    );
}

#[test]
fn the_token_of_a_bot_goes_out_of_its_address() {
    let token = format!("{}:A{}", "4839574812", letters(5, 34, BASE62));
    let text = format!("curl https://api.telegram.org/bot{token}/getMe");
    assert_eq!(
        redact(&text),
        "curl https://api.telegram.org/bot[redacted:provider]/getMe"
    );
    let text = format!("chat%20{token}, \\u0022{token}\\u0022");
    assert_eq!(
        redact(&text),
        "chat%20[redacted:provider], \\u0022[redacted:provider]\\u0022"
    );
}

#[test]
fn the_secret_half_of_an_amazon_key_pair_goes_beside_its_id() {
    let id = format!("{}{}", "AKIA", letters(8, 16, BASE32));
    let secret = letters(9, 40, BASE64);
    for text in [
        format!("Access key ID,Secret access key\n{id},{secret}\n"),
        format!("{id} / {secret}"),
        format!("[default]\naws_access_key_id = {id}\naws_secret_access_key = {secret}\n"),
        format!("{secret} belongs to {id}"),
    ] {
        let clean = redact(&text);
        assert_gone(&clean, &secret, &text);
        assert_gone(&clean, &id, &text);
    }
}

#[test]
fn documentation_examples_are_redacted_too() {
    let id = format!("{}IOSFODNN7{}", "AKIA", "EXAMPLE");
    assert_eq!(redact(&id), "[redacted:aws-access-key]");
}

fn folds(lines: &[String]) -> Vec<String> {
    vec![
        lines.join("\n"),
        lines.join("\r\n"),
        lines.join("\\n"),
        lines.join("\\\\n"),
        lines.join(" "),
        lines
            .iter()
            .map(|l| format!("    {l}"))
            .collect::<Vec<_>>()
            .join("\n"),
        lines
            .iter()
            .map(|l| format!("> {l}"))
            .collect::<Vec<_>>()
            .join("\n"),
        lines
            .iter()
            .map(|l| format!("\"{l}\\n\" +"))
            .collect::<Vec<_>>()
            .join("\n"),
        lines
            .iter()
            .map(|l| format!("\"{l}\","))
            .collect::<Vec<_>>()
            .join("\n"),
    ]
}

#[test]
fn private_keys_go_whole_folded_or_cut() {
    for (seed, algorithm) in ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "]
        .into_iter()
        .enumerate()
    {
        let body = pem_body(seed as u64 + 1, 6);
        let begin = armour("BEGIN", algorithm);
        let end = armour("END", algorithm);
        let whole = [
            std::slice::from_ref(&begin),
            &body,
            std::slice::from_ref(&end),
        ]
        .concat();
        let no_end = &whole[..whole.len() - 1];
        let no_begin = &whole[1..];
        for lines in [&whole[..], no_end, no_begin, &whole[..3]] {
            for folded in folds(lines) {
                for text in [
                    folded.clone(),
                    format!("The key is\n{folded}\nand stays private."),
                    format!("{{\"key\": \"{folded}\", \"id\": 7}}"),
                    format!("key: |\n{folded}\nid: 7"),
                ] {
                    let clean = redact(&text);
                    for line in lines.iter().filter(|l| body.contains(l)) {
                        assert_gone(&clean, line, &text);
                    }
                    assert!(clean.contains("[redacted:private-key]"), "{clean}");
                    assert_eq!(redact(&clean), clean);
                }
            }
        }
    }
}

#[test]
fn prose_around_a_private_key_stays() {
    let key = [
        &[armour("BEGIN", "RSA ")],
        &pem_body(3, 4)[..],
        &[armour("END", "RSA ")],
    ]
    .concat()
    .join("\n");
    let text = format!("Before it.\n{key}\nAfter it.");
    assert_eq!(
        redact(&text),
        "Before it.\n[redacted:private-key]\nAfter it."
    );
    let cut = [&[armour("BEGIN", "RSA ")], &pem_body(3, 4)[..]]
        .concat()
        .join("\n");
    let text = format!("Before it.\n{cut}\nAfter it comes more.");
    assert_eq!(
        redact(&text),
        "Before it.\n[redacted:private-key]\nAfter it comes more."
    );
    let text = format!("key: |\n{cut}\nuser: bob");
    assert_eq!(redact(&text), "key: |\n[redacted:private-key]\nuser: bob");
    let encrypted = cut.replacen(
        '\n',
        "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00AA\n\n",
        1,
    );
    assert_eq!(redact(&encrypted), "[redacted:private-key]");
}

#[test]
fn public_keys_and_certificates_stay() {
    let body = pem_body(2, 3).join("\n");
    let text = format!(
        "-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n-----BEGIN PUBLIC KEY-----\n{body}"
    );
    assert_eq!(redact(&text), text);
}

#[test]
fn base64_of_a_private_key_goes() {
    let encoded = format!(
        "{}{}",
        "LS0tLS1CRUdJTiBS", "U0EgUFJJVkFURSBLRVktLS0tLQpNSUlF"
    );
    let text = format!("data: {encoded}{} end", letters(5, 80, BASE62));
    assert_eq!(redact(&text), "data: [redacted:private-key] end");
}

#[test]
fn credentials_of_urls_go_and_the_host_stays() {
    let token = letters(6, 20, BASE62);
    for (url, expected) in [
        (
            "postgres://app:hunter2@db.local:5432/main",
            "postgres://[redacted:url-credentials]@db.local:5432/main",
        ),
        (
            "redis://:hunter2@cache",
            "redis://[redacted:url-credentials]@cache",
        ),
        (
            "https://bob:p%40ss@example.com/x?y=z",
            "https://[redacted:url-credentials]@example.com/x?y=z",
        ),
        (
            "mongodb+srv://u:a@b@c.example.net",
            "mongodb+srv://[redacted:url-credentials]@c.example.net",
        ),
        (
            "amqp://u:pa/ss#wo@rd@mq.local/v",
            "amqp://[redacted:url-credentials]@rd@mq.local/v",
        ),
        (
            "mysql://root:pa/ssword@db/x",
            "mysql://[redacted:url-credentials]@db/x",
        ),
    ] {
        if url.contains("@rd@") {
            // The last `@` before the white space is the one in question.
            assert_gone(&redact(url), "pa/ss#wo", url);
            continue;
        }
        assert_eq!(redact(url), expected);
        assert_eq!(
            redact(&format!("DATABASE_URL=\"{url}\"")),
            format!("DATABASE_URL=\"{expected}\"")
        );
        assert_eq!(redact(&format!("(see {url})")), format!("(see {expected})"));
    }
    let text = format!("git clone https://{token}@example.com/a/b.git");
    assert_eq!(
        redact(&text),
        "git clone https://[redacted:url-credentials]@example.com/a/b.git"
    );
}

#[test]
fn rows_are_grouped_by_their_first_byte() {
    let firsts: Vec<u8> = rows().iter().map(|prefix| prefix.as_bytes()[0]).collect();
    assert!(
        firsts.is_sorted(),
        "the index by first byte needs sorted rows"
    );
    assert!(firsts.iter().all(u8::is_ascii));
    assert_eq!(
        rows().iter().map(|prefix| prefix.len()).max(),
        Some(LONGEST_PREFIX)
    );
}

#[test]
fn a_secret_glued_to_a_name_by_an_underscore_goes() {
    for secret in [
        format!("AK{}", "IAIOSFODNN7ABCDEFG"),
        format!("sk_{}", "live_0123456789abcdefABCDEFGH"),
        format!("AI{}", "zaSyA0123456789abcdefghijABCDEFGHIJ012"),
        format!("sk-{}", "ant-api03-0123456789abcdefghijABCDEFGHIJ"),
    ] {
        let text = format!("backup_{secret}");
        let clean = super::redact(&text);
        assert!(!clean.contains(&secret), "{clean}");
        assert!(clean.starts_with("backup_[redacted:"), "{clean}");
    }
}
