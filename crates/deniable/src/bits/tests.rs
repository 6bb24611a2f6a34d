use super::*;

/// Bits without a pattern that a shift by a word or a byte would keep.
fn bits(length: usize) -> Vec<bool> {
    (0..length).map(|i| (i * i + i / 3) % 5 < 2).collect()
}

/// All lengths around the edges of bytes and words.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=200).chain([255, 256, 257, 1000])
}

#[test]
fn every_conversion_gives_the_bits_back() {
    for length in lengths() {
        let bools = bits(length);
        let vector = BitVector::from(&bools[..]);
        assert_eq!(vector.len(), length);
        assert_eq!(vector.is_empty(), length == 0);
        assert_eq!(Vec::from(&vector), bools);
        assert_eq!(Vec::from(vector.clone()), bools);
        assert_eq!(BitVector::from(bools.clone()), vector);
        assert_eq!(BitVector::from_bytes(&vector.to_bytes(), length).unwrap(), vector);
        assert_eq!(BitVector::from_words(vector.as_words().to_vec(), length).unwrap(), vector);
        assert_eq!(vector.count_ones(), bools.iter().filter(|&&bit| bit).count());
        assert!((0..length).all(|i| vector.get(i) == Some(bools[i])));
        assert_eq!(vector.get(length), None);
        assert_eq!(vector.iter().len(), length);
    }
}

#[test]
fn rows_are_sliced_out_of_a_packed_column() {
    let bools = bits(640);
    let column = BitVector::from(&bools[..]);
    for start in (0..200).chain([256, 319, 320]) {
        for length in [0, 1, 7, 63, 64, 65, 127, 128, 129, 320] {
            let row = BitVector::from_packed(column.as_words(), start, length).unwrap();
            assert_eq!(row, BitVector::from(&bools[start..start + length]));
        }
    }
    assert!(BitVector::from_packed(column.as_words(), 640, 0).is_ok());
    for (start, length) in [(640, 1), (0, 641), (641, 0), (usize::MAX, 1), (1, usize::MAX)] {
        let error = BitVector::from_packed(column.as_words(), start, length).unwrap_err();
        assert_eq!(error.parameter(), Some("start"));
    }
}

/// The last word's spare bits are zero on every way in, so that equal vectors are equal words.
#[test]
fn nothing_is_left_behind_the_last_bit() {
    for length in lengths() {
        let ones = vec![u64::MAX; length.div_ceil(64)];
        let bytes = vec![0xff; length.div_ceil(8)];
        let all = BitVector::from(vec![true; length]);
        assert_eq!(BitVector::from_bytes(&bytes, length).unwrap(), all);
        assert_eq!(BitVector::from_packed(&ones, 0, length).unwrap(), all);
        assert_eq!(BitVector::from_words(ones, length).is_ok(), length % 64 == 0);
        assert_eq!(all.count_ones(), length);
    }
}

#[test]
fn refused_lengths() {
    assert!(BitVector::from_words(vec![], 1).is_err());
    assert!(BitVector::from_words(vec![0, 0], 64).is_err());
    assert!(BitVector::from_words(vec![2], 1).is_err());
    assert!(BitVector::from_bytes(&[0, 0], 8).is_err());
    assert!(BitVector::from_bytes(&[], 1).is_err());
    assert!(BitVector::zeros(3).set(3, true).is_err());
}

#[test]
fn set_changes_one_bit() {
    let mut vector = BitVector::zeros(130);
    for i in [0, 63, 64, 129] {
        vector.set(i, true).unwrap();
        assert_eq!(vector.count_ones(), 1);
        assert_eq!(vector.get(i), Some(true));
        vector.set(i, false).unwrap();
    }
    assert_eq!(format!("{:?}", BitVector::from([true, false])), "BitVector(10)");
}

#[cfg(feature = "bitvec")]
#[test]
fn bitvec_there_and_back() {
    use bitvec::prelude::{BitVec, Lsb0, Msb0};
    for length in lengths() {
        let vector = BitVector::from(bits(length));
        let (least, most): (BitVec<u8, Msb0>, BitVec<usize, Lsb0>) =
            ((&vector).into(), (&vector).into());
        assert_eq!(BitVector::from(least), vector);
        assert_eq!(BitVector::from(most.as_bitslice()), vector);
    }
}

#[cfg(feature = "fixedbitset")]
#[test]
fn fixedbitset_there_and_back() {
    for length in lengths() {
        let vector = BitVector::from(bits(length));
        assert_eq!(BitVector::from(&fixedbitset::FixedBitSet::from(&vector)), vector);
    }
}
