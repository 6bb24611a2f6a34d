//! The programs: started, waited for, and killed when a test is over.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Nothing here takes longer, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(600);

/// Two clusters at a time: there are few processors, but some tests wait until silence is noticed.
static TURNS: [Mutex<()>; 2] = [const { Mutex::new(()) }; 2];

/// How many clusters there were.
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// A program that runs, with what it says in a file.
pub(crate) struct Program {
    command: Command,
    child: Child,
    log: PathBuf,
}

impl Program {
    fn start(mut command: Command, log: PathBuf) -> Self {
        command.env_remove("RUST_LOG").stdin(Stdio::null());
        let child = spawn(&mut command, &log);
        Program { command, child, log }
    }

    /// All that it said.
    pub(crate) fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).unwrap()).into_owned()
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// SIGKILL, so that it has no time for anything.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The same, and another with its arguments in its place.
    pub(crate) fn start_again(&mut self) {
        self.kill();
        self.child = spawn(&mut self.command, &self.log);
    }

    /// Its end, which comes by itself.
    pub(crate) fn end(&mut self) -> ExitStatus {
        until("the program ends", || self.child.try_wait().unwrap())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A scheduler and its executors.
pub(crate) struct Cluster {
    pub(crate) executors: Vec<Program>,
    pub(crate) scheduler: Program,
    /// HOST:PORT.
    pub(crate) address: String,
    folder: TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Cluster {
    /// A cluster that is ready, each executor with one task at a time.
    pub(crate) fn start(executors: usize) -> Self {
        let turn = &TURNS[STARTED.fetch_add(1, Ordering::Relaxed) % TURNS.len()];
        let turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        // Another program can take a port before ours does.
        let (scheduler, port) = (0..5).find_map(|_| scheduler(executors, folder.path())).unwrap();
        let executors = (0..executors)
            .map(|i| (0..5).find_map(|_| executor(i, port, folder.path())).unwrap())
            .collect();
        let address = format!("127.0.0.1:{port}");
        until("the executors are known", || is_ready(&address).then_some(()));
        Cluster { executors, scheduler, address, folder, _turn: turn }
    }

    /// Where an executor has its files.
    pub(crate) fn work(&self, executor: usize) -> PathBuf {
        work(self.folder.path(), executor)
    }

    /// The files with partial results, of an executor.
    pub(crate) fn partial(&self, executor: usize) -> Vec<PathBuf> {
        let is_partial = |path: &PathBuf| path.extension().is_some_and(|end| end == "arrow");
        files(&self.work(executor)).into_iter().filter(is_partial).collect()
    }

    /// The command, on this cluster.
    pub(crate) fn sql(&self, arguments: &[&str]) -> Output {
        sql(&[arguments, &["--cluster", &self.address]].concat())
    }

    /// The same, not waited for.
    pub(crate) fn start_sql(&self, arguments: &[&str]) -> Program {
        let command = command(&[arguments, &["--cluster", &self.address]].concat());
        Program::start(command, self.folder.path().join("client.log"))
    }

    /// All that all of them said.
    pub(crate) fn logs(&self) -> String {
        let logs: Vec<_> =
            self.executors.iter().chain([&self.scheduler]).map(Program::log).collect();
        logs.concat()
    }
}

/// The command, in one process.
pub(crate) fn sql(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// What a command that succeeds says.
#[track_caller]
pub(crate) fn said(output: Output) -> String {
    assert!(output.status.success(), "{}", complaint(&output));
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Waits until something is there.
#[track_caller]
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited too long until {what}");
        sleep(Duration::from_millis(20));
    }
}

/// All files and folders in a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    // Files come and go while programs run.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        }
        found.push(path);
    }
    found
}

fn spawn(command: &mut Command, log: &Path) -> Child {
    let file = File::options().create(true).append(true).open(log).unwrap();
    command.stdout(file.try_clone().unwrap()).stderr(file).spawn().unwrap()
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deniable-sql"));
    command.args(arguments);
    command
}

fn work(folder: &Path, executor: usize) -> PathBuf {
    folder.join(format!("executor-{executor}"))
}

/// Ports that nobody uses now.
fn ports<const N: usize>() -> [u16; N] {
    let listeners = [(); N].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}

fn scheduler(executors: usize, folder: &Path) -> Option<(Program, u16)> {
    let [port] = ports();
    let mut command = Command::new(env!("CARGO_BIN_EXE_deniable-scheduler"));
    command.args(["--bind-host", "127.0.0.1", "--external-host", "127.0.0.1"]);
    command.args(["--bind-port", &port.to_string()]);
    command.args(["--min-ready-executors", &executors.to_string()]);
    // An executor that was killed is noticed by its silence: not after minutes, but later than a busy machine is slow.
    command.args([
        "--executor-timeout-seconds",
        "5",
        "--expire-dead-executor-interval-seconds",
        "1",
    ]);
    command.args(["--no-executors-grace-period-seconds", "5"]);
    listening(Program::start(command, folder.join("scheduler.log")), port)
}

fn executor(i: usize, scheduler: u16, folder: &Path) -> Option<Program> {
    let [port, control] = ports();
    fs::create_dir_all(work(folder, i)).unwrap();
    // As if the files of all were for all.
    let mut command = Command::new("sh");
    command.args(["-c", r#"umask 000; exec "$0" "$@""#, env!("CARGO_BIN_EXE_deniable-executor")]);
    command.args(["--bind-host", "127.0.0.1", "--external-host", "127.0.0.1", "--vcores", "1"]);
    command.args(["--scheduler-host", "127.0.0.1", "--scheduler-port", &scheduler.to_string()]);
    command.args(["--bind-port", &port.to_string(), "--bind-grpc-port", &control.to_string()]);
    command.args(["--executor-heartbeat-interval-seconds", "1", "--work-dir"]);
    command.arg(work(folder, i));
    let program = Program::start(command, folder.join(format!("executor-{i}.log")));
    listening(program, port).map(|(program, _)| program)
}

/// The program, when it can be reached; none, if it ends.
fn listening(mut program: Program, port: u16) -> Option<(Program, u16)> {
    let is_there = until("the program can be reached", || {
        match (TcpStream::connect(("127.0.0.1", port)), program.is_running()) {
            (_, false) => Some(false),
            (Ok(_), true) => Some(true),
            (Err(_), true) => None,
        }
    });
    is_there.then_some((program, port))
}

/// Whether as many executors are known as the scheduler was told of.
fn is_ready(scheduler: &str) -> bool {
    let mut answer = String::new();
    let Ok(mut stream) = TcpStream::connect(scheduler) else { return false };
    stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: it\r\nConnection: close\r\n\r\n").unwrap();
    let _ = stream.read_to_string(&mut answer);
    answer.starts_with("HTTP/1.1 200")
}
