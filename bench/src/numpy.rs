//! NumPy in a process of its own, if Python has it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A Python that runs statements and says how long they took.
pub struct Numpy {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// Reads a statement a line, runs it for a million items, and answers with nanoseconds an item.
const SERVER: &str = r#"
import sys, time
import numpy as np
g, n = np.random.default_rng(1), 1_000_000
print("ready", flush=True)
for line in sys.stdin:
    start = time.perf_counter()
    exec(line)
    print((time.perf_counter() - start) * 1e9 / n, flush=True)
"#;

impl Numpy {
    /// Starts it. None without Python or NumPy.
    pub fn start() -> Option<Self> {
        let mut child = Command::new("python3")
            .args(["-c", SERVER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let input = child.stdin.take()?;
        let mut output = BufReader::new(child.stdout.take()?);
        let mut line = String::new();
        output.read_line(&mut line).ok()?;
        (line.trim() == "ready").then_some(Numpy { child, input, output })
    }

    /// Nanoseconds an item.
    pub fn time(&mut self, statement: &str) -> Option<f64> {
        writeln!(self.input, "{statement}").ok()?;
        let mut line = String::new();
        self.output.read_line(&mut line).ok()?;
        line.trim().parse().ok()
    }
}

impl Drop for Numpy {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
