#!/bin/sh
# How many small changes of the code the tests notice (cargo-mutants; `cargo install cargo-mutants --locked`):
#
#     benches/mutants.sh [K/N] [ROOM...]
#
# takes the mutants of the rooms (search rules formats tournament, all four by default), of which share K of N (0/100 by
# default), evenly spread. First the library's own tests look at each; what they miss is shown to the tests of its room under
# tests/. What both miss is printed and stands in target/mutants/mutants.out/missed.txt. A mutant costs 40 seconds on an idle
# core: all 5,300 take two days and a half, a share of 1/100 takes 40 minutes. Leaves with status 77 where cargo-mutants is
# missing, with 2 when less than 95 % of the viable mutants were caught.
set -eu
cd "$(dirname "$0")/.."
command -v cargo-mutants > /dev/null || { echo "mutants.sh: skipped: cargo-mutants is not installed"; exit 77; }
share=0/100
case ${1:-} in
    */*)
        share=$1
        shift
        ;;
esac
[ $# -gt 0 ] || set -- search rules formats tournament
found=target/mutants
mkdir -p "$found"
rm -rf "$found/mutants.out" "$found/mutants.out.old"
: > "$found/missed"
caught=0 missed=0
# the patterns of files are cargo-mutants' own
set -f
for room in "$@"; do
    # the tests beside the library's own that are about the room, those that take a minute and more left out
    case $room in
        search) tests="solver solver_edges full_width general_search differential parallel" ;;
        rules) tests="rules_acceptance rules_differential general_search solo" ;;
        formats) tests="formats fuzz_readers hostile_files whole_files samples" ;;
        tournament) tests="match match_files match_hostile match_fuzz" ;;
        *)
            echo "mutants.sh: no room '$room'" >&2
            exit 2
            ;;
    esac
    named=$(for test in $tests; do printf -- '--test %s ' "$test"; done)
    # status 2 is mutants that were missed, 3 ones that ran out of time: both are counted below
    mutants="cargo mutants --output $found --sharding round-robin --shard $share --file src/$room/** --no-shuffle"
    export OUTFLANK_FUZZ=2000 OUTFLANK_DIFFERENTIAL=200
    out=$found/mutants.out
    $mutants -- --lib || [ $? -le 3 ]
    # a change that makes an endless loop is noticed too
    cat "$out/caught.txt" "$out/timeout.txt" > "$found/$room.caught"
    if [ -s "$out/missed.txt" ]; then
        # shellcheck disable=SC2086
        $mutants --iterate -- $named || [ $? -le 3 ]
        cat "$out/caught.txt" "$out/timeout.txt" >> "$found/$room.caught"
    fi
    cat "$out/missed.txt" >> "$found/missed"
    caught=$((caught + $(sort -u "$found/$room.caught" | wc -l)))
    missed=$((missed + $(wc -l < "$out/missed.txt")))
    rm -rf "$found/$room" "$out.old"
    mv "$out" "$found/$room"
done
cat "$found/missed"
viable=$((caught + missed))
echo "$caught of $viable viable mutants caught (share $share of $*)"
[ $((caught * 100)) -ge $((viable * 95)) ] || exit 2
