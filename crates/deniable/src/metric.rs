//! How far apart two inputs are.

use core::fmt;
use core::marker::PhantomData;

use crate::domain::Number;

/// How far apart two inputs are.
pub trait Metric: Clone + PartialEq + fmt::Debug + Send + Sync {
    /// A distance in this metric.
    type Distance: Copy + fmt::Debug;
}

/// The distances of a [`Metric`].
pub type Distance<M> = <M as Metric>::Distance;

/// 0 between equal inputs, 1 between any others. What a person could have answered instead is at distance 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiscreteDistance;

impl Metric for DiscreteDistance {
    type Distance = u32;
}

macro_rules! numeric_metric {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name<T>(PhantomData<fn() -> T>);

        impl<T> $name<T> {
            /// The metric. It has no parameters.
            pub const fn new() -> Self {
                $name(PhantomData)
            }
        }

        impl<T: Number> Metric for $name<T> {
            type Distance = T::Distance;
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T> Default for $name<T> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<T> PartialEq for $name<T> {
            fn eq(&self, _: &Self) -> bool {
                true
            }
        }

        impl<T> Eq for $name<T> {}

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

numeric_metric!(
    /// |x − y| of two numbers. A distance between floats is a float, between integers a `u64`.
    AbsoluteDistance
);

numeric_metric!(
    /// |x₁ − y₁| + |x₂ − y₂| + … of two vectors of one length. Vectors of two lengths are at no finite distance.
    L1Distance
);
