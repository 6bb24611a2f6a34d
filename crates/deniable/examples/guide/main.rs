//! Draws the pictures of the guide: `cargo run --release -p deniable --features rappor --example guide`. With `--check`, it says whether they are as they would be drawn.
//!
//! Everything is computed or drawn from fixed words, so that the pictures are the same each time. A real survey takes `OsEntropy`, as `invoke_batch` does.

mod rappor;
mod svg;

use std::path::Path;
use std::process::ExitCode;

use deniable::estimate::binomial::at_least;
use deniable::estimate::{BitCounts, Estimate, FrequencyOracle, Interval, Target};
use deniable::plan::{self, Oracle};
use deniable::prelude::*;
use deniable::{Entropy, sample};

use svg::{Axis, COLOURS, Chart};

/// What people may answer, and how many of a thousand do.
const REASONS: [(&str, usize); 12] = [
    ("flu", 310),
    ("back", 190),
    ("injury", 120),
    ("migraine", 95),
    ("burnout", 80),
    ("depression", 62),
    ("anxiety", 48),
    ("surgery", 36),
    ("addiction", 24),
    ("violence", 14),
    ("self-harm", 6),
    ("other", 15),
];

const RESPONDENTS: usize = 20_000;

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/guide");
    let is_check = std::env::args().any(|word| word == "--check");
    let pictures = [("plan", plan()), ("estimate", estimate()), ("coverage", coverage())];
    let pictures = pictures.into_iter().chain(rappor::pictures());
    let mut is_current = true;
    for (name, picture) in pictures {
        let path = folder.join(name).with_extension("svg");
        if std::fs::read_to_string(&path).is_ok_and(|before| before == picture) {
            continue;
        }
        is_current = false;
        if is_check {
            eprintln!("{name}.svg is not what would be drawn");
        } else if let Err(error) = std::fs::write(&path, picture) {
            eprintln!("cannot write {name}.svg: {error}");
            return ExitCode::FAILURE;
        }
    }
    if is_check && !is_current { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn epsilon(epsilon: f64) -> Epsilon {
    Epsilon::new(epsilon).expect("a number above 0")
}

fn percent(share: f64) -> String {
    format!("{} %", share * 100.0)
}

fn thousands(n: f64) -> String {
    match n as u64 {
        n @ 1_000_000.. => format!("{} million", n / 1_000_000),
        n => format!("{} 000", n / 1000),
    }
}

/// The smallest share that is seen, for each number of respondents.
fn plan() -> String {
    let ticks = [1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6];
    let mut chart = Chart::new(
        "The smallest share that is seen falls as more people are asked, and is smaller the larger epsilon is.",
        Axis {
            from: 1e3,
            to: 2e6,
            is_logarithmic: true,
            ticks: ticks.map(|n| (n, thousands(n))).to_vec(),
            title: "respondents",
        },
        Axis {
            from: 4e-4,
            to: 1.0,
            is_logarithmic: true,
            ticks: [1e-3, 1e-2, 0.1, 1.0].map(|share| (share, percent(share))).to_vec(),
            title: "smallest share that is seen",
        },
    );
    for (i, loss) in [0.5, 1.0, 2.0, 4.0].into_iter().enumerate() {
        let choice = plan::best(REASONS.len(), epsilon(loss), None).expect("twelve answers");
        let at = |n: f64| {
            let alpha = 0.05 / REASONS.len() as f64;
            let share =
                choice.channel().detectable(n as u64, alpha, 0.8).expect("a number of people");
            share.map(|share| (n, share))
        };
        let points: Vec<(f64, f64)> = (0..=30)
            .filter_map(|step| at((1e3f64 * 10f64.powf(f64::from(step) / 10.0)).round()))
            .collect();
        chart.line(&points, COLOURS[i], false);
        let last = *points.last().expect("a million people see something");
        chart.text(last, &format!("ε = {loss}"), COLOURS[i]);
    }
    chart.finish(
        "The smallest share of one of twelve answers that is detected with a probability of 80 %, at a risk of 5 % that any of the twelve is falsely.",
    )
}

/// Words that are the same each time.
struct Fixed(u64);

impl Entropy for Fixed {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), sample::Error> {
        for word in words {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            *word = mixed ^ mixed >> 31;
        }
        Ok(())
    }
}

/// Estimates beside the truth.
fn estimate() -> String {
    let names = REASONS.map(|(name, _)| name);
    let choice = plan::best(REASONS.len(), epsilon(1.0), None).expect("twelve answers");
    let Oracle::SubsetSelection { size, prob } = choice.oracle() else {
        unreachable!("the guide says what is best")
    };
    let mechanism = make_subset_selection(names, size, prob).expect("parameters of a plan");
    let answers: Vec<&str> = REASONS
        .iter()
        .flat_map(|&(name, of_thousand)| vec![name; of_thousand * RESPONDENTS / 1000])
        .collect();
    let reports = mechanism.invoke_batch_from(&answers, &mut Fixed(1)).expect("fixed words");
    let mut counts = BitCounts::new(mechanism.values());
    mechanism.count(&reports, &mut counts).expect("its reports");
    let estimates = mechanism.estimate(&counts).expect("its counts");
    let intervals = estimates.simultaneous(Target::Sample, 0.95).expect("a confidence");

    let mut chart = Chart::new(
        "For each of twelve answers the estimate with its interval, and the truth.",
        Axis {
            from: -0.6,
            to: 11.6,
            is_logarithmic: false,
            ticks: names
                .iter()
                .enumerate()
                .map(|(i, name)| (i as f64, (*name).to_owned()))
                .collect(),
            title: "",
        },
        Axis {
            from: -0.04,
            to: 0.36,
            is_logarithmic: false,
            ticks: [0.0, 0.1, 0.2, 0.3].map(|share| (share, percent(share))).to_vec(),
            title: "share of the respondents",
        },
    );
    for (i, (estimate, interval)) in estimates.iter().zip(&intervals).enumerate() {
        let share = estimate.share();
        chart.interval(i as f64, (interval.low, share, interval.high), COLOURS[0]);
        chart.mark(i as f64, REASONS[i].1 as f64 / 1000.0, COLOURS[1]);
    }
    chart.text((6.3, 0.33), "estimate, with intervals of which", COLOURS[0]);
    chart.text((6.3, 0.305), "all hold with 95 %", COLOURS[0]);
    chart.text((6.3, 0.275), "truth", COLOURS[1]);
    chart.finish("20 000 simulated respondents at ε = 1, one of twelve answers each.")
}

/// How often 95 % intervals hold the truth, by enumeration of all counts.
fn coverage() -> String {
    const N: u64 = 60;
    let mechanism = make_randomized_response_bool(0.75, false).expect("a probability");
    let channel = mechanism.channel().expect("more than 1/2");
    let all: Vec<Estimate<'_>> =
        (0..=N).map(|k| Estimate::new(&channel, k, N).expect("a count")).collect();
    let exact = |estimate: &Estimate<'_>| {
        estimate.interval(Target::Population, 0.95).expect("a confidence")
    };
    let normal = |estimate: &Estimate<'_>| {
        let (share, error) = (estimate.share(), 1.96 * estimate.standard_error(Target::Population));
        Interval { low: (share - error).max(0.0), high: (share + error).min(1.0) }
    };
    let mut chart = Chart::new(
        "The exact intervals hold the truth with 95 percent or more at each share, the normal ones often with less.",
        Axis {
            from: 0.0,
            to: 1.0,
            is_logarithmic: false,
            ticks: [0.0, 0.2, 0.4, 0.6, 0.8, 1.0].map(|share| (share, percent(share))).to_vec(),
            title: "true share",
        },
        Axis {
            from: 0.9,
            to: 1.0,
            is_logarithmic: false,
            ticks: [0.9, 0.925, 0.95, 0.975, 1.0].map(|share| (share, percent(share))).to_vec(),
            title: "intervals that hold it",
        },
    );
    chart.line(&[(0.0, 0.95), (1.0, 0.95)], "currentColor", true);
    let coverage = |intervals: &[Interval], share: f64| {
        let rate = channel.lie() + share * channel.signal();
        let tails: Vec<f64> =
            (0..=N + 1).map(|k| at_least(k, N, rate).expect("a probability")).collect();
        let masses = tails.windows(2).map(|pair| pair[0] - pair[1]);
        masses
            .zip(intervals)
            .filter(|(_, interval)| interval.contains(share))
            .map(|(mass, _)| mass)
            .sum()
    };
    let kinds: [(&str, Vec<Interval>, f64); 2] = [
        ("exact", all.iter().map(exact).collect(), 0.985),
        ("normal", all.iter().map(normal).collect(), 0.915),
    ];
    for (i, (name, intervals, height)) in kinds.iter().enumerate() {
        let points: Vec<(f64, f64)> = (0..=400)
            .map(|step| f64::from(step) / 400.0)
            .map(|share| (share, coverage(intervals, share)))
            .collect();
        chart.line(&points, COLOURS[i], false);
        chart.text((0.45, *height), name, COLOURS[i]);
    }
    chart.finish(
        "How often a 95 % interval holds the true share: 60 respondents, yes or no, told truthfully with a probability of 75 %. Every count was enumerated.",
    )
}
