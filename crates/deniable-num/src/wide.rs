//! Products of 128-bit integers.

/// The high and the low half of a product.
#[inline]
pub(crate) fn mul_u128(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0) = (a >> 64, a & LOW);
    let (b1, b0) = (b >> 64, b & LOW);
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 64);
    let (middle, carry) = (middle & LOW, middle >> 64);
    let middle = middle + a0 * b1;
    let high = a1 * b1 + carry + (middle >> 64);
    (high, middle << 64 | low & LOW)
}

/// The high half of a product.
#[inline]
pub(crate) fn mul_high(a: u128, b: u128) -> u128 {
    mul_u128(a, b).0
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;

    #[test]
    fn products_agree_with_big_integers() {
        let edges = [0, 1, 2, u128::MAX, u128::MAX - 1, 1 << 64, (1 << 64) - 1, 1 << 127, 3 << 63];
        let spread =
            (0..40).map(|i| 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128.rotate_left(3 * i));
        let all: Vec<u128> = edges.into_iter().chain(spread).collect();
        for &a in &all {
            for &b in &all {
                let (high, low) = mul_u128(a, b);
                let product = (BigUint::from(high) << 128u32) + low;
                assert_eq!(product, BigUint::from(a) * b);
                assert_eq!(mul_high(a, b), high);
            }
        }
    }
}
