#!/usr/bin/env bash
# Measures `handoff status` and `handoff transition`, as whole processes, on a pipeline with a history of 200 phases and 2,000
# artifacts.
#
# Usage: benches/handoff.sh [--runs N] [--binary FILE] [--smoke]
#
#   --runs N       measured runs of each command (default 40), after 3 that are not counted
#   --binary FILE  the program to measure (default target/release/vibey-context)
#   --smoke        two runs, and no limits: shows that the measurement works, not how it ends
#
# Ends with 1 where a median is above its limit: 20 ms for `status`, 100 ms for `transition`. The history is a copy of what the
# program has written itself for its first transition, phase by phase. Needs python3.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

runs=40
uncounted=3
limits=1
binary=${CARGO_TARGET_DIR:-$here/../target}/release/vibey-context
while [ $# -gt 0 ]; do
    case $1 in
    --runs) runs=${2:?--runs needs a number} && shift ;;
    --binary) binary=$(realpath "${2:?--binary needs a file}") && shift ;;
    --smoke) runs=2 uncounted=0 limits=0 ;;
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
RUNS=$runs UNCOUNTED=$uncounted LIMITS=$limits BINARY=$binary WORK=$work python3 - <<'PYTHON'
import copy, hashlib, json, os, statistics, subprocess, sys, time
from datetime import datetime, timezone
from pathlib import Path

RUNS, UNCOUNTED = int(os.environ["RUNS"]), int(os.environ["UNCOUNTED"])
BINARY, WORK = os.environ["BINARY"], Path(os.environ["WORK"])
PHASES, ARTIFACTS = 200, 10
LIMITS = {"status": 20.0, "transition": 100.0}
PROJECT, HOME = WORK / "home/project", WORK / "home/.claude/sdd"
ENVIRONMENT = {"HOME": str(WORK / "home")}
TEXT = "# Report {0}.{1}\n\n## Summary\n\nPart {1} of phase {0} is done.\n\n## Decisions\n\n- Decision {1} of phase {0}.\n\n" + "Details follow. " * 120


def run(*words):
    words = [BINARY, "handoff", *words, "--project", "bench"]
    began = time.perf_counter()
    done = subprocess.run(words, cwd=PROJECT, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}: {done.stdout.decode()}")
    return (time.perf_counter() - began) * 1000


def phase(number):
    return f"phase-{number}"


def artifact(number, part):
    return f"artifacts/{number}/{part}.md"


def prepare():
    HOME.mkdir(parents=True)
    phases = range(1, PHASES + 3)
    for number in phases:
        (PROJECT / "artifacts" / str(number)).mkdir(parents=True)
        for part in range(ARTIFACTS):
            (PROJECT / artifact(number, part)).write_text(TEXT.format(number, part))
    pipeline = {
        "phases": [{"name": phase(number), "artifacts": [artifact(number, part) for part in range(ARTIFACTS)]} for number in phases],
        "transitions": [
            {"from": phase(number), "to": phase(number + 1), "include": ["summary", "decisions"]} for number in phases[:-1]
        ],
    }
    (HOME / "pipeline-config.json").write_text(json.dumps({"pipelines": {"bench": pipeline}}))
    time.sleep(1.1)  # The program trusts a file's times only if they are older than the second of its phase.
    run("transition", "--pipeline", "bench", "--from", phase(1), "--to", phase(2))
    history()


def history():
    """The state after 200 phases, each as the program has recorded the first."""
    path = HOME / "pipeline-state-bench.json"
    state = json.loads(path.read_text())
    first, context = state["phases"][0], state["accumulated_context"]
    for number in range(2, PHASES + 1):
        done = copy.deepcopy(first)
        done.update(phase_number=number, phase_name=phase(number), display_name=phase(number))
        for part, entry in enumerate(done["artifacts"]):
            file = PROJECT / artifact(number, part)
            changed = datetime.fromtimestamp(file.stat().st_mtime, timezone.utc)
            entry.update(
                path=artifact(number, part),
                size_bytes=file.stat().st_size,
                last_modified=changed.strftime("%Y-%m-%dT%H:%M:%SZ"),
                sha256=hashlib.sha256(file.read_bytes()).hexdigest(),
            )
            created = dict(context["artifacts_created"][0], path=entry["path"], phase=phase(number))
            context["artifacts_created"].append(created)
            context["key_decisions"].append(f"Decision {part} of phase {number}.")
        state["phases"][number - 1] = done
    current = state["phases"][PHASES]
    current.update(status="in-progress", started_at=first["completed_at"])
    state["current_phase"].update(phase_number=PHASES + 1, phase_name=phase(PHASES + 1))
    path.write_text(json.dumps(state, indent=2))
    return path


prepare()
state = HOME / "pipeline-state-bench.json"
before = state.read_bytes()
over = False
for command, words in (
    ("status", ["status"]),
    ("transition", ["transition", "--from", phase(PHASES + 1), "--to", phase(PHASES + 2)]),
):
    times = []
    for number in range(RUNS + UNCOUNTED):
        state.write_bytes(before)
        took = run(*words)
        if number >= UNCOUNTED:
            times.append(took)
    median = statistics.median(times)
    print(f"{command:10} median {median:6.1f} ms, best {min(times):6.1f}, worst {max(times):6.1f}, limit {LIMITS[command]:5.1f}")
    over |= median > LIMITS[command]
print(f"{PHASES} phases, {PHASES * ARTIFACTS:,} artifacts, state of {len(before):,} bytes")
sys.exit(over and os.environ["LIMITS"] == "1")
PYTHON
