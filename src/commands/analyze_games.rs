//! `outflank analyze` of many games: side by side, and into a file from which it goes on.

use std::io;
use std::time::Instant;

use outflank::analysis::made_with::MadeWith;
use outflank::analysis::result_file::ResultFileError;
use outflank::analysis::review_file::{ReviewFile, lines};
use outflank::analysis::reviews::{NumberedGame, Reviewed, Reviews, ReviewsError};
use outflank::analysis::text::{self, time_text};
use outflank::formats::items::{Item, Items};
use outflank::formats::quantity::plural;

use super::analyze::{AnalyzeArguments, title};
use super::error::{Error, Outcome, Status};
use super::interrupt;
use super::live::Live;
use super::output::Screen;

/// Why a judged game could not be handed on.
#[derive(Debug, thiserror::Error)]
enum HandOn {
    #[error(transparent)]
    Print(#[from] io::Error),
    #[error(transparent)]
    File(#[from] ResultFileError),
}

impl From<ReviewsError<HandOn>> for Error {
    fn from(error: ReviewsError<HandOn>) -> Error {
        match error {
            ReviewsError::Search(error) => error.into(),
            ReviewsError::Games(HandOn::Print(error)) => error.into(),
            ReviewsError::Games(HandOn::File(error)) => error.into(),
            ReviewsError::Jobs(error) => Error::input(error.to_string()),
        }
    }
}

/// Judges all games of the input.
pub fn run(arguments: &AnalyzeArguments, items: Items, screen: &mut Screen) -> Outcome {
    // a table that does not fit is noticed before anything is read
    drop(arguments.engine.engine()?);
    let stop = screen.stop_token();
    let mut file = arguments.output.as_ref().map(|path| ReviewFile::open(path, arguments.resume)).transpose()?;
    let mut games = (1..).zip(interrupt::until_stopped(items, &stop)?).map(game);
    let weights = arguments.engine.eval.load_with_checksum()?;
    let made_with = arguments.made_with(weights.as_ref());
    if let Some(file) = &file {
        let skipped = file.skip(&mut games, &made_with);
        // the input has no more games then, which is no fault of the file
        if skipped.is_err() && stop.is_stopped() {
            return Ok(Status::Interrupted);
        }
        skipped?;
    }
    let bad_before = file.as_ref().map_or(0, ReviewFile::unreadable);
    let before = file.as_ref().map_or(0, ReviewFile::len) - bad_before;
    let reviews = Reviews {
        jobs: arguments.jobs,
        options: arguments.engine.options(),
        weights: weights.map(|(weights, _)| weights),
        limits: arguments.limits(),
        alternatives: arguments.alternatives()?,
        stop: stop.clone(),
    };
    let (live, start) = (Live::new("{spinner} {elapsed_precise}  {pos} games judged"), Instant::now());
    let (mut done, mut bad) = (0, bad_before as u64);
    let outcome = reviews.run(games, &mut |reviewed| {
        if let Some(file) = &mut file {
            file.add(&reviewed, &made_with)?;
        }
        done += u64::from(reviewed.outcome.is_ok());
        bad += u64::from(reviewed.outcome.is_err());
        live.position(done);
        live.suspend(|| print(arguments, &reviewed, &made_with, screen))?;
        Ok::<(), HandOn>(())
    });
    live.finish();
    file.map_or(Ok(()), ReviewFile::finish)?;
    outcome?;
    let earlier = if before > 0 { format!(" ({before} before)") } else { String::new() };
    tell!("{} judged{earlier} in {}", plural(done, "game"), time_text(start.elapsed()));
    if stop.is_stopped() {
        return Ok(Status::Interrupted);
    }
    if done + bad + before as u64 == 0 {
        return Err(Error::input(format!("there is nothing to analyse in {}", arguments.input_name())));
    }
    Ok(if bad > 0 { Status::BadInput } else { Status::Success })
}

/// A game of the input; positions are none.
fn game((number, item): (u32, Result<Item, String>)) -> NumberedGame {
    let game = item.and_then(|item| match item {
        Item::Game(record) => Ok(*record),
        Item::Position(_) => Err(format!("game {number}: this is a position, not a game")),
    });
    (number, game)
}

fn print(
    arguments: &AnalyzeArguments,
    reviewed: &Reviewed,
    made_with: &MadeWith,
    screen: &mut Screen,
) -> io::Result<()> {
    let found = match &reviewed.outcome {
        Err(problem) => {
            tell!("outflank: {problem}");
            return Ok(());
        }
        Ok(_) if arguments.json => lines(reviewed, made_with).concat(),
        Ok((record, review)) => {
            format!("{}\n{}\n", title(record, reviewed.number), text::reviewed_game(&record.game, review))
        }
    };
    screen.print(&found)
}
