//! [`Mini`] as an atom of domains.

use deniable::domain::{Atom, Number};

use crate::mini::Mini;

/// So that the mechanisms, which are generic, take it as they take `f32` and `f64`.
impl Atom for Mini {
    const NAME: &'static str = "a number";
    const HAS_NAN: bool = true;

    fn is_finite(self) -> bool {
        self.0 >> 3 & 15 != 15
    }

    fn is_at_most(self, other: Self) -> bool {
        // Bits are in the order of magnitudes; both zeros are at 0.
        let place = |x: Mini| {
            let magnitude = i16::from(x.0 & 0x7f);
            if x.0 >> 7 == 1 { -magnitude } else { magnitude }
        };
        place(self) <= place(other)
    }
}

impl Number for Mini {
    type Distance = Mini;
}
