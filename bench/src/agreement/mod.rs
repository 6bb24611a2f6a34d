//! The same parameters through the crate `opendp` and through ours: `cargo run --release --manifest-path bench/Cargo.toml -- opendp`.
//!
//! Maps are judged by the exact loss. Ours must be the least float that bounds it, always. Where theirs is not a bound, is far above, or is refused, that is a disagreement, and each is a line of
//! `disagreements.txt` with its reason: one that is not there fails, and so does one that is there and is not found. `-- opendp --update` writes the lines anew.
//!
//! Outputs are compared by a two-sample test: see [`laws`].

mod behaviours;
mod laws;
mod points;
mod truth;
mod two_sample;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use points::{Group, Kind, Point};
use truth::Side;

/// Runs everything, and says what was found.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let update = match arguments {
        [] => false,
        [only] if only == "--update" => true,
        _ => {
            eprintln!("accepted behind `opendp` is --update, or nothing");
            return ExitCode::from(2);
        }
    };
    let mut found = Found::default();
    points::all().iter().for_each(|group| found.judge_all(group));
    behaviours::all().iter().for_each(|behaviour| found.compare(behaviour));
    if update {
        let written = std::fs::write(table(), found.table());
        written.expect("the table can be written");
    }
    let listed = std::fs::read_to_string(table()).unwrap_or_default();
    found.check_listed(&listed);
    println!(
        "maps: {} points; ours is the least bound at each; theirs is equal at {}, above by rounding at {}, refused by both at {}, otherwise at {}",
        found.points, found.equal, found.rounded, found.refused, found.disagreements,
    );
    let laws = laws::compare(&mut found.problems);
    println!("{laws}");
    for problem in &found.problems {
        eprintln!("opendp: {problem}");
    }
    if !found.problems.is_empty() {
        return ExitCode::FAILURE;
    }
    println!(
        "result: {} maps, ours the least bound of the exact loss at each, opendp's the same or above by rounding but for {} listed; {} behaviours, {} listed as different; {laws}",
        found.points, found.disagreements, found.behaviours, found.differences,
    );
    ExitCode::SUCCESS
}

fn table() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/agreement/disagreements.txt")
}

const HEAD: &str = "\
# Where the crate opendp 0.16.0 and ours disagree. Written by `cargo run --release --manifest-path bench/Cargo.toml -- opendp --update`, and checked without --update.
# A point: what is wrong | parameters | our map | their map | the exact loss, in twenty digits
# A behaviour: behaves | what was done | what ours did | what theirs did
";

/// What was found so far.
#[derive(Default)]
struct Found {
    points: usize,
    equal: usize,
    rounded: usize,
    refused: usize,
    disagreements: usize,
    behaviours: usize,
    differences: usize,
    /// By group: its name, then lines.
    lines: Vec<String>,
    problems: Vec<String>,
}

/// What there is to say of a point.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Equal,
    Rounded,
    BothRefuse,
    Differs(Kind),
    /// What no table can excuse.
    OursIsWrong(&'static str),
}

impl Found {
    fn judge_all(&mut self, group: &Group) {
        for (kind, reason) in group.reasons {
            self.lines.push(format!("\n# {}, {}: {reason}.", group.name, name(*kind)));
            self.judge_kind(group, Some(*kind));
        }
        self.judge_kind(group, None);
    }

    /// Notes the points of a kind of disagreement, or all others.
    fn judge_kind(&mut self, group: &Group, wanted: Option<Kind>) {
        for point in &group.points {
            let verdict = judge(point);
            let kind = match verdict {
                Verdict::Differs(kind) => Some(kind),
                _ => None,
            };
            let has_reason = |kind: &Kind| group.reasons.iter().any(|(known, _)| known == kind);
            if kind.filter(has_reason) != wanted {
                continue;
            }
            self.points += 1;
            match verdict {
                Verdict::Equal => self.equal += 1,
                Verdict::Rounded => self.rounded += 1,
                Verdict::BothRefuse => self.refused += 1,
                Verdict::OursIsWrong(how) => {
                    self.problems.push(format!("{}: {}: {how}", group.name, line("ours", point)));
                }
                Verdict::Differs(kind) if wanted.is_none() => {
                    let line = line(name(kind), point);
                    self.problems.push(format!("{}: without a reason: {line}", group.name));
                }
                Verdict::Differs(kind) => {
                    self.disagreements += 1;
                    self.lines.push(line(name(kind), point));
                }
            }
        }
    }

    fn compare(&mut self, behaviour: &behaviours::Behaviour) {
        self.behaviours += 1;
        let behaviours::Behaviour { name, ours, theirs, reason } = behaviour;
        match reason {
            Some(reason) if ours != theirs => {
                self.differences += 1;
                self.lines.push(format!("\n# {name}: {reason}."));
                self.lines.push(format!("behaves | {name} | {ours} | {theirs}"));
            }
            Some(_) => self.problems.push(format!("{name}: both are {ours}, against the list")),
            None if ours == theirs => {}
            None => self.problems.push(format!("{name}: ours {ours}, theirs {theirs}")),
        }
    }

    fn table(&self) -> String {
        let mut table = HEAD.to_owned();
        self.lines.iter().for_each(|line| writeln!(table, "{line}").expect("a text"));
        table
    }

    /// Each line must be in the table, and each of the table must be found.
    fn check_listed(&mut self, listed: &str) {
        let is_line = |line: &&str| !line.is_empty() && !line.starts_with('#');
        let listed: Vec<&str> = listed.lines().filter(is_line).collect();
        let found = self.lines.iter().map(String::as_str).filter(|line| !line.starts_with("\n#"));
        let found: Vec<&str> = found.collect();
        let new = found.iter().filter(|line| !listed.contains(line));
        let new = new.map(|line| format!("not in the table: {line}"));
        let gone = listed.iter().filter(|line| !found.contains(line));
        let gone = gone.map(|line| format!("in the table, and not found: {line}"));
        let problems: Vec<String> = new.chain(gone).collect();
        self.problems.extend(problems);
    }
}

fn judge(point: &Point) -> Verdict {
    let truth = match (&point.truth, point.ours, point.theirs) {
        (None, Some(_), _) => return Verdict::OursIsWrong("it is accepted"),
        (Some(_), None, _) => return Verdict::OursIsWrong("it is refused"),
        (None, None, None) => return Verdict::BothRefuse,
        (None, None, Some(_)) => return Verdict::Differs(Kind::Accepts),
        (Some(truth), Some(_), _) => truth,
    };
    match point.ours.map(|ours| truth.side(ours)) {
        Some(Side::Least) => {}
        Some(Side::Above) => return Verdict::OursIsWrong("a smaller float is a bound as well"),
        _ => return Verdict::OursIsWrong("it is no bound"),
    }
    let Some(theirs) = point.theirs else {
        return Verdict::Differs(Kind::Refuses);
    };
    match truth.side(theirs) {
        Side::Below => Verdict::Differs(Kind::TooLow),
        Side::Least => Verdict::Equal,
        Side::Above if truth.is_nearly(theirs) => Verdict::Rounded,
        Side::Above => Verdict::Differs(Kind::Loose),
    }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::TooLow => "too low",
        Kind::Loose => "loose",
        Kind::Refuses => "refuses",
        Kind::Accepts => "accepts",
    }
}

fn line(kind: &str, point: &Point) -> String {
    let shown = |map: Option<f64>| map.map_or("refused".to_owned(), |map| format!("{map:?}"));
    let truth = point.truth.as_ref().map_or("none".to_owned(), truth::Truth::digits);
    format!("{kind} | {} | {} | {} | {truth}", point.name, shown(point.ours), shown(point.theirs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deniable_audit::exact::fraction;
    use truth::Truth;

    const LN_3: f64 = 1.098_612_288_668_109_8;

    fn point(ours: Option<f64>, theirs: Option<f64>) -> Point {
        let truth = Some(Truth::Logarithm(1, fraction(3, 1)));
        Point { name: "three".to_owned(), truth, ours, theirs }
    }

    fn refused(ours: Option<f64>, theirs: Option<f64>) -> Point {
        Point { truth: None, ..point(ours, theirs) }
    }

    #[test]
    fn a_planted_map_of_ours_is_found() {
        for wrong in [LN_3.next_down(), LN_3.next_up(), f64::INFINITY, 0.0, f64::NAN] {
            assert!(matches!(judge(&point(Some(wrong), Some(LN_3))), Verdict::OursIsWrong(_)));
        }
        assert!(matches!(judge(&point(None, Some(LN_3))), Verdict::OursIsWrong(_)));
        assert!(matches!(judge(&refused(Some(1.0), None)), Verdict::OursIsWrong(_)));
    }

    #[test]
    fn each_kind_of_theirs_is_told() {
        let theirs = |theirs| judge(&point(Some(LN_3), theirs));
        assert_eq!(theirs(Some(LN_3)), Verdict::Equal);
        assert_eq!(theirs(Some(LN_3.next_up())), Verdict::Rounded);
        assert_eq!(theirs(Some(LN_3.next_down())), Verdict::Differs(Kind::TooLow));
        assert_eq!(theirs(Some(1.1)), Verdict::Differs(Kind::Loose));
        assert_eq!(theirs(None), Verdict::Differs(Kind::Refuses));
        assert_eq!(judge(&refused(None, Some(1.0))), Verdict::Differs(Kind::Accepts));
        assert_eq!(judge(&refused(None, None)), Verdict::BothRefuse);
    }

    fn found(reasons: &'static [(Kind, &'static str)]) -> Found {
        let points = vec![point(Some(LN_3), Some(1.1)), point(Some(LN_3), Some(LN_3))];
        let mut found = Found::default();
        found.judge_all(&Group { name: "planted", points, reasons });
        found
    }

    #[test]
    fn a_disagreement_needs_a_reason_and_a_line() {
        assert_eq!(found(&[]).problems.len(), 1);
        let listed = || found(&[(Kind::Loose, "it is planted")]);
        let table = listed().table();
        let problems = |table: &str| {
            let mut found = listed();
            found.check_listed(table);
            found.problems
        };
        assert_eq!(problems(&table), Vec::<String>::new());
        assert_eq!(problems("").len(), 1);
        // One that vanished, and one whose value changed.
        assert_eq!(problems(&format!("{table}loose | gone | 1.0 | 2.0 | 1e0\n")).len(), 1);
        assert_eq!(problems(&table.replace("1.1", "1.2")).len(), 2);
    }
}
