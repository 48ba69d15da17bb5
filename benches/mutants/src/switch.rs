//! One source file with its mutants built in: each is a branch that `crate::mutant(NUMBER)` takes.

use std::collections::HashMap;
use std::ops::Range;

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::Result;
use crate::list::{Kind, Mutant, Place};

/// Where something of a mutant stands in the changed text.
#[derive(Clone, Debug)]
pub struct Mark {
    pub range: Range<usize>,
    pub number: usize,
}

/// A changed file.
#[derive(Debug, Default)]
pub struct Switched {
    pub text: String,
    /// The branches of mutants.
    pub branches: Vec<Mark>,
    /// The whole places that were changed, one for each of their mutants.
    pub places: Vec<Mark>,
    /// The mutants that are built in.
    pub taken: Vec<usize>,
}

/// Ranges of bytes in the source that a change is made of.
#[derive(Clone, Debug)]
struct Site {
    kind: Kind,
    /// All of it.
    whole: Range<usize>,
    /// Operands, pattern or value.
    parts: Vec<Range<usize>>,
    /// A part is a `let` of a chain, which nothing can be put around.
    has_let: bool,
}

/// Builds the mutants of one file into its text.
pub fn switch(text: &str, mutants: &[&Mutant]) -> Result<Switched> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder { lines: Lines::new(text), sites: HashMap::new(), in_const: 0 };
    finder.visit_file(&file);
    let mut sites: Vec<(Site, Vec<&Mutant>)> = Vec::new();
    let mut taken = Vec::new();
    for mutant in mutants {
        let Some(site) = finder.sites.get(&(mutant.kind, finder.lines.at(mutant.start))) else {
            continue;
        };
        if site.has_let && matches!(site.kind, Kind::Binary) {
            continue;
        }
        taken.push(mutant.number);
        match sites.iter_mut().find(|(other, _)| other.kind == site.kind && other.whole == site.whole) {
            Some((_, list)) => list.push(mutant),
            None => sites.push((site.clone(), vec![mutant])),
        }
    }
    // outer places come before inner ones; of two that are equal, the guard or field is the outer one
    sites.sort_by_key(|(site, _)| (site.whole.start, usize::MAX - site.whole.end, site.kind == Kind::Binary));
    let mut writer = Writer { text, sites, out: Switched { taken, ..Switched::default() } };
    writer.copy(0..text.len(), 0..writer.sites.len());
    Ok(writer.out)
}

struct Writer<'a> {
    text: &'a str,
    sites: Vec<(Site, Vec<&'a Mutant>)>,
    out: Switched,
}

impl Writer<'_> {
    /// Writes a range of the source with those of `sites`, all inside it or before or after it, changed.
    fn copy(&mut self, range: Range<usize>, sites: Range<usize>) {
        let mut at = range.start;
        let mut i = sites.start;
        while i < sites.end {
            let whole = self.sites[i].0.whole.clone();
            if whole.start < at || whole.end > range.end {
                i += 1;
                continue;
            }
            let inner = (i + 1..sites.end).find(|&j| self.sites[j].0.whole.start >= whole.end).unwrap_or(sites.end);
            self.out.text.push_str(&self.text[at..whole.start]);
            self.site(i, i + 1..inner);
            at = whole.end;
            i = inner;
        }
        self.out.text.push_str(&self.text[at..range.end]);
    }

    fn site(&mut self, i: usize, inner: Range<usize>) {
        let (site, mutants) = self.sites[i].clone();
        let start = self.out.text.len();
        match site.kind {
            Kind::Binary | Kind::Unary | Kind::Field => {
                self.push("(");
                for mutant in &mutants {
                    self.push(&format!("if crate::mutant({}) {{ ", mutant.number));
                    self.branch(mutant, &self.changed(&site, mutant));
                    self.push(" } else ");
                }
                self.push("{ ");
                let kept = if site.kind == Kind::Field { site.parts[0].clone() } else { site.whole.clone() };
                self.copy(kept, inner);
                self.push(" })");
            }
            Kind::Body => {
                for mutant in &mutants {
                    self.push(&format!("if crate::mutant({}) {{ return ", mutant.number));
                    self.branch(mutant, &mutant.replacement);
                    self.push("; } ");
                }
                self.copy(site.whole.clone(), inner);
            }
            Kind::Arm => {
                self.push(&format!("if !crate::mutant({}) ", mutants[0].number));
                if !site.whole.is_empty() {
                    self.push(if site.has_let { "&& " } else { "&& (" });
                    self.copy(site.parts[0].clone(), inner);
                    self.push(if site.has_let { "" } else { ")" });
                }
            }
            Kind::Guard => {
                // the value that each replacement forces
                for mutant in &mutants {
                    let not = if mutant.replacement == "true" { "" } else { "!" };
                    let or = if mutant.replacement == "true" { "||" } else { "&&" };
                    self.push(&format!("{not}crate::mutant({}) {or} (", mutant.number));
                }
                self.copy(site.whole.clone(), inner);
                self.push(&")".repeat(mutants.len()));
            }
        }
        let range = start..self.out.text.len();
        let marks = mutants.iter().map(|mutant| Mark { range: range.clone(), number: mutant.number });
        self.out.places.extend(marks);
    }

    fn push(&mut self, text: &str) {
        self.out.text.push_str(text);
    }

    fn branch(&mut self, mutant: &Mutant, text: &str) {
        let start = self.out.text.len();
        self.push(text);
        self.out.branches.push(Mark { range: start..self.out.text.len(), number: mutant.number });
    }

    /// The text of a changed expression.
    fn changed(&self, site: &Site, mutant: &Mutant) -> String {
        let part = |i: usize| &self.text[site.parts[i].clone()];
        match site.kind {
            Kind::Binary => format!("{} {} {}", part(0), mutant.replacement, part(1)),
            Kind::Unary => part(0).to_string(),
            _ => format!("({}).{}", part(1), part(2)),
        }
    }
}

/// Finds everything that can be changed, by where cargo-mutants says that it begins.
struct Finder<'a> {
    lines: Lines<'a>,
    sites: HashMap<(Kind, usize), Site>,
    /// How many constant items we are in: what is computed at compile time cannot be switched.
    in_const: usize,
}

impl Finder<'_> {
    fn range(&self, item: &impl Spanned) -> Range<usize> {
        let span = item.span();
        self.lines.offset(span.start())..self.lines.offset(span.end())
    }

    fn add(&mut self, kind: Kind, key: usize, site: Site) {
        if self.in_const == 0 {
            self.sites.insert((kind, key), site);
        }
    }

    fn constant(&mut self, look: impl FnOnce(&mut Self)) {
        self.in_const += 1;
        look(self);
        self.in_const -= 1;
    }

    fn body(&mut self, block: &syn::Block) {
        if let Some(first) = block.stmts.first() {
            let start = self.range(first).start;
            let end = self.range(block).end - 1;
            let site = Site { kind: Kind::Body, whole: start..end, parts: Vec::new(), has_let: false };
            self.add(Kind::Body, start, site);
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_elsewhere(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !is_elsewhere(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if item.sig.constness.is_some() || is_elsewhere(&item.attrs) {
            return;
        }
        self.body(&item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.sig.constness.is_some() || is_elsewhere(&item.attrs) {
            return;
        }
        self.body(&item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.body(block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.constant(|this| visit::visit_item_const(this, item));
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.constant(|this| visit::visit_impl_item_const(this, item));
    }

    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        self.constant(|this| visit::visit_trait_item_const(this, item));
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.constant(|this| visit::visit_item_static(this, item));
    }

    fn visit_type(&mut self, item: &'ast syn::Type) {
        self.constant(|this| visit::visit_type(this, item));
    }

    fn visit_pat(&mut self, item: &'ast syn::Pat) {
        self.constant(|this| visit::visit_pat(this, item));
    }

    fn visit_expr_const(&mut self, item: &'ast syn::ExprConst) {
        self.constant(|this| visit::visit_expr_const(this, item));
    }

    fn visit_generic_argument(&mut self, item: &'ast syn::GenericArgument) {
        self.constant(|this| visit::visit_generic_argument(this, item));
    }

    fn visit_expr_repeat(&mut self, item: &'ast syn::ExprRepeat) {
        self.visit_expr(&item.expr);
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_expr_binary(&mut self, item: &'ast syn::ExprBinary) {
        let has_let = has_let(&item.left) || has_let(&item.right);
        let whole = self.range(item);
        let parts = vec![self.range(&item.left), self.range(&item.right)];
        let key = self.range(&item.op).start;
        self.add(Kind::Binary, key, Site { kind: Kind::Binary, whole, parts, has_let });
        visit::visit_expr_binary(self, item);
    }

    fn visit_expr_unary(&mut self, item: &'ast syn::ExprUnary) {
        let whole = self.range(item);
        let parts = vec![self.range(&item.expr)];
        self.add(Kind::Unary, whole.start, Site { kind: Kind::Unary, whole, parts, has_let: false });
        visit::visit_expr_unary(self, item);
    }

    fn visit_arm(&mut self, item: &'ast syn::Arm) {
        let start = self.range(item).start;
        match &item.guard {
            Some((token, guard)) => {
                let range = self.range(guard);
                let has_let = has_let(guard);
                let whole = self.range(token).start..range.end;
                let parts = vec![range.clone()];
                self.add(Kind::Arm, start, Site { kind: Kind::Arm, whole, parts, has_let });
                if !has_let {
                    let site = Site { kind: Kind::Guard, whole: range.clone(), parts: Vec::new(), has_let };
                    self.add(Kind::Guard, range.start, site);
                }
            }
            None => {
                // before the arrow
                let arrow = self.range(&item.fat_arrow_token).start;
                let site = Site { kind: Kind::Arm, whole: arrow..arrow, parts: Vec::new(), has_let: false };
                self.add(Kind::Arm, start, site);
            }
        }
        visit::visit_arm(self, item);
    }

    fn visit_expr_struct(&mut self, item: &'ast syn::ExprStruct) {
        if let Some(rest) = &item.rest {
            let rest = self.range(rest);
            for field in &item.fields {
                let name = self.range(&field.member);
                // `depth` is written out as `depth: ...`
                if field.colon_token.is_some() {
                    let value = self.range(&field.expr);
                    let parts = vec![value.clone(), rest.clone(), name.clone()];
                    let site = Site { kind: Kind::Field, whole: value, parts, has_let: false };
                    self.add(Kind::Field, name.start, site);
                }
            }
        }
        visit::visit_expr_struct(self, item);
    }
}

/// What is only compiled for other systems than this one: `#[cfg(not(unix))]`, `#[cfg(target_family = "wasm")]`, `#[cfg(windows)]`
/// and the like.
fn is_elsewhere(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        let text = list.tokens.to_string().replace(' ', "");
        let here = ["unix", "linux", "feature", "x86_64"].iter().any(|name| text.contains(name));
        let other = ["windows", "wasm", "aarch64"].iter().any(|name| text.contains(name));
        if text.starts_with("not(") { here } else { other && !here }
    })
}

/// A condition that is, or chains, a `let`.
fn has_let(item: &syn::Expr) -> bool {
    match item {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => {
            matches!(binary.op, syn::BinOp::And(_)) && (has_let(&binary.left) || has_let(&binary.right))
        }
        _ => false,
    }
}

/// Bytes of lines and columns.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Lines<'a> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Lines { text, starts }
    }

    fn at(&self, (line, column): Place) -> usize {
        self.offset(LineColumn { line, column: column - 1 })
    }

    fn offset(&self, place: LineColumn) -> usize {
        let line = &self.text[self.starts[place.line - 1]..];
        let within = line.char_indices().nth(place.column).map_or(line.len(), |(i, _)| i);
        self.starts[place.line - 1] + within
    }
}
