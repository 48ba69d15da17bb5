//! `outflank rules`: the rule sets, listed and explained.

use std::io::{self, Write};
use std::sync::Arc;

use clap::Args;
use outflank::rules::presets::{self, PRESETS};
use outflank::rules::{Color, Equality, Flips, Move, Objective, Point, Position, RuleSet, Start, Supply};
use serde_json::{Value, json};

use super::error::{Outcome, Status};
use super::options::parse_rules;

/// Arguments of `rules`.
#[derive(Args)]
#[command(after_help = "\
A rule set is a preset, or a preset with changes: PRESET:CHANGE,CHANGE,... Every command takes it as --rules.

Examples:
  outflank rules                            the presets, and what can be changed
  outflank rules ravensburger-one           everything about one of them
  outflank rules hungarian:6x6,parallel     the same for rules of your own
  outflank play --rules othello:10x10,anti  play by them")]
pub struct RulesArguments {
    /// Explain this rule set instead of listing the presets
    #[arg(value_name = "RULES", value_parser = parse_rules)]
    rules: Option<Arc<RuleSet>>,

    /// JSON: one object a rule set
    #[arg(long)]
    json: bool,
}

const DIMENSIONS: &str = "\
Changes (PRESET:CHANGE,CHANGE,...), one of each kind:
  board         ROWSxCOLUMNS, both even, from 4 to 16: 6x6, 8x10
  start         crossed           the first player's discs upper right and lower left in the centre
                crossed-mirrored  the first player's discs upper left and lower right
                parallel          the first player's two discs side by side, below the second's
                placement         the players place the centre discs: two by the first, two by the second
                start=BOARD       rows from the top: X first player (to move), O second, numbers count empty
                                  squares, as in start=6/6/2OX2/2XO2/6/6
  flips         all               every outflanked line turns
                one               one line only; the mover chooses it (moves are written f5:NE)
  supply        shared            a player never runs out of discs
                own               each player has discs for half the squares; with none in hand a player passes
  equal counts  draw
                second-wins       the player who moved second wins
  objective     most              more discs win
                fewest            fewer discs win (also written anti)
  colour names  colors=FIRST/SECOND";

/// Runs `rules`.
pub fn run(arguments: &RulesArguments) -> Outcome {
    let mut out = io::stdout().lock();
    match (&arguments.rules, arguments.json) {
        (Some(rules), false) => write_one(&mut out, rules)?,
        (None, false) => write_all(&mut out)?,
        (Some(rules), true) => writeln!(out, "{}", to_json(rules))?,
        (None, true) => {
            for preset in &PRESETS {
                writeln!(out, "{}", to_json(&Arc::new(preset.rules())))?;
            }
        }
    }
    Ok(Status::Success)
}

fn write_all(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "Rule sets:")?;
    for preset in &PRESETS {
        writeln!(out, "  {:<17} {}", preset.name, preset.summary)?;
    }
    writeln!(out, "  {:<17} the solitaire with chips: outflank solo\n", presets::SOLITAIRE)?;
    writeln!(out, "{DIMENSIONS}\n")?;
    writeln!(out, "outflank rules RULES explains one rule set.")
}

fn write_one(out: &mut impl Write, rules: &Arc<RuleSet>) -> io::Result<()> {
    let start = Position::start(rules.clone());
    writeln!(out, "{rules}")?;
    if let Some(preset) = presets::find(rules.name()) {
        let changed = if preset.rules() == **rules { "" } else { "changed from: " };
        writeln!(out, "{changed}{}", preset.summary)?;
        for line in wrap(preset.details, 100) {
            writeln!(out, "  {line}")?;
        }
    }
    writeln!(out)?;
    for (name, text) in facts(rules) {
        writeln!(out, "{name:<13} {text}")?;
    }
    writeln!(out)?;
    write_board(out, &start)?;
    let moves: Vec<String> = start.legal_moves().iter().map(Move::to_string).collect();
    writeln!(out, "\n{} to move: {}", rules.color_name(start.side_to_move()), moves.join(" "))
}

/// What each dimension says, in words.
fn facts(rules: &RuleSet) -> [(&'static str, String); 8] {
    let [first, second] = &rules.colors();
    let start = match rules.start() {
        Start::Explicit(..) => "an explicit position".to_string(),
        _ => rules.start_token(),
    };
    let flips = match rules.flips() {
        Flips::All => "all outflanked lines turn",
        Flips::One => "one outflanked line turns, chosen by the mover",
    };
    let supply = match rules.supply() {
        Supply::Shared => "shared: nobody runs out of discs".to_string(),
        Supply::Own => format!("own: {} discs each, those of the start included", rules.discs_each()),
    };
    let equality = match rules.equality() {
        Equality::Draw => "a draw".to_string(),
        Equality::SecondWins => format!("{second} (moving second) wins"),
    };
    let objective = match rules.objective() {
        Objective::Most => "most discs win",
        Objective::Fewest => "fewest discs win",
    };
    let search = if rules.is_fast() { "the 8x8 bitboard search" } else { "the general search" };
    [
        ("colours", format!("{first} moves first, then {second}")),
        ("board", format!("{} rows, {} columns", rules.rows(), rules.columns())),
        ("start", start),
        ("flips", flips.to_string()),
        ("supply", supply),
        ("equal counts", equality),
        ("objective", objective.to_string()),
        ("played by", search.to_string()),
    ]
}

fn write_board(out: &mut impl Write, position: &Position) -> io::Result<()> {
    let rules = position.rules();
    let symbols = rules.symbols();
    let letters: Vec<String> = (0..rules.columns()).map(|column| ((b'a' + column) as char).to_string()).collect();
    writeln!(out, "     {}", letters.join(" "))?;
    for row in 0..rules.rows() {
        let cells: Vec<String> = (0..rules.columns())
            .map(|column| {
                let disc = position.disc_at(Point { row, column });
                disc.map_or('.', |color| symbols[color.index()]).to_string()
            })
            .collect();
        writeln!(out, "  {:>2} {}", row + 1, cells.join(" "))?;
    }
    let names =
        [Color::Black, Color::White].map(|color| format!("{} {}", symbols[color.index()], rules.color_name(color)));
    if rules.symbols().map(String::from) != *rules.colors() {
        writeln!(out, "     {}", names.join(", "))?;
    }
    Ok(())
}

fn to_json(rules: &Arc<RuleSet>) -> Value {
    let preset = presets::find(rules.name());
    let start = Position::start(rules.clone());
    json!({
        "rules": rules.to_string(),
        "preset": rules.name(),
        "summary": preset.map(|preset| preset.summary),
        "details": preset.map(|preset| preset.details),
        "rows": rules.rows(),
        "columns": rules.columns(),
        "start": rules.start_token(),
        "flips": rules.flips().name(),
        "supply": rules.supply().name(),
        "discs_each": (rules.supply() == Supply::Own).then(|| rules.discs_each()),
        "equality": rules.equality().name(),
        "objective": rules.objective().name(),
        "colors": rules.colors(),
        "fast": rules.is_fast(),
        "position": start.to_string(),
        "moves": start.legal_moves().iter().map(Move::to_string).collect::<Vec<String>>(),
    })
}

/// Breaks a text into lines of at most `width` characters.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
