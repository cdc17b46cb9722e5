#!/usr/bin/env bash
# Measures `vibey-conductor report` on a ledger of 100,000 rows: wall time and peak memory of the whole process.
#
# Usage: benches/report.sh [--runs N] [--binary FILE]
#
#   --runs N       measured runs of each form (default 10), after one that is not counted
#   --binary FILE  the program to measure (default target/release/vibey-conductor)
#
# Ends with 1 where a median is above 2 seconds or a peak above 200 MB. The ledger is the one of the test that checks the
# figures. Needs python3 and git.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

runs=10
binary=${CARGO_TARGET_DIR:-$here/../target}/release/vibey-conductor
while [ $# -gt 0 ]; do
    case $1 in
    --runs) runs=${2:?--runs needs a number} && shift ;;
    --binary) binary=$(realpath "${2:?--binary needs a file}") && shift ;;
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
mkdir -p "$work/project/.vibey"
(
    cd "$here/.."
    VIBEY_REPORT_LEDGER=$work/project/.vibey cargo test --quiet --locked --package vibey-conductor-shim \
        --test integration -- --exact report::figures::a_hundred_thousand_rows_add_up
)

RUNS=$runs BINARY=$binary WORK=$work python3 - <<'PYTHON'
import os, statistics, subprocess, sys, time

SECONDS, MEGABYTES = 2.0, 200.0
work, runs = os.environ["WORK"], int(os.environ["RUNS"])
over = False
for form in (["--json"], [], ["--html", f"{work}/page.html"]):
    words = [os.environ["BINARY"], "--project", f"{work}/project", "report", *form]
    times, peak = [], 0
    for number in range(runs + 1):
        began = time.perf_counter()
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{words} ended with {process.returncode}")
        if number:
            times.append(time.perf_counter() - began)
            # Kilobytes, but on macOS bytes.
            peak = max(peak, usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3))
    median = statistics.median(times)
    over |= median > SECONDS or peak > MEGABYTES
    name = form[0] if form else "table"
    print(f"{name:7} median {median:6.3f} s, worst {max(times):6.3f} s, peak {peak:6.1f} MB")
sys.exit(over)
PYTHON
