#!/bin/sh
# Many processes build and read one index at once, while one of its skills changes.
#
# usage: stampede.sh BINARY CORPUS [PROCESSES=8] [ROUNDS=25]
# Works on a copy of CORPUS. Exits 1 at the first fault, and says which; else prints one line.
set -eu

[ $# -ge 2 ] || { echo "usage: $0 BINARY CORPUS [PROCESSES] [ROUNDS]" >&2; exit 1; }
binary=$(realpath "$1")
corpus=$(realpath "$2")
processes=${3:-8}
rounds=${4:-25}

scratch=$(mktemp -d)
editor=
cleanup() {
    if [ -n "$editor" ]; then kill "$editor" 2>/dev/null || true; fi
    rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

skill="$scratch/corpus/skills/stampede"
index="$scratch/index"

build() {
    "$binary" --skills "$scratch/corpus" index build --output "$index" --json
}

# One process: builds and reads; writes what goes wrong to its own file.
worker() {
    round=0
    while [ "$round" -lt "$rounds" ]; do
        round=$((round + 1))
        build >"$scratch/$1.out" 2>"$scratch/$1.err" || {
            echo "process $1, round $round: build: $(cat "$scratch/$1.out" "$scratch/$1.err")" >"$scratch/$1.fault"
            return 1
        }
        "$binary" packet --request "$scratch/request.json" --index "$index" --output "$scratch/$1.md" \
            --manifest "$scratch/$1.json" --json >"$scratch/$1.out" 2>"$scratch/$1.err" || {
            echo "process $1, round $round: packet: $(cat "$scratch/$1.out" "$scratch/$1.err")" >"$scratch/$1.fault"
            return 1
        }
        digest=$(sha256sum <"$scratch/$1.md" | cut -d ' ' -f 1)
        grep -q "\"packet_sha256\": \"$digest\"" "$scratch/$1.json" || {
            echo "process $1, round $round: the packet is not the one of its manifest" >"$scratch/$1.fault"
            return 1
        }
    done
}

cp -R "$corpus" "$scratch/corpus"
mkdir -p "$skill"
printf '{"required_skills": ["stampede"]}' >"$scratch/request.json"
write_skill() {
    {
        printf -- '---\nname: stampede\ndescription: Changed all the time.\n---\n'
        printf '# Edit %s\n\nText of edit %s.\n' "$1" "$1"
    } >"$scratch/new"
    mv "$scratch/new" "$skill/SKILL.md"
}
write_skill 0
build >/dev/null

(
    edit=0
    while :; do
        edit=$((edit + 1))
        write_skill "$edit"
        sleep 0.02
    done
) &
editor=$!

workers=
number=0
while [ "$number" -lt "$processes" ]; do
    number=$((number + 1))
    worker "$number" &
    workers="$workers $!"
done
failed=0
for worker in $workers; do
    wait "$worker" || failed=1
done
kill "$editor" 2>/dev/null || true
wait "$editor" 2>/dev/null || true
editor=
if [ "$failed" -ne 0 ]; then
    echo "stampede: $(cat "$scratch"/*.fault | head -n 3)" >&2
    exit 1
fi

build >"$scratch/out" 2>&1 || { echo "stampede: last build: $(cat "$scratch/out")" >&2; exit 1; }
"$binary" index inspect "$index" --deep >"$scratch/out" 2>&1 || { echo "stampede: $(cat "$scratch/out")" >&2; exit 1; }
temporaries=$(find "$index" -name '.vibey-tmp-*' | wc -l)
generations=$(find "$index/generations" -mindepth 1 -maxdepth 1 | wc -l)
if [ "$temporaries" -ne 0 ] || [ "$generations" -gt 2 ]; then
    echo "stampede: $temporaries temporary files and $generations generations are left" >&2
    exit 1
fi
echo "stampede: $processes processes, $rounds rounds each, 0 temporaries, $generations generations: ok"
