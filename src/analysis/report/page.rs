//! Reports as one page of HTML that needs nothing else: graph, board at every move, moves with their losses, sums; for many games
//! an index with the sums of every player.
//!
//! What is fixed is written here and can be read without a script; the board that steps through the moves by clicks and arrow
//! keys is drawn by `page.js` from the reports, which stand in the page as JSON.

use std::fmt::Write as _;

use super::graph;
use super::totals::totals;
use super::{GameReport, MoveReport, PlayerReport};
use crate::analysis::text::{clock_text, score_text};
use crate::formats::picture::{escape, hex, mark, paints};

/// The page of one or more games.
pub fn write(reports: &[GameReport]) -> String {
    let title = match reports {
        [one] => one.title(),
        many => format!("{} games", many.len()),
    };
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"generator\" content=\"Outflank {}\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
        env!("CARGO_PKG_VERSION"),
        escape(&title),
        include_str!("page.css")
    );
    if reports.len() > 1 {
        index(&mut page, reports);
    }
    for report in reports {
        game(&mut page, report, reports.len() > 1);
    }
    page += "</main>\n<script type=\"application/json\" id=\"games\">";
    // a closing tag inside a string would end the script
    page += &serde_json::to_string(reports).expect("plain data").replace('<', "\\u003c");
    let _ = write!(page, "</script>\n<script>\n{}</script>\n</body>\n</html>\n", include_str!("page.js"));
    page
}

fn index(page: &mut String, reports: &[GameReport]) {
    let _ = writeln!(page, "<section id=\"index\">\n<h1>{} games</h1>", reports.len());
    *page += "<div class=\"card scroll\"><table>\n<thead><tr><th>#</th><th class=\"t\">game</th><th class=\"t\">result</th>\
              <th class=\"t\">opening</th><th>lost a move</th><th>turning points</th></tr></thead>\n<tbody>\n";
    for report in reports {
        let [black, white] = &report.players;
        let _ = writeln!(
            page,
            "<tr><td>{0}</td><td class=\"t w\"><a href=\"#g{0}\">{1}</a></td><td class=\"t\">{2}</td><td class=\"t\">{3}</td>\
             <td>{4:.2} – {5:.2}</td><td>{6}</td></tr>",
            report.number,
            escape(&report.title()),
            escape(&report.result),
            escape(report.opening.as_deref().unwrap_or("")),
            black.mean_loss,
            white.mean_loss,
            report.turning_points.len()
        );
    }
    *page += "</tbody></table></div>\n";
    player_totals(page, reports);
    *page += "</section>\n";
}

fn player_totals(page: &mut String, reports: &[GameReport]) {
    let totals = totals(reports);
    if totals.is_empty() {
        return;
    }
    *page += "<div class=\"card scroll\"><h2>Players</h2>\n<table>\n<thead><tr><th class=\"t\">player</th><th>games</th>\
              <th>points</th><th>best moves</th><th>lost a move</th><th>?!</th><th>?</th><th>??</th></tr></thead>\n<tbody>\n";
    for one in totals {
        let [inaccuracies, mistakes, blunders] = one.labels;
        let _ = writeln!(
            page,
            "<tr><td class=\"t w\">{}</td><td>{}</td><td>{} of {}</td><td>{:.0} %</td><td>{:.2}</td><td>{inaccuracies}</td>\
             <td>{mistakes}</td><td>{blunders}</td></tr>",
            escape(&one.name),
            one.games,
            one.points,
            one.finished,
            one.best_percent(),
            one.mean_loss()
        );
    }
    *page += "</tbody></table></div>\n";
}

fn game(page: &mut String, report: &GameReport, has_index: bool) {
    let _ = writeln!(page, "<section class=\"game\" id=\"g{}\"{}>", report.number, disc_colors(report));
    if has_index {
        *page += "<p><a href=\"#\">All games</a></p>\n";
    }
    let [black, white] = report.players.each_ref().map(|player| escape(&player.name));
    let _ = writeln!(
        page,
        "<h1><span class=\"disc d0\"></span>{black} – <span class=\"disc d1\"></span>{white}</h1>\n<p class=\"facts\">{}</p>",
        escape(&facts(report))
    );
    if !report.complete {
        *page += "<p class=\"turn\">The analysis was interrupted: the first moves are not judged.</p>\n";
    }
    let _ = writeln!(page, "<div class=\"card\">\n{}</div>", graph::svg(report));
    *page += "<div class=\"play\"><div class=\"card\"><svg class=\"board\" role=\"img\" aria-label=\"Board\" \
              font-family=\"system-ui,sans-serif\" font-weight=\"600\" text-anchor=\"middle\"></svg>\n<div class=\"buttons\">\
              <button data-step=\"first\" title=\"Start (Home)\" aria-label=\"Start\">«</button>\
              <button data-step=\"-1\" title=\"Back (←)\" aria-label=\"Back\">‹</button>\
              <button data-step=\"1\" title=\"On (→)\" aria-label=\"On\">›</button>\
              <button data-step=\"last\" title=\"End (End)\" aria-label=\"End\">»</button>\
              <span class=\"counter note\"></span></div>\n<p class=\"said note\" aria-live=\"polite\"></p></div>\n";
    move_table(page, report);
    *page += "</div>\n";
    summary(page, report);
    turning_points(page, report);
    let _ = writeln!(
        page,
        "<p class=\"note\">Judged at {}. {} Scores are discs for the side that moved, empty squares counted for the winner; the \
         graph counts for {black}. {}. A turning point is such a loss that changed who wins.</p>\n</section>",
        escape(&report.search),
        report.exactness(),
        report.labels
    );
}

/// The colours of discs and of the last move's mark on them, where they are not those of `page.css`: black and white.
fn disc_colors(report: &GameReport) -> String {
    let [first, second] = paints(report.players.each_ref().map(|player| player.side.as_str()));
    if [first, second] == paints(["black", "white"]) {
        return String::new();
    }
    let [d0, d1, m0, m1] = [first, second, mark(first), mark(second)].map(hex);
    format!(" style=\"--d0:{d0};--d1:{d1};--m0:{m0};--m1:{m1}\"")
}

/// Result, opening, event and the like in a line.
fn facts(report: &GameReport) -> String {
    let mut facts = vec![report.result.clone()];
    facts.extend(report.opening.clone());
    facts.extend([&report.event, &report.place, &report.date].into_iter().flatten().cloned());
    if report.rules != "othello" {
        facts.push(report.rules.clone());
    }
    facts.join(" · ")
}

fn move_table(page: &mut String, report: &GameReport) {
    let has_times = report.moves.iter().any(|one| one.seconds.is_some());
    let time = if has_times { "<th>time</th>" } else { "" };
    let _ = writeln!(
        page,
        "<div class=\"card moves scroll\"><table>\n<thead><tr><th>#</th><th class=\"t\">move</th><th>score</th><th>lost</th>{time}\
         <th class=\"t\">best line</th></tr></thead>\n<tbody>"
    );
    for one in &report.moves {
        row(page, one, &report.players[one.color], has_times);
    }
    *page += "</tbody></table></div>\n";
}

fn row(page: &mut String, one: &MoveReport, player: &PlayerReport, has_times: bool) {
    let time = match one.seconds {
        _ if !has_times => String::new(),
        Some(seconds) => format!("<td>{seconds:.1}</td>"),
        None => "<td></td>".to_string(),
    };
    let side = escape(&player.side);
    let disc = format!("<span class=\"disc d{}\" role=\"img\" aria-label=\"{side}\"></span>", one.color);
    let Some(judged) = &one.judged else {
        let _ = writeln!(
            page,
            "<tr data-ply=\"{0}\"><td>{0}</td><td class=\"t\">{disc}{1}</td><td></td><td></td>{time}<td></td></tr>",
            one.ply, one.mv
        );
        return;
    };
    let loss = if judged.loss > 0 { judged.loss.to_string() } else { String::new() };
    let better = judged.alternatives.first().filter(|_| judged.loss > 0);
    let line = better.map_or(&judged.played, |line| line);
    let score = better.map_or(String::new(), |line| format!("{} ", score_text(line.score)));
    let turning = if one.turning {
        " <span class=\"turn\" role=\"img\" aria-label=\"turning point\" title=\"turning point\">↯</span>"
    } else {
        ""
    };
    let _ = writeln!(
        page,
        "<tr data-ply=\"{0}\" class=\"{1}\"><td>{0}</td><td class=\"t\">{disc}{2}{3}{turning}</td><td>{4}</td><td>{loss}</td>{time}\
         <td class=\"t line\">{score}{5}</td></tr>",
        one.ply,
        judged.label.name(),
        one.mv,
        judged.label.sign(),
        score_text(judged.score),
        line.pv.iter().take(8).cloned().collect::<Vec<String>>().join(" ")
    );
}

fn summary(page: &mut String, report: &GameReport) {
    let has_times = report.players.iter().any(|player| player.seconds.is_some() || player.clock.is_some());
    *page += "<div class=\"card scroll\"><h2>Accuracy</h2>\n<table>\n<thead><tr><th class=\"t\">player</th><th>choices</th>\
              <th>best moves</th><th>discs lost</th><th>lost a move</th><th>where exact</th><th>?!</th><th>?</th><th>??</th>";
    *page += if has_times { "<th>time</th></tr></thead>\n<tbody>\n" } else { "</tr></thead>\n<tbody>\n" };
    for (color, player) in report.players.iter().enumerate() {
        side(page, color, player, has_times);
    }
    *page += "</tbody></table></div>\n";
}

fn side(page: &mut String, color: usize, player: &PlayerReport, has_times: bool) {
    let [inaccuracies, mistakes, blunders] = player.labels;
    let percent = 100.0 * f64::from(player.best_moves) / f64::from(player.choices.max(1));
    let rating = player.rating.map_or(String::new(), |rating| format!(" ({rating:.0})"));
    let time = player.seconds.map(clock_text).or(player.clock.clone()).unwrap_or("–".to_string());
    let time = if has_times { format!("<td>{}</td>", escape(&time)) } else { String::new() };
    let _ = writeln!(
        page,
        "<tr><td class=\"t w\"><span class=\"disc d{color}\"></span>{}{rating}</td><td>{}</td><td>{} ({percent:.0} %)</td><td>{}</td>\
         <td>{:.2}</td><td>{}</td><td>{inaccuracies}</td><td>{mistakes}</td><td>{blunders}</td>{time}</tr>",
        escape(&player.name),
        player.choices,
        player.best_moves,
        player.discs_lost,
        player.mean_loss,
        player.exact_mean_loss.map_or("–".to_string(), |loss| format!("{loss:.2}"))
    );
}

fn turning_points(page: &mut String, report: &GameReport) {
    if report.turning_points.is_empty() {
        return;
    }
    *page += "<div class=\"card\"><h2>Turning points</h2>\n";
    for one in report.moves.iter().filter(|one| one.turning) {
        let Some(judged) = &one.judged else { continue };
        let better = judged.alternatives.first().map_or(String::new(), |line| format!(", better {}", line.mv));
        let _ = writeln!(
            page,
            "<p><a href=\"#g{}.{1}\" data-jump=\"{1}\">Move {1}</a>: {2} plays {3}{4}, {5} instead of {6}{better}</p>",
            report.number,
            one.ply,
            escape(&report.players[one.color].name),
            one.mv,
            judged.label.sign(),
            score_text(judged.score),
            score_text(judged.best)
        );
    }
    *page += "</div>\n";
}
