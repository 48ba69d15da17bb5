//! Reports as Markdown.

use std::fmt::Write as _;

use super::totals::totals;
use super::{GameReport, MoveReport, PlayerReport};
use crate::analysis::text::{clock_text, score_text};

/// A page with all games; several have an index and sums by player before them.
pub fn write(reports: &[GameReport]) -> String {
    let mut text = String::new();
    if reports.len() > 1 {
        index(&mut text, reports);
    }
    for report in reports {
        game(&mut text, report);
    }
    text
}

/// Text of others, such as names, in which nothing is a mark of Markdown or HTML: on one line, as a cell of a table may be.
pub fn cell(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            c if c.is_control() => escaped.push(' '),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '~' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

fn index(text: &mut String, reports: &[GameReport]) {
    let _ = writeln!(
        text,
        "# {} games\n\n| game | result | opening | discs lost a move |\n|---|---|---|---|",
        reports.len()
    );
    for report in reports {
        let [black, white] = &report.players;
        let _ = writeln!(
            text,
            "| {}. {} | {} | {} | {:.2} – {:.2} |",
            report.number,
            cell(&report.title()),
            cell(&report.result),
            report.opening.as_deref().unwrap_or(""),
            black.mean_loss,
            white.mean_loss
        );
    }
    let totals = totals(reports);
    if !totals.is_empty() {
        let _ = writeln!(
            text,
            "\n| player | games | points | best moves | discs lost a move | ?! | ? | ?? |\n|---|--:|--:|--:|--:|--:|--:|--:|"
        );
    }
    for one in totals {
        let [inaccuracies, mistakes, blunders] = one.labels;
        let _ = writeln!(
            text,
            "| {} | {} | {}/{} | {:.0} % | {:.2} | {inaccuracies} | {mistakes} | {blunders} |",
            cell(&one.name),
            one.games,
            one.points,
            one.finished,
            one.best_percent(),
            one.mean_loss()
        );
    }
    text.push('\n');
}

fn game(text: &mut String, report: &GameReport) {
    let _ = writeln!(text, "# {}\n", cell(&report.title()));
    let mut facts = vec![format!("Result: {}", cell(&report.result))];
    facts.extend(report.opening.iter().map(|opening| format!("opening: {opening}")));
    if report.rules != "othello" {
        facts.push(format!("rules: {}", report.rules));
    }
    facts.push(format!("judged at {}", report.search));
    let _ = writeln!(text, "{}. {}\n", facts.join("; "), report.exactness());
    if !report.complete {
        let _ = writeln!(text, "The analysis was interrupted: the first moves are not judged.\n");
    }
    let head = "|  | choices | best moves | discs lost a move | … where exact | ?! | ? | ?? | time |";
    let _ = writeln!(text, "{head}\n|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for player in &report.players {
        side(text, player);
    }
    if !report.turning_points.is_empty() {
        let _ = writeln!(text, "\n## Turning points\n");
        for one in report.moves.iter().filter(|one| one.turning) {
            turning(text, report, one);
        }
    }
    let _ = writeln!(text, "\n## Moves\n\n| | move | score | loss | | best | line |\n|--:|---|--:|--:|---|---|---|");
    for one in &report.moves {
        row(text, report, one);
    }
    let _ = writeln!(text, "\nScores are discs for the side that moved. {}.\n", report.labels);
}

fn side(text: &mut String, player: &PlayerReport) {
    let [inaccuracies, mistakes, blunders] = player.labels;
    let exact = player.exact_mean_loss.map_or(String::new(), |loss| format!("{loss:.2}"));
    let time = player.seconds.map_or(String::new(), clock_text);
    // who has no name is called by the side
    let side = if player.named { format!(" ({})", player.side) } else { String::new() };
    let _ = writeln!(
        text,
        "| {}{side} | {} | {} | {:.2} | {exact} | {inaccuracies} | {mistakes} | {blunders} | {time} |",
        cell(&player.name),
        player.choices,
        player.best_moves,
        player.mean_loss
    );
}

fn turning(text: &mut String, report: &GameReport, one: &MoveReport) {
    let Some(judged) = &one.judged else { return };
    let better = judged.alternatives.first().map_or(String::new(), |line| format!("; better {}", line.mv));
    let _ = writeln!(
        text,
        "- move {}: {} plays {}{}, {} instead of {}{better}",
        one.ply,
        cell(&report.players[one.color].name),
        one.mv,
        judged.label.sign(),
        score_text(judged.score),
        score_text(judged.best)
    );
}

fn row(text: &mut String, report: &GameReport, one: &MoveReport) {
    // other colours have no sign that every font has
    let disc = match report.players[one.color].side.as_str() {
        "black" => "⚫",
        "white" => "⚪",
        side => &cell(side),
    };
    let Some(judged) = &one.judged else {
        let _ = writeln!(text, "| {} | {disc} {} | | | | | |", one.ply, one.mv);
        return;
    };
    let loss = if judged.loss > 0 { judged.loss.to_string() } else { String::new() };
    let better = judged.alternatives.first().filter(|_| judged.loss > 0);
    let best = better.map_or(String::new(), |line| format!("{} {}", line.mv, score_text(line.score)));
    let line = better.map_or(&judged.played.pv, |line| &line.pv).join(" ");
    let (score, sign, name) = (score_text(judged.score), judged.label.sign(), judged.label.name());
    let _ = writeln!(text, "| {} | {disc} {}{sign} | {score} | {loss} | {name} | {best} | {line} |", one.ply, one.mv);
}
