//! What users give as a position or a game: a file, or the text itself.

use std::path::Path;
use std::sync::Arc;

use outflank::formats::{obf, transcript};
use outflank::game::Game;
use outflank::rules::{Position, RuleSet};

use super::error::Error;
use super::input;

/// What an argument or a file turned out to hold.
pub enum Material {
    /// Positions (a board string, OBF problems).
    Positions(Vec<Position>),
    /// Games, from a list of moves given on the command line.
    Moves(Box<Game>),
    /// Games from a file.
    Games(Vec<Game>),
}

/// Reads an argument: the name of a file (`-` is standard input), or else a board string, an OBF problem or moves.
pub fn read(argument: &str, rules: &Arc<RuleSet>) -> Result<Material, Error> {
    let path = Path::new(argument);
    if argument == "-" || path.exists() {
        return read_file(path, rules);
    }
    if let Ok(game) = transcript::parse(&Position::start(rules.clone()), argument) {
        return Ok(Material::Moves(Box::new(game)));
    }
    match obf::parse_line(argument, 1, rules) {
        Ok(Some(problem)) => Ok(Material::Positions(vec![problem.position])),
        Ok(None) => Err(Error::input("the position is empty")),
        Err(error) => Err(not_readable(argument, rules, &error)),
    }
}

/// Neither a file, nor a position, nor moves: which of them was meant decides what is said.
fn not_readable(argument: &str, rules: &Arc<RuleSet>, board: &obf::ObfError) -> Error {
    let moves = transcript::parse(&Position::start(rules.clone()), argument).err();
    match moves {
        // some moves were read: it is a transcript with an error in it
        Some(error) if error.ply > 1 => Error::input(error.to_string()),
        _ if argument.trim().chars().count() >= rules.squares() as usize / 2 => Error::input(board.to_string()),
        _ => Error::input(format!("'{argument}' is neither a file nor a position nor moves")),
    }
}

/// Reads a file: positions (boards, OBF), or games, one list of moves a line.
pub fn read_file(path: &Path, rules: &Arc<RuleSet>) -> Result<Material, Error> {
    let name = input::name(path);
    let bytes = input::read_all(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['%', '#']));
    let start = Position::start(rules.clone());
    let is_moves =
        lines().next().is_some_and(|line| transcript::parse(&start, line).is_ok_and(|game| !game.moves().is_empty()));
    if is_moves {
        let mut games = Vec::new();
        for (i, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.trim_start().starts_with(['%', '#']) {
                continue;
            }
            games.push(
                transcript::parse(&start, line)
                    .map_err(|error| Error::input(format!("{name}: line {}: {error}", i + 1)))?,
            );
        }
        return Ok(Material::Games(games));
    }
    let problems: Result<Vec<_>, _> =
        obf::Reader::new(bytes.as_slice(), rules.clone()).map(|(_, problem)| problem.map(|p| p.position)).collect();
    match problems {
        Ok(positions) if positions.is_empty() => Err(Error::input(format!("{name}: nothing to analyse"))),
        Ok(positions) => Ok(Material::Positions(positions)),
        Err(error) => Err(Error::input(format!("{name}: {error}"))),
    }
}
