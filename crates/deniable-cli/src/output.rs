//! What a command says: lines for people, JSON for programs.

use std::io::{self, Write};
use std::path::Path;

use deniable::Epsilon;
use serde_json::{Map, Value};

use crate::error::{Error, Kind, Result};

/// Facts with names: a line each, or together an object of JSON.
#[derive(Debug, Default)]
pub(crate) struct Facts(Vec<Fact>);

#[derive(Debug)]
struct Fact {
    name: &'static str,
    shown: String,
    value: Value,
}

impl Facts {
    /// A text or a number. A number is shown with the fewest digits that read back as the same float.
    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        let value = value.into();
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        self.0.push(Fact { name, shown, value });
        self
    }

    /// A loss. What is shown is not below it; in JSON it is the float, and null where there is no bound.
    #[must_use]
    pub(crate) fn with_epsilon(mut self, name: &'static str, epsilon: Epsilon) -> Self {
        self.0.push(Fact { name, shown: bound(epsilon), value: epsilon.get().into() });
        self
    }

    /// What people read in other words than programs do.
    #[must_use]
    pub(crate) fn with_words(
        mut self,
        name: &'static str,
        shown: impl Into<String>,
        value: impl Into<Value>,
    ) -> Self {
        self.0.push(Fact { name, shown: shown.into(), value: value.into() });
        self
    }

    /// An object of JSON, whose names have no spaces; or a line for each.
    pub(crate) fn text(self, json: bool) -> String {
        if json {
            let member = |fact: Fact| (fact.name.replace(' ', "_"), fact.value);
            return format!(
                "{}\n",
                Value::Object(self.0.into_iter().map(member).collect::<Map<_, _>>())
            );
        }
        let width = self.0.iter().map(|fact| fact.name.len()).max().unwrap_or(0);
        self.0.iter().map(|fact| format!("{:<width$}  {}\n", fact.name, fact.shown)).collect()
    }
}

/// A loss in decimal digits: the fewest that are not below it and read back as the same float.
pub(crate) fn bound(epsilon: Epsilon) -> String {
    if !epsilon.is_finite() {
        return epsilon.to_string();
    }
    // Rounded up each. No float has more decimals.
    let mut texts = (0..=1074).map(|decimals| format!("{epsilon:.decimals$}"));
    texts.find(|text| text.parse() == Ok(epsilon.get())).expect("the last is exact")
}

/// To the standard output.
pub(crate) fn print(text: impl AsRef<[u8]>) -> Result<()> {
    let mut output = io::stdout().lock();
    let written = output.write_all(text.as_ref()).and_then(|()| output.flush());
    written.map_err(|error| Error::io(Path::new("-"), &error))
}

/// To the standard output, unless that is where the rows of `output` go: then to the standard error.
pub(crate) fn print_beside(output: &Path, text: &str) -> Result<()> {
    if output != Path::new("-") {
        return print(text);
    }
    let written = io::stderr().write_all(text.as_bytes());
    written.map_err(|error| Error::new(Kind::Failed, format!("standard error: {}", error.kind())))
}

/// A line to the standard error. If that cannot be written there is nobody to tell, and what the program does is not changed by it.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_short_and_not_below() {
        let shown = |x| bound(Epsilon::new(x).unwrap());
        assert_eq!(shown(0.0), "0");
        assert_eq!(shown(1.5), "1.5");
        assert_eq!(shown(1e22), "10000000000000000000000");
        assert_eq!(shown(3f64.ln()), "1.0986122886681098");
        // The float is above a tenth.
        assert_eq!(shown(0.1), "0.10000000000000001");
        // The float is below three tenths.
        assert_eq!(shown(0.3), "0.3");
        assert_eq!(shown(f64::INFINITY), "∞");
        for x in [5e-324, 1e-300, 0.7, f64::MAX, 2.0 + f64::EPSILON] {
            assert_eq!(shown(x).parse(), Ok(x));
        }
    }

    #[test]
    fn facts_are_lines_or_json() {
        let facts = || Facts::default().with("a b", 0.5).with("c", "d").with("long name", 1u64);
        assert_eq!(facts().text(false), "a b        0.5\nc          d\nlong name  1\n");
        assert_eq!(facts().text(true), "{\"a_b\":0.5,\"c\":\"d\",\"long_name\":1}\n");
        let none = Facts::default().with_epsilon("epsilon", Epsilon::INFINITY);
        assert_eq!(none.text(true), "{\"epsilon\":null}\n");
    }
}
