//! A Python in a process of its own, if there is one.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A Python that answers each line with a number.
pub struct Python {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// Reads a statement of NumPy a line, runs it for a million items, and answers with nanoseconds an item.
const NUMPY: &str = r#"
import sys, time
import numpy as np
g, n = np.random.default_rng(1), 1_000_000
print("ready", flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    exec(line)
    print((time.perf_counter() - start) * 1e9 / n, flush=True)
"#;

impl Python {
    /// One that times statements. None without Python or NumPy.
    pub fn with_numpy() -> Option<Self> {
        Self::start(NUMPY)
    }

    /// One that runs a program, which says "ready" first. None without Python or what the program needs.
    pub fn start(program: &str) -> Option<Self> {
        let mut child = Command::new("python3")
            .args(["-c", program])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let input = child.stdin.take()?;
        let mut output = BufReader::new(child.stdout.take()?);
        let mut line = String::new();
        output.read_line(&mut line).ok()?;
        (line.trim() == "ready").then_some(Python { child, input, output })
    }

    /// The answer to a line, if it is a number.
    pub fn ask(&mut self, line: &str) -> Option<f64> {
        writeln!(self.input, "{line}").ok()?;
        let mut answer = String::new();
        self.output.read_line(&mut answer).ok()?;
        answer.trim().parse().ok()
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
