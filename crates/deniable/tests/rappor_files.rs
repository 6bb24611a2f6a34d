//! Files of the reference implementation go in and come out as they were.
#![cfg(feature = "rappor")]

use std::io::{self, Read};

use deniable::ErrorKind;
use deniable::rappor::files::{ResultRow, read_results, write_results};
use deniable::rappor::{CandidateMap, CohortCounts, Params};

const CASES: [&str; 4] =
    ["demo3-fast", "r-exp-small-typical", "r-unif-small-typical", "r-zipf1.5-small-over_x10"];

fn file(case: &str, kind: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/rappor");
    std::fs::read_to_string(format!("{folder}/{case}_{kind}.csv")).unwrap()
}

fn params(case: &str) -> Params {
    Params::read_csv(file(case, "params").as_bytes()).unwrap()
}

/// What `write` writes.
fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn parameters() {
    for case in CASES {
        assert_eq!(written(|to| params(case).write_csv(to)), file(case, "params"));
    }
    assert_eq!(params(CASES[0]), Params::new(32, 1, 64, 0.25, 0.75, 0.5).unwrap());
    assert_eq!(params(CASES[3]), Params::new(8, 2, 128, 0.39, 0.61, 0.45).unwrap());
    for params in [
        Params::new(65_536, 64, 256, 1e-300, 5e-324, 0.1 + 0.2),
        Params::new(1, 1, 1, 0.0, 1.0, 0.0),
    ] {
        let params = params.unwrap();
        let text = written(|to| params.write_csv(to));
        assert!(text.len() < 100, "{text}");
        assert_eq!(Params::read_csv(text.as_bytes()).unwrap(), params);
    }
    // As other programs may write them.
    let spaced = "\"k\",\"h\", m,p,q,f\r\n\r\n 8 ,\"2\",128, 3.9e-1,+.61,0.45\r\n";
    assert_eq!(Params::read_csv(spaced.as_bytes()).unwrap(), params(CASES[3]));
    let marked = format!("\u{feff}{}", file(CASES[3], "params").trim_end());
    assert_eq!(Params::read_csv(marked.as_bytes()).unwrap(), params(CASES[3]));
}

#[test]
fn counts() {
    for case in CASES {
        let (params, text) = (params(case), file(case, "counts"));
        let counts = CohortCounts::read_csv(text.as_bytes(), &params).unwrap();
        assert!(counts.fits(&params));
        assert_eq!(counts.reports(), 1_000_000);
        assert_eq!(written(|to| counts.write_csv(to)), text);
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(CohortCounts::read_csv(crlf.as_bytes(), &params).unwrap(), counts);
    }
    let text = file(CASES[0], "counts");
    let counts = CohortCounts::read_csv(text.as_bytes(), &params(CASES[0])).unwrap();
    let first = &counts.cohorts()[0];
    assert_eq!((first.reports(), &first.ones()[..3]), (15_629, &[6078, 5754, 6046][..]));
}

#[test]
fn candidates() {
    for case in [CASES[0], CASES[2]] {
        let (params, text) = (params(case), file(case, "map"));
        let map = CandidateMap::read_csv(text.as_bytes(), &params).unwrap();
        assert_eq!(written(|to| map.write_csv(to)), text);
        // The bits are those of its hash functions, and by our own they are others.
        let names: Vec<&str> = map.names().collect();
        assert_eq!(CandidateMap::of_reference(&params, names.clone()).unwrap(), map);
        assert_ne!(CandidateMap::new(&params, names).unwrap(), map);
        let plain = text.replace("\r\n", "\n");
        assert_eq!(CandidateMap::read_csv(plain.as_bytes(), &params).unwrap(), map);
    }
    let map = file(CASES[2], "map");
    let map = CandidateMap::read_csv(map.as_bytes(), &params(CASES[2])).unwrap();
    assert_eq!((map.len(), map.name(0), map.bits(0, 4)), (110, Some("v1"), Some(&[7, 7][..])));
    assert!(map.rows_of(0).take(9).eq([0, 2, 11, 14, 18, 20, 27, 31, 39]));
}

#[test]
fn candidates_with_all_kinds_of_names() {
    let params = Params::new(300, 3, 7, 0.25, 0.75, 0.5).unwrap();
    let names = [
        "\u{feff}",
        "",
        " a ",
        "a,b",
        "say \"a\"",
        "two\nlines",
        "two\r\nlines",
        "ünï",
        "#",
        "NA",
        "1",
    ];
    let map = CandidateMap::new(&params, names).unwrap();
    let text = written(|to| map.write_csv(to));
    assert!(text.contains("\n\"say \"\"a\"\"\",") && text.contains("\n a ,"));
    assert_eq!(CandidateMap::read_csv(text.as_bytes(), &params).unwrap(), map);
    let none = CandidateMap::read_csv("".as_bytes(), &params).unwrap();
    assert_eq!((none.len(), written(|to| none.write_csv(to))), (0, String::new()));
}

#[test]
fn results() {
    for case in CASES {
        let text = file(case, "R_results");
        let results = read_results(text.as_bytes()).unwrap();
        assert_eq!(written(|to| write_results(&results, to)), text);
    }
    let results = read_results(file(CASES[0], "R_results").as_bytes()).unwrap();
    let first = ResultRow {
        string: "v1".to_owned(),
        estimate: 49_311.0,
        std_error: 1691.0,
        proportion: 0.049_311,
        prop_std_error: 0.001_691,
        prop_low_95: 0.045_996_64,
        prop_high_95: 0.052_625_36,
    };
    assert_eq!((results.len(), &results[0]), (62, &first));
    let strange = ResultRow {
        string: "say \"a\",\nb".to_owned(),
        std_error: f64::NAN,
        prop_low_95: f64::NEG_INFINITY,
        prop_high_95: f64::INFINITY,
        ..first
    };
    let text = written(|to| write_results(std::slice::from_ref(&strange), to));
    let end = "\"say \"\"a\"\",\nb\",49311,NA,0.049311,0.001691,-Inf,Inf\n";
    assert!(text.ends_with(end), "{text}");
    let back = read_results(text.as_bytes()).unwrap().remove(0);
    assert!(back.std_error.is_nan());
    assert_eq!(ResultRow { std_error: 0.0, ..back }, ResultRow { std_error: 0.0, ..strange });
}

/// What is refused, and how it is told.
fn refused<T>(result: deniable::Result<T>, file: &str, problem: &str, accepted: &str) {
    let Err(error) = result else { panic!("{problem} was accepted") };
    assert_eq!(error.kind(), ErrorKind::InvalidParameter);
    assert_eq!(error.to_string(), format!("invalid {file}: {problem}; accepted is {accepted}"));
}

#[test]
fn parameters_that_are_none() {
    let names = "the names k,h,m,p,q,f";
    let good = "k,h,m,p,q,f\n8,2,128,0.39,0.61,0.45\n";
    for (text, problem, accepted) in [
        ("", "it ends after line 0", names),
        ("k,h,m,p,q,f", "it ends after line 1", "a line of numbers"),
        ("k,h,m,p,q\n8,2,128,0.39,0.61\n", "line 1, column 6 is another name", names),
        ("k,h,m,q,p,f\n8,2,128,0.39,0.61,0.45\n", "line 1, column 4 is another name", names),
        ("k,h,m,p,q,f,g\n8,2,128,0.39,0.61,0.45\n", "line 1 has 7 columns", "6 columns"),
        ("k,h,m,p,q,f\n\n8,2,128,0.39,0.61\n", "line 3 has 5 columns", "6 columns"),
        (
            "k,h,m,p,q,f\n8,-2,128,0.39,0.61,0.45\n",
            "line 2, column 2 is no whole number",
            "the parameter h",
        ),
        ("k,h,m,p,q,f\n8,2,128,0.39,,0.45\n", "line 2, column 5 is no number", "the parameter q"),
        (
            "k,h,m,p,q,f\n8,2,128,0.39,nan,0.45\n",
            "line 2, column 5 is no number",
            "the parameter q",
        ),
        (
            "k,h,m,p,q,f\n8,2,128,0.39,inf,0.45\n",
            "line 2, column 5 is no number",
            "the parameter q",
        ),
    ] {
        refused(Params::read_csv(text.as_bytes()), "params", problem, accepted);
    }
    let error = Params::read_csv(good.replace("\n8,", "\n0,").as_bytes()).unwrap_err();
    assert_eq!(error.parameter(), Some("k"));
    let longer = format!("{good}8,2,128,0.39,0.61,0.45\n");
    let end = "a file that ends before it";
    refused(Params::read_csv(longer.as_bytes()), "params", "line 3 is one too many", end);
}

#[test]
fn counts_that_are_none() {
    let params = Params::new(2, 1, 2, 0.25, 0.75, 0.5).unwrap();
    let ones = "a number of ones";
    for (text, problem, accepted) in [
        ("5,1,2\n", "it ends after line 1", "2 lines, one for each cohort"),
        ("5,1,2\n6,1\n", "line 2 has 2 columns", "3 columns"),
        ("5,1,2\n6,1,0,0\n", "line 2 has 4 columns", "3 columns"),
        ("5,1,2\n6,1,0\n7,0,0\n", "line 3 is one too many", "a file that ends before it"),
        ("5,1,2\n6,1.5,0\n", "line 2, column 2 is no whole number", ones),
        ("5,1,2\n6,sesame,0\n", "line 2, column 2 is no whole number", ones),
        ("5,1,2\n6,-1,0\n", "line 2, column 2 is no whole number", ones),
        ("5,1,2\n6,,0\n", "line 2, column 2 is no whole number", ones),
        ("5,1,2\n6,1,99999999999999999999\n", "line 2, column 3 is no whole number", ones),
        ("-5,1,2\n6,1,0\n", "line 1, column 1 is no whole number", "a number of reports"),
        (
            "9223372036854775809,1,2\n6,1,0\n",
            "line 1, column 1 is too large",
            "a number of reports, up to 2^63",
        ),
        (
            "5,1,6\n6,1,0\n",
            "line 1, column 3 is too large",
            "a number of ones, up to that of the reports in column 1",
        ),
    ] {
        refused(CohortCounts::read_csv(text.as_bytes(), &params), "counts", problem, accepted);
    }
    let most = "9223372036854775808,1,2\n1,1,0\n";
    let error = CohortCounts::read_csv(most.as_bytes(), &params).unwrap_err();
    assert!(error.to_string().contains("too many reports"), "{error}");
}

#[test]
fn candidates_that_are_none() {
    let params = Params::new(4, 1, 2, 0.25, 0.75, 0.5).unwrap();
    for (text, problem, accepted) in [
        ("a,1\n", "line 1 has 2 columns", "3 columns"),
        ("a,1,5\nb,2,6,7\n", "line 2 has 4 columns", "3 columns"),
        (
            "a,1,5\nb,0,5\n",
            "line 2, column 2 is no bit of its cohort",
            "the number of a bit from 1 to 4",
        ),
        (
            "a,1,5\nb,5,1\n",
            "line 2, column 2 is no bit of its cohort",
            "the number of a bit from 1 to 4",
        ),
        ("a,1,4\n", "line 1, column 3 is no bit of its cohort", "the number of a bit from 5 to 8"),
        ("a,1,9\n", "line 1, column 3 is no bit of its cohort", "the number of a bit from 5 to 8"),
        ("a,1,NA\n", "line 1, column 3 is no whole number", "the number of a bit"),
        ("\"a\nb\",1,5\nc,x,6\n", "line 3, column 2 is no whole number", "the number of a bit"),
        ("a,1,5\r\n\r\nc,x,6\r\n", "line 3, column 2 is no whole number", "the number of a bit"),
        ("a,1,5\nb,1,5\na,1,5\n", "line 3, column 1 is there already", "distinct candidates"),
    ] {
        refused(CandidateMap::read_csv(text.as_bytes(), &params), "map", problem, accepted);
    }
    let quotes = "a field without quotes, or with quotes around it and each within it twice";
    for (text, problem) in [
        ("a,1,5\r\n\"b,1,5\r\n", "line 2, column 1 is not quoted as it should be"),
        ("a,1,5\n\"b\"c,1,5\n", "line 2, column 1 is not quoted as it should be"),
        ("a,1,5\nb\"c\",1,5\n", "line 2, column 1 is not quoted as it should be"),
        ("a,1,\"5\"5\n", "line 1, column 3 is not quoted as it should be"),
        ("a,1,\"", "line 1, column 3 is not quoted as it should be"),
    ] {
        refused(CandidateMap::read_csv(text.as_bytes(), &params), "map", problem, quotes);
    }
    let bytes = b"a,1,5\n\xff,1,5\n";
    let problem = "line 2, column 1 is not UTF-8";
    refused(CandidateMap::read_csv(&bytes[..], &params), "map", problem, "text in UTF-8");
}

#[test]
fn results_that_are_none() {
    let names = "\"string\",\"estimate\",\"std_error\",\"proportion\",\"prop_std_error\",\"prop_low_95\",\"prop_high_95\"\n";
    assert_eq!(read_results(names.as_bytes()).unwrap(), []);
    for (line, problem, accepted) in [
        ("\"a\",1,2,3,4,5\n", "line 2 has 6 columns", "7 columns"),
        ("\"a\",1,2,3,4,5,sesame\n", "line 2, column 7 is no number", "a number, or NA"),
        ("\"a\",,2,3,4,5,6\n", "line 2, column 2 is no number", "a number, or NA"),
    ] {
        refused(read_results(format!("{names}{line}").as_bytes()), "results", problem, accepted);
    }
    let error = read_results("\"string\"\n".as_bytes()).unwrap_err();
    assert!(error.to_string().starts_with("invalid results: line 1, column 2 is another name;"));
}

/// Fails in the middle.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("sesame"))
    }
}

#[test]
fn a_reader_that_fails() {
    let text = "5,1,2\n".as_bytes();
    let params = Params::new(2, 1, 2, 0.25, 0.75, 0.5).unwrap();
    let result = CohortCounts::read_csv(text.chain(Broken), &params);
    refused(result, "counts", "it could not be read", "a readable file");
}

/// From the files of a collection to a file of results, beside the reference's own.
#[cfg(feature = "rappor-decode")]
#[test]
fn a_collection_is_decoded() {
    use deniable::rappor::decode::decode;

    for case in ["demo3-fast", "r-unif-small-typical"] {
        let params = params(case);
        let counts = CohortCounts::read_csv(file(case, "counts").as_bytes(), &params).unwrap();
        let map = CandidateMap::read_csv(file(case, "map").as_bytes(), &params).unwrap();
        let decoded = decode(&params, &counts, &map).unwrap();
        let rows = ResultRow::of(&decoded, &map).unwrap();
        assert_eq!(rows.len(), decoded.detected(0.05).unwrap().len());
        assert!(rows.is_sorted_by(|a, b| a.proportion >= b.proportion));
        let text = written(|to| write_results(&rows, to));
        let read = read_results(text.as_bytes()).unwrap();
        for (row, read) in rows.iter().zip(&read) {
            assert_eq!(row.string, read.string);
            assert!((row.prop_low_95 - read.prop_low_95).abs() < 1e-12);
            assert!(row.prop_low_95 < row.proportion && row.proportion < row.prop_high_95);
            assert!((row.estimate - 1e6 * row.proportion).abs() < 1e-6);
            assert!((row.std_error - 1e6 * row.prop_std_error).abs() < 1e-6);
        }
        // Where the reference found much, so do we: within what both say of their errors.
        let reference = read_results(file(case, "R_results").as_bytes()).unwrap();
        for large in reference.iter().filter(|row| row.proportion > 0.03) {
            let ours = rows.iter().find(|row| row.string == large.string).unwrap();
            let errors = large.prop_std_error + ours.prop_std_error;
            assert!((large.proportion - ours.proportion).abs() < 4.0 * errors, "{ours:?}");
        }
        let fewer = CandidateMap::new(&params, ["tea"]).unwrap();
        assert!(ResultRow::of(&decoded, &fewer).is_err());
    }
}
