//! The client's memory: a permanent answer is drawn with the words of a keyed function, of which this is a plain program.
//!
//! It follows the documents byte by byte. What it shares with the code that ships is SHA-256, and the permanent step, whose law is known. So if the keyed function cannot be told from
//! a random one, a client's permanent answers have that law, and those of different metrics and values are independent.

use deniable::BitVector;
use deniable::rappor::reference::Encoder;
use deniable::rappor::{Client, Params, Secret};
use sha2::{Digest, Sha256};

use crate::audit::exact::Tally;
use crate::words::{Script64, spread};

/// What a permanent answer is a function of.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The parameters.
    pub params: &'a Params,
    /// The client's secret.
    pub secret: [u8; 32],
    /// The client's cohort.
    pub cohort: usize,
    /// The metric.
    pub metric: &'a str,
    /// The value.
    pub value: &'a str,
}

/// The permanent answer of the client that ships.
///
/// # Panics
///
/// If there is no such cohort.
pub fn shipping(question: &Question<'_>) -> BitVector {
    let Question { params, secret, cohort, metric, value } = *question;
    let client = Client::with_cohort(*params, Secret::new(secret), cohort);
    client.expect("a cohort that is one").permanent(metric, value)
}

/// The permanent answers are those of the plain program. Reports are made of them by the instantaneous step, in the client's cohort, and of nothing else.
pub fn audit_memory(tally: &mut Tally, full: bool, permanent: impl Fn(&Question<'_>) -> BitVector) {
    for (turn, params) in parameters(full).iter().enumerate() {
        let secret = secret(turn);
        for (metric, value) in TEXTS {
            let question = Question { params, secret, cohort: turn % params.m(), metric, value };
            let what = || format!("RAPPOR, the memory of {params:?}");
            let same = permanent(&question) == plain(&question, &seed_of(&question));
            tally.check(what, same.then_some(()).ok_or("it is another".to_owned()));
            tally.check(what, reports_are_of(&question, &permanent(&question)));
        }
    }
}

/// The reference's permanent answers are those of the plain program, in which a bit is flipped by as many of all bytes as f in effect says: by f/2 of them.
pub fn audit_reference(tally: &mut Tally, full: bool, permanent: impl Fn(&Encoder, u32) -> u32) {
    for turn in 0..if full { 1000 } else { 130 } {
        // All multiples of 1/128, and others.
        let f = if turn < 128 { turn as f64 / 128.0 } else { (turn - 127) as f64 / 900.0 };
        let (params, secret) = (super::params(1 + turn % 32, 2, 0.25, 0.75, f), secret(turn));
        let what = || format!("RAPPOR, the reference's memory of {params:?}");
        let encoder = Encoder::new(params, 0, secret).expect("accepted parameters");
        let in_effect = encoder.in_effect().f();
        let flips =
            [0, 1].map(|bit| (0..=255).filter(|&byte| flipped(f, bit, byte) != bit).count());
        let right = flips.iter().all(|&flips| flips as f64 == 256.0 * in_effect / 2.0);
        tally.check(what, right.then_some(()).ok_or("its f in effect is another".to_owned()));
        for filter in (0..8).map(|i| encoder.filter_of(i.to_string())) {
            let bytes = code(&secret, &filter.to_be_bytes());
            let bit = |place: usize| flipped(f, (filter >> place & 1) as u8, bytes[place]);
            let plain = (0..params.k()).fold(0, |all, place| all | u32::from(bit(place)) << place);
            let same = permanent(&encoder, filter) == plain;
            tally.check(what, same.then_some(()).ok_or("it is another".to_owned()));
        }
    }
}

/// A bit by its byte, as the reference has it: the lowest bit is noise, in the place of the bit if the upper seven are below 128·f.
fn flipped(f: f64, bit: u8, byte: u8) -> u8 {
    if f64::from(byte >> 1) < 128.0 * f { byte & 1 } else { bit }
}

/// The key of a value's noise, as the documents have it.
pub fn seed_of(question: &Question<'_>) -> [u8; 32] {
    let Question { params, secret, cohort, metric, value } = *question;
    let mut text = b"deniable.rappor.memory.1".to_vec();
    for number in [params.k(), params.h()] {
        text.extend((number as u32).to_be_bytes());
    }
    text.extend(params.f().to_be_bytes());
    text.extend((cohort as u32).to_be_bytes());
    text.extend((metric.len() as u64).to_be_bytes());
    text.extend(metric.bytes());
    text.extend(value.bytes());
    code(&secret, &text)
}

/// The permanent answer by the permanent step, with the first words of all bits. A bit for which that is not enough comes up once in 2^64 times.
///
/// # Panics
///
/// If one does.
pub fn plain(question: &Question<'_>, seed: &[u8; 32]) -> BitVector {
    let Question { params, cohort, value, .. } = *question;
    let words: Vec<u64> = (0..params.k() as u32).map(|bit| first_word(seed, bit)).collect();
    let filter = params.filter_of(cohort, value).expect("a cohort that is one");
    params.permanent_from(&filter, &mut Script64::new(&words)).expect("a word for each bit")
}

/// Word bit mod 4 of the code of the number of four bits and of 0.
fn first_word(seed: &[u8; 32], bit: u32) -> u64 {
    let code = code(seed, &[(bit / 4).to_be_bytes(), [0; 4]].concat());
    let at = 8 * (bit % 4) as usize;
    code[at..at + 8].iter().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// HMAC-SHA-256 with a key of 32 bytes, as RFC 2104 has it.
fn code(key: &[u8; 32], text: &[u8]) -> [u8; 32] {
    let padded =
        |with: u8| -> Vec<u8> { key.iter().chain(&[0; 32]).map(|byte| byte ^ with).collect() };
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(text).finalize();
    Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize().into()
}

/// Whether the client's report is what the instantaneous step makes of this permanent answer.
fn reports_are_of(question: &Question<'_>, permanent: &BitVector) -> Result<(), String> {
    let Question { params, secret, cohort, metric, value } = *question;
    let words = spread(60 * params.k());
    let client = Client::with_cohort(*params, Secret::new(secret), cohort);
    let client = client.map_err(|error| error.to_string())?;
    let report = client.report_from(metric, value, &mut Script64::new(&words));
    let expected = params.instantaneous_from(permanent, &mut Script64::new(&words));
    match report.map(|report| (report.cohort(), report.bits().clone())) {
        Ok((in_cohort, bits)) if in_cohort == cohort && Ok(&bits) == expected.as_ref() => Ok(()),
        _ => Err("a report is of something else".to_owned()),
    }
}

/// Texts that would be the same, one after the other; empty ones, and some that take several blocks.
const TEXTS: [(&str, &str); 8] = [
    ("", ""),
    ("m", "v"),
    ("mv", ""),
    ("", "mv"),
    ("m\0", "v"),
    ("ünï", "\u{10ffff}"),
    (
        "home page",
        "https://example.org/with/a/path/that/is/longer/than/a/block/of/sixty-four/bytes",
    ),
    ("a metric whose name is longer than a block of sixty-four bytes, and then some", "v"),
];

/// With some of all sizes, in many cohorts.
fn parameters(full: bool) -> Vec<Params> {
    let fs = [0.0, 5e-324, 1e-30, 0.1, 0.25, 0.5, 0.75, 0.999, 1.0 - f64::EPSILON / 2.0];
    let ks = [1, 2, 3, 4, 5, 8, 63, 64, 65, 128, 1000];
    let mut all = Vec::new();
    for (turn, k) in (0..if full { 60 } else { 6 }).flat_map(|turn| ks.map(|k| (turn, k))) {
        let f = fs[(turn + k) % fs.len()];
        let made = Params::new(k, 1 + turn % 64, 1 + 97 * turn, 0.25, 0.75, f);
        all.push(made.expect("accepted parameters"));
    }
    all
}

fn secret(turn: usize) -> [u8; 32] {
    let words = spread(4 * turn + 4);
    core::array::from_fn(|i| words[4 * turn + i / 8].to_be_bytes()[i % 8])
}
