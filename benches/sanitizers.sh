#!/bin/sh
# The tests under the sanitizers of a nightly compiler, and what has no threads and no vectors under Miri:
#
#     benches/sanitizers.sh [address] [thread] [miri]        all three when none is named
#
# Needs `rustup toolchain install nightly --component rust-src,miri`. For threads the standard library is built anew (its locks
# and channels are known to ThreadSanitizer only then); for addresses it is taken as it comes: what it allocates, frees and
# copies is seen all the same, and half of the build is saved. Where a part of that is missing it says so and leaves with
# status 77, which the campaign counts as skipped. The first build takes some minutes on an idle machine.
# OUTFLANK_FUZZ, OUTFLANK_STOPS and OUTFLANK_DIFFERENTIAL say how long the tests run.
set -eu
cd "$(dirname "$0")/.."
host=$(rustc -vV | sed -n 's/^host: //p')
export OUTFLANK_FUZZ="${OUTFLANK_FUZZ:-2000}" OUTFLANK_STOPS="${OUTFLANK_STOPS:-100}"
export OUTFLANK_DIFFERENTIAL="${OUTFLANK_DIFFERENTIAL:-50}"

skip() {
    echo "sanitizers.sh: skipped: $*"
    exit 77
}
command -v rustup > /dev/null || skip "there is no rustup to choose a nightly compiler with"
rustup run nightly rustc --version 2> /dev/null || skip "no nightly compiler is installed"
sysroot=$(rustup run nightly rustc --print sysroot)

# sanitized NAME ARGUMENTS...: the tests, and everything below them, built with a sanitizer
sanitized() {
    name=$1
    shift
    echo "== $name sanitizer"
    # optimised a little, without what only debuggers and the next build want: the build takes longer than the tests. A leak at
    # the end of the process is none: threads that read standard input are left behind on purpose
    ASAN_OPTIONS=detect_leaks=0 RUSTFLAGS="-Zsanitizer=$name -Cforce-frame-pointers=yes" CARGO_INCREMENTAL=0 \
        cargo +nightly test --locked --profile mutants --target "$host" --target-dir "target/sanitizers/$name" "$@"
}

[ $# -gt 0 ] || set -- address thread miri
for what in "$@"; do
    case $what in
        address)
            # searches with all kernels, many threads, stops, readers of strangers' files, and the command's books
            sanitized address --test solver --test parallel --test stress --test fuzz_readers --test book --no-fail-fast
            ;;
        thread)
            [ -d "$sysroot/lib/rustlib/src/rust/library" ] ||
                skip "the nightly compiler has no rust-src to build the library from"
            # what many threads do together: the split of a search, the table, stops, and sessions that read while they search
            # (without the tests that look at a clock: everything takes ten times as long)
            sanitized thread -Zbuild-std --test parallel --test stress --test protocol_fuzz -- \
                --skip prompt --skip immediate --skip deadline
            ;;
        miri)
            rustup run nightly cargo miri --version > /dev/null 2>&1 || skip "the nightly compiler has no Miri"
            echo "== Miri"
            # tests of what has `unsafe` in it and runs without a whole search, with fewer rounds (`cfg!(miri)`); Miri has no
            # vector instructions, so that it sees the portable kernels
            set -- kernel::tests::portable_kernels kernel::tests::sums_are_those_of_wide_integers \
                pages::tests::slices_are_zeroed_aligned_and_writable pages::tests::too_much_is_refused \
                search::othello::tt::tests::bounds_from_both_sides_meet \
                search::othello::tt::tests::bounds_of_another_confidence_are_neither_taken_nor_kept \
                search::othello::tt::tests::other_boards_do_not_match \
                search::othello::tt::tests::what_was_cleared_never_comes_back
            # a test that has got another name would be left out without a word
            for test in "$@"; do
                grep -rqF "fn ${test##*::}()" src || { echo "sanitizers.sh: there is no test $test" >&2; exit 1; }
            done
            MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --locked --no-default-features \
                --target-dir target/sanitizers/miri --lib -- --exact --nocapture "$@"
            ;;
        *)
            echo "sanitizers.sh: address, thread or miri, not '$what'" >&2
            exit 2
            ;;
    esac
done
