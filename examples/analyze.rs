//! Reviews a game, move by move: `cargo run --release --example analyze -- [MOVES [LEVEL]]`.
//!
//! The moves are a transcript such as `f5d6c3d3c4f4`; passes may be left out.

use outflank::analysis::review::review;
use outflank::formats::transcript;
use outflank::search::ParseLevelError;
use outflank::{Color, Engine, Goal, Limits, Options, Position, StopToken};

const GAME: &str = "d3e3f4c3f5e6f3c4e2g6c5c6d2c2b3d1e1f1b4b5f2g1c1b1a6g5g4h3h4h5f6f7g3a5a4a3a2g2d6d7b6a7a8b2a1h1h2b7c7c8b8d8e8e7f8h7g7g8h6";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let moves = arguments.first().map_or(GAME, String::as_str);
    let game = transcript::parse(&Position::default(), moves).map_err(|error| error.to_string())?;
    let level = arguments.get(1).map_or("6", String::as_str).parse();
    let limits = Limits::new(Goal::Level(level.map_err(|error: ParseLevelError| error.to_string())?));
    let mut engine = Engine::new(Options::default());
    // from the last move to the first, so that what is known of later positions helps with earlier ones
    let review = review(&mut engine, &game, &limits, 1, &StopToken::new(), &mut |judged| {
        eprintln!("judged move {}", judged.ply);
    })?;
    for judged in &review.moves {
        let better = judged.alternatives.first().filter(|_| judged.loss() > 0);
        let better =
            better.map_or(String::new(), |best| format!("  loses {}: {} was {:+}", judged.loss(), best.mv, best.score));
        println!(
            "{:>2}. {:5} {:4} {:+}{better}",
            judged.ply,
            judged.side,
            judged.played.mv.to_string(),
            judged.played.score
        );
    }
    for side in [Color::Black, Color::White] {
        let summary = review.summary(side);
        println!("{}: {} errors in {} choices, {} discs lost", side, summary.errors, summary.choices, summary.discs);
    }
    Ok(())
}
