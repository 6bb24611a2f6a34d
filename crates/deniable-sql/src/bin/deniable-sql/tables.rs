//! Files as tables.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::arrow::ArrowFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::prelude::SessionContext;
use url::Url;

use crate::error::{Error, Result};

/// A name, and its files.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    name: String,
    files: String,
}

impl FromStr for Table {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.split_once('=') {
            Some((name, files)) if !name.is_empty() && !files.is_empty() => {
                Ok(Table { name: name.to_owned(), files: files.to_owned() })
            }
            _ => Err("accepted is NAME=FILES, such as reports=reports/*.parquet".to_owned()),
        }
    }
}

impl Table {
    pub(crate) async fn register(&self, session: &SessionContext) -> Result<()> {
        let (table, _) = open(session, &expand(std::slice::from_ref(&self.files))?).await?;
        session.register_table(&self.name, Arc::new(table)).map_err(|_| {
            Error::refused(format!(
                "--table: {} is no name of a table, or there are two of them; accepted are names that differ",
                self.name
            ))
        })?;
        Ok(())
    }
}

/// Files of one format as one table, with the schema of the first.
pub(crate) async fn open(
    session: &SessionContext,
    paths: &[PathBuf],
) -> Result<(ListingTable, SchemaRef)> {
    let format = Format::of(paths)?;
    let unreadable = |_| {
        Error::failed(format!(
            "{}: it cannot be read; accepted is a whole file of the format that its name says",
            paths[0].display()
        ))
    };
    let options = ListingOptions::new(format.reader()).with_file_extension("");
    let urls = paths.iter().map(|path| url(path)).collect::<Result<Vec<_>>>()?;
    let schema = match format {
        Format::Csv => header_of_all(paths)?,
        Format::Parquet | Format::Arrow => {
            options.infer_schema(&session.state(), &urls[0]).await.map_err(unreadable)?
        }
    };
    let config = ListingTableConfig::new_with_multi_paths(urls).with_listing_options(options);
    let table = ListingTable::try_new(config.with_schema(schema.clone())).map_err(unreadable)?;
    Ok((table, schema))
}

/// The name of one file. The engine would read a path with * or [ in it as a pattern, which stands for other files.
fn url(path: &Path) -> Result<ListingTableUrl> {
    let url =
        Url::from_file_path(path).ok().and_then(|url| ListingTableUrl::try_new(url, None).ok());
    url.ok_or_else(|| {
        Error::refused(format!(
            "{}: this is no name that can be read; accepted is a text",
            path.display()
        ))
    })
}

/// The files that patterns stand for, in their order.
pub(crate) fn expand(patterns: &[String]) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for pattern in patterns {
        let here = |path: &Path| path.canonicalize().map_err(|error| Error::io(path, &error));
        if Path::new(pattern).exists() || !pattern.contains(['*', '?', '[']) {
            paths.push(here(Path::new(pattern))?);
            continue;
        }
        let refused = |problem: &str| Error::refused(format!("{pattern}: {problem}"));
        let found = glob::glob(pattern).map_err(|_| refused("this is no pattern of file names"))?;
        let mut found: Vec<PathBuf> = found.flatten().collect();
        if found.is_empty() {
            return Err(refused("no file has such a name"));
        }
        found.sort();
        for path in found {
            paths.push(here(&path)?);
        }
    }
    // Links to a file are that file.
    let mut seen = HashSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    Ok(paths)
}

/// What a file is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Parquet,
    Csv,
    Arrow,
}

impl Format {
    /// That of a file.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "parquet" => Some(Format::Parquet),
            "csv" => Some(Format::Csv),
            "arrow" => Some(Format::Arrow),
            _ => None,
        }
    }

    /// That of files which are one table.
    fn of(paths: &[PathBuf]) -> Result<Self> {
        let mut formats = paths.iter().map(|path| Format::of_name(path));
        let first = formats.next().flatten();
        match first {
            Some(format) if formats.all(|other| other == first) => Ok(format),
            _ => Err(Error::refused(
                "--table: the names of the files do not say one format; accepted are names that all end with .parquet, or .csv, or .arrow",
            )),
        }
    }

    fn reader(self) -> Arc<dyn FileFormat> {
        match self {
            // The metadata says which survey reports are of.
            Format::Parquet => Arc::new(ParquetFormat::default().with_skip_metadata(false)),
            Format::Csv => Arc::new(CsvFormat::default().with_has_header(true)),
            Format::Arrow => Arc::new(ArrowFormat),
        }
    }
}

/// The columns of files of text, which have them in one order: a row has no names, and another order would put answers in the place of something public.
fn header_of_all(paths: &[PathBuf]) -> Result<SchemaRef> {
    let first = header(&paths[0])?;
    for path in &paths[1..] {
        if header(path)? != first {
            return Err(Error::refused(format!(
                "{}: its first line is not that of {}; accepted are .csv files with the same columns in the same order",
                path.display(),
                paths[0].display()
            )));
        }
    }
    Ok(first)
}

/// The columns of a file of text are texts: nothing is inferred from the data.
fn header(path: &Path) -> Result<SchemaRef> {
    let refused = || {
        Error::refused(format!(
            "{}: it has no header; accepted is a .csv file whose first line has the names of its columns",
            path.display()
        ))
    };
    let mut reader =
        csv::ReaderBuilder::new().has_headers(true).from_path(path).map_err(|_| refused())?;
    let names = reader.headers().map_err(|_| refused())?;
    if names.is_empty() {
        return Err(refused());
    }
    let fields: Vec<Field> =
        names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
    Ok(Arc::new(Schema::new(fields)))
}
