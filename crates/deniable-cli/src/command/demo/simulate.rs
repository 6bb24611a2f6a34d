//! Simulated respondents.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use deniable::sample::sample_uniform_int_below;
use deniable::{Entropy, OsEntropy};

use crate::error::Result;
use crate::files::{BATCH, Sink};

/// How many of a thousand answer so.
type Weights = &'static [(&'static str, u32)];

const WARDS: Weights =
    &[("emergency", 220), ("intensive care", 180), ("maternity", 150), ("surgery", 450)];
const BURNOUT: Weights = &[("yes", 382), ("no", 618)];
/// The last one is none of the survey's choices.
const LEAVE: Weights = &[
    ("never", 214),
    ("flu or cold", 305),
    ("back pain", 168),
    ("injury", 61),
    ("migraine", 72),
    ("anxiety", 58),
    ("depression", 47),
    ("family", 39),
    ("a broken heart", 36),
];
/// What is taken, and how many of a thousand say so if they have ticked fewer than two others.
const TAKEN: Weights = &[
    ("coffee", 640),
    ("painkillers", 270),
    ("sleeping pills", 120),
    ("alcohol", 140),
    ("cannabis", 60),
    ("stimulants", 30),
];
const MOST_TAKEN: usize = 2;
/// The last one is no candidate of the survey.
const WISHES: Weights = &[
    ("more staff", 341),
    ("better pay", 262),
    ("fixed shifts", 128),
    ("longer breaks", 90),
    ("less paperwork", 71),
    ("respect", 44),
    ("child care", 22),
    ("parking", 0),
    ("a new coffee machine", 42),
];

/// What the respondents answered: for each question the counts of its values in the order of the survey, or the sum of the numbers.
pub(super) struct Truth {
    burnout: u64,
    leave: Vec<u64>,
    taken: Vec<u64>,
    wish: Vec<u64>,
    overtime: u64,
    respondents: u64,
}

impl Truth {
    /// The share of each value, or the mean.
    pub(super) fn shares(&self) -> Vec<Vec<f64>> {
        let share = |&count: &u64| count as f64 / self.respondents as f64;
        let shares = |counts: &[u64]| counts.iter().map(share).collect::<Vec<f64>>();
        // Wishes are estimated for the candidates alone.
        let wish = &self.wish[..self.wish.len() - 1];
        let mean = vec![share(&self.overtime)];
        vec![
            vec![share(&self.burnout)],
            shares(&self.leave),
            shares(&self.taken),
            shares(wish),
            mean,
        ]
    }
}

/// Writes so many rows of simulated answers, and says what they are.
pub(super) fn simulate(path: &Path, respondents: u64) -> Result<Truth> {
    let mut truth = Truth {
        burnout: 0,
        leave: vec![0; LEAVE.len()],
        taken: vec![0; TAKEN.len()],
        wish: vec![0; WISHES.len()],
        overtime: 0,
        respondents,
    };
    let mut sink = Sink::create(path, None, &schema())?;
    let mut left = respondents;
    while left > 0 {
        let rows = left.min(BATCH as u64);
        sink.write(&batch(rows, &mut truth)?)?;
        left -= rows;
    }
    sink.finish()?;
    Ok(truth)
}

fn schema() -> SchemaRef {
    let names = ["ward", "burnout", "leave", "taken", "wish", "overtime"];
    let column = |name| Field::new(name, DataType::Utf8, false);
    Arc::new(Schema::new(names.map(column).to_vec()))
}

fn batch(rows: u64, truth: &mut Truth) -> Result<RecordBatch> {
    let mut columns: [StringBuilder; 6] = Default::default();
    let source = &mut OsEntropy::new();
    for _ in 0..rows {
        let [ward, burnout, leave, taken, wish, overtime] = &mut columns;
        ward.append_value(WARDS[draw(WARDS, source)?].0);
        let place = draw(BURNOUT, source)?;
        burnout.append_value(BURNOUT[place].0);
        truth.burnout += u64::from(place == 0);
        let place = draw(LEAVE, source)?;
        leave.append_value(LEAVE[place].0);
        truth.leave[place] += 1;
        let ticked = ticks(source)?;
        ticked.iter().for_each(|&place| truth.taken[place] += 1);
        let names: Vec<&str> = ticked.iter().map(|&place| TAKEN[place].0).collect();
        taken.append_value(names.join(";"));
        let place = draw(WISHES, source)?;
        wish.append_value(WISHES[place].0);
        truth.wish[place] += 1;
        let hours = hours(source)?;
        overtime.append_value(hours.to_string());
        truth.overtime += hours;
    }
    let columns = columns.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef).collect();
    Ok(RecordBatch::try_new(schema(), columns).expect("columns of one length"))
}

/// A value by its weight.
fn draw(weights: Weights, source: &mut OsEntropy) -> Result<usize> {
    let mut left = below(weights.iter().map(|(_, weight)| weight).sum(), source)?;
    for (place, &(_, weight)) in weights.iter().enumerate() {
        if left < weight {
            return Ok(place);
        }
        left -= weight;
    }
    unreachable!("less than all weights")
}

fn ticks(source: &mut OsEntropy) -> Result<Vec<usize>> {
    let mut ticked = Vec::new();
    for (place, &(_, weight)) in TAKEN.iter().enumerate() {
        if ticked.len() < MOST_TAKEN && below(1000, source)? < weight {
            ticked.push(place);
        }
    }
    Ok(ticked)
}

/// Whole hours, of twenty each with probability 1/4.
fn hours(source: &mut OsEntropy) -> Result<u64> {
    let mut word = || source.word().map_err(deniable::Error::from);
    Ok(u64::from((word()? & word()? & 0xf_ffff).count_ones()))
}

fn below(n: u32, source: &mut OsEntropy) -> Result<u32> {
    Ok(sample_uniform_int_below(n, source).map_err(deniable::Error::from)?)
}
