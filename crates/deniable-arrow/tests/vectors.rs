//! Replays the known answers in `vectors/mechanism`, bit for bit. The example `vectors` writes them.

use std::path::Path;

use deniable::estimate::Target;
use deniable::rappor::{CandidateMap, CohortCounts, Params, Report};
use deniable::{BitVector, Spec};
use deniable_arrow::mechanism::{Counts, Distance, Mechanism};
use deniable_arrow::{How, QuestionEstimate, ValueEstimate};
use serde_json::Value;

type Check = fn(&Value) -> Result<(), String>;

#[test]
fn maps() {
    replay("maps", 500, map);
}

#[test]
fn refusals() {
    replay("refused", 15, refusal);
}

#[test]
fn estimates() {
    replay("estimates", 90, estimate);
}

#[test]
fn rappor() {
    replay("rappor", 60, of_rappor);
}

/// The last bit of each kind of answer matters.
#[test]
fn a_planted_change_is_found() {
    for (name, check, place) in [
        ("maps", map as Check, "/epsilon"),
        ("estimates", estimate, "/found/low/0"),
        ("estimates", estimate, "/found/p_value/0"),
        ("rappor", of_rappor, "/epsilon_of_report"),
        ("rappor", of_rappor, "/found/share/2"),
    ] {
        let is_there = |line: &Value| line.pointer(place).is_some_and(Value::is_f64);
        let mut line = lines(name).into_iter().find(is_there).unwrap();
        let number = line.pointer(place).unwrap().as_f64().unwrap();
        *line.pointer_mut(place).unwrap() = number.next_up().into();
        assert!(check(&line).is_err(), "{name} {place}");
    }
    let mut line = lines("refused").remove(0);
    line["message"] = "invalid".into();
    assert!(refusal(&line).is_err());
}

fn lines(name: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/mechanism");
    let text = std::fs::read_to_string(folder.join(name).with_extension("jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn replay(name: &str, least: usize, check: Check) {
    let lines = lines(name);
    assert!(lines.len() >= least, "{name}: {} lines", lines.len());
    for (i, line) in lines.iter().enumerate() {
        check(line).unwrap_or_else(|wrong| panic!("{name}, line {}: {wrong}", i + 1));
    }
}

/// Whether a float is the known one, bit for bit. JSON has no infinite one.
fn same(what: &str, found: f64, known: &Value) -> Result<(), String> {
    let known = if known == "inf" { f64::INFINITY } else { known.as_f64().ok_or("no number")? };
    if found.to_bits() == known.to_bits() {
        return Ok(());
    }
    Err(format!("{what} is {found:?}, and was {known:?}"))
}

fn mechanism(spec: &Value) -> deniable::Result<Mechanism> {
    serde_json::from_value::<Spec>(spec.clone()).unwrap().try_into()
}

fn map(line: &Value) -> Result<(), String> {
    let d_in = match line["d_in"].as_u64() {
        Some(whole) => Distance::Whole(whole),
        None => Distance::Float(line["d_in"].as_f64().unwrap()),
    };
    let mechanism = mechanism(&line["spec"]).map_err(|error| error.to_string())?;
    let epsilon = mechanism.map(d_in).map_err(|error| error.to_string())?;
    same("ε", epsilon.get(), &line["epsilon"])
}

fn refusal(line: &Value) -> Result<(), String> {
    match mechanism(&line["spec"]) {
        Err(error) if line["message"] == error.to_string() => Ok(()),
        Err(error) => Err(format!("the message is {error}")),
        Ok(_) => Err("it is accepted".to_owned()),
    }
}

fn estimate(line: &Value) -> Result<(), String> {
    let counts: Counts = serde_json::from_value(line["counts"].clone()).unwrap();
    let mechanism = mechanism(&line["counts"]["mechanism"]).unwrap();
    let target = if line["target"] == "sample" { Target::Sample } else { Target::Population };
    let confidence = line["confidence"].as_f64().unwrap();
    let how = How { target, confidence, ..How::default() };
    let found = mechanism.estimate(&counts, &how).map_err(|error| error.to_string())?;
    columns(&found, &line["found"])
}

fn columns(found: &QuestionEstimate, known: &Value) -> Result<(), String> {
    if let Some(mean) = &found.mean {
        same("mean", mean.mean, &known["mean"][0])?;
        same("low", mean.low, &known["low"][0])?;
        same("high", mean.high, &known["high"][0])?;
        return same("standard error", mean.standard_error, &known["standard_error"][0]);
    }
    let parts: [(&str, fn(&ValueEstimate) -> f64); 6] = [
        ("share", |value| value.share),
        ("low", |value| value.low),
        ("high", |value| value.high),
        ("count", |value| value.count),
        ("standard_error", |value| value.standard_error),
        ("p_value", |value| value.p_value),
    ];
    for (i, value) in found.values.iter().enumerate() {
        for (name, part) in parts {
            same(name, part(value), &known[name][i])?;
        }
        if known["detected"][i] != value.detected {
            return Err("detected is another".to_owned());
        }
        if let Some(consistent) = value.consistent {
            same("consistent", consistent, &known["consistent"][i])?;
        }
    }
    match known["share"].as_array().map(Vec::len) == Some(found.values.len()) {
        true => Ok(()),
        false => Err("there is another number of values".to_owned()),
    }
}

fn of_rappor(line: &Value) -> Result<(), String> {
    let whole = |name: &str| line["params"][name].as_u64().unwrap() as usize;
    let float = |name: &str| line["params"][name].as_f64().unwrap();
    let (k, h, m) = (whole("k"), whole("h"), whole("m"));
    let params = Params::new(k, h, m, float("p"), float("q"), float("f")).unwrap();
    if let Some(bits) = line.get("bits") {
        let (cohort, value) = (line["cohort"].as_u64().unwrap(), line["value"].as_str().unwrap());
        let found = params.bits_of(cohort as usize, value).unwrap();
        let is_same = serde_json::to_value(&found).unwrap() == *bits;
        return if is_same { Ok(()) } else { Err(format!("the bits are {found:?}")) };
    }
    let Some(candidates) = line.get("candidates") else {
        same("ε", params.epsilon_of_report().get(), &line["epsilon_of_report"])?;
        return same("ε", params.epsilon_of_all_reports().get(), &line["epsilon_of_all_reports"]);
    };
    let candidates: Vec<String> = serde_json::from_value(candidates.clone()).unwrap();
    let reports: Vec<(usize, String)> = serde_json::from_value(line["reports"].clone()).unwrap();
    let mut counts = CohortCounts::new(&params);
    for (cohort, digits) in reports {
        let byte = |i: usize| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap();
        let bytes: Vec<u8> = (0..digits.len() / 2).map(byte).collect();
        let bits = BitVector::from_bytes(&bytes, k).unwrap();
        counts.add(&Report::new(cohort, bits)).unwrap();
    }
    let map = CandidateMap::new(&params, candidates).unwrap();
    let found = QuestionEstimate::of_texts(&params, &counts, &map, &How::default()).unwrap();
    let fit = found.fit.as_ref().unwrap();
    same("misfit", fit.misfit, &line["fit"]["misfit"])?;
    same("unexplained", fit.unexplained, &line["fit"]["unexplained"])?;
    columns(&found, &line["found"])
}
