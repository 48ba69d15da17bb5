#!/bin/bash
# The long tests, each part with its time and its result, as one table (that of tests/README.md):
#
#     benches/campaign.sh [PART...]
#
# Parts that are named are run (again); without names, those that have no result for this commit yet, so that a campaign
# that was broken off goes on where it was. SHARE=N runs an N-th of the sizes below, and MUTANTS=K/N that share of the mutants
# (0/100). PROFILE=mutants builds in a third of the time and runs at half the speed: for SHARE=1000, which tries this script.
# Everything runs at the lowest priority; the whole takes some hours on two cores.
#
# | part | what |
# |---|---|
# | readers | mutated inputs of every reader |
# | protocols | sessions of every protocol, with lines that arrive during searches |
# | matches | descriptions of players, clocks and records of matches |
# | differential | exact scores against plain alpha-beta on every tier |
# | stops | searches that are stopped and go on, 2 to 16 threads |
# | solves | small solves by 2 to 16 threads, 100,000 of them |
# | soak | GTP games in one process, whose memory may not grow |
# | kills | kills and power failures of every writer, by the order of system calls |
# | clocks | games on 17 clocks; wants an idle machine |
# | address, thread, miri | the sanitizers |
# | mutants | how many changes of the code the tests notice |
set -u
cd "$(dirname "$0")/.." || exit 2
parts="readers protocols matches differential stops solves soak kills clocks address thread miri mutants"
share=${SHARE:-1}
profile=${PROFILE:-quick}
commit=$(git rev-parse --short HEAD)
folder=target/campaign/$commit
mkdir -p "$folder"

# tests NAME VARIABLE COUNT ARGUMENTS...: a test file with so much to do, and at least so much (`least`)
tests() {
    local name=$1 variable=$2 count=$3 least=${least:-1}
    shift 3
    size=$((count / share > least ? count / share : least))
    run env "$variable=$size" cargo test --locked --profile "$profile" --test "$name" -- --nocapture "$@"
}

run() {
    nice -n 19 "$@" > "$log" 2>&1
}

part() {
    local begun=$SECONDS status=0 result
    log=$folder/$1.log size=''
    case $1 in
        readers) tests fuzz_readers OUTFLANK_FUZZ 1000000 mutated_inputs ;;
        protocols) tests protocol_fuzz OUTFLANK_FUZZ 1000000 ;;
        # of fewer texts too few are understood by chance, and its test fails
        matches) least=10000 tests match_fuzz OUTFLANK_FUZZ 1000000 ;;
        differential) tests differential OUTFLANK_DIFFERENTIAL 20000 ;;
        stops) tests stress OUTFLANK_STOPS 10000 ;;
        solves) tests parallel OUTFLANK_SOLVES 100000 --ignored hundred_thousand ;;
        # of fewer games none follows those that warm it up
        soak) least=200 tests soak OUTFLANK_SOAK 100000 ;;
        kills)
            run cargo test --locked --profile "$profile" --test durable --test whole_files --test match_files --test selfplay
            ;;
        # nobody else has the priority that clocks are kept with
        clocks)
            size="every $share. clock of 17"
            OUTFLANK_CLOCKS=$share cargo test --locked --profile "$profile" --test clock_matrix -- --ignored --nocapture \
                > "$log" 2>&1
            ;;
        address | thread | miri) run benches/sanitizers.sh "$1" ;;
        mutants) size="share ${MUTANTS:-0/100}" && run benches/mutants.sh "${MUTANTS:-0/100}" ;;
        *)
            echo "campaign.sh: no part '$1'; there are $parts" >&2
            exit 2
            ;;
    esac
    status=$?
    case $status in
        0) result='right' ;;
        77) result="skipped: $(sed -n 's/^.*: skipped: //p' "$log" | tail -n 1)" ;;
        *) result="FAILED, see $log" ;;
    esac
    # what the part says of itself at its end, or of each of its kinds
    local said
    said=$(grep -hE '^[0-9]+ (positions|searches|solves|games|of [0-9]+ viable)' "$log" | tail -n 1)
    [ -n "$said" ] || said=$(awk '
        { for (i = 1; i < NF; i++) if ($(i + 1) ~ /^(inputs|understood|lines|sessions),?$/) sum[$(i + 1)] += $i }
        sum["inputs,"] { text = sum["inputs,"] " inputs, " sum["understood,"] " understood" }
        sum["sessions,"] { text = sum["lines"] " lines in " sum["sessions,"] " sessions" }
        END { print text }' "$log")
    local seconds=$((SECONDS - begun))
    printf '| %s | %s | %d:%02d | %s%s |\n' "$1" "$size" $((seconds / 60)) $((seconds % 60)) "$result" \
        "${said:+; $said}" | tee "$folder/$1.row"
    [ "$status" -eq 0 ] || [ "$status" -eq 77 ] || failed=1
}

failed=0
if [ $# -gt 0 ]; then wanted=$*; else wanted=$parts; fi
for name in $wanted; do
    if [ $# -gt 0 ] || [ ! -e "$folder/$name.row" ]; then part "$name"; fi
done
echo
echo "$(date +%F), commit $commit, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
echo
printf '| part | size | min:s | result |\n|---|---|---|---|\n'
for name in $parts; do cat "$folder/$name.row" 2> /dev/null; done
exit "$failed"
