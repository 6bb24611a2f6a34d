//! The files of a part.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::parts::Part;
use super::read;
use crate::seal::{files_below, hex, slashed};

/// Files, and hashes of what they say.
pub(super) type Sources = BTreeMap<String, String>;

/// The files of a part, without their tests, which may change. (Lines count: mutants are named by them.)
pub(super) fn sources(root: &Path, part: &Part) -> Result<Sources, Vec<String>> {
    let mut sources = Sources::new();
    for file in rust_files(root, part.package)? {
        if part.files.iter().any(|pattern| matches(pattern, &file)) && !is_of_tests(&file) {
            let file = format!("crates/{}/src/{file}", part.package);
            let text = read(root, &file)?;
            sources.insert(file, digest(without_tests(&text)));
        }
    }
    Ok(sources)
}

/// What stands before tests at the end.
fn without_tests(text: &str) -> &str {
    match text.rsplit_once("\n#[cfg(test)]\n") {
        // One module, and nothing behind it: its end is the only closing brace at the beginning of a line.
        Some((code, tests)) if !tests.trim_end().trim_end_matches("\n}").contains("\n}") => code,
        _ => text,
    }
}

pub(super) fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Tests have files and folders of their own.
pub(super) fn is_of_tests(file: &str) -> bool {
    file.ends_with("tests.rs") || file.split('/').any(|folder| folder == "tests")
}

/// All files of Rust of a package, by their paths in its sources.
pub(super) fn rust_files(root: &Path, package: &str) -> Result<Vec<String>, Vec<String>> {
    let folder = Path::new("crates").join(package).join("src");
    let files = files_below(root, &folder).map_err(|error| vec![error])?;
    let within = files.iter().filter_map(|file| file.strip_prefix(&folder).ok()).map(slashed);
    Ok(within.filter(|file| file.ends_with(".rs")).collect())
}

/// Whether a path is one of those that a pattern means, where a `*` stands for any letters but a `/`.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == path,
        Some((before, after)) => path.strip_prefix(before).is_some_and(|rest| {
            let within = rest.find('/').unwrap_or(rest.len());
            (0..=within).any(|end| rest.is_char_boundary(end) && matches(after, &rest[end..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stay_in_their_folder() {
        assert!(matches("bernoulli_*/*.rs", "bernoulli_exp/mod.rs"));
        assert!(matches("word.rs", "word.rs"));
        assert!(!matches("mechanism/*.rs", "mechanism/rows/mod.rs"));
        assert!(!matches("word.rs", "words.rs"));
        assert!(!matches("bernoulli_*/*.rs", "expansion.rs"));
    }

    #[test]
    fn tests_at_the_end_are_no_source() {
        let code = "fn a() {\n}\n";
        let tests = "#[cfg(test)]\nmod tests {\n    fn b() {\n    }\n}\n";
        assert_eq!(without_tests(&format!("{code}\n{tests}")), code);
        assert_eq!(without_tests(&format!("{code}\n#[cfg(test)]\nmod tests;\n")), code);
        let behind = format!("{code}\n{tests}\n{code}");
        assert_eq!(without_tests(&behind), behind);
        assert_eq!(without_tests(code), code);
    }
}
