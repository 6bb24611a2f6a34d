//! Which function a line of source is in, and which lines are tests.

use std::ops::RangeInclusive;

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};

use super::export::Span;
use crate::seal::is_test;

/// A file of source.
#[derive(Debug)]
pub(super) struct Source {
    lines: Vec<String>,
    /// Inner ones after those that they are in.
    functions: Vec<(RangeInclusive<usize>, String)>,
    tests: Vec<RangeInclusive<usize>>,
}

impl Source {
    pub(super) fn parse(text: &str) -> Result<Self, syn::Error> {
        let mut found = Finder::default();
        found.visit_file_mut(&mut syn::parse_file(text)?);
        let lines = text.lines().map(str::to_owned).collect();
        Ok(Self { lines, functions: found.functions, tests: found.tests })
    }

    pub(super) fn is_test(&self, line: usize) -> bool {
        self.tests.iter().any(|lines| lines.contains(&line))
    }

    /// The name of the innermost function around a line, with the types and modules that it is in.
    pub(super) fn function(&self, line: usize) -> &str {
        let around = self.functions.iter().rev().find(|(lines, _)| lines.contains(&line));
        around.map_or("", |(_, name)| name)
    }

    /// A line without the space around it.
    pub(super) fn line(&self, line: usize) -> &str {
        self.lines.get(line - 1).map_or("", |line| line.trim())
    }

    /// What stands in a span, on one line. Columns count bytes.
    pub(super) fn text(&self, (first, from, last, to): Span) -> String {
        let cut = |line: usize| {
            let text = self.lines.get(line - 1).map_or("", String::as_str);
            let from = if line == first { from - 1 } else { 0 };
            let to = if line == last { to - 1 } else { text.len() };
            text.get(from..to.min(text.len())).unwrap_or(text).trim()
        };
        (first..=last).map(cut).collect::<Vec<_>>().join(" ").trim().to_owned()
    }
}

#[derive(Default)]
struct Finder {
    path: Vec<String>,
    functions: Vec<(RangeInclusive<usize>, String)>,
    tests: Vec<RangeInclusive<usize>>,
}

impl Finder {
    /// Visits something that has a name, with it.
    fn within(&mut self, name: String, visit: impl FnOnce(&mut Self)) {
        self.path.push(name);
        visit(self);
        self.path.pop();
    }

    fn function(
        &mut self,
        lines: RangeInclusive<usize>,
        name: String,
        visit: impl FnOnce(&mut Self),
    ) {
        self.within(name, |this| {
            this.functions.push((lines, this.path.join("::")));
            visit(this);
        });
    }
}

impl VisitMut for Finder {
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        // Those for one system alone are `cfg(all(test, …))`.
        let is_tests = matches!(item, syn::Item::Mod(module) if module.ident == "tests");
        if is_tests || is_test(item) {
            self.tests.push(lines(item));
        } else {
            visit_mut::visit_item_mut(self, item);
        }
    }

    fn visit_item_mod_mut(&mut self, item: &mut syn::ItemMod) {
        self.within(item.ident.to_string(), |this| visit_mut::visit_item_mod_mut(this, item));
    }

    fn visit_item_impl_mut(&mut self, item: &mut syn::ItemImpl) {
        let of = name(&item.self_ty);
        let name = match &item.trait_ {
            Some((path, _)) => format!("<{of} as {}>", name(path)),
            None => of,
        };
        self.within(name, |this| visit_mut::visit_item_impl_mut(this, item));
    }

    fn visit_item_trait_mut(&mut self, item: &mut syn::ItemTrait) {
        self.within(item.ident.to_string(), |this| visit_mut::visit_item_trait_mut(this, item));
    }

    fn visit_item_fn_mut(&mut self, item: &mut syn::ItemFn) {
        let (lines, name) = (lines(item), item.sig.ident.to_string());
        self.function(lines, name, |this| visit_mut::visit_item_fn_mut(this, item));
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut syn::ImplItemFn) {
        if is_test(item) {
            return self.tests.push(lines(item));
        }
        let (lines, name) = (lines(item), item.sig.ident.to_string());
        self.function(lines, name, |this| visit_mut::visit_impl_item_fn_mut(this, item));
    }

    fn visit_trait_item_fn_mut(&mut self, item: &mut syn::TraitItemFn) {
        let (lines, name) = (lines(item), item.sig.ident.to_string());
        self.function(lines, name, |this| visit_mut::visit_trait_item_fn_mut(this, item));
    }

    fn visit_item_macro_mut(&mut self, item: &mut syn::ItemMacro) {
        let name = item.ident.as_ref().map_or_else(|| name(&item.mac.path), ToString::to_string);
        self.functions.push((lines(item), format!("{name}!")));
    }
}

fn lines(item: &impl Spanned) -> RangeInclusive<usize> {
    let span = item.span();
    span.start().line..=span.end().line
}

/// A type's or a trait's name as it is written, without spaces.
fn name(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string().replace(' ', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
fn outer() {
    fn inner() {
        one(
            two);
    }
}
impl<T> Some<T> {
    fn of(self) {}
}
impl Display for Some<u8> {
    fn of(self) {}
}
macro_rules! many {
    () => {};
}
#[cfg(test)]
mod of {
    fn of() {}
}
#[cfg(all(test, unix))]
mod tests {
    fn of() {}
}
";

    #[test]
    fn lines_have_functions() {
        let source = Source::parse(TEXT).unwrap();
        let names = [1, 3, 6, 7, 8, 11, 14].map(|line| source.function(line));
        let of = ["outer", "outer::inner", "outer", "", "Some<T>::of", "<Some<u8> as Display>::of"];
        assert_eq!(names[..6], of);
        assert_eq!(names[6], "many!");
        assert_eq!([9, 16, 18, 22].map(|line| source.is_test(line)), [false, true, true, true]);
        assert_eq!(source.line(3), "one(");
        assert_eq!(source.text((3, 9, 4, 17)), "one( two)");
        assert_eq!(source.text((4, 13, 4, 16)), "two");
    }
}
