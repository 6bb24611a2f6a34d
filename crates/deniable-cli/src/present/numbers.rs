//! Numbers as people read them.

/// A space at which no line ends.
const SPACE: char = '\u{a0}';

/// With so many digits behind the point, spaces between thousands, and a minus that is one.
pub(crate) fn decimal(x: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", x.abs());
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let mut shown = String::new();
    if x < 0.0 && text.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) {
        shown.push('−');
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            shown.push(SPACE);
        }
        shown.push(digit);
    }
    if digits > 0 {
        shown.push('.');
        shown += part;
    }
    shown
}

/// A share in per cent.
pub(crate) fn percent(share: f64, digits: usize) -> String {
    format!("{}{SPACE}%", decimal(100.0 * share, digits))
}

/// A confidence in per cent, with all of its nines.
pub(super) fn confidence(confidence: f64) -> String {
    let text = decimal(100.0 * confidence, 10);
    format!("{}{SPACE}%", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A number of people.
pub(crate) fn people(count: f64) -> String {
    decimal(count, 0)
}

/// An ε, to four digits behind the point.
pub(crate) fn epsilon(epsilon: f64) -> String {
    let text = decimal(epsilon, 4);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// How many digits behind the point an error leaves something of.
pub(crate) fn digits(error: f64, least: usize) -> usize {
    if error > 0.0 { (-error.log10()).ceil().clamp(least as f64, 6.0) as usize } else { least }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(decimal(1_234_567.891, 2), "1\u{a0}234\u{a0}567.89");
        assert_eq!(decimal(-999.6, 0), "−1\u{a0}000");
        assert_eq!(decimal(-0.04, 1), "0.0");
        assert_eq!(percent(0.2345, 1), "23.4\u{a0}%");
        assert_eq!(confidence(0.95), "95\u{a0}%");
        assert_eq!(confidence(0.999_999), "99.9999\u{a0}%");
        assert_eq!(epsilon(1.000_000_000_000_000_2), "1");
        assert_eq!(epsilon(10.25), "10.25");
        assert_eq!(
            (digits(0.3, 1), digits(0.03, 0), digits(12.0, 0), digits(0.0, 1)),
            (1, 2, 0, 1)
        );
    }
}
