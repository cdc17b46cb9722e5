//! Where can a packet and its manifest go, and what happens at places where they can not?

use crate::harness::{BIN, BOUND, Dir, fixture, outcome};
use rustix::fs::{CWD, Mode, mkfifoat};
use std::io::Read as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::process::{Command, Stdio};

/// A corpus with index and request, and the bytes that plain files get.
struct Bench {
    dir: Dir,
    packet: Vec<u8>,
    manifest: Vec<u8>,
}

impl Bench {
    fn new() -> Self {
        let dir = Dir::new();
        fixture::indexed(&dir);
        dir.request("request.json", &fixture::migration());
        let bench = Self {
            dir,
            packet: vec![],
            manifest: vec![],
        };
        bench.run(&["--output", "plain.md"]).expect(0);
        let (packet, manifest) = (bench.dir.bytes("plain.md"), bench.dir.bytes("plain.json"));
        assert!(packet.len() > 1000);
        Self {
            packet,
            manifest,
            ..bench
        }
    }

    fn run(&self, more: &[&str]) -> crate::harness::Output {
        let form = ["packet", "--request", "request.json", "--index", "index"];
        self.dir.run(form.iter().chain(more))
    }
}

#[test]
fn a_dash_means_standard_output_and_then_no_manifest() {
    let bench = Bench::new();
    bench.dir.remove("plain.md");
    bench.dir.remove("plain.json");
    let before = bench.dir.files_below("");
    let run = bench.run(&["--output", "-"]).expect(0);
    assert!(run.stdout.as_bytes() == bench.packet);
    assert_eq!(run.stderr, "");
    assert_eq!(bench.dir.files_below(""), before, "a file was written");
    let run = bench
        .run(&["--output", "-", "--manifest", "m.json"])
        .expect(0);
    assert!(run.stdout.as_bytes() == bench.packet);
    assert!(bench.dir.bytes("m.json") == bench.manifest);
}

#[test]
fn a_dash_means_standard_input() {
    let bench = Bench::new();
    let request = fixture::migration().to_string();
    let run = bench
        .dir
        .run_with(
            request,
            [
                "packet",
                "--request",
                "-",
                "--index",
                "index",
                "--output",
                "p.md",
            ],
        )
        .expect(0);
    assert_eq!(run.stdout, "");
    assert!(bench.dir.bytes("p.md") == bench.packet);
    assert!(bench.dir.bytes("p.json") == bench.manifest);
    for (stdin, code) in [
        (String::new(), "request_json"),
        ("x".repeat(1024 * 1024 + 1), "request_too_large"),
    ] {
        bench
            .dir
            .run_with(
                stdin,
                [
                    "packet",
                    "--request",
                    "-",
                    "--index",
                    "index",
                    "--output",
                    "p.md",
                    "--json",
                ],
            )
            .fails(code);
        assert!(!bench.dir.has("p.md") && !bench.dir.has("p.json"));
    }
}

#[test]
fn the_manifest_stands_beside_the_packet_where_no_place_is_named() {
    let bench = Bench::new();
    for (output, manifest) in [
        ("a.md", "a.json"),
        ("noext", "noext.json"),
        ("b.tar.md", "b.tar.json"),
    ] {
        bench.run(&["--output", output]).expect(0);
        assert!(bench.dir.bytes(output) == bench.packet);
        assert!(bench.dir.bytes(manifest) == bench.manifest);
    }
    // A packet whose own name ends in .json would be its own manifest.
    bench.dir.file("c.json", "mine");
    bench.run(&["--output", "c.json", "--json"]).fails("usage");
    assert_eq!(bench.dir.read("c.json"), "mine");
}

#[test]
fn the_null_device_is_written_to_and_stays() {
    let bench = Bench::new();
    bench
        .run(&["--output", "/dev/null", "--manifest", "m.json"])
        .expect(0);
    assert!(bench.dir.bytes("m.json") == bench.manifest);
    // Both at once: a device is no file that one would overwrite in the other.
    bench
        .run(&["--output", "/dev/null", "--manifest", "/dev/null"])
        .expect(0);
    let kind = std::fs::metadata("/dev/null").unwrap().file_type();
    assert!(kind.is_char_device());
}

#[test]
fn a_full_device_is_an_error() {
    let bench = Bench::new();
    bench.dir.file("m.json", "old");
    bench
        .run(&["--output", "/dev/full", "--manifest", "m.json", "--json"])
        .fails("io");
    assert!(!bench.dir.has("m.json"));
    // The packet is written, the manifest is not: neither stays.
    bench
        .run(&["--output", "p.md", "--manifest", "/dev/full", "--json"])
        .fails("io");
    assert!(!bench.dir.has("p.md"));
}

#[test]
fn a_fifo_is_written_through() {
    let bench = Bench::new();
    let fifo = bench.dir.at("fifo");
    mkfifoat(CWD, &fifo, Mode::RUSR | Mode::WUSR).unwrap();
    let read = std::thread::scope(|scope| {
        let reader = scope.spawn(|| std::fs::read(&fifo).unwrap());
        let run = bench.run(&["--output", "fifo", "--manifest", "m.json"]);
        // A run that never opened the FIFO would leave the reader waiting.
        drop(
            std::fs::OpenOptions::new()
                .read(true)
                .write(true)
                .open(&fifo),
        );
        run.expect(0);
        reader.join().unwrap()
    });
    assert!(read == bench.packet);
    assert!(fifo.symlink_metadata().unwrap().file_type().is_fifo());
    assert!(bench.dir.bytes("m.json") == bench.manifest);
}

#[test]
fn a_link_stays_and_what_it_leads_to_is_replaced() {
    let bench = Bench::new();
    bench.dir.file("real/p.md", "an old packet");
    bench.dir.link("real/p.md", "link.md");
    // This one dangles, and is filled.
    bench.dir.link("real/m.json", "link.json");
    bench.run(&["--output", "link.md"]).expect(0);
    assert!(bench.dir.bytes("real/p.md") == bench.packet);
    assert!(bench.dir.bytes("real/m.json") == bench.manifest);
    for link in ["link.md", "link.json"] {
        assert!(
            bench.dir.at(link).symlink_metadata().unwrap().is_symlink(),
            "{link}"
        );
    }
    // A failure takes back what the links lead to, and leaves the links.
    bench
        .run(&["--output", "link.md", "--budget", "7"])
        .expect(1);
    assert!(!bench.dir.has("real/p.md") && !bench.dir.has("real/m.json"));
    assert!(bench.dir.has("link.md") && bench.dir.has("link.json"));
}

#[test]
fn equal_paths_are_a_usage_error_and_nothing_is_deleted() {
    let bench = Bench::new();
    bench.dir.file("same", "mine");
    bench.dir.link("same", "alias");
    bench.dir.link(".", "here");
    bench.dir.link("request.json", "request-alias");
    let absolute = bench.dir.arg("same");
    let request = bench.dir.read("request.json");
    for args in [
        &["--output", "same", "--manifest", "same"][..],
        &["--output", "same", "--manifest", "./same"],
        &["--output", "same", "--manifest", "here/same"],
        &["--output", "same", "--manifest", "corpus/../same"],
        &["--output", "same", "--manifest", "alias"],
        &["--output", "alias", "--manifest", "same"],
        &["--output", "same", "--manifest", &absolute],
        &["--output", "request.json"],
        &["--output", "./request.json", "--manifest", "m.json"],
        &["--output", "request-alias", "--manifest", "m.json"],
        &["--output", "m.md", "--manifest", "here/request.json"],
        // The manifest's place follows from the packet's, and is the request.
        &["--output", "request.md"],
        &["--output", "m.md", "--timings", "m.md"],
        &["--output", "m.md", "--timings", "m.json"],
        &["--output", "m.md", "--timings", "request-alias"],
    ] {
        let run = bench.run(&[args, &["--json"]].concat()).fails("usage");
        assert!(run.error().message.contains("same file"), "{args:?}");
        assert_eq!(bench.dir.read("same"), "mine", "{args:?}");
        assert_eq!(bench.dir.read("request.json"), request, "{args:?}");
        assert!(
            !bench.dir.has("m.md") && !bench.dir.has("m.json"),
            "{args:?}"
        );
    }
    // Equal although neither exists yet.
    bench
        .run(&["--output", "new", "--manifest", "here/new", "--json"])
        .fails("usage");
    assert!(!bench.dir.has("new"));
}

#[test]
fn two_dangling_links_to_one_place_are_one_place() {
    let bench = Bench::new();
    bench.dir.link("nowhere", "dangling-one");
    bench.dir.link("nowhere", "dangling-two");
    bench
        .run(&[
            "--output",
            "dangling-one",
            "--manifest",
            "dangling-two",
            "--json",
        ])
        .fails("usage");
}

#[test]
fn folders_and_missing_folders_are_errors() {
    let bench = Bench::new();
    for (args, code) in [
        (&["--output", "missing/p.md"][..], "not_found"),
        (
            &["--output", "p.md", "--manifest", "missing/m.json"],
            "not_found",
        ),
        (&["--output", "corpus"], "not_a_file"),
        (&["--output", "p.md", "--manifest", "corpus"], "not_a_file"),
        (&["--output", "request.json/p.md"], "io"),
    ] {
        bench.dir.file("p.md", "an old packet");
        let run = bench.run(&[args, &["--json"]].concat()).expect(1);
        let error = run.error();
        assert_eq!(error.code, code, "{args:?}: {}", error.message);
        assert!(error.message.contains('`'), "{}", error.message);
        assert!(!bench.dir.has("missing"), "a folder was created");
        assert!(bench.dir.at("corpus").is_dir());
        if args[1] == "p.md" {
            assert!(!bench.dir.has("p.md"), "{args:?}: the packet stays alone");
        }
    }
}

#[test]
fn modes_follow_the_umask() {
    let bench = Bench::new();
    let plain = bench.dir.at("plain.md").metadata().unwrap().mode() & 0o777;
    // What the system makes of 0666 in this process is what it makes of it in a child.
    let probe = bench.dir.file("probe", "");
    let expected = probe.metadata().unwrap().mode() & 0o777;
    assert_eq!(plain, expected);
    let json = bench.dir.at("plain.json").metadata().unwrap().mode() & 0o777;
    assert_eq!(json, expected);
    // Another umask, set by a shell, since a process has only one.
    let index = bench.dir.arg("index");
    let script = format!(
        "umask 027; exec {BIN} packet --request request.json --index {index} --output u.md"
    );
    let status = Command::new("/bin/sh")
        .args(["-c", &script])
        .current_dir(bench.dir.path())
        .env_clear()
        .env("HOME", bench.dir.home())
        .status()
        .unwrap();
    assert!(status.success());
    for file in ["u.md", "u.json"] {
        let mode = bench.dir.at(file).metadata().unwrap().mode() & 0o777;
        assert_eq!(mode, 0o640, "{file}");
    }
}

#[test]
fn an_existing_file_is_replaced_and_not_rewritten() {
    let bench = Bench::new();
    bench.dir.file("p.md", "old");
    // Another name of the old file keeps the old bytes: whoever reads it never sees half a packet.
    std::fs::hard_link(bench.dir.at("p.md"), bench.dir.at("reader")).unwrap();
    std::fs::set_permissions(bench.dir.at("p.md"), std::fs::Permissions::from_mode(0o400)).unwrap();
    bench.run(&["--output", "p.md"]).expect(0);
    assert_eq!(bench.dir.read("reader"), "old");
    assert!(bench.dir.bytes("p.md") == bench.packet);
    let left: Vec<_> = bench
        .dir
        .path()
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert_eq!(left, Vec::<String>::new(), "a temporary file is left");
}

#[test]
fn targets_may_have_any_name() {
    let bench = Bench::new();
    for name in ["a b.md", "ä🎉.md", "-p.md", "$(x).md", "new\nline.md"] {
        let output = format!("./{name}");
        bench.run(&["--output", &output]).expect(0);
        assert!(bench.dir.bytes(name) == bench.packet, "{name:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let bench = Bench::new();
    let index = bench.dir.arg("index");
    for args in [
        &["man"][..],
        &["completions", "bash"],
        &["list", "--json", "--index", &index],
        &["search", "postgres migration", "--index", &index],
        &[
            "packet",
            "--request",
            "request.json",
            "--index",
            &index,
            "--output",
            "-",
        ],
        &["--help"],
    ] {
        let mut child = Command::new(BIN)
            .args(args)
            .current_dir(bench.dir.path())
            .env_clear()
            .env("HOME", bench.dir.home())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        let status = child.wait().unwrap();
        assert_eq!(stderr, "", "{args:?}");
        // Ended by itself, or by the signal itself: both are quiet.
        assert!(
            matches!(status.code(), Some(0) | None),
            "{args:?}: {status}"
        );
    }
}

#[test]
fn a_closed_or_full_standard_output_is_an_error() {
    let bench = Bench::new();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut child = Command::new(BIN)
        .args([
            "packet",
            "--request",
            "request.json",
            "--index",
            "index",
            "--output",
            "-",
        ])
        .current_dir(bench.dir.path())
        .env_clear()
        .env("HOME", bench.dir.home())
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(stderr.contains("standard output"), "{stderr}");
}

#[test]
fn a_request_that_never_ends_is_refused_and_not_awaited() {
    let bench = Bench::new();
    mkfifoat(CWD, bench.dir.at("endless"), Mode::RUSR | Mode::WUSR).unwrap();
    for path in ["endless", "/dev/zero"] {
        let mut command = bench.dir.command(&bench.dir.path());
        command
            .args([
                "packet",
                "--request",
                path,
                "--index",
                "index",
                "--output",
                "p.md",
                "--json",
            ])
            .timeout(BOUND);
        outcome(&mut command).fails("request_unreadable");
    }
}
