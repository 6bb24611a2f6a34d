//! Queries beside the command on the same files, and a cluster of one executor beside one of two.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::files;

const ROUNDS: usize = 5;

/// The cluster counts the reports so many times: they are linked to under many names.
const TIMES: usize = 10;

/// Prints all of it.
pub(crate) fn print() {
    let folder = files::folder("sql");
    files::write_survey(&folder);
    files::write_answers(&folder.join("answers.parquet"));
    let programs = Programs { command: files::command(), sql: build(), folder: folder.clone() };
    programs.randomize();
    programs.estimate();
    programs.cluster();
    fs::remove_dir_all(&folder).expect("the folder");
}

/// What is compared, and where.
struct Programs {
    command: PathBuf,
    /// The folder of `deniable-sql` and the others.
    sql: PathBuf,
    folder: PathBuf,
}

impl Programs {
    fn randomize(&self) {
        let ours = ["randomize", "survey.toml", "answers.parquet", "-o", "reports.parquet"];
        let query = "SELECT randomize_yes_no(yes, 'yes') AS yes, randomize_choice(choice, 'choice') AS choice, randomize_several(set, 'set') AS set FROM answers";
        let sql = [
            query,
            "--table",
            "answers=answers.parquet",
            "--survey",
            "survey.toml",
            "-o",
            "queried.parquet",
        ];
        self.compare("randomizing", &ours, &sql, &["reports.parquet", "queried.parquet"]);
        // For what follows.
        self.run(&self.command, &ours);
    }

    fn estimate(&self) {
        let ours = ["estimate", "survey.toml", "reports.parquet", "--json"];
        let query = "SELECT estimate_yes_no(yes, 'yes') AS yes, estimate_choice(choice, 'choice') AS choice, estimate_several(set, 'set') AS set FROM reports";
        let sql = [
            query,
            "--table",
            "reports=reports.parquet",
            "--survey",
            "survey.toml",
            "--format",
            "json",
        ];
        self.compare("estimating", &ours, &sql, &[]);
    }

    /// Prints what a query takes, as a multiple of what the command does.
    fn compare(&self, what: &str, ours: &[&str], sql: &[&str], made: &[&str]) {
        let mut ratios = Vec::new();
        for _ in 0..ROUNDS {
            let command = self.run(&self.command, ours);
            let query = self.run(&self.sql.join("deniable-sql"), sql);
            println!(
                "{what} {} rows of Parquet: the command {command:.2} s, SQL {query:.2} s",
                files::ROWS
            );
            ratios.push(query / command);
            for name in made {
                fs::remove_file(self.folder.join(name)).expect("a file that was written");
            }
        }
        println!(
            "{what}: SQL takes {:.2} of the command's time (median; wanted 1.5)",
            files::median(&mut ratios)
        );
    }

    fn run(&self, program: &Path, arguments: &[&str]) -> f64 {
        let start = Instant::now();
        let mut command = Command::new(program);
        let command = command
            .current_dir(&self.folder)
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        assert!(
            command.status().is_ok_and(|status| status.success()),
            "{} failed",
            program.display()
        );
        start.elapsed().as_secs_f64()
    }

    fn cluster(&self) {
        let bytes = fs::metadata(self.folder.join("reports.parquet")).expect("reports").len();
        println!("a row of reports takes {:.1} bytes", bytes as f64 / files::ROWS as f64);
        for i in 0..TIMES {
            let link = self.folder.join(format!("part-{i}.parquet"));
            fs::hard_link(self.folder.join("reports.parquet"), link).expect("a link");
        }
        let mut ratios = Vec::new();
        for _ in 0..ROUNDS {
            let (one, two) = (self.count(1), self.count(2));
            println!(
                "counting {} rows: one executor {one:.2} s, two {two:.2} s",
                TIMES * files::ROWS
            );
            ratios.push(one / two);
        }
        println!(
            "two executors of one core are {:.2} times one (median; wanted 1.7)",
            files::median(&mut ratios)
        );
    }

    /// The seconds that a cluster takes to count.
    fn count(&self, executors: usize) -> f64 {
        let port = "50950";
        // Each on a processor of its own: a task counts with as many threads as there are processors.
        let start = |processors: &str, name: &str, arguments: &[&str]| {
            let mut command = Command::new("taskset");
            command.args(["-c", processors]).arg(self.sql.join(name));
            let command = command.current_dir(&self.folder).args([
                "--bind-host",
                "127.0.0.1",
                "--external-host",
                "127.0.0.1",
            ]);
            Stopped(
                command
                    .args(arguments)
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .expect("a program"),
            )
        };
        let _scheduler = start("0,1", "deniable-scheduler", &["--bind-port", port]);
        sleep(Duration::from_secs(2));
        let executor = |i: usize| {
            let (port_, grpc, work) = (format!("5096{i}"), format!("5097{i}"), format!("work-{i}"));
            fs::create_dir_all(self.folder.join(&work)).expect("a folder");
            start(
                &i.to_string(),
                "deniable-executor",
                &[
                    "--scheduler-host",
                    "127.0.0.1",
                    "--scheduler-port",
                    port,
                    "--bind-port",
                    &port_,
                    "--bind-grpc-port",
                    &grpc,
                    "--vcores",
                    "1",
                    "--work-dir",
                    &work,
                ],
            )
        };
        let _executors: Vec<Stopped> = (0..executors).map(executor).collect();
        sleep(Duration::from_secs(3));
        let cluster = format!("127.0.0.1:{port}");
        let arguments =
            ["--survey", "survey.toml", "--count", "part-*.parquet", "--cluster", &cluster];
        self.run(&self.sql.join("deniable-sql"), &arguments)
    }
}

/// A program that ends with this.
struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The programs of `deniable-sql`, built as they ship.
fn build() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/deniable-sql");
    let build = ["build", "--release", "--manifest-path"];
    let status = Command::new("cargo").args(build).arg(root.join("Cargo.toml")).status();
    assert!(status.is_ok_and(|status| status.success()), "deniable-sql cannot be built");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    target.join("release")
}
