//! The pictures of the page on RAPPOR's parameters.

use deniable::mechanism::randomized_response_bitvec::smallest_f;
use deniable::prelude::*;
use deniable::rappor::Params;

use crate::svg::{Axis, COLOURS, Chart};
use crate::{epsilon, percent, thousands};

/// If nothing else is said: how many people are asked, and of how many candidates one is to be seen.
const PEOPLE: u64 = 100_000;
const CANDIDATES: usize = 100;

pub(crate) fn pictures() -> [(&'static str, String); 6] {
    [
        ("rappor/people", people()),
        ("rappor/losses", losses()),
        ("rappor/noise", noise()),
        ("rappor/hashes", hashes()),
        ("rappor/bits", bits()),
        ("rappor/cohorts", cohorts()),
    ]
}

fn params(k: usize, h: usize, m: usize, (p, q): (f64, f64), f: f64) -> Params {
    Params::new(k, h, m, p, q, f).expect("parameters in their ranges")
}

/// With the f that keeps all reports within a budget.
fn within(budget: f64, k: usize, h: usize, m: usize) -> Params {
    let domain = BitVectorDomain::new(k).with_max_weight(h.min(k));
    let f = smallest_f(&domain, epsilon(budget)).expect("a budget above 0");
    params(k, h, m, (0.25, 0.75), f)
}

/// Seen with a chance of 80 %, at a risk of 5 % that any candidate is that nobody has.
fn seen(params: &Params, candidates: usize, people: u64) -> Option<f64> {
    params.detectable(candidates, people, 0.05, 0.8).expect("a plan")
}

/// So many numbers from one to another, at equal ratios.
fn ratios(from: f64, to: f64, steps: u32) -> impl Iterator<Item = f64> {
    (0..=steps).map(move |step| from * (to / from).powf(f64::from(step) / f64::from(steps)))
}

/// Numbers from 0 to 1, without both.
fn between() -> impl Iterator<Item = f64> {
    (1..100).map(|step| f64::from(step) / 100.0)
}

fn linear(title: &'static str, from: f64, to: f64, ticks: &[f64]) -> Axis {
    let ticks = ticks.iter().map(|&tick| (tick, tick.to_string())).collect();
    Axis { from, to, is_logarithmic: false, ticks, title }
}

fn logarithmic(title: &'static str, from: f64, to: f64, ticks: &[f64]) -> Axis {
    Axis { is_logarithmic: true, ..linear(title, from, to, ticks) }
}

fn shares(from: f64, to: f64, ticks: &[f64]) -> Axis {
    let ticks = ticks.iter().map(|&share| (share, percent(share))).collect();
    Axis { from, to, is_logarithmic: true, ticks, title: "smallest share that is seen" }
}

/// The settings to start with, for each number of respondents.
fn people() -> String {
    let ticks = [1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7];
    let mut axis = logarithmic("respondents", 1e4, 5e7, &ticks);
    axis.ticks = ticks.map(|n| (n, thousands(n))).to_vec();
    let mut chart = Chart::new(
        "The smallest share that is seen falls as more people are asked, for each of the settings to start with.",
        axis,
        shares(0.001, 0.2, &[0.001, 0.003, 0.01, 0.03, 0.1]),
    );
    // Names beside lines that are too near to each other are moved.
    for (i, (name, bits, f, moved)) in [
        ("once, ε = 2", (0.0, 1.0), 0.54, 0.93),
        ("once, ε = 1", (0.0, 1.0), 0.76, 1.13),
        ("again, ε = 4", (0.25, 0.75), 0.24, 1.02),
        ("again, ε = 2.2", (0.25, 0.75), 0.5, 0.88),
    ]
    .into_iter()
    .enumerate()
    {
        let params = params(32, 1, 64, bits, f);
        let at = |n: f64| seen(&params, CANDIDATES, n as u64).map(|share| (n, share));
        let points: Vec<(f64, f64)> = ratios(1e4, 1e7, 30).filter_map(at).collect();
        chart.line(&points, COLOURS[i], false);
        let (n, share) = *points.last().expect("ten million see something");
        chart.text((n, share * moved), name, COLOURS[i]);
    }
    chart.finish(
        "The smallest share of one of 100 candidates that is seen, by the settings of the table. ε is that of all reports.",
    )
}

/// What f, p and q lose.
fn losses() -> String {
    let mut chart = Chart::new(
        "The loss of all reports falls as f grows; that of one report falls too, and is smaller the nearer p and q are to each other.",
        linear("f", 0.0, 1.0, &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        linear("ε, for h = 1", 0.0, 8.0, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
    );
    let all = |f| params(32, 1, 64, (0.25, 0.75), f).epsilon_of_all_reports().get();
    let points: Vec<(f64, f64)> =
        between().map(|f| (f, all(f))).filter(|(_, loss)| *loss <= 8.0).collect();
    chart.line(&points, COLOURS[0], false);
    chart.text((0.21, all(0.2)), "all reports, whatever p and q", COLOURS[0]);
    for (i, (p, q)) in [(0.25, 0.75), (0.4, 0.6)].into_iter().enumerate() {
        let one = |f| params(32, 1, 64, (p, q), f).epsilon_of_report().get();
        let points: Vec<(f64, f64)> =
            [0.0].into_iter().chain(between()).map(|f| (f, one(f))).collect();
        chart.line(&points, COLOURS[i + 1], false);
        chart.text(
            (0.02, one(0.0) + 0.35),
            &format!("one report, p = {p}, q = {q}"),
            COLOURS[i + 1],
        );
    }
    chart.finish(
        "What one report and all reports of a value lose, for h = 1. With p = 0 and q = 1, one report loses as much as all. For h hash functions it is h times as much.",
    )
}

/// What f, p and q cost.
fn noise() -> String {
    let mut chart = Chart::new(
        "The smallest share that is seen grows with f, and more so the nearer p and q are to each other.",
        linear("f", 0.0, 1.0, &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        shares(0.002, 1.0, &[0.01, 0.1, 1.0]),
    );
    for (i, (p, q, name_at)) in [
        (0.0, 1.0, (0.1, 0.0032)),
        (0.25, 0.75, (0.02, 0.0086)),
        (0.5, 0.75, (0.02, 0.0225)),
        (0.4, 0.6, (0.02, 0.052)),
    ]
    .into_iter()
    .enumerate()
    {
        let at = |f| Some((f, seen(&params(32, 1, 64, (p, q), f), CANDIDATES, PEOPLE)?));
        let points: Vec<(f64, f64)> = [0.0].into_iter().chain(between()).filter_map(at).collect();
        chart.line(&points, COLOURS[i], false);
        chart.text(name_at, &format!("p = {p}, q = {q}"), COLOURS[i]);
    }
    chart.finish(
        "The smallest share of one of 100 candidates that 100 000 people let be seen; k = 32, h = 1, m = 64.",
    )
}

/// The trade of privacy for what is seen, and what hash functions do to it.
fn hashes() -> String {
    let mut chart = Chart::new(
        "The smallest share that is seen falls as epsilon of all reports grows, and is smallest with one hash function.",
        linear("ε of all reports", 0.0, 8.6, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]),
        shares(0.005, 1.0, &[0.01, 0.03, 0.1, 0.3, 1.0]),
    );
    // Names beside lines that are too near to each other are moved.
    for (i, (h, moved)) in [(1, 0.99), (2, 0.8), (4, 1.12), (8, 1.06)].into_iter().enumerate() {
        let at = |loss: f64| Some((loss, seen(&within(loss, 128, h, 64), CANDIDATES, PEOPLE)?));
        let points: Vec<(f64, f64)> =
            (1..=80).filter_map(|tenths| at(f64::from(tenths) / 10.0)).collect();
        chart.line(&points, COLOURS[i], false);
        let (loss, share) = *points.last().expect("with ε = 8 something is seen");
        chart.text((loss, share * moved), &format!("h = {h}"), COLOURS[i]);
    }
    chart.finish(
        "The smallest share of one of 100 candidates that 100 000 people let be seen, with the f that keeps ε of all reports; k = 128, m = 64, p = 0.25, q = 0.75.",
    )
}

/// What bits do.
fn bits() -> String {
    let ticks = [4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];
    let mut axis = linear("smallest share that is seen", 0.0, 0.05, &[]);
    axis.ticks = [0.0, 0.01, 0.02, 0.03, 0.04, 0.05].map(|share| (share, percent(share))).to_vec();
    let mut chart = Chart::new(
        "The smallest share that is seen hardly falls once a filter has some eight bits for each hash function.",
        logarithmic("k", 4.0, 1700.0, &ticks),
        axis,
    );
    for (i, h) in [1usize, 2, 4].into_iter().enumerate() {
        let at = |&k: &usize| Some((k as f64, seen(&within(4.0, k, h, 128), CANDIDATES, PEOPLE)?));
        let lengths: Vec<usize> = ratios(4.0, 1024.0, 48).map(|k| k.round() as usize).collect();
        let lengths = lengths.iter().filter(|&&k| k >= 2 * h);
        let points: Vec<(f64, f64)> =
            lengths.filter_map(at).filter(|(_, share)| *share <= 0.05).collect();
        chart.line(&points, COLOURS[i], false);
        let last = *points.last().expect("with ε = 4 something is seen");
        chart.text(last, &format!("h = {h}"), COLOURS[i]);
    }
    chart.finish(
        "The smallest share of one of 100 candidates that 100 000 people let be seen, with ε = 4 for all reports; m = 128, p = 0.25, q = 0.75.",
    )
}

/// What cohorts do.
fn cohorts() -> String {
    let counts = [1.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0];
    let mut y = linear("smallest share that is seen", 0.0, 0.05, &[]);
    y.ticks = [0.0, 0.01, 0.02, 0.03, 0.04, 0.05].map(|share| (share, percent(share))).to_vec();
    let mut x = logarithmic("candidates", 1.0, 250_000.0, &counts);
    x.ticks = counts.map(|n| (n, if n < 1e4 { n.to_string() } else { thousands(n) })).to_vec();
    let mut chart = Chart::new(
        "The smallest share that is seen grows slowly with the number of candidates; with more cohorts, more of them are estimated together.",
        x,
        y,
    );
    for (i, m) in [16, 64, 256].into_iter().enumerate() {
        let params = params(32, 1, m, (0.25, 0.75), 0.5);
        let most = params.most_together();
        let at = |n: f64| Some((n, seen(&params, n as usize, PEOPLE)?));
        let together: Vec<(f64, f64)> =
            ratios(1.0, most as f64, 60).filter_map(|n| at(n.round())).collect();
        let parts: Vec<(f64, f64)> =
            ratios(most as f64, 1e5, 30).filter_map(|n| at(n.round())).collect();
        chart.line(&together, COLOURS[i], false);
        chart.line(&parts, COLOURS[i], true);
        let end = *together.last().expect("one candidate is estimated");
        chart.dot(end, COLOURS[i]);
        chart.text_before((end.0, end.1 + 0.001), &format!("m = {m}"), COLOURS[i]);
    }
    chart.finish(
        "The smallest share that 100 000 people let be seen, for lists that are estimated together (to the dot, at k·m/4) and in parts (dashed); k = 32, h = 1, p = 0.25, q = 0.75, f = 0.5.",
    )
}
