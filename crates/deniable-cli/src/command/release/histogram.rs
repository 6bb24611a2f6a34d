//! Noise on the numbers of rows that have a key.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use deniable::mechanism::vector_integer_laplace_cks20::smallest_scale;
use deniable::prelude::*;

use super::{Args, cast, is_plain, place, values_of, within, wrong_type};
use crate::error::{Error, Result};
use crate::files::{Sink, Wanted, expand, open_wanted};
use crate::output::Facts;

/// Which files are to be hard to tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Neighbours {
    /// With and without the rows of one person
    AddRemove,
    /// With other rows of one person in the place of theirs
    Replace,
}

/// What is counted.
pub(super) struct Histogram {
    column: String,
    keys: Keys,
    neighbours: Neighbours,
    rows_per_person: u64,
    /// The most by which the counts of neighbours differ, in total.
    sensitivity: u64,
}

/// The keys, in the order of their file.
pub(super) struct Keys {
    names: Vec<String>,
    places: HashMap<String, usize>,
    /// Where rows go that have none of them.
    other: Option<usize>,
}

impl Keys {
    /// Reads keys, one a line; empty lines are none. `other` is added to them, unless it is one.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, has no keys, or has a key twice.
    pub(super) fn read(path: &Path, other: Option<&str>) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, &error))?;
        let mut keys = Keys { names: Vec::new(), places: HashMap::new(), other: None };
        let text = text.trim_start_matches('\u{feff}');
        for (line, key) in text.lines().enumerate().filter(|(_, key)| !key.is_empty()) {
            if !keys.add(key) {
                return Err(Error::refused(format!(
                    "{}, line {}: this key is there twice; accepted are keys that differ",
                    path.display(),
                    line + 1,
                )));
            }
        }
        if keys.names.is_empty() {
            return Err(Error::refused(format!(
                "{}: there are no keys in it; accepted is a file with a key a line",
                path.display(),
            )));
        }
        keys.other = other.map(|other| {
            keys.add(other);
            keys.places[other]
        });
        Ok(keys)
    }

    /// Adds a key, and says whether it was not there yet.
    fn add(&mut self, key: &str) -> bool {
        let place = self.names.len();
        if self.places.contains_key(key) {
            return false;
        }
        self.places.insert(key.to_owned(), place);
        self.names.push(key.to_owned());
        true
    }

    fn place(&self, key: Option<&str>) -> Option<usize> {
        key.and_then(|key| self.places.get(key).copied()).or(self.other)
    }
}

impl Histogram {
    /// # Errors
    ///
    /// So many rows per person that the sensitivity is no 64-bit number.
    pub(super) fn new(
        column: String,
        keys: Keys,
        neighbours: Neighbours,
        rows_per_person: u64,
    ) -> Result<Self> {
        let each = match neighbours {
            Neighbours::AddRemove => 1,
            // A row leaves one count and comes to another.
            Neighbours::Replace => 2,
        };
        let Some(sensitivity) = rows_per_person.checked_mul(each) else {
            return Err(Error::refused(
                "--rows-per-person: it is too large; accepted is a number below 2^63",
            ));
        };
        Ok(Histogram { column, keys, neighbours, rows_per_person, sensitivity })
    }

    pub(super) fn release(self, args: &Args) -> Result<Facts> {
        let scale = args.scale(|epsilon| smallest_scale(self.sensitivity, epsilon))?;
        let domain = VectorDomain::finite::<i64>().with_size(self.keys.names.len());
        let noise = make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale)?;
        let schema = Arc::new(Schema::new(vec![
            Field::new("key", DataType::Utf8, false),
            Field::new("count", DataType::Int64, false),
        ]));
        let mut sink = Sink::create(&args.output, args.to, &schema)?;
        let mut counts = self.count(args)?;
        let facts = self.facts(scale, noise.accuracy(0.95)?);
        let facts = args.spend(noise.map(self.sensitivity)?, facts)?;
        noise.invoke_in_place(&mut counts)?;
        let keys = Arc::new(StringArray::from(self.keys.names)) as ArrayRef;
        let columns = vec![keys, Arc::new(Int64Array::from(counts)) as ArrayRef];
        sink.write(&RecordBatch::try_new(schema, columns).expect("columns of one length"))?;
        sink.finish()?;
        Ok(facts)
    }

    /// The same for all data, but for the noise.
    fn facts(&self, scale: f64, accuracy: f64) -> Facts {
        let c = self.rows_per_person;
        let (words, name) = match self.neighbours {
            Neighbours::AddRemove => (
                format!("files with and without the rows of one person, at most {c}"),
                "add-remove",
            ),
            Neighbours::Replace => {
                (format!("files with other rows of one person, at most {c}"), "replace")
            }
        };
        let facts = Facts::default().with("mechanism", "laplace-integer");
        let facts = facts.with_words("neighbours", words, name).with("rows per person", c);
        let facts = facts.with("sensitivity", self.sensitivity).with("scale", scale);
        within(facts, accuracy).with("counts", self.keys.names.len())
    }

    fn count(&self, args: &Args) -> Result<Vec<i64>> {
        let mut counts = vec![0; self.keys.names.len()];
        for path in expand(&args.inputs)? {
            let wanted = Wanted { optional: Some(&self.column), ..Wanted::default() };
            // Whether any row of JSON lines has the column can be a matter of one person's rows.
            let source = open_wanted(&path, args.format, &wanted)?;
            let field = source.schema.field(place(&source.schema, &self.column)?);
            let values = values_of(field.data_type());
            if !(values.is_integer() || is_plain(values)) {
                return Err(wrong_type(&self.column, "texts, whole numbers and truth values"));
            }
            for batch in source {
                let batch = batch?;
                let column = batch.column(place(&batch.schema(), &self.column)?);
                let texts = cast(column, &DataType::LargeUtf8);
                let places = texts.as_string::<i64>().iter().filter_map(|key| self.keys.place(key));
                places.for_each(|place| counts[place] += 1);
            }
        }
        Ok(counts)
    }
}
