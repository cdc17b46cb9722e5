//! What does a client get that asks wrongly, and does the server outlive it?

use super::served::{Served, answers, failure, hello, line};
use super::{packet, served};
use crate::harness::{Dir, fixture};
use rmcp::model::ErrorCode;
use rmcp::service::ServiceError;
use serde_json::{Value, json};

/// The failure that the command prints, without the place in a file.
fn printed(dir: &Dir, args: &[&str]) -> Value {
    let run = dir.run(args.iter().chain(&["--json"]));
    assert_ne!(run.code, 0, "{run:?}");
    let mut error = run.json();
    for key in ["path", "line", "column"] {
        error["error"][key] = Value::Null;
    }
    error
}

#[test]
fn a_request_that_is_none_is_refused_as_the_command_refuses_it() {
    let dir = Dir::new();
    let (root, served) = served(&dir);
    let output = dir.arg("none.md");
    for request in [
        json!({}),
        json!({"objective": 7}),
        json!({"objective": "x", "maximum_context_tokens": 6000.5}),
        json!({"objective": "x", "maximum_context_tokens": 10}),
        json!({"objective": "x", "requirements": [null]}),
        json!({"objective": "x", "budget": 6000}),
        json!({"objective": "x", "schema_version": 2}),
        json!({"required_skills": ["postgres-migration"]}),
        json!({"required_skills": ["a"], "excluded_skills": ["a"]}),
        json!({"objective": "x".repeat(1024 * 1024)}),
    ] {
        let file = dir.request("bad.json", &request);
        let form = [
            "--skills",
            &root,
            "packet",
            "--request",
            &file,
            "--output",
            &output,
        ];
        let mut expected = printed(&dir, &form);
        if expected["error"]["code"] == "request_too_large" {
            // The command says so of the file, before it reads it.
            let bytes = request.to_string().len();
            expected["error"]["message"] =
                json!(format!("request is {bytes} bytes, more than 1048576"));
        }
        let result = served.call("compile_packet", request);
        assert_eq!(failure(&result), expected);
    }
    let result = served.call("explain_skill", json!({"skill": "x", "request": {}}));
    assert_eq!(failure(&result)["error"]["code"], "request_empty");
    let result = served.call("compile_packet", fixture::migration());
    assert_ne!(result.is_error, Some(true));
}

#[test]
fn other_tools_refuse_as_their_commands_do() {
    let dir = Dir::new();
    let (root, served) = served(&dir);
    let file = dir.request("request.json", &fixture::migration());
    let run = dir.run(["--skills", &root, "why", "no-such", "--request", &file]);
    let result = served.call(
        "explain_skill",
        json!({"skill": "no-such", "request": fixture::migration()}),
    );
    let said = failure(&result);
    assert_eq!(said["error"]["code"], "skill_unknown");
    assert!(
        run.expect(1)
            .stderr
            .contains(said["error"]["message"].as_str().unwrap())
    );
    for path in ["..", "/etc/passwd", "a\u{0}b"] {
        let result = served.call("may_read", json!({"path": path}));
        let said = failure(&result);
        if path.contains('\0') {
            assert_eq!(said["error"]["code"], "io");
        } else {
            let expected = printed(&dir, &["markers", "explain", path]);
            assert_eq!(said, expected);
        }
        assert!(!said.to_string().contains("etc"), "{said}");
    }
    for (tool, arguments, words) in [
        ("search_skills", json!({}), "missing field `query`"),
        (
            "search_skills",
            json!({"query": "x", "limit": 0}),
            "`limit`",
        ),
        ("search_skills", json!({"query": ["x"]}), "`query`"),
        (
            "explain_skill",
            json!({"skill": "x"}),
            "missing field `request`",
        ),
        (
            "explain_skill",
            json!({"skill": "x", "request": "y"}),
            "`request`",
        ),
        ("may_read", json!({"file": "x"}), "unknown field `file`"),
        ("may_read", json!({"path": ""}), "argument `path`"),
    ] {
        let said = failure(&served.call(tool, arguments));
        assert_eq!(said["error"]["code"], "usage", "{said}");
        let message = said["error"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{message}");
    }
    let long = json!({"query": "word ".repeat(300_000)});
    let said = failure(&served.call("search_skills", long));
    assert_eq!(said["error"]["code"], "request_too_large");
}

#[test]
fn an_unknown_tool_is_a_fault_of_the_protocol() {
    let dir = Dir::new();
    let (_, served) = served(&dir);
    let refused = served.try_call("compile", json!({})).unwrap_err();
    let ServiceError::McpError(error) = refused else {
        panic!("{refused}");
    };
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    assert!(
        error.message.contains("compile_packet"),
        "{}",
        error.message
    );
}

#[test]
fn an_index_that_is_not_there_is_a_failure_of_each_call() {
    let dir = Dir::new();
    let served = Served::new(&dir, &["mcp", "--index", "none"]);
    for _ in 0..2 {
        let result = served.call("search_skills", json!({"query": "x"}));
        assert_eq!(failure(&result)["error"]["code"], "index_missing");
    }
    let served = Served::new(&dir, &["--skills", "none", "mcp"]);
    let result = served.call("compile_packet", fixture::migration());
    assert_eq!(failure(&result)["error"]["code"], "skills_root");
    // It needs no skill.
    let result = served.call("may_read", json!({"path": "x"}));
    assert_ne!(result.is_error, Some(true));
}

/// A request names files only as words: a FIFO would hold up whoever opens it, and a secret file would tell its content.
#[test]
fn no_path_of_a_client_is_opened() {
    let dir = Dir::new();
    let (root, served) = served(&dir);
    let fifo = dir.at("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let fifo = fifo.to_str().unwrap();
    let mut request = fixture::migration();
    for field in ["paths", "target_files", "changed_files"] {
        request[field] = json!([fifo, "../../etc/passwd"]);
    }
    let result = served.call("compile_packet", request.clone());
    assert_eq!(super::text(&result), packet(&dir, &root, &request).0);
    for skill in [fifo, "../../etc/passwd", "/etc/passwd"] {
        let arguments = json!({"skill": skill, "request": request.clone()});
        let said = failure(&served.call("explain_skill", arguments));
        assert_eq!(said["error"]["code"], "skill_unknown");
    }
    let asked = served.call("may_read", json!({"path": "fifo"}));
    assert_eq!(asked.structured_content.unwrap()["readable"], true);
}

#[test]
fn lines_that_are_no_messages_are_outlived() {
    let dir = Dir::new();
    let call = json!({"name": "may_read", "arguments": {"path": "x"}});
    let mut input = hello().into_bytes();
    for garbage in [
        &b"{\n"[..],
        b"\xff\xfe\n",
        b"\n\n",
        b"[]\n",
        b"7\n",
        b"{\"jsonrpc\": \"2.0\", \"id\": 5, \"method\": \"tools/call\", \"params\": 7}\n",
        b"{\"jsonrpc\": \"2.0\", \"id\": 6, \"method\": \"no/such\"}\n",
    ] {
        input.extend_from_slice(garbage);
    }
    let deep = format!("{}\n", "[".repeat(100_000));
    input.extend_from_slice(deep.as_bytes());
    let text_arguments = json!({"name": "may_read", "arguments": "x"});
    input.extend_from_slice(line(7, "tools/call", text_arguments).as_bytes());
    input.extend_from_slice(line(8, "tools/call", call).as_bytes());
    let run = dir.run_with(input, ["--embedded", "mcp"]).expect(0);
    let answers = answers(&run.stdout);
    assert_eq!(answers[&8]["result"]["structuredContent"]["readable"], true);
    assert!(answers[&6]["error"].is_object(), "{answers:?}");
    assert_eq!(run.stderr, "");
}
