//! Which lines and branches of the core crates no test reaches, and why: what `verify/coverage` measured, against `verify/uncovered.toml`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use serde::Deserialize;

use export::Reached;
use source::Source;

use crate::seal::{files_below, slashed};

mod export;
mod source;

/// The reasons, which people write.
const REASONS: &str = "verify/uncovered.toml";

/// The crates whose lines and branches are reached, or have a reason.
const CRATES: [&str; 3] = ["deniable-num", "deniable-sample", "deniable"];

/// Files that are compiled for other systems than the one whose coverage is measured.
const ELSEWHERE: [&str; 1] = ["crates/deniable-sample/src/backend/no_pages.rs"];

/// `verify coverage REPORT [--files | --list]`, with the report that `verify/coverage` makes.
///
/// # Errors
///
/// Something that is not reached and has no reason, or has one and is reached.
pub fn command(root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (report, files, list) = match arguments[..] {
        [report] => (report, false, false),
        [report, "--files"] => (report, true, false),
        [report, "--list"] => (report, false, true),
        _ => return Err(vec!["usage: coverage REPORT [--files | --list]".into()]),
    };
    let text = |name: &Path| {
        let text = std::fs::read_to_string(name);
        text.map_err(|error| vec![format!("{}: {error}", name.display())])
    };
    let mut reached = export::read(root, &text(Path::new(report))?)
        .map_err(|error| vec![format!("{report}: {error}")])?;
    reached.retain(|file, _| is_source(file));
    for name in CRATES {
        let folder = format!("crates/{name}/src/");
        if !reached.keys().any(|file| file.starts_with(&folder)) {
            return Err(vec![format!("{report}: nothing of {name} is in it")]);
        }
        // A file with code that no test was linked with would not be missed.
        let files = files_below(root, Path::new(&folder)).map_err(|error| vec![error])?;
        for file in files.iter().map(|file| slashed(file)).filter(|file| is_source(file)) {
            let is_left_out = || ELSEWHERE.contains(&file.as_str());
            if !reached.contains_key(&file) && !is_left_out() && has_code(&text(&root.join(&file))?)
            {
                return Err(vec![format!("{report}: nothing of {file} is in it")]);
            }
        }
    }
    let reasons = parse(&text(&root.join(REASONS))?)?;
    let mut gaps = Vec::new();
    for (file, reached) in &mut reached {
        let source = Source::parse(&text(&root.join(file))?)
            .map_err(|error| vec![format!("{file}: {error}")])?;
        leave_out_tests(reached, &source);
        gaps.extend(gaps_of(file, reached, &source));
    }
    if list {
        print!("{}", entries(&unexplained(&gaps, &reasons)));
        return Ok(ExitCode::SUCCESS);
    }
    print!("{}", table(&reached, files));
    let findings = findings(&gaps, &reasons);
    if !findings.is_empty() {
        return Err(findings);
    }
    println!("{}", summary(&reached, &gaps, &reasons));
    Ok(ExitCode::SUCCESS)
}

/// Something that no test reaches. Its key is the text and where that is, and not a number, which every change would change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Gap {
    file: String,
    function: String,
    kind: Kind,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Line,
    NeverTrue,
    NeverFalse,
}

/// A part of a function that no test reaches, and why.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    file: String,
    function: String,
    /// Lines, as they are written, without the space around them.
    #[serde(default)]
    lines: Vec<String>,
    /// Conditions, as they are written.
    #[serde(default)]
    never_true: Vec<String>,
    #[serde(default)]
    never_false: Vec<String>,
    reason: String,
    /// Whether it is reached now and then, if random words have it so. Then it may be, and counts as not reached all the same.
    #[serde(default)]
    by_chance: bool,
}

impl Reason {
    fn gaps(&self) -> impl Iterator<Item = Gap> {
        let kinds = [
            (Kind::Line, &self.lines),
            (Kind::NeverTrue, &self.never_true),
            (Kind::NeverFalse, &self.never_false),
        ];
        kinds.into_iter().flat_map(move |(kind, texts)| {
            texts.iter().map(move |text| Gap {
                file: self.file.clone(),
                function: self.function.clone(),
                kind,
                text: text.clone(),
            })
        })
    }
}

fn parse(text: &str) -> Result<Vec<Reason>, Vec<String>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct List {
        #[serde(default)]
        uncovered: Vec<Reason>,
    }
    let list: List = toml::from_str(text).map_err(|error| vec![format!("{REASONS}: {error}")])?;
    let empty = |reason: &&Reason| reason.reason.trim().is_empty() || reason.gaps().count() == 0;
    match list.uncovered.iter().find(empty) {
        Some(Reason { file, function, .. }) => {
            Err(vec![format!("{REASONS}: {file}, {function}: a reason and what it is for")])
        }
        None => Ok(list.uncovered),
    }
}

/// Whether a file is a core crate's, and no file of tests.
fn is_source(file: &str) -> bool {
    let mut parts = file.split('/');
    let is_core = parts.next() == Some("crates")
        && parts.next().is_some_and(|name| CRATES.contains(&name))
        && parts.next() == Some("src");
    is_core && parts.all(|part| part != "tests" && part != "tests.rs")
}

/// Whether there is a function in a file.
fn has_code(text: &str) -> bool {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(str::split_whitespace).any(|word| word == "fn")
}

fn leave_out_tests(reached: &mut Reached, source: &Source) {
    reached.lines.retain(|line, _| !source.is_test(*line));
    reached.functions.retain(|(line, _), _| !source.is_test(*line));
    reached.regions.retain(|(line, ..), _| !source.is_test(*line));
    reached.branches.retain(|(line, ..), _| !source.is_test(*line));
    // A line of brackets has no code of its own.
    reached.lines.retain(|line, _| source.line(*line).contains(char::is_alphanumeric));
}

/// Lines that are not reached, and sides of branches on lines that are.
fn gaps_of(file: &str, reached: &Reached, source: &Source) -> Vec<Gap> {
    let gap = |line: usize, kind: Kind, text: String| {
        let function = source.function(line).to_owned();
        Gap { file: file.to_owned(), function, kind, text }
    };
    let missed = |line: &usize| reached.lines.get(line) == Some(&false);
    let mut gaps: Vec<Gap> = reached
        .lines
        .keys()
        .filter(|line| missed(line))
        .map(|&line| gap(line, Kind::Line, source.line(line).to_owned()))
        .collect();
    for (&span, &(is_true, is_false)) in &reached.branches {
        if (is_true || is_false) || !missed(&span.0) {
            let sides = [(is_true, Kind::NeverTrue), (is_false, Kind::NeverFalse)];
            let never = sides.into_iter().filter(|(seen, _)| !seen);
            gaps.extend(never.map(|(_, kind)| gap(span.0, kind, source.text(span))));
        }
    }
    gaps
}

/// What the code has more often than the reasons have it.
fn unexplained(gaps: &[Gap], reasons: &[Reason]) -> Vec<Gap> {
    let mut left: Vec<Gap> = reasons.iter().flat_map(Reason::gaps).collect();
    let is_new = |gap: &&Gap| match left.iter().position(|explained| explained == *gap) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    };
    gaps.iter().filter(is_new).cloned().collect()
}

fn findings(gaps: &[Gap], reasons: &[Reason]) -> Vec<String> {
    let say = |gap: &Gap, what: &str| {
        let Gap { file, function, kind, text } = gap;
        let kind = match kind {
            Kind::Line => "line",
            Kind::NeverTrue => "never true",
            Kind::NeverFalse => "never false",
        };
        format!("{file}, {function}, {kind}: {text}: {what}")
    };
    let new = unexplained(gaps, reasons);
    let mut findings: Vec<_> =
        new.iter().map(|gap| say(gap, "no test reaches it, and there is no reason")).collect();
    let mut left = gaps.to_vec();
    for reason in reasons {
        for explained in reason.gaps() {
            match left.iter().position(|gap| *gap == explained) {
                Some(at) => drop(left.swap_remove(at)),
                None if reason.by_chance => {}
                None => findings.push(say(&explained, "there is a reason, and a test reaches it")),
            }
        }
    }
    findings
}

/// Entries for the file of reasons, without the reasons.
fn entries(gaps: &[Gap]) -> String {
    let mut of_functions: BTreeMap<(&str, &str), [Vec<&str>; 3]> = BTreeMap::new();
    for gap in gaps {
        let texts = of_functions.entry((&gap.file, &gap.function)).or_default();
        texts[gap.kind as usize].push(&gap.text);
    }
    let mut entries = String::new();
    let mut add = |text: &str| entries.push_str(text);
    for ((file, function), texts) in of_functions {
        add(&format!("[[uncovered]]\nfile = {file:?}\nfunction = {function:?}\n"));
        for (key, texts) in ["lines", "never_true", "never_false"].iter().zip(texts) {
            match texts[..] {
                [] => {}
                [text] => add(&format!("{key} = [{}]\n", quoted(text))),
                _ => {
                    add(&format!("{key} = [\n"));
                    texts.iter().for_each(|text| add(&format!("    {},\n", quoted(text))));
                    add("]\n");
                }
            }
        }
        add("reason = \"\"\n\n");
    }
    entries
}

/// A text of TOML, as it is if it can be.
fn quoted(text: &str) -> String {
    if text.contains('\'') { toml::Value::from(text).to_string() } else { format!("'{text}'") }
}

/// How many there are, and how many of them are reached.
#[derive(Clone, Copy, Default)]
struct Share {
    all: usize,
    reached: usize,
}

impl Share {
    fn add(&mut self, reached: impl Iterator<Item = bool>) {
        for reached in reached {
            self.all += 1;
            self.reached += usize::from(reached);
        }
    }

    /// In tenths of a per cent, rounded down, so that 100 is all.
    fn percent(self) -> String {
        let thousandths = 1000 * self.reached / self.all.max(1);
        if self.all == 0 {
            "–".into()
        } else {
            format!("{}.{}", thousandths / 10, thousandths % 10)
        }
    }
}

/// Lines, functions, regions, sides of branches.
fn shares<'a>(files: impl Iterator<Item = &'a Reached>) -> [Share; 4] {
    let mut shares = [Share::default(); 4];
    for reached in files {
        shares[0].add(reached.lines.values().copied());
        shares[1].add(reached.functions.values().copied());
        shares[2].add(reached.regions.values().copied());
        shares[3].add(reached.branches.values().flat_map(|sides| [sides.0, sides.1]));
    }
    shares
}

fn table(reached: &BTreeMap<String, Reached>, files: bool) -> String {
    let mut table =
        String::from("| | lines | functions | regions | branches |\n|---|---|---|---|---|\n");
    let mut row = |name: &str, shares: [Share; 4]| {
        let cells = shares.map(|s| format!("{} % of {}", s.percent(), s.all)).join(" | ");
        writeln!(table, "| {name} | {cells} |").expect("a text takes all there is");
    };
    for name in CRATES {
        let folder = format!("crates/{name}/src/");
        let of_crate = || reached.iter().filter(|(file, _)| file.starts_with(&folder));
        row(name, shares(of_crate().map(|(_, reached)| reached)));
        for (file, reached) in of_crate().filter(|_| files) {
            row(&file[folder.len()..], shares([reached].into_iter()));
        }
    }
    table
}

/// The same for every run: what chance decides counts as not reached.
fn summary(reached: &BTreeMap<String, Reached>, gaps: &[Gap], reasons: &[Reason]) -> String {
    let [mut lines, _, _, mut branches] = shares(reached.values());
    let by_chance = reasons.iter().filter(|reason| reason.by_chance).flat_map(Reason::gaps);
    for gap in by_chance.filter(|gap| !gaps.contains(gap)) {
        let share = if gap.kind == Kind::Line { &mut lines } else { &mut branches };
        share.reached -= 1;
    }
    format!(
        "result: {} % of lines and {} % of branches of {}; the {} other lines and {} other sides of branches are explained",
        lines.percent(),
        branches.percent(),
        CRATES.join(", "),
        lines.all - lines.reached,
        branches.all - branches.reached,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "\
fn halve(x: u32) -> u32 {
    if x == 0 {
        return 0;
    }
    x / 2
}
#[cfg(test)]
mod tests {
    fn unused() {}
}
";

    const WHY: &str = r#"
[[uncovered]]
file = "a.rs"
function = "halve"
lines = ["return 0;"]
never_true = ["x == 0"]
reason = "Nobody halves nothing."
"#;

    /// As if `halve` had been called with other numbers than 0 alone.
    fn reached() -> Reached {
        Reached {
            lines: BTreeMap::from([
                (1, true),
                (2, true),
                (3, false),
                (4, false),
                (5, true),
                (9, false),
            ]),
            functions: BTreeMap::from([((1, 1), true), ((9, 5), false)]),
            regions: BTreeMap::new(),
            branches: BTreeMap::from([((2, 8, 2, 14), (false, true))]),
        }
    }

    fn gaps() -> Vec<Gap> {
        let (mut reached, source) = (reached(), Source::parse(CODE).unwrap());
        leave_out_tests(&mut reached, &source);
        assert_eq!(reached.lines.len(), 4);
        assert_eq!(reached.functions.len(), 1);
        gaps_of("a.rs", &reached, &source)
    }

    #[test]
    fn what_has_a_reason_is_no_finding() {
        let gaps = gaps();
        assert_eq!(gaps.len(), 2);
        assert_eq!((gaps[0].kind, gaps[0].text.as_str()), (Kind::Line, "return 0;"));
        assert_eq!((gaps[1].kind, gaps[1].text.as_str()), (Kind::NeverTrue, "x == 0"));
        assert_eq!(findings(&gaps, &parse(WHY).unwrap()), [""; 0]);
    }

    #[test]
    fn what_has_none_is_found() {
        for removed in ["lines = [\"return 0;\"]\n", "never_true = [\"x == 0\"]\n"] {
            let less = parse(&WHY.replace(removed, "")).unwrap();
            let found = findings(&gaps(), &less);
            assert!(found.len() == 1 && found[0].contains("no test reaches it"), "{found:?}");
        }
        // One reason is for one line, and not for another that looks like it.
        let twice: Vec<Gap> = gaps().into_iter().chain(gaps()).collect();
        assert_eq!(findings(&twice, &parse(WHY).unwrap()).len(), 2);
    }

    #[test]
    fn a_stale_reason_is_found() {
        let reasons = parse(WHY).unwrap();
        let found = findings(&gaps()[..1], &reasons);
        assert!(found.len() == 1 && found[0].contains("a test reaches it"), "{found:?}");
        assert_eq!(findings(&[], &reasons).len(), 2);
        let by_chance = parse(&format!("{WHY}by_chance = true\n")).unwrap();
        assert_eq!(findings(&[], &by_chance), [""; 0]);
    }

    #[test]
    fn entries_are_what_is_read() {
        let written = entries(&gaps());
        assert!(parse(&written).is_err(), "there is no reason yet");
        let reasons = parse(&written.replace("reason = \"\"", "reason = \"so\"")).unwrap();
        assert_eq!(findings(&gaps(), &reasons), [""; 0]);
        assert_eq!(quoted("'a'"), "\"'a'\"");
    }

    #[test]
    fn files_of_tests_are_left_out() {
        assert!(is_source("crates/deniable/src/bits.rs"));
        for other in [
            "crates/deniable/src/bits/tests.rs",
            "crates/deniable/src/rappor/tests/plan.rs",
            "crates/deniable/tests/domain.rs",
            "crates/deniable-cli/src/main.rs",
            "verify/src/coverage/mod.rs",
        ] {
            assert!(!is_source(other), "{other}");
        }
    }

    #[test]
    fn shares_are_rounded_down() {
        assert_eq!(Share { all: 2001, reached: 2000 }.percent(), "99.9");
        assert_eq!(Share { all: 3, reached: 3 }.percent(), "100.0");
        let files = BTreeMap::from([("crates/deniable/src/a.rs".to_owned(), reached())]);
        assert!(
            table(&files, true)
                .contains("| a.rs | 50.0 % of 6 | 50.0 % of 2 | – % of 0 | 50.0 % of 2 |")
        );
        let said = "result: 50.0 % of lines and 50.0 % of branches of deniable-num, deniable-sample, deniable; \
                    the 3 other lines and 1 other sides of branches are explained";
        assert_eq!(summary(&files, &gaps(), &parse(WHY).unwrap()), said);
        // Reached this time, by chance: it is said as if it were not.
        let mut lucky = reached();
        lucky.lines.insert(3, true);
        let files = BTreeMap::from([("crates/deniable/src/a.rs".to_owned(), lucky)]);
        let by_chance = parse(&format!("{WHY}by_chance = true\n")).unwrap();
        assert_eq!(summary(&files, &gaps()[1..], &by_chance), said);
    }
}
