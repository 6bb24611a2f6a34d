use alloc::vec::Vec;

use deniable_sample::{Entropy, Source};

use super::{Integer, Noise, loss};
use crate::domain::{AtomDomain, Domain, VectorDomain};
use crate::mechanism::vector_float_laplace_cks20::laplace_accuracy;
use crate::{Epsilon, L1Distance, MaxDivergence, Measurement, Result};

/// Releases a vector of integers with discrete Laplace noise of one `scale` added to each.
///
/// A sum beyond the type's range becomes its largest or smallest number. At a `scale` of 0 the vector itself is
/// released.
///
/// # Privacy
///
/// ε = d_in/scale, rounded up. The number of random words drawn, and time, depend on the noise, and may depend on the numbers: a larger magnitude
/// takes another way, more words are drawn where an integer is not yet decided, and a sum is clamped or not. Where somebody can measure that, use
/// [`with_constant_time`](VectorIntegerLaplaceCks20::with_constant_time).
///
/// # Length
///
/// The output is as long as the input. Where the domain has no size, the length of the vector is released as it is, and nothing is
/// promised about vectors of different lengths.
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
/// let counts = VectorDomain::finite::<i64>().with_size(2);
/// let noise = make_vector_integer_laplace_cks20(counts, L1Distance::new(), 2.0)?;
/// let released = noise.invoke(&[17, 4])?;
/// assert_eq!(noise.map(1)?.get(), 0.5);
///
/// assert!(noise.invoke(&[17, 4, 1]).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn make_vector_integer_laplace_cks20<T: Integer>(
    input_domain: VectorDomain<AtomDomain<T>>,
    input_metric: L1Distance<T>,
    scale: f64,
) -> Result<VectorIntegerLaplaceCks20<T>> {
    let noise = Noise::new(scale)?;
    Ok(VectorIntegerLaplaceCks20 { domain: input_domain, metric: input_metric, noise })
}

/// The mechanism of [`make_vector_integer_laplace_cks20`].
#[derive(Clone, Debug, PartialEq)]
pub struct VectorIntegerLaplaceCks20<T: Integer> {
    domain: VectorDomain<AtomDomain<T>>,
    metric: L1Distance<T>,
    noise: Noise<T>,
}

impl<T: Integer> VectorIntegerLaplaceCks20<T> {
    /// The scale of the noise.
    pub fn scale(&self) -> f64 {
        self.noise.scale
    }

    /// The same mechanism, whose time and random words do not depend on the numbers or the noise, but for a decision that comes
    /// out otherwise less than once in 2^121 numbers. See [`ConstantTimeLaplace`](deniable_sample::ConstantTimeLaplace). It is slower, the more so the larger the scale.
    ///
    /// What is looked at before anything is drawn is whether the vector is a member of the domain: that time says, and so does the error.
    ///
    /// ```
    /// use deniable::prelude::*;
    ///
    /// let counts = VectorDomain::finite::<i64>().with_size(2);
    /// let noise = make_vector_integer_laplace_cks20(counts, L1Distance::new(), 2.0)?;
    /// let released = noise.with_constant_time().invoke(&[17, 4])?;
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
    pub fn randomize<S: Source + ?Sized>(&self, numbers: &[T], source: &mut S) -> Result<Vec<T>> {
        self.domain.check_member(numbers)?;
        let mut noisy = numbers.to_vec();
        self.noise.add_to_all(&mut noisy, source)?;
        Ok(noisy)
    }

    /// Adds noise to numbers where they are.
    ///
    /// # Errors
    ///
    /// As [`Measurement::invoke`]. A vector that is no member stays as it is; if entropy fails, all numbers are 0.
    #[cfg(feature = "std")]
    pub fn invoke_in_place(&self, numbers: &mut [T]) -> Result<()> {
        self.domain.check_member(numbers)?;
        self.noise.add_to_all_in_parts(numbers)
    }

    /// The α such that the noise of one number is at most α with a probability of at least `confidence`, rounded up.
    ///
    /// # Errors
    ///
    /// A `confidence` that is not between 0 and 1.
    pub fn accuracy(&self, confidence: f64) -> Result<f64> {
        laplace_accuracy(self.noise.scale, 0, confidence)
    }
}

impl<T: Integer> Measurement for VectorIntegerLaplaceCks20<T> {
    type Domain = VectorDomain<AtomDomain<T>>;
    type Metric = L1Distance<T>;
    type Measure = MaxDivergence;
    type Output = Vec<T>;

    fn input_domain(&self) -> &Self::Domain {
        &self.domain
    }

    fn input_metric(&self) -> L1Distance<T> {
        self.metric
    }

    fn output_measure(&self) -> MaxDivergence {
        MaxDivergence
    }

    fn map(&self, d_in: u64) -> Result<Epsilon> {
        Ok(loss(d_in, self.noise.scale))
    }

    #[cfg(feature = "std")]
    fn invoke(&self, numbers: &[T]) -> Result<Vec<T>> {
        self.domain.check_member(numbers)?;
        let mut noisy = numbers.to_vec();
        self.noise.add_to_all_in_parts(&mut noisy)?;
        Ok(noisy)
    }

    fn invoke_from(&self, numbers: &[T], entropy: &mut dyn Entropy) -> Result<Vec<T>> {
        self.randomize(numbers, entropy)
    }
}
