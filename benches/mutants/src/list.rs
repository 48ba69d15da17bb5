//! The mutants, as cargo-mutants lists them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Result;

/// A line and a column of a source file, both from 1 on; columns count characters.
pub type Place = (usize, usize);

/// What kind of change a mutant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A function's body is one value.
    Body,
    /// Another binary operator.
    Binary,
    /// A unary operator is missing.
    Unary,
    /// A match arm is missing.
    Arm,
    /// A guard is always true or always false.
    Guard,
    /// A field comes from the struct's base.
    Field,
}

/// One change of the source.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// What switches it on: its place in the list, from 1 on.
    pub number: usize,
    pub file: PathBuf,
    pub kind: Kind,
    pub start: Place,
    pub replacement: String,
    /// File, line and change, for people.
    pub name: String,
}

/// Reads a list.
pub fn read(path: &Path) -> Result<Vec<Mutant>> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let list: Vec<Value> = serde_json::from_str(&text)?;
    list.iter()
        .enumerate()
        .map(|(i, value)| mutant(i + 1, value).ok_or_else(|| format!("mutant {i} is not understood: {value}").into()))
        .collect()
}

fn mutant(number: usize, value: &Value) -> Option<Mutant> {
    let text = |key: &str| Some(value.get(key)?.as_str()?.to_string());
    let start = value.get("span")?.get("start")?;
    let count = |key: &str| Some(start.get(key)?.as_u64()? as usize);
    let kind = match text("genre")?.as_str() {
        "FnValue" => Kind::Body,
        "BinaryOperator" => Kind::Binary,
        "UnaryOperator" => Kind::Unary,
        "MatchArm" => Kind::Arm,
        "MatchArmGuard" => Kind::Guard,
        "StructField" => Kind::Field,
        _ => return None,
    };
    Some(Mutant {
        number,
        file: text("file")?.into(),
        kind,
        start: (count("line")?, count("column")?),
        replacement: text("replacement")?,
        name: text("name")?,
    })
}
