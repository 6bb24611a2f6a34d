//! Rows in, batch by batch.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use deniable_arrow::FINGERPRINT;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};

use super::{BATCH, Compression, Format, footer, ipc, pages};
use crate::error::{Error, Kind, Result};
use crate::foreign::{self, reading};

/// A longer text is none, and a batch ends behind so many bytes of texts: a column holds 2^31.
const LONGEST: usize = 1 << 28;

/// A file of rows. Files of text have columns of texts: nothing is inferred from the data.
pub(crate) struct Source {
    pub(crate) schema: SchemaRef,
    batches: Box<dyn Iterator<Item = Result<RecordBatch>>>,
    pub(super) extent: Extent,
}

/// How much there is, for those who watch.
#[derive(Clone)]
pub(super) enum Extent {
    Rows(u64),
    /// Of the file, and how many were read.
    Bytes(u64, Arc<AtomicU64>),
    Unknown,
}

impl Iterator for Source {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.next()
    }
}

/// The files that the arguments name: `*`, `?` and `[…]` stand for others, as in a shell. In their order.
pub(crate) fn expand(arguments: &[String]) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for argument in arguments {
        // A name with such letters in it is itself first.
        if argument == "-" || Path::new(argument).exists() || !argument.contains(['*', '?', '[']) {
            paths.push(PathBuf::from(argument));
            continue;
        }
        let refused = |problem: &str| Error::refused(format!("{argument}: {problem}"));
        let found =
            glob::glob(argument).map_err(|_| refused("this is no pattern of file names"))?;
        let mut found: Vec<PathBuf> = found.flatten().collect();
        if found.is_empty() {
            return Err(refused("no file has such a name"));
        }
        found.sort();
        paths.append(&mut found);
    }
    Ok(paths)
}

/// Opens a file, of which the columns of these names will be read. `-` is the standard input.
///
/// JSON lines have no columns but those of their rows: there, each of the names is a column, and the file is refused at its end if no row has it. Whether any row has it is
/// public; which rows have it, is not.
///
/// # Errors
///
/// A file that cannot be read, or is none of its format.
pub(crate) fn open(path: &Path, told: Option<Format>, names: &[String]) -> Result<Source> {
    open_wanted(path, told, &Wanted { names, ..Wanted::default() })
}

/// What is read of a file.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) names: &'a [String],
    /// A column that need not be there.
    pub(crate) optional: Option<&'a str>,
    /// The most rows of a batch.
    pub(crate) rows: usize,
}

impl Default for Wanted<'_> {
    fn default() -> Self {
        Wanted { names: &[], optional: None, rows: BATCH }
    }
}

impl Wanted<'_> {
    /// Frames of other programs, as files of text, keep no metadata: there the fingerprint is a column.
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|wanted| wanted == name)
            || self.optional == Some(name)
            || name == FINGERPRINT
    }
}

/// [`open`], with more to say of what is read.
pub(crate) fn open_wanted(
    path: &Path,
    told: Option<Format>,
    wanted: &Wanted<'_>,
) -> Result<Source> {
    let (format, compression) = Format::of(path, told)?;
    let of = Of(path.to_owned());
    match format {
        Format::Csv => {
            let (lines, extent) = of.lines(compression)?;
            Ok(Source { extent, ..csv(of, lines, wanted)? })
        }
        Format::Jsonl => {
            let (lines, extent) = of.lines(compression)?;
            Ok(Source { extent, ..jsonl(of, lines, wanted)? })
        }
        Format::Parquet => parquet(of, wanted),
        Format::Arrow => arrow(of, wanted),
    }
}

/// A reader that says how much it has read.
struct Counted<R> {
    reader: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Whose file it is, for messages.
#[derive(Clone)]
struct Of(PathBuf);

impl Of {
    fn is_standard(&self) -> bool {
        self.0 == Path::new("-")
    }

    fn file(&self) -> Result<File> {
        File::open(&self.0).map_err(|error| Error::io(&self.0, &error))
    }

    fn lines(&self, compression: Compression) -> Result<(Box<dyn BufRead>, Extent)> {
        let (plain, extent): (Box<dyn Read>, Extent) = if self.is_standard() {
            (Box::new(io::stdin()), Extent::Unknown)
        } else {
            let (file, read) = (self.file()?, Arc::new(AtomicU64::new(0)));
            let length = file.metadata().map_err(|error| Error::io(&self.0, &error))?.len();
            (Box::new(Counted { reader: file, read: read.clone() }), Extent::Bytes(length, read))
        };
        let plain = BufReader::with_capacity(1 << 18, plain);
        let lines: Box<dyn BufRead> = match compression {
            Compression::None => Box::new(plain),
            Compression::Gzip => Box::new(BufReader::with_capacity(
                1 << 18,
                flate2::bufread::MultiGzDecoder::new(plain),
            )),
            Compression::Zstd => {
                let plain = zstd::Decoder::with_buffer(plain)
                    .map_err(|error| Error::io(&self.0, &error))?;
                Box::new(BufReader::with_capacity(1 << 18, plain))
            }
        };
        Ok((lines, extent))
    }

    fn no_key(&self, name: &str) -> Error {
        Error::refused(format!(
            "{}: column \"{name}\": no row has it; accepted are data with a column of this name",
            self.0.display()
        ))
    }

    fn arrow(&self) -> impl Fn(ipc::Problem) -> Error + 'static {
        let of = self.clone();
        move |problem| match problem {
            ipc::Problem::Unreadable(error) => Error::io(&of.0, &error),
            ipc::Problem::Damaged => of.damaged("Arrow"),
        }
    }

    /// Without what the reader says, which may quote the data.
    fn damaged(&self, format: &str) -> Error {
        Error::new(
            Kind::Failed,
            format!(
                "{}: it cannot be read as {format}; it is damaged, or of another format",
                self.0.display()
            ),
        )
    }
}

/// Texts of some columns, row by row.
struct Rows {
    schema: SchemaRef,
    builders: Vec<StringBuilder>,
    rows: usize,
    /// Of a batch.
    most: usize,
    /// Of all texts.
    bytes: usize,
    /// The fingerprint, which must be the same in all rows.
    fingerprint: Option<usize>,
}

impl Rows {
    fn new(names: &[String], most: usize) -> Self {
        let column = |name: &String| Field::new(name, DataType::Utf8, true);
        let fields: Vec<Field> = names.iter().map(column).collect();
        let builders = names.iter().map(|_| StringBuilder::new()).collect();
        let fingerprint = names.iter().position(|name| name == FINGERPRINT);
        let schema = Arc::new(Schema::new(fields));
        Rows { schema, builders, rows: 0, most, bytes: 0, fingerprint }
    }

    fn have_room(&self) -> bool {
        self.rows < self.most && self.bytes <= LONGEST
    }

    fn push<'a>(&mut self, mut text: impl FnMut(usize) -> Option<std::borrow::Cow<'a, str>>) {
        for (i, builder) in self.builders.iter_mut().enumerate() {
            // None is so long that it says something, and longer ones have no place in a column.
            let text = text(i).filter(|text| text.len() <= LONGEST);
            self.bytes += text.as_ref().map_or(0, |text| text.len());
            builder.append_option(text);
        }
        self.rows += 1;
    }

    fn take(&mut self) -> Result<Option<RecordBatch>> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        if rows == 0 {
            return Ok(None);
        }
        let columns: Vec<ArrayRef> = self
            .builders
            .iter_mut()
            .map(|builder| Arc::new(builder.finish()) as ArrayRef)
            .collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            .expect("columns of one length");
        match self.fingerprint {
            None => Ok(Some(batch)),
            Some(column) => with_fingerprint(batch, column).map(Some),
        }
    }
}

/// Moves the fingerprint from a column to the metadata, which must not say another one.
fn with_fingerprint(mut batch: RecordBatch, column: usize) -> Result<RecordBatch> {
    let different = || {
        Error::refused(format!(
            "column \"{FINGERPRINT}\": rows are of different surveys; accepted are reports of one survey"
        ))
    };
    let all = arrow_cast::cast(&batch.remove_column(column), &DataType::LargeUtf8)
        .map_err(|_| different())?;
    let all = all.as_string::<i64>();
    let mut metadata = batch.schema_ref().metadata().clone();
    let said = metadata.get(FINGERPRINT).map(String::as_str);
    let first = said.or(all.iter().next().flatten()).unwrap_or("").to_owned();
    if all.iter().any(|text| text != Some(&first)) {
        return Err(different());
    }
    metadata.insert(FINGERPRINT.to_owned(), first);
    let schema = batch.schema().as_ref().clone().with_metadata(metadata);
    Ok(batch.with_schema(Arc::new(schema)).expect("the same columns"))
}

fn csv(of: Of, reader: Box<dyn BufRead>, wanted: &Wanted<'_>) -> Result<Source> {
    let reader = with_empty_lines(reader).map_err(|error| Error::io(&of.0, &error))?;
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(reader);
    let damaged = move || of.damaged("CSV");
    let header = reader.byte_headers().map_err(|_| damaged())?.clone();
    let names: Vec<String> = header
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let name = String::from_utf8_lossy(name);
            let name = if i == 0 { name.trim_start_matches('\u{feff}') } else { &name };
            name.trim().to_owned()
        })
        .collect();
    let places: Vec<usize> = (0..names.len()).filter(|&place| wanted.has(&names[place])).collect();
    let names: Vec<String> = places.iter().map(|&place| names[place].clone()).collect();
    let mut rows = Rows::new(&names, wanted.rows);
    let (schema, mut record) = (rows.schema.clone(), csv::ByteRecord::new());
    let batches = std::iter::from_fn(move || {
        while rows.have_room() {
            match reader.read_byte_record(&mut record) {
                Ok(true) => rows.push(|i| {
                    let text = record.get(places[i]).filter(|text| !text.is_empty())?;
                    Some(String::from_utf8_lossy(text))
                }),
                Ok(false) => break,
                Err(_) => return Some(Err(damaged())),
            }
        }
        rows.take().transpose()
    });
    Ok(Source { schema, batches: Box::new(batches), extent: Extent::Unknown })
}

/// Where there is one column, an empty line is a row with nothing in it; the reader would leave it out.
fn with_empty_lines(mut reader: Box<dyn BufRead>) -> io::Result<Box<dyn BufRead>> {
    let mut header = Vec::new();
    while header.trim_ascii().is_empty() {
        header.clear();
        if reader.read_until(b'\n', &mut header)? == 0 {
            return Ok(reader);
        }
    }
    let mut columns = csv::ReaderBuilder::new().from_reader(&header[..]);
    let is_one = columns.byte_headers().is_ok_and(|names| names.len() == 1);
    let lines: Box<dyn BufRead> = match is_one {
        true => Box::new(BufReader::new(OneColumn::new(reader))),
        false => reader,
    };
    Ok(Box::new(io::Cursor::new(header).chain(lines)))
}

/// Lines of one column, with quotes for those that are empty.
struct OneColumn {
    reader: Box<dyn BufRead>,
    line: Vec<u8>,
    /// How much of the line was read.
    read: usize,
    /// Whether the next line goes on with a text in quotes.
    is_quoted: bool,
}

impl OneColumn {
    fn new(reader: Box<dyn BufRead>) -> Self {
        OneColumn { reader, line: Vec::new(), read: 0, is_quoted: false }
    }
}

impl Read for OneColumn {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.line.len() {
            self.line.clear();
            self.read = 0;
            self.reader.read_until(b'\n', &mut self.line)?;
            if !self.is_quoted && matches!(&self.line[..], b"\n" | b"\r\n") {
                self.line.splice(..0, *b"\"\"");
            }
            let has_quotes = self.is_quoted || self.line.first() == Some(&b'"');
            let quotes = self.line.iter().filter(|&&byte| byte == b'"').count();
            self.is_quoted ^= has_quotes && quotes % 2 == 1;
        }
        let count = (&self.line[self.read..]).read(buffer)?;
        self.read += count;
        Ok(count)
    }
}

type Object = serde_json::Map<String, serde_json::Value>;

fn jsonl(of: Of, mut reader: Box<dyn BufRead>, wanted: &Wanted<'_>) -> Result<Source> {
    let mut first = Vec::new();
    reader.read_until(b'\n', &mut first).map_err(|error| Error::io(&of.0, &error))?;
    // Reports, which are no secret, have it in every row.
    let is_reports = object(&first).is_some_and(|object| object.contains_key(FINGERPRINT));
    let (mut names, optional) = (wanted.names.to_vec(), wanted.optional);
    names.extend(is_reports.then(|| FINGERPRINT.to_owned()));
    names.extend(optional.map(str::to_owned));
    let mut seen: Vec<bool> = names.iter().map(|name| Some(name.as_str()) == optional).collect();
    let mut rows = Rows::new(&names, wanted.rows);
    let (schema, mut line, mut is_first) = (rows.schema.clone(), first, true);
    let batches = std::iter::from_fn(move || {
        while rows.have_room() {
            if !std::mem::take(&mut is_first) {
                line.clear();
                match reader.read_until(b'\n', &mut line) {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(error) => return Some(Err(Error::io(&of.0, &error))),
                }
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            // A line that is no object is a respondent all the same, with nothing answered.
            let object = object(&line).unwrap_or_default();
            rows.push(|i| {
                let value = object.get(&names[i])?;
                seen[i] = true;
                json_text(value).map(std::borrow::Cow::Owned)
            });
        }
        match rows.take() {
            // At the end, once.
            Ok(None) => {
                let unseen = seen.iter().position(|seen| !seen);
                seen.fill(true);
                unseen.map(|i| Err(of.no_key(&names[i])))
            }
            batch => batch.transpose(),
        }
    });
    Ok(Source { schema, batches: Box::new(batches), extent: Extent::Unknown })
}

/// The members of an object. A value that JSON has and no program holds, such as 1e999, is its own text: the rest of the row must not depend on it.
fn object(line: &[u8]) -> Option<Object> {
    let line = String::from_utf8_lossy(line);
    let line = line.trim_start_matches('\u{feff}').trim();
    if let Ok(object) = serde_json::from_str(line) {
        return Some(object);
    }
    let (mut object, mut rest) = (Object::new(), line.strip_prefix('{')?);
    loop {
        let (name, behind) = first_of::<String>(rest)?;
        let value = behind.trim_start().strip_prefix(':')?.trim_start();
        let (_, behind) = first_of::<serde::de::IgnoredAny>(value)?;
        let value = &value[..value.len() - behind.len()];
        object.insert(name, serde_json::from_str(value).unwrap_or_else(|_| value.into()));
        rest = match behind.trim_start() {
            "}" => return Some(object),
            more => more.strip_prefix(',')?,
        };
    }
}

/// The first value of a text, and what is behind it.
fn first_of<T: serde::de::DeserializeOwned>(text: &str) -> Option<(T, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<T>();
    let value = values.next()?.ok()?;
    Some((value, &text[values.byte_offset()..]))
}

/// A value as a text; those of a list with semicolons between them.
fn json_text(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Bool(truth) => Some(truth.to_string()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        serde_json::Value::Array(items) => {
            Some(items.iter().filter_map(json_text).collect::<Vec<_>>().join(";"))
        }
        serde_json::Value::Null | serde_json::Value::Object(_) => None,
    }
}

fn parquet(of: Of, wanted: &Wanted<'_>) -> Result<Source> {
    if of.is_standard() {
        return Err(Error::refused(
            "-: Parquet is read from its end, and needs a file; accepted are other formats, or a name",
        ));
    }
    let damaged = {
        let of = of.clone();
        move || of.damaged("Parquet")
    };
    let mut file = of.file()?;
    let size = file.metadata().map_err(|error| Error::io(&of.0, &error))?.len();
    if !footer::is_sound(&mut file).map_err(|error| Error::io(&of.0, &error))? {
        return Err(damaged());
    }
    let metadata = reading(|| ArrowReaderMetadata::load(&file, ArrowReaderOptions::default()));
    let metadata = metadata.and_then(std::result::Result::ok).ok_or_else(&damaged)?;
    let columns = metadata.parquet_schema().root_schema().get_fields().iter().enumerate();
    let places: Vec<usize> =
        columns.filter(|(_, column)| wanted.has(column.name())).map(|(i, _)| i).collect();
    let mask = ProjectionMask::roots(metadata.parquet_schema(), places);
    // As much is read at once as a column has by the footer, and as its pages declare.
    let groups = metadata.metadata().row_groups().iter();
    let columns = groups.flat_map(|group| group.columns().iter().enumerate());
    let columns = columns.map(|(leaf, column)| {
        pages::Column::of(column, size).map(|column| mask.leaf_included(leaf).then_some(column))
    });
    let columns = reading(|| columns.collect::<Option<Vec<_>>>()).flatten();
    let columns: Vec<_> = columns.ok_or_else(&damaged)?.into_iter().flatten().collect();
    // No two of them have the same bytes, which would be looked at again for each.
    let all = columns.iter().try_fold(0u64, |all, column| all.checked_add(column.length()));
    if all.is_none_or(|all| all > size) {
        return Err(damaged());
    }
    for column in &columns {
        if !pages::are_sound(&mut file, column).map_err(|error| Error::io(&of.0, &error))? {
            return Err(damaged());
        }
    }
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
    let schema = builder.schema().clone();
    let rows = builder.metadata().file_metadata().num_rows().try_into().unwrap_or(0);
    let builder = builder.with_batch_size(wanted.rows).with_projection(mask);
    let reader = reading(|| builder.build());
    let reader = reader.and_then(std::result::Result::ok).ok_or_else(&damaged)?;
    // That of the projection has not the metadata.
    let fields = arrow_array::RecordBatchReader::schema(&reader).fields().clone();
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let batches = foreign::each(reader).map({
        let damaged = damaged.clone();
        move |batch| batch.and_then(std::result::Result::ok).ok_or_else(&damaged)
    });
    let source = in_batches(schema, wanted.rows, batches, damaged);
    Ok(Source { extent: Extent::Rows(rows), ..source })
}

fn arrow(of: Of, wanted: &Wanted<'_>) -> Result<Source> {
    if of.is_standard() {
        let stream = ipc::Stream::new(io::stdin()).map_err(of.arrow())?;
        return Ok(of_arrow(of, &stream.schema().clone(), stream, wanted));
    }
    let mut file = of.file()?;
    let mut magic = [0; 6];
    let is_file = file.read(&mut magic).is_ok_and(|read| read == 6) && &magic == b"ARROW1";
    file.rewind().map_err(|error| Error::io(&of.0, &error))?;
    let file = BufReader::new(file);
    if is_file {
        let file = ipc::File::new(file).map_err(of.arrow())?;
        Ok(of_arrow(of, &file.schema().clone(), file, wanted))
    } else {
        let stream = ipc::Stream::new(file).map_err(of.arrow())?;
        Ok(of_arrow(of, &stream.schema().clone(), stream, wanted))
    }
}

fn of_arrow(
    of: Of,
    schema: &Schema,
    batches: impl Iterator<Item = std::result::Result<RecordBatch, ipc::Problem>> + 'static,
    wanted: &Wanted<'_>,
) -> Source {
    let (schema, places) = project(schema, wanted);
    let problem = of.arrow();
    let batches = batches.map(move |batch| {
        let batch =
            batch.and_then(|batch| batch.project(&places).map_err(|_| ipc::Problem::Damaged));
        batch.map_err(&problem)
    });
    in_batches(schema, wanted.rows, batches, move || of.damaged("Arrow"))
}

fn project(schema: &Schema, wanted: &Wanted<'_>) -> (SchemaRef, Vec<usize>) {
    let fields = schema.fields().iter().enumerate();
    let places: Vec<usize> =
        fields.filter(|(_, field)| wanted.has(field.name())).map(|(i, _)| i).collect();
    (Arc::new(schema.project(&places).expect("places of columns")), places)
}

/// Batches of at most so many rows, with the metadata of the file.
fn in_batches(
    schema: SchemaRef,
    most: usize,
    batches: impl Iterator<Item = Result<RecordBatch>> + 'static,
    damaged: impl Fn() -> Error + 'static,
) -> Source {
    let of_all = schema.clone();
    let fingerprint = schema.fields().iter().position(|field| field.name() == FINGERPRINT);
    let batches = batches.flat_map(move |batch| {
        match batch.and_then(|batch| batch.with_schema(of_all.clone()).map_err(|_| damaged())) {
            Ok(batch) => Box::new(slices(batch, most, fingerprint)),
            Err(error) => Box::new(iter::once(Err(error))) as Box<dyn Iterator<Item = _>>,
        }
    });
    Source { schema, batches: Box::new(batches), extent: Extent::Unknown }
}

/// A batch in parts of at most so many rows. One at a time: a column of nothing but missing answers says how many rows it has, and takes no memory.
fn slices(
    batch: RecordBatch,
    most: usize,
    fingerprint: Option<usize>,
) -> impl Iterator<Item = Result<RecordBatch>> {
    let rows = batch.num_rows();
    // One without rows says whose reports it would be, too, unless that is in its rows.
    let least = usize::from(fingerprint.is_none());
    let slices = (0..rows.max(least)).step_by(most);
    let slices = slices.map(move |start| batch.slice(start, most.min(rows - start)));
    slices.map(move |slice| match fingerprint {
        None => Ok(slice),
        Some(column) => with_fingerprint(slice, column),
    })
}
