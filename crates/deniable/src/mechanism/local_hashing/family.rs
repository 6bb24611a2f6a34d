//! The hash functions: exactly pairwise independent, for any number of buckets.

/// How many residues a hash function of so many places has: the shift, and a step for each binary digit of a place.
pub(super) fn seed_length(places: usize) -> usize {
    1 + (usize::BITS - (places - 1).leading_zeros()) as usize
}

/// The seed of a row, and its bucket, which is the last number.
#[inline(always)]
pub(super) fn parts(row: &[u16]) -> (&[u16], u16) {
    let (&bucket, seed) = row.split_last().expect("a row has a bucket");
    (seed, bucket)
}

/// The bucket of a place: the shift, which is the first of the seed, plus the step of each digit of the place that is one, modulo `buckets`.
#[inline]
pub(super) fn hash(seed: &[u16], place: u32, buckets: u32) -> u32 {
    // At most 33 residues below 2^16.
    let mut sum = u32::from(seed[0]);
    for (digit, &step) in seed[1..].iter().enumerate() {
        sum += u32::from(step) * (place >> digit & 1);
    }
    sum % buckets
}
