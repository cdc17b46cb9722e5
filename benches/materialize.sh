#!/usr/bin/env bash
# Measures `vibey-context materialize` as whole processes: links to a slow server, and local links alone.
#
# Usage: benches/materialize.sh COMPILER [--runs N] [--smoke]
#
#   COMPILER   vibey-context, a release build
#   --runs N   measured runs with local links (default 40), after 3 that are not counted
#   --smoke    few links and runs: shows that the measurement works, not how it ends
#
# The server answers each request after 50 ms. 200 links to it should take at most a sixth of the time that they would take one after the
# other; an artifact with local links alone should take less than 30 ms. Ends with 1 where a target is missed. Needs python3.
set -euo pipefail

usage() {
    sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

[ $# -ge 1 ] || usage
compiler=$(realpath "$1")
shift
runs=40
links=200
smoke=
while [ $# -gt 0 ]; do
    case $1 in
    --runs) runs=${2:?--runs needs a number} && shift ;;
    --smoke) runs=2 links=16 smoke=1 ;;
    *) usage ;;
    esac
    shift
done
[ -x "$compiler" ] || { echo "no program at $compiler" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RUNS=$runs LINKS=$links SMOKE=$smoke WORK=$work COMPILER=$compiler
python3 - <<'PYTHON'
import json
import os
import platform
import statistics
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

RUNS, LINKS = (int(os.environ[name]) for name in ("RUNS", "LINKS"))
WORK, COMPILER, SMOKE = Path(os.environ["WORK"]), os.environ["COMPILER"], os.environ["SMOKE"]
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": str(WORK / "home"), "LC_ALL": "C.UTF-8"}
BRAIN = WORK / "project-brain"

DELAY_S = 0.050
SERIAL_SHARE = 1 / 6
LOCAL_TARGET_MS = 30
LOCAL_LINKS = 40
UNCOUNTED = 3


class Slow(BaseHTTPRequestHandler):
    """Answers each request after the delay."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        time.sleep(DELAY_S)
        body = f"# Page {self.path}\n\n{'A paragraph of a page. ' * 20}\n".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/markdown")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def artifact(links):
    write(BRAIN / "threads/t/thread.md", f"---\nsoft_links: {json.dumps(links)}\n---\n# Bench\n")


def run(*words):
    began = time.perf_counter()
    done = subprocess.run(
        [COMPILER, "materialize", "threads/t/thread.md", "--json", *words],
        cwd=BRAIN, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    took = time.perf_counter() - began
    if done.returncode != 0:
        sys.exit(f"materialize ended with {done.returncode}: {done.stdout}{done.stderr}")
    return took, json.loads(done.stdout)


def main():
    (WORK / "home").mkdir()
    write(BRAIN / "CONVENTIONS.md", "# Conventions\n")
    write(BRAIN / "config.yaml", "primary_project: bench\n")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"

    artifact([{"uri": f"{base}/{number}", "role": "spec"} for number in range(LINKS)])
    remote_s, report = run("--allow-private-network")
    if report["refs_resolved"] != LINKS:
        sys.exit(f"only {report['refs_resolved']} of {LINKS} links were resolved")
    serial_s = LINKS * DELAY_S
    cached_s, _ = run("--allow-private-network")

    for number in range(LOCAL_LINKS):
        write(BRAIN / f"tree/leaf-{number}.md", f"# Leaf {number}\n\n" + "A paragraph of a leaf.\n\n" * 60)
    artifact([{"uri": f"/leaf-{number}.md", "role": "spec"} for number in range(LOCAL_LINKS)])
    times = [run()[0] * 1000 for _ in range(UNCOUNTED + RUNS)][UNCOUNTED:]
    local_ms = statistics.median(times)

    print(f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors")
    print(f"{LINKS} links, {DELAY_S * 1000:.0f} ms each: {remote_s:.2f} s, {remote_s / serial_s:.3f} of {serial_s:.1f} s one after the other")
    print(f"the same from the cache: {cached_s * 1000:.1f} ms")
    print(f"{LOCAL_LINKS} local links: median {local_ms:.1f} ms, highest {max(times):.1f} ms of {RUNS} runs")
    missed = remote_s > serial_s * SERIAL_SHARE or local_ms > LOCAL_TARGET_MS
    sys.exit(1 if missed and not SMOKE else 0)


main()
PYTHON
