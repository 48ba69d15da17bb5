#!/bin/sh
# Makes a test set of midgame positions with proven scores, as benches/midgame-26.obf was made:
#
#     benches/midgame.sh FOLDER > set.obf
#
# The positions, one a game, come from self-play with a seed that no training used. Solving takes about an hour of a core;
# to keep it there, only the positions with the fewest moves for both sides are tried, and those that take too many nodes
# left out: the set is easier than a random one. Everything is kept in FOLDER: after a kill the same command goes on where
# it was. OUTFLANK=PROGRAM takes another build, JOBS=N solves N positions side by side. Other sets: SEED=N, GAMES=N,
# EMPTIES=N empty squares, TRY=N positions, NODES=N for each of them.
set -eu
[ $# = 1 ] || { echo "usage: benches/midgame.sh FOLDER > set.obf" >&2; exit 2; }
repository=$(cd "$(dirname "$0")/.." && pwd)
outflank=${OUTFLANK:-$repository/target/release/outflank}
seed=${SEED:-9002} games=${GAMES:-1200} empties=${EMPTIES:-26} try=${TRY:-330} nodes=${NODES:-200M} jobs=${JOBS:-1}
mkdir -p "$1"
cd "$1"

if [ ! -s list.obf ]; then
    "$outflank" selfplay --out games.osp --seed "$seed" --balance 10 --random-plies 8-32 --threads 1 --games "$games" >&2
    # a position with a side more than 30 discs ahead does not count
    "$outflank" selfplay --export games.osp | awk -v empties="$empties" '
        { board = $1; value = $3 + 0
          if (gsub("-", "-", board) == empties && value >= -30 && value <= 30) print $1, $2 }' > candidates.obf
    # the ones with the lowest product of the numbers of moves, in the order of the games
    awk '
        function mobility(board, own, other,    square, dy, dx, y, x, n, disc, legal, count) {
            count = 0
            for (square = 0; square < 64; square++) {
                if (substr(board, square + 1, 1) != "-") continue
                legal = 0
                for (dy = -1; dy <= 1 && !legal; dy++) for (dx = -1; dx <= 1 && !legal; dx++) {
                    if (dy == 0 && dx == 0) continue
                    y = int(square / 8) + dy; x = square % 8 + dx; n = 0
                    while (y >= 0 && y < 8 && x >= 0 && x < 8) {
                        disc = substr(board, 8 * y + x + 1, 1)
                        if (disc != other) break
                        n++; y += dy; x += dx
                    }
                    legal = n > 0 && y >= 0 && y < 8 && x >= 0 && x < 8 && disc == own
                }
                count += legal
            }
            return count
        }
        { printf "%d %d %s\n", mobility($1, "X", "O") * mobility($1, "O", "X"), NR, $0 }' candidates.obf |
        sort -k1,1n -k2,2n | head -n "$try" | sort -k2,2n | cut -d' ' -f3- > list.new
    mv list.new list.obf
fi

# results come in the order of the list, so that their number says where to go on
touch tried.jsonl solved.obf
tail -n "+$(($(wc -l < tried.jsonl) + 1))" list.obf |
    "$outflank" solve - --json --nodes "$nodes" --hash 512 --jobs "$jobs" >> tried.jsonl
sed -n '/"exact":true/s/.*"position":"\([^"]*\)".*/\1;/p' tried.jsonl > solvable.obf
tail -n "+$(($(wc -l < solved.obf) + 1))" solvable.obf |
    "$outflank" solve - --best-moves --obf --hash 512 --jobs "$jobs" >> solved.obf
cat << END
% Midgame positions with their exact scores and all their best moves, for 'outflank accuracy'.
%
% Made by this program alone, with benches/midgame.sh (weights $(head -c 400 games.osp | sed -n 's/^eval=0*//p')):
%   outflank selfplay --out games.osp --seed $seed --balance 10 --random-plies 8-32 --threads 1 --games $games
% gave one position a game, with $empties empty squares; of these the $try with the lowest product of the numbers of moves of
% both sides were tried with at most $nodes nodes each ($(wc -l < solvable.obf) were solved), and then solved with
%   outflank solve solvable.obf --best-moves --obf --hash 512
% 'cargo test --test midgame_set -- --ignored' proves them again.
END
cat solved.obf
