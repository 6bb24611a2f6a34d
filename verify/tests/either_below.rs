//! The joint law of uniform integers below t or below t − 1, of which two lanes may share a word.

use dashu_int::UBig;
use dashu_ratio::RBig;
use deniable_sample::{EitherBelow, Result, Source};
use deniable_verify::enumerate::{enumerate, is_uniform};
use deniable_verify::words::{Script, Script64, spread};

/// Draws for some lanes, of which each looks at the one integer or at the other.
fn eithers<S: Source>(t: u32, looks_at_any: &[bool], source: &mut S) -> Result<Vec<u32>> {
    let (mut any, mut other) = (vec![0; looks_at_any.len()], vec![0; looks_at_any.len()]);
    EitherBelow::new(t)?.sample_all(&mut any, &mut other, &mut Vec::new(), source)?;
    let look = |(&looks_at_any, (any, other))| if looks_at_any { any } else { other };
    Ok(looks_at_any.iter().zip(any.into_iter().zip(other)).map(look).collect())
}

#[test]
fn either_over_every_script() {
    // Of several words for a t from 5 on.
    for t in 2..=9 {
        let law = EitherBelow::new(t).unwrap();
        let any = enumerate(3, |s: &mut Script<'_, 4>| law.sample(s).map(|[any, _]| any));
        let other = enumerate(3, |s: &mut Script<'_, 4>| law.sample(s).map(|[_, other]| other));
        assert!(is_uniform(&any, t as usize) && is_uniform(&other, t as usize - 1), "{t}");
        assert!(any.remainder < RBig::ONE / RBig::from(2));
    }
    for t in 2..=16 {
        let law = EitherBelow::new(t).unwrap();
        let any = enumerate(2, |s: &mut Script<'_, 8>| law.sample(s).map(|[any, _]| any));
        let other = enumerate(2, |s: &mut Script<'_, 8>| law.sample(s).map(|[_, other]| other));
        assert!(is_uniform(&any, t as usize) && is_uniform(&other, t as usize - 1), "{t}");
    }
}

/// Halves of words for t = 2, and of 8-bit words for 3; words for 3 and 4; and several words.
#[test]
fn eithers_of_many_lanes() {
    let count = |t: u32, looks: &[bool]| -> usize {
        looks.iter().map(|&any| t as usize - usize::from(!any)).product()
    };
    let looks: [&[bool]; 6] =
        [&[true], &[false], &[true, false], &[true, true], &[false, false], &[false, true, true]];
    for looks in looks {
        for t in 2..=4 {
            let law = enumerate(4, |s: &mut Script<'_, 4>| eithers(t, looks, s));
            assert!(is_uniform(&law, count(t, looks)), "{t} {looks:?}");
        }
        for t in 2..=3 {
            let law = enumerate(2, |s: &mut Script<'_, 8>| eithers(t, looks, s));
            assert!(is_uniform(&law, count(t, looks)), "{t} {looks:?}");
        }
    }
    let law = enumerate(4, |s: &mut Script<'_, 4>| eithers(5, &[true, false], s));
    assert!(is_uniform(&law, 20));
}

/// The integers of a number of so many bits, by division, or none if it is rejected.
fn by_division(t: u32, x: u64, bits: u32) -> Option<[u32; 2]> {
    let (t, whole) = (UBig::from(t), UBig::ONE << bits as usize);
    let n = &t * (&t - UBig::ONE);
    let product = &n * UBig::from(x);
    if &product % &whole < &whole % &n {
        return None;
    }
    let below = product / whole;
    let small = |x: UBig| u32::try_from(x).unwrap();
    Some([small(&below / (&t - UBig::ONE)), small(below / t)])
}

#[test]
fn eithers_over_64_bit_words() {
    let mut words = spread(600);
    words.extend([0, 1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, 1 << 32, u64::MAX >> 32]);
    // A product of zero is rejected by all but powers of two.
    words.iter_mut().step_by(5).for_each(|word| *word = 0);
    words.iter_mut().step_by(9).for_each(|word| *word >>= 32);
    let mut rejections = 0;
    for t in [2, 3, 5, 16, 1000, 4096, 4097, 4098, 65_536, 65_537, 1 << 31, u32::MAX] {
        let halves = t <= 4096;
        for script in words.windows(90).step_by(7) {
            for lanes in [1, 2, 5, 32] {
                let (mut any, mut other) = (vec![0; lanes], vec![0; lanes]);
                let mut source = Script64::new(script);
                let law = EitherBelow::new(t).unwrap();
                law.sample_all(&mut any, &mut other, &mut Vec::new(), &mut source).unwrap();
                // Those that are rejected take the words behind the block.
                let drawn = if halves { lanes.div_ceil(2) } else { lanes };
                let mut more = script[drawn..].iter();
                for lane in 0..lanes {
                    let first = match halves {
                        true => {
                            by_division(t, script[lane / 2] >> (lane % 2 * 32) & 0xffff_ffff, 32)
                        }
                        false => by_division(t, script[lane], 64),
                    };
                    rejections += usize::from(first.is_none());
                    let expected = first.unwrap_or_else(|| {
                        more.find_map(|&word| by_division(t, word, 64)).unwrap()
                    });
                    assert_eq!([any[lane], other[lane]], expected, "{t} {lane}");
                }
                assert_eq!(source.asked, script.len() - more.len());
            }
        }
    }
    assert!(rejections > 100, "{rejections}");
}

/// The checks above find these mistakes.
mod planted {
    use deniable_sample::{Error, Word};

    use super::*;

    #[test]
    fn nothing_is_rejected() {
        let either = |s: &mut Script<'_, 4>| {
            let word = s.draw()?;
            Result::Ok([word.mul(3).0 as u32, word.mul(2).0 as u32])
        };
        // 16 words for 2 others are fair all the same; for any of 3 they are not.
        let law = enumerate(1, |s: &mut Script<'_, 4>| either(s).map(|[any, _]| any));
        assert!(!is_uniform(&law, 3));
    }

    #[test]
    fn rejected_for_the_wrong_product() {
        let law = enumerate(2, |s: &mut Script<'_, 4>| {
            loop {
                let word = s.draw()?.value();
                // 16 mod 3 instead of 16 mod 6.
                if word * 6 % 16 >= 1 {
                    return Ok::<_, Error>(word * 3 / 16);
                }
            }
        });
        assert!(!is_uniform(&law, 3));
    }

    #[test]
    fn lanes_that_share_a_half() {
        let law = enumerate(1, |s: &mut Script<'_, 8>| {
            let word = s.draw()?.value() & 15;
            Ok::<_, Error>([word * 2 / 16, word * 2 / 16])
        });
        assert!(!is_uniform(&law, 4));
    }
}
