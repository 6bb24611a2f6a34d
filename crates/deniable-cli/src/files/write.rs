//! Rows out, batch by batch.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use deniable_arrow::FINGERPRINT;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::{Atomic, BATCH, Compression, Format, batch_rows, rows_within};
use crate::error::{Error, Kind, Result};

/// A group of rows of Parquet is in memory until it is whole: what its reports take, at most.
const GROUP_BYTES: usize = 1 << 27;

/// A file that rows are written to, and which appears when it is [finished](Sink::finish). Its bytes depend on the rows and the schema alone.
pub(crate) struct Sink {
    path: PathBuf,
    writer: Writer,
    /// Files without metadata have it in a column.
    fingerprint: Option<String>,
    schema: SchemaRef,
    /// Of a batch.
    rows: usize,
    /// Rows that do not fill a batch yet: how rows came in batches must not be seen in the file.
    waiting: Vec<RecordBatch>,
}

enum Writer {
    Csv(Box<arrow_csv::Writer<Squeezed>>),
    Jsonl(Box<arrow_json::LineDelimitedWriter<Squeezed>>),
    Parquet(Box<ArrowWriter<Atomic>>),
    ArrowFile(Box<arrow_ipc::writer::FileWriter<BufWriter<Atomic>>>),
    ArrowStream(Box<arrow_ipc::writer::StreamWriter<BufWriter<Atomic>>>),
}

/// A file of text, compressed or not.
enum Squeezed {
    Plain(BufWriter<Atomic>),
    Gzip(flate2::write::GzEncoder<BufWriter<Atomic>>),
    Zstd(zstd::Encoder<'static, BufWriter<Atomic>>),
}

impl Write for Squeezed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Squeezed::Plain(writer) => writer.write(bytes),
            Squeezed::Gzip(writer) => writer.write(bytes),
            Squeezed::Zstd(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Squeezed::Plain(writer) => writer.flush(),
            Squeezed::Gzip(writer) => writer.flush(),
            Squeezed::Zstd(writer) => writer.flush(),
        }
    }
}

impl Squeezed {
    fn new(file: Atomic, compression: Compression) -> io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 18, file);
        Ok(match compression {
            Compression::None => Squeezed::Plain(file),
            // Without a time or a name, which would be in the bytes.
            Compression::Gzip => {
                Squeezed::Gzip(flate2::GzBuilder::new().write(file, flate2::Compression::default()))
            }
            Compression::Zstd => Squeezed::Zstd(zstd::Encoder::new(file, 3)?),
        })
    }

    fn into_file(self) -> io::Result<Atomic> {
        let file = match self {
            Squeezed::Plain(writer) => writer,
            Squeezed::Gzip(writer) => writer.finish()?,
            Squeezed::Zstd(writer) => writer.finish()?,
        };
        file.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

impl Sink {
    /// A file for rows of this schema. Nothing is there under its name until it is finished.
    pub(crate) fn create(path: &Path, told: Option<Format>, schema: &SchemaRef) -> Result<Self> {
        let (format, compression) = Format::of(path, told)?;
        let file = Atomic::create(path)?;
        let failed = || cannot_write(path);
        let squeezed =
            |file| Squeezed::new(file, compression).map_err(|error| Error::io(path, &error));
        let buffered = |file| BufWriter::with_capacity(1 << 18, file);
        let writer = match format {
            Format::Csv => {
                let builder = arrow_csv::WriterBuilder::new().with_header(true);
                Writer::Csv(Box::new(builder.build(squeezed(file)?)))
            }
            Format::Jsonl => {
                Writer::Jsonl(Box::new(arrow_json::LineDelimitedWriter::new(squeezed(file)?)))
            }
            Format::Parquet => {
                let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties(schema)));
                Writer::Parquet(Box::new(writer.map_err(|_| failed())?))
            }
            Format::Arrow if path == Path::new("-") => {
                let writer = arrow_ipc::writer::StreamWriter::try_new(buffered(file), schema);
                Writer::ArrowStream(Box::new(writer.map_err(|_| failed())?))
            }
            Format::Arrow => {
                let writer = arrow_ipc::writer::FileWriter::try_new(buffered(file), schema);
                Writer::ArrowFile(Box::new(writer.map_err(|_| failed())?))
            }
        };
        let fingerprint = schema.metadata().get(FINGERPRINT).filter(|_| format.is_text()).cloned();
        let (path, schema, rows) = (path.to_owned(), schema.clone(), batch_rows(types(schema)));
        let mut sink = Sink { path, writer, fingerprint, schema, rows, waiting: Vec::new() };
        if let Writer::Csv(_) = sink.writer {
            // The names, also if there are no rows.
            sink.put(&RecordBatch::new_empty(sink.schema.clone()))?;
        }
        Ok(sink)
    }

    /// In batches of so many rows, where the types do not say how long these are.
    pub(crate) fn with_rows(self, rows: usize) -> Self {
        Sink { rows, ..self }
    }

    /// Writes rows of the schema.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        if self.waiting.is_empty() && batch.num_rows() == self.rows {
            return self.put(batch);
        }
        self.waiting.push(batch.clone());
        let rows: usize = self.waiting.iter().map(RecordBatch::num_rows).sum();
        if rows < self.rows {
            return Ok(());
        }
        let all = self.take_waiting()?;
        let whole = rows - rows % self.rows;
        for start in (0..whole).step_by(self.rows) {
            self.put(&all.slice(start, self.rows))?;
        }
        self.waiting.extend((rows > whole).then(|| all.slice(whole, rows - whole)));
        Ok(())
    }

    /// # Errors
    ///
    /// Columns passed on that cannot be one: dictionaries that together have more values than keys.
    fn take_waiting(&mut self) -> Result<RecordBatch> {
        let waiting = std::mem::take(&mut self.waiting);
        arrow_select::concat::concat_batches(&self.schema, &waiting)
            .map_err(|_| cannot_write(&self.path))
    }

    fn put(&mut self, batch: &RecordBatch) -> Result<()> {
        let with = self.fingerprint.as_ref().map(|fingerprint| with_column(batch, fingerprint));
        let batch = with.as_ref().unwrap_or(batch);
        let failed = || cannot_write(&self.path);
        match &mut self.writer {
            Writer::Csv(writer) => writer.write(batch).map_err(|_| failed()),
            Writer::Jsonl(writer) => writer.write(batch).map_err(|_| failed()),
            Writer::Parquet(writer) => writer.write(batch).map_err(|_| failed()),
            Writer::ArrowFile(writer) => writer.write(batch).map_err(|_| failed()),
            Writer::ArrowStream(writer) => writer.write(batch).map_err(|_| failed()),
        }
    }

    /// Puts the file in its place.
    pub(crate) fn finish(mut self) -> Result<()> {
        if !self.waiting.is_empty() {
            let rest = self.take_waiting()?;
            self.put(&rest)?;
        }
        let (path, failed) = (&self.path, || cannot_write(&self.path));
        let io = |error: io::Error| Error::io(path, &error);
        let file = match self.writer {
            Writer::Csv(writer) => writer.into_inner().into_file().map_err(io)?,
            Writer::Jsonl(mut writer) => {
                writer.finish().map_err(|_| failed())?;
                writer.into_inner().into_file().map_err(io)?
            }
            Writer::Parquet(writer) => writer.into_inner().map_err(|_| failed())?,
            Writer::ArrowFile(writer) => {
                let writer = writer.into_inner().map_err(|_| failed())?;
                writer.into_inner().map_err(|error| io(error.into_error()))?
            }
            Writer::ArrowStream(writer) => {
                let writer = writer.into_inner().map_err(|_| failed())?;
                writer.into_inner().map_err(|error| io(error.into_error()))?
            }
        };
        file.finish()
    }
}

fn types(schema: &Schema) -> impl Iterator<Item = DataType> {
    schema.fields().iter().map(|field| field.data_type().clone())
}

/// Noise has no values that come again, and no smallest one that anybody looks for.
fn properties(schema: &Schema) -> WriterProperties {
    let metadata = schema.metadata().iter();
    let metadata = metadata.map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect();
    let mut properties = WriterProperties::builder()
        .set_compression(Codec::ZSTD(ZstdLevel::try_new(1).expect("a level")))
        .set_max_row_group_row_count(Some(rows_within(GROUP_BYTES, types(schema)).min(16 * BATCH)))
        .set_key_value_metadata(Some(metadata));
    for field in schema.fields() {
        if matches!(field.data_type(), DataType::FixedSizeBinary(_) | DataType::Float64) {
            let column = ColumnPath::from(field.name().as_str());
            properties = properties
                .set_column_dictionary_enabled(column.clone(), false)
                .set_column_statistics_enabled(column, EnabledStatistics::None);
        }
    }
    properties.build()
}

/// With a column that says in each row which survey it is of.
fn with_column(batch: &RecordBatch, fingerprint: &str) -> RecordBatch {
    let mut fields: Vec<Arc<Field>> = batch.schema().fields().iter().cloned().collect();
    fields.push(Arc::new(Field::new(FINGERPRINT, DataType::Utf8, false)));
    let column = StringArray::from_iter_values(std::iter::repeat_n(fingerprint, batch.num_rows()));
    let mut columns = batch.columns().to_vec();
    columns.push(Arc::new(column) as ArrayRef);
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).expect("columns of one length")
}

fn cannot_write(path: &Path) -> Error {
    Error::new(Kind::Failed, format!("{}: it cannot be written", path.display()))
}
