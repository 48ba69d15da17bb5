//! What the threads of the searches have done, as a table on stderr (builds with the cargo feature `statistics`).

use outflank::formats::quantity::plural;
use outflank::search::thread_statistics;

/// A part of a whole in per cent.
fn share(part: f64, whole: f64) -> String {
    format!("{:.2} %", 100.0 * part / whole.max(f64::MIN_POSITIVE))
}

/// Prints the table, unless every search had one thread.
pub fn tell() {
    let all = thread_statistics();
    if all.searches == 0 {
        return;
    }
    let time = all.time.as_secs_f64();
    let rows = [
        ("searches by several threads", all.searches.to_string(), String::new()),
        ("time of all threads", format!("{time:.3} s"), String::new()),
        ("without work", plural(all.pauses, "time"), share(all.idle.as_secs_f64(), time)),
        ("woken in vain", plural(all.woken_in_vain, "time"), String::new()),
        ("owners waiting", plural(all.waits, "time"), share(all.waiting.as_secs_f64(), time)),
        ("nodes shared out", all.splits.to_string(), String::new()),
        ("children searched by owners", all.own.to_string(), String::new()),
        ("children searched by others", all.stolen.to_string(), String::new()),
        ("of these given up", all.given_up.to_string(), share(all.given_up as f64, (all.own + all.stolen) as f64)),
        ("nodes", all.nodes.to_string(), String::new()),
        ("nodes given up", all.nodes_in_vain.to_string(), share(all.nodes_in_vain as f64, all.nodes as f64)),
    ];
    for (name, number, share) in rows {
        tell!("{name:<28}{number:>16}{share:>10}");
    }
}
