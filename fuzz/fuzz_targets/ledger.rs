//! The ledger.
#![no_main]

use deniable_fuzz::command::{Folder, run};
use deniable_fuzz::planted;
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};

fuzz_target!(|data: &[u8]| {
    // The first byte says whether the rest is a file, or entries to which the hashes are made up.
    let Some((kind, rest)) = data.split_first() else { return };
    let file = if kind % 2 == 0 { rest.to_vec() } else { sealed(rest) };
    let folder = Folder::get();
    folder.write("ledger.jsonl", &file);
    let is_read = run(&["ledger", "show", "ledger.jsonl", "--json"], &file);
    let spend = ["ledger", "spend", "ledger.jsonl", "--data", "a", "--epsilon", "0.25"];
    let is_spent = run(&spend, &file);
    let after = planted::refused(folder.read("ledger.jsonl"));
    if is_spent {
        assert!(is_read, "spent, and not read");
        assert!(run(&["ledger", "show", "ledger.jsonl"], &file), "what was written is refused");
    } else {
        assert_eq!(after, file, "refused, and changed");
    }
});

/// Lines with the hashes that the format wants.
fn sealed(entries: &[u8]) -> Vec<u8> {
    let (mut file, mut before) = (Vec::new(), String::new());
    for entry in entries.split(|&byte| byte == b'\n') {
        let hash = Sha256::digest([before.as_bytes(), b"\n", entry].concat());
        before = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        file.extend(b"{\"entry\":");
        file.extend(entry);
        file.extend(format!(",\"hash\":\"{before}\"}}\n").as_bytes());
    }
    file
}
