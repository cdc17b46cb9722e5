#!/usr/bin/env bash
# Measures vibey-context and the Python package vibey-skills side by side, as whole processes.
#
# Usage: benches/peer.sh [--runs N] [--skills DIR] [--binary FILE] [--request FILE] [--write] [--smoke]
#
#   --runs N        measured runs of each command (default 20), after one that is not counted
#   --skills DIR    measure vibey-context alone, on the skills below DIR
#   --binary FILE   the program to measure (default target/release/vibey-context)
#   --request FILE  the request of the packet rows (default benches/request.json)
#   --write         write the tables to benches/RESULTS.md too
#   --smoke         one run, nothing uncounted: shows that the comparison works, not how it ends
#
# Needs python3 with venv, and pip's usual way to packages; VIBEY_PEER_VENV names a venv that has the peer already.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# The release that the numbers are about; another one is another measurement.
peer=vibey-skills==2.19.10

runs=20
uncounted=1
skills=
binary=$here/../target/release/vibey-context
request=$here/request.json
write=
while [ $# -gt 0 ]; do
    case $1 in
    --runs) runs=${2:?--runs needs a number} && shift ;;
    --skills) skills=$(realpath "${2:?--skills needs a folder}") && shift ;;
    --binary) binary=$(realpath "${2:?--binary needs a file}") && shift ;;
    --request) request=$(realpath "${2:?--request needs a file}") && shift ;;
    --write) write=$here/RESULTS.md ;;
    --smoke) runs=1 uncounted=0 ;;
    *)
        sed -n '2,/^set /s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
    esac
    shift
done
if [ ! -x "$binary" ]; then
    echo "no program at $binary; cargo build --release makes it" >&2
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "$skills" ]; then
    venv=${VIBEY_PEER_VENV:-}
    if [ -z "$venv" ]; then
        venv=$work/venv
        python3 -m venv "$venv"
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$peer"
    fi
    export PEER=$venv/bin/vibey-skills
fi

export RUNS=$runs UNCOUNTED=$uncounted SKILLS=$skills BINARY=$binary REQUEST=$request WRITE=$write WORK=$work
python3 - <<'PYTHON'
import ctypes
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = int(os.environ["RUNS"])
# The first run finds cold caches, which says more about the machine than about the program.
UNCOUNTED = int(os.environ["UNCOUNTED"])
WORK = Path(os.environ["WORK"])
OURS = os.environ["BINARY"]
PEER = os.environ.get("PEER")
REQUEST = os.environ["REQUEST"]
# Both programs see the same, small environment.
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": str(WORK / "home"), "LC_ALL": "C.UTF-8"}
# prctl(2): orphans of our children become our children.
PR_SET_CHILD_SUBREAPER = 36
# Memory hardly varies between runs, and a run for memory is not one for time.
MEMORY_RUNS = 3


def finish(words, pid):
    """Waits for a process; its resources, or the end of the measurement if it failed."""
    _, status, used = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
    return used


def files(out):
    return [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]


def timed(words):
    """Wall-clock and CPU milliseconds of one process, from its start to its end."""
    began = time.perf_counter()
    pid = os.posix_spawn(words[0], words, ENVIRONMENT, file_actions=files(os.devnull))
    used = finish(words, pid)
    wall = time.perf_counter() - began
    return {"wall": wall * 1000, "cpu": (used.ru_utime + used.ru_stime) * 1000}


def peak(words):
    """Peak resident MiB of one process.

    A process inherits the peak of whatever it was before it called exec. Started from here that would be this
    interpreter, larger than what is measured; so a shell starts it, and leaves the waiting to us.
    """
    out = str(WORK / "pid")
    shell = ["/bin/sh", "-c", '"$@" >/dev/null & echo $!', "sh", *words]
    finish(shell, os.posix_spawn(shell[0], shell, ENVIRONMENT, file_actions=files(out)))
    return finish(words, int(Path(out).read_text())).ru_maxrss / 1024


def subreaper():
    """Whether orphans can be waited for here; without it (not Linux) memory is not measured."""
    try:
        return ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    except (AttributeError, OSError):
        return False


def said(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, env=ENVIRONMENT, text=True).stdout.strip()


def size(folder):
    """MiB of the files of the current index."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


def interleaved(tools, prepare=None):
    """Samples of each tool, A B A B, so that both share every disturbance; the uncounted runs first."""
    samples = {name: {} for name in tools}
    for turn in range(-UNCOUNTED, RUNS):
        for name, words in tools.items():
            if prepare:
                prepare(name)
            for what, value in timed(words).items():
                if turn >= 0:
                    samples[name].setdefault(what, []).append(value)
    return samples


def cell(values):
    if values is None:
        return "–"
    digits = 1 if statistics.median(values) < 1000 else 0
    low, middle, high = (f"{x:,.{digits}f}" for x in (min(values), statistics.median(values), max(values)))
    return middle if len(values) == 1 else f"**{middle}** ({low} … {high})"


load = [os.getloadavg()[0]]
os.mkdir(ENVIRONMENT["HOME"])
skills = os.environ["SKILLS"] or said(PEER, "path")
index = {"ours": WORK / "ours", "peer": WORK / "peer"}
build = {"ours": [OURS, "--skills", skills, "index", "build", "--output", str(index["ours"])]}
packet = {
    "ours": [OURS, "packet", "--request", REQUEST, "--index", str(index["ours"])]
    + ["--output", str(WORK / "ours.md"), "--manifest", str(WORK / "ours.json")]
}
if PEER:
    build["peer"] = [PEER, "index", "build", "--output", str(index["peer"])]
    packet["peer"] = [PEER, "packet", "--request", REQUEST, "--index", str(index["peer"])]
    packet["peer"] += ["--output", str(WORK / "peer.md"), "--manifest", str(WORK / "peer.json")]

rows = []


def row(name, values):
    ours, peer = values["ours"], values.get("peer")
    ratio = f"{statistics.median(peer) / statistics.median(ours):,.1f}" if peer else "–"
    rows.append((name, cell(ours), cell(peer), ratio))


def rows_of(name, samples):
    row(f"{name}, wall ms", {tool: of["wall"] for tool, of in samples.items()})
    row(f"{name}, CPU ms", {tool: of["cpu"] for tool, of in samples.items()})


rows_of("index from nothing", interleaved(build, lambda tool: shutil.rmtree(index[tool], ignore_errors=True)))
rows_of("index again, nothing changed", interleaved(build))
row("index on disk, MiB", {tool: [size(index[tool])] for tool in build})
rows_of("packet from that index", interleaved(packet))
if subreaper():
    row("packet, peak resident MiB", {tool: [peak(words) for _ in range(MEMORY_RUNS)] for tool, words in packet.items()})
    row("index from nothing, peak resident MiB", {
        tool: [(shutil.rmtree(index[tool]), peak(words))[1]] for tool, words in build.items()
    })
interpreter = interleaved({"ours": [sys.executable, "-I", "-S", "-c", "pass"]})["ours"]

# A packet that was refused is quicker than one that was made: both must have made one.
for tool in packet:
    manifest = json.loads((WORK / f"{tool}.json").read_text())
    if manifest["status"] != "ok":
        sys.exit(f"{tool}: status {manifest['status']}, not ok: the packet rows would compare different work")

load.append(os.getloadavg()[0])
report = json.loads(said(OURS, "index", "inspect", str(index["ours"]), "--json"))
lines = [
    f"{report['skill_count']:,} skills, {report['chunk_count']:,} sections"
    + (f", the ones that `{said(PEER, '--version')}` ships" if PEER else "")
    + f"; `{said(OURS, '--version')}`; Python {platform.python_version()}, {platform.system()} on {platform.machine()},"
    + f" {os.cpu_count()} logical CPUs; {RUNS} runs of each command, taken in turns, after {UNCOUNTED} uncounted.",
    "",
    "Cells: **median** (smallest … largest). Every run is a whole process, its start included. Ratio of the medians.",
    f"Load average {load[0]:.1f} at the start, {load[1]:.1f} at the end; the two measured programs run one at a time, so"
    + " what goes beyond 1 is other work on the machine, which stretches wall times more than CPU times.",
    "",
    "| | vibey-context | vibey-skills | ratio |",
    "| --- | ---: | ---: | ---: |",
    *(f"| {' | '.join(cells)} |" for cells in rows),
    "",
    f"For scale, the barest start of that interpreter (`python3 -I -S -c pass`): {cell(interpreter['wall'])} ms wall, {cell(interpreter['cpu'])} ms CPU.",
]
print("\n".join(lines))
if os.environ["WRITE"]:
    head = [
        "# Measurements",
        "",
        "Written by `benches/peer.sh --write`, which says how. Numbers of other machines differ; the ratios less so.",
        "",
    ]
    Path(os.environ["WRITE"]).write_text("\n".join(head + lines) + "\n", encoding="utf-8")
PYTHON
