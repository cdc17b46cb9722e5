#!/usr/bin/env bash
# Adds up the slices of fuzz/run.sh: CPU time and executions of each kind, as a table in Markdown.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

printf '| kind | CPU minutes | executions | slices with a finding |\n| --- | ---: | ---: | ---: |\n'
awk -F'\t' '
    { cpu[$1] += $2; runs[$1] += $3; found[$1] += ($4 != 0) }
    END { for (kind in cpu) printf "| %s | %.1f | %d | %d |\n", kind, cpu[kind] / 60, runs[kind], found[kind] }
' "${FUZZ_CORPUS:-corpus}/times.tsv" | sort
