//! The fields of a table of the survey file, each with its place.

use std::fmt;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is wrong, and where it begins, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) at: usize,
    pub(crate) message: String,
}

impl Wrong {
    pub(crate) fn at(at: usize, message: impl Into<String>) -> Self {
        Wrong { at, message: message.into() }
    }
}

/// A value with its place.
#[derive(Clone, Debug)]
pub(crate) struct Field<T> {
    pub(crate) value: T,
    pub(crate) at: usize,
}

impl<T> Field<T> {
    pub(crate) fn refused(&self, why: impl fmt::Display) -> Wrong {
        Wrong::at(self.at, why.to_string())
    }
}

/// A table whose fields are taken one by one; what is left over at the end was not asked for.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    table: &'a DeTable<'a>,
    /// Where the table begins.
    pub(crate) at: usize,
    known: Vec<&'static str>,
}

type Found<T> = Result<Option<Field<T>>, Wrong>;

impl<'a> Fields<'a> {
    pub(crate) fn new(table: &'a DeTable<'a>, at: usize) -> Self {
        Fields { table, at, known: Vec::new() }
    }

    fn take<T>(
        &mut self,
        name: &'static str,
        accepted: &str,
        read: impl Fn(&'a DeValue<'a>) -> Option<T>,
    ) -> Found<T> {
        self.known.push(name);
        let Some(value) = self.table.get(name) else { return Ok(None) };
        let at = value.span().start;
        match read(value.get_ref()) {
            Some(value) => Ok(Some(Field { value, at })),
            None => Err(Wrong::at(at, format!("`{name}` is not {accepted}"))),
        }
    }

    pub(crate) fn text(&mut self, name: &'static str) -> Found<String> {
        self.take(name, "a text in quotes", |value| value.as_str().map(str::to_owned))
    }

    /// A text, or `false`, which is `None`.
    pub(crate) fn text_or_false(&mut self, name: &'static str) -> Found<Option<String>> {
        self.take(name, "a text in quotes, or false", |value| match value {
            DeValue::Boolean(false) => Some(None),
            _ => value.as_str().map(|text| Some(text.to_owned())),
        })
    }

    pub(crate) fn number(&mut self, name: &'static str) -> Found<f64> {
        self.take(name, "a number", |value| match value {
            DeValue::Integer(n) if n.radix() == 10 => n.as_str().parse().ok(),
            DeValue::Float(x) => x.as_str().parse().ok(),
            _ => None,
        })
    }

    pub(crate) fn count(&mut self, name: &'static str) -> Found<usize> {
        self.take(name, "a whole number, from 0", |value| {
            let n = value.as_integer()?;
            usize::from_str_radix(n.as_str(), n.radix()).ok()
        })
    }

    pub(crate) fn texts(&mut self, name: &'static str) -> Found<Vec<Field<String>>> {
        self.take(name, "a list of texts in quotes", |value| {
            let text = |value: &Spanned<DeValue<'_>>| {
                let at = value.span().start;
                Some(Field { value: value.get_ref().as_str()?.to_owned(), at })
            };
            value.as_array()?.iter().map(text).collect()
        })
    }

    /// The tables of a list of tables.
    pub(crate) fn tables(&mut self, name: &'static str) -> Found<Vec<Fields<'a>>> {
        self.take(name, "a list of tables, each under its own [[…]]", |value| {
            let table = |value: &'a Spanned<DeValue<'a>>| {
                Some(Fields::new(value.get_ref().as_table()?, value.span().start))
            };
            value.as_array()?.iter().map(table).collect()
        })
    }

    pub(crate) fn required<T>(
        &self,
        field: Option<Field<T>>,
        name: &str,
    ) -> Result<Field<T>, Wrong> {
        field.ok_or_else(|| Wrong::at(self.at, format!("`{name}` is missing")))
    }

    /// Refuses what was not taken.
    pub(crate) fn finish(self, of: &str) -> Result<(), Wrong> {
        let unknown = |(key, _): &(&Spanned<_>, _)| -> bool {
            let key: &std::borrow::Cow<'_, str> = Spanned::get_ref(key);
            !self.known.contains(&key.as_ref())
        };
        let Some((key, _)) = self.table.iter().find(unknown) else { return Ok(()) };
        let known = self.known.join(", ");
        let message = format!("`{}` is no field of {of}; accepted are {known}", key.get_ref());
        Err(Wrong::at(key.span().start, message))
    }
}
