//! Comparing answers with the scores in a problem file.
//!
//! The rule is the one Edax counts by, so that figures can be compared: the best score is the highest listed. When the
//! engine's move is listed, it is a wrong move if its listed score is below the best (by the move error), and a wrong
//! score if the engine's value differs from the listed one. A move that is not listed counts in neither, unless the file
//! has a score of the position itself: then that is the one to compare with. The score error is always the distance
//! between the engine's value and the best score.
//!
//! Where more moves than the best one were asked for, their scores are compared too: an answer disagrees with the file when any of
//! them is not the one listed. Where all moves were asked for that are as good as the best one, a move that is listed as such and
//! is not among them is wrong, too.
//!
//! Listed scores that are not exact ([`Problem::searched`]) say nothing about an answer.

use crate::formats::obf::{MoveScore, Problem};
use crate::formats::quantity::plural;
use crate::rules::{Move, Position};
use crate::search::{Line, Report};

/// What of two scores is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// The discs.
    Discs,
    /// The discs, and which moves are as good as the best one.
    BestMoves,
    /// Who is ahead: the discs are counted differently.
    Signs,
    /// Who wins, which the rules say of an equal end.
    Outcomes,
}

/// What was asked for besides a score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Final scores that count discs only.
    pub discs_only: bool,
    /// All moves that are as good as the best one.
    pub best_moves: bool,
}

impl Asked {
    /// What can be compared with the answer of a search for win, draw or loss only, or of one for scores, which it proved or not.
    pub fn compared(self, win_draw_loss: bool, exact: bool) -> Compared {
        match (win_draw_loss, self.discs_only) {
            (true, _) => Compared::Outcomes,
            (false, true) => Compared::Signs,
            (false, false) if self.best_moves && exact => Compared::BestMoves,
            (false, false) => Compared::Discs,
        }
    }
}

impl Compared {
    /// Numbers of discs are compared, not only who wins or is ahead.
    fn is_in_discs(self) -> bool {
        matches!(self, Compared::Discs | Compared::BestMoves)
    }

    /// What of this score of a position is compared.
    fn part(self, score: i32, position: &Position) -> i32 {
        match self {
            Compared::Discs | Compared::BestMoves => score,
            Compared::Signs => score.signum(),
            Compared::Outcomes => position.outcome_of(score),
        }
    }
}

/// The moves of a report with their scores.
pub(super) fn scores_of(lines: &[Line]) -> Vec<MoveScore> {
    lines.iter().map(|line| MoveScore { mv: line.mv, score: line.score }).collect()
}

/// A score found that is not the one in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongScore {
    /// The move.
    pub mv: Move,
    /// The engine's score of it; none of a move that is not among the best ones, where those were asked for.
    pub score: Option<i32>,
    /// The file's score of it.
    pub listed: i32,
}

/// One answer compared with its problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Scores are discs; if not, they are +1, 0 and -1: who wins, or is ahead.
    pub in_discs: bool,
    /// The best score in the file.
    pub best: i32,
    /// The best score stands in the file without a move.
    pub alone: bool,
    /// The engine's score.
    pub score: i32,
    /// The file's score of the engine's move.
    pub listed: Option<i32>,
    /// The moves besides the engine's own whose scores are not those in the file.
    pub others: Vec<WrongScore>,
}

impl Verdict {
    /// Compares a report; `None` when the problem comes without exact scores. With a win/draw/loss search only outcomes are compared,
    /// and when empty squares are counted differently (`discs_only`) the signs.
    pub fn new(problem: &Problem, report: &Report, asked: Asked) -> Option<Verdict> {
        // what a limit has cut short may lack other moves that are as good
        let compared = asked.compared(report.win_draw_loss, report.is_exact() && !report.stopped);
        Verdict::compare(problem, &scores_of(&report.lines), report.score, compared)
    }

    /// Compares the moves found, the best one first (none in a finished game), and the position's score; `None` when the problem
    /// comes without exact scores.
    pub fn compare(problem: &Problem, found: &[MoveScore], score: i32, compared: Compared) -> Option<Verdict> {
        let convert = |score: i32| compared.part(score, &problem.position);
        let listed = |mv| problem.score_of(mv).map(convert);
        let wrong = |&MoveScore { mv, score }: &MoveScore| {
            let (score, listed) = (convert(score), listed(mv)?);
            (score != listed).then_some(WrongScore { mv, score: Some(score), listed })
        };
        let best = convert(problem.exact_score()?);
        // what is listed above the best score found is told of as the file's best
        let lacks = |entry: &&MoveScore| {
            let is_found = || found.iter().any(|found| found.mv == entry.mv);
            compared == Compared::BestMoves && (entry.score == score || entry.score > best) && !is_found()
        };
        let lacking = problem.scores.iter().filter(lacks);
        let lacking = lacking.map(|entry| WrongScore { mv: entry.mv, score: None, listed: entry.score });
        Some(Verdict {
            in_discs: compared.is_in_discs(),
            best,
            alone: problem.score.is_some(),
            score: convert(score),
            listed: found.first().and_then(|best| listed(best.mv)),
            others: found.iter().skip(1).filter_map(wrong).chain(lacking).collect(),
        })
    }

    /// The engine chose a move that is listed below the best.
    pub fn is_wrong_move(&self) -> bool {
        self.move_error() > 0
    }

    /// The engine's value is not the one that is listed for its move, or else for the position.
    pub fn is_wrong_score(&self) -> bool {
        self.expected().is_some_and(|expected| expected != self.score)
    }

    /// The score in the file that the engine's value is of.
    fn expected(&self) -> Option<i32> {
        self.listed.or(self.alone.then_some(self.best))
    }

    /// The answer and the file cannot both be right.
    pub fn disagrees(&self) -> bool {
        self.best_disagrees() || !self.others.is_empty()
    }

    /// The best move or its score is not as in the file.
    pub fn best_disagrees(&self) -> bool {
        self.is_wrong_move() || self.is_wrong_score() || self.score_error() > 0
    }

    /// Discs lost by the engine's move, as listed.
    pub fn move_error(&self) -> u32 {
        self.listed.map_or(0, |listed| self.best.abs_diff(listed))
    }

    /// Distance from the best score, in discs.
    pub fn score_error(&self) -> u32 {
        self.best.abs_diff(self.score)
    }
}

/// The sums over a file.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Positions solved.
    pub positions: u64,
    /// Positions that came with scores.
    pub judged: u64,
    /// Nodes of all positions.
    pub nodes: u64,
    wrong_moves: u64,
    wrong_scores: u64,
    /// Of moves besides the best one.
    other_scores: u64,
    unlisted_moves: u64,
    disagreements: u64,
    /// Of the positions judged those whose scores are discs.
    in_discs: u64,
    move_error: u64,
    score_error: u64,
}

impl Tally {
    /// Counts a position solved with this many nodes.
    pub fn add(&mut self, nodes: u64, verdict: Option<&Verdict>) {
        self.positions += 1;
        self.nodes += nodes;
        let Some(verdict) = verdict else { return };
        self.judged += 1;
        self.wrong_moves += u64::from(verdict.is_wrong_move());
        self.wrong_scores += u64::from(verdict.is_wrong_score());
        self.other_scores += verdict.others.len() as u64;
        self.unlisted_moves += u64::from(verdict.expected().is_none());
        self.disagreements += u64::from(verdict.disagrees());
        self.in_discs += u64::from(verdict.in_discs);
        self.move_error += u64::from(verdict.move_error());
        self.score_error += u64::from(verdict.score_error());
    }

    /// Answers that disagree with the file.
    pub fn disagreements(&self) -> u64 {
        self.disagreements
    }

    /// The comparison in words, `None` when nothing could be compared.
    pub fn summary(&self) -> Option<String> {
        if self.judged == 0 {
            return None;
        }
        let right = self.judged - self.disagreements;
        if self.disagreements == 0 {
            return Some(format!("{right} of {} as in the file", self.judged));
        }
        let mean = |sum: u64| sum as f64 / self.judged as f64;
        let (moves, scores) = (mean(self.move_error), mean(self.score_error));
        // who wins is no number of discs
        let errors = match self.in_discs == self.judged {
            true => format!("; mean absolute error: moves {moves:.3}, scores {scores:.3} discs"),
            false => String::new(),
        };
        let others = match self.other_scores {
            0 => String::new(),
            others => format!(", {} of other moves", plural(others, "wrong score")),
        };
        Some(format!(
            "{right} of {} as in the file; {}, {}{others}, {} not listed{errors}",
            self.judged,
            plural(self.wrong_moves, "wrong move"),
            plural(self.wrong_scores, "wrong score"),
            plural(self.unlisted_moves, "move"),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(best: i32, score: i32, listed: Option<i32>) -> Verdict {
        Verdict { in_discs: true, best, alone: false, score, listed, others: Vec::new() }
    }

    #[test]
    fn an_equal_end_is_what_the_rules_make_of_it() {
        use crate::formats::obf::parse_line;
        let line = format!("{} O; --:+0;", "XXXXXXXXOOOOOOXXOXXOXO-XOXOXOO--OOXOXO--OOOXOO--OOOOOO--OOOOOOO-");
        for (rules, outcome) in [("othello", 0), ("ravensburger", 1)] {
            let rules: crate::rules::RuleSet = rules.parse().unwrap();
            let problem = parse_line(&line, 1, &rules.into()).unwrap().unwrap();
            let part = |compared| {
                let verdict =
                    Verdict::compare(&problem, &[MoveScore { mv: Move::Pass, score: outcome }], outcome, compared)
                        .unwrap();
                (verdict.best, verdict.listed)
            };
            let counting = Asked { discs_only: true, best_moves: true };
            assert_eq!(part(Asked::default().compared(true, true)), (outcome, Some(outcome)));
            assert_eq!(part(counting.compared(false, true)), (0, Some(0)));
            assert_eq!(part(Asked::default().compared(false, true)), (0, Some(0)));
        }
    }

    #[test]
    fn a_best_move_of_the_file_that_is_not_found_is_wrong() {
        use crate::formats::obf::parse_line;
        let start = "---------------------------OX------XO---------------------------";
        let line = |scores: &str| parse_line(&format!("{start} X; {scores}"), 1, &std::sync::Arc::default());
        let others = |scores: &str, score, asked: Asked, exact| {
            let problem = line(scores).unwrap().unwrap();
            let found = [MoveScore { mv: problem.scores[0].mv, score }];
            Verdict::compare(&problem, &found, score, asked.compared(false, exact)).map(|verdict| {
                assert_eq!(verdict.disagrees(), verdict.best_disagrees() || !verdict.others.is_empty());
                verdict.others.iter().map(|other| (other.mv.to_string(), other.score, other.listed)).collect::<Vec<_>>()
            })
        };
        let asked = Asked { best_moves: true, discs_only: false };
        let c4 = vec![("c4".to_string(), None, 2)];
        assert_eq!(others("D3:+2; C4:+2; F5:-6;", 2, asked, true), Some(c4));
        assert_eq!(others("D3:+2; C4:+2; F5:-6;", 2, asked, false), Some(vec![]), "it was not searched to the end");
        assert_eq!(others("D3:+2; C4:+2; F5:-6;", 2, Asked::default(), true), Some(vec![]));
        assert_eq!(others("D3:+2; C4:+2;", 2, Asked { discs_only: true, ..asked }, true), Some(vec![]));
        assert_eq!(others("D3:+2; C4:+4;", 2, asked, true), Some(vec![]), "the file's best is told of anyway");
        assert_eq!(others("D3:+2; C4:+2; % 8@73%", 2, asked, true), None, "not exact");
        let problem = line("D3:+2; C4:+2;").unwrap().unwrap();
        let d3 = Line { mv: problem.scores[0].mv, score: 2, bound: crate::search::Bound::Exact, pv: Vec::new() };
        let report = |stopped| Report { depth: 60, stopped, ..Report::of_book(d3.clone(), 60) };
        let disagrees = |stopped| Verdict::new(&problem, &report(stopped), asked).unwrap().disagrees();
        assert_eq!([false, true].map(disagrees), [true, false], "a limit came before the other moves");
    }

    #[test]
    fn the_published_rule() {
        let right = verdict(18, 18, Some(18));
        assert!(!right.is_wrong_move() && !right.is_wrong_score() && !right.disagrees());
        let lower_move = verdict(18, 12, Some(12));
        assert!(lower_move.is_wrong_move() && !lower_move.is_wrong_score() && lower_move.disagrees());
        assert_eq!((lower_move.move_error(), lower_move.score_error()), (6, 6));
        let wrong_value = verdict(18, 16, Some(18));
        assert!(!wrong_value.is_wrong_move() && wrong_value.is_wrong_score());
        let equal_but_unlisted = verdict(18, 18, None);
        assert!(!equal_but_unlisted.disagrees());
        let unlisted = verdict(18, 20, None);
        assert!(!unlisted.is_wrong_move() && !unlisted.is_wrong_score() && unlisted.disagrees());
        let of_the_position = Verdict { alone: true, ..unlisted };
        assert!(!of_the_position.is_wrong_move() && of_the_position.is_wrong_score());
        assert!(!Verdict { alone: true, ..equal_but_unlisted }.is_wrong_score());
    }

    #[test]
    fn errors_are_means_of_the_problems_judged() {
        let mut tally = Tally::default();
        for verdict in
            [verdict(18, 12, Some(12)), verdict(18, 16, Some(18)), verdict(4, 4, Some(4)), verdict(4, 6, None)]
        {
            tally.add(1, Some(&verdict));
        }
        tally.add(1, None);
        let said = "1 of 4 as in the file; 1 wrong move, 1 wrong score, 1 move not listed; mean absolute error: moves 1.500, scores 2.500 discs";
        assert_eq!(tally.summary().unwrap(), said);
        let mut outcomes = Tally::default();
        outcomes.add(1, Some(&Verdict { in_discs: false, ..verdict(1, 1, Some(-1)) }));
        assert_eq!(
            outcomes.summary().unwrap(),
            "0 of 1 as in the file; 1 wrong move, 1 wrong score, 0 moves not listed"
        );
    }

    #[test]
    fn every_move_found_is_compared_that_the_file_scores() {
        use crate::formats::obf::parse_line;
        let start = "---------------------------OX------XO---------------------------";
        let line = format!("{start} X; D3:+2; C4:-4; F5:-6;");
        let problem = parse_line(&line, 1, &std::sync::Arc::default()).unwrap().unwrap();
        let [d3, c4, f5] = [0, 1, 2].map(|at| problem.scores[at].mv);
        let e6 = problem.position.legal_moves().into_iter().find(|mv| problem.score_of(*mv).is_none()).unwrap();
        let verdict = |scores: [i32; 4], compared| {
            let found = [d3, c4, f5, e6].into_iter().zip(scores).map(|(mv, score)| MoveScore { mv, score });
            let verdict = Verdict::compare(&problem, &found.collect::<Vec<_>>(), scores[0], compared).unwrap();
            let mut tally = Tally::default();
            tally.add(1, Some(&verdict));
            assert_eq!(tally.disagreements(), u64::from(verdict.disagrees()));
            (verdict.others, tally.summary().unwrap())
        };
        let right = verdict([2, -4, -6, -60], Compared::Discs);
        assert_eq!(right, (vec![], "1 of 1 as in the file".to_string()));
        assert_eq!(verdict([4, -4, -6, -60], Compared::Discs).0, [], "the best move's is no other one");
        let (others, summary) = verdict([2, -6, -6, -60], Compared::Discs);
        assert_eq!(others, [WrongScore { mv: c4, score: Some(-6), listed: -4 }]);
        assert!(
            summary.starts_with("0 of 1 as in the file; 0 wrong moves, 0 wrong scores, 1 wrong score of other moves, ")
        );
        assert!(summary.ends_with(" discs"), "{summary}");
        assert_eq!(verdict([1, -1, -1, -1], Compared::Outcomes).0, []);
        assert!(!verdict([1, 0, -1, -1], Compared::Outcomes).1.contains("discs"));
        assert!(!verdict([8, -8, 8, 8], Compared::Signs).1.contains("discs"));
        let others = verdict([1, 0, -1, -1], Compared::Outcomes).0;
        assert_eq!(others, [WrongScore { mv: c4, score: Some(0), listed: -1 }]);
        assert_eq!(verdict([2, -4, -6, -60], Compared::BestMoves).0, []);
        assert_eq!(verdict([8, -8, 8, 8], Compared::Signs).0, [WrongScore { mv: f5, score: Some(1), listed: -1 }]);
    }
}
