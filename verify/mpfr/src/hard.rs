//! Searching for results that lie next to a number of the format.
//!
//! For directed rounding those are the hard cases: an approximation has to be very good before it
//! tells on which side of the number the true value lies.

use rug::{Assign, Float, ops::Pow};

use crate::{
    function::{Args, Function},
    number::Number,
    rng::{SplitMix, seed},
    strata::{draw::Draw, unary},
    tally::{THREADS, in_parallel},
};

/// Arguments that no random search would find: among the worst cases in `f64` of V. Lefèvre and
/// J.-M. Muller, "Worst cases for correct rounding of the elementary functions in double precision"
/// (2001). A test below measures how hard they are.
const KNOWN: [(Function, u64); 5] = [
    (Function::Ln, 0x6a56_2a88_6136_29b6),
    (Function::Ln, 0x407a_c50b_409c_8aee),
    (Function::Exp, 0x4018_3d4b_cdeb_b3f4),
    (Function::Exp, 0xbe23_475a_c05c_ead7),
    (Function::Exp, 0xbe4e_d318_efb6_27ea),
];

/// The `keep` hardest of `count` random arguments, and the known ones, hardest first.
///
/// `function` is a logarithm, an exponential or `powi`.
pub fn hardest<F: Number>(function: Function, count: u64, keep: usize) -> Vec<Args<F>> {
    let found = in_parallel(|thread| part::<F>(function, count, thread, keep));
    let mut best: Vec<_> = found.into_iter().flatten().collect();
    let mut score = Score::new::<F>();
    for (_, bits) in KNOWN.iter().filter(|(f, _)| *f == function && F::WIDTH == 64) {
        let args = Args::unary(F::from_bits(*bits));
        best.push((score.of(function, &args), u64::MAX, args));
    }
    sort(&mut best);
    best.truncate(keep);
    best.into_iter().map(|(_, _, args)| args).collect()
}

/// Hardness, number of the case, arguments.
type Found<F> = (i32, u64, Args<F>);

fn sort<F>(found: &mut [Found<F>]) {
    found.sort_by_key(|(score, index, _)| (std::cmp::Reverse(*score), *index));
}

fn part<F: Number>(function: Function, count: u64, thread: u64, keep: usize) -> Vec<Found<F>> {
    let mut score = Score::new::<F>();
    let mut best: Vec<Found<F>> = Vec::new();
    for index in (thread..count).step_by(THREADS as usize) {
        let seed = seed(function.name()) ^ seed("hard");
        let args = candidate(function, &mut Draw::new(SplitMix::for_case(seed, index)));
        best.push((score.of(function, &args), index, args));
        if best.len() >= 64 * keep {
            sort(&mut best);
            best.truncate(keep);
        }
    }
    best
}

fn candidate<F: Number>(function: Function, draw: &mut Draw) -> Args<F> {
    if function != Function::Powi {
        return Args::unary(unary::natural(function, draw));
    }
    let n = draw.rng.between(2, 60);
    let n = if draw.rng.next() >> 63 == 0 { n } else { -n };
    Args::powi(draw.between(-1, 1), n)
}

/// Registers of MPFR with more precision than the format.
struct Score {
    x: Float,
    exact: Float,
    nearest: Float,
    distance: Float,
}

impl Score {
    fn new<F: Number>() -> Self {
        let precision = F::PRECISION;
        Self {
            x: Float::new(precision),
            exact: Float::new(2 * precision + 32),
            nearest: Float::new(precision),
            distance: Float::new(64),
        }
    }

    /// About so many bits after the last of the format are all zeros, or all ones.
    fn of<F: Number>(&mut self, function: Function, args: &Args<F>) -> i32 {
        args.x.store(&mut self.x);
        match function {
            Function::Ln => self.exact.assign(self.x.ln_ref()),
            Function::Ln1p => self.exact.assign(self.x.ln_1p_ref()),
            Function::Exp => self.exact.assign(self.x.exp_ref()),
            Function::ExpM1 => self.exact.assign(self.x.exp_m1_ref()),
            Function::Powi => self.exact.assign((&self.x).pow(args.n)),
            _ => return 0,
        }
        self.nearest.assign(&self.exact);
        self.distance.assign(&self.exact - &self.nearest);
        // Exact results are not hard, and neither are those beyond the normal numbers.
        match (self.nearest.get_exp(), self.distance.get_exp()) {
            (Some(value), Some(distance))
                if (F::LOW + F::PRECISION as i32 + 1..=F::HIGH).contains(&value) =>
            {
                value - F::PRECISION as i32 - distance
            }
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_cases_are_hard() {
        for (function, bits) in KNOWN {
            let args = Args::unary(f64::from_bits(bits));
            assert!(Score::new::<f64>().of(function, &args) >= 58, "{function:?} {bits:x}");
        }
    }

    #[test]
    fn a_search_finds_about_as_many_bits_as_it_looks_at_cases() {
        let hardest = hardest::<f64>(Function::Exp, 1 << 16, 20);
        let found = |args: &Args<f64>| Score::new::<f64>().of(Function::Exp, args);
        assert!(found(&hardest[0]) >= 58, "the known ones come first");
        assert!((10..30).contains(&found(&hardest[10])));
    }
}
