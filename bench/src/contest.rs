//! One row: contenders that do the same job, timed in turns.

use std::time::{Duration, Instant};

use crate::python::Python;

/// How often each contender of a row runs.
const ROUNDS: usize = 9;

/// Each run of a contender takes about so long.
const RUN: Duration = Duration::from_millis(40);

/// A job, and those who do it.
pub struct Row {
    /// What is done, to what.
    pub name: &'static str,
    /// What one item is.
    pub item: &'static str,
    /// Our code.
    pub ours: Contender,
    /// The crate `opendp`.
    pub opendp: Option<Contender>,
    /// A plain loop with a fast generator that is not cryptographic, and floating-point formulas.
    pub plain: Option<Contender>,
    /// A statement for NumPy that does the job for `n` items, with `g` its generator.
    pub numpy: Option<&'static str>,
}

/// Does the job once, for so many items.
pub struct Contender {
    pub items: usize,
    pub job: Box<dyn FnMut()>,
}

impl Contender {
    pub fn new(items: usize, job: impl FnMut() + 'static) -> Self {
        Contender { items, job: Box::new(job) }
    }

    /// Nanoseconds an item, over as many jobs as fit in one run.
    fn time(&mut self, jobs: u32) -> f64 {
        let start = Instant::now();
        (0..jobs).for_each(|_| (self.job)());
        start.elapsed().as_nanos() as f64 / (f64::from(jobs) * self.items as f64)
    }

    /// How many jobs make a run. Warms up on the way.
    fn jobs(&mut self) -> u32 {
        (self.job)();
        let start = Instant::now();
        (self.job)();
        let one = start.elapsed().max(Duration::from_nanos(50));
        (RUN.as_nanos() / one.as_nanos()).clamp(1, 1_000_000) as u32
    }
}

/// The columns' names.
pub fn print_header() {
    println!("| job | an item | ours, ns | opendp / ours | plain loop / ours | NumPy / ours |");
    println!("|---|---|---|---|---|---|");
}

/// Runs a row and prints it.
pub fn print_row(mut row: Row, mut numpy: Option<&mut Python>) {
    let jobs = row.ours.jobs();
    let [mut opendp, mut plain] = [row.opendp, row.plain].map(|contender| {
        contender.map(|mut contender| {
            let jobs = contender.jobs();
            (contender, jobs)
        })
    });
    let mut ours = Vec::new();
    let mut ratios = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        let own = row.ours.time(jobs);
        ours.push(own);
        for (contender, ratios) in [&mut opendp, &mut plain].into_iter().zip(&mut ratios) {
            ratios.extend(contender.as_mut().map(|(contender, jobs)| contender.time(*jobs) / own));
        }
        let theirs = numpy.as_deref_mut().zip(row.numpy).and_then(|(numpy, job)| numpy.ask(job));
        ratios[2].extend(theirs.map(|theirs| theirs / own));
    }
    let [opendp, plain, numpy] = ratios.map(|ratios| match ratios.is_empty() {
        true => "–".to_owned(),
        false => format!("{:.*}", if median(&ratios) < 10.0 { 1 } else { 0 }, median(&ratios)),
    });
    let Row { name, item, .. } = row;
    println!("| {name} | {item} | {:.3} | {opendp} | {plain} | {numpy} |", median(&ours));
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
