#!/bin/sh
# The readers of `fuzz_readers` under libFuzzer, which looks for inputs that take new ways through the code:
#
#     benches/fuzz.sh [SECONDS [READER...]]        60 seconds each for all of them when none is named
#
# Needs a nightly compiler, `g++` for libFuzzer (crate libfuzzer-sys) and some minutes for the build, which is made in `target/fuzz`
# and has checks of overflows. Inputs that lead somewhere are kept in `target/fuzz/inputs` and gone on from the next time; one that
# fails is named, and `target/fuzz/failed` has it. Without a nightly compiler it says so and leaves with status 77.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
host=$(rustc -vV | sed -n 's/^host: //p')
seconds="${1:-60}"
[ $# -eq 0 ] || shift
rustup run nightly rustc --version 2> /dev/null || {
    echo "fuzz.sh: skipped: no nightly compiler is installed"
    exit 77
}

mkdir -p target/fuzz/src target/fuzz/failed
ln -sfn "$root/src/eval" target/fuzz/src/eval
cat > target/fuzz/Cargo.toml << END
[package]
name = "fuzz"
version = "0.0.0"
edition = "2024"
[workspace]
[dependencies]
outflank = { path = "$root" }
flate2 = "1"
libfuzzer-sys = "0.4"
rand = "0.10"
serde_json = "1"
[profile.release]
opt-level = 2
debug = "line-tables-only"
debug-assertions = true
overflow-checks = true
END
cat > target/fuzz/src/main.rs << END
#![no_main]
#![allow(dead_code)]
use std::cell::OnceCell;
use std::fs;
use std::path::Path;

mod fuzz {
    #[path = "$root/tests/fuzz/books.rs"]
    pub mod books;
    #[path = "$root/tests/fuzz/games.rs"]
    pub mod games;
    #[path = "$root/tests/fuzz/readers.rs"]
    pub mod readers;
}
use fuzz::readers::{Target, targets};

thread_local! {
    static TARGET: OnceCell<Target> = const { OnceCell::new() };
}

/// The reader that FUZZ names; without a name all readers write their seeds, and the process ends.
fn target() -> Target {
    let folder = std::env::temp_dir().join(std::process::id().to_string());
    fs::create_dir(&folder).unwrap();
    let all = targets(folder);
    let Ok(name) = std::env::var("FUZZ") else {
        for target in &all {
            println!("{}", target.name);
            let inputs = Path::new("inputs").join(target.name);
            fs::create_dir_all(&inputs).unwrap();
            for (i, seed) in target.seeds.iter().enumerate() {
                fs::write(inputs.join(format!("seed{i}")), seed).unwrap();
            }
        }
        std::process::exit(0);
    };
    all.into_iter().find(|target| target.name == name).expect("FUZZ is the name of a reader")
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    TARGET.with(|cell| (cell.get_or_init(target).read)(input));
});
END
llvm="-Cllvm-args=-sanitizer-coverage"
flags="-Cpasses=sancov-module $llvm-level=4 $llvm-inline-8bit-counters $llvm-pc-table $llvm-trace-compares --cfg fuzzing"
RUSTFLAGS="$flags" cargo +nightly build --release --quiet --target "$host" --manifest-path target/fuzz/Cargo.toml --target-dir target/fuzz/build
program="$root/target/fuzz/build/$host/release/fuzz"
cd target/fuzz
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
# to leave from within counts as a crash
names=$("$program" -runs=1 2> /dev/null) || [ -n "$names" ]
rm -f crash-*
status=0
# a name a line: some have blanks
IFS='
'
[ $# -gt 0 ] || set -- $names
for name in "$@"; do
    log="failed/$name.log"
    if FUZZ="$name" "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2000 -max_len=16384 \
        -artifact_prefix="failed/$name-" "inputs/$name" > "$log" 2>&1; then
        echo "$name: $(grep -a DONE "$log" | tr '\t' ' ')"
        rm "$log"
    else
        echo "$name: FAILED, see target/fuzz/$log: $(grep -a -m1 -A1 panicked "$log" | tail -1 | cut -c1-200)"
        status=1
    fi
done
exit $status
