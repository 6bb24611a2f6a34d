use alloc::vec::Vec;

use deniable_sample::{Entropy, Source};

use super::{Integer, Noise, loss};
use crate::domain::{AtomDomain, Domain};
use crate::mechanism::vector_float_laplace_cks20::laplace_accuracy;
use crate::{AbsoluteDistance, Epsilon, LocalRandomizer, MaxDivergence, Measurement, Result};

/// Releases one integer with discrete Laplace noise. [`make_vector_integer_laplace_cks20`] for a single number.
///
/// [`make_vector_integer_laplace_cks20`]: super::make_vector_integer_laplace_cks20
///
/// # Privacy
///
/// ε = d_in/scale, rounded up. Time depends on the noise and the number, but for
/// [`with_constant_time`](ScalarIntegerLaplaceCks20::with_constant_time).
///
/// # Errors
///
/// A `scale` that is negative or not finite.
///
/// # Examples
///
/// ```
/// use deniable::prelude::*;
///
/// let count = AtomDomain::<i64>::all();
/// let noise = make_scalar_integer_laplace_cks20(count, AbsoluteDistance::new(), 1.0)?;
/// let released: i64 = noise.invoke(&17)?;
/// assert_eq!(noise.map(1)?.get(), 1.0);
///
/// let error = make_scalar_integer_laplace_cks20(count, AbsoluteDistance::new(), -1.0).unwrap_err();
/// assert_eq!(error.parameter(), Some("scale"));
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn make_scalar_integer_laplace_cks20<T: Integer>(
    input_domain: AtomDomain<T>,
    input_metric: AbsoluteDistance<T>,
    scale: f64,
) -> Result<ScalarIntegerLaplaceCks20<T>> {
    let noise = Noise::new(scale)?;
    Ok(ScalarIntegerLaplaceCks20 { domain: input_domain, metric: input_metric, noise })
}

/// The mechanism of [`make_scalar_integer_laplace_cks20`].
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarIntegerLaplaceCks20<T: Integer> {
    domain: AtomDomain<T>,
    metric: AbsoluteDistance<T>,
    noise: Noise<T>,
}

impl<T: Integer> ScalarIntegerLaplaceCks20<T> {
    /// The scale of the noise.
    pub fn scale(&self) -> f64 {
        self.noise.scale
    }

    /// The same mechanism, whose time and random words do not depend on the numbers or the noise, but for a decision that comes
    /// out otherwise less than once in 2^121 numbers. See [`ConstantTimeLaplace`](deniable_sample::ConstantTimeLaplace). It is slower, the more so the larger the scale.
    ///
    /// What is looked at before anything is drawn is whether the number is a member of the domain: that time says, and so does the error.
    ///
    /// ```
    /// use deniable::prelude::*;
    ///
    /// let count = AtomDomain::<i64>::all();
    /// let noise = make_scalar_integer_laplace_cks20(count, AbsoluteDistance::new(), 1.0)?;
    /// let released: i64 = noise.with_constant_time().invoke(&17)?;
    /// # Ok::<(), deniable::Error>(())
    /// ```
    #[must_use]
    pub fn with_constant_time(self) -> Self {
        Self { noise: self.noise.in_constant_time(), ..self }
    }

    /// Whether it is [constant time](Self::with_constant_time).
    pub fn constant_time(&self) -> bool {
        self.noise.is_in_constant_time()
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
    /// # Errors
    ///
    /// A `confidence` that is not between 0 and 1.
    pub fn accuracy(&self, confidence: f64) -> Result<f64> {
        laplace_accuracy(self.noise.scale, 0, confidence)
    }
}

impl<T: Integer> Measurement for ScalarIntegerLaplaceCks20<T> {
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

    fn map(&self, d_in: u64) -> Result<Epsilon> {
        Ok(loss(d_in, self.noise.scale))
    }

    fn invoke_from(&self, number: &T, entropy: &mut dyn Entropy) -> Result<T> {
        self.randomize(number, entropy)
    }
}

impl<T: Integer> LocalRandomizer for ScalarIntegerLaplaceCks20<T> {
    #[cfg(feature = "std")]
    fn invoke_batch(&self, numbers: &[T]) -> Result<Vec<T>> {
        let mut noisy = numbers.to_vec();
        self.invoke_in_place(&mut noisy)?;
        Ok(noisy)
    }
}
