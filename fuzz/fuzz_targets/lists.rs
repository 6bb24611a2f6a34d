//! Files with one thing a line: keys, candidates, outcomes.
#![no_main]

use deniable_fuzz::command::{Folder, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|lines: &[u8]| {
    let folder = Folder::get();
    folder.write("lines.txt", lines);
    folder.write("few.csv", b"transport\nbus\ncar\n");
    let release = ["release", "few.csv", "-o", "-", "--to", "csv", "--scale", "1"];
    let by = ["--count-by", "transport", "--keys", "lines.txt", "--other", "rest"];
    run(&[&release[..], &by].concat(), lines);
    run(&["rappor", "map", "--params", "params.csv", "lines.txt", "-o", "-"], lines);
    run(&["audit", "files", "1", "lines.txt", "few.csv"], lines);
    run(&["audit", "files", "1", "few.csv", "few.csv", "--buckets", "@lines.txt"], lines);
});
