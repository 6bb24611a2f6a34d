//! What a mechanism is.

use alloc::boxed::Box;
// Small processors cannot count references from several threads.
#[cfg(target_has_atomic = "ptr")]
use alloc::sync::Arc;
use alloc::vec::Vec;

use deniable_sample::Entropy;
#[cfg(feature = "std")]
use deniable_sample::OsEntropy;

use crate::Result;
use crate::domain::{Carrier, Domain};
use crate::measure::{Loss, Measure};
use crate::metric::{Distance, Metric};

/// A mechanism: it takes a private input and releases a randomized output.
///
/// Two promises are made about every measurement of this crate, and checked on its code:
///
/// - *Privacy.* For any two members x and x′ of the domain at a distance of at most d_in, the output
///   distributions are at most `map(d_in)` apart. `map` errs upwards only.
/// - *Errors do not tell.* Any two members of the domain both get the same error or neither gets one. For randomized response that
///   holds even while the source of entropy fails: the words drawn do not depend on the input. Laplace noise may draw a word more
///   for one input than for another, so that there it is promised as long as entropy does not fail; the error does not say
///   at which draw it did.
///
/// It is a trait, so that functions can take any mechanism, and it can be a trait object.
///
/// ```
/// use deniable::prelude::*;
///
/// type Yes = dyn Measurement<
///     Domain = AtomDomain<bool>,
///     Metric = DiscreteDistance,
///     Measure = MaxDivergence,
///     Output = bool,
/// >;
/// let mechanism: Box<Yes> = Box::new(make_randomized_response_bool(0.75, false)?);
/// assert!(mechanism.check(1, Epsilon::new(1.1)?)?); // ln 3 is 1.0986…
/// # Ok::<(), deniable::Error>(())
/// ```
pub trait Measurement: Send + Sync {
    /// The inputs that are accepted.
    type Domain: Domain;
    /// How the distance between inputs is measured.
    type Metric: Metric;
    /// How the privacy loss is measured.
    type Measure: Measure;
    /// What is released.
    type Output;

    /// The inputs that are accepted.
    fn input_domain(&self) -> &Self::Domain;

    /// How the distance between inputs is measured.
    fn input_metric(&self) -> Self::Metric;

    /// How the privacy loss is measured.
    fn output_measure(&self) -> Self::Measure;

    /// An upper bound of the privacy loss between inputs that are at most `d_in` apart.
    ///
    /// # Errors
    ///
    /// [`InvalidDistance`](crate::ErrorKind::InvalidDistance): no distance of the metric.
    fn map(&self, d_in: Distance<Self::Metric>) -> Result<Loss<Self::Measure>>;

    /// Whether inputs that are at most `d_in` apart lose at most `d_out`.
    ///
    /// # Errors
    ///
    /// As [`map`](Measurement::map).
    fn check(&self, d_in: Distance<Self::Metric>, d_out: Loss<Self::Measure>) -> Result<bool> {
        Ok(self.map(d_in)? <= d_out)
    }

    /// Releases a randomized output.
    ///
    /// # Errors
    ///
    /// [`NotAMember`](crate::ErrorKind::NotAMember): the input is outside the domain;
    /// [`EntropyUnavailable`](crate::ErrorKind::EntropyUnavailable): then nothing is released.
    #[cfg(feature = "std")]
    fn invoke(&self, input: &Carrier<Self::Domain>) -> Result<Self::Output> {
        self.invoke_from(input, &mut OsEntropy::new())
    }

    /// Releases a randomized output, with randomness from `entropy`.
    ///
    /// The privacy promise holds if its words are independent, uniformly random, and used for nothing else.
    ///
    /// # Errors
    ///
    /// As [`invoke`](Measurement::invoke).
    fn invoke_from(
        &self,
        input: &Carrier<Self::Domain>,
        entropy: &mut dyn Entropy,
    ) -> Result<Self::Output>;
}

// Every method is forwarded, those with a default too: a mechanism may have its own.
macro_rules! behind_a_pointer {
    ($($pointer:ty)*) => {$(
        impl<M: Measurement + ?Sized> Measurement for $pointer {
            type Domain = M::Domain;
            type Metric = M::Metric;
            type Measure = M::Measure;
            type Output = M::Output;

            fn input_domain(&self) -> &M::Domain {
                (**self).input_domain()
            }

            fn input_metric(&self) -> M::Metric {
                (**self).input_metric()
            }

            fn output_measure(&self) -> M::Measure {
                (**self).output_measure()
            }

            fn map(&self, d_in: Distance<M::Metric>) -> Result<Loss<M::Measure>> {
                (**self).map(d_in)
            }

            fn check(&self, d_in: Distance<M::Metric>, d_out: Loss<M::Measure>) -> Result<bool> {
                (**self).check(d_in, d_out)
            }

            #[cfg(feature = "std")]
            fn invoke(&self, input: &Carrier<M::Domain>) -> Result<M::Output> {
                (**self).invoke(input)
            }

            fn invoke_from(
                &self,
                input: &Carrier<M::Domain>,
                entropy: &mut dyn Entropy,
            ) -> Result<M::Output> {
                (**self).invoke_from(input, entropy)
            }
        }

        impl<M: LocalRandomizer + ?Sized> LocalRandomizer for $pointer
        where
            Carrier<M::Domain>: Sized,
        {
            #[cfg(feature = "std")]
            fn invoke_batch(&self, inputs: &[Carrier<M::Domain>]) -> Result<Vec<M::Output>> {
                (**self).invoke_batch(inputs)
            }

            fn invoke_batch_from(
                &self,
                inputs: &[Carrier<M::Domain>],
                entropy: &mut dyn Entropy,
            ) -> Result<Vec<M::Output>> {
                (**self).invoke_batch_from(inputs, entropy)
            }
        }
    )*};
}

behind_a_pointer!(&M Box<M>);
#[cfg(target_has_atomic = "ptr")]
behind_a_pointer!(Arc<M>);

/// A measurement that each respondent applies to their own answer.
///
/// Randomizing the answers of many respondents is not the same as releasing one vector: each respondent
/// loses `map(d_in)` about their own answer, however many there are.
pub trait LocalRandomizer: Measurement
where
    Carrier<Self::Domain>: Sized,
{
    /// Randomizes one answer each of many respondents.
    ///
    /// # Errors
    ///
    /// As [`Measurement::invoke`]. Then nothing is released for anybody.
    #[cfg(feature = "std")]
    fn invoke_batch(&self, inputs: &[Carrier<Self::Domain>]) -> Result<Vec<Self::Output>> {
        self.invoke_batch_from(inputs, &mut OsEntropy::new())
    }

    /// The same, with randomness from `entropy`.
    ///
    /// # Errors
    ///
    /// As [`Measurement::invoke`]. Then nothing is released for anybody.
    fn invoke_batch_from(
        &self,
        inputs: &[Carrier<Self::Domain>],
        entropy: &mut dyn Entropy,
    ) -> Result<Vec<Self::Output>> {
        // All inputs first: whether an input is a member must not decide how much is drawn for others.
        self.input_domain().check_members(inputs)?;
        inputs.iter().map(|input| self.invoke_from(input, entropy)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::Script;
    use crate::{AtomDomain, DiscreteDistance, Epsilon, ErrorKind, MaxDivergence};

    /// The words that it is given, and a loss of 1.
    struct Words(AtomDomain<i64>);

    impl Measurement for Words {
        type Domain = AtomDomain<i64>;
        type Metric = DiscreteDistance;
        type Measure = MaxDivergence;
        type Output = (i64, u64);

        fn input_domain(&self) -> &AtomDomain<i64> {
            &self.0
        }

        fn input_metric(&self) -> DiscreteDistance {
            DiscreteDistance
        }

        fn output_measure(&self) -> MaxDivergence {
            MaxDivergence
        }

        fn map(&self, _: u32) -> Result<Epsilon> {
            Epsilon::new(1.0)
        }

        fn invoke_from(&self, input: &i64, entropy: &mut dyn Entropy) -> Result<(i64, u64)> {
            let mut words = [0];
            entropy.fill(&mut words)?;
            Ok((*input, words[0]))
        }
    }

    impl LocalRandomizer for Words {}

    /// What a mechanism need not write itself.
    #[test]
    fn defaults_are_made_of_the_rest() {
        let words = Words(AtomDomain::bounded(0, 9).unwrap());
        let within = |epsilon| words.check(1, Epsilon::new(epsilon).unwrap()).unwrap();
        assert_eq!([0.9, 1.0, 1.1].map(within), [false, true, true]);
        let batch = words.invoke_batch_from(&[5, 6], &mut Script::new([1, 2]));
        assert_eq!(batch.unwrap(), [(5, 1), (6, 2)]);
        assert_eq!(words.invoke(&7).unwrap().0, 7);
        let batch = words.invoke_batch(&[5, 6]).unwrap();
        assert!(batch.iter().map(|&(input, _)| input).eq([5, 6]) && batch[0].1 != batch[1].1);
        let error = words.invoke_batch_from(&[5, 10], &mut Script::new([])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotAMember);
    }
}
