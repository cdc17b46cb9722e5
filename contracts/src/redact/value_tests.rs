//! Labelled values, headers, flags and JSON.
#![allow(clippy::unwrap_used, clippy::string_slice)]

use super::fakes::{BASE62, BASE64, assert_gone, letters};
use super::{redact, redact_json};
use serde_json::json;

/// Texts around a labelled secret; `{}` is its place.
const LABELLED: &[&str] = &[
    "api_key={}",
    "apiKey: {}",
    "API-KEY = {}",
    "api key: {}",
    "access key id: {}",
    "\"password\": \"{}\"",
    "{\"password\":\"{}\",\"user\":\"bob\"}",
    "'secret' => '{}'",
    ":secret => \"{}\"",
    "{\\\"password\\\": \\\"{}\\\", \\\"id\\\": 7}",
    "{\\\\\\\"password\\\\\\\": \\\\\\\"{}\\\\\\\"}",
    "password is {}",
    "the password was '{}'",
    "change the password to {} now",
    "password {} does not work",
    "ALTER USER bob WITH PASSWORD '{}';",
    "CREATE USER bob IDENTIFIED BY '{}'",
    "--token {}",
    "--token={}",
    "tool -password {} --verbose",
    "tool --api-key '{}' --verbose",
    "tool --token \\\n  {} \\\n  --verbose",
    "[\"--token\", \"{}\"]",
    "AWS_SECRET_ACCESS_KEY={}",
    "export DB_PASSWORD='{}'",
    "- DB_PASS={}",
    "docker run -e DB_PASSWORD={} image",
    "${DB_PASSWORD:-{}}",
    "Authorization: Bearer {}",
    "Authorization: Basic {}",
    "authorization: token {}",
    "Authorization: {}",
    "Authorization: Custom {}",
    "Proxy-Authorization: Basic {}",
    "\"Authorization\": \"Bearer {}\"",
    "headers[\"Authorization\"] = \"Bearer {}\"",
    "curl -H 'Authorization: Bearer {}' https://example.com",
    "curl -H \"x-api-key: {}\" https://example.com",
    "curl -H x-api-key:{} https://example.com",
    "Authorization: AWS4-HMAC-SHA256 Credential=abc/2024, SignedHeaders=host, Signature={}",
    "send Bearer {} along",
    "Cookie: theme=dark; session={}; lang=en",
    "Set-Cookie: sid={}; Path=/; HttpOnly; Expires=Wed, 21 Oct 2026 07:28:00 GMT",
    "curl --cookie 'sid={}' https://example.com",
    "curl -u bob:{} https://example.com",
    "curl -ubob:{} https://example.com",
    "curl --user 'bob:{}' https://example.com",
    "sshpass -p {} ssh host",
    "mysql -uroot -p{} db",
    "redis-cli -a {} ping",
    "docker login -u bob -p {} registry",
    "machine example.com login bob password {}",
    "db:\n  password: {}\n  user: bob",
    "password: \"{}\" # rotate",
    "password: |\n    {}\nuser: bob",
    "password:\n    {}\nuser: bob",
    "\"password\":\n    \"{}\"",
    "Server=db;User Id=bob;Password={};Database=x",
    "https://example.com/?access_token={}&page=2",
    "https://example.com/x?a=1&amp;api_key={}&amp;b=2",
    "https://blob.example.com/c?sv=2024&sig={}",
    "client_secret%3D{}",
    "<password>{}</password>",
    "<ns:apiKey>{}</ns:apiKey>",
    "<add key=\"DbPassword\" value=\"{}\"/>",
    "<input name=\"password\" value=\"{}\">",
    "- name: DB_PASSWORD\n  value: {}",
    "{\"name\": \"API_TOKEN\", \"value\": \"{}\"}",
    "| password | {} |",
    "**Password:** {}",
    "`token`: `{}`",
    "headers.set(\"x-api-key\", \"{}\")",
    "password = b\"{}\"",
    "password := \"{}\"",
    "if password == \"{}\" {",
    "os.environ[\"API_KEY\"] = \"{}\"",
    "//registry.example.com/:_authToken={}",
    "\"auth\": \"{}\"",
    "password\u{ff1a}{}",
    "failed:\\npassword={}\\nuser=bob",
    "\"api_keys\": [\"{}\", \"{}\"]",
    "passphrase: {}",
    "AccountKey={};EndpointSuffix=core.windows.net",
    "spring.datasource.password={}",
    "PGPASSWORD={} psql -h db",
    "mySecretKey2 = '{}'",
    "password_prod: {}",
    "VENDOR_KEY={}",
    "_auth = {}",
    "curl -b sid={} https://example.com",
    "curl -b 'a=1; sid={}' https://example.com",
    "http -a bob:{} GET example.com",
    "api key `{}`",
    "token '{}' is invalid",
    "the secret is \"open {} sesame\"",
    "passphrase \"correct horse {}\"",
    "&quot;password&quot;:&quot;{}&quot;",
    "%22password%22%3A%22{}%22",
    "password\\u003d{}",
    "\\u0022password\\u0022:\\u0022{}\\u0022",
    "sent Basic {} along",
    "client.setPassword(\"{}\")",
    "password - {}",
    "the password ({}) works",
    "the password is: {}",
    "secret {}==",
];

#[test]
fn labelled_values_go() {
    for seed in 1..8 {
        for template in LABELLED {
            let secret = format!("{}7x", letters(seed, 22, BASE62));
            let text = template.replace("{}", &secret);
            let clean = redact(&text);
            assert_gone(&clean, &secret, &text);
            assert_eq!(redact(&clean), clean, "not idempotent: {text}");
        }
    }
}

#[test]
fn short_and_plain_passwords_go_behind_a_sign() {
    for secret in [
        "hunter2",
        "swordfish",
        "Passw0rd!",
        "correct-horse",
        "p@ss",
        "12345678",
        "ab$c1",
        "abc/def",
        "ünï-cödé9",
    ] {
        for template in [
            "password={}",
            "password: {}",
            "password = \"{}\"",
            "db_password: '{}'",
            "--password {}",
            "DB_PASSWORD={}",
            "<password>{}</password>",
        ] {
            let text = template.replace("{}", secret);
            let expected = template.replace("{}", "[redacted:labelled]");
            assert_eq!(redact(&text), expected, "{text}");
        }
    }
}

#[test]
fn characters_without_width_hide_no_sign() {
    for mark in [
        "\u{200b}",
        "\u{200d}",
        "\u{feff}",
        "\u{ad}\u{2060}",
        "\\u200b",
        "\\uFEFF",
    ] {
        for template in [
            "password_=hunter2",
            "password_ = hunter2",
            "password _: hunter2",
            "\"password_\": \"hunter2\"",
        ] {
            let text = template.replace('_', mark);
            let clean = redact(&text);
            assert_eq!(clean, text.replace("hunter2", "[redacted:labelled]"));
        }
    }
}

#[test]
fn a_value_ends_where_it_ends() {
    for (text, expected) in [
        (
            "password=hunter2, user=bob",
            "password=[redacted:labelled], user=bob",
        ),
        (
            "password=hunter2,user=bob",
            "password=[redacted:labelled],user=bob",
        ),
        ("password=hun,ter2 x", "password=[redacted:labelled] x"),
        ("(password: hunter2) x", "(password: [redacted:labelled]) x"),
        ("{password: hunter2}", "{password: [redacted:labelled]}"),
        ("password=hunter2.", "password=[redacted:labelled]."),
        (
            "password=\"a \\\" b\" x",
            "password=\"[redacted:labelled]\" x",
        ),
        ("password='it''s' x", "password='[redacted:labelled]' x"),
        (
            "?token=abc1&user=bob#top",
            "?token=[redacted:labelled]&user=bob#top",
        ),
        (
            "password=\"unclosed hunter2\nnext",
            "password=\"[redacted:labelled]\nnext",
        ),
        (
            "&quot;password&quot;:&quot;hunter2&quot;,&quot;user&quot;:1",
            "&quot;password&quot;:&quot;[redacted:labelled]&quot;,&quot;user&quot;:1",
        ),
        (
            "DB_PASSWORD=a,b;c)d \"e",
            "DB_PASSWORD=[redacted:labelled] \"e",
        ),
        (
            "passphrase: correct horse battery\nnext",
            "passphrase: [redacted:labelled]\nnext",
        ),
        (
            "password=[redacted:labelled]hunter2",
            "password=[redacted:labelled]",
        ),
        ("password=[redacted:hunter2]", "password=[redacted:hunter2]"),
        (
            "Cookie: a=1x; b=2y",
            "Cookie: a=[redacted:cookie]; b=[redacted:cookie]",
        ),
        (
            "Set-Cookie: sid=9z; Path=/; Secure",
            "Set-Cookie: sid=[redacted:cookie]; Path=/; Secure",
        ),
        (
            "curl -u bob:hunter2 x",
            "curl -u bob:[redacted:user-password] x",
        ),
        (
            "Authorization: Basic Ym9iOmh1",
            "Authorization: Basic [redacted:basic]",
        ),
        (
            "Authorization: Bearer abcdefgh9",
            "Authorization: Bearer [redacted:bearer]",
        ),
    ] {
        assert_eq!(redact(text), expected);
    }
}

#[test]
fn folded_values_go_whole() {
    let lines: Vec<String> = (1..5).map(|seed| letters(seed, 64, BASE64)).collect();
    for text in [
        format!("secret={}", lines.join("\\\n")),
        format!("secret={}", lines.join("\\\n    ")),
        format!("secret: {}\nuser: bob", lines.join("\n  ")),
        format!("secret: \"{}\"", lines.join("\n")),
        format!("secret: |\n  {}\nuser: bob", lines.join("\n  ")),
        format!("secret: >-\n  {}\n\nuser: bob", lines.join("\n\n  ")),
        format!("secret = \"\"\"\n{}\n\"\"\"", lines.join("\n")),
        format!("secret = \"{}\";", lines.join("\" +\n  \"")),
        format!("export SECRET={}", lines.join("\\\n")),
    ] {
        let clean = redact(&text);
        for line in &lines {
            assert_gone(&clean, line, &text);
        }
        assert_eq!(redact(&clean), clean);
        assert!(!text.contains("bob") || clean.contains("bob"), "{clean}");
    }
}

#[test]
fn json_is_redacted_by_structure() {
    let mut value = json!({
        "title": "password=hunter2 in the log",
        "db": {"password": "swordfish", "user": "bob", "port": 5432, "pin": null},
        "token": 42,
        "client_secret": ["one", "two"],
        "args": ["run", "--token", "plainword", "--verbose", "--password", "--x"],
        "env": [{"name": "DB_PASSWORD", "value": "swordfish"}, {"name": "HOST", "value": "db"}],
        "credentials": {"user": "bob", "value": "abc123def"},
        "api_key": 12345678,
        "secret": true,
        "max_tokens": 6000,
        "access_token": "${TOKEN}",
        "key hunter password=hunter2": "x",
    });
    redact_json(&mut value);
    let expected = json!({
        "title": "password=[redacted:labelled] in the log",
        "db": {"password": "[redacted:labelled]", "user": "bob", "port": 5432, "pin": null},
        "token": 42,
        "client_secret": ["[redacted:labelled]", "[redacted:labelled]"],
        "args": ["run", "--token", "[redacted:labelled]", "--verbose", "--password", "--x"],
        "env": [{"name": "DB_PASSWORD", "value": "[redacted:labelled]"}, {"name": "HOST", "value": "db"}],
        "credentials": {"user": "bob", "value": "[redacted:labelled]"},
        "api_key": "[redacted:labelled]",
        "secret": true,
        "max_tokens": 6000,
        "access_token": "${TOKEN}",
        "key hunter password=[redacted:labelled]": "x",
    });
    assert_eq!(value, expected);
    redact_json(&mut value);
    assert_eq!(value, expected);
}

#[test]
fn json_keys_that_become_equal_lose_no_field() {
    let mut value = json!({"password=hunter2": 1, "password=hunter3": 2});
    redact_json(&mut value);
    assert_eq!(
        value,
        json!({"password=[redacted:labelled]": 1, "password=[redacted:labelled] 2": 2})
    );
}
