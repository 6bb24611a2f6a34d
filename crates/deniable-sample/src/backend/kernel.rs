//! Plain code compiled for more than one kind of processor.

/// Plain code that better instructions speed up.
///
/// It is compiled twice: for what every processor of the target has, and for what most have besides. Both compute the same.
pub trait Kernel {
    /// What it computes.
    type Output;

    /// Computes it. This function and those it calls are to be `#[inline(always)]`: only what is inlined into
    /// [`vectorized`] is compiled for the better instructions.
    fn run(self) -> Self::Output;
}

/// Runs a kernel with the best instructions that this processor has.
#[inline]
pub fn vectorized<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    if avx2::is_there() {
        // SAFETY: this processor has what the function is compiled for.
        return unsafe { avx2::run(kernel) };
    }
    kernel.run()
}

/// Runs the plain form of all kernels from now on, so that both forms can be checked on one machine.
pub fn without_vectors() {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    avx2::leave_out();
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod avx2 {
    use core::sync::atomic::{AtomicU8, Ordering};
    use std::arch::is_x86_feature_detected;

    use super::Kernel;

    /// Which of the two forms of kernels is run, once that is known.
    static KERNELS: AtomicU8 = AtomicU8::new(UNKNOWN);

    const UNKNOWN: u8 = 0;
    const PLAIN: u8 = 1;
    const VECTORIZED: u8 = 2;

    /// Whether the processor has AVX2 and the instructions on bits that came with it.
    #[inline]
    pub(super) fn is_there() -> bool {
        match KERNELS.load(Ordering::Relaxed) {
            UNKNOWN => look(),
            kernels => kernels == VECTORIZED,
        }
    }

    #[cold]
    fn look() -> bool {
        let is_there = all([
            is_x86_feature_detected!("avx2"),
            is_x86_feature_detected!("bmi1"),
            is_x86_feature_detected!("bmi2"),
            is_x86_feature_detected!("lzcnt"),
            is_x86_feature_detected!("popcnt"),
        ]);
        KERNELS.store(if is_there { VECTORIZED } else { PLAIN }, Ordering::Relaxed);
        is_there
    }

    fn all(features: [bool; 5]) -> bool {
        features == [true; 5]
    }

    pub(super) fn leave_out() {
        KERNELS.store(PLAIN, Ordering::Relaxed);
    }

    /// Runs a kernel with registers of 256 bits, and with instructions on single bits.
    ///
    /// # Safety
    ///
    /// The processor has AVX2, BMI1, BMI2, LZCNT and POPCNT.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn run<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }

    #[cfg(test)]
    #[cfg(target_os = "linux")]
    mod tests {
        use super::{all, is_there, look};
        use crate::backend::kernel::without_vectors;

        /// What the kernel says of the processor, not what the library asks it.
        fn is_listed() -> bool {
            let text = std::fs::read_to_string("/proc/cpuinfo").expect("procfs");
            let flags = text.lines().find(|line| line.starts_with("flags")).expect("x86");
            let flags: Vec<&str> = flags.split_whitespace().collect();
            // `abm` is LZCNT.
            ["avx2", "bmi1", "bmi2", "abm", "popcnt"].iter().all(|name| flags.contains(name))
        }

        #[test]
        fn vectors_are_used_where_they_are_and_until_they_are_left_out() {
            assert_eq!((is_there(), look()), (is_listed(), is_listed()));
            without_vectors();
            assert!(!is_there());
            // For the other tests.
            assert_eq!((look(), is_there()), (is_listed(), is_listed()));
        }

        #[test]
        fn one_kind_of_instructions_that_is_missing_is_enough() {
            assert!(all([true; 5]));
            for missing in 0..5 {
                let mut features = [true; 5];
                features[missing] = false;
                assert!(!all(features));
            }
        }
    }
}
