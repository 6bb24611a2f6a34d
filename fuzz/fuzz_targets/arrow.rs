//! Files of rows: Arrow, as a file and as a stream.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|rows: &[u8]| deniable_fuzz::command::on_rows("rows.arrow", rows));
