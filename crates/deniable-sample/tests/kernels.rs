//! Both forms of kernels, one after the other in a process of its own: they must compute the same.

use deniable_sample::{
    DiscreteLaplaceZ2k, Dyadic, EitherBelow, Entropy, Error, Kernel, Result, Scratch, vectorized,
    without_vectors,
};

/// Words without a pattern, the same every time: SplitMix64.
struct Fixed(u64);

impl Entropy for Fixed {
    fn fill(&mut self, words: &mut [u64]) -> Result<()> {
        for word in words {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            *word = z ^ (z >> 31);
        }
        Ok(())
    }
}

/// How many bits are ones.
struct Ones<'a>(&'a [u64]);

impl Kernel for Ones<'_> {
    type Output = u32;

    #[inline(always)]
    fn run(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

#[derive(Debug, PartialEq)]
struct Drawn {
    flips: Vec<u64>,
    either: [Vec<u32>; 2],
    noise: Vec<u64>,
    ones: u32,
}

fn draw(seed: u64) -> Drawn {
    let entropy = &mut Fixed(seed);
    let mut flips = vec![0; 40];
    let law = Dyadic::from_float(0.3).unwrap();
    law.sample_flips(&mut flips, 40 * 64 - 7, false, &mut Scratch::new(), entropy).unwrap();
    let mut either = [vec![0; 301], vec![0; 301]];
    let [any, other] = &mut either;
    EitherBelow::new(5).unwrap().sample_all(any, other, &mut Vec::new(), entropy).unwrap();
    let mut numbers: Vec<f64> = (0..300).map(|i| f64::from(i) / 7.0).collect();
    DiscreteLaplaceZ2k::new(2.5, -1074).unwrap().sample_all(&mut numbers, entropy).unwrap();
    let ones = vectorized(Ones(&flips));
    Drawn { flips, either, noise: numbers.iter().map(|x| x.to_bits()).collect(), ones }
}

#[test]
fn both_forms_of_kernels_compute_the_same() {
    let best: Vec<Drawn> = (0..20).map(draw).collect();
    without_vectors();
    let plain: Vec<Drawn> = (0..20).map(draw).collect();
    assert_eq!(best, plain);
    // They are draws: 0.3 of the flips are ones, and the noise is there.
    let ones: u32 = plain.iter().map(|drawn| drawn.ones).sum();
    assert!((14_500..16_200).contains(&ones), "{ones}");
    assert_ne!(plain[0].noise, plain[1].noise);
}

#[test]
fn no_flips_draw_no_word() {
    let (law, mut entropy) = (Dyadic::from_float(0.3).unwrap(), Fixed(0));
    for constant_time in [false, true] {
        law.sample_flips(&mut [], 0, constant_time, &mut Scratch::new(), &mut entropy).unwrap();
        assert_eq!(entropy.0, 0);
    }
}

#[test]
fn errors_say_what_would_be_accepted() {
    let mut scratch = Scratch::default();
    assert_eq!(format!("{scratch:?}"), "Scratch { .. }");
    let law = Dyadic::from_float(0.5).unwrap();
    let error = law.sample_flips(&mut [0; 2], 64, false, &mut scratch, &mut Fixed(0)).unwrap_err();
    assert_eq!(error.to_string(), "invalid flips: accepted is as many words as the flips take");
    assert_eq!(
        Error::entropy_unavailable().to_string(),
        "no entropy: the operating system's random generator could not be read"
    );
    let ratio = deniable_sample::Ratio::new(2u32, 4u32).unwrap();
    assert_eq!(format!("{ratio:?}"), "2/4");
}
