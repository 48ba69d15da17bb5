#!/bin/sh
# The rows of the table in BENCHMARKS.md, measured on this machine:
#
#     benches/ffo.sh [PROBLEMS] > rows.md       PROBLEMS: folder of the .obf files, by default ../shared/data/obf
#
# Builds the release binary, runs every test set on one pinned core and the long ones on all cores, and prints Markdown.
# RUNS=N takes the median of N runs of the short sets (default 3); SKIP_LONG=1 leaves out FFO 40-59 and 6x6.
# The machine should be idle.
set -eu
cd "$(dirname "$0")/.."
problems=${1:-../shared/data/obf}
runs=${RUNS:-3}
cores=$(nproc)
[ -d "$problems" ] || { echo "ffo.sh: no folder $problems" >&2; exit 2; }
cargo build --release --quiet
outflank=target/release/outflank
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pinned() {
    if command -v taskset > /dev/null; then taskset -c "$((cores - 1))" "$@"; else "$@"; fi
}

# seconds TEXT: '1:02:03.004' and '2:03.004' as seconds
seconds() {
    echo "$1" | awk -F: '{ t = 0; for (i = 1; i <= NF; i++) t = 60 * t + $i; printf "%.2f", t }'
}

# row LABEL COUNT COMMAND...: the median run of COUNT
row() {
    label=$1 count=$2
    shift 2
    : > "$work/runs"
    for _ in $(seq "$count"); do
        "$@" > "$work/out" || true
        line=$(grep 'nodes in' "$work/out" | tail -n 1)
        nodes=$(echo "$line" | sed -E 's/.* ([0-9]+) nodes in .*/\1/')
        time=$(seconds "$(echo "$line" | sed -E 's/.* nodes in ([0-9:.]+).*/\1/')")
        right=$(sed -n -E 's/.*: ([0-9]+ of [0-9]+) as in the file.*/\1/p' "$work/out")
        echo "$time $nodes ${right:--}" >> "$work/runs"
    done
    sort -n "$work/runs" | awk -v label="$label" -v command="$(echo "$*" | sed "s|$work/||; s|^pinned ||")" '
        { line[NR] = $0 }
        END {
            split(line[int((NR + 1) / 2)], f, " ")
            printf "| %s | %s | %.1f M | %s s | %.1f M | `%s` |\n", label, f[3] == "-" ? "" : f[3] " of " f[5] " right", \
                f[2] / 1e6, f[1], f[2] / 1e6 / (f[1] > 0 ? f[1] : 1), command
        }'
}

echo "Machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $cores cores;" \
    "$($outflank -V); commit $(git rev-parse --short HEAD), $(date +%F)"
echo
echo "| what | positions | nodes | time | nodes/s | command |"
echo "|---|---|---|---|---|---|"
row "FFO 1-19" "$runs" pinned $outflank solve "$problems/fforum-1-19.obf" --threads 1 --hash 256
row "FFO 20-39" "$runs" pinned $outflank solve "$problems/fforum-20-39.obf" --threads 1 --hash 256
for tier in x86-64-v3 portable; do
    export OUTFLANK_TIER=$tier
    row "FFO 20-39, $tier" "$runs" pinned $outflank solve "$problems/fforum-20-39.obf" --threads 1 --hash 256
    unset OUTFLANK_TIER
done
row "hard-20" 1 pinned $outflank solve "$problems/hard-20.obf" --threads 1 --hash 256
if [ -z "${SKIP_LONG:-}" ]; then
    row "FFO 40-59" 1 pinned $outflank solve "$problems/fforum-40-59.obf" --threads 1 --hash 1024
    row "FFO 40-59, $cores threads" 1 $outflank solve "$problems/fforum-40-59.obf" --threads "$cores" --hash 1024
    echo "--------------OX----XO-------------- X" > "$work/6x6.txt"
    row "6x6 from its start" 1 pinned $outflank solve --rules othello:6x6 "$work/6x6.txt" --threads 1 --hash 1024
    row "6x6, $cores threads" 1 $outflank solve --rules othello:6x6 "$work/6x6.txt" --threads "$cores" --hash 1024
fi
