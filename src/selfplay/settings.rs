//! How games are to be made.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::reader::Header;
use crate::engine::{Engine, Options};
use crate::eval::Weights;
use crate::formats::openings::{Opening, checksum};
use crate::search::{Goal, Limits, Selectivity};

/// Most games that front ends let people ask for: the numbers of those that are missing are in memory, and to play them takes years.
pub const MOST_GAMES: u32 = 100_000_000;

/// From how few to how many random plies, `8-44`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlyRange {
    /// Fewest.
    pub min: u8,
    /// Most.
    pub max: u8,
}

impl fmt::Display for PlyRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.min, self.max)
    }
}

impl FromStr for PlyRange {
    type Err = String;

    fn from_str(text: &str) -> Result<PlyRange, String> {
        let (min, max) = text.split_once('-').unwrap_or((text, text));
        let number = |text: &str| text.parse().ok().filter(|n| (0..=58).contains(n));
        match (number(min), number(max)) {
            (Some(min), Some(max)) if min <= max => Ok(PlyRange { min, max }),
            _ => Err("not a range of plies such as 8-44, at most 58".to_string()),
        }
    }
}

/// How games are to be made. The same settings, seed and index give the same game, whatever was played before.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Chooses the games.
    pub seed: u64,
    /// How deep positions are searched.
    pub goal: Goal,
    /// Nodes a search may take.
    pub nodes: Option<u64>,
    /// Positions with at most this many empty squares are solved.
    pub exact: u32,
    /// Random plies at the beginning (after an opening of the list): the smaller of two numbers drawn from this range,
    /// because a game labels all positions after its opening and long openings leave little to label.
    pub random_plies: PlyRange,
    /// Openings after which a side is ahead by more than this many discs, by the search for labels, are drawn again. Games
    /// of equals, and the trees that their players search, seldom leave this range; random openings often do.
    pub balance: Option<u32>,
    /// After the opening a random move is played instead of the best one with this probability in percent. Searches see
    /// many positions that good moves never lead to; these are some of them, with good labels.
    pub stray_percent: f64,
    /// Openings to begin with; without any, games begin at the start.
    pub openings: Vec<Opening>,
    /// Weights instead of the embedded ones, and a checksum of them.
    pub weights: Option<(Arc<Weights>, u64)>,
    /// Transposition table in MiB.
    pub hash_mib: usize,
}

impl Default for Settings {
    /// Depth 6 at 73 %: half the time of full width, and hardly less accurate. Against deep searches the mean error of the
    /// labels was 3.55 discs instead of 3.44 (full-width depth 4: 4.44; depth 8 at 73 %, at 1.7 times the time: 2.67).
    fn default() -> Settings {
        Settings {
            seed: 1,
            goal: Goal::Depth(6, Selectivity::MOST),
            nodes: None,
            exact: 14,
            random_plies: PlyRange { min: 8, max: 40 },
            balance: None,
            stray_percent: 4.0,
            openings: Vec::new(),
            weights: None,
            hash_mib: 1,
        }
    }
}

impl Settings {
    /// How deep games are searched for which this goal was asked, or none: with a limit of nodes alone as deep as it allows.
    pub fn goal_for(asked: Option<Goal>, nodes: Option<u64>) -> Goal {
        let otherwise = if nodes.is_some() { Goal::Unlimited } else { Settings::default().goal };
        asked.unwrap_or(otherwise)
    }

    /// Random plies where nobody says how many: fewer after openings.
    pub fn random_plies_after(openings: &[Opening]) -> PlyRange {
        if openings.is_empty() { Settings::default().random_plies } else { PlyRange { min: 0, max: 10 } }
    }

    /// The settings as they are recorded. The number of games is not one of them.
    pub fn header(&self) -> Header {
        let goal = match self.goal {
            Goal::Level(level) => format!("level {}", level.get()),
            Goal::Depth(depth, selectivity) => format!("depth {depth} at {selectivity}"),
            Goal::Exact => "exact".to_string(),
            Goal::WinDrawLoss => "win/draw/loss".to_string(),
            Goal::Unlimited => "unlimited".to_string(),
        };
        let openings = match self.openings.len() {
            0 => "none".to_string(),
            n => format!("{n}, checksum {:016x}", checksum(&self.openings)),
        };
        let eval = self.weights.as_ref().map_or_else(Weights::embedded_checksum, |weights| weights.1);
        let lines = [
            ("program", format!("outflank {}", env!("CARGO_PKG_VERSION"))),
            ("eval", format!("{eval:016x}")),
            ("search", goal),
            ("nodes", self.nodes.map_or("unlimited".to_string(), |nodes| nodes.to_string())),
            ("exact", format!("{} empties", self.exact)),
            ("random_plies", self.random_plies.to_string()),
            ("balance", self.balance.map_or("any".to_string(), |discs| format!("{discs} discs"))),
            ("stray", format!("{} %", self.stray_percent)),
            ("openings", openings),
            ("hash", format!("{} MiB", self.hash_mib)),
        ];
        let settings = lines.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
        Header { seed: self.seed, settings }
    }

    /// An engine to play with.
    pub(super) fn engine(&self) -> Engine {
        let mut engine = Engine::new(Options { hash_mib: self.hash_mib, threads: 1 });
        if let Some((weights, _)) = &self.weights {
            engine.set_weights(weights.clone());
        }
        engine
    }

    /// Limits of a search for a label.
    pub(super) fn limits(&self, empties: u32) -> Limits {
        if empties <= self.exact {
            return Limits::new(Goal::Exact);
        }
        Limits { nodes: self.nodes, ..Limits::new(self.goal) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!("8-44".parse(), Ok(PlyRange { min: 8, max: 44 }));
        assert_eq!("7".parse(), Ok(PlyRange { min: 7, max: 7 }));
        assert_eq!(PlyRange { min: 8, max: 44 }.to_string(), "8-44");
        for bad in ["", "-", "9-8", "1-59", "-1", "a-b", "1-2-3", "300"] {
            assert!(bad.parse::<PlyRange>().is_err(), "{bad}");
        }
    }
}
