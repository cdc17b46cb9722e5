//! Does a secret in a request reach anything that is written or printed?

use crate::harness::{Dir, fixture};
use serde_json::{Value, json};
use vibey_context_contracts::canonical::compact;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::redact::contains_secret;
use vibey_context_contracts::request::Request;

/// Letters for fakes, drawn by a multiplicative generator: the same for the same seed.
fn letters(seed: u64, len: usize, alphabet: &str) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..len)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            alphabet[(state >> 33) as usize % alphabet.len()]
        })
        .collect()
}

const BASE62: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const DIGITS: &str = "0123456789";

/// One text for every shape, and the part of it that is secret. Put together here: no file holds one in a piece.
fn secrets() -> Vec<(&'static str, String, String)> {
    let word = |seed, len| letters(seed, len, BASE62);
    let whole = |kind, parts: &[&str], body: String| {
        let text = format!("{}{body}", parts.concat());
        (kind, text, body)
    };
    let key = [
        format!("-----BEGIN {} KEY-----", "RSA PRIVATE"),
        word(1, 64),
        word(2, 64),
        format!("-----END {} KEY-----", "RSA PRIVATE"),
    ];
    let mut all = vec![
        whole("aws", &["AK", "IA"], letters(3, 16, CAPITALS)),
        whole("github classic", &["gh", "p_"], word(4, 36)),
        whole("github server", &["gh", "s_"], word(5, 36)),
        whole(
            "github fine-grained",
            &["github", "_pat_"],
            format!("{}_{}", word(6, 22), word(7, 59)),
        ),
        whole("gitlab", &["gl", "pat-"], word(8, 20)),
        whole(
            "slack",
            &["xo", "xb-"],
            format!(
                "{}-{}-{}",
                letters(9, 11, DIGITS),
                letters(10, 12, DIGITS),
                word(11, 24)
            ),
        ),
        whole("stripe", &["sk_", "live_"], word(12, 24)),
        whole("google", &["AI", "za"], word(13, 35)),
        whole("openai", &["sk", "-proj-"], word(14, 60)),
        whole("anthropic", &["sk", "-ant-", "api03-"], word(15, 93)),
        whole("npm", &["np", "m_"], word(16, 36)),
        whole("pypi", &["py", "pi-", "AgEIcHlwaS5vcmc"], word(17, 70)),
        whole(
            "jwt",
            &["ey", "J"],
            format!(
                "{}.ey{}{}.{}",
                word(18, 33),
                "J",
                word(19, 40),
                word(20, 43)
            ),
        ),
    ];
    all.push(("pem", key.join("\n"), key[1].clone()));
    for (kind, before, after) in [
        ("labelled", "api_key=", ""),
        ("labelled json", "{\"password\": \"", "\"}"),
        ("bearer", "Authorization: Bearer ", ""),
        ("url", "https://deploy:", "@example.org/repo.git"),
    ] {
        let body = word(21 + all.len() as u64, 28);
        all.push((kind, format!("{before}{body}{after}"), body));
    }
    all
}

/// Every text field of a request, with `text` in it.
fn requests(text: &str) -> Vec<(&'static str, Value)> {
    let mut all = Vec::new();
    for field in [
        "title",
        "objective",
        "phase",
        "job_kind",
        "prior_failure_class",
        "error_summary",
    ] {
        let mut request = fixture::migration();
        let before = request[field].as_str().unwrap_or_default().to_owned();
        request[field] = json!(format!("{before} {text}"));
        all.push((field, request));
    }
    for field in [
        "requirements",
        "acceptance_criteria",
        "languages",
        "dependencies",
        "paths",
        "commands",
        "target_files",
        "changed_files",
        "required_plugins",
        "excluded_plugins",
        "required_skills",
        "excluded_skills",
    ] {
        let mut request = fixture::migration();
        request[field] = json!([text]);
        all.push((field, request));
    }
    all
}

/// Fails where a run of eight bytes of `secret`, in any case (words are folded before they are matched), is in `bytes`.
#[track_caller]
fn assert_gone(bytes: &[u8], secret: &str, context: &str) {
    let folded = bytes.to_ascii_lowercase();
    let secret = secret.to_ascii_lowercase();
    for piece in secret.as_bytes().windows(8) {
        assert!(
            !folded.windows(piece.len()).any(|window| window == piece),
            "{context}: a part of the secret is left"
        );
    }
}

/// Runs `packet` with the request and looks at everything that it wrote or printed.
fn look(dir: &Dir, request: &Value, secret: &str, context: &str) -> i32 {
    let path = dir.request("request.json", request);
    let form = [
        "packet",
        "--request",
        &path,
        "--index",
        "index",
        "--output",
        "out.md",
        "--timings",
        "times.json",
    ];
    let run = dir.run(form);
    assert_gone(run.stdout.as_bytes(), secret, context);
    assert_gone(run.stderr.as_bytes(), secret, context);
    for file in dir.files_below("") {
        if file.ends_with("request.json") {
            continue;
        }
        // The corpus does not change, and reading it again for every field would take minutes.
        if file.starts_with(dir.at("corpus")) {
            continue;
        }
        assert_gone(&std::fs::read(&file).unwrap(), secret, context);
    }
    run.code
}

#[test]
fn no_secret_of_any_shape_leaves_the_request() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    for (kind, text, secret) in secrets() {
        assert!(contains_secret(&text), "{kind} is not recognised");
        // All fields at once that do not restrict; one process for each shape.
        let mut request = fixture::migration();
        for (field, one) in requests(&text) {
            if !field.starts_with("required") {
                request[field] = one[field].clone();
            }
        }
        let code = look(&dir, &request, &secret, kind);
        assert_eq!(
            code, 0,
            "{kind}: the rest of the request still finds its skill"
        );
    }
}

#[test]
fn no_field_is_forgotten() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    let (kind, text, secret) = secrets().swap_remove(1);
    for (field, request) in requests(&text) {
        let code = look(&dir, &request, &secret, &format!("{kind} in {field}"));
        let expected = i32::from(field.starts_with("required"));
        assert_eq!(code, expected, "{field}");
    }
}

#[test]
fn errors_about_a_request_do_not_repeat_its_secrets() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    for (kind, text, secret) in secrets() {
        for request in [
            json!({"required_skills": [text], "excluded_skills": [text]}),
            json!({"required_plugins": [text], "excluded_plugins": [text]}),
            json!({"objective": "x", text.clone(): 1}),
            json!({"objective": "x", "ranking_mode": text}),
            json!({"objective": "x", "maximum_context_tokens": text}),
            json!({"objective": "x", "schema_version": text}),
            json!({"objective": "x", "requirements": text}),
            json!({"objective": {"a": text}}),
        ] {
            let context = format!("{kind}: {}", request.to_string().replace(&secret, "…"));
            assert_eq!(look(&dir, &request, &secret, &context), 1, "{context}");
        }
        let ignored = json!({"title": "postgres migration with a backfill", text.clone(): 1, "compatibility_mode": "forward-1"});
        assert_eq!(look(&dir, &ignored, &secret, kind), 0, "{kind}");
    }
}

#[test]
fn every_command_that_reads_a_request_keeps_its_secrets() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    let (_, text, secret) = secrets().swap_remove(1);
    let plain = dir.request("plain.json", &fixture::migration());
    dir.run([
        "packet",
        "--request",
        &plain,
        "--index",
        "index",
        "--output",
        "p.md",
    ])
    .expect(0);
    let mut request = fixture::migration();
    request["objective"] = json!(format!("a backfill of a column, with {text}"));
    request["requirements"] = json!([text]);
    let path = dir.request("request.json", &request);
    for args in [
        vec![
            "why",
            "postgres-migrations",
            "--request",
            &path,
            "--index",
            "index",
        ],
        vec![
            "reproduce",
            "--manifest",
            "p.json",
            "--request",
            &path,
            "--index",
            "index",
        ],
    ] {
        let run = dir.run(&args);
        assert_gone(run.stdout.as_bytes(), &secret, args[0]);
        assert_gone(run.stderr.as_bytes(), &secret, args[0]);
        assert!(run.stdout.len() > 20, "{}", run.stderr);
    }
}

#[test]
fn what_only_looks_like_a_secret_stays_in_the_digest() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    for text in [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke the postgres migration backfill",
        "job 7c1e0f52-94d3-4b8a-a6de-2f5b90c7d318 runs the postgres migration backfill",
        "token_count=42 after the postgres migration backfill",
        "<task-notification> the postgres migration backfill of a column is done",
        "the password prompt of psql stops the postgres migration backfill",
    ] {
        let path = dir.request("request.json", &json!({"objective": text}));
        dir.run([
            "packet",
            "--request",
            &path,
            "--index",
            "index",
            "--output",
            "p.md",
        ])
        .expect(0);
        // The request as it was written, with its defaults and nothing replaced.
        let request = Request {
            schema_version: 1,
            objective: text.to_owned(),
            ..Request::default()
        };
        assert_eq!(
            dir.json("p.json")["query_sha256"],
            request.query_sha256().unwrap(),
            "{text}"
        );
        // And the digest is what the specification says, not merely what the type computes.
        let mut value = serde_json::to_value(&request).unwrap();
        value
            .as_object_mut()
            .unwrap()
            .remove("maximum_context_tokens");
        assert!(value.to_string().contains("postgres migration backfill"));
        assert_eq!(
            sha256_hex(compact(&value).unwrap().as_bytes()),
            request.query_sha256().unwrap()
        );
    }
}

#[test]
fn two_requests_that_differ_only_in_a_secret_are_one_request() {
    let dir = Dir::new();
    fixture::indexed(&dir);
    let digest = |seed| {
        let secret = ["gh", "p_", &letters(seed, 36, BASE62)].concat();
        let objective = format!("postgres migration backfill, token {secret}, of a column");
        let path = dir.request("request.json", &json!({"objective": objective}));
        dir.run([
            "packet",
            "--request",
            &path,
            "--index",
            "index",
            "--output",
            "p.md",
        ])
        .expect(0);
        (dir.bytes("p.md"), dir.bytes("p.json"))
    };
    assert!(
        digest(1) == digest(2),
        "the secret takes part in the result"
    );
}
