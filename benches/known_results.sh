#!/bin/sh
# Computes the solved boards and the matches of src/rules/results.md again:
#
#     benches/known_results.sh [known] [new] [confirm] [strength]       all four parts by default
#
#   known     the published values, 4x8 (a minute) and 6x6 (ten minutes) included; fails when one differs
#   new       the tables of unpublished values, as Markdown
#   confirm   the same values proved by an independent plain solver (an hour or more, gigabytes of memory)
#   strength  100 games of every rule set against two simple players; fails below 95 % won
#
# OUTFLANK_RULES="othello:4x6,one ..." asks the last three for other rules, OUTFLANK_GAMES and OUTFLANK_NODES the last
# for other games.
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- known new confirm strength

# ignored TEST [FILTER]: the ignored tests of a file
ignored() {
    cargo test --release --quiet --test "$1" -- --ignored --nocapture ${2:+"$2"}
}

for part; do
    echo "== $part"
    case $part in
        known) ignored rules_known_results ;;
        new) ignored rules_new_results print_results ;;
        confirm) ignored rules_new_results all_rules_on_4x6 ;;
        strength) ignored general_strength ;;
        *) echo "known_results.sh: no part '$part': known, new, confirm, strength" >&2; exit 2 ;;
    esac
done
