//! The processor's control word for floating point, which any library in a process may have changed.

/// The ways in which a processor can be set: rounding to the nearest, down, up, to zero; and for each, subnormal results as they
/// are or flushed to zero, subnormal operands as they are or taken for zero.
pub const SETTINGS: [u32; 16] = {
    const FLUSHED: u32 = 1 << 15;
    const TAKEN_FOR_ZERO: u32 = 1 << 6;
    let mut settings = [0; 16];
    let mut i = 0;
    while i < 16 {
        // All exceptions stay masked.
        settings[i] = 0x1f80
            | (i as u32 / 4) << 13
            | if i & 2 != 0 { FLUSHED } else { 0 }
            | if i & 1 != 0 { TAKEN_FOR_ZERO } else { 0 };
        i += 1;
    }
    settings
};

/// Runs `f` with the processor set so, on this thread, and sets it back. None on a machine without this control word.
#[cfg(target_arch = "x86_64")]
pub fn with_setting<R>(setting: u32, f: impl FnOnce() -> R) -> Option<R> {
    let before = read();
    write(setting);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
    write(before);
    match result {
        Ok(result) => Some(result),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Runs `f` with the processor set so, on this thread, and sets it back. None on a machine without this control word.
#[cfg(not(target_arch = "x86_64"))]
pub fn with_setting<R>(_setting: u32, _f: impl FnOnce() -> R) -> Option<R> {
    None
}

#[cfg(target_arch = "x86_64")]
fn read() -> u32 {
    let mut word = 0u32;
    // SAFETY: stores four bytes at an address that is valid for them.
    unsafe { core::arch::asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack)) };
    word
}

#[cfg(target_arch = "x86_64")]
fn write(word: u32) {
    // SAFETY: loads four bytes that are valid. What is set are rounding and flushing, with all exceptions masked, so that no
    // instruction traps. The compiler takes the default for granted: what runs under another setting may compute other
    // floats than it expects, which is what is looked for, but no code here relies on a float for memory safety.
    unsafe { core::arch::asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack)) };
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use core::hint::black_box;

    #[test]
    fn the_settings_do_what_they_say() {
        let tiny = black_box(5e-324f64);
        let third = |setting| with_setting(setting, || black_box(1.0f64) / black_box(3.0)).unwrap();
        let is_zero = |setting| with_setting(setting, || black_box(tiny) == 0.0).unwrap();
        assert_eq!(SETTINGS.map(is_zero), core::array::from_fn(|i| i % 2 == 1));
        assert!(third(SETTINGS[8]) > third(SETTINGS[4]));
        let half = |setting| {
            with_setting(setting, || (black_box(f64::MIN_POSITIVE) * black_box(0.3)).to_bits())
                .unwrap()
        };
        assert!(half(SETTINGS[0]) > 0 && half(SETTINGS[2]) == 0);
        assert!(!is_zero(read()));
    }
}
