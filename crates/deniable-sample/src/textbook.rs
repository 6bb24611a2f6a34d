//! The slow, plainly right forms: textbook algorithms, each with its source.
//!
//! They are what the fast forms are compared with, and they ask for randomness only through [`Draws`], so
//! that their laws can be enumerated by their draws: a uniform integer below n weighs 1/n. Nothing
//! that ships calls them.

use deniable_num::{Decoded, Float};
use num_bigint::{BigInt, BigUint};

use crate::error::Refusal;
use crate::laplace_z2k::{check_grid, not_finite, round_sum, round_to_grid};
use crate::{
    Error, Ratio, Result, Source, Word, sample_bernoulli_rational, sample_uniform_int_below,
};

/// What the textbook algorithms draw.
pub trait Draws {
    /// Uniform on 0, 1, …, n − 1.
    ///
    /// # Errors
    ///
    /// A source that fails.
    fn uniform_below(&mut self, n: &BigUint) -> Result<BigUint>;

    /// True with this probability.
    ///
    /// # Errors
    ///
    /// A source that fails.
    fn bernoulli(&mut self, prob: &Ratio) -> Result<bool>;

    /// True with probability e^−x: [`bernoulli_exp`], unless it is enumerated as a draw of its own.
    ///
    /// # Errors
    ///
    /// A source that fails.
    fn bernoulli_exp(&mut self, x: &Ratio) -> Result<bool> {
        bernoulli_exp(x, self)
    }
}

impl<S: Source + ?Sized> Draws for S {
    fn uniform_below(&mut self, n: &BigUint) -> Result<BigUint> {
        sample_uniform_int_below(n.clone(), self)
    }

    fn bernoulli(&mut self, prob: &Ratio) -> Result<bool> {
        sample_bernoulli_rational(prob, self)
    }
}

/// Uniform below n: as many bits as n − 1 has, drawn again until they are below n. (Knuth, *The Art of
/// Computer Programming*, volume 2, section 3.4.1.)
///
/// # Errors
///
/// An `n` of zero; a source that fails.
pub fn uniform_int_below<S: Source + ?Sized>(n: u64, source: &mut S) -> Result<u64> {
    if n == 0 {
        return Err(Error::invalid_parameter(&Refusal {
            parameter: "n",
            accepted: "an integer of at least 1",
        }));
    }
    let length = 64 - (n - 1).leading_zeros();
    let words = length.div_ceil(S::Word::BITS);
    loop {
        let mut drawn = 0u128;
        for _ in 0..words {
            drawn = drawn << S::Word::BITS | u128::from(source.draw()?.value());
        }
        let drawn = drawn >> (words * S::Word::BITS - length);
        if drawn < u128::from(n) {
            return Ok(drawn as u64);
        }
    }
}

/// True with this probability: a uniform integer below the denominator is below the numerator.
///
/// # Errors
///
/// A `prob` above 1; a source that fails.
pub fn bernoulli_rational<D: Draws + ?Sized>(prob: &Ratio, draws: &mut D) -> Result<bool> {
    if prob.numerator() > prob.denominator() {
        return Err(Error::invalid_parameter(&Refusal {
            parameter: "prob",
            accepted: "a ratio from 0 to 1",
        }));
    }
    Ok(draws.uniform_below(prob.denominator())? < *prob.numerator())
}

/// True with probability e^−x. Follows Algorithm 1 of Canonne, Kamath and Steinke, "The Discrete Gaussian for
/// Differential Privacy" (2020).
///
/// # Errors
///
/// A source that fails.
pub fn bernoulli_exp<D: Draws + ?Sized>(x: &Ratio, draws: &mut D) -> Result<bool> {
    let whole = x.numerator() / x.denominator();
    let fraction = x.numerator() - &whole * x.denominator();
    let mut done = BigUint::ZERO;
    while done < whole {
        if !bernoulli_exp_to_one(&1u32.into(), &1u32.into(), draws)? {
            return Ok(false);
        }
        done += 1u32;
    }
    bernoulli_exp_to_one(&fraction, x.denominator(), draws)
}

/// The integer g ≥ 0 with probability (1 − e^(−1/scale)) e^(−g/scale): the magnitude inside Algorithm 2 of
/// the same paper.
///
/// # Errors
///
/// A `scale` of zero; a source that fails.
pub fn geometric<D: Draws + ?Sized>(scale: &Ratio, draws: &mut D) -> Result<BigUint> {
    if scale.is_zero() {
        return Err(Error::invalid_parameter(&Refusal {
            parameter: "scale",
            accepted: "a ratio above 0",
        }));
    }
    let (t, s) = (scale.numerator(), scale.denominator());
    loop {
        let u = draws.uniform_below(t)?;
        if !draws.bernoulli_exp(&Ratio::new(u.clone(), t.clone())?)? {
            continue;
        }
        let one = Ratio::new(1u32, 1u32)?;
        let mut v = BigUint::ZERO;
        while draws.bernoulli_exp(&one)? {
            v += 1u32;
        }
        return Ok((u + t * v) / s);
    }
}

/// The integer z with probability (1 − q)/(1 + q) · q^|z|, q = e^(−1/scale). Algorithm 2 of the same paper.
///
/// # Errors
///
/// A `scale` of zero; a source that fails.
pub fn discrete_laplace<D: Draws + ?Sized>(scale: &Ratio, draws: &mut D) -> Result<BigInt> {
    let half = Ratio::new(1u32, 2u32)?;
    loop {
        let magnitude = BigInt::from(geometric(scale, draws)?);
        let negative = draws.bernoulli(&half)?;
        if !negative {
            return Ok(magnitude);
        }
        if magnitude != BigInt::ZERO {
            return Ok(-magnitude);
        }
    }
}

/// The law of [`sample_discrete_laplace_Z2k`](crate::sample_discrete_laplace_Z2k), in big integers
/// throughout. Rounding to the grid and to a float is the shipping code's; a closed form judges that.
///
/// # Errors
///
/// As there.
pub fn discrete_laplace_z2k<F: Float, D: Draws + ?Sized>(
    shift: F,
    scale: F,
    k: i32,
    draws: &mut D,
) -> Result<F> {
    check_grid::<F>(k)?;
    let shift = round_to_grid(shift, k).ok_or_else(not_finite)?;
    let Decoded::Finite { negative: false, mantissa: mantissa @ 1.., exponent } = scale.decode()
    else {
        return Err(Error::invalid_parameter(&Refusal {
            parameter: "scale",
            accepted: "a finite number above 0",
        }));
    };
    let power = BigUint::from(1u32) << exponent.abs_diff(k);
    let in_steps = if exponent >= k {
        Ratio::new(power * mantissa, 1u32)?
    } else {
        Ratio::new(mantissa, power)?
    };
    let noise = discrete_laplace(&in_steps, draws)?;
    Ok(round_sum(shift, noise, k))
}

/// True with probability e^−(numerator/denominator), for a ratio of at most 1.
fn bernoulli_exp_to_one<D: Draws + ?Sized>(
    numerator: &BigUint,
    denominator: &BigUint,
    draws: &mut D,
) -> Result<bool> {
    let mut k = 1u32;
    while draws.bernoulli(&Ratio::new(numerator.clone(), denominator * k)?)? {
        k += 1;
    }
    Ok(k % 2 == 1)
}
