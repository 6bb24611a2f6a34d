//! Files of text that are compressed as a whole.
#![no_main]

use deniable_fuzz::command::{Folder, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for name in ["rows.csv.gz", "rows.csv.zst", "rows.jsonl.gz", "rows.jsonl.zst"] {
        Folder::get().write(name, data);
        run(&["count", "survey.toml", name, "-o", "-"], data);
    }
});
