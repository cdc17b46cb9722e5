#!/usr/bin/env bash
# Runs the fuzz programs in turns, one process at a time, and keeps a table of what each has had.
#
#   fuzz/run.sh [--slice SECONDS] [--rounds N] [--programs FOLDER] [KIND…]
#
# A kind gets a slice of time in each round, with programs of FOLDER or such as are built first, and the words of
# fuzz/dictionaries. The corpus lies in fuzz/corpus, what is found in fuzz/artifacts; fuzz/corpus/times.tsv has a line for each
# slice: kind, CPU seconds, executions, exit code. `fuzz/times.sh` adds them up.
# FUZZ_CORPUS, FUZZ_ARTIFACTS and CARGO_TARGET_DIR name other places.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")

slice=300
rounds=1
programs=
kinds=()
while [ $# -gt 0 ]; do
    case $1 in
    --slice) slice=$2 && shift 2 ;;
    --rounds) rounds=$2 && shift 2 ;;
    --programs) programs=$(realpath "$2") && shift 2 ;;
    *) kinds+=("$1") && shift ;;
    esac
done
cd "$here"
if [ ${#kinds[@]} -eq 0 ]; then
    for program in fuzz_targets/*.rs; do
        kinds+=("$(basename "$program" .rs)")
    done
fi

export FUZZ_CORPUS=${FUZZ_CORPUS:-$PWD/corpus}
artifacts=${FUZZ_ARTIFACTS:-$PWD/artifacts}
programs=${programs:-$(./build.sh | tail -n 1)}
./seed.sh

# Kinds that are read from files write thousands a second: into memory where there is such a place.
scratch=$(mktemp -d "$([ -d /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")/fuzz.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

run() {
    local kind=$1 log=$scratch/log words=() began ended code=0 count
    if [ -f "dictionaries/$kind.dict" ]; then
        words=(-dict="dictionaries/$kind.dict")
    fi
    mkdir -p "$artifacts/$kind" "$scratch/tmp"
    began=$(cut -d' ' -f 16,17 "/proc/$$/stat")
    TMPDIR=$scratch/tmp nice -n 19 "$programs/$kind" "$FUZZ_CORPUS/$kind" \
        -artifact_prefix="$artifacts/$kind/" -max_total_time="$slice" -max_len=16384 -rss_limit_mb=2048 -timeout=60 \
        "${words[@]}" -print_final_stats=1 >"$log" 2>&1 || code=$?
    ended=$(cut -d' ' -f 16,17 "/proc/$$/stat")
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    # Columns 16 and 17 are the ticks of children that have ended.
    awk -v began="$began" -v ended="$ended" -v ticks="$(getconf CLK_TCK)" -v kind="$kind" -v count="${count:-0}" -v code="$code" '
        BEGIN { split(began, b); split(ended, e); printf "%s\t%.0f\t%s\t%s\n", kind, (e[1] + e[2] - b[1] - b[2]) / ticks, count, code }
    ' >>"$FUZZ_CORPUS/times.tsv"
    if [ "$code" -ne 0 ]; then
        mkdir -p "$artifacts/logs"
        cp "$log" "$artifacts/logs/$kind-$(date +%H%M%S).log"
    fi
    rm -rf "$scratch/tmp"
}

for ((round = 1; round <= rounds; round++)); do
    for kind in "${kinds[@]}"; do
        run "$kind"
        tail -n 1 "$FUZZ_CORPUS/times.tsv"
    done
done
