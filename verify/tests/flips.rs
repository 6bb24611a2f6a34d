//! The joint law of many flips at once, and each flip by its own lane of the words.

use dashu_ratio::RBig;
use deniable_sample::{Dyadic, Result, Scratch, Source};
use deniable_verify::enumerate::enumerate;
use deniable_verify::flips::{agreeing, flips_of};
use deniable_verify::inversion::value;
use deniable_verify::words::{Script, Script64, spread};

fn flips<S: Source>(
    prob: f64,
    count: usize,
    constant_time: bool,
    source: &mut S,
) -> Result<Vec<u64>> {
    let mut flips = vec![0; count.div_ceil(<S::Word as deniable_sample::Word>::BITS as usize)];
    let law = Dyadic::from_float(prob)?;
    law.sample_flips(&mut flips, count, constant_time, &mut Scratch::new(), source)?;
    Ok(flips)
}

/// All of the law, on words of four bits: one word of lanes, or two of which the second has one.
#[test]
fn flips_of_small_words_are_independent() {
    for (prob, count, depth) in [
        (0.0, 3, 0),
        (1.0, 5, 0),
        (0.5, 1, 1),
        (0.5, 4, 1),
        (0.5, 5, 2),
        (0.75, 3, 2),
        (0.25, 4, 2),
        (0.75, 5, 4),
        (0.875, 2, 3),
        (0.625, 4, 3),
        (0.8125, 1, 4),
    ] {
        for constant_time in [false, true] {
            let law =
                enumerate(depth, |s: &mut Script<'_, 4>| flips(prob, count, constant_time, s));
            let p = value(prob);
            let product = |flips: &[u64]| {
                let is_flipped = |lane: usize| flips[lane / 4] >> (lane % 4) & 1 == 1;
                let chance = |lane| if is_flipped(lane) { p.clone() } else { RBig::ONE - &p };
                (0..count).map(chance).fold(RBig::ONE, |product, chance| product * chance)
            };
            assert_eq!(law.remainder, RBig::ZERO, "{prob} {count}");
            assert!(law.mass.iter().all(|(flips, mass)| *mass == product(flips)), "{prob} {count}");
        }
    }
}

/// As many words as the flips take, and no others.
#[test]
fn more_or_fewer_words_of_flips_are_refused() {
    let law = Dyadic::from_float(0.3).unwrap();
    for (words, count) in [(0, 1), (1, 0), (1, 65), (2, 64), (3, 128)] {
        let mut source = Script64::new(&[]);
        let drawn =
            law.sample_flips(&mut vec![0; words], count, false, &mut Scratch::new(), &mut source);
        assert!(drawn.is_err() && source.asked == 0);
    }
    law.sample_flips(&mut [], 0, true, &mut Scratch::new(), &mut Script64::new(&[])).unwrap();
}

#[test]
fn lanes_of_64_bits_are_each_their_own_uniform_number() {
    let words = spread(40_000);
    for prob in [0.0, 5e-324, 1e-310, 1e-3, 0.1, 1.0 / 3.0, 0.5, 0.75, 0.9999, 1.0] {
        let law = Dyadic::from_float(prob).unwrap();
        for (count, constant_time) in
            [(1usize, false), (2, true), (64, false), (64, true), (200, false), (1024, false)]
        {
            for random in words.windows(9000).step_by(15_013) {
                for script in [random, &agreeing(prob, count.div_ceil(64), random)] {
                    let mut source = Script64::new(script);
                    let mut drawn = vec![u64::MAX; count.div_ceil(64)];
                    let scratch = &mut Scratch::new();
                    law.sample_flips(&mut drawn, count, constant_time, scratch, &mut source)
                        .unwrap();
                    let (expected, used) = flips_of(prob, count, constant_time, script);
                    let bit = |lane: usize| drawn[lane / 64] >> (lane % 64) & 1 == 1;
                    assert!((0..count).map(bit).eq(expected), "{prob} {count}");
                    assert!((count..count.next_multiple_of(64)).all(|lane| !bit(lane)));
                    assert_eq!(source.asked, used);
                }
            }
        }
    }
}
