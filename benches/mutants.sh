#!/bin/sh
# How many small changes of the code the tests notice:
#
#     benches/mutants.sh [K/N] [ROOM...]
#
# takes the mutants that cargo-mutants lists (`cargo install cargo-mutants --locked`) of the rooms (search rules formats
# tournament by default; play protocol analysis book solo web commands selfplay train eval too), of which share K of N (0/100 by default), evenly spread. All of
# them are built into one program, in which the environment switches one on (the tool is benches/mutants/): one build, of ten minutes on an idle machine, instead
# of thousands. Each test runs once, to see how long it takes and which mutants it comes by; then each mutant meets the tests that
# come by it, quick ones first, until one fails: seconds each; changes of the search that none of them notices meet the whole
# signature. What stands in constants cannot be switched, and what only other systems compile is never met: both are not tried.
#
# What the tests miss is printed; all results stand in target/mutation/tree/mutants.results, and a run that was broken off goes
# on there when it is started with KEEP=1 and the same arguments. MUTANTS_ONLY="3 17" tries these numbers again,
# MUTANTS_SECONDS=15 without the tests that take longest. Another share is a fresh sample, and built anew. Leaves with
# status 77 where cargo-mutants is missing, with 2 when less than 95 % of the viable mutants were caught.
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
folder=target/mutation
tree=$folder/tree
list=$folder/list.json
mkdir -p "$tree"
files='' tests=''
for room in "$@"; do
    # the tests beside the library's own that are about the room, those that take a minute and more left out
    case $room in
        search) tests="$tests solver solver_edges general_search signature full_width differential parallel" ;;
        rules) tests="$tests rules_acceptance rules_differential general_search" ;;
        formats) tests="$tests formats samples hostile_files fuzz_readers cli" ;;
        tournament) tests="$tests match match_files match_fuzz match_hostile cli" ;;
        play) tests="$tests gtp nboard cassio ponder cli" ;;
        protocol) tests="$tests gtp gtp_rules nboard cassio ponder protocol_fuzz terminal cli" ;;
        analysis) tests="$tests cli json_fields signature web_api" ;;
        book) tests="$tests book book_properties" ;;
        solo) tests="$tests solo solo_command" ;;
        web) tests="$tests web_api web_server web_fuzz" ;;
        commands) tests="$tests cli book match match_files gtp nboard cassio solo_command eval_option terminal json_fields selfplay recipe" ;;
        selfplay) tests="$tests selfplay" ;;
        train) tests="$tests selfplay recipe" ;;
        eval) tests="$tests eval_option signature full_width general_search solver" ;;
        *)
            echo "mutants.sh: no room '$room'" >&2
            exit 2
            ;;
    esac
    files="$files --file src/$room/**"
done
tests=$(echo "$tests" | tr ' ' '\n' | sort -u | tr '\n' ' ')
export OUTFLANK_FUZZ=2000 OUTFLANK_DIFFERENTIAL=50 OUTFLANK_STOPS=40 MUTANTS_TESTS="$tests"
# two positions, and other rules, show nearly every change of the search
export MUTANTS_SOON="the_search_is_the_one_in_the_repository_on_every_tier searches_under_other_rules_are_those_in_the_repository"
export OUTFLANK_SIGNATURE_STEP=39 OUTFLANK_SIGNATURE_FILE="$PWD/$tree/signature.txt"
# what has nothing to do with these rooms
others=
for module in web book solo train selfplay commands; do
    case " $* " in *" $module "*) ;; *) others="$others $module" ;; esac
done
export MUTANTS_SKIP="${MUTANTS_SKIP-$others}"
cargo build --quiet --locked --manifest-path benches/mutants/Cargo.toml --target-dir "$folder/tool"
tool=$folder/tool/debug/mutants
if [ -z "${KEEP:-}" ] || [ ! -e "$tree/mutants.states" ]; then
    # the patterns of files are cargo-mutants' own
    set -f
    # shellcheck disable=SC2086
    cargo mutants --list --json --sharding round-robin --shard "$share" $files > "$list"
    set +f
    rm -rf "$tree/mutants.states" "$tree/mutants.results" "$tree"/target/mutants/deps/*.reached
    # new times: what an earlier run changed is compiled again
    git ls-files -z | tar -c --null -T - -f - | tar -xmf - -C "$tree"
    # test material that lies beside the repository
    [ ! -d ../shared ] || ln -sfn "$(cd ../shared && pwd)" "$folder/shared"
    "$tool" write "$list" "$tree"
    # what the unchanged search does on a few positions
    cp benches/signature.txt "$tree/signature.txt"
    (cd "$tree" && UPDATE_SIGNATURE=1 cargo test --quiet --locked --profile mutants --test signature)
fi
"$tool" test "$list" "$tree"
states=$tree/mutants.states results=$tree/mutants.results
touch "$results"
# mutants that were tried again stand there twice
tac "$results" | awk '!seen[$1]++' | tac > "$results.last"
mv "$results.last" "$results"
# what a few positions did not show, all of them may: the search's whole signature, as it is in the repository
signature=$(find "$tree/target/mutants/deps" -maxdepth 1 -name 'signature-*' -type f -perm -u+x -printf '%T@ %p\n' |
    sort -n | sed -n '$s/^[^ ]* //p')
for number in $(sed -n 's/^\([0-9]*\) missed .*| src\/search\/.*/\1/p' "$results"); do
    if ! (
        unset OUTFLANK_SIGNATURE_STEP OUTFLANK_SIGNATURE_FILE
        ulimit -t 600
        MUTANTS_ACTIVE=$number "$signature" --exact the_search_is_the_one_in_the_repository_on_every_tier > /dev/null 2>&1
    ); then
        sed -i "s/^$number missed by [0-9]* tests/$number caught by the whole signature/" "$results"
    fi
done
grep -E '^[0-9]+ (missed|unreached)' "$results" || true
count() { grep -cE "$1" "$2" || true; }
echo "of share $share: $(count ' constant$' "$states") in constants or for other systems, $(count ' unviable$' "$states") do not compile"
for room in "$@"; do
    of=$(count "\| src/$room/" "$results")
    missed=$(count "^[0-9]+ (missed|unreached).*\| src/$room/" "$results")
    echo "$room: $((of - missed)) of $of"
done
viable=$(count . "$results")
missed=$(count '^[0-9]+ (missed|unreached)' "$results")
echo "$((viable - missed)) of $viable viable mutants caught (share $share of $*)"
[ $(((viable - missed) * 100)) -ge $((viable * 95)) ] || exit 2
