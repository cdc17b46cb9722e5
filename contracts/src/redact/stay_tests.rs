//! What is no secret stays, byte for byte.
#![allow(clippy::unwrap_used, clippy::string_slice)]

use super::fakes::{BASE62, BASE64, HEX, letters};
use super::{contains_secret, redact};
use std::borrow::Cow;

fn stays(text: &str) {
    assert_eq!(redact(text), text);
    assert!(matches!(redact(text), Cow::Borrowed(_)));
    assert!(!contains_secret(text));
}

#[test]
fn ordinary_sentences_stay() {
    for text in [
        "",
        "rotate the access token when the password policy changes",
        "Rotate API keys and client secrets every 90 days; store the password hash with argon2id.",
        "Password: must have at least 12 characters.",
        "The password is required, and the token is valid for 15 minutes.",
        "token: expired",
        "Token: the value that the server returns",
        "unexpected token: foo123bar in JSON at position 5",
        "Unexpected token 'x9y8z7' in JSON at position 5",
        "error: invalid token: expected `;`",
        "fix(token): refresh before expiry",
        "Add --token support and a --password flag to the CLI.",
        "usage: tool --token <TOKEN> [--password PASSWORD_FILE] --api-key \"$API_KEY\"",
        "Sign tokens with HS256 and RS256; token base64-encoded, secret sha256 digest.",
        "the bearer token must be sent as a Bearer authentication header",
        "Bearer tokens are rotated",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer tokens must expire",
        "Basic authentication is off, Basic HTTP2 support",
        "the token is \"invalid or expired\", the password is \"required\"",
        "Cookie: consent banner must be shown",
        "API key: https://example.com/account/keys",
        "The secretary of the tokenizer team passed the passport to the passenger.",
        "password protected archives, secret santa, token ring",
        "compass: north, bypass: none, pass: 12, fail: 3",
        "see PROJ-1234 for the token PROJ-1234 and CVE-2024-12345",
        "token v1.2.3 and password v2",
        "a token lasts 30min, token 24hours",
        "der Schlüssel ist geheim, 密码策略, пароль",
    ] {
        stays(text);
    }
}

#[test]
fn names_that_hold_a_secret_word_stay() {
    for text in [
        "token_count=42",
        "max_tokens: 6000",
        "maximum_context_tokens: 6000, token_estimate=12",
        "tokens: 128000",
        "max_token=5",
        "tokenizer: o200k_base",
        "tokenizer=cl100k_base",
        "token_type: Bearer1234",
        "eos_token: \"<|endoftext9|>\"",
        "next_page_token=CAUQAA12",
        "password_field_name=user_pw1",
        "password_policy: strict2024",
        "password_min_length=12",
        "POSTGRES_PASSWORD_FILE=/run/secrets/pg9",
        "secretName: web-tls-2024",
        "secret_scanning: enabled2",
        "secretary: alice99",
        "public_key=ssh-ed25519-abc123",
        "primary_key: id1",
        "cache_key=abc123def456",
        "SharedAccessKeyName=RootManage1",
        "<task-notification>",
        "<token>",
        "</task-notification> <task-id>abc123</task-id>",
        "oauth: provider2go",
        "[\"authorization\", \"x-api-key\", \"password\", \"api_key2\", \"scram-sha-256\"]",
        "app.RequireAuthorization(\"AdminOnly\")",
    ] {
        stays(text);
    }
}

#[test]
fn placeholders_stay() {
    for text in [
        "password:",
        "password=",
        "password=\"\"",
        "password: ''",
        "password: <placeholder>",
        "password=<your password here>",
        "api_key=${API_KEY}",
        "api_key=\"${API_KEY_2}\"",
        "token: ${{ secrets.NPM_TOKEN2 }}",
        "token=$TOKEN",
        "token=\"$GITHUB_TOKEN\"",
        "password={{ db_password }}",
        "password: '{{ .Values.db.password }}'",
        "PASSWORD=%DB_PASSWORD%",
        "password = None",
        "\"password\": null,",
        "secret: true",
        "token=undefined;",
        "password=********",
        "password: xxxxxxxx",
        "api_key: ...",
        "TOKEN=$(cat token.txt)",
        "TOKEN=\"$(cat token.txt)\"",
        "https://user:${PASSWORD}@example.com/x",
        "https://<user>:<password>@example.com/x",
        "https://user:***@example.com",
        "curl -u \"$USER:$PASSWORD\" https://example.com",
        "password=[redacted:labelled]",
        "{\"password\": \"[redacted:labelled]\"}",
        "Authorization: Bearer [redacted:bearer]",
        "[redacted:private-key]: abc123def456",
    ] {
        stays(text);
    }
}

#[test]
fn code_that_names_secrets_stays() {
    for text in [
        "struct Login { password: String, token: Option<String> }",
        "interface Login { password: string; token?: string }",
        "fn login(password: &str, secret: SecretString)",
        "password VARCHAR(255), token TEXT",
        "token = get_token(user)",
        "password = os.environ[\"DB_PASSWORD\"]",
        "const token = process.env.API_TOKEN;",
        "connect(password=self.password, token=token)",
        "secret: config.secret",
        "let token = await fetchToken();",
        "token.count == 3",
        "Token::new(secret)",
        "\"password\": {\"type\": \"string\"}",
        "{{token}}",
        "private_key: ./keys/deploy9.pem",
        "token: /var/run/secrets/k8s/token",
        "npm_config_registry=https://registry.example.com",
    ] {
        stays(text);
    }
}

#[test]
fn digests_and_ids_stay() {
    let commit = letters(1, 40, HEX);
    let digest = letters(2, 64, HEX);
    for text in [
        commit.clone(),
        format!("fixed in commit {commit}"),
        format!("sha256:{digest}"),
        format!("corpus_sha256={digest}"),
        "123e4567-e89b-12d3-a456-426614174000".to_owned(),
        "session 123e4567-e89b-12d3-a456-426614174000 failed".to_owned(),
        format!("\"integrity\": \"sha512-{}==\"", letters(3, 86, BASE64)),
    ] {
        stays(&text);
    }
}

#[test]
fn near_misses_of_shapes_stay() {
    for text in [
        "task-list-of-things-that-must-be-done-today",
        "risk-assessment-of-the-payment-service-2024",
        "sk-learn and sk-SK, sk-assessment-of-risks-in-2024-q3",
        "eyJ",
        "eyJhbGciOiJIUzI1NiJ9",
        "npm_config_registry npm_lifecycle_event npm_package_version",
        "AKIA and ASIA, ASIAPACIFIC, AKIA1234",
        "ghp_ and gho_, glpat- and xoxb-",
        "sk_test_ keys, risk_test_environment_names",
        "AIza, ya29., whsec_",
        "-----BEGIN PUBLIC KEY-----",
        "github_pat_ is a prefix",
        "user@example.com, ssh git@github.com:org/repo",
        "ssh://git@github.com/org/repo.git",
        "https://example.com/@user/post",
        "https://example.com:8443/@scope/pkg?email=a@b.c",
        "http://[::1]:8080/x@y",
        "https://example.com/a:b@c",
        "docker run -u 1000:1000 -p 8080:80 image",
        "git push -u origin main:main",
        "src/auth/token.rs:42: missing password",
        "C:\\Users\\bob\\secret.txt",
        "SKU and SKIP, SK-SK, ASK0123456789",
        "10:00:00 and 20261130:Added, host:65535:A, 12345678:9012",
        "1796067062928:Artifact 1796067062:A",
        "20261130:Added-the-tenant-to-every-invoice, 20261130:Added-a-tenant-to-all-the-invoices",
        "the password\u{200b} and the token\u{feff}, password\u{200b}s",
    ] {
        stays(text);
    }
}

#[test]
fn what_is_as_long_as_no_key_stays() {
    for seed in 1..8 {
        let digits = letters(seed, 9, "123456789");
        for text in [
            // The id of an account of Twilio's, a key cut or lengthened, the same inside a word.
            format!("AC{}", letters(seed, 32, HEX)),
            format!("SK{}", letters(seed, 31, HEX)),
            format!("SK{}", letters(seed, 33, HEX)),
            format!("DESK{}", letters(seed, 32, HEX)),
            // Too few and too many digits, too short and too long a rest, another first letter.
            format!("1234567:A{}", letters(seed, 34, BASE62)),
            format!("12{digits}:A{}", letters(seed, 34, BASE62)),
            format!("{digits}:A{}", letters(seed, 33, BASE62)),
            format!("{digits}:A{}", letters(seed, 35, BASE62)),
            format!("{digits}:b{}", letters(seed, 34, BASE62)),
            format!("{digits}: A{}", letters(seed, 34, BASE62)),
        ] {
            stays(&text);
        }
    }
}
