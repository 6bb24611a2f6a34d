//! A source that fails at draw i, for every i that is reached: always an error, always the same one,
//! never a result.

use deniable_sample::{
    ConstantTimeLaplace, DiscreteLaplace, DiscreteLaplaceZ2k, Dyadic, EitherBelow, Error,
    ErrorKind, ManyBelow, OsEntropy, Ratio, Result, Scratch, Source, sample_bernoulli_exp,
    sample_bernoulli_float, sample_bernoulli_rational, sample_discrete_laplace,
    sample_discrete_laplace_Z2k, sample_geometric, sample_uniform_int_below, textbook,
};
use deniable_verify::words::spread;
use num_bigint::BigUint;

/// Reads a script, but fails at one draw.
struct FailsAt<'a> {
    script: &'a [u64],
    draw: usize,
    drawn: usize,
}

impl Source for FailsAt<'_> {
    type Word = u64;

    fn draw(&mut self) -> Result<u64> {
        self.drawn += 1;
        match self.script.get(self.drawn - 1) {
            Some(&word) if self.drawn != self.draw => Ok(word),
            _ => Err(Error::entropy_unavailable()),
        }
    }
}

/// Runs the sampler on the script without a fault, then with a fault at each draw it made.
fn every_fault<T>(
    script: &[u64],
    sampler: impl Fn(&mut FailsAt<'_>) -> Result<T>,
) -> std::result::Result<usize, String> {
    let mut source = FailsAt { script, draw: 0, drawn: 0 };
    sampler(&mut source).map_err(|_| "the script is too short")?;
    let draws = source.drawn;
    for draw in 1..=draws {
        let mut source = FailsAt { script, draw, drawn: 0 };
        match sampler(&mut source) {
            Ok(_) => return Err(format!("a result in spite of the fault at draw {draw}")),
            Err(error) if error != Error::entropy_unavailable() => {
                return Err(format!("another error at draw {draw}"));
            }
            Err(_) if source.drawn != draw => return Err("drew on after the fault".to_owned()),
            Err(_) => {}
        }
    }
    Ok(draws)
}

/// Scripts that take long ways too: ties with the digits of 1/2 and 1/3, zeros for the logarithm.
fn scripts() -> Vec<Vec<u64>> {
    let random = spread(64);
    let mut all: Vec<Vec<u64>> = random.windows(32).map(<[u64]>::to_vec).collect();
    for start in [[0; 4], [1 << 63, 0, 0, 0], [u64::MAX; 4], [u64::MAX / 3; 4], [1 << 63, 0, 1, 0]]
    {
        all.push(start.into_iter().chain(random.iter().copied()).collect());
    }
    all
}

#[test]
fn every_law_reports_every_fault() {
    let ratio = |n: u32, d: u32| Ratio::new(n, d).unwrap();
    let (third, scale) = (ratio(1, 3), ratio(10, 3));
    let wide = BigUint::from(1u32) << 200u32;
    let fine = DiscreteLaplaceZ2k::<f64>::new(1.0, -1074).unwrap();
    let noise = DiscreteLaplace::from_float(1e300).unwrap();
    let even = ConstantTimeLaplace::<i8>::from_float(2.0).unwrap();
    let half = Dyadic::from_float(5e-324).unwrap().half();
    let mut most = 0;
    for script in scripts() {
        let script = &script[..];
        for draws in [
            every_fault(script, |s| sample_bernoulli_float(0.3f64, false, s)),
            every_fault(script, |s| sample_bernoulli_float(0.5f64, false, s)),
            every_fault(script, |s| sample_bernoulli_float(1e-310, true, s)),
            every_fault(script, |s| half.sample(true, s)),
            every_fault(script, |s| {
                ManyBelow::new(6)?.sample_all(&mut [0; 20], &mut Vec::new(), s)
            }),
            every_fault(script, |s| sample_bernoulli_rational(&third, s)),
            every_fault(script, |s| sample_bernoulli_exp(&third, s)),
            every_fault(script, |s| sample_uniform_int_below(10u8, s)),
            every_fault(script, |s| sample_uniform_int_below((1u128 << 100) + 1, s)),
            every_fault(script, |s| sample_uniform_int_below(wide.clone(), s)),
            every_fault(script, |s| sample_geometric(&scale, s)),
            every_fault(script, |s| sample_discrete_laplace(&scale, s)),
            every_fault(script, |s| noise.sample_saturating(i32::MAX - 3, s)),
            every_fault(script, |s| even.sample_saturating(5, s)),
            every_fault(script, |s| sample_discrete_laplace_Z2k(0.1f32, 2.0, -149, s)),
            every_fault(script, |s| fine.sample(0.1, s)),
            every_fault(script, |s| textbook::discrete_laplace(&scale, s)),
        ] {
            most = most.max(draws.unwrap());
        }
    }
    assert!(most >= 17, "the longest run made {most} draws");
}

/// Gives fewer words than it is asked for, and says that all is well.
struct Short;

impl Source for Short {
    type Word = u64;

    fn draw(&mut self) -> Result<u64> {
        Ok(7)
    }

    fn draw_many(&mut self, count: usize, words: &mut Vec<u64>) -> Result<()> {
        words.clear();
        words.resize(count - 1, 7);
        Ok(())
    }
}

#[test]
fn too_few_words_are_a_fault() {
    let mut buffer = Vec::new();
    let (mut any, mut other) = ([0; 40], [0; 40]);
    let noise = DiscreteLaplace::from_float(3.0).unwrap();
    let even = ConstantTimeLaplace::<i64>::from_float(3.0).unwrap();
    let grid = DiscreteLaplaceZ2k::<f64>::new(1.0, -10).unwrap();
    let third = Dyadic::from_float(0.3f64).unwrap();
    let outcomes = [
        EitherBelow::new(3).unwrap().sample_all(&mut any, &mut other, &mut buffer, &mut Short),
        EitherBelow::new(70_000).unwrap().sample_all(&mut any, &mut other, &mut buffer, &mut Short),
        ManyBelow::new(6).unwrap().sample_all(&mut [0; 40], &mut buffer, &mut Short),
        noise.sample_all_saturating(&mut [5i64; 9], &mut Short),
        even.sample_all_saturating(&mut [5; 9], &mut Short),
        grid.sample_all(&mut [5.0; 9], &mut Short),
        third.sample_flips(&mut [0; 2], 100, true, &mut Scratch::new(), &mut Short),
        third.sample_flips(&mut [0; 2], 100, false, &mut Scratch::new(), &mut Short),
    ];
    for (i, outcome) in outcomes.into_iter().enumerate() {
        assert_eq!(outcome, Err(Error::entropy_unavailable()), "{i}");
    }
}

#[test]
fn errors_tell_their_kind_and_no_data() {
    let error = sample_bernoulli_float(1.5, false, &mut OsEntropy::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidParameter);
    assert_eq!(error.to_string(), "invalid prob: accepted is a number from 0 to 1");
    let error = sample_discrete_laplace_Z2k(f64::NAN, 1.0, 0, &mut OsEntropy::new()).unwrap_err();
    assert_eq!(error.to_string(), "invalid shift: accepted is a finite number");
    assert_eq!(Error::entropy_unavailable().kind(), ErrorKind::EntropyUnavailable);
    assert_eq!(size_of::<Error>(), size_of::<usize>());
}

/// Parameters are shown, and what was drawn is not.
#[test]
fn nothing_that_was_drawn_is_shown() {
    assert_eq!(format!("{:?}", Ratio::new(3u32, 4u32).unwrap()), "3/4");
    let mut scratch = Scratch::new();
    let third = Dyadic::from_float(1.0 / 3.0).unwrap();
    third.sample_flips(&mut [0; 2], 100, true, &mut scratch, &mut OsEntropy::new()).unwrap();
    assert_eq!(format!("{scratch:?}"), "Scratch { .. }");
}

/// The check above finds these mistakes.
mod planted {
    use super::*;

    #[test]
    fn a_default_for_a_missing_word_is_found() {
        let default = |s: &mut FailsAt<'_>| Ok(s.draw().unwrap_or(0) < 7);
        assert!(every_fault(&[1, 2, 3], default).is_err());
    }

    #[test]
    fn a_second_try_is_found() {
        let retry = |s: &mut FailsAt<'_>| s.draw().or_else(|_| s.draw());
        assert!(every_fault(&[1, 2, 3], retry).is_err());
    }

    #[test]
    fn another_error_is_found() {
        let other = |s: &mut FailsAt<'_>| {
            s.draw().or_else(|_| sample_uniform_int_below(0u64, &mut OsEntropy::new()))
        };
        assert!(every_fault(&[1, 2, 3], other).is_err());
    }
}
