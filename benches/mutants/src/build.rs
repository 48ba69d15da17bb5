//! Writes the mutants into a copy of the sources and leaves out those that do not compile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::Result;
use crate::list::Mutant;
use crate::switch::{Mark, Switched, switch};

/// What the changed library looks its mutant up with.
const SWITCH: &str = include_str!("library.rs.txt");

/// Rounds of compiling, each of which finds more of what cannot be compiled.
const ROUNDS: usize = 25;

/// What became of each mutant, one a line, in the changed tree.
pub const STATES: &str = "mutants.states";

/// Changes the tree; `mutants.states` says what became of each mutant: `viable`, `unviable` or, where it stands in a place
/// that nothing can be switched in or that other systems compile, `constant`.
pub fn write(mutants: Vec<Mutant>, tree: &Path) -> Result<()> {
    let mut files: BTreeMap<PathBuf, (String, Vec<&Mutant>)> = BTreeMap::new();
    for mutant in &mutants {
        if !files.contains_key(&mutant.file) {
            let text = fs::read_to_string(tree.join(&mutant.file))?;
            files.insert(mutant.file.clone(), (text, Vec::new()));
        }
        files.get_mut(&mutant.file).expect("just there").1.push(mutant);
    }
    add_switch(tree)?;
    let mut unviable = BTreeSet::new();
    for round in 1..=ROUNDS {
        let switched = change(&files, &unviable, tree)?;
        let found = complaints(tree, &switched)?;
        let taken: BTreeSet<usize> = switched.values().flat_map(|file| file.taken.iter().copied()).collect();
        eprintln!("round {round}: {} mutants built in, {} do not compile", taken.len(), found.len());
        if found.is_empty() {
            return states(&mutants, &taken, &unviable, tree);
        }
        unviable.extend(found);
    }
    Err(format!("after {ROUNDS} rounds there still are mutants that do not compile").into())
}

fn add_switch(tree: &Path) -> Result<()> {
    fs::write(tree.join("src/mutant_switch.rs"), SWITCH)?;
    let allowed = "#![allow(warnings, arithmetic_overflow, unconditional_panic, unconditional_recursion)]";
    for root in ["src/lib.rs", "src/main.rs"].map(|root| tree.join(root)) {
        let text = fs::read_to_string(&root)?;
        fs::write(root, format!("{allowed}\n{text}\nmod mutant_switch;\npub(crate) use mutant_switch::mutant;\n"))?;
    }
    Ok(())
}

type Files<'a> = BTreeMap<PathBuf, (String, Vec<&'a Mutant>)>;

fn change(files: &Files, unviable: &BTreeSet<usize>, tree: &Path) -> Result<BTreeMap<PathBuf, Switched>> {
    let mut all = BTreeMap::new();
    for (file, (text, mutants)) in files {
        let mutants: Vec<&Mutant> = mutants.iter().copied().filter(|m| !unviable.contains(&m.number)).collect();
        let switched = switch(text, &mutants).map_err(|error| format!("{}: {error}", file.display()))?;
        // what has not changed is not compiled again
        let path = tree.join(file);
        if fs::read_to_string(&path)? != switched.text {
            fs::write(path, &switched.text)?;
        }
        all.insert(file.clone(), switched);
    }
    Ok(all)
}

/// The mutants that the compiler complains of.
fn complaints(tree: &Path, switched: &BTreeMap<PathBuf, Switched>) -> Result<BTreeSet<usize>> {
    let output = Command::new("cargo")
        .args(["check", "--locked", "--profile", "mutants", "--lib", "--bins", "--message-format", "json"])
        .current_dir(tree)
        .stderr(std::process::Stdio::null())
        .output()?;
    let mut found = BTreeSet::new();
    let mut strange = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let message = &value["message"];
        if value["reason"] != "compiler-message" || message["level"] != "error" {
            continue;
        }
        let spans = message["spans"].as_array().cloned().unwrap_or_default();
        let primary = spans.iter().filter(|span| span["is_primary"] == true).chain(&spans);
        let blamed: BTreeSet<usize> = primary.filter_map(|span| blame(span, switched)).next().unwrap_or_default();
        if blamed.is_empty() && !spans.is_empty() {
            strange.push(message["rendered"].as_str().unwrap_or_default().to_string());
        }
        found.extend(blamed);
    }
    if found.is_empty() && !output.status.success() {
        return Err(format!("the changed tree does not compile: {}", strange.join("\n")).into());
    }
    Ok(found)
}

/// The mutant whose branch a span lies in; else those of the innermost changed place around it; else those of the next place,
/// for a match that wants the arm that became conditional. A span within a macro of somebody else's (`vec!`) is where it is used.
fn blame(span: &Value, switched: &BTreeMap<PathBuf, Switched>) -> Option<BTreeSet<usize>> {
    let Some(file) = switched.get(Path::new(span["file_name"].as_str()?)) else {
        return blame(span["expansion"].get("span")?, switched);
    };
    let start = span["byte_start"].as_u64()? as usize;
    let around = |marks: &[Mark]| -> Option<usize> {
        let containing = marks.iter().filter(|mark| mark.range.contains(&start));
        containing.map(|mark| mark.range.len()).min()
    };
    let of = |marks: &[Mark], length: usize| {
        let here = marks.iter().filter(|mark| mark.range.contains(&start) && mark.range.len() == length);
        here.map(|mark| mark.number).collect()
    };
    match around(&file.branches) {
        Some(length) => Some(of(&file.branches, length)),
        None if around(&file.places).is_some() => around(&file.places).map(|length| of(&file.places, length)),
        None => {
            let next = file.places.iter().map(|mark| mark.range.start).filter(|&at| at >= start).min()?;
            let there = file.places.iter().filter(|mark| mark.range.start == next);
            Some(there.map(|mark| mark.number).collect())
        }
    }
}

fn states(mutants: &[Mutant], taken: &BTreeSet<usize>, unviable: &BTreeSet<usize>, tree: &Path) -> Result<()> {
    let line = |mutant: &Mutant| {
        let state = match mutant.number {
            number if unviable.contains(&number) => "unviable",
            number if taken.contains(&number) => "viable",
            _ => "constant",
        };
        format!("{} {state}\n", mutant.number)
    };
    fs::write(tree.join(STATES), mutants.iter().map(line).collect::<String>())?;
    Ok(())
}
