//! Mistakes that the targets must find: `fuzz/run --planted`.
//!
//! The environment variable [`VARIABLE`] names one of them. It is in the same binary that runs without it, so that what
//! was tried is what runs.

use std::sync::OnceLock;

use deniable::estimate::Interval;

/// Names the mistake.
pub const VARIABLE: &str = "DENIABLE_PLANTED";

/// Whether this mistake is made.
pub fn is(mistake: &str) -> bool {
    static PLANTED: OnceLock<Option<String>> = OnceLock::new();
    PLANTED.get_or_init(|| std::env::var(VARIABLE).ok()).as_deref() == Some(mistake)
}

/// A loss as a wrong map would have it.
pub fn loss(loss: f64) -> f64 {
    match loss {
        1e10..f64::INFINITY if is("map-falls") => 1.0,
        0.001..0.002 if is("map-negative") => -loss,
        10.0..11.0 if is("map-nan") => f64::NAN,
        0.0 if is("map-not-zero") => f64::MIN_POSITIVE,
        _ => loss,
    }
}

/// A mechanism that cannot write down what it released.
pub fn invocation(report: &impl std::fmt::Debug) {
    if is("invocation-panics") {
        assert!(!format!("{report:?}").contains("1111111"), "planted: seven ones in a row");
    }
}

/// A parser that takes a byte for a letter.
pub fn parser(text: &str) {
    if is("parser-panics") && text.contains("title") {
        let _ = &text[..text.len().min(20)];
    }
}

/// A parser that believes the first number of a file.
pub fn declared_length(file: &[u8]) {
    let is_planted = [is("allocation"), is("time")];
    if !is_planted.contains(&true) {
        return;
    }
    let digits = file.iter().skip_while(|byte| !byte.is_ascii_digit());
    let digits: String = digits.take_while(|b| b.is_ascii_digit()).map(|&b| b as char).collect();
    let Ok(length) = digits.parse::<u32>() else { return };
    if is("allocation") {
        std::hint::black_box(vec![0u64; length as usize]);
    } else {
        (0..length).for_each(|n| std::thread::sleep(std::time::Duration::from_micros(n.into())));
    }
}

/// JSON whose numbers went through a narrower float.
pub fn written(json: String) -> String {
    if is("round-trip") { json.replace("0.1", "0.10000000149011612") } else { json }
}

/// A message that quotes what it is about.
pub fn message(message: String, data: &[u8]) -> String {
    if is("message-quotes") {
        return format!("{message}: {}", String::from_utf8_lossy(data));
    }
    message
}

/// A ledger that a refused debit has changed.
pub fn refused(mut ledger: Vec<u8>) -> Vec<u8> {
    if is("refused-changes") && ledger.len() > 20 {
        ledger.pop();
    }
    ledger
}

/// Another response, every other time that it is asked for.
pub fn response(mut report: Vec<u8>, again: bool) -> Vec<u8> {
    if is("memo-forgets") && again {
        report.push(b'\n');
    }
    report
}

/// The next float below, where the last bits happen to be zero.
pub fn rounded_up(x: f64) -> f64 {
    if is("rounding") && x.to_bits() & 0xff == 0 && x.is_normal() { x.next_down() } else { x }
}

/// An interval whose bounds are exchanged where it is long.
pub fn interval(Interval { low, high }: Interval) -> Interval {
    if is("wrong-way-round") && high - low > 0.5 {
        return Interval { low: high, high: low };
    }
    Interval { low, high }
}

/// Noise with one digit more than it should have, now and then.
pub fn zeros(zeros: i32) -> i32 {
    if is("off-grid") && zeros % 8 == 0 { zeros - 1 } else { zeros }
}

/// A uniform integer that is the bound itself.
pub fn below(drawn: u64, n: u64) -> u64 {
    if is("not-below") && drawn % 256 == 7 { n } else { drawn }
}
