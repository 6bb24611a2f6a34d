//! One round of commands: all of them but `sql`, whose program is another workspace's. Some are refused.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::backend::usage::wait;

/// A place where commands run, which is as it was after each round.
pub(super) struct Place {
    program: PathBuf,
    folder: PathBuf,
    /// What is there before a round.
    files: BTreeSet<String>,
}

/// What is expected: the command's end, and its words.
struct Step(End, &'static [&'static str]);

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Well,
    Refused,
}

const SURVEY: &str = r#"version = 1
public = ["region"]

[[question]]
name = "moved"
kind = "yes-no"
epsilon = 2.0

[[question]]
name = "transport"
kind = "choice"
choices = ["car", "bus", "bike"]
epsilon = 3.0

[[question]]
name = "pets"
kind = "several"
choices = ["cat", "dog", "fish"]
most = 2
epsilon = 4.0

[[question]]
name = "hours"
kind = "number"
low = 0
high = 24
epsilon = 2.0
"#;

/// Who is asked again says the same.
const MEMO: &str = r#"version = 1
id = "person"

[[question]]
name = "moved"
kind = "yes-no"
epsilon = 2.0
"#;

const STEPS: &[Step] = &[
    Step(End::Well, &["demo", "--respondents", "2000", "--html", "demo.html"]),
    Step(End::Well, &["plan", "survey.toml", "--respondents", "2000"]),
    Step(End::Well, &["randomize", "survey.toml", "answers.csv", "-o", "1.parquet"]),
    Step(End::Well, &["randomize", "survey.toml", "answers.csv", "-o", "2.csv.gz"]),
    Step(End::Well, &["randomize", "survey.toml", "answers.csv", "-o", "3.arrow"]),
    Step(End::Well, &["randomize", "survey.toml", "answers.csv", "-o", "4.jsonl.zst"]),
    Step(End::Refused, &["randomize", "survey.toml", "answers.csv", "-o", "3.arrow"]),
    Step(End::Refused, &["randomize", "survey.toml", "towns.txt", "-o", "5.csv"]),
    Step(End::Well, &["count", "survey.toml", "1.parquet", "-o", "1.counts.json"]),
    Step(End::Well, &["count", "survey.toml", "2.csv.gz", "3.arrow", "-o", "2.counts.json"]),
    Step(
        End::Well,
        &["merge", "survey.toml", "1.counts.json", "2.counts.json", "-o", "all.counts.json"],
    ),
    Step(End::Well, &["estimate", "survey.toml", "all.counts.json", "--html", "report.html"]),
    Step(End::Well, &["estimate", "survey.toml", "4.jsonl.zst", "--by", "region", "--csv"]),
    Step(End::Well, &["ledger", "init", "spent.jsonl", "--budget", "people=2"]),
    Step(
        End::Well,
        &[
            "release",
            "answers.csv",
            "--count-by",
            "region",
            "--keys",
            "towns.txt",
            "--epsilon",
            "0.5",
            "-o",
            "towns.csv",
            "--ledger",
            "spent.jsonl",
            "--data",
            "people",
        ],
    ),
    Step(
        End::Well,
        &[
            "release",
            "numbers.csv",
            "--keep",
            "town",
            "--columns",
            "income",
            "--sensitivity",
            "5000",
            "--epsilon",
            "1",
            "-o",
            "noisy.parquet",
        ],
    ),
    Step(End::Well, &["ledger", "spend", "spent.jsonl", "--data", "people", "--epsilon", "0.5"]),
    Step(End::Refused, &["ledger", "spend", "spent.jsonl", "--data", "people", "--epsilon", "5"]),
    Step(End::Well, &["ledger", "show", "spent.jsonl"]),
    Step(End::Well, &["randomize", "memo.toml", "memo.csv", "-o", "6.csv", "--memo", "key"]),
    Step(End::Well, &["map", "randomized-response", "--categories", "4", "--prob", "0.8"]),
    Step(End::Refused, &["map", "randomized-response", "--categories", "4", "--prob", "8"]),
    Step(End::Well, &["calibrate", "laplace", "--sensitivity", "1", "--epsilon", "0.5"]),
    Step(
        End::Well,
        &["rappor", "encode", "--params", "params.csv", "values.csv", "-o", "reports.csv"],
    ),
    Step(
        End::Well,
        &["rappor", "count", "--params", "params.csv", "reports.csv", "-o", "counts.csv"],
    ),
    Step(End::Well, &["rappor", "map", "--params", "params.csv", "towns.txt", "-o", "map.csv"]),
    Step(
        End::Well,
        &[
            "rappor",
            "decode",
            "--params",
            "params.csv",
            "--counts",
            "counts.csv",
            "--map",
            "map.csv",
        ],
    ),
    Step(End::Well, &["audit", "randomized-response-bool", "--prob", "0.75", "--samples", "10000"]),
    Step(End::Well, &["generate", "man"]),
];

impl Place {
    /// # Errors
    ///
    /// The folder, or what is read there, cannot be written.
    pub(super) fn new(program: PathBuf) -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("deniable-soak-{}", std::process::id()));
        fs::create_dir_all(folder.join("temporary"))?;
        let rows = |row: fn(usize) -> String| (0..2000).map(row).collect::<String>();
        let answers = rows(|row| {
            let region = ["north", "south"][row % 2];
            let transport = ["car", "bus", "bike", "sled"][row % 4];
            format!("{region},{},{transport},cat;dog,{}\n", row % 3 == 0, row % 24)
        });
        let files = [
            ("survey.toml", SURVEY.to_owned()),
            ("memo.toml", MEMO.to_owned()),
            ("memo.csv", format!("person,moved\n{}", rows(|row| format!("p{row},yes\n")))),
            ("answers.csv", format!("region,moved,transport,pets,hours\n{answers}")),
            ("towns.txt", "north\nsouth\n".to_owned()),
            ("numbers.csv", "town,income\nnorth,1000\nsouth,2000\n".to_owned()),
            ("params.csv", "k,h,m,p,q,f\n32,2,4,0.25,0.75,0.3\n".to_owned()),
            ("values.csv", format!("client,value\n{}", rows(|row| format!("c{row},north\n")))),
        ];
        for (name, text) in files {
            fs::write(folder.join(name), text)?;
        }
        let files = listed(&folder)?;
        Ok(Place { program, folder, files })
    }

    /// Runs all commands, and says the most memory that one of them took.
    ///
    /// # Errors
    ///
    /// A command that ends otherwise than it should; files that are left.
    pub(super) fn round(&self) -> Result<u64, String> {
        let mut most = 0;
        for step in STEPS {
            most = most.max(self.run(step)?);
        }
        self.clear().map_err(|error| error.to_string())?;
        Ok(most)
    }

    /// A file that nobody removes.
    pub(super) fn leave_a_file(&self, number: usize) -> io::Result<()> {
        fs::write(self.folder.join("temporary").join(number.to_string()), "left")
    }

    /// Files that were not there at the start.
    pub(super) fn left(&self) -> io::Result<usize> {
        Ok(listed(&self.folder)?.difference(&self.files).count())
    }

    fn run(&self, Step(end, words): &Step) -> Result<u64, String> {
        let child = Command::new(&self.program)
            .args(*words)
            .current_dir(&self.folder)
            .env("TMPDIR", self.folder.join("temporary"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let ended = child.and_then(wait).map_err(|error| error.to_string())?;
        if ended.well == (*end == End::Well) {
            return Ok(ended.peak);
        }
        Err(format!("deniable {}: did not end as it should", words.join(" ")))
    }

    /// Removes what the commands were asked to write, and nothing else.
    fn clear(&self) -> io::Result<()> {
        let asked = STEPS.iter().flat_map(|Step(end, words)| {
            let outputs = words.windows(2).filter(|pair| {
                ["-o", "--output", "--html", "init"].contains(&pair[0]) && *end == End::Well
            });
            outputs.map(|pair| pair[1])
        });
        // What `--memo` makes beside the reports.
        for name in asked.chain(["key", "key.responses"]) {
            let path = self.folder.join(name);
            if path.is_dir() {
                fs::remove_dir_all(path)?;
            } else {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The names of all files, also in folders below.
fn listed(folder: &Path) -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.extend(listed(&entry.path())?);
        }
        names.insert(entry.path().display().to_string());
    }
    Ok(names)
}
