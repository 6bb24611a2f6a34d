//! Requests to memcheck, the part of valgrind that follows undefined bits through a program.
//!
//! Memcheck reports a jump or an address that depends on undefined bits. Random words that are marked
//! undefined are therefore secrets, and each report is a leak through time. On a machine without
//! valgrind the requests do nothing; they exist on `x86_64` only.

/// Whether memcheck, or another tool of valgrind, runs this program.
pub(crate) fn running_on_valgrind() -> bool {
    request(RUNNING_ON_VALGRIND, 0, 0) != 0
}

/// Makes every use of `words` as a condition or an address an error, and of all that is computed from
/// them. Their values stay what they are.
pub(crate) fn mark_secret(words: &mut [u64]) {
    request(MAKE_MEM_UNDEFINED, words.as_mut_ptr().expose_provenance(), size_of_val(words));
}

/// Declares that `words` may be looked at again.
pub(crate) fn mark_public(words: &mut [u64]) {
    request(MAKE_MEM_DEFINED, words.as_mut_ptr().expose_provenance(), size_of_val(words));
}

/// Whether any bit of `words` is secret, or computed from one that is.
pub(crate) fn is_secret(words: &[u64]) -> bool {
    let mut undefined = vec![0_u64; words.len()];
    let [words_at, undefined_at] =
        [words.as_ptr().expose_provenance(), undefined.as_mut_ptr().expose_provenance()];
    let request = [GET_VBITS, words_at, undefined_at, size_of_val(words)];
    request_of(request) == 1 && undefined.iter().any(|&bits| bits != 0)
}

/// How many errors memcheck has found since the start of the program, repeated ones included.
pub(crate) fn error_count() -> usize {
    request(COUNT_ERRORS, 0, 0)
}

// From valgrind.h and memcheck.h, whose numbers are a stable interface.
const RUNNING_ON_VALGRIND: usize = 0x1001;
const COUNT_ERRORS: usize = 0x1201;
const MAKE_MEM_UNDEFINED: usize = MEMCHECK + 1;
const MAKE_MEM_DEFINED: usize = MEMCHECK + 2;
const GET_VBITS: usize = MEMCHECK + 8;
const MEMCHECK: usize = (b'M' as usize) << 24 | (b'C' as usize) << 16;

#[cfg(target_arch = "x86_64")]
fn request_of([code, first, second, third]: [usize; 4]) -> usize {
    let arguments = [code, first, second, third, 0, 0];
    let mut answer = 0_usize;
    // SAFETY: on the processor the four rotations add up to 128 bits and the exchange is of a register
    // with itself, so nothing changes but the flags, which the compiler takes for lost. Valgrind knows
    // the sequence, reads `arguments` and sets rdx. The memory clobber, which is the default, makes the
    // compiler load the marked words again, so that it works with the marked copy.
    unsafe {
        core::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") answer,
            options(nostack),
        );
    }
    answer
}

#[cfg(not(target_arch = "x86_64"))]
fn request_of(_: [usize; 4]) -> usize {
    0
}

fn request(code: usize, address: usize, length: usize) -> usize {
    request_of([code, address, length, 0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_change_no_value() {
        let mut words = [1, u64::MAX, 3];
        mark_secret(&mut words);
        mark_public(&mut words);
        assert_eq!(words, [1, u64::MAX, 3]);
    }
}
