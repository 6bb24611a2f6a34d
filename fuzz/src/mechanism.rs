//! What holds for every mechanism that a constructor accepts.

use deniable::domain::Carrier;
use deniable::metric::Distance;
use deniable::{Epsilon, MaxDivergence, Measurement, Metric, Result};

use crate::planted;
use crate::words::Words;

/// Checks that a map is a number of at least 0 or infinite, grows with the distance, and is zero at zero. The distances are in order.
///
/// # Panics
///
/// If it is not so.
pub fn check_map<M>(mechanism: &M, zero: Distance<M::Metric>, ordered: &[Distance<M::Metric>])
where
    M: Measurement<Measure = MaxDivergence>,
    M::Metric: Metric<Distance: Copy>,
{
    let loss = |d_in| planted::loss(mechanism.map(d_in).expect("a distance").get());
    assert_eq!(loss(zero), 0.0, "a loss at distance zero");
    let mut before = 0.0;
    for &d_in in ordered {
        let now = loss(d_in);
        assert!(!now.is_nan(), "a loss that is no number");
        assert!(now >= 0.0, "a negative loss");
        assert!(now >= before, "a map that falls");
        before = now;
    }
    check_loss(before);
}

/// Checks one loss.
///
/// # Panics
///
/// If it is no number, or negative.
pub fn check_loss(loss: f64) {
    assert!(Epsilon::new(loss).is_ok(), "a loss that is none");
}

/// Runs the mechanism, with words that the fuzzer chose and with those of the operating system. An input that is no member is refused.
pub fn invoke<M>(mechanism: &M, input: &Carrier<M::Domain>, words: Vec<u64>) -> Result<M::Output>
where
    M: Measurement<Output: std::fmt::Debug>,
{
    let chosen = mechanism.invoke_from(input, &mut Words::new(words));
    assert_eq!(chosen.is_ok(), mechanism.invoke(input).is_ok(), "an error that depends on words");
    chosen.inspect(planted::invocation)
}
