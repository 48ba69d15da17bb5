//! `outflank rules`: the rule sets, listed and explained.

mod page;
mod sheet;
mod solitaire;

use std::io::{self, Write};
use std::sync::Arc;

use clap::Args;
use outflank::formats::board_text;
use outflank::rules::presets::{self, PRESETS};
use outflank::rules::{Color, Equality, Flips, Move, Objective, Position, RuleSet, Start, Supply};
use serde_json::{Value, json};

use self::page::Format;
use super::error::{Error, Outcome, Status};
use super::options::parse_rules;

/// Arguments of `rules`.
#[derive(Args)]
#[command(after_help = "\
A rule set is a preset, or a preset with changes: PRESET:CHANGE,CHANGE,... Every command takes it as --rules.

Examples:
  outflank rules                            the presets, and what can be changed
  outflank rules ravensburger-one           the game for somebody who has lost the sheet
  outflank rules ravensburger-solo          the solitaire
  outflank rules hungarian:6x6,parallel     the same for rules of your own
  outflank rules traveller --format markdown > traveller.md
  outflank play --rules othello:10x10,anti  play by them")]
pub struct RulesArguments {
    /// Explain this rule set (or `ravensburger-solo`, the solitaire) instead of listing the presets
    #[arg(value_name = "RULES", value_parser = parse_subject)]
    rules: Option<Subject>,

    /// How the explanation is written
    #[arg(long, value_name = "FORMAT", default_value = "text", conflicts_with = "json", requires = "rules")]
    format: Format,

    /// JSON: one object a rule set
    #[arg(long)]
    json: bool,
}

/// What is explained.
#[derive(Clone, Debug)]
enum Subject {
    Rules(Arc<RuleSet>),
    Solitaire,
}

fn parse_subject(text: &str) -> Result<Subject, String> {
    if text.trim().eq_ignore_ascii_case(presets::SOLITAIRE) {
        return Ok(Subject::Solitaire);
    }
    parse_rules(text).map(Subject::Rules)
}

const DIMENSIONS: &str = "\
Changes (PRESET:CHANGE,CHANGE,...), one of each kind:
  board         ROWSxCOLUMNS, each from 4 to 16: 6x6, 8x10, 7x8
  shape         rectangle
                octagon           three squares are cut off at each corner
                holes=a1,h1,...   these squares do not exist
  handicap      corners=N         the first player's discs hold N corners at the start, 0 to 4
  start         crossed           the first player's discs upper right and lower left in the centre
                crossed-mirrored  the first player's discs upper left and lower right
                parallel          the first player's two discs side by side, below the second's
                placement         the players place the centre discs: two by the first, two by the second
                start=BOARD       rows from the top: X first player (to move), O second, # holes, numbers count
                                  empty squares, as in othello:6x6,start=6/6/2OX2/2XO2/6/6
                                  (of hungarian # is an empty square; its holes are given by holes=)
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
        (Some(Subject::Rules(rules)), false) => write!(out, "{}", sheet::page(rules).write(arguments.format))?,
        (Some(Subject::Solitaire), false) => write!(out, "{}", solitaire::page().write(arguments.format))?,
        (None, false) => write_all(&mut out)?,
        (Some(Subject::Rules(rules)), true) => writeln!(out, "{}", to_json(rules))?,
        (Some(Subject::Solitaire), true) => return Err(Error::input("--json: the solitaire is no rule set")),
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
    writeln!(out, "  {:<17} the solitaire with chips, played by outflank solo\n", presets::SOLITAIRE)?;
    writeln!(out, "{DIMENSIONS}\n")?;
    writeln!(out, "outflank rules RULES teaches one of these games.")
}

/// What each dimension says, in words.
fn facts(rules: &RuleSet) -> Vec<(&'static str, String)> {
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
        Supply::Own => format!("own: {}, those of the start included", discs_owned(rules)),
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
    let mut facts = vec![
        ("colours", format!("{first} moves first, then {second}")),
        ("board", format!("{} rows, {} columns, {} squares", rules.rows(), rules.columns(), rules.squares())),
        ("start", start),
        ("flips", flips.to_string()),
        ("supply", supply),
        ("equal counts", equality),
        ("objective", objective.to_string()),
        ("played by", search.to_string()),
    ];
    if rules.corners() > 0 {
        facts.insert(2, ("corners", format!("{} held by {first} at the start", rules.corners())));
    }
    facts
}

/// How many discs the players have under own supply, in words.
fn discs_owned(rules: &RuleSet) -> String {
    match [Color::Black, Color::White].map(|color| rules.discs_each(color)) {
        [first, second] if first == second => format!("{first} discs each"),
        [first, second] => format!("{first} and {second} discs"),
    }
}

fn to_json(rules: &Arc<RuleSet>) -> Value {
    let preset = presets::find(rules.name());
    // what is told of a preset need not hold where something was changed
    let told = preset.filter(|preset| preset.rules() == **rules);
    let start = Position::start(rules.clone());
    json!({
        "rules": rules.to_string(),
        "preset": rules.name(),
        "summary": told.map(|preset| preset.summary),
        "details": told.map(|preset| preset.details),
        "readings": preset.map(|preset| preset.readings),
        "advice": preset.map(|preset| preset.advice),
        "letters": rules.letters().to_string(),
        "rows": rules.rows(),
        "columns": rules.columns(),
        "shape": rules.shape_token(),
        "corners": rules.corners(),
        "start": rules.start_token(),
        "flips": rules.flips().name(),
        "supply": rules.supply().name(),
        "discs_each": (rules.supply() == Supply::Own).then(|| rules.discs_each(Color::Black)),
        "equality": rules.equality().name(),
        "objective": rules.objective().name(),
        "colors": rules.colors(),
        "fast": rules.is_fast(),
        "position": board_text::write(&start),
        "moves": start.legal_moves().iter().map(Move::to_string).collect::<Vec<String>>(),
    })
}
