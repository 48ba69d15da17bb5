//! Fits the values of corners ([`crate::eval::corners`]), and the weights of the features beside them, to the games of [`super::games`].

use rayon::prelude::*;

use super::games::{self, FAMILIES, Game};
use crate::eval::corners::{BLOCKS, EDGES, FEATURES, Fitted, OCTAGON, PHASES, Weights, mirrored, pack, size};
use crate::eval::handmade;
use crate::rules::Color;
use crate::search::general::eval::{corner_fillings, everywhere};
use crate::search::general::set::{Set, U256};
use crate::search::general::state::Rules;

const LINEAR: usize = handmade::FEATURES;
/// The feature of the discs on the border.
const BORDER: usize = 3;
/// One game in so many tests.
const TESTED: usize = 11;
/// Steps of the descent from the features, and from the fit before.
const STEPS: [usize; 2] = [160, 80];
/// How much of an error each value takes upon itself in a step: a position has some twenty.
const RATE: f32 = 0.06;
/// Fits one after the other, each to scores mixed with what the one before makes of the rest of the game.
const ROUNDS: usize = 3;
/// What a ply further on counts in that mixture.
const LAMBDA: f32 = 0.93;
/// What is taken off each sum of errors for each disc of a value, as if a filling had been seen so many times more with no error.
const RIDGE: f32 = 40.0;

/// A position and what became of it.
struct Sample {
    /// Share of empty squares.
    share: f32,
    squares: u16,
    size: f32,
    /// What the game came to for the side to move, in discs.
    score: f32,
    /// What a model is to say.
    target: f32,
    /// The first mover is to move.
    first: bool,
    fillings: [[u16; 6]; 4],
    features: [i16; FEATURES],
}

/// The positions of a game in which nothing is random any more.
fn samples(family: usize, game: &Game) -> Vec<Sample> {
    let mut position = game.start(family);
    let rules: Rules<U256> = Rules::new(&position, false);
    let squares = position.rules().squares();
    let limit = squares as f32 * 0.6;
    let mut samples = Vec::new();
    for (ply, &code) in game.moves().iter().enumerate() {
        let state = rules.state(&position);
        if ply >= usize::from(game.settled) && rules.moves(&state).any() {
            let mobility = rules.moves(&state).count() as i32 - rules.opponent_moves(&state).count() as i32;
            let first = position.side_to_move() == Color::Black;
            let score = (if first { 1.0 } else { -1.0 } * f32::from(game.score)).clamp(-limit, limit);
            samples.push(Sample {
                share: position.empty_count() as f32 / squares as f32,
                squares: squares as u16,
                size: size(squares),
                score,
                target: score,
                first,
                fillings: corner_fillings(&rules, &state).map(|corner| corner.map(|filling| filling as u16)),
                features: everywhere(&rules, &state, mobility).map(|feature| feature as i16),
            });
        }
        position = position.play(rules.decode(code)).expect("legal");
    }
    samples
}

/// The fillings at the edges, and those further in.
fn parts(fillings: &[u16; 6]) -> [(usize, [usize; 3]); 2] {
    [0, 1].map(|i| (i, std::array::from_fn(|j| usize::from(fillings[3 * i + j]))))
}

/// Values in discs.
#[derive(Clone)]
struct Model {
    /// At the edges, and further in.
    blocks: [Vec<f32>; 2],
    edges: [Vec<f32>; 2],
    weights: [Weights; 2],
}

impl Model {
    /// What weights of features alone say.
    fn start(family: usize, weights: [f32; LINEAR]) -> Model {
        let [mobility, potential, corner, x, c, runs, border, discs, tempo] = weights;
        let beside = |block| {
            corner_features(family, block).iter().zip([corner, x, c]).map(|(feature, weight)| feature * weight).sum()
        };
        Model {
            blocks: [(0..BLOCKS).map(beside).collect(), vec![0.0; BLOCKS]],
            edges: [vec![0.0; EDGES], vec![0.0; EDGES]],
            weights: [[mobility, potential, runs, border, discs, tempo, 1.0], [0.0; FEATURES + 1]],
        }
    }

    fn corners(&self, sample: &Sample) -> f32 {
        let parts = sample.fillings.iter().flat_map(parts);
        parts
            .map(|(i, [block, along, across])| self.blocks[i][block] + self.edges[i][along] + self.edges[i][across])
            .sum()
    }

    /// The weight of a feature, or of the corners, on a board of some size.
    fn weight(&self, i: usize, size: f32) -> f32 {
        self.weights[0][i] + size * self.weights[1][i]
    }

    fn value(&self, sample: &Sample) -> f32 {
        let features = sample.features.iter().enumerate();
        features.map(|(i, &feature)| f32::from(feature) * self.weight(i, sample.size)).sum::<f32>()
            + self.corners(sample) * self.weight(FEATURES, sample.size)
    }

    /// In the units and the order of a file.
    fn fitted(&self) -> Fitted {
        let disc = handmade::DISC as f32;
        let mut weights = self.weights;
        weights.iter_mut().for_each(|weights| weights[..FEATURES].iter_mut().for_each(|weight| *weight *= disc));
        (
            self.blocks.each_ref().map(|values| values.iter().map(|value| value * disc).collect()),
            self.edges.each_ref().map(|values| values.iter().map(|value| value * disc).collect()),
            weights,
        )
    }
}

/// Gradient and how often, in the order of a model.
struct Sums {
    blocks: [Vec<[f32; 2]>; 2],
    edges: [Vec<[f32; 2]>; 2],
    weights: [[[f32; 2]; FEATURES + 1]; 2],
}

impl Sums {
    fn new() -> Sums {
        let of = |count: usize| [0, 1].map(|_| vec![[0.0; 2]; count]);
        Sums { blocks: of(BLOCKS), edges: of(EDGES), weights: Default::default() }
    }

    fn add(&mut self, sample: &Sample, model: &Model, weight: f32) {
        let error = sample.target - model.value(sample);
        let note = |sums: &mut [f32; 2], slope: f32| {
            sums[0] += weight * error * slope;
            sums[1] += weight * slope * slope;
        };
        let scale = model.weight(FEATURES, sample.size);
        for (i, [block, along, across]) in sample.fillings.iter().flat_map(parts) {
            note(&mut self.blocks[i][block], scale);
            note(&mut self.edges[i][along], scale);
            note(&mut self.edges[i][across], scale);
        }
        let values = sample.features.iter().map(|&feature| f32::from(feature)).chain([model.corners(sample)]);
        for (i, value) in values.enumerate() {
            // on 8x8 the corners count as they are
            if i < FEATURES {
                note(&mut self.weights[0][i], value);
            }
            note(&mut self.weights[1][i], value * sample.size);
        }
    }
}

/// The weight of a sample in the fit of a phase: it belongs to two; errors grow with the board.
fn weight(sample: &Sample, phase: usize) -> f32 {
    (1.0 - (sample.share * PHASES as f32 - phase as f32 - 0.5).abs()).max(0.0) * (-1.5 * sample.size).exp()
}

/// Which phase the search takes for a sample.
fn phase_of(sample: &Sample) -> usize {
    ((sample.share * PHASES as f32) as usize).min(PHASES - 1)
}

/// Makes the targets of a game's positions, which follow each other.
fn mix(samples: &mut [Sample], models: &[Model]) {
    let mut later: Option<(f32, bool)> = None;
    for sample in samples.iter_mut().rev() {
        let for_side = |(value, first): (f32, bool)| if first == sample.first { value } else { -value };
        sample.target = later.map_or(sample.score, for_side);
        let value = models[phase_of(sample)].value(sample);
        later = Some((LAMBDA * sample.target + (1.0 - LAMBDA) * value, sample.first));
    }
}

/// Fits one phase, from the fit `before` on or else from `start`, to which what has been seen seldom keeps close.
fn fit(games: &[Vec<Sample>], phase: usize, start: &Model, before: Option<&Model>) -> Model {
    let chosen: Vec<(&Sample, f32)> = games
        .iter()
        .flatten()
        .map(|sample| (sample, weight(sample, phase)))
        .filter(|(_, weight)| *weight > 0.0)
        .collect();
    let mut model = before.unwrap_or(start).clone();
    let steps = STEPS[usize::from(before.is_some())];
    let images: Vec<usize> = (0..BLOCKS).map(mirrored).collect();
    for step in 0..steps {
        let mut sums = Sums::new();
        chosen.iter().for_each(|(sample, weight)| sums.add(sample, &model, *weight));
        let rate = if step < steps / 2 { RATE } else { RATE / 2.0 };
        for ((blocks, start), sums) in model.blocks.iter_mut().zip(&start.blocks).zip(&sums.blocks) {
            for (block, &image) in images.iter().enumerate() {
                let ([a, n], [b, m]) = (sums[block], sums[image]);
                let (error, count) = if image == block { (a, n) } else { (a + b, n + m) };
                blocks[block] += rate * (error - RIDGE * (blocks[block] - start[block])) / (count + RIDGE);
            }
        }
        for (value, [error, count]) in model.edges.iter_mut().flatten().zip(sums.edges.iter().flatten()) {
            *value += rate * (error - RIDGE * *value) / (count + RIDGE);
        }
        for (value, [error, count]) in model.weights.iter_mut().flatten().zip(sums.weights.iter().flatten()) {
            *value += rate * error / (count + 1.0);
        }
    }
    model
}

/// What the features of a corner are in its block: how many corners, X and C squares the side has more. An octagon has the ends of two
/// edges there.
fn corner_features(family: usize, block: usize) -> [f32; 3] {
    let side = |i: u32| [0.0, 1.0, -1.0][block / 3usize.pow(i) % 3];
    let open = |i: u32| f32::from(side(i) == 0.0);
    match family {
        OCTAGON => [side(2) + side(6), (open(2) + open(6)) * side(4), open(2) * side(5) + open(6) * side(7)],
        _ => [side(0), open(0) * side(4), open(0) * (side(1) + side(3))],
    }
}

/// Root mean squared errors of a model (of 0, without one) by phase, on boards of so many squares, or on all.
fn errors(samples: &[Sample], models: Option<&[Model]>, squares: Option<u16>) -> String {
    let mut sums = [[0.0; 2]; PHASES];
    for sample in samples.iter().filter(|sample| squares.is_none_or(|squares| sample.squares == squares)) {
        let phase = phase_of(sample);
        let error = f64::from(sample.score - models.map_or(0.0, |models| models[phase].value(sample)));
        sums[phase][0] += error * error;
        sums[phase][1] += 1.0;
    }
    sums.iter().map(|[sum, count]| format!("{:7.3}", (sum / count).sqrt())).collect()
}

/// The models that the fit of a family begins with, one a phase.
fn starts(games: &[Game], family: usize) -> Vec<Model> {
    let position = games[0].start(family);
    let weights = handmade::weights_for(position.rules());
    let middle = |phase: usize| handmade::blend(weights, 2 * phase as u32 + 1, 2 * PHASES as u32);
    let in_discs = |weight: i32| weight as f32 / handmade::DISC as f32;
    (0..PHASES).map(|phase| Model::start(family, middle(phase).map(in_discs))).collect()
}

/// Fits a family and says how far off it is on games left out.
fn fit_family(family: usize, games: &[Game]) -> Vec<Model> {
    let mut train: Vec<Vec<Sample>> = games.par_iter().map(|game| samples(family, game)).collect();
    let mut nth = 0..;
    let test: Vec<Sample> = train.extract_if(.., |_| nth.next().is_some_and(|i| i % TESTED == 0)).flatten().collect();
    let count = train.iter().map(Vec::len).sum::<usize>();
    println!("{}: {} games, {count} positions, {} to test", FAMILIES[family].0, games.len(), test.len());
    let start = starts(games, family);
    println!("  mean                   {}", errors(&test, None, None));
    println!("  features               {}", errors(&test, Some(&start), None));
    let mut models: Vec<Model> = Vec::new();
    for round in 0..ROUNDS {
        if round > 0 {
            train.par_iter_mut().for_each(|game| mix(game, &models));
        }
        let phases = (0..PHASES).into_par_iter();
        models = phases.map(|phase| fit(&train, phase, &start[phase], models.get(phase))).collect();
        println!("  corners                {}", errors(&test, Some(&models), None));
    }
    // discs hardly ever stand on the border or near a corner as early as in the first phase: they count what they count in the next
    let [.., next, first] = &mut models[..] else { unreachable!("phases") };
    for (first, next) in first.weights.iter_mut().zip(next.weights) {
        (first[BORDER], first[FEATURES]) = (next[BORDER], next[FEATURES]);
    }
    let mut sizes: Vec<u16> = test.iter().map(|sample| sample.squares).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for squares in sizes {
        println!("  {squares:3} squares, features  {}", errors(&test, Some(&start), Some(squares)));
        println!("  {squares:3} squares, corners   {}", errors(&test, Some(&models), Some(squares)));
    }
    models
}

#[test]
#[ignore = "minutes; writes values"]
fn fit_corners() {
    let folder = games::folder();
    for (family, (name, _)) in FAMILIES.iter().enumerate() {
        let games = games::read(&folder, family);
        if games.is_empty() {
            continue;
        }
        let models = fit_family(family, &games);
        let phases: Vec<Fitted> = models.iter().map(Model::fitted).collect();
        for (_, _, weights) in &phases {
            println!("  {}", weights.iter().flatten().map(|weight| format!("{weight:8.2}")).collect::<String>());
        }
        let (file, path) = (pack(&phases), folder.join(format!("{name}.bin")));
        std::fs::write(&path, &file).expect("written");
        println!("  {} bytes to {}", file.len(), path.display());
    }
}
