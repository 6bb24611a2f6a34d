//! Noise on the numbers of a table.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use deniable::VectorFloatLaplaceCks20;
use deniable::mechanism::vector_float_laplace_cks20::smallest_scale;
use deniable::prelude::*;

use super::{
    Args, cast, is_plain, is_standard_input, is_text, place, values_of, within, wrong_type,
};
use crate::error::{Error, Result};
use crate::files::{Format, Sink, Source, expand, open};
use crate::output::Facts;
use crate::parameter::distinct;

/// What of a table is released.
pub(super) struct Table {
    columns: Vec<String>,
    keep: Vec<String>,
    sensitivity: f64,
    k: Option<i32>,
}

impl Table {
    /// # Errors
    ///
    /// A column that is named twice.
    pub(super) fn new(
        columns: Vec<String>,
        keep: Vec<String>,
        sensitivity: f64,
        k: Option<i32>,
    ) -> Result<Self> {
        distinct("columns", &columns)?;
        distinct("keep", keep.iter().chain(&columns))?;
        Ok(Table { columns, keep, sensitivity, k })
    }

    /// Batch by batch: noise is drawn for each number alone, so that a vector in parts has the law of the whole one.
    pub(super) fn release(self, args: &Args) -> Result<Facts> {
        let paths = expand(&args.inputs)?;
        // On the finest grid the loss does not depend on the size.
        let rows = match self.k {
            None => None,
            Some(_) => Some(self.count_rows(&paths, args.format)?),
        };
        let size = rows.map(|rows| rows * self.columns.len());
        let calibrate = |epsilon| smallest_scale(self.sensitivity, epsilon, size, self.k);
        let noise = self.noise(args.scale(calibrate)?, size)?;
        let first = self.open(&paths[0], args.format)?;
        let schema = self.schema(&first.schema)?;
        // Files whose columns are refused are so before anything is spent.
        for path in paths[1..].iter().filter(|path| !is_standard_input(path)) {
            self.check(&schema, &self.open(path, args.format)?.schema)?;
        }
        let mut sink = Sink::create(&args.output, args.to, &schema)?;
        let facts = args.spend(noise.map(self.sensitivity)?, self.facts(&noise)?)?;
        let (mut first, mut released) = (Some(first), 0);
        for path in &paths {
            let source = first.take().map_or_else(|| self.open(path, args.format), Ok)?;
            self.check(&schema, &source.schema)?;
            for batch in source {
                let batch = batch?;
                released += batch.num_rows();
                if rows.is_some_and(|rows| released > rows) {
                    return Err(changed());
                }
                sink.write(&self.noisy(&schema, &batch, noise.scale())?)?;
            }
        }
        if rows.is_some_and(|rows| released != rows) {
            return Err(changed());
        }
        sink.finish()?;
        Ok(facts.with("rows", released).with("numbers", released * self.columns.len()))
    }

    fn facts(&self, noise: &VectorFloatLaplaceCks20<f64>) -> Result<Facts> {
        let neighbours =
            "tables with the same rows, whose numbers differ by at most the sensitivity in total";
        let facts = Facts::default().with("mechanism", "laplace");
        let facts = facts.with_words("neighbours", neighbours, "same-rows");
        let facts = facts.with("sensitivity", self.sensitivity).with("scale", noise.scale());
        Ok(within(facts.with("k", noise.k()), noise.accuracy(0.95)?))
    }

    fn noise(&self, scale: f64, size: Option<usize>) -> Result<VectorFloatLaplaceCks20<f64>> {
        let domain = VectorDomain::finite::<f64>();
        let domain = size.map_or(domain, |size| domain.with_size(size));
        Ok(make_vector_float_laplace_cks20(domain, L1Distance::new(), scale, self.k)?)
    }

    fn open(&self, path: &Path, format: Option<Format>) -> Result<Source> {
        open(path, format, &[&self.keep[..], &self.columns[..]].concat())
    }

    /// The rows of all files, which are public.
    fn count_rows(&self, paths: &[PathBuf], format: Option<Format>) -> Result<usize> {
        let mut rows = 0;
        for path in paths {
            if is_standard_input(path) {
                return Err(Error::refused(
                    "-: with -k the rows are counted first, and the standard input can be read only once; accepted are names of files",
                ));
            }
            for batch in self.open(path, format)? {
                rows += batch?.num_rows();
            }
        }
        Ok(rows)
    }

    /// The columns of the result: those that are kept, then those with noise.
    fn schema(&self, input: &Schema) -> Result<SchemaRef> {
        let mut fields = Vec::new();
        for name in &self.keep {
            let field = input.field(place(input, name)?).clone();
            fields.push(field.with_metadata(Default::default()));
        }
        for name in &self.columns {
            let values = values_of(input.field(place(input, name)?).data_type());
            if !(values.is_numeric() || is_plain(values)) {
                return Err(wrong_type(name, "numbers, texts that are numbers, and truth values"));
            }
            fields.push(Field::new(name, DataType::Float64, false));
        }
        Ok(Arc::new(Schema::new(fields)))
    }

    /// Whether a file has the columns of the first.
    fn check(&self, schema: &Schema, input: &Schema) -> Result<()> {
        let own = self.schema(input)?;
        let types = |schema: &Schema| -> Vec<DataType> {
            schema.fields().iter().map(|field| field.data_type().clone()).collect()
        };
        if types(&own) == types(schema) {
            return Ok(());
        }
        Err(Error::refused(
            "--keep: a column has another type in another file; accepted are files with the same types",
        ))
    }

    fn noisy(&self, schema: &SchemaRef, batch: &RecordBatch, scale: f64) -> Result<RecordBatch> {
        let noise = self.noise(scale, Some(batch.num_rows()))?;
        let input = batch.schema();
        let mut columns = Vec::new();
        for name in &self.keep {
            columns.push(batch.column(place(&input, name)?).clone());
        }
        for name in &self.columns {
            let mut numbers = numbers(batch.column(place(&input, name)?));
            noise.invoke_in_place(&mut numbers)?;
            let column = Float64Array::new(ScalarBuffer::from(numbers), None);
            columns.push(Arc::new(column) as ArrayRef);
        }
        // A kept column may have nulls where the first file promised none.
        RecordBatch::try_new(schema.clone(), columns).map_err(|_| changed())
    }
}

/// Numbers of every cell: 0 where there is none, and the largest of its sign where it is beyond the range.
fn numbers(column: &ArrayRef) -> Vec<f64> {
    let of =
        |x: Option<f64>| x.filter(|x| !x.is_nan()).map_or(0.0, |x| x.clamp(f64::MIN, f64::MAX));
    if !is_text(values_of(column.data_type())) {
        let numbers = cast(column, &DataType::Float64);
        return numbers.as_primitive::<Float64Type>().iter().map(of).collect();
    }
    let texts = cast(column, &DataType::LargeUtf8);
    let parse = |text: Option<&str>| of(text.and_then(|text| text.trim().parse().ok()));
    texts.as_string::<i64>().iter().map(parse).collect()
}

fn changed() -> Error {
    Error::refused(
        "a file was changed while it was read, or its columns do not fit those of the first; accepted are files that stay as they are",
    )
}
