//! What mechanisms of one answer have in common.

/// The items of [`Measurement`](crate::Measurement) of a mechanism that takes one answer, and has one loss for any two that differ: that of its field `epsilon`. Its law is that
/// of its function `randomize`.
macro_rules! measurement_of_one_answer {
    ($domain:ty, $output:ty) => {
        type Domain = $domain;
        type Metric = $crate::DiscreteDistance;
        type Measure = $crate::MaxDivergence;
        type Output = $output;

        fn input_domain(&self) -> &$domain {
            &self.domain
        }

        fn input_metric(&self) -> $crate::DiscreteDistance {
            $crate::DiscreteDistance
        }

        fn output_measure(&self) -> $crate::MaxDivergence {
            $crate::MaxDivergence
        }

        fn map(&self, d_in: u32) -> $crate::Result<$crate::Epsilon> {
            Ok(if d_in == 0 { $crate::Epsilon::ZERO } else { self.epsilon })
        }

        #[cfg(feature = "std")]
        #[inline]
        fn invoke(&self, answer: &$crate::domain::Carrier<$domain>) -> $crate::Result<$output> {
            self.randomize(answer, &mut $crate::OsEntropy::new())
        }

        #[inline]
        fn invoke_from(
            &self,
            answer: &$crate::domain::Carrier<$domain>,
            entropy: &mut dyn $crate::Entropy,
        ) -> $crate::Result<$output> {
            self.randomize(answer, entropy)
        }
    };
}

pub(super) use measurement_of_one_answer;
