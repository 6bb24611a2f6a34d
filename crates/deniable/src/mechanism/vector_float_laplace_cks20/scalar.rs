use alloc::vec::Vec;

use deniable_num::Float;
use deniable_sample::{Entropy, Source};

use super::{Noise, laplace_accuracy};
use crate::domain::{AtomDomain, Domain, Number};
use crate::{AbsoluteDistance, Epsilon, LocalRandomizer, MaxDivergence, Measurement, Result};

/// Releases one float with discrete Laplace noise. [`make_vector_float_laplace_cks20`] for a single number.
///
/// [`make_vector_float_laplace_cks20`]: super::make_vector_float_laplace_cks20
///
/// # Privacy
///
/// As there, with n = 1: on the finest grid d_in/scale, on a coarser one about s·⌈d_in/s⌉/scale with s = 2^k, rounded up.
///
/// # Errors
///
/// As there, except that the size is 1.
///
/// # Examples
///
/// ```
/// use deniable::prelude::*;
///
/// let income = AtomDomain::bounded(0.0, 100_000.0)?;
/// let noise = make_scalar_float_laplace_cks20(income, AbsoluteDistance::new(), 50_000.0, None)?;
/// let released: f64 = noise.invoke(&42_000.0)?;
/// assert_eq!(noise.map(100_000.0)?.get(), 2.0);
///
/// assert!(noise.invoke(&-1.0).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn make_scalar_float_laplace_cks20<T: Number<Distance = T> + Float>(
    input_domain: AtomDomain<T>,
    input_metric: AbsoluteDistance<T>,
    scale: T,
    k: Option<i32>,
) -> Result<ScalarFloatLaplaceCks20<T>> {
    let noise = Noise::new(&input_domain, scale, k)?;
    Ok(ScalarFloatLaplaceCks20 { domain: input_domain, metric: input_metric, noise })
}

/// The mechanism of [`make_scalar_float_laplace_cks20`].
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarFloatLaplaceCks20<T: Number> {
    domain: AtomDomain<T>,
    metric: AbsoluteDistance<T>,
    noise: Noise<T>,
}

impl<T: Number<Distance = T> + Float> ScalarFloatLaplaceCks20<T> {
    /// The scale of the noise.
    pub fn scale(&self) -> T {
        self.noise.scale
    }

    /// The grid: noise is a multiple of 2^k.
    pub fn k(&self) -> i32 {
        self.noise.k
    }

    /// [`Measurement::invoke_from`] for random words of any width. That is what exhaustive checks run.
    ///
    /// # Errors
    ///
    /// As there.
    #[inline]
    pub fn randomize<S: Source + ?Sized>(&self, number: &T, source: &mut S) -> Result<T> {
        self.domain.check_member(number)?;
        self.noise.add_to(*number, source)
    }

    /// Adds noise to the numbers of many people, each an input of its own, where they are.
    ///
    /// # Errors
    ///
    /// As [`Measurement::invoke`]. If one of them is no member, all stay as they are; if entropy fails, all are 0.
    #[cfg(feature = "std")]
    pub fn invoke_in_place(&self, numbers: &mut [T]) -> Result<()> {
        self.domain.check_members(numbers)?;
        self.noise.add_to_all_in_parts(numbers)
    }

    /// The α such that the noise is at most α with a probability of at least `confidence`, rounded up.
    ///
    /// It is ∞ where it exceeds every float. Rounding to a coarse grid adds up to 2^(k−1), and rounding the sum to a float half a unit of its last place.
    ///
    /// # Errors
    ///
    /// A `confidence` that is not between 0 and 1.
    pub fn accuracy(&self, confidence: f64) -> Result<f64> {
        laplace_accuracy(self.noise.scale, self.noise.k, confidence)
    }
}

impl<T: Number<Distance = T> + Float> Measurement for ScalarFloatLaplaceCks20<T> {
    type Domain = AtomDomain<T>;
    type Metric = AbsoluteDistance<T>;
    type Measure = MaxDivergence;
    type Output = T;

    fn input_domain(&self) -> &AtomDomain<T> {
        &self.domain
    }

    fn input_metric(&self) -> AbsoluteDistance<T> {
        self.metric
    }

    fn output_measure(&self) -> MaxDivergence {
        MaxDivergence
    }

    fn map(&self, d_in: T) -> Result<Epsilon> {
        self.noise.map(d_in, Some(1))
    }

    fn invoke_from(&self, number: &T, entropy: &mut dyn Entropy) -> Result<T> {
        self.randomize(number, entropy)
    }
}

impl<T: Number<Distance = T> + Float> LocalRandomizer for ScalarFloatLaplaceCks20<T> {
    #[cfg(feature = "std")]
    fn invoke_batch(&self, numbers: &[T]) -> Result<Vec<T>> {
        let mut noisy = numbers.to_vec();
        self.invoke_in_place(&mut noisy)?;
        Ok(noisy)
    }
}
