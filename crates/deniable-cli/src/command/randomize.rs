//! `deniable randomize`: answers in, deniable reports out.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use deniable_arrow::Survey;

use crate::error::{Error, Result};
use crate::files::{
    Background, Format, Sink, Wanted, batch_rows, expand, open_wanted, refuse_existing, watched,
};
use crate::frozen::frozen;
use crate::ledger;
use crate::memo::Memo;
use crate::output::complain;

/// Randomize answers: one row is one respondent
///
/// Every row of the input becomes a row of the output, in the same order; the number of rows is public. Columns that are neither questions nor public in the survey are left out. A
/// missing answer, and one that cannot be read, is randomized as what the survey says, so that nobody can tell. Of JSON lines, a column that no row has is
/// refused: whether any row has it is public as well.
///
/// An answer to a "several" question is the names of its choices, a list or a text with ; between them. In CSV and JSON lines a number is such a name. In Parquet and Arrow, a column of whole numbers is
/// one of bits: bit 0 is the first choice, so that 5 ticks the first and the third.
///
/// Public columns are passed on as they are, in CSV as well: a spreadsheet may compute a text that begins with =.
///
/// Randomizing the same answers again spends the budget again. With --memo, whoever was asked before gets the response of the first time, for ever.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The survey file
    survey: PathBuf,
    /// Files of answers: .csv, .jsonl, .parquet or .arrow, patterns such as part-*.csv, or - for the standard input
    #[arg(required = true)]
    answers: Vec<String>,
    /// Where the reports go; a file that exists is not written over
    #[arg(short, long)]
    output: PathBuf,
    /// The format of the answers, if their names do not say it
    #[arg(long)]
    format: Option<Format>,
    /// The format of the reports, if their name does not say it
    #[arg(long)]
    to: Option<Format>,
    /// Freeze the first response of each person (the survey's id column) to each question
    ///
    /// Both the key file and KEYFILE.responses, which has the responses, are made if neither is there, and only their owner can read them. If one of them is lost, nobody can be recognized, and that is refused:
    /// restore it; or remove the other, knowing that everybody is then asked afresh and spends again. Whoever has both and the ids knows who reported what; the noise stays.
    #[arg(long, value_name = "KEYFILE")]
    memo: Option<PathBuf>,
    /// Freeze the first response to each *answer* of a person instead
    ///
    /// A person whose answer changes gets another response. That reveals that the answer changed, and when; and with the key file, answers can be tried one by one.
    #[arg(long, requires = "memo")]
    memo_answers: bool,
    /// Debit the survey's ε to this ledger, before any report can be seen
    #[arg(long, value_name = "FILE", requires = "data")]
    ledger: Option<PathBuf>,
    /// The name of the data in the ledger
    #[arg(long, value_name = "NAME", requires = "ledger")]
    data: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  deniable randomize survey.toml answers.csv -o reports.parquet
  deniable randomize survey.toml 'answers-*.jsonl.gz' -o reports.csv
  deniable randomize survey.toml - --format csv -o - --to csv < answers.csv > reports.csv";

/// Reads a survey file.
pub(crate) fn read_survey(path: &Path) -> Result<Survey> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, &error))?;
    Survey::parse(&text).map_err(|error| Error::refused(format!("{}: {error}", path.display())))
}

impl Args {
    pub(crate) fn run(self) -> Result<()> {
        let survey = read_survey(&self.survey)?;
        if self.output != Path::new("-") {
            refuse_existing(&self.output)?;
        }
        let mut people = survey.id().map(People::new);
        let mut memo = match (&self.memo, &people) {
            (None, _) => None,
            (Some(key_file), Some(_)) => Some(Memo::open(key_file)?),
            (Some(_), None) => {
                return Err(Error::refused(
                    "--memo knows people by the survey's `id`, which it has not; accepted are surveys with the name of such a column",
                ));
            }
        };
        if self.memo_answers {
            complain("warning: --memo-answers reveals that an answer changed, and when");
        }
        let mut sink: Option<(Background, arrow_schema::SchemaRef)> = None;
        for path in expand(&self.answers)? {
            let (names, rows) = (wanted(&survey), survey_rows(&survey));
            let wanted = Wanted { names: &names, rows, ..Wanted::default() };
            let source = open_wanted(&path, self.format, &wanted)?;
            let schema = survey.report_schema(&source.schema)?;
            let (sink, first) = match &mut sink {
                Some(sink) => sink,
                none => {
                    let sink = Sink::create(&self.output, self.to, &schema)?;
                    self.debit(&survey)?;
                    none.insert((Background::new(sink), schema.clone()))
                }
            };
            if *first != schema {
                return Err(Error::refused(format!(
                    "{}: its public columns have other types than those of the files before; accepted are files of one kind",
                    path.display(),
                )));
            }
            for answers in watched(source) {
                let answers = answers?;
                let ids = people.as_mut().map(|people| people.check(&answers)).transpose()?;
                let mut reports = survey.randomize(&answers)?;
                if let (Some(memo), Some(ids)) = (&mut memo, &ids) {
                    let answers = self.memo_answers.then_some(&answers);
                    reports = frozen(memo, &survey, ids, answers, &reports)?;
                    memo.keep()?;
                }
                sink.write(reports)?;
            }
        }
        sink.map_or(Ok(()), |(sink, _)| sink.finish())
    }

    fn debit(&self, survey: &Survey) -> Result<()> {
        if let (Some(path), Some(data)) = (&self.ledger, &self.data) {
            let what = format!("randomize, survey {}", survey.fingerprint());
            ledger::debit(path, data, survey.epsilon(), &what)?;
        }
        Ok(())
    }
}

/// How many rows are read at a time, so that their reports have a place in memory.
pub(crate) fn survey_rows(survey: &Survey) -> usize {
    batch_rows(survey.questions().iter().map(|question| question.kind().report_type()))
}

fn wanted(survey: &Survey) -> Vec<String> {
    let questions = survey.questions().iter().map(|question| question.name().to_owned());
    questions.chain(survey.public().iter().cloned()).chain(survey.id().map(str::to_owned)).collect()
}

/// The people who were there already, by hashes of their ids: sixteen bytes each.
struct People {
    column: String,
    keys: [RandomState; 2],
    seen: HashSet<[u64; 2]>,
}

impl People {
    fn new(column: &str) -> Self {
        let keys = [RandomState::new(), RandomState::new()];
        People { column: column.to_owned(), keys, seen: HashSet::new() }
    }

    /// The ids of a batch, each of which is new.
    fn check(&mut self, answers: &RecordBatch) -> Result<StringArray> {
        let refused =
            |problem: &str| Error::refused(format!("column \"{}\": {problem}", self.column));
        let column = answers.column_by_name(&self.column).ok_or_else(|| {
            refused("it is not there, and the survey names it as the id of respondents")
        })?;
        let ids = arrow_cast::cast(column, &DataType::Utf8)
            .map_err(|_| refused("its type is none of an id; accepted are texts and numbers"))?;
        let ids = ids.as_string::<i32>().clone();
        if ids.null_count() > 0 {
            return Err(refused("a row has no id; accepted is one for every row"));
        }
        for id in ids.iter().flatten() {
            let hash = [self.keys[0].hash_one(id), self.keys[1].hash_one(id)];
            if !self.seen.insert(hash) {
                return Err(refused(
                    "two rows have the same id; accepted is one row for each respondent",
                ));
            }
        }
        Ok(ids)
    }
}
