//! Responses that are frozen: whoever is asked again answers as the first time.
//!
//! Beside the key file, whose key only names people, there is a file of responses: for each person and question a keyed code, and the response that
//! was drawn the first time, with fresh entropy. The key undoes no noise. Key and responses together say who reported what; the responses alone, what the
//! reports say.
//!
//! If one of both were lost, nobody would be recognized, and everybody randomized anew. So both are there, or neither; but for responses of nobody without a key, which are
//! what a crash of the first run may leave, since they are made first.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use deniable_arrow::Question;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::files::Atomic;
use crate::key;

const CODE: usize = 16;
/// Bytes of a hash behind each record, by which a torn one is known.
const CHECK: usize = 4;
/// The length of a response, and its complement: a length that was damaged is not taken for a torn end.
const HEADER: usize = 8;
const MAGIC: &[u8] = b"deniable memo 1\n";

/// Who is asked what; and, if that is wanted, what the answer is.
type Code = [u8; CODE];

/// The responses, by whose they are.
type Responses = HashMap<Code, Box<[u8]>>;

/// The responses that were drawn before, and those drawn now.
#[derive(Debug)]
pub(crate) struct Memo {
    key: Hmac<Sha256>,
    path: PathBuf,
    /// Locked until it is dropped.
    file: File,
    responses: Responses,
    new: Vec<Code>,
}

impl Memo {
    /// Opens the responses of a key, or begins with a new key.
    ///
    /// # Errors
    ///
    /// A key without responses, or responses without their key.
    pub(crate) fn open(key_file: &Path) -> Result<Self> {
        let mut path = key_file.as_os_str().to_owned();
        path.push(".responses");
        let path = PathBuf::from(path);
        let io = |error: io::Error| Error::io(&path, &error);
        // In this order: another process may be making the responses, and then the key.
        let has_key = key::read(key_file)?.is_some();
        if !path.try_exists().map_err(io)? {
            if has_key {
                return Err(no_responses(key_file, &path));
            }
            let mut file = Atomic::create(&path)?;
            file.write_all(MAGIC).map_err(io)?;
            file.finish()?;
        }
        let mut file = OpenOptions::new().read(true).write(true).open(&path).map_err(io)?;
        file.lock().map_err(io)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let (responses, whole) = read_records(&bytes).ok_or_else(|| {
            Error::refused(format!("{}: this is no file of responses, or it is damaged; without it everybody would be randomized anew, so accepted is the file as it was", path.display()))
        })?;
        let key = match key::read(key_file)? {
            Some(key) => key,
            None if bytes.len() > MAGIC.len() => return Err(no_key(key_file, &path)),
            None => key::make(key_file)?,
        };
        let key =
            <Hmac<Sha256> as KeyInit>::new_from_slice(key.as_bytes()).expect("a key of any length");
        // What a crash left behind the last whole record was not reported by anybody.
        file.set_len(whole as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(io)?;
        Ok(Memo { key, path, file, responses, new: Vec::new() })
    }

    /// The code of a person and a question; with an answer, of that as well.
    pub(crate) fn code(&self, question: &Question, person: &str, answer: Option<&[u8]>) -> Code {
        let mut code = self.key.clone();
        for part in [question.name().as_bytes(), person.as_bytes()].into_iter().chain(answer) {
            code.update(&(part.len() as u64).to_be_bytes());
            code.update(part);
        }
        code.finalize().into_bytes()[..CODE].try_into().expect("sixteen bytes")
    }

    /// The response of the first time; this one, if it is the first time.
    pub(crate) fn response(&mut self, code: Code, response: &[u8]) -> &[u8] {
        self.responses.entry(code).or_insert_with(|| {
            self.new.push(code);
            response.into()
        })
    }

    /// Makes the new responses durable. Only then may a report be seen.
    pub(crate) fn keep(&mut self) -> Result<()> {
        let io = |error: io::Error| Error::io(&self.path, &error);
        let mut writer = BufWriter::new(&self.file);
        for code in self.new.drain(..) {
            let record = record(&code, &self.responses[&code]);
            writer.write_all(&record).map_err(io)?;
        }
        writer.flush().map_err(io)?;
        drop(writer);
        self.file.sync_all().map_err(io)
    }
}

fn no_key(key_file: &Path, responses: &Path) -> Error {
    let (key_file, responses) = (key_file.display(), responses.display());
    Error::refused(format!(
        "{key_file}: this key is gone, and {responses} has the responses of those it named; with a new key nobody would be recognized, and everybody would be asked afresh and spend again. Accepted is the key as it was; or, if everybody is to be asked afresh, remove {responses}",
    ))
}

fn no_responses(key_file: &Path, responses: &Path) -> Error {
    let (key_file, responses) = (key_file.display(), responses.display());
    Error::refused(format!(
        "{responses}: the responses of the key {key_file} are gone; without them everybody would be asked afresh and spend again. Accepted is the file as it was; or, if everybody is to be asked afresh, another name, for a new key",
    ))
}

fn record(code: &Code, response: &[u8]) -> Vec<u8> {
    let length = u32::try_from(response.len()).expect("a response of a batch, which is shorter");
    let mut record = Vec::with_capacity(HEADER + CODE + response.len() + CHECK);
    record.extend(length.to_le_bytes());
    record.extend((!length).to_le_bytes());
    record.extend(code);
    record.extend(response);
    let check = Sha256::digest(&record);
    record.extend(&check[..CHECK]);
    record
}

/// The responses, and how many bytes of the file are whole records. None if something other than the end is damaged.
fn read_records(bytes: &[u8]) -> Option<(Responses, usize)> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let mut responses = HashMap::new();
    while let Some(header) = rest.first_chunk::<HEADER>() {
        let both = u64::from_le_bytes(*header);
        let (length, complement) = (both as u32, (both >> 32) as u32);
        if length != !complement {
            // A file system may have made the file longer before the power failed.
            let is_torn = rest.iter().all(|byte| *byte == 0);
            return is_torn.then_some((responses, bytes.len() - rest.len()));
        }
        let length = length as usize;
        let size = HEADER + CODE + length + CHECK;
        let Some(found) = rest.get(..size) else { break };
        let code: Code = found[HEADER..][..CODE].try_into().expect("sixteen bytes");
        let response = &found[HEADER + CODE..][..length];
        if found != record(&code, response) {
            return None;
        }
        responses.insert(code, response.into());
        rest = &rest[size..];
    }
    Some((responses, bytes.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_and_a_torn_end_is_left_out() {
        let codes = [[1; CODE], [2; CODE]];
        let mut bytes = MAGIC.to_vec();
        codes.iter().for_each(|code| bytes.extend(record(code, &code[..5])));
        let whole = bytes.len();
        let (responses, read) = read_records(&bytes).unwrap();
        assert_eq!((responses.len(), read), (2, whole));
        assert_eq!(&*responses[&codes[1]], &[2; 5]);
        let size = record(&codes[0], &[0; 5]).len();
        for cut in 1..size {
            let (responses, read) = read_records(&bytes[..whole - cut]).unwrap();
            assert_eq!((responses.len(), read), (1, whole - size), "{cut}");
        }
        let (responses, read) = read_records(&[&bytes[..], &[0; 999]].concat()).unwrap();
        assert_eq!((responses.len(), read), (2, whole));
        // Anything else is damage.
        for place in 0..whole {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert!(read_records(&damaged).is_none(), "{place}");
        }
    }
}
