//! `deniable rappor encode`: values in, reports out.

use std::path::{Path, PathBuf};

use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use deniable::rappor::reference::Encoder;
use deniable::rappor::{Client, Params, Report};

use super::reports::{self, CLIENT, COHORT, VALUE};
use super::secret::{self, Secrets};
use super::{of_file, read_params};
use crate::error::{Error, Result};
use crate::files::{Format, Sink, Wanted, batch_rows, expand, open_wanted};
use crate::output::complain;

/// Make reports of values: one row is one report
///
/// Reads the columns client and value, and cohort if it is there; writes client, cohort and irr, row by row. Clients, their cohorts and the number of rows are public. A value that is missing is the empty text.
///
/// With --secret-file, each client has a secret of its own, made of its name and the key in that file. So it reports the same permanent answer about the same value, in this file and in later ones, and all of its reports about it together lose what is said of all reports. A key that is lost cannot be made again: reports made with a new one lose as much again. Whoever has the key and the reports can try all values and undo the noise.
///
/// Without it, each row has a secret that nobody keeps: a client with several rows loses as much for each.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The file of parameters: k,h,m,p,q,f and a line of numbers
    #[arg(long, value_name = "FILE")]
    params: PathBuf,
    /// Files of values: .csv, .jsonl, .parquet or .arrow, patterns such as part-*.csv, or - for the standard input
    #[arg(required = true)]
    values: Vec<String>,
    /// Where the reports go; a file that exists is not written over
    #[arg(short, long)]
    output: PathBuf,
    /// The key that clients' secrets are made of; a new one, that its owner alone can read, if there is no such file
    #[arg(long, value_name = "KEYFILE")]
    secret_file: Option<PathBuf>,
    /// The name of the question: questions that share a key file need different ones
    #[arg(long, default_value = VALUE)]
    metric: String,
    /// Encode as the reference implementation's Python client does: at most 32 bits, f rounded up to a multiple of 1/128
    #[arg(long)]
    reference: bool,
    /// The format of the values, if their names do not say it
    #[arg(long)]
    format: Option<Format>,
    /// The format of the reports, if their name does not say it
    #[arg(long)]
    to: Option<Format>,
}

impl Args {
    pub(super) fn run(self) -> Result<()> {
        let params = read_params(&self.params)?;
        let in_effect = match self.reference {
            true => in_effect(&params).map_err(|error| of_file(&self.params, &error))?,
            false => params,
        };
        let paths = expand(&self.values)?;
        // A bit of a report is a letter there.
        let most = batch_rows([DataType::FixedSizeBinary(params.k() as i32)]);
        let sink = Sink::create(&self.output, self.to, &reports::schema())?;
        let mut sink = sink.with_rows(most);
        let secrets = match &self.secret_file {
            Some(path) => Secrets::of_file(path)?,
            None => Secrets::Fresh,
        };
        let mut rows = Rows { params, secrets, of: &self, before: 0 };
        for path in paths {
            let names = [CLIENT, VALUE].map(str::to_owned);
            let wanted = Wanted { names: &names, optional: Some(COHORT), rows: most };
            let source = open_wanted(&path, self.format, &wanted)?;
            for batch in source {
                sink.write(&rows.encode(&path, &batch?)?)?;
            }
        }
        sink.finish()?;
        complain(&format!(
            "a report loses at most ε = {}, and all reports of one client about one value at most {}",
            in_effect.epsilon_of_report(),
            in_effect.epsilon_of_all_reports(),
        ));
        Ok(())
    }
}

/// What the reference's encoder does with these parameters.
pub(super) fn in_effect(params: &Params) -> deniable::Result<Params> {
    Encoder::new(*params, 0, []).map(|encoder| *encoder.in_effect())
}

/// Rows of all files, one after the other.
struct Rows<'a> {
    params: Params,
    secrets: Secrets,
    of: &'a Args,
    /// The rows of the batches before.
    before: u64,
}

impl Rows<'_> {
    fn encode(&mut self, path: &Path, batch: &RecordBatch) -> Result<RecordBatch> {
        let values = reports::texts(path, batch, VALUE)?;
        let names = reports::texts_if_there(batch, CLIENT);
        let cohorts = reports::texts_if_there(batch, COHORT);
        if names.is_none() && self.secrets.are_kept() {
            return Err(Error::refused(format!(
                "{}: there is no column {CLIENT}, and a secret is of a client; accepted is a file with one, or no --secret-file",
                path.display(),
            )));
        }
        let (mut clients, mut reports) = (Vec::new(), Vec::new());
        for row in 0..batch.num_rows() {
            let number = self.before + row as u64 + 1;
            let given = names.as_ref().map(|names| (!names.is_null(row)).then(|| names.value(row)));
            let client = match given {
                Some(Some(name)) => name.to_owned(),
                Some(None) if self.secrets.are_kept() => {
                    return Err(reports::refused(path, number, "client is missing", "a name"));
                }
                _ => number.to_string(),
            };
            let cohort = cohorts.as_ref().map(|cohorts| {
                let text = (!cohorts.is_null(row)).then(|| cohorts.value(row));
                reports::cohort_of(path, number, text, &self.params)
            });
            let value = if values.is_null(row) { "" } else { values.value(row) };
            reports.push(self.report(&client, cohort.transpose()?, value)?);
            clients.push(client);
        }
        self.before += batch.num_rows() as u64;
        Ok(reports::batch(clients, &reports))
    }

    fn report(&self, client: &str, cohort: Option<usize>, value: &str) -> Result<Report> {
        let (secret, metric) = (self.secrets.of_client(client)?, &self.of.metric);
        let client = match cohort {
            Some(cohort) => Client::with_cohort(self.params, secret.clone(), cohort)?,
            None => Client::new(self.params, secret.clone()),
        };
        if !self.of.reference {
            return Ok(client.report(metric, value)?);
        }
        let cohort = client.cohort();
        let secret = secret::of_reference(&secret, &self.params, cohort, metric);
        Ok(Encoder::new(self.params, cohort, secret)?.report(value)?)
    }
}
