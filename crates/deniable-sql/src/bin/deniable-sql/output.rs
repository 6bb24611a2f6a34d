//! Where results go: whole, or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv::Writer as CsvWriter;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::execution::TaskContext;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::Compression;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::physical_plan::{ExecutionPlan, collect, execute_stream};
use deniable_arrow::Fingerprint;
use futures::StreamExt;
use tempfile::NamedTempFile;

use crate::error::{Error, Result};
use crate::reports::schema_of_file;
use crate::tables::Format;

/// What to do with the result.
#[derive(Debug, clap::Args)]
pub(crate) struct Output {
    /// Write the result to a file, .parquet, .csv or .arrow; a file that exists is not written over
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How to show the result
    #[arg(long, value_enum, default_value_t = Shown::Table, conflicts_with = "output")]
    format: Shown,
}

/// A result on the standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Shown {
    /// A table to look at
    Table,
    /// Lines with commas
    Csv,
    /// A JSON object a line
    Json,
}

impl Output {
    /// Whether the result can be written, before it is computed.
    pub(crate) fn check(&self) -> Result<()> {
        let Some(path) = &self.output else { return Ok(()) };
        if Format::of_name(path).is_none() {
            return Err(Error::refused(format!(
                "--output: {} does not say a format; accepted is a name that ends with .parquet, .csv or .arrow",
                path.display()
            )));
        }
        match path.try_exists() {
            Ok(false) => Ok(()),
            Ok(true) => Err(exists(path)),
            Err(error) => Err(Error::io(path, &error)),
        }
    }

    /// Whether the result goes to the standard output.
    pub(crate) fn is_shown(&self) -> bool {
        self.output.is_none()
    }

    /// Runs the plan. A file with metadata says that its rows are reports of the survey with the fingerprint, if there is one.
    pub(crate) async fn write(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        context: Arc<TaskContext>,
        fingerprint: Option<Fingerprint>,
    ) -> Result<()> {
        match &self.output {
            Some(path) => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let part =
                    NamedTempFile::with_prefix_in(".deniable-", folder.unwrap_or(Path::new(".")));
                let part = part.map_err(|error| Error::io(path, &error))?;
                let file = part.reopen().map_err(|error| Error::io(path, &error))?;
                let format = Format::of_name(path).unwrap_or(Format::Parquet);
                let schema = schema_of_file(&plan.schema(), fingerprint);
                let sink = Sink::new(format, file, &schema).map_err(|_| unwritable(path))?;
                let file = stream(plan, context, sink, path).await?;
                file.sync_all().map_err(|error| Error::io(path, &error))?;
                part.persist_noclobber(path).map_err(|error| match error.error.kind() {
                    io::ErrorKind::AlreadyExists => exists(path),
                    _ => Error::io(path, &error.error),
                })?;
                Ok(())
            }
            None => self.show(plan, context).await,
        }
    }

    async fn show(&self, plan: Arc<dyn ExecutionPlan>, context: Arc<TaskContext>) -> Result<()> {
        let path = Path::new("standard output");
        let schema = plan.schema();
        match self.format {
            Shown::Table => {
                let batches = collect(plan, context).await?;
                let batches =
                    if batches.is_empty() { vec![RecordBatch::new_empty(schema)] } else { batches };
                let table = pretty_format_batches(&batches).map_err(|_| unwritable(path))?;
                writeln!(io::stdout(), "{table}").map_err(|error| Error::io(path, &error))
            }
            Shown::Csv => {
                stream(plan, context, Sink::Csv(CsvWriter::new(io::stdout())), path).await.map(drop)
            }
            Shown::Json => {
                stream(plan, context, Sink::Json(LineDelimitedWriter::new(io::stdout())), path)
                    .await
                    .map(drop)
            }
        }
    }
}

/// Batches in, bytes out.
enum Sink<W: Write + Send> {
    Parquet(Box<ArrowWriter<W>>),
    Csv(CsvWriter<W>),
    Arrow(FileWriter<W>),
    Json(LineDelimitedWriter<W>),
}

impl Sink<File> {
    fn new(format: Format, file: File, schema: &SchemaRef) -> Result<Self> {
        let wrong = |_| Error::failed("the result cannot be written");
        Ok(match format {
            Format::Parquet => {
                let properties =
                    WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties));
                Sink::Parquet(Box::new(
                    writer.map_err(|_| Error::failed("the result cannot be written"))?,
                ))
            }
            Format::Csv => Sink::Csv(CsvWriter::new(file)),
            Format::Arrow => Sink::Arrow(FileWriter::try_new(file, schema).map_err(wrong)?),
        })
    }
}

impl<W: Write + Send> Sink<W> {
    fn write(&mut self, batch: &RecordBatch) -> std::result::Result<(), ()> {
        match self {
            Sink::Parquet(writer) => writer.write(batch).map_err(drop),
            Sink::Csv(writer) => writer.write(batch).map_err(drop),
            Sink::Arrow(writer) => writer.write(batch).map_err(drop),
            Sink::Json(writer) => writer.write(batch).map_err(drop),
        }
    }

    fn finish(self) -> std::result::Result<W, ()> {
        match self {
            Sink::Parquet(writer) => writer.into_inner().map_err(drop),
            Sink::Csv(writer) => Ok(writer.into_inner()),
            Sink::Arrow(mut writer) => {
                writer.finish().map_err(drop)?;
                writer.into_inner().map_err(drop)
            }
            Sink::Json(mut writer) => {
                writer.finish().map_err(drop)?;
                Ok(writer.into_inner())
            }
        }
    }
}

/// Writes the result as it comes.
async fn stream<W: Write + Send>(
    plan: Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
    mut sink: Sink<W>,
    path: &Path,
) -> Result<W> {
    let schema = plan.schema();
    let mut batches = execute_stream(plan, context)?;
    let mut is_empty = true;
    while let Some(batch) = batches.next().await {
        is_empty = false;
        sink.write(&batch?).map_err(|()| unwritable(path))?;
    }
    if is_empty {
        // For the header.
        sink.write(&RecordBatch::new_empty(schema)).map_err(|()| unwritable(path))?;
    }
    sink.finish().map_err(|()| unwritable(path))
}

fn unwritable(path: &Path) -> Error {
    Error::failed(format!(
        "{}: the result cannot be written there, or has a type that this format has not",
        path.display()
    ))
}

fn exists(path: &Path) -> Error {
    Error::refused(format!(
        "{}: this file exists, and is not written over; accepted is another name, or remove it first",
        path.display()
    ))
}
