//! A line of the file: JSON, with a hash of it and of all lines before.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<T> {
    entry: T,
    #[serde(rename = "hash")]
    _hash: String,
}

/// The line of an entry with its end, and its hash; `before` is the hash of the line before.
pub(super) fn write_line(before: &str, entry: &impl Serialize) -> (String, String) {
    let entry = serde_json::to_string(entry).expect("names and finite numbers");
    let hash = Sha256::digest(format!("{before}\n{entry}"));
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    (format!("{{\"entry\":{entry},\"hash\":\"{hash}\"}}\n"), hash)
}

/// The entry of a line and its hash, if the line is to the byte what is written for that entry.
pub(super) fn read_line<T: Serialize + DeserializeOwned>(
    before: &str,
    line: &[u8],
) -> Option<(T, String)> {
    let Line { entry, .. } = serde_json::from_slice::<Line<T>>(line).ok()?;
    let (written, hash) = write_line(before, &entry);
    (written.as_bytes() == line).then_some((entry, hash))
}

/// Whether it is the beginning of a line, and not all of it.
pub(super) fn is_unfinished<T: DeserializeOwned>(part: &[u8]) -> bool {
    serde_json::from_slice::<Line<T>>(part).is_err_and(|error| error.is_eof())
}
