//! Parameters that nobody thought of: texts put together from pieces, some of them damaged. What is accepted has a loss that is a loss, and nothing panics or takes long.
//!
//! The same texts in each run. `DENIABLE_MADE_UP=1000000` tries more than the ordinary number.

use std::time::{Duration, Instant};

use datafusion::common::ScalarValue;

use crate::loss::loss;
use crate::parameters::{how, question};
use crate::{central, estimate, randomize};

/// How many texts are tried for each function.
const TEXTS: usize = 6000;

/// A text may take so long, also on a machine that does something else.
const LONG: Duration = Duration::from_secs(20);

const NAMES: [&str; 26] = [
    "epsilon",
    "epsilon",
    "epsilon",
    "prob",
    "scale",
    "rows_per_person",
    "rows_per_person",
    "low",
    "high",
    "step",
    "keys",
    "other",
    "choices",
    "choices",
    "most",
    "length",
    "missing",
    "mechanism",
    "confidence",
    "alpha",
    "target",
    "candidates",
    "bits",
    "hashes",
    "cohorts",
    "constant_time",
];

const VALUES: [&str; 44] = [
    "0",
    "1",
    "1",
    "2",
    "3",
    "8",
    "64",
    "65536",
    "65537",
    "-1",
    "9007199254740992",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "0.0",
    "-0.0",
    "0.5",
    "0.75",
    "1.0",
    "1.0",
    "3.5",
    "700.0",
    "1e-300",
    "5e-324",
    "1e300",
    "1e999",
    "-2.5",
    "inf",
    "-inf",
    "nan",
    "true",
    "\"\"",
    "\"a\"",
    "\"no\"",
    "\"sample\"",
    "\"ä€😀\"",
    "[]",
    "[\"a\"]",
    "[\"a\", \"b\"]",
    "[\"a\", \"b\", \"c\"]",
    "[\"a\", \"a\"]",
    "[1, \"a\"]",
    "{ a = 1 }",
    "2020-01-01",
];

/// What a text is damaged with.
const DAMAGE: [&str; 12] = ["'", "\"", "{", "}", "[", "]", ",", "=", "\n", "\0", "ä", "\"\"\""];

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    /// One below `n`, by the generator SplitMix64.
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % n as u64) as usize
    }

    fn one_of<'a>(&mut self, pieces: &[&'a str]) -> &'a str {
        pieces[self.below(pieces.len())]
    }

    /// A function's parameters: those of its example with one more, fewer, or another value; or any. One in eight is damaged.
    fn text(&mut self, example: &str) -> String {
        let mut fields: Vec<String> = Vec::new();
        if self.below(4) > 0 {
            fields.extend(split(example).map(str::to_owned));
        }
        for _ in 0..self.below(4) {
            let field = format!("{} = {}", self.one_of(&NAMES), self.one_of(&VALUES));
            match self.below(3) {
                0 if !fields.is_empty() => {
                    let place = self.below(fields.len());
                    let name = fields[place].split(" = ").next().unwrap_or_default();
                    fields[place] = format!("{name} = {}", self.one_of(&VALUES));
                }
                1 if !fields.is_empty() => {
                    fields.remove(self.below(fields.len()));
                }
                _ => fields.push(field),
            }
        }
        let mut text = fields.join(", ");
        if self.below(8) == 0 {
            let mut places = text.char_indices().map(|(place, _)| place).collect::<Vec<_>>();
            places.push(text.len());
            text.insert_str(places[self.below(places.len())], self.one_of(&DAMAGE));
        }
        text
    }

    fn literal(&mut self, example: &str) -> ScalarValue {
        match self.below(20) {
            0 => ScalarValue::Float64(Some(f64::from_bits(self.below(usize::MAX) as u64))),
            1 => ScalarValue::Float32(Some(f32::from_bits(self.below(1 << 32) as u32))),
            2 => ScalarValue::Int64(Some(self.below(usize::MAX) as i64)),
            3 => ScalarValue::Utf8View(None),
            _ => ScalarValue::Utf8(Some(self.text(example))),
        }
    }
}

/// The fields of an example. No text in them has a comma, but lists have.
fn split(example: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    example
        .split(move |letter| {
            depth += i32::from(letter == '[') - i32::from(letter == ']');
            letter == ',' && depth == 0
        })
        .map(str::trim)
}

/// The parameters in the example of a function; one has a number there.
fn example(query: &str) -> &str {
    query.split('\'').nth(1).unwrap_or("epsilon = 1.0")
}

fn texts() -> usize {
    std::env::var("DENIABLE_MADE_UP").map_or(TEXTS, |texts| texts.parse().expect("a number"))
}

/// Tries made-up parameters, and says how many were accepted.
fn tried(seed: u64, example: &str, is_accepted: impl Fn(&ScalarValue) -> bool) -> usize {
    let mut numbers = Numbers(seed);
    let made_up = std::iter::repeat_with(|| numbers.literal(example));
    let accepted = made_up.take(texts()).filter(|literal| {
        let start = Instant::now();
        let accepted = is_accepted(literal);
        assert!(start.elapsed() < LONG, "takes long: {literal:?}");
        accepted
    });
    accepted.count()
}

/// A loss is no NaN and not negative, none without rows, and never less for more of them.
fn check_loss(of_rows: impl Fn(Option<u64>) -> Option<f64>, literal: &ScalarValue) -> bool {
    let Some(ordinary) = of_rows(None) else {
        // What the function refuses it refuses for any number of rows.
        assert_eq!(of_rows(Some(1)), None, "{literal:?}");
        return false;
    };
    assert!(ordinary >= 0.0 && ordinary.is_finite(), "{ordinary} is no loss of {literal:?}");
    assert_eq!(of_rows(Some(0)), Some(0.0), "{literal:?}");
    let mut before = 0.0;
    for rows in [1, 2, 3, 100, 1 << 32, 1 << 53, u64::MAX] {
        // A total of so many rows is too large for some bounds.
        let Some(loss) = of_rows(Some(rows)) else { continue };
        assert!(loss >= before, "{rows} rows lose {loss}, fewer {before}: {literal:?}");
        before = loss;
    }
    true
}

/// For each function that draws noise, as `privacy_map` reads its parameters.
#[test]
fn what_is_accepted_has_a_loss() {
    for (seed, definition) in (0..).zip(randomize::ALL.iter().chain(&central::ALL)) {
        let example = example(definition.example);
        let accepted = tried(seed, example, |literal| {
            check_loss(|rows| loss(definition.name, Some(literal), rows).ok(), literal)
        });
        let found = format!("{}: {accepted} of {} accepted", definition.name, texts());
        assert!(accepted > texts() / 20 && accepted < texts() / 2, "{found}");
    }
}

/// For each function that estimates: the parameters of the question, and how.
#[test]
fn what_is_accepted_is_a_way_to_estimate() {
    for (seed, definition) in (100..).zip(&estimate::ALL) {
        let example = example(definition.example);
        let accepted = tried(seed, example, |literal| {
            question(definition.name, definition.kind, Some(literal)).is_ok()
        });
        assert!(accepted > texts() / 20, "{}: {accepted}", definition.name);
    }
    let example =
        "confidence = 0.9, alpha = 0.01, target = \"sample\", candidates = [\"a\", \"b\"]";
    let accepted = tried(200, example, |literal| {
        let Ok(how) = how("estimate_text", Some(literal)) else { return false };
        let is_share = |share: f64| share > 0.0 && share < 1.0;
        assert!(is_share(how.confidence) && is_share(how.alpha), "{literal:?}");
        true
    });
    assert!(accepted > texts() / 20, "{accepted}");
}

/// However deep it is, it ends with a refusal, and not with the stack.
#[test]
fn nested_without_end() {
    for (open, close) in [("[", "]"), ("{ a = ", " }")] {
        for depth in [10, 100, 100_000] {
            let text = format!("epsilon = {}1{}", open.repeat(depth), close.repeat(depth));
            let found = loss("randomize_yes_no", Some(&ScalarValue::from(text)), None);
            assert!(found.is_err(), "accepted at a depth of {depth}");
        }
    }
}
