use alloc::vec::Vec;

use deniable_num::Float;
use deniable_sample::{Entropy, Source};

use super::{Noise, check_size, laplace_accuracy};
use crate::domain::{AtomDomain, Domain, Number, VectorDomain};
use crate::{Epsilon, L1Distance, MaxDivergence, Measurement, Result};

/// Releases a vector of floats with discrete Laplace noise of one `scale` on the grid 2^k·ℤ added to each.
///
/// Each number is rounded to the grid, ties up; exact noise on the grid is added; the sum is rounded to the nearest
/// float. A sum beyond the type's range becomes its largest number of that sign. A zero is +0.0. At a `scale` of 0 the
/// vector itself is released.
///
/// Without a `k` the grid is the type's finest, and nothing is lost by rounding. A coarser grid costs privacy, which
/// `map` accounts for, and makes whole numbers, say, of the outputs.
///
/// # Privacy
///
/// On the finest grid ε = d_in/scale, rounded up. On a coarser one, with vectors of n numbers, s = 2^k, and g the least distance at
/// which two floats can round to different points of the grid, ε = s·⌊(d_in + c(s − g))/s⌋/scale, where c = min(n, ⌊d_in/g⌋) numbers
/// can end apart; g is 2^(k−54) for `f64` and 2^(k−25) for `f32`, or the type's finest step if that is more. The number of random words
/// drawn, and time, depend on the noise, and may depend on the numbers: more are drawn where a rounding is in doubt, up to four times in a hundred, and tables are read
/// at places that random words say. There is no form in constant time; [noise on integers](crate::make_vector_integer_laplace_cks20) has one.
///
/// # Length
///
/// The output is as long as the input. Where the domain has no size, the length of the vector is released as it is, and nothing is
/// promised about vectors of different lengths.
///
/// # Errors
///
/// A domain that admits NaN; a `scale` that is negative or not finite; a `k` for which 2^k is beyond the type's range; a `k`
/// coarser than the finest grid without a known vector size.
///
/// # Examples
///
/// ```
/// use deniable::prelude::*;
///
/// let domain = VectorDomain::finite::<f64>().with_size(3);
/// let noise = make_vector_float_laplace_cks20(domain, L1Distance::new(), 2.0, None)?;
/// let released = noise.invoke(&[1.0, 2.0, 3.0])?;
/// assert_eq!(noise.map(1.0)?.get(), 0.5);
///
/// let error = noise.invoke(&[1.0, 2.0, f64::NAN]).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "invalid input: it is not a member of the domain; \
///      accepted is a vector of length 3, each element a number that is finite",
/// );
/// # Ok::<(), deniable::Error>(())
/// ```
pub fn make_vector_float_laplace_cks20<T: Number<Distance = T> + Float>(
    input_domain: VectorDomain<AtomDomain<T>>,
    input_metric: L1Distance<T>,
    scale: T,
    k: Option<i32>,
) -> Result<VectorFloatLaplaceCks20<T>> {
    let noise = Noise::new(input_domain.element(), scale, k)?;
    check_size(input_domain.size(), noise.relaxation)?;
    Ok(VectorFloatLaplaceCks20 { domain: input_domain, metric: input_metric, noise })
}

/// The mechanism of [`make_vector_float_laplace_cks20`].
#[derive(Clone, Debug, PartialEq)]
pub struct VectorFloatLaplaceCks20<T: Number> {
    domain: VectorDomain<AtomDomain<T>>,
    metric: L1Distance<T>,
    noise: Noise<T>,
}

impl<T: Number<Distance = T> + Float> VectorFloatLaplaceCks20<T> {
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
    /// It is ∞ where it exceeds every float. Rounding to a coarse grid adds up to 2^(k−1), and rounding the sum to a float half a unit of its last place.
    ///
    /// # Errors
    ///
    /// A `confidence` that is not between 0 and 1.
    pub fn accuracy(&self, confidence: f64) -> Result<f64> {
        laplace_accuracy(self.noise.scale, self.noise.k, confidence)
    }
}

impl<T: Number<Distance = T> + Float> Measurement for VectorFloatLaplaceCks20<T> {
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

    fn map(&self, d_in: T) -> Result<Epsilon> {
        self.noise.map(d_in, self.domain.size())
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
