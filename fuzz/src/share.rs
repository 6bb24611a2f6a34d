//! Probabilities that a constructor has a chance to accept.

use arbitrary::{Arbitrary, Result, Unstructured};

/// Any float, but most often one from 0 to 1: of all patterns of bits half are none of these.
#[derive(Clone, Copy, Debug)]
pub struct Share(pub f64);

impl<'a> Arbitrary<'a> for Share {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let below_1 = 1.0 - f64::EPSILON / 2.0;
        let ends = [0.0, -0.0, f64::from_bits(1), f64::MIN_POSITIVE, 0.5, 1.0 / 3.0, below_1, 1.0];
        Ok(Share(match u.arbitrary::<u8>()? % 4 {
            0 => u.arbitrary()?,
            1 => f64::from(u.arbitrary::<u16>()?) / 65536.0,
            2 => (u.arbitrary::<u64>()? >> 11) as f64 / (1u64 << 53) as f64,
            _ => *u.choose(&ends)?,
        }))
    }
}
