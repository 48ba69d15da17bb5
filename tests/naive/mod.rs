//! The rules a second time, deliberately naive: a table of characters, loops, nothing shared with `src/`.

use std::collections::BTreeMap;

/// What the rule sheets differ in, in the words of the text form.
#[derive(Clone, Debug)]
pub struct NaiveRules {
    pub rows: i32,
    pub columns: i32,
    pub start: &'static str,
    pub one_direction: bool,
    pub own_supply: bool,
    pub second_wins: bool,
    pub fewest: bool,
    /// Squares that do not exist, as (row, column).
    pub holes: Vec<(i32, i32)>,
    /// Corners of the first player at the start, as (row, column).
    pub corners: Vec<(i32, i32)>,
}

/// A game state: cells are '1' and '2' for the players' discs, '.' for empty squares and ' ' for holes.
#[derive(Clone, Debug)]
pub struct NaiveGame {
    rules: NaiveRules,
    cells: Vec<Vec<char>>,
    to_move: char,
    in_hand: BTreeMap<char, i32>,
    still_to_place: i32,
}

const COMPASS: [(&str, i32, i32); 8] =
    [("N", -1, 0), ("S", 1, 0), ("W", 0, -1), ("E", 0, 1), ("NW", -1, -1), ("NE", -1, 1), ("SW", 1, -1), ("SE", 1, 1)];

fn other(player: char) -> char {
    if player == '1' { '2' } else { '1' }
}

pub fn name(row: i32, column: i32) -> String {
    let letters: Vec<char> = "abcdefghijklmnop".chars().collect();
    format!("{}{}", letters[column as usize], row + 1)
}

impl NaiveGame {
    pub fn new(rules: NaiveRules) -> NaiveGame {
        let mut cells = vec![vec!['.'; rules.columns as usize]; rules.rows as usize];
        let below = (rules.rows / 2) as usize;
        let above = below - 1;
        let right = (rules.columns / 2) as usize;
        let left = right - 1;
        let four = match rules.start {
            "crossed" => "2112",
            "crossed-mirrored" => "1221",
            "parallel" => "2211",
            "placement" => "....",
            other => panic!("{other}"),
        };
        let four: Vec<char> = four.chars().collect();
        cells[above][left] = four[0];
        cells[above][right] = four[1];
        cells[below][left] = four[2];
        cells[below][right] = four[3];
        let placing = rules.start == "placement";
        for (row, column) in &rules.holes {
            cells[*row as usize][*column as usize] = ' ';
        }
        for (row, column) in &rules.corners {
            cells[*row as usize][*column as usize] = '1';
        }
        let squares = rules.rows * rules.columns - rules.holes.len() as i32;
        let on_board = |player: char| cells.iter().flatten().filter(|cell| **cell == player).count() as i32;
        // the odd square is the first player's
        let in_hand = BTreeMap::from([('1', (squares + 1) / 2 - on_board('1')), ('2', squares / 2 - on_board('2'))]);
        NaiveGame { in_hand, cells, to_move: '1', still_to_place: if placing { 4 } else { 0 }, rules }
    }

    pub fn to_move(&self) -> char {
        self.to_move
    }

    pub fn in_hand(&self, player: char) -> i32 {
        self.in_hand[&player]
    }

    pub fn cell(&self, row: i32, column: i32) -> char {
        if row < 0 || column < 0 || row >= self.rules.rows || column >= self.rules.columns {
            return ' ';
        }
        self.cells[row as usize][column as usize]
    }

    pub fn count(&self, player: char) -> i32 {
        self.cells.iter().flatten().filter(|cell| **cell == player).count() as i32
    }

    /// Squares whose discs `player` outflanks in one direction.
    fn outflanked(&self, player: char, row: i32, column: i32, down: i32, right: i32) -> Vec<(i32, i32)> {
        let mut found = Vec::new();
        let (mut y, mut x) = (row + down, column + right);
        while self.cell(y, x) == other(player) {
            found.push((y, x));
            y += down;
            x += right;
        }
        if self.cell(y, x) == player { found } else { Vec::new() }
    }

    /// Every placement open to a player, as it is written, with the squares that turn.
    pub fn placements(&self, player: char) -> BTreeMap<String, Vec<(i32, i32)>> {
        let mut moves = BTreeMap::new();
        if self.rules.own_supply && self.in_hand[&player] == 0 {
            return moves;
        }
        for row in 0..self.rules.rows {
            for column in 0..self.rules.columns {
                if self.cell(row, column) != '.' {
                    continue;
                }
                if self.still_to_place > 0 {
                    let middle_row = row == self.rules.rows / 2 || row == self.rules.rows / 2 - 1;
                    let middle_column = column == self.rules.columns / 2 || column == self.rules.columns / 2 - 1;
                    if middle_row && middle_column {
                        moves.insert(name(row, column), Vec::new());
                    }
                    continue;
                }
                let mut all = Vec::new();
                for (letters, down, right) in COMPASS {
                    let line = self.outflanked(player, row, column, down, right);
                    if self.rules.one_direction && !line.is_empty() {
                        moves.insert(format!("{}:{letters}", name(row, column)), line.clone());
                    }
                    all.extend(line);
                }
                if !self.rules.one_direction && !all.is_empty() {
                    moves.insert(name(row, column), all);
                }
            }
        }
        moves
    }

    pub fn is_over(&self) -> bool {
        self.placements('1').is_empty() && self.placements('2').is_empty()
    }

    pub fn pass(&mut self) {
        self.to_move = other(self.to_move);
    }

    /// Plays a placement that [`placements`](NaiveGame::placements) lists.
    pub fn place(&mut self, text: &str) {
        let turned = self.placements(self.to_move)[text].clone();
        for row in 0..self.rules.rows {
            for column in 0..self.rules.columns {
                if text.split(':').next() == Some(name(row, column).as_str()) {
                    self.cells[row as usize][column as usize] = self.to_move;
                }
            }
        }
        for (row, column) in turned {
            self.cells[row as usize][column as usize] = self.to_move;
        }
        *self.in_hand.get_mut(&self.to_move).unwrap() -= 1;
        if self.still_to_place > 0 {
            self.still_to_place -= 1;
            // first, first, second, second, and the first player begins
            self.to_move = if self.still_to_place == 3 || self.still_to_place == 0 { '1' } else { '2' };
        } else {
            self.pass();
        }
    }

    /// '1', '2', or '=' for a draw; the game must be over.
    pub fn winner(&self) -> char {
        let (first, second) = (self.count('1'), self.count('2'));
        if first == second {
            return if self.rules.second_wins { '2' } else { '=' };
        }
        let more = if first > second { '1' } else { '2' };
        if self.rules.fewest { other(more) } else { more }
    }

    /// The first player's score, empty squares given to the winner unless `discs_only`.
    pub fn score(&self, discs_only: bool) -> i32 {
        let (first, second) = (self.count('1'), self.count('2'));
        let empty = if discs_only { 0 } else { self.count('.') };
        let margin = (first - second).abs() + if first == second { 0 } else { empty };
        if (first > second) == self.rules.fewest { -margin } else { margin }
    }
}
