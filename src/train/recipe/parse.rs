//! Reading recipes.

use super::{Eval, Labels, REPORT, Recipe, Selfplay, Source, Stage, Train, Work, chosen, numbers};
use crate::formats::quantity::{number, parse_count, parse_seed, parse_selectivity, single, whole};
use crate::formats::without_mark;
use crate::search::Selectivity;
use crate::selfplay::{MOST_GAMES, PlyRange, Settings as Games};
use crate::train::session::Plan;
use crate::train::{embedding, linear, parity, probcut};

/// What is wrong with a recipe.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {}{what}", in_quotes(token))]
pub struct RecipeError {
    /// Counted from 1.
    pub line: usize,
    /// The word or value that is wrong; empty where something is missing.
    pub token: String,
    /// What is wrong with it.
    pub what: String,
}

/// What a message says in front of what is wrong with this word.
fn in_quotes(token: &str) -> String {
    if token.is_empty() { String::new() } else { format!("'{token}': ") }
}

impl RecipeError {
    fn new(line: usize, token: impl Into<String>, what: impl Into<String>) -> RecipeError {
        RecipeError { line, token: token.into(), what: what.into() }
    }
}

/// `setting = value` on a line.
struct Entry {
    line: usize,
    name: String,
    value: String,
}

/// A heading and the lines below it.
struct Section {
    line: usize,
    heading: String,
    kind: String,
    name: String,
    entries: Vec<Entry>,
    /// The settings that were asked for, for the message about others.
    known: Vec<&'static str>,
}

/// Reads a recipe.
///
/// # Errors
/// The first line that is wrong.
pub fn parse(text: &str) -> Result<Recipe, RecipeError> {
    let text = without_mark(text);
    let mut stages: Vec<Stage> = Vec::new();
    for mut section in sections(text)? {
        if stages.iter().any(|stage| stage.name == section.name) {
            return Err(RecipeError::new(section.line, &section.name, "another stage has this name"));
        }
        let work = work(&mut section, &stages)?;
        if let Some(Entry { line, name, .. }) = section.entries.first() {
            let what = format!("no setting of a {} stage, which has {}", section.kind, section.known.join(", "));
            return Err(RecipeError::new(*line, name, what));
        }
        stages.push(Stage { name: section.name, work });
    }
    let recipe = Recipe { stages };
    match recipe.last_weights() {
        Some(_) => Ok(recipe),
        None => {
            let line = text.lines().count().max(1);
            Err(RecipeError::new(line, "", "the recipe ends without a stage that makes weights"))
        }
    }
}

fn sections(text: &str) -> Result<Vec<Section>, RecipeError> {
    let mut sections: Vec<Section> = Vec::new();
    for (i, full) in text.lines().enumerate() {
        let number = i + 1;
        let line = full.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        if line.starts_with('[') {
            sections.push(heading(line, number)?);
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            return Err(RecipeError::new(number, line, "neither [KIND NAME] nor setting = value"));
        };
        let (name, value) = (name.trim(), value.trim());
        let Some(section) = sections.last_mut() else {
            return Err(RecipeError::new(number, name, "a setting before the first [KIND NAME]"));
        };
        if section.entries.iter().any(|entry| entry.name == name) {
            return Err(RecipeError::new(number, name, "set twice in this stage"));
        }
        if value.is_empty() {
            return Err(RecipeError::new(number, name, "no value behind '='"));
        }
        section.entries.push(Entry { line: number, name: name.to_string(), value: value.to_string() });
    }
    Ok(sections)
}

fn heading(line: &str, number: usize) -> Result<Section, RecipeError> {
    let inside = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let words: Vec<&str> = inside.unwrap_or_default().split_whitespace().collect();
    let &[kind, name] = words.as_slice() else {
        return Err(RecipeError::new(number, line, "not a heading of the form [KIND NAME]"));
    };
    if !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') || name.starts_with('-') {
        return Err(RecipeError::new(number, name, "names are letters, digits, '-' and '_', with no '-' in front"));
    }
    if ["built-in", "zero"].contains(&name) {
        return Err(RecipeError::new(number, name, "this name means other weights"));
    }
    if name == REPORT {
        return Err(RecipeError::new(number, name, "the files of this name are the report's"));
    }
    let (kind, name, heading) = (kind.to_string(), name.to_string(), line.to_string());
    Ok(Section { line: number, heading, kind, name, entries: Vec::new(), known: Vec::new() })
}

impl Section {
    /// The value of a setting, if it is there.
    fn take<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, RecipeError> {
        self.known.push(name);
        let Some(place) = self.entries.iter().position(|entry| entry.name == name) else { return Ok(None) };
        let entry = self.entries.remove(place);
        read(&entry.value).map(Some).map_err(|what| RecipeError::new(entry.line, entry.value, what))
    }

    fn or<T>(
        &mut self,
        name: &'static str,
        otherwise: T,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, RecipeError> {
        Ok(self.take(name, read)?.unwrap_or(otherwise))
    }

    /// As [`or`](Section::or) where the setting says something; where it does not, why not.
    fn or_if<T>(
        &mut self,
        says: &Result<(), String>,
        name: &'static str,
        otherwise: T,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, RecipeError> {
        self.or(name, otherwise, |text| says.clone().and_then(|()| read(text)))
    }

    fn need<T>(&mut self, name: &'static str, read: impl FnOnce(&str) -> Result<T, String>) -> Result<T, RecipeError> {
        let (line, heading) = (self.line, self.heading.clone());
        self.take(name, read)?.ok_or_else(|| RecipeError::new(line, heading, format!("has no '{name} = ...'")))
    }
}

fn work(section: &mut Section, before: &[Stage]) -> Result<Work, RecipeError> {
    match section.kind.as_str() {
        "selfplay" => selfplay(section, before),
        "reanalyse" => {
            let of = section.need("of", |text| source(text, before))?;
            Ok(Work::Reanalyse { of, search: labels(section, before)? })
        }
        "train" => train(section, before),
        "probcut" => {
            let default = probcut::Settings::default();
            Ok(Work::Probcut {
                eval: section.need("eval", |text| eval(text, before))?,
                midgame: section.or("midgame", default.midgame, whole(0..=probcut::MOST_POSITIONS))?,
                endgame: section.or("endgame", default.endgame, whole(0..=probcut::MOST_POSITIONS))?,
                depth: section.or("depth", default.max_depth, whole(2..=14))?,
                max_empties: section.or("max-empties", default.max_empties, whole(13..=24))?,
                seed: section.or("seed", default.seed, parse_seed)?,
            })
        }
        "judge" => Ok(Work::Judge {
            eval: section.need("eval", |text| eval(text, before))?,
            problems: section.need("problems", |text| Ok(text.to_string()))?,
            depths: section.or("depths", vec![0, 6], depths)?,
            selectivity: section.or("selectivity", Selectivity::MOST, parse_selectivity)?,
            every: section.or("every", 1, whole(1..=1_000_000))?,
        }),
        other => {
            let what = "no kind of stage: selfplay, reanalyse, train, probcut and judge are";
            Err(RecipeError::new(section.line, other, what))
        }
    }
}

fn labels(section: &mut Section, before: &[Stage]) -> Result<Labels, RecipeError> {
    Ok(Labels {
        eval: section.or("eval", Eval::BuiltIn, |text| eval(text, before))?,
        depth: section.or("depth", 6, whole(1..=60))?,
        selectivity: section.or("selectivity", Selectivity::MOST, parse_selectivity)?,
        exact: section.or("exact", Games::default().exact, whole(0..=30))?,
    })
}

fn selfplay(section: &mut Section, before: &[Stage]) -> Result<Work, RecipeError> {
    let default = Games::default();
    let games = |text: &str| {
        let count = u32::try_from(parse_count(text)?).ok().filter(|games| *games <= MOST_GAMES);
        count.ok_or_else(|| format!("at most {MOST_GAMES} games"))
    };
    Ok(Work::Selfplay(Selfplay {
        games: section.need("games", games)?,
        seed: section.or("seed", default.seed, parse_seed)?,
        search: labels(section, before)?,
        random_plies: section.or("random-plies", default.random_plies, str::parse::<PlyRange>)?,
        balance: section.take("balance", whole(1..=64))?,
        stray_percent: section.or("stray", default.stray_percent, number(0.0..=100.0))?,
    }))
}

fn train(section: &mut Section, before: &[Stage]) -> Result<Work, RecipeError> {
    let (phases, passes) = (linear::Settings::default(), embedding::Settings::default());
    let list = |text: &str| {
        let mut sources: Vec<Source> = Vec::new();
        for word in text.split_whitespace() {
            let new = source(word, before)?;
            if sources.iter().any(|known| known.shares_games_with(&new)) {
                return Err(format!("games of '{}' would count twice", new.stage));
            }
            sources.push(new);
        }
        Ok(sources)
    };
    let games = section.need("games", list)?;
    let with_embedding = section.or("model", false, |text| match text {
        "linear" => Ok(false),
        "embedding" => Ok(true),
        _ => Err("not a model: linear and embedding are".to_string()),
    })?;
    let linear_of = section.take("linear", |text| weights_stage(text, before))?;
    let from = section.take("from", |text| match (with_embedding, &linear_of) {
        (false, _) => Err("only a training with 'model = embedding' goes on with weights".to_string()),
        (_, Some(_)) => Err("the linear part is taken from these weights: 'linear' says something else".to_string()),
        _ => with_an_embedding(text, before),
    })?;
    let seed = section.or("seed", 1, parse_seed)?;
    // what changes nothing is a mistake
    let fitted = match (&linear_of, &from) {
        (None, None) => Ok(()),
        _ => Err("the linear part is taken from other weights, not fitted".to_string()),
    };
    let linear = linear::Settings {
        window: section.or_if(&fitted, "window", phases.window, whole(0..=60))?,
        decay: section.or_if(&fitted, "decay", phases.decay, single(linear::DECAYS))?,
        shrink: section.or_if(&fitted, "shrink", phases.shrink, single(linear::SHRINKS))?,
        iterations: section.or_if(&fitted, "iterations", phases.iterations, whole(1..=1000))?,
    };
    let embeds = match with_embedding {
        true => Ok(()),
        false => Err("only a training with 'model = embedding' has this setting".to_string()),
    };
    let embedding = embedding::Settings {
        epochs: section.or_if(&embeds, "epochs", passes.epochs, whole(1..=1000))?,
        batch: section.or_if(&embeds, "batch", passes.batch, whole(1..=1_000_000))?,
        rate: section.or_if(&embeds, "rate", passes.rate, single(embedding::RATES))?,
    };
    let default = parity::Settings::default();
    let parity_games = section.or("parity-games", default.games, whole(0..=1_000_000))?;
    Ok(Work::Train(Train {
        games,
        linear: linear_of,
        from,
        lambda: section.or("lambda", 0.9, single(0.0..=1.0))?,
        plan: Plan {
            linear,
            embedding: with_embedding.then_some(embedding),
            parity: parity::Settings { games: parity_games, seed },
            seed,
        },
    }))
}

fn depths(text: &str) -> Result<Vec<u8>, String> {
    text.split(',').map(|depth| whole(0..=60)(depth.trim())).collect()
}

fn eval(text: &str, before: &[Stage]) -> Result<Eval, String> {
    match text {
        "built-in" => Ok(Eval::BuiltIn),
        "zero" => Ok(Eval::Zero),
        _ => weights_stage(text, before).map(Eval::Stage),
    }
}

/// Weights that have an embedding to go on with.
fn with_an_embedding(text: &str, before: &[Stage]) -> Result<Eval, String> {
    let found = eval(text, before)?;
    match has_embedding(&found, before) {
        true => Ok(found),
        false => Err("these weights have no embedding to go on with".to_string()),
    }
}

fn has_embedding(eval: &Eval, before: &[Stage]) -> bool {
    match eval {
        Eval::BuiltIn => true,
        Eval::Zero => false,
        Eval::Stage(name) => match named(name, before).map(|stage| &stage.work) {
            // the same weights with another error model
            Some(Work::Probcut { eval, .. }) => has_embedding(eval, before),
            Some(Work::Train(train)) => train.plan.embedding.is_some(),
            _ => false,
        },
    }
}

fn named<'a>(name: &str, stages: &'a [Stage]) -> Option<&'a Stage> {
    stages.iter().find(|stage| stage.name == name)
}

fn weights_stage(text: &str, before: &[Stage]) -> Result<String, String> {
    let found = named(text, before).ok_or("no stage before this one has the name")?;
    match found.work.makes_weights() {
        true => Ok(text.to_string()),
        false => Err("this stage makes no weights".to_string()),
    }
}

fn source(text: &str, before: &[Stage]) -> Result<Source, String> {
    let (name, range) = text.split_once(':').unwrap_or((text, "0-"));
    let not_before = || format!("no stage before this one has the name '{name}'");
    let found = named(name, before).ok_or_else(not_before)?;
    if !found.work.makes_games() {
        return Err(format!("the stage '{name}' makes no games"));
    }
    let bad = || format!("'{range}' are no numbers of games such as 0-500 or 500-");
    let (from, to) = range.split_once('-').ok_or_else(bad)?;
    let from: u64 = from.parse().map_err(|_| bad())?;
    let to = if to.is_empty() { u64::MAX } else { to.parse().map_err(|_| bad())? };
    if from >= to {
        return Err(bad());
    }
    let source = Source { stage: name.to_string(), games: from..to };
    if chosen(before, &source).is_empty() {
        let made = numbers(before, name);
        return Err(format!("the stage '{name}' has games {}-{}", made.start, made.end));
    }
    Ok(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_of_byte_order_is_no_part_of_the_recipe() {
        assert_eq!(parse(&format!("\u{feff}{WHOLE}")).unwrap().stages.len(), parse(WHOLE).unwrap().stages.len());
    }

    const WHOLE: &str = "\
# from nothing
[selfplay first]
games = 2k        # a comment
depth = 3
balance = 10

[reanalyse deep]
of = first:0-500
depth = 9

[train start]
games = first:500- deep
model = embedding
from = built-in
epochs = 2
[probcut sure]
eval = start
[judge end]
eval = sure
problems = x.obf
depths = 0, 5,6
";

    #[test]
    fn a_recipe_is_what_it_says() {
        let Recipe { stages } = parse(WHOLE).unwrap();
        let names: Vec<(&str, &str)> = stages.iter().map(|stage| (stage.work.kind(), stage.name.as_str())).collect();
        let expected =
            [("selfplay", "first"), ("reanalyse", "deep"), ("train", "start"), ("probcut", "sure"), ("judge", "end")];
        assert_eq!(names, expected);
        let Work::Selfplay(first) = &stages[0].work else { panic!() };
        assert_eq!((first.games, first.search.depth, first.balance, first.search.exact), (2000, 3, Some(10), 14));
        let Work::Train(train) = &stages[2].work else { panic!() };
        let sources: Vec<_> = train.games.iter().map(|source| (source.stage.as_str(), source.games.clone())).collect();
        assert_eq!(sources, [("first", 500..u64::MAX), ("deep", 0..u64::MAX)]);
        assert_eq!(train.plan.embedding.map(|embedding| embedding.epochs), Some(2));
        assert_eq!(train.from, Some(Eval::BuiltIn));
        let Work::Judge { depths, eval, .. } = &stages[4].work else { panic!() };
        assert_eq!((&depths[..], eval), (&[0, 5, 6][..], &Eval::Stage("sure".into())));
    }

    #[test]
    fn errors_say_where_and_what() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        for (text, expected) in [
            ("", "line 1: the recipe ends without a stage that makes weights"),
            ("games = 3", "line 1: 'games': a setting before the first [KIND NAME]"),
            ("\n[selfplay]", "line 2: '[selfplay]': not a heading of the form [KIND NAME]"),
            ("[selfplay a", "line 1: '[selfplay a': not a heading of the form [KIND NAME]"),
            ("[selfplay a/b]", "line 1: 'a/b': names are letters, digits, '-' and '_', with no '-' in front"),
            ("[selfplay zero]", "line 1: 'zero': this name means other weights"),
            ("[train report]", "line 1: 'report': the files of this name are the report's"),
            ("[play a]", "line 1: 'play': no kind of stage: selfplay, reanalyse, train, probcut and judge are"),
            ("[selfplay a]\nseed = 2", "line 1: '[selfplay a]': has no 'games = ...'"),
            ("[selfplay a]\ngames = many", "line 2: 'many': not a positive count such as 1500, 20k, 1.5M or 3G"),
            ("[selfplay a]\ngames = 9G", "line 2: '9G': at most 100000000 games"),
            ("[selfplay a]\ngames 3", "line 2: 'games 3': neither [KIND NAME] nor setting = value"),
            ("[selfplay a]\ngames =", "line 2: 'games': no value behind '='"),
            ("[selfplay a]\ngames = 3\ngames = 4", "line 3: 'games': set twice in this stage"),
            ("[selfplay a]\ngames = 3\ndepth = 0", "line 3: '0': not a whole number from 1 to 60"),
            ("[selfplay a]\ngames = 3\neval = b", "line 3: 'b': no stage before this one has the name"),
            ("[selfplay a]\ngames = 3\n[selfplay a]", "line 3: 'a': another stage has this name"),
            (
                "[selfplay a]\ngames = 3\n[train b]\ngames = a:7-7",
                "line 4: 'a:7-7': '7-7' are no numbers of games such as 0-500 or 500-",
            ),
            ("[selfplay a]\ngames = 3\n[train b]\ngames = a:3-", "line 4: 'a:3-': the stage 'a' has games 0-3"),
            (
                "[selfplay a]\ngames = 3\n[reanalyse b]\nof = a:1-9\n[train c]\ngames = b:3-",
                "line 6: 'b:3-': the stage 'b' has games 1-3",
            ),
            // games keep their numbers
            (
                "[selfplay a]\ngames = 3\n[reanalyse b]\nof = a:1-9\n[train c]\ngames = b:0-1",
                "line 6: 'b:0-1': the stage 'b' has games 1-3",
            ),
            (
                "[selfplay a]\ngames = 3\n[train b]\ngames = a\nmodel = embedding\nrate = -1",
                "line 6: '-1': not a number from 0.000000001 to 1",
            ),
            (
                "[selfplay a]\ngames = 3\n[train b]\ngames = a\nepochs = 9",
                "line 5: '9': only a training with 'model = embedding' has this setting",
            ),
            (
                "[selfplay a]\ngames = 3\n[train b]\ngames = a\nwindow = 2\n[train c]\ngames = a\nmodel = embedding\nlinear = b\nwindow = 2",
                "line 10: '2': the linear part is taken from other weights, not fitted",
            ),
            (
                "[selfplay a]\ngames = 3\n[train b]\ngames = a\nmodel = embedding\nfrom = built-in\niterations = 2",
                "line 7: '2': the linear part is taken from other weights, not fitted",
            ),
            (
                "[selfplay a]\ngames = 3\n[train b]\ngames = a\nmodel = deep",
                "line 5: 'deep': not a model: linear and embedding are",
            ),
            ("[selfplay a]\ngames = 3\n[train b]\ngames = a a", "line 4: 'a a': games of 'a' would count twice"),
            (
                "[selfplay a]\ngames = 9\n[train b]\ngames = a:0-4 a:6- a:2-5",
                "line 4: 'a:0-4 a:6- a:2-5': games of 'a' would count twice",
            ),
            ("[selfplay a]\ngames = 3\n[judge b]\neval = a", "line 4: 'a': this stage makes no weights"),
            (
                "[selfplay a]\ngames = 3\n[train b]\ngames = a\nfrom = built-in",
                "line 5: 'built-in': only a training with 'model = embedding' goes on with weights",
            ),
            (
                "[selfplay a]\ngames = 3\n[train b]\ngames = a\n[train c]\ngames = a\nmodel = embedding\nlinear = b\nfrom = b",
                "line 9: 'b': the linear part is taken from these weights: 'linear' says something else",
            ),
            (
                "[selfplay a]\ngames = 3\n[train b]\ngames = a\n[probcut c]\neval = b\n[train d]\ngames = a\nmodel = embedding\nfrom = c",
                "line 10: 'c': these weights have no embedding to go on with",
            ),
            (
                "[selfplay a]\ngames = 3\n[train b]\ngames = a\nmodel = embedding\nfrom = zero",
                "line 6: 'zero': these weights have no embedding to go on with",
            ),
        ] {
            assert_eq!(message(text), expected);
        }
        let going_on = "[selfplay a]\ngames = 3\n[train b]\ngames = a\nmodel = embedding\n[probcut c]\neval = b\n[train d]\ngames = a\nmodel = embedding\nfrom = c";
        assert!(parse(going_on).is_ok());
        let unknown = message("[selfplay a]\ngames = 3\ngmes = 4\n[train b]\ngames = a");
        assert!(
            unknown.starts_with("line 3: 'gmes': no setting of a selfplay stage, which has games, seed, eval, "),
            "{unknown}"
        );
        // parts of a stage side by side
        assert!(parse("[selfplay a]\ngames = 9\n[train b]\ngames = a:0-4 a:6- a:4-6").is_ok());
        assert!(parse("[selfplay a]\ngames = 3\n[reanalyse b]\nof = a:1-9\n[train c]\ngames = b:2-3").is_ok());
        // a stage may not use itself or what comes after it
        assert!(message("[train b]\ngames = a\n[selfplay a]\ngames = 3").starts_with("line 2: 'a': no stage before"));
    }
}
