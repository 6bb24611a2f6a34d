//! What `llvm-cov export` says, taken together over all instances of generic code.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

/// Where something starts and ends: line and column, from 1, and the column after the last.
pub(super) type Span = (usize, usize, usize, usize);

/// What was reached of a file. Its code may have been compiled many times: what one instance reaches is reached.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Reached {
    pub(super) lines: BTreeMap<usize, bool>,
    pub(super) functions: BTreeMap<(usize, usize), bool>,
    pub(super) regions: BTreeMap<Span, bool>,
    /// Whether a condition was ever true, and whether it was ever false.
    pub(super) branches: BTreeMap<Span, (bool, bool)>,
}

/// Reads a report. Files outside of `root` are left out, others are named from there.
pub(super) fn read(root: &Path, report: &str) -> Result<BTreeMap<String, Reached>, String> {
    let export: Export = serde_json::from_str(report).map_err(|error| error.to_string())?;
    let name = |path: &str| Some(Path::new(path).strip_prefix(root).ok()?.to_str()?.to_owned());
    let mut files: BTreeMap<String, Reached> = BTreeMap::new();
    for data in export.data {
        for file in data.files {
            if let Some(name) = name(&file.filename) {
                files.entry(name).or_default().lines = lines(&file.segments);
            }
        }
        for function in data.functions {
            let Some(name) = function.filenames.first().and_then(|path| name(path)) else {
                continue;
            };
            files.entry(name).or_default().add(&function);
        }
    }
    Ok(files)
}

impl Reached {
    fn add(&mut self, function: &Function) {
        let mut regions = function.regions.iter().filter(|region| region.7 == CODE).peekable();
        if let Some(&&(line, column, ..)) = regions.peek() {
            *self.functions.entry((line, column)).or_default() |= function.count > 0;
        }
        for &(a, b, c, d, count, ..) in regions {
            *self.regions.entry((a, b, c, d)).or_default() |= count > 0;
        }
        for &(a, b, c, d, is_true, is_false, ..) in &function.branches {
            let seen = self.branches.entry((a, b, c, d)).or_default();
            *seen = (seen.0 || is_true > 0, seen.1 || is_false > 0);
        }
    }
}

/// Which lines have code, and whether it was reached: the rule by which `llvm-cov` counts them. A line is reached if a region that starts
/// there is, or the one that goes on from the line before.
fn lines(segments: &[Segment]) -> BTreeMap<usize, bool> {
    let mut lines = BTreeMap::new();
    let mut before: Option<&Segment> = None;
    let last = segments.last().map_or(0, |segment| segment.0);
    let mut rest = segments;
    for line in segments.first().map_or(1, |segment| segment.0)..=last {
        let (here, after) = rest.split_at(rest.iter().take_while(|s| s.0 == line).count());
        rest = after;
        let mut starts = here.iter().filter(|s| s.3 && s.4 && !s.5).peekable();
        let skipped = here.first().is_some_and(|s| !s.3 && s.4);
        let goes_on = before.is_some_and(|s| s.3);
        let has_code = !skipped && (goes_on || starts.peek().is_some());
        if has_code || here.iter().any(|s| s.3 && s.4) {
            let reached = before.is_some_and(|s| s.2 > 0) || starts.any(|s| s.2 > 0);
            lines.insert(line, reached);
        }
        before = here.last().or(before);
    }
    lines
}

#[derive(Deserialize)]
struct Export {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    files: Vec<File>,
    functions: Vec<Function>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    segments: Vec<Segment>,
}

#[derive(Deserialize)]
struct Function {
    filenames: Vec<String>,
    count: u64,
    regions: Vec<Region>,
    branches: Vec<Branch>,
}

/// Line, column, count, whether there is a count, whether a region starts here, whether it is what lies between two others.
type Segment = (usize, usize, u64, bool, bool, bool);

/// Span, count, file, expanded file, kind.
type Region = (usize, usize, usize, usize, u64, usize, usize, u8);

/// The kind of region that is code.
const CODE: u8 = 0;

/// Span, how often true, how often false, file, expanded file, kind.
type Branch = (usize, usize, usize, usize, u64, u64, usize, usize, u8);

#[cfg(test)]
mod tests {
    use super::*;

    /// Two instances of a function of five lines: one reaches the inner block, one the end.
    const REPORT: &str = r#"{"data": [{
        "files": [{"filename": "/tree/a.rs", "segments": [
            [1, 1, 2, true, true, false], [2, 8, 2, true, true, false], [2, 14, 0, true, true, true],
            [2, 15, 0, true, true, false], [4, 6, 2, true, false, false], [5, 2, 0, false, false, false]]}],
        "functions": [
            {"filenames": ["/tree/a.rs"], "count": 2, "regions": [[1, 1, 5, 2, 2, 0, 0, 0], [2, 15, 4, 6, 0, 0, 0, 0]],
             "branches": [[2, 8, 2, 14, 0, 2, 0, 0, 4]]},
            {"filenames": ["/tree/a.rs"], "count": 0, "regions": [[1, 1, 5, 2, 0, 0, 0, 0], [2, 15, 4, 6, 0, 0, 0, 0]],
             "branches": [[2, 8, 2, 14, 0, 0, 0, 0, 4]]},
            {"filenames": ["/elsewhere/b.rs"], "count": 1, "regions": [], "branches": []}]}],
        "type": "llvm.coverage.json.export", "version": "3.1.0"}"#;

    #[test]
    fn what_one_instance_reaches_is_reached() {
        let files = read(Path::new("/tree"), REPORT).unwrap();
        assert_eq!(files.len(), 1);
        let reached = &files["a.rs"];
        assert_eq!(
            reached.lines.iter().map(|(line, reached)| (*line, *reached)).collect::<Vec<_>>(),
            [(1, true), (2, true), (3, false), (4, false), (5, true)]
        );
        assert_eq!(reached.functions, BTreeMap::from([((1, 1), true)]));
        assert_eq!(reached.regions.values().copied().collect::<Vec<_>>(), [true, false]);
        assert_eq!(reached.branches, BTreeMap::from([((2, 8, 2, 14), (false, true))]));
        assert!(read(Path::new("/tree"), "{}").is_err());
    }
}
