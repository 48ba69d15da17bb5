//! `outflank book grow`.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use outflank::book::grow::{End, Plan, grow};
use outflank::book::{Deviation, Losses};
use outflank::formats::quantity::{counted, plural};
use outflank::game::Game;
use outflank::search::Level;
use serde_json::json;

use super::{Searchers, board_after, open_shelf, parse_moves, progress};
use crate::commands::error::{Error, Outcome, Status};
use crate::commands::options::{number, parse_count, parse_level, parse_time, whole};
use crate::commands::output::Screen;

/// Arguments of `book grow`.
#[derive(Args)]
#[command(after_help = "\
Each step makes the best move that leads out of the book a position of it, and searches what is best after that and
instead of it: two searches a position. Which move is next: the one with the fewest plies to it, plus --drop-out plies
for each disc that the way to it loses. Ctrl-C stops and keeps everything; the same command goes on.

Examples:
  outflank book grow my.book --positions 10k --level 16
  outflank book grow my.book --time 8:00:00 --loss 2,6 --other-loss 4,10 --from f5d6
  outflank book grow my.book --edax 2,4                    as Edax's `book deviate 2 4`
  outflank book grow my.book --egaroucid 30,4,4,0          as Egaroucid's depth and three errors")]
pub struct GrowArguments {
    /// The book
    file: PathBuf,

    /// Positions to add at most (k and M are understood)
    #[arg(short, long, value_name = "N", value_parser = parse_count)]
    positions: Option<u64>,

    /// Time to take at most: seconds, MM:SS or H:MM:SS
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,

    /// Level of the searches, or that of the leaf before if it is higher [default: the book's]
    #[arg(short, long, value_name = "LEVEL", value_parser = parse_level)]
    level: Option<Level>,

    /// Grow to this ply [default: the book's]
    #[arg(long, value_name = "PLY", value_parser = whole::<u8>(1..=60))]
    plies: Option<u8>,

    /// Discs that one move, and all moves together, may lose
    #[arg(long, value_name = "MOVE,ALL", default_value = "4,8", value_parser = parse_losses)]
    loss: Losses,

    /// The same for the side that does not move first (from the start of the game: white) [default: as --loss]
    #[arg(long, value_name = "MOVE,ALL", value_parser = parse_losses)]
    other_loss: Option<Losses>,

    /// How many plies one disc of loss is worth: 0 grows in breadth, large numbers follow the best lines only
    #[arg(long, value_name = "PLIES", default_value_t = 3.0, value_parser = number(0.0..=1000.0))]
    drop_out: f64,

    /// One side loses up to REL discs a move while the other plays its best moves, then the other way round, values within
    /// ABS discs of the position's
    #[arg(long, value_name = "REL,ABS", value_parser = parse_numbers::<2>, conflicts_with_all = ["loss", "other_loss", "egaroucid"])]
    edax: Option<[u8; 2]>,

    /// Ply to grow to, discs that one move, a line and a leaf may lose, one side at a time
    #[arg(long, value_name = "PLY,MOVE,ALL,LEAF", value_parser = parse_numbers::<4>, conflicts_with_all = ["loss", "other_loss", "plies"])]
    egaroucid: Option<[u8; 4]>,

    /// Grow what follows on these moves
    #[arg(long, value_name = "MOVES", default_value = "", value_parser = parse_moves)]
    from: Game,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    searchers: Searchers,
}

fn parse_numbers<const N: usize>(text: &str) -> Result<[u8; N], String> {
    let numbers: Result<Vec<u8>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    let numbers = numbers.ok().and_then(|numbers| <[u8; N]>::try_from(numbers).ok());
    numbers
        .filter(|numbers| numbers.iter().all(|&n| n <= 64))
        .ok_or(format!("not {N} numbers from 0 to 64 with commas"))
}

pub fn parse_losses(text: &str) -> Result<Losses, String> {
    parse_numbers::<2>(text).map(|[by_move, in_all]| Losses { by_move, in_all })
}

impl GrowArguments {
    fn plan(&self, settings: &outflank::book::Settings) -> Result<Plan, Error> {
        let level = self.level.map_or(settings.level, Level::get);
        let plies = u32::from(self.plies.unwrap_or(settings.max_ply));
        let mut plan = Plan::new(level, plies, self.loss);
        plan.route.deviations = vec![Deviation { first: self.loss, second: self.other_loss.unwrap_or(self.loss) }];
        plan.leaf_loss = u8::MAX;
        if let Some([relative, absolute]) = self.edax {
            plan = plan.edax(relative, absolute);
        }
        if let Some([ply, by_move, in_all, leaf]) = self.egaroucid {
            plan = plan.egaroucid(ply.into(), by_move, in_all, leaf);
        }
        plan.route.start = board_after(&self.from)?;
        Ok(Plan { plies_per_disc: self.drop_out, positions: self.positions, time: self.time, ..plan })
    }
}

/// Runs `book grow`.
pub fn run(arguments: &GrowArguments) -> Outcome {
    let mut shelf = open_shelf(&arguments.file)?;
    let plan = arguments.plan(&shelf.book().settings)?;
    let mut engines = arguments.searchers.engines()?;
    let mut screen = Screen::new(true);
    let stop = screen.stop_token();
    let before = shelf.book().len();
    let bar = progress(arguments.positions.unwrap_or_default(), "positions");
    if arguments.positions.is_none() {
        bar.unset_length();
    }
    let mut last = None;
    let end = grow(&mut shelf, &mut engines, &plan, &stop, &mut |progress| {
        bar.set_position(progress.added);
        bar.set_message(format!("positions, {} in the book, {} open", progress.positions, progress.open));
        last = Some(*progress);
    });
    bar.finish_and_clear();
    let end = end?;
    let added = shelf.book().len() - before;
    let (searches, seconds) = last.map_or((0, 0.0), |last| (last.searches, last.elapsed.as_secs_f64()));
    let reason = match end {
        End::Dry => "nothing within the limits is left to add",
        End::Positions => "the number asked for is reached",
        End::Time => "the time is over",
        End::Stopped => "interrupted",
    };
    let summary = json!({
        "file": arguments.file.display().to_string(), "added": added, "positions": shelf.book().len(),
        "searches": searches, "seconds": seconds, "level": plan.level, "end": reason,
    });
    screen.write(|out| {
        if arguments.json {
            return writeln!(out, "{summary}");
        }
        let rate = added as f64 / seconds.max(1e-9) * 3600.0;
        let new = plural(added as u64, "position");
        let searches = counted(searches, "search", "searches");
        writeln!(out, "{new} added in {seconds:.0} s, {searches} at level {}", plan.level)?;
        let side_by_side = if engines.len() == 1 {
            "one search at a time"
        } else {
            &format!("{} searches side by side", engines.len())
        };
        writeln!(out, "{rate:.0} positions an hour with {side_by_side}; {reason}")?;
        writeln!(out, "{}: {}", arguments.file.display(), plural(shelf.book().len() as u64, "position"))
    })?;
    screen.finish()?;
    Ok(if end == End::Stopped { Status::Interrupted } else { Status::Success })
}
