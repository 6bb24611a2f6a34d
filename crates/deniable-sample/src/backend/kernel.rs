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
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: this processor has what the function is compiled for.
        return unsafe { with_avx2(kernel) };
    }
    kernel.run()
}

/// Whether the processor has AVX2 and the instructions on bits that came with it.
#[cfg(target_arch = "x86_64")]
#[inline]
fn has_avx2() -> bool {
    use std::arch::is_x86_feature_detected;
    static HAS: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *HAS.get_or_init(|| {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    })
}

/// Runs a kernel with registers of 256 bits, and with instructions on single bits.
///
/// # Safety
///
/// The processor has AVX2, BMI1, BMI2, LZCNT and POPCNT.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
