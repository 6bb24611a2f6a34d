//! `deniable randomize` as a whole: what goes in, what comes out, and what never does.

mod files;
mod leaks;
mod memo;

#[path = "../shared/names.rs"]
mod names;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Nothing that is written or said may have this in it.
const CANARY: &str = "CANARY7f3a";

/// With this budget no answer is ever changed: once in 10^80.
const CERTAIN: &str = concat!(
    include_str!("../certain.toml"),
    r#"
[[question]]
name = "apps"
kind = "several"
choices = ["maps", "mail", "music"]
most = 2
epsilon = 1000
"#
);

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(TempDir::new().unwrap());
        folder.write("survey.toml", CERTAIN);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        names::names_in(self.0.path())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_deniable"));
        command.current_dir(self.0.path()).args(arguments).env("TMPDIR", self.0.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs what must succeed, and say nothing.
    fn randomize(&self, answers: &str, output: &str) {
        let done = self.run(&["randomize", "survey.toml", answers, "-o", output]);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success() && said.is_empty() && done.stdout.is_empty(), "{said}");
    }

    /// Runs what must be refused, with this exit code.
    fn refused(&self, arguments: &[&str], code: i32) -> String {
        let done = self.run(arguments);
        assert_eq!(done.status.code(), Some(code), "{}", String::from_utf8_lossy(&done.stderr));
        assert!(done.stdout.is_empty());
        String::from_utf8(done.stderr).unwrap()
    }

    /// Everything in the folder but the answers themselves.
    fn assert_no_canary(&self, answers: &[&str]) {
        for name in self.names().iter().filter(|name| !answers.contains(&name.as_str())) {
            assert!(!name.contains(CANARY));
            assert!(!holds_canary(&self.read(name)), "{name}");
        }
    }
}

fn holds_canary(bytes: &[u8]) -> bool {
    bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes())
}

const ANSWERS: &str = "\
person,region,moved,transport,apps,extra
p1,north,yes,bus,maps;mail,x
p2,south,NO,horse,,x
p3,north,,car,music;mail;maps,x
";

/// What the answers become when nothing is changed: missing is no, a horse is other, and two ticks count.
const REPORTS: [&str; 3] = ["north,true,bus,03", "south,false,other,00", "north,false,car,03"];

fn csv_rows(bytes: &[u8]) -> (String, Vec<String>) {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let mut lines = text.lines().map(str::to_owned);
    let header = lines.next().unwrap();
    // Without the fingerprint.
    (header, lines.map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect())
}

#[test]
fn answers_become_reports() {
    let folder = Folder::new();
    folder.write("answers.csv", ANSWERS);
    folder.randomize("answers.csv", "reports.csv");
    let (header, rows) = csv_rows(&folder.read("reports.csv"));
    assert_eq!(header, "region,moved,transport,apps,deniable_survey");
    assert_eq!(rows, REPORTS);
    // Only the owner reads it, and nothing else is left.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(folder.path("reports.csv")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_eq!(folder.names(), ["answers.csv", "reports.csv", "survey.toml"]);
}
