//! Writes the known answers of mechanisms: `cargo run --release -p deniable-arrow --example vectors`. With `--check`, it says whether those that are stored are the ones that would be written.
//!
//! They are in `vectors/mechanism`, one JSON value a line. Every surface replays them and must find the same floats, bit for bit:
//!
//! | file | a line |
//! |---|---|
//! | `maps.jsonl` | a mechanism, a distance, and the ε of it: a float, or "inf" |
//! | `refused.jsonl` | a mechanism that there is none of, and the message |
//! | `estimates.jsonl` | counts, how to estimate, and the estimate |
//! | `rappor.jsonl` | parameters with their losses; the bits of a value; reports and what they decode to |

use std::path::Path;
use std::process::ExitCode;

use deniable::rappor::{CandidateMap, CohortCounts, Params, Report};
use deniable::{BitVector, Spec};
use deniable_arrow::mechanism::{Counts, Distance, Mechanism};
use deniable_arrow::{How, QuestionEstimate};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/mechanism");
    let is_check = std::env::args().any(|word| word == "--check");
    let files = [
        ("maps", maps()),
        ("refused", refused()),
        ("estimates", estimates()),
        ("rappor", rappor()),
    ];
    let (mut is_current, mut answers) = (true, 0);
    for (name, lines) in files {
        answers += lines.len();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let path = folder.join(name).with_extension("jsonl");
        if std::fs::read_to_string(&path).is_ok_and(|before| before == text) {
            continue;
        }
        is_current = false;
        if is_check {
            eprintln!("{name}.jsonl is not what would be written");
        } else if let Err(error) = std::fs::write(&path, text) {
            eprintln!("cannot write {name}.jsonl: {error}");
            return ExitCode::FAILURE;
        }
    }
    if is_check && !is_current {
        return ExitCode::FAILURE;
    }
    println!("result: {answers} known answers");
    ExitCode::SUCCESS
}

/// The float before another.
fn below(x: f64) -> f64 {
    x.next_down()
}

fn categories(count: usize) -> Value {
    (0..count as i64).collect()
}

fn yes_no() -> Vec<Value> {
    let probs = [
        0.5,
        0.5f64.next_up(),
        0.55,
        0.6,
        0.1 + 0.2 + 0.3,
        0.75,
        0.8,
        0.9,
        0.99,
        0.999_999,
        below(1.0),
        1.0,
        f64::from(0.7f32),
        0.7,
    ];
    let spec = |(prob, constant_time)| json!({ "mechanism": "randomized_response_bool", "prob": prob, "constant_time": constant_time });
    probs.into_iter().flat_map(|prob| [(prob, false), (prob, true)]).map(spec).collect()
}

fn choices() -> Vec<Value> {
    let third = 1.0f64 / 3.0;
    let mut all = Vec::new();
    for (count, prob) in [
        (2, 0.5),
        (2, 0.75),
        (3, third),
        (3, third.next_up()),
        (3, 0.8),
        (3, below(1.0)),
        (7, 1.0 / 7.0),
        (10, 0.1),
        (10, 0.1f64.next_up()),
        (16, 0.5),
        (49, 1.0 / 49.0),
        (100, 0.5),
        (1000, 0.001),
        (1000, 0.7),
    ] {
        let spec = json!({ "mechanism": "randomized_response", "categories": categories(count), "prob": prob });
        all.push(spec);
    }
    for prob in [0.4, 0.8] {
        let texts = json!(["tea", "coffee", "", "ü", "a \"b\"", "\u{1f375}", "\n"]);
        all.push(json!({ "mechanism": "randomized_response", "categories": texts, "prob": prob }));
    }
    for (one, zero) in [
        (0.5, 0.25),
        (0.75, 0.25),
        (0.5, 0.1),
        (0.5, 1e-300),
        (0.5, 5e-324),
        (0.9, third),
        (below(1.0), 0.5),
        (0.5, below(0.5)),
        (0.3, 0.3),
    ] {
        for count in [2, 3, 100] {
            all.push(json!({ "mechanism": "unary_encoding", "categories": categories(count), "one": one, "zero": zero }));
        }
    }
    for (count, size, prob) in [
        (5, 2, 0.75),
        (5, 1, 0.75),
        (5, 4, 0.9),
        (3, 1, third),
        (3, 1, third.next_up()),
        (100, 27, 0.5),
        (100, 50, 0.6),
        (64, 32, below(1.0)),
        (1000, 270, 0.5),
    ] {
        all.push(json!({ "mechanism": "subset_selection", "categories": categories(count), "size": size, "prob": prob }));
    }
    for (count, buckets, prob) in [
        (9, 4, 0.7),
        (9, 2, 0.5),
        (9, 3, third),
        (9, 3, third.next_up()),
        (100, 4, 0.475),
        (100, 100, 0.1),
        (1000, 7, below(1.0)),
    ] {
        all.push(json!({ "mechanism": "local_hashing", "categories": categories(count), "buckets": buckets, "prob": prob }));
    }
    all
}

fn bits() -> Vec<Value> {
    let fs =
        [5e-324, f64::MIN_POSITIVE, 1e-300, 1e-9, 0.1, 0.25, 1.0 / 3.0, 0.5, 0.75, below(1.0), 1.0];
    let shapes = [(1, 1), (3, 3), (17, 1), (17, 8), (17, 9), (17, 17), (1024, 2), (1024, 1024)];
    let spec = |f: f64, (length, max_weight): (usize, usize)| json!({ "mechanism": "randomized_response_bitvec", "length": length, "max_weight": max_weight, "f": f, "constant_time": length == 1024 });
    fs.into_iter().flat_map(|f| shapes.map(|shape| spec(f, shape))).collect()
}

/// Noise on numbers, with a distance each.
fn noise() -> Vec<(Value, Value)> {
    let mut all = Vec::new();
    let scales = [5e-324, 1e-300, 1e-9, 0.1, 1.0, 1.0 / 3.0, 2.0, 60.0, 1e9, 1e300];
    let distances = [0.0, 5e-324, 0.1, 1.0, 1.0f64.next_up(), 3.0, 1e300];
    for (i, scale) in scales.into_iter().enumerate() {
        for (j, d_in) in distances.into_iter().enumerate() {
            let (is_even, d_in) = ((i + j).is_multiple_of(2), json!(d_in));
            let bounds = is_even.then_some([-120.5, 1e6]);
            let spec = json!({ "mechanism": "scalar_float_laplace_cks20", "number": "f64", "bounds": bounds, "scale": scale, "k": null });
            all.push((spec, d_in.clone()));
            let size = is_even.then_some(17);
            let spec = json!({ "mechanism": "vector_float_laplace_cks20", "number": "f64", "bounds": null, "size": size, "scale": scale, "k": null });
            all.push((spec, d_in));
        }
    }
    for k in [-1074, -60, -20, -3, 0, 2, 10] {
        for (number, scale) in [("f64", 4.0), ("f64", 1e-3), ("f32", 4.0)] {
            let k = if number == "f32" { k.max(-149) } else { k };
            let spec = json!({ "mechanism": "scalar_float_laplace_cks20", "number": number, "bounds": [0.0, 120.0], "scale": scale, "k": k });
            all.extend([(spec.clone(), json!(1.0)), (spec, json!(120))]);
            let spec = json!({ "mechanism": "vector_float_laplace_cks20", "number": number, "bounds": null, "size": 3, "scale": scale, "k": k });
            all.extend([(spec.clone(), json!(0.1)), (spec, json!(2))]);
        }
    }
    for scale in [f64::from(1e-45f32), f64::from(0.1f32), 1.0, 1e30f32.into()] {
        let spec = json!({ "mechanism": "vector_float_laplace_cks20", "number": "f32", "bounds": [0.0, 1.0], "size": 4, "scale": scale, "k": null });
        // 0.1 is no float of 32 bits: the next above is taken.
        all.extend([0.1, 1.0, 1e-300].map(|d_in| (spec.clone(), json!(d_in))));
    }
    for number in ["i64", "i32"] {
        for scale in [5e-324, 1e-9, 0.1, 1.0 / 3.0, 1.0, 10.0, 1e9, 1e300] {
            for d_in in [0u64, 1, 3, 1 << 32, (1 << 53) + 1, u64::MAX] {
                let bounds = (d_in == 3).then_some([-5, 100]);
                let spec = json!({ "mechanism": "scalar_integer_laplace_cks20", "number": number, "bounds": bounds, "scale": scale });
                all.push((spec, json!(d_in)));
                let size = (d_in == 1).then_some(3);
                let spec = json!({ "mechanism": "vector_integer_laplace_cks20", "number": number, "bounds": bounds, "size": size, "scale": scale });
                all.push((spec, json!(d_in)));
            }
        }
    }
    all
}

/// All of which there are mechanisms, with the distances to map.
fn all() -> Vec<(Value, Value)> {
    let answers = [yes_no(), choices(), bits()].concat();
    answers.into_iter().map(|spec| (spec, json!(1))).chain(noise()).collect()
}

fn made(spec: &Value) -> deniable::Result<Mechanism> {
    let spec: Spec = serde_json::from_value(spec.clone()).expect("a mechanism's parameters");
    Mechanism::try_from(spec)
}

/// JSON has no infinite number.
fn float(x: f64) -> Value {
    if x == f64::INFINITY { "inf".into() } else { x.into() }
}

fn distance(d_in: &Value) -> Distance {
    match d_in.as_u64() {
        Some(whole) => Distance::Whole(whole),
        None => Distance::Float(d_in.as_f64().expect("a number")),
    }
}

fn maps() -> Vec<Value> {
    let line = |(spec, d_in): (Value, Value)| {
        let epsilon = made(&spec).ok()?.map(distance(&d_in)).expect("a distance");
        Some(json!({ "spec": spec, "d_in": d_in, "epsilon": float(epsilon.get()) }))
    };
    all().into_iter().filter_map(line).collect()
}

fn refused() -> Vec<Value> {
    let more = [
        json!({ "mechanism": "randomized_response_bool", "prob": below(0.5), "constant_time": false }),
        json!({ "mechanism": "randomized_response_bool", "prob": 1.0f64.next_up(), "constant_time": false }),
        json!({ "mechanism": "randomized_response", "categories": ["tea", "tea"], "prob": 0.8 }),
        json!({ "mechanism": "randomized_response", "categories": ["tea"], "prob": 0.8 }),
        json!({ "mechanism": "randomized_response", "categories": [1, 2, 3], "prob": below(1.0 / 3.0) }),
        json!({ "mechanism": "randomized_response", "categories": [1, 2], "prob": 1.0 }),
        json!({ "mechanism": "unary_encoding", "categories": [1, 2], "one": 0.25, "zero": 0.5 }),
        json!({ "mechanism": "unary_encoding", "categories": [1, 2], "one": 0.5, "zero": 0.0 }),
        json!({ "mechanism": "subset_selection", "categories": [1, 2, 3], "size": 3, "prob": 0.8 }),
        json!({ "mechanism": "local_hashing", "categories": [1, 2, 3], "buckets": 1, "prob": 0.8 }),
        json!({ "mechanism": "randomized_response_bitvec", "length": 2, "max_weight": 3, "f": 0.5, "constant_time": false }),
        json!({ "mechanism": "randomized_response_bitvec", "length": 2, "max_weight": 2, "f": 0.0, "constant_time": false }),
        json!({ "mechanism": "scalar_float_laplace_cks20", "number": "f64", "bounds": [120.0, 0.0], "scale": 1.0, "k": null }),
        json!({ "mechanism": "scalar_float_laplace_cks20", "number": "f32", "bounds": null, "scale": 0.1, "k": null }),
        json!({ "mechanism": "vector_float_laplace_cks20", "number": "f64", "bounds": null, "size": null, "scale": 1.0, "k": 3 }),
        json!({ "mechanism": "scalar_integer_laplace_cks20", "number": "i32", "bounds": [0, 1i64 << 40], "scale": 1.0 }),
        json!({ "mechanism": "vector_integer_laplace_cks20", "number": "i64", "bounds": null, "size": null, "scale": -1.0 }),
    ];
    let from_all = all().into_iter().map(|(spec, _)| spec);
    let line = |spec: Value| {
        let error = made(&spec).err()?;
        Some(json!({ "spec": spec, "message": error.to_string() }))
    };
    let mut lines: Vec<Value> = from_all.chain(more).filter_map(line).collect();
    lines.dedup();
    lines
}

/// Counts of a mechanism, by how many reports support each value.
fn counted(spec: &Value, reports: u64, ones: Vec<u64>) -> Value {
    let mechanism = serde_json::to_value(made(spec).expect("a mechanism").spec());
    json!({ "mechanism": mechanism.expect("plain data"), "tally": { "values": { "reports": reports, "ones": ones } } })
}

fn estimates() -> Vec<Value> {
    let yes_no =
        json!({ "mechanism": "randomized_response_bool", "prob": 0.75, "constant_time": false });
    let choice = json!({ "mechanism": "randomized_response", "categories": ["tea", "coffee", "water"], "prob": 0.8 });
    let unary = json!({ "mechanism": "unary_encoding", "categories": [7, -3, 100], "one": 0.5, "zero": 0.25 });
    let subset = json!({ "mechanism": "subset_selection", "categories": [1, 2, 3, 4, 5], "size": 2, "prob": 0.75 });
    let hashed = json!({ "mechanism": "local_hashing", "categories": [1, 2, 3, 4], "buckets": 3, "prob": 0.6 });
    let bits = json!({ "mechanism": "randomized_response_bitvec", "length": 3, "max_weight": 2, "f": 0.5, "constant_time": true });
    let mut all = Vec::new();
    for (reports, ones) in [
        (1, 0),
        (1, 1),
        (10, 3),
        (1000, 0),
        (1000, 250),
        (1000, 600),
        (1000, 1000),
        (1_000_000_000, 500_000_001),
    ] {
        all.push(counted(&yes_no, reports, vec![ones]));
    }
    for ones in [[800, 100, 100], [500, 300, 200], [334, 333, 333], [1000, 0, 0]] {
        all.push(counted(&choice, 1000, ones.to_vec()));
        all.push(counted(&unary, 1000, ones.to_vec()));
        all.push(counted(&bits, 1000, ones.to_vec()));
    }
    all.push(counted(&subset, 5000, vec![3000, 2500, 2000, 1500, 1000]));
    all.push(counted(&hashed, 5000, vec![2600, 1700, 1650, 1600]));
    let age = json!({ "mechanism": "scalar_float_laplace_cks20", "number": "f64", "bounds": [0.0, 120.0], "scale": 60.0, "k": null });
    let age = serde_json::to_value(made(&age).expect("a mechanism").spec()).expect("plain data");
    for (count, mean, squares) in [(2u64, 30.0, 200.0), (1000, 41.7, 7.4e6)] {
        all.push(json!({ "mechanism": age, "tally": { "numbers": { "count": count, "mean": mean, "squares": squares } } }));
    }
    let hows =
        [(0.95, "population"), (0.95, "sample"), (0.5, "population"), (1.0 - 1e-9, "sample")];
    let with =
        |counts: &Value| hows.map(|(confidence, target)| estimate(counts, confidence, target));
    all.iter().flat_map(with).collect()
}

fn estimate(counts: &Value, confidence: f64, target: &str) -> Value {
    let known: Counts = serde_json::from_value(counts.clone()).expect("counts");
    let mechanism = made(&counts["mechanism"]).expect("a mechanism");
    let found = mechanism.estimate(&known, &how(confidence, target)).expect("an estimate");
    json!({ "counts": counts, "confidence": confidence, "target": target, "found": found_json(&found) })
}

fn how(confidence: f64, target: &str) -> How {
    use deniable::estimate::Target;
    let target = if target == "sample" { Target::Sample } else { Target::Population };
    How { confidence, target, ..How::default() }
}

/// The columns of an estimate.
fn found_json(found: &QuestionEstimate) -> Value {
    if let Some(mean) = &found.mean {
        return json!({ "mean": [float(mean.mean)], "low": [float(mean.low)], "high": [float(mean.high)], "standard_error": [float(mean.standard_error)] });
    }
    let each = |part: fn(&deniable_arrow::ValueEstimate) -> Value| -> Vec<Value> {
        found.values.iter().map(part).collect()
    };
    let mut columns = json!({
        "share": each(|value| float(value.share)),
        "low": each(|value| float(value.low)),
        "high": each(|value| float(value.high)),
        "count": each(|value| float(value.count)),
        "standard_error": each(|value| float(value.standard_error)),
        "p_value": each(|value| float(value.p_value)),
        "detected": each(|value| value.detected.into()),
    });
    let consistent: Option<Vec<f64>> = found.values.iter().map(|value| value.consistent).collect();
    if let Some(consistent) = consistent {
        columns["consistent"] = consistent.into();
    }
    columns
}

fn rappor() -> Vec<Value> {
    let mut lines = Vec::new();
    for (k, h, m, p, q, f) in [
        (16, 2, 4, 0.25, 0.75, 0.5),
        (8, 1, 1, 0.25, 0.75, 0.5),
        (128, 2, 64, 0.5, 0.75, 0.5),
        (128, 2, 64, 0.75, 0.25, 0.5),
        (32, 4, 8, 1e-9, 0.999, 0.1),
        (256, 3, 16, 1.0 / 3.0, 2.0 / 3.0, 1e-300),
    ] {
        let known = json!({ "k": k, "h": h, "m": m, "p": p, "q": q, "f": f });
        let params = Params::new(k, h, m, p, q, f).expect("parameters");
        let of_report = float(params.epsilon_of_report().get());
        let of_all = float(params.epsilon_of_all_reports().get());
        lines.push(json!({ "params": known, "epsilon_of_report": of_report, "epsilon_of_all_reports": of_all }));
        for value in ["", "example.org", "ü", "\u{1f375} tea", "a\nb"] {
            for cohort in [0, m - 1] {
                let bits = params.bits_of(cohort, value).expect("a cohort");
                lines.push(
                    json!({ "params": known, "cohort": cohort, "value": value, "bits": bits }),
                );
            }
        }
    }
    lines.push(decoded());
    lines
}

/// Reports without noise, but for every third, of people with one of three values.
fn decoded() -> Value {
    let params = Params::new(16, 2, 4, 0.25, 0.75, 0.5).expect("parameters");
    let known = json!({ "k": 16, "h": 2, "m": 4, "p": 0.25, "q": 0.75, "f": 0.5 });
    let candidates = ["tea", "coffee", "water", "wine"];
    let report = |i: usize| {
        let (cohort, value) = (i % 4, candidates[[0, 0, 0, 1, 1, 2][i / 4 % 6]]);
        let mut bits = vec![false; 16];
        params
            .bits_of(cohort, value)
            .expect("a cohort")
            .into_iter()
            .for_each(|bit| bits[bit] = true);
        bits[i * 7 % 16] ^= !i.is_multiple_of(3);
        Report::new(cohort, bits.into_iter().collect::<BitVector>())
    };
    let reports: Vec<Report> = (0..600).map(report).collect();
    let mut counts = CohortCounts::new(&params);
    counts.add_all(&reports).expect("reports");
    let map = CandidateMap::new(&params, candidates).expect("candidates");
    let found =
        QuestionEstimate::of_texts(&params, &counts, &map, &How::default()).expect("an estimate");
    let fit = serde_json::to_value(found.fit.as_ref().expect("texts")).expect("plain data");
    let hex = |report: &Report| {
        let digits =
            report.bits().to_bytes().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        json!([report.cohort(), digits])
    };
    let reports: Vec<Value> = reports.iter().map(hex).collect();
    json!({ "params": known, "candidates": candidates, "reports": reports, "found": found_json(&found), "fit": fit })
}
