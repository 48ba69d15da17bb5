//! Solves positions exactly: `cargo run --release --example solve -- "<64 squares> X" ...`.
//!
//! A position is its 64 squares row by row (`X` black, `O` white, `-` empty) and the side to move. Without arguments a
//! built-in problem is solved.

use outflank::{Engine, Goal, Limits, Options, Position, StopToken};

const PROBLEM: &str = "--XXXXX---XOOX-OOOOOXOXO-OOXOOOOOOOOOOOOXXOOOOOO--XOOO----OXO--- X";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let problems = if arguments.is_empty() { vec![PROBLEM.to_string()] } else { arguments };
    // one engine for all of them: its table lives from search to search
    let mut engine = Engine::new(Options { hash_mib: 128, threads: 1 });
    for problem in problems {
        let position: Position = problem.parse().map_err(|error| format!("{problem}: {error}"))?;
        let report = engine.search(&position, &Limits::new(Goal::Exact), &StopToken::new(), &mut |report| {
            // long solves are preceded by quicker searches with scores that are likely but not proved
            eprintln!("depth {:>6}  score {:+}", report.depth_text(), report.score);
        })?;
        let Some(best) = report.best() else {
            println!("{problem}: the game is over, {:+}", report.score);
            continue;
        };
        let line: Vec<String> = best.pv.iter().map(ToString::to_string).collect();
        println!("{problem}: {:+} with {} ({} nodes)", best.score, line.join(" "), report.nodes);
    }
    Ok(())
}
