#!/bin/sh
# Kills `index build` at random moments and checks after each that a packet can be made.
#
# usage: crash-loop.sh BINARY CORPUS [COUNT=200] [SEED=1]
# Works on a copy of CORPUS. Exits 1 at the first fault, and says which; else prints one line.
set -eu

[ $# -ge 2 ] || { echo "usage: $0 BINARY CORPUS [COUNT] [SEED]" >&2; exit 1; }
binary=$(realpath "$1")
corpus=$(realpath "$2")
count=${3:-200}
state=${4:-1}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

fail() {
    echo "crash-loop: round $round: $*" >&2
    exit 1
}

# A number below $1, the same ones for the same seed (Park and Miller 1988).
random() {
    state=$(( (state * 48271) % 2147483647 ))
    drawn=$(( state % $1 ))
}

build() {
    "$binary" --skills "$scratch/corpus" index build --output "$scratch/index" --json
}

packet() {
    "$binary" packet --request "$scratch/request.json" --index "$scratch/index" \
        --output "$scratch/packet.md" --json >"$scratch/out" 2>"$scratch/err"
}

round=0
cp -R "$corpus" "$scratch/corpus"
mkdir -p "$scratch/corpus/skills/crash-loop"
printf '{"required_skills": ["crash-loop"]}' >"$scratch/request.json"

# How long a whole build takes, in milliseconds, bounds the moments.
write_skill() {
    {
        printf -- '---\nname: crash-loop\ndescription: Changed in each round.\n---\n'
        printf '# Round %s\n\nText of round %s.\n' "$1" "$1"
    } >"$scratch/corpus/skills/crash-loop/SKILL.md"
}
write_skill start
before=$(date +%s%N)
build >/dev/null || fail "the first build fails"
after=$(date +%s%N)
whole=$(( (after - before) / 1000000 + 1 ))
rm -rf "$scratch/index"

killed=0
whole_index=0
while [ "$round" -lt "$count" ]; do
    round=$((round + 1))
    write_skill "$round"
    build >/dev/null 2>&1 &
    child=$!
    random "$((whole + whole / 4 + 1))"
    sleep "$(printf '%d.%03d' $((drawn / 1000)) $((drawn % 1000)))"
    if kill -9 "$child" 2>/dev/null; then killed=$((killed + 1)); fi
    wait "$child" 2>/dev/null || true

    if packet; then
        whole_index=$((whole_index + 1))
    else
        grep -q panicked "$scratch/err" && fail "packet panics: $(cat "$scratch/err")"
        # Only where nothing was ever published.
        [ "$whole_index" -eq 0 ] || fail "the index of before is gone: $(cat "$scratch/out")"
        grep -q '"index_missing"' "$scratch/out" || fail "packet: $(cat "$scratch/out")"
    fi
    random 5
    if [ "$drawn" -eq 0 ]; then
        build >"$scratch/out" 2>&1 || fail "build after a kill: $(cat "$scratch/out")"
        packet || fail "packet after a build: $(cat "$scratch/out")"
        whole_index=$((whole_index + 1))
        grep -q "Text of round $round\\." "$scratch/packet.md" || fail "packet is of an older round"
    fi
done

build >"$scratch/out" 2>&1 || fail "last build: $(cat "$scratch/out")"
packet || fail "last packet: $(cat "$scratch/out")"
"$binary" index inspect "$scratch/index" --deep >"$scratch/out" 2>&1 || fail "inspect: $(cat "$scratch/out")"
temporaries=$(find "$scratch/index" -name '.vibey-tmp-*' | wc -l)
generations=$(find "$scratch/index/generations" -mindepth 1 -maxdepth 1 | wc -l)
[ "$temporaries" -eq 0 ] || fail "$temporaries temporary files are left"
[ "$generations" -le 2 ] || fail "$generations generations are left"
echo "crash-loop: $count builds, $killed killed, whole build ${whole} ms, 0 temporaries, $generations generations: ok"
