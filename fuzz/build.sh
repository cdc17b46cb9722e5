#!/usr/bin/env bash
# Builds the fuzz programs on the stable toolchain, and prints the folder that holds them.
#
# The flags are LLVM's counters and comparisons, which need no nightly. There is no address sanitizer, which does; our own code
# is unsafe in one place, which no input reaches.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

host=$(rustc -vV | sed -n 's/^host: //p')
flags=(
    -Cpasses=sancov-module
    -Cllvm-args=-sanitizer-coverage-level=4
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
    -Cllvm-args=-sanitizer-coverage-pc-table
    -Cllvm-args=-sanitizer-coverage-trace-compares
    --cfg fuzzing
    -Cllvm-args=-simplifycfg-branch-fold-threshold=0
    -Ccodegen-units=8
)
# With a target named, build scripts and macros are built without the flags.
RUSTFLAGS="${flags[*]}" cargo build --release --target "$host" "$@" >&2
echo "${CARGO_TARGET_DIR:-$PWD/target}/$host/release"
