//! Noise for many answers at once.

use deniable_sample::{Dyadic, FLIPS, Scratch, Source, Word};

use crate::Result;

/// How many flips are drawn at once.
pub(crate) const fn flips<S: Source + ?Sized>() -> usize {
    FLIPS * S::Word::BITS as usize
}

/// Flips of packed bits: each of them with the probability of `law`, or each but with that probability.
pub(crate) struct Flips {
    pub(crate) law: Dyadic,
    pub(crate) constant_time: bool,
    /// Whether the law is that of the bits that stay.
    pub(crate) of_kept: bool,
}

impl Flips {
    /// Flips the first `length` bits of some words.
    #[inline]
    pub(crate) fn flip<S: Source + ?Sized>(
        &self,
        bits: &mut [u64],
        length: usize,
        scratch: &mut Scratch<S::Word>,
        source: &mut S,
    ) -> Result<()> {
        let width = S::Word::BITS as usize;
        let kept = u64::from(self.of_kept).wrapping_neg();
        let mut drawn = [0; FLIPS];
        for first in (0..length).step_by(flips::<S>()) {
            let count = flips::<S>().min(length - first);
            let drawn = &mut drawn[..count.div_ceil(width)];
            self.law.sample_flips(drawn, count, self.constant_time, scratch, source)?;
            if width == 64 {
                for (word, drawn) in bits[first / 64..].iter_mut().zip(drawn) {
                    *word ^= *drawn ^ kept;
                }
            } else {
                for (at, drawn) in (first..first + count).step_by(width).zip(drawn) {
                    bits[at / 64] ^= ((*drawn ^ kept) & lowest(width)) << (at % 64);
                }
            }
            // What was turned behind the last bit is turned back.
            if count % width != 0 {
                let last = first + count - count % width;
                bits[last / 64] ^= (kept & lowest(width) & !lowest(count % width)) << (last % 64);
            }
        }
        Ok(())
    }
}

/// A word whose lowest bits are ones, up to 64 of them.
#[inline]
fn lowest(bits: usize) -> u64 {
    u64::MAX.checked_shr(64 - bits as u32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::cmp::Ordering;
    use core::marker::PhantomData;

    use deniable_sample::Low;

    use super::*;

    /// A word of eight bits, or the low half of a product of two.
    #[derive(Clone, Copy)]
    struct Byte(u8);

    impl Word for Byte {
        const BITS: u32 = 8;

        type Low = Byte;

        fn compare(self, digit: u64) -> Ordering {
            self.value().cmp(&digit)
        }

        fn below_and_equal(self, digit: u64) -> (u64, u64) {
            (u64::from(self.value() < digit), u64::from(self.value() == digit))
        }

        fn mul(self, n: u64) -> (u64, Byte) {
            let product = self.value() * n;
            (product >> 8, Byte(product as u8))
        }

        fn value(self) -> u64 {
            self.0.into()
        }
    }

    impl Low for Byte {
        fn is_below(self, threshold: u64) -> bool {
            self.value() < threshold
        }
    }

    /// Words without a pattern.
    struct Mixed<W>(u64, PhantomData<W>);

    impl<W> Mixed<W> {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (self.0 ^ self.0 >> 29).wrapping_mul(0xd134_2543_de82_ef95)
        }
    }

    impl Source for Mixed<Byte> {
        type Word = Byte;

        fn draw(&mut self) -> deniable_sample::Result<Byte> {
            Ok(Byte((self.next() >> 56) as u8))
        }
    }

    impl Source for Mixed<u64> {
        type Word = u64;

        fn draw(&mut self) -> deniable_sample::Result<u64> {
            Ok(self.next())
        }
    }

    /// Each bit is turned by the flip of its number, and no bit behind the last one is.
    fn check<W>()
    where
        W: Word,
        Mixed<W>: Source<Word = W>,
    {
        let (law, width) = (Dyadic::from_float(0.375).unwrap(), W::BITS as usize);
        let most = flips::<Mixed<W>>();
        for length in [1, 7, 8, 9, 63, 64, 65, 100, 128, most - 3, most, most + 1, 2 * most + 70] {
            for of_kept in [false, true] {
                let source = || Mixed(length as u64, PhantomData::<W>);
                let before: Vec<u64> = (0..length.div_ceil(64) as u64 + 1)
                    .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
                    .collect();
                let (mut expected, mut drawing) = (before.clone(), source());
                for first in (0..length).step_by(most) {
                    let count = most.min(length - first);
                    let mut drawn = vec![0; count.div_ceil(width)];
                    law.sample_flips(&mut drawn, count, false, &mut Scratch::new(), &mut drawing)
                        .unwrap();
                    for i in 0..count {
                        let is_turned = (drawn[i / width] >> (i % width) & 1 == 1) != of_kept;
                        expected[(first + i) / 64] ^= u64::from(is_turned) << ((first + i) % 64);
                    }
                }
                let (mut bits, flips) = (before, Flips { law, constant_time: false, of_kept });
                let words = length.div_ceil(64);
                flips.flip(&mut bits[..words], length, &mut Scratch::new(), &mut source()).unwrap();
                assert_eq!(bits, expected, "{length} {of_kept}");
            }
        }
    }

    #[test]
    fn each_bit_is_turned_by_its_flip() {
        check::<u64>();
        check::<Byte>();
    }
}
