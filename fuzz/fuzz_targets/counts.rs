//! Files of counts: estimated, and merged.
#![no_main]

use deniable_fuzz::command::{Folder, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|json: &[u8]| {
    Folder::get().write("a.counts.json", json);
    run(&["merge", "survey.toml", "a.counts.json", "a.counts.json", "-o", "-"], json);
    run(&["estimate", "survey.toml", "a.counts.json", "--json"], json);
    run(&["estimate", "survey.toml", "a.counts.json", "--target", "sample"], json);
});
