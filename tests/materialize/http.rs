//! What becomes of links to web servers, whatever they answer?

use super::rig::Rig;
use super::web::{Web, moved, ok, response, take, wait};
use std::io::Write as _;

/// `compressed text` and a line end, by gzip.
const GZIP: [u8; 36] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 206, 207, 45, 40, 74, 45, 46, 78, 77, 81, 40, 73, 173, 40,
    225, 2, 0, 23, 125, 101, 71, 16, 0, 0, 0,
];

/// Eleven MiB of one letter, by gzip.
const BOMB: &[u8] = include_bytes!("../fixtures/eleven-mib.txt.gz");

const MIB: usize = 1024 * 1024;

/// One link with role `spec`, which is never cut with `--consumer full`.
fn one(uri: &str) -> Rig {
    let rig = Rig::new();
    rig.links(&[(uri, "spec")]);
    rig
}

#[track_caller]
fn content_of(web: &Web, path: &str) -> String {
    let made = one(&web.url(path)).make_local(&["--consumer", "full"]);
    made.content()
}

#[track_caller]
fn reason_of(web: &Web, path: &str) -> String {
    let uri = web.url(path);
    one(&uri).make_local(&["--timeout", "2"]).reason(&uri)
}

#[test]
fn content_is_given_by_its_type() {
    let web = Web::start(|request| match request.path.as_str() {
        "/text" => ok("text/plain", "plain\n"),
        "/markdown" => ok("text/markdown", "---\ntitle: T\n---\n# H\n\nBody.\n"),
        "/html" => ok(
            "text/html; charset=utf-8",
            "<html><head><title>A page</title></head><body><h2>H</h2><p>One <em>two</em>.</p></body></html>",
        ),
        "/json" => ok("application/json", "{\"a\": 1}\n"),
        "/yaml" => ok("application/yaml", "---\na: 1\n"),
        "/pdf" => ok("application/pdf", b"%PDF-1.7 \xff\xfe"),
        "/image" => ok("image/png", b"\x89PNG\r\n"),
        "/gzip" => response(
            "200 OK",
            "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n",
            GZIP,
        ),
        "/latin" => ok("text/plain; charset=iso-8859-1", b"caf\xe9"),
        "/wrong" => ok("text/plain; charset=utf-8", b"caf\xe9"),
        "/mislabelled" => ok("text/plain; charset=shift_jis", b"\xe2\x80\x93 dash"),
        "/untyped" => response("200 OK", "", "untyped"),
        _ => response("404 Not Found", "", ""),
    });
    for (path, content) in [
        ("/text", "plain\n"),
        ("/markdown", "# H\n\nBody.\n"),
        ("/html", "## H\n\nOne *two*.\n"),
        ("/json", "{\"a\": 1}\n"),
        ("/yaml", "---\na: 1\n"),
        ("/pdf", "[application/pdf, 11 bytes: not shown]\n"),
        ("/image", "[image/png, 6 bytes: not shown]\n"),
        ("/gzip", "compressed text\n"),
        ("/latin", "café"),
        ("/wrong", "caf\u{fffd}"),
        ("/mislabelled", "– dash"),
        ("/untyped", "untyped"),
    ] {
        assert_eq!(content_of(&web, path), content, "{path}");
    }
    let made = one(&web.url("/html")).make_local(&[]);
    assert!(made.text.contains("\n## A page\n"), "{}", made.text);
    let made = one(&web.url("/wrong")).make_local(&[]);
    assert!(made.warnings().contains("encoding"), "{}", made.warnings());
    let pdf = one(&web.url("/pdf")).make_local(&[]);
    assert_eq!(pdf.entry(&web.url("/pdf"))["status"], "resolved");
    assert_eq!(pdf.entry(&web.url("/pdf"))["bytes"], 11);
}

#[test]
fn statuses_and_networks_fail_by_name() {
    let web = Web::raw(|request, mut stream| {
        let mut send = |bytes: &[u8]| {
            let _ = stream.write_all(bytes);
        };
        match request.path.as_str() {
            // Closing with an unread request resets the connection.
            "/reset" => {}
            "/slow-headers" => wait_after(stream),
            "/slow-body" => {
                send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
                wait_after(stream);
            }
            "/short" => {
                take(&mut stream);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
            }
            "/garbage" => {
                take(&mut stream);
                let _ = stream.write_all(b"\x00\x01 not http\r\n\r\n");
            }
            "/500" => {
                take(&mut stream);
                let _ = stream.write_all(&response("500 Internal Server Error", "", "oops"));
            }
            _ => {
                take(&mut stream);
                let _ = stream.write_all(&response("404 Not Found", "", "gone"));
            }
        }
    });
    for (path, reason) in [
        ("/gone", "http 404"),
        ("/500", "http 500"),
        ("/slow-headers", "timeout"),
        ("/slow-body", "timeout"),
        ("/reset", "network-error: connection-reset"),
        ("/short", "network-error: body-incomplete"),
        ("/garbage", "network-error: no-response"),
    ] {
        assert_eq!(reason_of(&web, path), reason, "{path}");
    }
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    for (uri, reason) in [
        (
            format!("http://127.0.0.1:{closed}/"),
            "network-error: connection-refused",
        ),
        (
            "http://no-such-host.invalid/".to_owned(),
            "network-error: dns",
        ),
        ("http://[nonsense/".to_owned(), "network-error: invalid-url"),
        (no_tls(), "network-error: tls"),
    ] {
        let made = one(&uri).make_local(&[]);
        assert_eq!(made.reason(&uri), reason, "{uri}");
    }
}

/// A link to a server that does not speak TLS.
fn no_tls() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("https://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            wait(stream);
        }
    });
    uri
}

/// Reads the request and waits until the client gives up.
fn wait_after(mut stream: std::net::TcpStream) {
    take(&mut stream);
    wait(stream);
}

#[test]
fn five_redirects_are_followed_and_six_are_not() {
    let web = Web::start(|request| {
        let left: u32 = request.path.trim_start_matches('/').parse().unwrap();
        match left {
            0 => ok("text/plain", "here"),
            left => moved(&format!("/{}", left - 1)),
        }
    });
    assert_eq!(content_of(&web, "/5"), "here");
    assert_eq!(reason_of(&web, "/6"), "network-error: too-many-redirects");
    let made = one(&web.url("/5")).make_local(&[]);
    assert_eq!(made.entry(&web.url("/5"))["source"], web.url("/0"));
    assert_eq!(made.warnings(), "", "the host has not changed");
}

#[test]
fn redirects_elsewhere_are_judged_at_every_hop() {
    let other = Web::text("elsewhere");
    let elsewhere = other.url("/x");
    let web = Web::start(move |request| match request.path.as_str() {
        "/other" => moved(&elsewhere),
        "/link-local" => moved("http://169.254.169.254/latest/meta-data/"),
        "/mapped" => moved("http://[::ffff:169.254.169.254]/"),
        "/number" => moved("http://2852039166/"),
        "/file" => moved("file:///etc/passwd"),
        _ => moved("http://[broken"),
    });
    let uri = web.url("/other");
    let made = one(&uri).make_local(&[]);
    assert_eq!(made.content(), "elsewhere");
    assert!(
        made.warnings().contains("redirected to another host"),
        "{}",
        made.warnings()
    );
    for (path, reason) in [
        ("/link-local", "network-error: address-refused"),
        ("/mapped", "network-error: address-refused"),
        ("/number", "network-error: address-refused"),
        ("/file", "network-error: scheme-refused"),
        ("/broken", "network-error: invalid-redirect"),
    ] {
        assert_eq!(reason_of(&web, path), reason, "{path}");
    }
}

#[test]
fn this_machine_is_reached_only_where_that_is_allowed() {
    let web = Web::text("inside");
    for host in [
        "127.0.0.1",
        "localhost",
        "[::ffff:127.0.0.1]",
        "[::ffff:0:127.0.0.1]",
        "[64:ff9b:1::127.0.0.1]",
        "0x7f.1",
    ] {
        let uri = format!("http://{host}:{}/", web.port);
        let made = one(&uri).make(&[]);
        assert_eq!(made.reason(&uri), "network-error: private-address");
        assert!(
            made.warnings().contains("--allow-private-network"),
            "{host}"
        );
    }
    assert_eq!(web.requests().len(), 0);
}

#[test]
fn bodies_are_cut_at_ten_mebibytes_even_after_decompression() {
    let web = Web::raw(|request, mut stream| {
        take(&mut stream);
        if request.path == "/bomb" {
            let headers = "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n";
            let _ = stream.write_all(&response("200 OK", headers, BOMB));
            return;
        }
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
        let line = [b'x'; 4096];
        let mut sent = stream.write_all(head);
        while sent.is_ok() {
            sent = stream.write_all(&line);
        }
    });
    for path in ["/endless", "/bomb"] {
        let uri = web.url(path);
        let made = one(&uri).make_local(&["--consumer", "full"]);
        assert_eq!(made.content().len(), 10 * MIB, "{path}");
        assert_eq!(made.entry(&uri)["bytes"], 10 * MIB);
        assert!(
            made.warnings().contains("was cut at 10485760 bytes"),
            "{path}"
        );
    }
}

#[test]
fn who_asks_is_written_nowhere_and_told_to_nobody_else() {
    let other = Web::text("elsewhere");
    let elsewhere = other.url("/");
    let web = Web::start(move |request| match request.path.as_str() {
        "/a" => ok("text/plain", "mine"),
        _ => moved(&elsewhere),
    });
    let secret = |path: &str| format!("http://ana:s3cr3tpassw0rd@127.0.0.1:{}{path}", web.port);
    let rig = Rig::new();
    rig.links(&[(&secret("/a"), "spec"), (&secret("/b"), "spec")]);
    let run = rig
        .run(&["--allow-private-network", "--verbosity", "verbose"])
        .expect(0);
    let made = rig.make_local(&["--refresh"]);
    assert!(
        web.requests()[0]
            .head
            .to_lowercase()
            .contains("authorization: basic")
    );
    for request in other.requests() {
        assert!(!request.head.to_lowercase().contains("authorization"));
    }
    for text in [
        &made.text,
        &made.manifest.to_string(),
        &run.stdout,
        &run.stderr,
    ] {
        assert!(
            !text.contains("s3cr3tpassw0rd") && !text.contains("ana:"),
            "{text}"
        );
    }
    made.entry(&web.url("/a"));
    for path in rig.dir.files_below("../home") {
        let bytes = std::fs::read(&path).unwrap();
        assert!(
            !String::from_utf8_lossy(&bytes).contains("s3cr3tpassw0rd"),
            "{path:?}"
        );
    }
}

#[test]
fn what_can_be_read_in_two_ways_is_no_address() {
    let (web, other) = (Web::text("mine"), Web::text("other"));
    let (a, b) = (web.port, other.port);
    let rig = Rig::new();
    let links = [
        format!("http://127.0.0.1:{a}\\@127.0.0.1:{b}/x"),
        format!("http://u:SECRETPW\\@127.0.0.1:{b}/x"),
        format!("http:///127.0.0.1:{a}/x"),
        format!("http://u:SECRETPW@/127.0.0.1:{a}/x"),
        format!("http://127.0.0.1:{a}/x\ty"),
        format!("http:/u:SECRETPW@127.0.0.1:{a}/x"),
    ];
    let quoted: Vec<String> = links
        .iter()
        .map(|link| serde_json::to_string(link).unwrap())
        .collect();
    rig.artifact(&format!("soft_links: [{}]\n", quoted.join(", ")));
    let made = rig.make_local(&[]);
    let reasons: Vec<&str> = made.manifest["refs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["reason"].as_str().unwrap())
        .collect();
    let invalid = "network-error: invalid-url";
    assert_eq!(
        reasons,
        [
            invalid,
            invalid,
            invalid,
            invalid,
            invalid,
            "unsupported-scheme"
        ]
    );
    assert_eq!((web.requests().len(), other.requests().len()), (0, 0));
    let run = rig
        .run(&["--verbosity", "verbose", "--allow-private-network"])
        .expect(0);
    for text in [
        &made.text,
        &made.manifest.to_string(),
        &run.stdout,
        &run.stderr,
    ] {
        assert!(!text.contains("SECRETPW"), "{text}");
    }
    assert!(!rig.cache().exists());
}

#[test]
fn who_asks_has_answers_and_titles_of_its_own() {
    // Whoever it is that asks, the answer is for them.
    let web = Web::start(|request| {
        let who = request
            .head
            .lines()
            .find(|line| line.starts_with("authorization: "));
        ok("text/plain", who.unwrap_or("nobody"))
    });
    let link = |who: &str| format!("http://{who}127.0.0.1:{}", web.port);
    let links = ["", "ana:SECRETPW@", "bob:SECRETPW@", "ana:SECRETPW@"].map(link);
    let rig = Rig::new();
    rig.links(&links.each_ref().map(|link| (link.as_str(), "spec")));
    for asked in [3, 3] {
        let made = rig.make_local(&[]);
        assert_eq!(web.requests().len(), asked);
        let contents: Vec<String> = made
            .envelopes()
            .into_iter()
            .map(|one| one.content)
            .collect();
        assert_eq!(contents[0], "nobody");
        assert_eq!(contents[1], contents[3]);
        assert!(contents[1] != contents[2] && contents[1].starts_with("authorization: Basic"));
        assert!(!made.text.contains("SECRETPW"), "{}", made.text);
        assert!(
            made.text.contains("\n## 127.0.0.1\n")
                || made.text.contains(&format!("\n## {}\n", web.port))
        );
        assert!(!made.manifest.to_string().contains("ana"));
    }
    rig.links(&[(&link(""), "spec")]);
    assert_eq!(rig.make_local(&[]).content(), "nobody");
}

#[test]
fn what_may_not_be_kept_is_not() {
    let rig = Rig::new();
    for (headers, kept) in [
        ("Cache-Control: no-store\r\n", false),
        ("Cache-Control: private, No-Store\r\n", false),
        ("Cache-Control: no-cache\r\n", true),
        ("", true),
    ] {
        let headers = format!("Content-Type: text/plain\r\n{headers}");
        let web = Web::start(move |_| response("200 OK", &headers, "x"));
        rig.links(&[(&web.url("/x"), "spec")]);
        rig.make_local(&[]);
        rig.make_local(&[]);
        assert_eq!(web.requests().len(), if kept { 1 } else { 2 });
    }
}

#[test]
fn an_answer_to_another_question_is_none() {
    let web = Web::start(|request| match request.path.as_str() {
        "/part" => response(
            "206 Partial Content",
            "Content-Type: text/plain\r\n",
            "a part",
        ),
        _ => response("304 Not Modified", "", ""),
    });
    let rig = Rig::new();
    let (part, same) = (web.url("/part"), web.url("/same"));
    rig.links(&[(&part, "spec"), (&same, "spec")]);
    let made = rig.make_local(&[]);
    assert_eq!(
        (made.reason(&part), made.reason(&same)),
        ("http 206".to_owned(), "http 304".to_owned())
    );
    let stale = rig
        .run(&["--detect-stale", "--json", "--allow-private-network"])
        .expect(0)
        .json();
    assert_eq!(stale["stale_refs"][1]["reason"], "http 304");
}

#[test]
fn one_link_is_fetched_once_and_all_stand_in_order() {
    let web = Web::start(|request| ok("text/plain", format!("at {}", request.path)));
    let rig = Rig::new();
    let uris: Vec<String> = (0..20)
        .map(|n| web.url(&format!("/{}", n % 10)))
        .chain([web.url("/0#part")])
        .collect();
    let links: Vec<(&str, &str)> = uris.iter().map(|uri| (uri.as_str(), "spec")).collect();
    rig.links(&links);
    let made = rig.make_local(&[]);
    assert_eq!(web.requests().len(), 10);
    let found: Vec<String> = made.envelopes().into_iter().map(|one| one.uri).collect();
    assert_eq!(found, uris);
    assert_eq!(made.envelopes()[13].content, "at /3");
    assert_eq!(made.envelopes()[20].content, "at /0");
}

#[test]
fn no_proxy_of_the_environment_is_asked() {
    let (web, proxy) = (Web::text("direct"), Web::text("proxied"));
    let rig = one(&web.url("/"));
    let mut command = rig.command(&["threads/t/thread.md", "--allow-private-network", "--json"]);
    for name in ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"] {
        command.env(name, proxy.url(""));
    }
    let made = super::rig::made(crate::harness::outcome(&mut command));
    assert_eq!(made.content(), "direct");
    assert_eq!(proxy.requests().len(), 0);
}
