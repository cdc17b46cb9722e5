#!/usr/bin/env bash
# Measures `markers check` and an unchanged `markers apply` in a large tree, as whole processes.
#
# Usage: benches/markers.sh COMPILER [--runs N] [--smoke]
#
#   COMPILER   vibey-context, a release build
#   --runs N   measured runs of each (default 40), after 3 that are not counted
#   --smoke    a small tree and two runs: shows that the measurement works, not how it ends
#
# 64 output directories with their markers, in a project of 100,000 files, most of them in these directories. Ends with 1
# where a median is not under 50 ms (not in a smoke run). Needs python3.
set -euo pipefail

usage() {
    sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

[ $# -ge 1 ] || usage
compiler=$(realpath "$1")
shift
runs=40 uncounted=3 files=100000 limit_ms=50
while [ $# -gt 0 ]; do
    case $1 in
    --runs) runs=${2:?--runs needs a number} && shift ;;
    --smoke) runs=2 uncounted=0 files=1000 limit_ms=0 ;;
    *) usage ;;
    esac
    shift
done
[ -x "$compiler" ] || { echo "no program at $compiler" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export COMPILER=$compiler RUNS=$runs UNCOUNTED=$uncounted FILES=$files LIMIT_MS=$limit_ms WORK=$work
python3 - <<'PYTHON'
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS, UNCOUNTED, FILES, LIMIT_MS = (int(os.environ[name]) for name in ("RUNS", "UNCOUNTED", "FILES", "LIMIT_MS"))
COMPILER, WORK = os.environ["COMPILER"], Path(os.environ["WORK"])
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
TARGETS = 64
MANIFEST = "context-markers.json"


def prepare():
    """The project: deep directories, a guidance file for each, and files in and beside them."""
    for folder in ("docs", "src"):
        (WORK / folder).mkdir()
    markers = []
    for number in range(TARGETS):
        directory = f"packages/p{number:02}/build/generated"
        guidance = f"docs/p{number:02}.md"
        (WORK / directory).mkdir(parents=True)
        (WORK / guidance).write_text(f"# Package {number}\n\n- Edit packages/p{number:02}/src.\n" * 20)
        markers.append({"directory": directory, "guidanceFile": guidance})
    (WORK / MANIFEST).write_text(json.dumps({"version": 1, "markers": markers}))
    for number in range(FILES):
        folder = markers[number % TARGETS]["directory"] if number % 4 else "src"
        (WORK / folder / f"f{number}.txt").write_text("x\n")


def call(operation, statuses):
    """One call: wall-clock milliseconds, after its answer was found to be the expected one."""
    words = [COMPILER, "markers", operation, "--manifest", MANIFEST]
    began = time.perf_counter()
    done = subprocess.run(words, cwd=WORK, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    spent = (time.perf_counter() - began) * 1000
    found = {marker["status"] for marker in json.loads(done.stdout)["markers"]}
    if done.returncode != 0 or found != statuses or done.stderr:
        sys.exit(f"{operation} ended with {done.returncode}: {done.stdout} {done.stderr}")
    return spent


load = os.getloadavg()[0]
prepare()
call("apply", {"created"})
samples = {"check": [], "apply": []}
for turn in range(-UNCOUNTED, RUNS):
    for operation, measured in samples.items():
        spent = call(operation, {"unchanged"})
        if turn >= 0:
            measured.append(spent)
version = subprocess.run([COMPILER, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
print(f"{version}; {platform.system()} on {platform.machine()}, {os.cpu_count()} logical CPUs; {TARGETS} targets, {FILES:,} files;")
print(f"{RUNS} runs of each, in turns; load average {load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end.\n")
print("| whole process, wall ms | median | smallest | largest |")
print("| --- | ---: | ---: | ---: |")
for operation, measured in samples.items():
    name = operation if operation == "check" else "apply, unchanged"
    print(f"| {name} | {statistics.median(measured):.1f} | {min(measured):.1f} | {max(measured):.1f} |")
slow = [operation for operation, measured in samples.items() if statistics.median(measured) >= LIMIT_MS]
if LIMIT_MS and slow:
    sys.exit(f"not under {LIMIT_MS} ms: {', '.join(slow)}")
PYTHON
