#!/usr/bin/env bash
# Fills fuzz/corpus/KIND with the seeds of each kind of input: our own, what was found before, and the folders of
# shared-seeds.txt. What a fuzzer has added there stays.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
corpus=${FUZZ_CORPUS:-corpus}

for program in fuzz_targets/*.rs; do
    kind=$(basename "$program" .rs)
    mkdir -p "$corpus/$kind"
    for folder in "seeds/$kind" "found/$kind"; do
        if [ -d "$folder" ]; then
            cp -f "$folder"/* "$corpus/$kind/"
        fi
    done
done
while read -r kind folder; do
    case $kind in
    '#'*) ;;
    *) find "../$folder" -maxdepth 1 -type f -exec cp -f {} "$corpus/$kind/" \; ;;
    esac
done <shared-seeds.txt
