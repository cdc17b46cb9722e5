#!/usr/bin/env bash
# Measures what vibey-conductor adds to a job, as whole processes.
#
# Usage: benches/conductor.sh CONDUCTOR COMPILER [--runs N] [--skills DIR] [--smoke]
#
#   CONDUCTOR     vibey-conductor, a release build
#   COMPILER      vibey-context, a release build of the same sources
#   --runs N      measured runs of each way (default 40), after 3 that are not counted
#   --skills DIR  skills of the index (default: the starter skills of this repository)
#   --smoke       two runs: shows that the measurement works, not how it ends
#
# By hand: `index build`, then `packet`, on an index that is up to date. By the conductor: `implement` in mode shadow with the same
# request, handshake, the same two calls and a row in a SQLite ledger. In turns, so that both share every disturbance.
# Needs python3 and git.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
    sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

[ $# -ge 2 ] || usage
conductor=$(realpath "$1") compiler=$(realpath "$2")
shift 2
runs=40
uncounted=3
skills=$here/../src/corpus/starter/skills
while [ $# -gt 0 ]; do
    case $1 in
    --runs) runs=${2:?--runs needs a number} && shift ;;
    --skills) skills=${2:?--skills needs a folder} && shift ;;
    --smoke) runs=2 uncounted=0 ;;
    *) usage ;;
    esac
    shift
done
for program in "$conductor" "$compiler"; do
    [ -x "$program" ] || { echo "no program at $program" >&2; exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RUNS=$runs UNCOUNTED=$uncounted SKILLS=$(realpath "$skills") WORK=$work
export CONDUCTOR=$conductor COMPILER=$compiler
python3 - <<'PYTHON'
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS, UNCOUNTED = (int(os.environ[name]) for name in ("RUNS", "UNCOUNTED"))
WORK = Path(os.environ["WORK"])
CONDUCTOR, COMPILER, SKILLS = (os.environ[name] for name in ("CONDUCTOR", "COMPILER", "SKILLS"))
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": str(WORK / "home"), "LC_ALL": "C.UTF-8"}
PROJECT, TREE = WORK / "project", WORK / "tree"
INDEX = PROJECT / ".vibey/skills-context/index"
ARTIFACTS = TREE / ".vibey/context/skills"

JOB = {
    "id": "job-1",
    "project_id": "bench",
    "phase": "build",
    "kind": "implement",
    "payload": {
        "title": "Give every invoice a tenant",
        "objective": "Add a NOT NULL tenant_id column with a foreign key to the invoices table while the old release keeps serving.",
        "languages": ["python", "sql"],
        "verification": {"commands": ["pytest tests/migrations"]},
    },
}


def run(*words, cwd=WORK):
    done = subprocess.run(words, cwd=cwd, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def measured(*commands):
    """Wall-clock and CPU milliseconds of commands one after the other, their children included."""
    cpu = 0.0
    began = time.perf_counter()
    for words in commands:
        quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
        pid = os.posix_spawn(words[0], words, ENVIRONMENT, file_actions=quiet)
        _, status, used = os.wait4(pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            sys.exit(f"{' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
        cpu += used.ru_utime + used.ru_stime
    return {"wall": (time.perf_counter() - began) * 1000, "cpu": cpu * 1000}


def quartiles(values):
    if len(values) < 2:
        return values * 3
    return statistics.quantiles(values, n=4, method="inclusive")


def cell(values):
    low, middle, high = quartiles(values)
    return f"**{middle:,.1f}** ({low:,.1f} … {high:,.1f})"


def prepare():
    for folder in ("home", "project/.vibey"):
        (WORK / folder).mkdir(parents=True)
    git = ["git", "-c", "user.name=b", "-c", "user.email=b@example.com"]
    run("git", "init", "-q", "-b", "main", cwd=PROJECT)
    run(*git, "commit", "-q", "--allow-empty", "-m", "first", cwd=PROJECT)
    run("git", "worktree", "add", "-q", "-b", "work", str(TREE), cwd=PROJECT)
    config = {"mode": "shadow", "command": [COMPILER], "skills": [SKILLS]}
    (PROJECT / ".vibey/project.json").write_text(json.dumps({"skills_context": config}))
    (WORK / "job.json").write_text(json.dumps(JOB))
    (WORK / "prompt").write_text("Implement the job.\n")


IMPLEMENT = [CONDUCTOR, "implement", "--job", str(WORK / "job.json"), "--worktree", str(TREE)]
IMPLEMENT += ["--prompt", str(WORK / "prompt"), "--prompt-out", str(WORK / "out")]


def overhead():
    """Both ways in turns. The request is the one that the first, uncounted job leaves."""
    run(*IMPLEMENT)
    request = WORK / "request.json"
    request.write_bytes((ARTIFACTS / "job-1.request.json").read_bytes())
    prefix = [COMPILER, "--skills", SKILLS]
    build = prefix + ["index", "build", "--output", str(INDEX)]
    packet = prefix + ["packet", "--request", str(request), "--index", str(INDEX), "--budget", "6000"]
    packet += ["--output", str(WORK / "hand.md"), "--manifest", str(WORK / "hand.json")]
    ways = {"hand": [build, packet], "conductor": [IMPLEMENT]}
    samples = {way: [] for way in ways}
    for turn in range(-UNCOUNTED, RUNS):
        for way, commands in ways.items():
            sample = measured(*commands)
            if turn >= 0:
                samples[way].append(sample)
    for left, right in (("hand.md", "job-1.packet.md"), ("hand.json", "job-1.packet.json")):
        if (WORK / left).read_bytes() != (ARTIFACTS / right).read_bytes():
            sys.exit(f"{left} and {right} are not the same: two different things were measured")
    if json.loads((WORK / "hand.json").read_bytes())["status"] != "ok":
        sys.exit("no packet was made")
    counted = json.loads(run(CONDUCTOR, "--project", str(PROJECT), "ledger", "verify", "--json"))
    if not counted["whole"] or counted["rows"] != 1 + RUNS + UNCOUNTED:
        sys.exit(f"the ledger does not hold a row for each job: {counted}")
    print("| | by hand | by the conductor | difference of the medians | median of the differences |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for what, name in (("wall", "wall ms"), ("cpu", "CPU ms")):
        hand, ours = ([sample[what] for sample in samples[way]] for way in ("hand", "conductor"))
        pairs = statistics.median(b - a for a, b in zip(hand, ours))
        difference = statistics.median(ours) - statistics.median(hand)
        print(f"| a job, {name} | {cell(hand)} | {cell(ours)} | {difference:+.1f} | {pairs:+.1f} |")


load = os.getloadavg()[0]
prepare()
versions = run(CONDUCTOR, "--version").strip() + ", " + run(COMPILER, "--version").strip()
print(f"{versions}; {platform.system()} on {platform.machine()}, {os.cpu_count()} logical CPUs; {RUNS} runs of each, in turns.")
print("Cells: **median** (first … third quartile).\n")
overhead()
print(f"\nLoad average {load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end.")
PYTHON
