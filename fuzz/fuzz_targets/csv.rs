//! Files of rows: CSV.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|rows: &[u8]| deniable_fuzz::command::on_rows("rows.csv", rows));
