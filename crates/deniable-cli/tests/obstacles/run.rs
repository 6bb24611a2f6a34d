//! Programs that are run with something in their way.

use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};

/// What a program that has ended said.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Done {
    pub(crate) fn is_success(&self) -> bool {
        self.status.success()
    }

    pub(crate) fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    pub(crate) fn signal(&self) -> Option<i32> {
        self.status.signal()
    }
}

/// Runs a line with nothing in its way.
pub(crate) fn run(program: &Path, folder: &Path, line: &str, stdin: Option<&str>) -> Done {
    let mut command = Command::new(program);
    command.args(line.split(' '));
    finish(command.stdin(input(folder, stdin)), folder)
}

/// A file of the folder, or nothing.
pub(crate) fn input(folder: &Path, name: Option<&str>) -> Stdio {
    name.map_or_else(Stdio::null, |name| File::open(folder.join(name)).unwrap().into())
}

/// Runs a command whose standard input is set, and waits for its end. One that hangs is ended after a minute.
pub(crate) fn finish(command: &mut Command, folder: &Path) -> Done {
    finish_with(command, folder, Stdio::piped(), Stdio::piped())
}

/// The same with other places for what it says.
pub(crate) fn finish_with(command: &mut Command, folder: &Path, out: Stdio, err: Stdio) -> Done {
    // Cargo's list of folders would be searched for every library.
    command.env_remove("LD_LIBRARY_PATH").env("TMPDIR", folder).current_dir(folder);
    let child = command.stdout(out).stderr(err).spawn().unwrap();
    let id = child.id();
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output().unwrap()));
    let output = ended.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|_| {
        let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        panic!("it hangs");
    });
    Done { status: output.status, stdout: output.stdout, stderr: output.stderr }
}

/// A wall that the kernel puts around a program, with no tool but this test's own program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wall {
    /// `getrandom` fails with this error.
    GetrandomFails(i32),
    /// No file gets longer than this, and writing more is an error.
    FileSize(u64),
}

/// Names the wall to the program behind it.
const WALL: &str = "DENIABLE_TEST_WALL";

/// A command that runs a program behind a wall.
pub(crate) fn behind(wall: Wall, program: &Path) -> Command {
    let own = std::env::current_exe().unwrap();
    let (name, number) = match wall {
        Wall::GetrandomFails(error) => ("getrandom", error as u64),
        Wall::FileSize(bytes) => ("size", bytes),
    };
    // The shell has the signal ignored that comes with a write beyond the size, and that stays so. The standard output is put aside: tests print to it.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\" 3>&1 >/dev/null"]).arg(own);
    command.args(["--exact", "--ignored", "--quiet", "--nocapture", "run::the_wall", "--"]);
    let program = program.to_str().unwrap();
    command.env(WALL, format!("{name} {number} {program}"));
    command
}

/// Runs a line behind a wall.
pub(crate) fn run_behind(
    wall: Wall,
    program: &Path,
    folder: &Path,
    line: &str,
    stdin: Option<&str>,
) -> Done {
    finish(behind(wall, program).env(LINE, line).stdin(input(folder, stdin)), folder)
}

/// The words of the program behind the wall: those of this test's own program are read by another.
pub(crate) const LINE: &str = "DENIABLE_TEST_LINE";

#[test]
#[ignore = "it becomes another program, behind a wall, for the other tests"]
fn the_wall() {
    let (Ok(wall), Ok(line)) = (std::env::var(WALL), std::env::var(LINE)) else { return };
    let [name, number, program] = wall.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
    let number: u64 = number.parse().unwrap();
    match name {
        "getrandom" => refuse_getrandom(number as u32),
        _ => {
            let limit = Rlimit { current: Some(number), maximum: Some(number) };
            setrlimit(Resource::Fsize, limit).unwrap();
        }
    }
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$0\" \"$@\" >&3 3>&-", program]).args(line.split(' '));
    panic!("{}", command.env_remove(WALL).env_remove(LINE).exec());
}

fn refuse_getrandom(error: u32) {
    use seccompiler::{SeccompAction, SeccompFilter};
    let rules = [(libc::SYS_getrandom, vec![])].into_iter().collect();
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(error), arch).unwrap();
    let filter: seccompiler::BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter(&filter).unwrap();
}
