//! Code for the widest registers of the processor, and everything unsafe, behind interfaces that are safe to call.
//!
//! A kernel is plain code that is compiled more than once: for what every processor of the target has, and for
//! what better ones have besides. So all of them compute the same, and which of them runs is a matter of time only.
#![allow(unsafe_code)]

mod planes;

pub(crate) use planes::Planes;

/// Plain code that wider registers speed up.
pub(crate) trait Kernel {
    /// What it computes.
    type Output;

    /// Computes it. This function and those it calls are to be `#[inline(always)]`: only what is inlined into
    /// [`vectorized`] is compiled for wider registers. What takes a closure, such as `for_each`, may stay outside; a
    /// `for` loop does not.
    fn run(self) -> Self::Output;
}

/// Runs a kernel with the widest registers that this processor has.
#[inline]
pub(crate) fn vectorized<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: this processor has AVX2.
        return unsafe { with_avx2(kernel) };
    }
    kernel.run()
}

/// Runs a kernel with registers of 256 bits.
///
/// # Safety
///
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
