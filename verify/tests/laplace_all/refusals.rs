use deniable_sample::{Entropy, ErrorKind};

use super::*;

/// Words of a script as entropy, which is drawn many at a time.
struct Words<'a>(core::slice::Iter<'a, u64>);

impl Entropy for Words<'_> {
    fn fill(&mut self, words: &mut [u64]) -> Result<(), Error> {
        for word in words {
            *word = *self.0.next().ok_or_else(Error::entropy_unavailable)?;
        }
        Ok(())
    }
}

/// Whichever word a source fails at, the whole fails. With one more it does not.
#[test]
fn a_source_that_fails_anywhere_is_an_error() {
    fn check<T: Copy, N: Noise<T>>(noise: &N, shifts: &[T]) {
        for script in scripts().iter().step_by(4) {
            let (numbers, needed) = together(noise, shifts, script);
            let numbers: Vec<u64> = numbers.unwrap().into_iter().map(N::bits).collect();
            for most in 0..needed + 3 {
                let (result, asked) = together(noise, shifts, &script[..most]);
                let mut filled = shifts.to_vec();
                let by_entropy = noise.all(&mut filled, &mut Words(script[..most].iter()));
                if most < needed {
                    assert_eq!(result.err(), Some(Error::entropy_unavailable()));
                    assert_eq!(by_entropy, Err(Error::entropy_unavailable()));
                    assert_eq!(asked, most + 1);
                } else {
                    assert!(result.unwrap().into_iter().map(N::bits).eq(numbers.clone()));
                    assert!(filled.into_iter().map(N::bits).eq(numbers.clone()));
                    assert_eq!((by_entropy, asked), (Ok(()), needed));
                }
            }
        }
    }
    check(&OnFloats::new(1.0, -1074), &SHIFTS.repeat(9)[..90]);
    check(&OnFloats::new(1.0, -3), &SHIFTS.repeat(9)[..66]);
    check(&OnIntegers::new(100.0), &[7i64; 90]);
    check(&OnIntegers::new(0.1), &[7i8; 3]);
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    let script = &scripts()[2];
    for k in [-1074, -3] {
        let noise = OnFloats::new(1.0, k);
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for place in [0, 1, 63, 64, 69] {
                let mut shifts = [1.5; 70];
                shifts[place] = wrong;
                let error = together(&noise, &shifts, script).0.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::InvalidParameter);
                assert!(error.to_string().contains("shift"), "{error}");
            }
        }
    }
}
