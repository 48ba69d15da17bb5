//! What the searches of many positions come to: means, shares and how sure they are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cases::Case;
use super::interval::Interval;
use super::search::Answer;

/// 95 % intervals of an accuracy's figures; none where there is but one position to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Intervals {
    /// Of the mean absolute error, in discs.
    pub mae: Option<Interval>,
    /// Of the mean error, in discs.
    pub mean_error: Option<Interval>,
    /// Of the share of scores at most 3 discs off.
    pub within_3: Option<Interval>,
    /// Of the share of scores at most 6 discs off.
    pub within_6: Option<Interval>,
    /// Of the share of best moves.
    pub best_moves: Option<Interval>,
}

/// The accuracy of one depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DepthAccuracy {
    /// Depth of the searches in plies; 0 is the static evaluation.
    pub depth: u8,
    /// Mean absolute error in discs.
    pub mae: f64,
    /// Mean of score minus exact score in discs: above zero, the side to move is overrated.
    pub mean_error: f64,
    /// Share (0 to 1) of scores at most 3 discs off.
    pub within_3: f64,
    /// Share (0 to 1) of scores at most 6 discs off.
    pub within_6: f64,
    /// Share (0 to 1) of the positions whose best move is known where one was preferred; none if no best move is known.
    pub best_moves: Option<f64>,
    /// Positions whose best move is known.
    pub moves_known: usize,
    /// 95 % intervals of these figures.
    pub intervals: Intervals,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Sum of the times of all searches, in seconds.
    pub seconds: f64,
    /// Mean absolute error in discs by number of empty squares.
    pub mae_by_empties: BTreeMap<u32, f64>,
    /// Mean error in discs by number of empty squares.
    pub mean_error_by_empties: BTreeMap<u32, f64>,
}

/// The accuracy of all searches whose depths are odd, or even: whoever has the last move of a search gains by what the
/// evaluation does not see, so that depths of one parity err in the same way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ParityAccuracy {
    /// The depths are odd.
    pub odd: bool,
    /// Their depths, without 0.
    pub depths: Vec<u8>,
    /// Mean absolute error in discs over all of these searches.
    pub mae: f64,
    /// Mean of score minus exact score in discs.
    pub mean_error: f64,
    /// Share (0 to 1) of scores at most 3 discs off.
    pub within_3: f64,
    /// Share (0 to 1) of scores at most 6 discs off.
    pub within_6: f64,
    /// Share (0 to 1) of best moves where one is known; none if it nowhere is.
    pub best_moves: Option<f64>,
    /// 95 % intervals; a position counts once, with the mean of its searches.
    pub intervals: Intervals,
}

/// Figures with a value for each position.
struct Figures {
    mae: f64,
    mean_error: f64,
    within_3: f64,
    within_6: f64,
    best_moves: Option<f64>,
    intervals: Intervals,
}

/// The best moves of the case are known.
fn is_known(case: &Case) -> bool {
    case.problem.scores.iter().any(|entry| entry.score == case.exact)
}

fn error(case: &Case, answer: &Answer) -> f64 {
    answer.score - case.exact as f64
}

fn is_best(case: &Case, answer: &Answer) -> bool {
    answer.best.is_some_and(|mv| case.problem.score_of(mv) == Some(case.exact))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

impl Figures {
    /// The figures of some searches of each case: `rows` has the answers of one depth each, in the cases' order.
    fn new(cases: &[Case], rows: &[&[Answer]]) -> Figures {
        let over_rows = |i: usize, of: &dyn Fn(&Case, &Answer) -> f64| {
            rows.iter().map(|answers| of(&cases[i], &answers[i])).sum::<f64>() / rows.len() as f64
        };
        let by_case =
            |of: &dyn Fn(&Case, &Answer) -> f64| (0..cases.len()).map(|i| over_rows(i, of)).collect::<Vec<f64>>();
        let within = |most: f64| by_case(&|case, answer| (error(case, answer).abs() <= most) as u8 as f64);
        let errors = by_case(&|case, answer| error(case, answer).abs());
        let differences = by_case(&error);
        let (within_3, within_6) = (within(3.0), within(6.0));
        let known = (0..cases.len()).filter(|&i| is_known(&cases[i]));
        let best: Vec<f64> = known.map(|i| over_rows(i, &|case, answer| is_best(case, answer) as u8 as f64)).collect();
        Figures {
            mae: mean(&errors),
            mean_error: mean(&differences),
            within_3: mean(&within_3),
            within_6: mean(&within_6),
            best_moves: (!best.is_empty()).then(|| mean(&best)),
            intervals: Intervals {
                mae: Interval::of_mean(&errors),
                mean_error: Interval::of_mean(&differences),
                within_3: Interval::of_share(&within_3),
                within_6: Interval::of_share(&within_6),
                best_moves: Interval::of_share(&best),
            },
        }
    }
}

impl DepthAccuracy {
    /// The accuracy of the answers to all cases (at least one) at a depth, in the cases' order.
    pub fn new(depth: u8, cases: &[Case], answers: &[Answer]) -> DepthAccuracy {
        let Figures { mae, mean_error, within_3, within_6, best_moves, intervals } = Figures::new(cases, &[answers]);
        let by_empties = |of: &dyn Fn(&Case, &Answer) -> f64| {
            let mut sums = BTreeMap::<u32, (f64, f64)>::new();
            for (case, answer) in cases.iter().zip(answers) {
                let (sum, count) = sums.entry(case.problem.position.empty_count()).or_default();
                (*sum, *count) = (*sum + of(case, answer), *count + 1.0);
            }
            sums.into_iter().map(|(empties, (sum, count))| (empties, sum / count)).collect()
        };
        DepthAccuracy {
            depth,
            mae,
            mean_error,
            within_3,
            within_6,
            best_moves,
            moves_known: cases.iter().filter(|case| is_known(case)).count(),
            intervals,
            nodes: answers.iter().map(|answer| answer.nodes).sum(),
            seconds: answers.iter().map(|answer| answer.time.as_secs_f64()).sum(),
            mae_by_empties: by_empties(&|case, answer| error(case, answer).abs()),
            mean_error_by_empties: by_empties(&error),
        }
    }
}

impl ParityAccuracy {
    /// The accuracy of the odd and of the even depths among `rows`, which hold a depth and its answers to all cases (at least
    /// one) each. Depth 0 is no search; parities without a depth are left out.
    pub fn of_all(cases: &[Case], rows: &[(u8, Vec<Answer>)]) -> Vec<ParityAccuracy> {
        let of_parity = |odd: bool| {
            let mine: Vec<_> = rows.iter().filter(|row| row.0 > 0 && (row.0 % 2 == 1) == odd).collect();
            if mine.is_empty() {
                return None;
            }
            let answers: Vec<&[Answer]> = mine.iter().map(|row| row.1.as_slice()).collect();
            let Figures { mae, mean_error, within_3, within_6, best_moves, intervals } = Figures::new(cases, &answers);
            let depths = mine.iter().map(|row| row.0).collect();
            Some(ParityAccuracy { odd, depths, mae, mean_error, within_3, within_6, best_moves, intervals })
        };
        [true, false].into_iter().filter_map(of_parity).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::formats::obf::parse_line;
    use crate::rules::RuleSet;

    fn case(text: &str) -> Case {
        let problem = parse_line(text, 1, &Arc::new(RuleSet::othello())).unwrap().unwrap();
        let (board, _) = problem.position.fast_board().unwrap();
        Case { board, exact: problem.best_score().unwrap(), problem }
    }

    fn answer(score: f64, mv: &str) -> Answer {
        Answer { score, best: Some(mv.parse().unwrap()), nodes: 10, time: Duration::from_secs(1) }
    }

    const START: &str = "---------------------------OX------XO--------------------------- X";

    fn cases() -> [Case; 3] {
        let with_moves = case(&format!("{START}; d3:+2; c4:+2; f5:-4;"));
        let with_score = case(&format!("{START}; -6;"));
        let worse_listed = case(&format!("{START}; +8; d3:+2;"));
        [with_moves, with_score, worse_listed]
    }

    #[test]
    fn shares_and_means_are_those_of_the_definition() {
        let cases = cases();
        let answers = [answer(5.0, "c4"), answer(-10.0, "d3"), answer(8.0, "d3")];
        let row = DepthAccuracy::new(3, &cases, &answers);
        assert_eq!((row.mae, row.mean_error), (7.0 / 3.0, -1.0 / 3.0));
        assert_eq!((row.within_3, row.within_6), (2.0 / 3.0, 1.0));
        assert_eq!((row.best_moves, row.moves_known), (Some(1.0), 1));
        assert_eq!((row.nodes, row.seconds), (30, 3.0));
        assert_eq!(row.mae_by_empties.into_iter().collect::<Vec<_>>(), [(60, 7.0 / 3.0)]);
        assert_eq!(row.mean_error_by_empties.into_iter().collect::<Vec<_>>(), [(60, -1.0 / 3.0)]);
        assert_eq!(row.intervals.mean_error, Interval::of_mean(&[3.0, -4.0, 0.0]));
        assert_eq!(row.intervals.mae, Interval::of_mean(&[3.0, 4.0, 0.0]));
        assert_eq!(row.intervals.within_3, Interval::of_share(&[1.0, 0.0, 1.0]));
        // one position whose best move is known says nothing about others
        assert_eq!(row.intervals.best_moves, None);
        let wrong = DepthAccuracy::new(3, &cases[..1], &[answer(2.0, "f5")]);
        assert_eq!((wrong.mae, wrong.best_moves), (0.0, Some(0.0)));
        assert_eq!(wrong.intervals, Intervals::default());
        let unknown = DepthAccuracy::new(3, &cases[1..2], &answers[1..2]);
        assert_eq!(unknown.best_moves, None);
    }

    #[test]
    fn a_position_counts_once_in_its_parity() {
        let cases = cases();
        let rows = [
            (0, vec![answer(60.0, "f5"), answer(60.0, "d3"), answer(60.0, "d3")]),
            (5, vec![answer(3.0, "c4"), answer(-6.0, "d3"), answer(8.0, "d3")]),
            (6, vec![answer(0.0, "c4"), answer(-9.0, "d3"), answer(4.0, "d3")]),
            (7, vec![answer(7.0, "f5"), answer(-6.0, "d3"), answer(10.0, "d3")]),
        ];
        let found = ParityAccuracy::of_all(&cases, &rows);
        assert_eq!((found[0].odd, &found[0].depths[..]), (true, &[5, 7][..]));
        assert_eq!((found[1].odd, &found[1].depths[..]), (false, &[6][..]));
        // errors of the first position 1 and 5, of the third 0 and 2
        assert_eq!((found[0].mae, found[0].mean_error), (4.0 / 3.0, 4.0 / 3.0));
        assert_eq!(found[0].intervals.mean_error, Interval::of_mean(&[3.0, 0.0, 1.0]));
        assert_eq!((found[0].within_3, found[0].best_moves), (2.5 / 3.0, Some(0.5)));
        assert_eq!(found[0].intervals.within_3, Interval::of_share(&[0.5, 1.0, 1.0]));
        assert_eq!((found[1].mean_error, found[1].within_3, found[1].within_6), (-3.0, 2.0 / 3.0, 1.0));
        assert!(ParityAccuracy::of_all(&cases, &rows[..1]).is_empty(), "depth 0 is no search");
    }
}
