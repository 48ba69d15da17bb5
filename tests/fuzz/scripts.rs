//! Sessions for the protocols' state machines: lines that make sense, lines that nearly do, and when they are sent.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::thread;
use std::time::Duration;

use outflank::formats::stream::FileKind;
use outflank::formats::{GameRecord, board_text, files, transcript};
use outflank::rules::Color;
use rand::RngExt;
use rand::rngs::StdRng;

use super::games::{full_games, play, rule_sets};
use super::mutate::mutated;

/// Longest mutated piece, in bytes, and most lines in one: what is sent is read ahead, and an interrupt that stands more
/// than some thousand lines behind a search does not reach it.
const MAX_PIECE: usize = 4096;
const MAX_LINES: usize = 20;

/// What stands for the parts of lines that vary.
pub struct Words {
    moves: Vec<String>,
    boards: Vec<String>,
    games: Vec<String>,
    sequences: Vec<String>,
    rules: Vec<String>,
}

impl Words {
    pub fn new() -> Words {
        let full = full_games(20);
        let one_line = |game| {
            let text = files::games_to_text(&[GameRecord::new(game)], FileKind::Ggf).unwrap();
            text.replace('\n', " ").trim().to_string()
        };
        let cut = |(i, game): (usize, &outflank::game::Game)| {
            let moves = game.moves().iter().take(3 * i).copied();
            let mut shorter = outflank::game::Game::new(game.start().rules().clone());
            moves.for_each(|mv| shorter.play(mv).unwrap());
            shorter
        };
        let cut: Vec<_> = full.iter().enumerate().map(cut).collect();
        let positions = full.iter().flat_map(|game| game.positions().iter().rev().step_by(7));
        let boards = positions.map(|position| board_text::write(position).replace(' ', "")[..64].to_string());
        let other = play(&rule_sets()[3], [1, 2, 3, 4]);
        let pairs = |game: &outflank::game::Game| {
            let side = |i: usize| if game.positions()[i].side_to_move() == Color::Black { "b" } else { "w" };
            let words = game.moves().iter().enumerate().map(|(i, mv)| format!("{} {mv}", side(i)));
            words.collect::<Vec<_>>().join(" ")
        };
        Words {
            moves: full.iter().flat_map(|game| game.moves().iter().take(30)).map(ToString::to_string).collect(),
            boards: boards.collect(),
            sequences: cut.iter().flat_map(|game| [pairs(game), transcript::write(game)]).collect(),
            games: cut.into_iter().chain([other]).map(one_line).collect(),
            rules: rule_sets().iter().map(ToString::to_string).collect(),
        }
    }

    /// A line of a template; letters behind `%` stand for what varies.
    fn fill(&self, template: &str, rng: &mut StdRng) -> String {
        let mut line = String::new();
        let mut letters = template.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                line.push(letter);
                continue;
            }
            match letters.next() {
                Some('m') => line += &any(&self.moves, rng),
                Some('c') => line += &any(&["b", "w", "black", "WHITE"], rng),
                Some('s') => line += &any(&["X", "O", "*"], rng),
                Some('B') => line += &any(&self.boards, rng),
                Some('g') => line += &any(&self.games, rng),
                Some('q') => line += &any(&self.sequences, rng),
                Some('r') => line += &any(&self.rules, rng),
                Some('l') => line += &any(&["0", "1", "2", "3", "5", "60", "61", "-1"], rng),
                Some('n') => line += &any(&["0", "1", "2", "7", "64", "18446744073709551615", "x", "2.5", "-3"], rng),
                Some('t') => line += &any(&["0", "0.01", "0.2", "1", "30", "300", "1e300", "NaN"], rng),
                other => panic!("%{other:?} in {template:?}"),
            }
        }
        line
    }
}

fn any<S: AsRef<str>>(list: &[S], rng: &mut StdRng) -> String {
    list[rng.random_range(0..list.len())].as_ref().to_string()
}

/// What is sent together, and how long the client waits before it sends it.
pub type Sent = (Duration, Vec<u8>);

/// A session of about so many lines: half of the lines are made of templates, half are such lines mutated; most are sent
/// at once, others a little later, so that they arrive while something is being searched.
pub fn session(words: &Words, templates: &[&str], lines: usize, rng: &mut StdRng) -> Vec<Sent> {
    let mut sent = Vec::new();
    for _ in 0..lines {
        let line = words.fill(&any(templates, rng), rng);
        let mut piece = if rng.random_bool(0.5) {
            line.into_bytes()
        } else {
            let seeds: Vec<Vec<u8>> = (0..3).map(|_| words.fill(&any(templates, rng), rng).into_bytes()).collect();
            harmless(mutated(&seeds, rng))
        };
        piece.push(b'\n');
        let wait = if rng.random_bool(0.6) { 0 } else { rng.random_range(0..4000) };
        sent.push((Duration::from_micros(wait), piece));
    }
    sent
}

/// Cuts a piece to its length and lines, and takes from it what would reach beyond the session: paths that lead out of
/// the folder, gigantic tables, hundreds of threads.
fn harmless(mut piece: Vec<u8>) -> Vec<u8> {
    piece.truncate(MAX_PIECE);
    let ends: Vec<usize> = (0..piece.len()).filter(|&i| piece[i] == b'\n').collect();
    ends.into_iter().skip(MAX_LINES).for_each(|i| piece[i] = b' ');
    let lines = piece.split(|byte| *byte == b'\n').map(|line| {
        let text = String::from_utf8_lossy(line).to_ascii_lowercase();
        // names of files follow `loadsgf`, `save`, `s`, `load`, `open`, `o`, in any case and with `set` or `=`
        if ["param", "loadsgf"].iter().any(|word| text.contains(word)) || text.trim_start().starts_with(['s', 'l', 'o'])
        {
            line.iter().map(|&byte| if byte == b'/' || byte.is_ascii_digit() { b'2' } else { byte }).collect()
        } else {
            line.to_vec()
        }
    });
    lines.collect::<Vec<_>>().join(&b'\n')
}

/// The client's end of the pipe.
pub struct Client {
    sent: VecDeque<Sent>,
}

impl Client {
    pub fn new(sent: &[Sent]) -> Client {
        Client { sent: sent.iter().cloned().collect() }
    }
}

impl Read for Client {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((wait, bytes)) = self.sent.front_mut() else { return Ok(0) };
        thread::sleep(std::mem::take(wait));
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        bytes.drain(..count);
        if bytes.is_empty() {
            self.sent.pop_front();
        }
        Ok(count)
    }
}

/// The whole input as the session reads it, line by line.
pub fn lines(sent: &[Sent]) -> Vec<String> {
    let bytes: Vec<u8> = sent.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
    assert_eq!(bytes.last(), Some(&b'\n'));
    bytes[..bytes.len() - 1]
        .split(|byte| *byte == b'\n')
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect()
}

/// Lines sent together after a pause.
pub fn at_last(text: &str) -> Sent {
    (Duration::from_millis(2), text.as_bytes().to_vec())
}
