//! Numbers as R writes them.

use alloc::borrow::ToOwned;
use alloc::string::String;

/// A float with up to 15 significant digits, in the shorter of both notations: in full, or with an exponent of two digits or more. In full if both are equally long.
///
/// That is what R's `write.csv` does, which the reference's results are written by.
pub(super) fn as_r_writes(x: f64) -> String {
    if x.is_nan() {
        return "NA".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "Inf" } else { "-Inf" }.to_owned();
    }
    // d.ddd…e±n
    let scientific = format!("{x:.14e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("an exponent");
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    let exponent: i32 = exponent.parse().expect("an integer");
    let sign = if exponent < 0 { '-' } else { '+' };
    let scientific = format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs());
    let significant = mantissa.bytes().filter(u8::is_ascii_digit).count() as i32;
    let decimals = (significant - 1 - exponent).max(0) as usize;
    let full = format!("{x:.decimals$}");
    if full.len() <= scientific.len() { full } else { scientific }
}

#[cfg(test)]
mod tests {
    use super::as_r_writes;

    #[test]
    fn numbers_are_written_as_r_writes_them() {
        for (x, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (49_311.0, "49311"),
            (100_000.0, "1e+05"),
            (120_000.0, "120000"),
            (123_456.0, "123456"),
            (1e15, "1e+15"),
            (0.1, "0.1"),
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.333333333333333"),
            (2.0 / 3.0, "0.666666666666667"),
            (0.045_996_64, "0.04599664"),
            (0.001, "0.001"),
            (0.0001, "1e-04"),
            (0.000_12, "0.00012"),
            (1.358_699_577_350_08e-5, "1.35869957735008e-05"),
            (1e-300, "1e-300"),
            (-1e-5, "-1e-05"),
            (f64::NAN, "NA"),
            (f64::INFINITY, "Inf"),
            (f64::NEG_INFINITY, "-Inf"),
        ] {
            assert_eq!(as_r_writes(x), text);
        }
    }
}
