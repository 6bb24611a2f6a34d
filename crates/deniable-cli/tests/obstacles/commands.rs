//! Command lines of all subcommands, and the folder they are run in.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;

use super::run::{Done, run};

/// In answers only.
pub(crate) const CANARY: &str = "CANARY7f3a";

/// A command line. What it writes has names that begin with `out.`, and nothing else has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) line: &'static str,
    /// The file that comes from the standard input.
    pub(crate) stdin: Option<&'static str>,
    /// Whether it cannot do its work without entropy.
    pub(crate) draws: bool,
    /// Whether two runs write the same.
    pub(crate) is_certain: bool,
}

const fn row(line: &'static str) -> Row {
    Row { line, stdin: None, draws: false, is_certain: true }
}

/// A line that draws.
pub(crate) const fn noise(line: &'static str) -> Row {
    Row { draws: true, ..row(line) }
}

impl Row {
    const fn from(self, stdin: &'static str) -> Self {
        Row { stdin: Some(stdin), ..self }
    }

    const fn uncertain(self) -> Self {
        Row { is_certain: false, ..self }
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = &'static str> {
        self.line.split(' ')
    }

    /// The same command with other names for what it writes.
    pub(crate) fn again(&self) -> String {
        self.line.replace(" out.", " again.")
    }

    /// Names of what it writes.
    pub(crate) fn outputs(&self) -> Vec<&'static str> {
        self.words().filter(|word| word.starts_with("out.")).collect()
    }

    /// Whether it says something on the standard output.
    pub(crate) fn prints(&self) -> bool {
        let silent = [
            "randomize",
            "count",
            "merge",
            "ledger init",
            "rappor encode",
            "rappor count",
            "rappor map",
        ];
        let is_silent = silent.iter().any(|start| self.line.starts_with(start));
        self.line.contains(" -o -") || !(is_silent || self.line.contains(" --output out."))
    }

    /// Files it reads that were there before.
    pub(crate) fn inputs(&self) -> Vec<&'static str> {
        let is_input =
            |word: &&str| INPUTS.iter().any(|(name, _)| name == word) || MADE.contains(word);
        // Those of a cluster are read there.
        let is_read = |word: &&str| *word != "reports.parquet" || !self.line.contains("--cluster");
        self.words().filter(is_input).filter(is_read).chain(self.stdin).collect()
    }

    pub(crate) fn pays(&self) -> bool {
        self.line.contains("--ledger") || self.line.starts_with("ledger spend")
    }
}

/// Every subcommand, and of those with files each way to read and to write.
pub(crate) const ROWS: &[Row] = &[
    noise("randomize certain.toml answers.csv -o out.csv"),
    noise("randomize certain.toml answers.csv -o out.parquet"),
    noise("randomize certain.toml answers.csv -o out.arrow --ledger ledger.jsonl --data d"),
    noise("randomize memo.toml answers.csv -o out.csv --memo key"),
    noise("randomize memo.toml answers.csv -o out.csv --memo key --memo-answers --ledger ledger.jsonl --data d"),
    noise("release numbers.csv --columns n --sensitivity 1 --scale 1e-300 -o out.parquet --ledger ledger.jsonl --data d"),
    noise("release numbers.csv --count-by town --keys keys.txt --scale 0.01 -o out.csv --ledger ledger.jsonl --data d"),
    // This takes several writes, and several seeds.
    noise("release many.csv --columns n --sensitivity 1 --scale 1e-300 -o out.csv"),
    row("count certain.toml reports.csv -o out.counts.json"),
    // Those above are the ones that are killed every day; see `kill`.
    noise("randomize certain.toml answers.csv -o out.jsonl.gz"),
    noise("randomize certain.toml answers.csv -o out.csv.zst"),
    noise("randomize certain.toml - --format csv -o - --to csv").from("answers.csv"),
    noise("randomize certain.toml - --format csv -o - --to arrow --ledger ledger.jsonl --data d").from("answers.csv"),
    noise("release - --format csv --columns n --sensitivity 1 --scale 1e-300 -o - --to csv --ledger ledger.jsonl --data d").from("numbers.csv"),
    // Reads twice.
    noise("release numbers.csv --columns n --sensitivity 1 --scale 1e-3 -k 0 -o out.csv"),
    row("count certain.toml - --format csv -o -").from("reports.csv"),
    row("merge certain.toml a.counts.json a.counts.json -o out.counts.json"),
    row("merge certain.toml a.counts.json a.counts.json -o -"),
    row("estimate certain.toml reports.csv --json --html out.html"),
    row("estimate certain.toml a.counts.json reports.parquet"),
    row("estimate certain.toml - --format csv --csv --by region").from("reports.csv"),
    row("estimate certain.toml reports.parquet --json --cluster 127.0.0.1:1"),
    row("plan certain.toml --respondents 100"),
    noise("demo --respondents 500 --html out.html --keep out.kept").uncertain(),
    noise("demo --respondents 500 --json").uncertain(),
    row("rappor map --params params.csv candidates.txt -o out.csv"),
    row("rappor map --params params.csv candidates.txt -o -"),
    noise("rappor encode --params params.csv values.csv -o out.csv --secret-file key"),
    noise("rappor encode --params params.csv - --format csv -o - --to csv").from("values.csv"),
    row("rappor count --params params.csv encoded.csv -o out.csv"),
    row("rappor count --params params.csv encoded.csv -o -"),
    row("rappor decode --params noisy.csv --counts ones.csv --map map.csv -o out.csv --json"),
    row("ledger init out.jsonl --budget d=1"),
    row("ledger spend ledger.jsonl --data d --epsilon 1"),
    row("ledger show ledger.jsonl"),
    row("sql SELECT"),
    row("generate completions bash --output out.folder"),
    row("generate completions zsh"),
    row("generate man --output out.folder"),
    row("generate man"),
    row("map randomized-response-bool --prob 0.75"),
    row("map randomized-response --categories 4 --prob 0.5"),
    row("map unary-encoding --one 0.5 --zero 0.25"),
    row("map subset-selection --categories 4 --size 2 --prob 0.75"),
    row("map local-hashing --buckets 4 --prob 0.5"),
    row("map bitvec --length 8 --max-weight 2 --f 0.5"),
    row("map laplace --sensitivity 1 --scale 1"),
    row("map laplace-integer --sensitivity 1 --scale 1"),
    row("map rappor -f 0.5 --json"),
    row("calibrate randomized-response-bool --epsilon 1"),
    row("calibrate randomized-response --categories 4 --epsilon 1"),
    row("calibrate unary-encoding --epsilon 1"),
    row("calibrate subset-selection --categories 4 --epsilon 1"),
    row("calibrate local-hashing --epsilon 1"),
    row("calibrate bitvec --length 8 --max-weight 2 --epsilon 1"),
    row("calibrate laplace --sensitivity 1 --epsilon 1"),
    row("calibrate laplace-integer --sensitivity 1 --epsilon 1"),
    row("calibrate rappor --epsilon 1 --json"),
    // A certificate has its date in it.
    row("audit randomized-response-bool --prob 0.75 --certificate out.json").uncertain(),
    row("audit randomized-response --categories 4 --prob 0.5"),
    noise("audit unary-encoding --one 0.5 --zero 0.25 --samples 1000").uncertain(),
    noise("audit subset-selection --categories 4 --size 2 --prob 0.75 --samples 1000").uncertain(),
    noise("audit local-hashing --buckets 4 --prob 0.5 --samples 1000").uncertain(),
    noise("audit bitvec --length 4 --max-weight 2 --f 0.5 --samples 1000").uncertain(),
    noise("audit laplace --sensitivity 1 --scale 1 --samples 1000 --certificate out.json").uncertain(),
    noise("audit laplace-integer --sensitivity 1 --scale 1 --samples 1000").uncertain(),
    noise("audit rappor --bits 4 -f 0.5 --samples 1000 --json").uncertain(),
    row("audit files 1.0 left.txt right.txt --buckets a,b --certificate out.json").uncertain(),
];

/// Given files. Those with answers have the canary in them.
pub(crate) const INPUTS: &[(&str, &str)] = &[
    ("certain.toml", include_str!("../certain.toml")),
    ("memo.toml", MEMO),
    ("answers.csv", ANSWERS),
    ("numbers.csv", "town,n,other\nX,10,CANARY7f3a\nY,20,z\nCANARY7f3a,30,z\n"),
    ("keys.txt", "X\nY\n"),
    ("values.csv", "client,cohort,value,other\nann,0,a,CANARY7f3a\nbob,1,CANARY7f3a,x\n"),
    // Without noise: two runs write the same.
    ("params.csv", "k,h,m,p,q,f\n16,2,2,0,1,0\n"),
    ("noisy.csv", "k,h,m,p,q,f\n16,2,2,0.25,0.75,0\n"),
    ("candidates.txt", "a\nb\n"),
    ("left.txt", "a\nb\na\na\nCANARY7f3a\n"),
    ("right.txt", "a\nb\nb\na\nCANARY7f3a\n"),
];

/// A file with answers that few tests need, and make.
pub(crate) const LARGE: &str = "large.csv";

/// Files that other commands made of those.
const MADE: &[&str] = &[
    "many.csv",
    "reports.csv",
    "reports.parquet",
    "a.counts.json",
    "encoded.csv",
    "map.csv",
    "ones.csv",
    "ledger.jsonl",
];

/// Two runs write the same only by the memo, but for once in 10^9.
const MEMO: &str = r#"
version = 1
id = "person"

[[question]]
name = "moved"
kind = "several"
choices = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]
most = 2
epsilon = 0.1
"#;

const ANSWERS: &str = "\
person,region,moved,transport,extra
p1,north,yes,bus,CANARY7f3a
CANARY7f3a,south,no,CANARY7f3a,x
p3,north,CANARY7f3a,car,x
p4,north,no,car,CANARY7f3a
";

/// Stands for the program that `sql` and `--cluster` start.
const SQL: &str = "#!/bin/sh\n[ \"$1\" = --cluster ] && exec cat a.counts.json\necho 1 && exit\n\
    echo 'error: nothing can be said' >&2\nexit 1\n";

/// A program to run, in a folder of its own: beside the one that was built there may be a `deniable-sql`.
pub(crate) static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap().keep();
    install(&folder.join("deniable-sql"), SQL);
    let (own, here) = (env!("CARGO_BIN_EXE_deniable"), folder.join("deniable"));
    if fs::hard_link(own, &here).is_err() {
        std::os::unix::fs::symlink(own, &here).unwrap();
    }
    here
});

/// Puts a script there. Another process does it: one that is started by a thread beside this one would keep the file open, and then it does not start.
pub(crate) fn install(path: &Path, script: &str) {
    let mut draft = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut draft, script.as_bytes()).unwrap();
    let mut install = Command::new("install");
    assert!(install.args(["-m", "755"]).arg(draft.path()).arg(path).status().unwrap().success());
}

/// A folder with the inputs, reports, and a ledger of which nothing is spent.
pub(crate) fn folder() -> TempDir {
    static MODEL: LazyLock<TempDir> = LazyLock::new(|| {
        let model = TempDir::new().unwrap();
        let at = |name: &str| model.path().join(name);
        INPUTS.iter().for_each(|(name, text)| fs::write(at(name), text).unwrap());
        fs::write(at("many.csv"), format!("n\n{}", "1234567\n".repeat(100_000))).unwrap();
        for line in [
            "randomize certain.toml answers.csv -o reports.csv",
            "randomize certain.toml answers.csv -o reports.parquet",
            "count certain.toml reports.csv -o a.counts.json",
            "rappor encode --params params.csv values.csv -o encoded.csv",
            "rappor map --params params.csv candidates.txt -o map.csv",
            "ledger init ledger.jsonl --budget d=1e305",
        ] {
            let done = run(&PROGRAM, model.path(), line, None);
            assert!(done.is_success(), "{line}: {}", done.err());
        }
        let bits = ["450"; 16].join(",");
        fs::write(at("ones.csv"), format!("900,{bits}\n900,{bits}\n")).unwrap();
        model
    });
    let folder = TempDir::new().unwrap();
    for name in names(MODEL.path()) {
        fs::copy(MODEL.path().join(&name), folder.path().join(&name)).unwrap();
    }
    for name in ["out.folder", "again.folder"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    folder
}

/// Names of files and folders, in order.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Names of all files, those in folders included.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let below = |name: String| match folder.join(&name).is_dir() {
        true => files(&folder.join(&name)).iter().map(|below| format!("{name}/{below}")).collect(),
        false => vec![name],
    };
    names(folder).into_iter().flat_map(below).collect()
}

/// Runs a row with nothing in its way.
pub(crate) fn undisturbed(folder: &Path, row: &Row, line: &str) -> Done {
    run(&PROGRAM, folder, line, row.stdin)
}

/// A subcommand for which there is no row, or a row for none: read from what the program says of itself.
#[test]
fn every_subcommand_has_a_row() {
    let leaves = leaves(&[]);
    assert!(leaves.len() >= 40 && leaves.contains("rappor encode"), "{leaves:?}");
    assert_eq!(uncovered(&leaves, ROWS), Vec::<String>::new());
    for row in ROWS {
        let is_of = |leaf: &&String| format!("{} ", row.line).starts_with(&format!("{leaf} "));
        assert_eq!(leaves.iter().filter(is_of).count(), 1, "{}", row.line);
    }
    let (new, none) = (BTreeSet::from(["shuffle".to_owned(), "map".to_owned()]), &ROWS[..1]);
    assert_eq!(uncovered(&new, none), ["map", "shuffle"]);
}

/// Every row works if nothing is in its way, or what follows would show nothing.
#[test]
fn every_row_works() {
    for row in ROWS {
        let folder = folder();
        let done = undisturbed(folder.path(), row, row.line);
        assert!(done.is_success(), "{}: {}", row.line, done.err());
        for output in row.outputs() {
            assert!(folder.path().join(output).exists(), "{}: {output}", row.line);
        }
        assert_eq!(row.prints(), !done.stdout.is_empty(), "{}", row.line);
        println!("command line: {}", row.line);
    }
}

fn uncovered(leaves: &BTreeSet<String>, rows: &[Row]) -> Vec<String> {
    let has_row = |leaf: &&String| {
        rows.iter().any(|row| format!("{} ", row.line).starts_with(&format!("{leaf} ")))
    };
    leaves.iter().filter(|leaf| !has_row(leaf)).cloned().collect()
}

/// The subcommands that have no subcommands, as their help lists them.
fn leaves(words: &[String]) -> BTreeSet<String> {
    // Its help is that of the other program.
    if words == ["sql"] {
        return BTreeSet::from(["sql".to_owned()]);
    }
    let mut command = Command::new(&*PROGRAM);
    let help = command.args(words).arg("--help").output().unwrap().stdout;
    let help = String::from_utf8(help).unwrap();
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = listed.take_while(|line| !line.is_empty()).filter_map(|line| {
        let rest = line.strip_prefix("  ")?;
        (!rest.starts_with(' ')).then(|| rest.split(' ').next().unwrap().to_owned())
    });
    let mut below: Vec<String> = names.filter(|name| name != "help").collect();
    if below.is_empty() {
        return BTreeSet::from([words.join(" ")]);
    }
    let all = below.drain(..).map(|name| [words, &[name]].concat());
    all.flat_map(|words| leaves(&words)).collect()
}
