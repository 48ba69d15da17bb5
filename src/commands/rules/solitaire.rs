//! The rules of the solitaire told to somebody who has lost the sheet.

use outflank::solo::{Game, Layout};

use super::page::{Block, Page};
use crate::commands::solo::board;

/// Squares and chips that the example turns up.
const EXAMPLE: [(&str, &str); 7] =
    [("d2", "b1"), ("c3", "g9"), ("e2", "g3"), ("f3", "g7"), ("g2", "b-"), ("h3", "b4"), ("g4", "g-")];

/// The page of the solitaire.
pub fn page() -> Page {
    let text = |text: &str| Block::Text(text.to_string());
    let mut game = Game::unknown(Layout::LATTICE);
    for (square, chip) in EXAMPLE {
        let (square, chip) = (square.parse().expect("a square"), chip.parse().expect("a chip"));
        game.reveal(&[(square, chip)]).expect("each chip once");
    }
    let mut blocks = vec![
        text(
            "For one player, by Reiner Knizia, on the sheet of the 2006 edition: win as many of 24 hidden chips as you can. \
             Play it with `outflank solo`; with the chips on your own table, `outflank solo --box` advises.",
        ),
        Block::Heading("Set-up"),
        text(
            "24 chips in two colours, gold and black, each colour with the numbers 1 to 10 and two blanks, are shuffled face \
             down onto 24 squares; the usual four discs, two of each colour, stand on the centre:",
        ),
        Block::Board(board::draw(game.view(), false)),
        Block::Text(board::LEGEND.to_string()),
        Block::Heading("A turn"),
        text(
            "Place a disc, either colour up, on a free square (no disc, no chip). Together with another disc of the same colour \
             it must enclose something: discs of the other colour, which turn as usual (all lines; chips interrupt a line), \
             or a face-up chip of the other colour, which you win. A chip is won when it lies singly between the disc just \
             placed and a disc of the same colour, both directly beside it, straight or diagonal; several chips may be won \
             in different directions. A chip on the rim is won along the rim.",
        ),
        text(
            "Discs turn first, then chips are won and leave the board, and their squares are free. Then all face-down chips \
             straight beside the disc just placed (not diagonally) are turned face up and stay so; a chip turned up by this \
             disc is not won by it.",
        ),
        text("An example: after gold on d3 (d3g) and black on e3 (e3b), which turn discs and turn chips up,"),
    ];
    for mv in ["d3g", "e3b"] {
        game.play(mv.parse().expect("a turn")).expect("the example is legal");
    }
    blocks.push(Block::Board(board::draw(game.view(), false)));
    let mv = "g3b".parse().expect("a turn");
    let effect = game.play(mv).expect("the example is legal");
    let told = board::turn(game.view(), mv, effect);
    blocks.push(Block::Text(format!("black on g3 wins the gold 7 on f3 and turns up three chips ({told}):")));
    blocks.push(Block::Board(board::draw(game.view(), false)));
    blocks.extend([
        Block::Heading("The end"),
        text("The game ends when all chips are won, or when none can be won any more: no turn is legal, or no sequence of turns wins a chip."),
        Block::Heading("Score"),
        text("The number of chips won; 24 is perfect."),
        Block::Heading("Variants"),
        text(
            "Score the sum of the numbers on the won chips instead (blanks count nothing); whoever has won all four blanks \
             doubles it. 220 is perfect: `outflank solo --scoring points`.",
        ),
        Block::Heading("Readings"),
        Block::List(
            [
                "The picture with the chips' squares is lost. The sheet's example (one chip won and three turned up by the \
                 same disc) cannot happen on the ring b2..g7 with c3, f3, c6 and f6, and happens on the lattice above: `lattice` \
                 is the default, `--layout ring` the other, and any list of 24 squares is possible.",
                "The sheet says that one \"may\" win chips: a turn must turn a disc or win a chip, and what is enclosed is won.",
                "The order of a turn: enclose, win, then turn up.",
            ]
            .map(|reading| format!("(reading) {reading}"))
            .into(),
        ),
    ]);
    Page { title: "ravensburger-solo".to_string(), blocks }
}
