//! Which inputs a mechanism accepts.

use alloc::borrow::Cow;
use core::fmt;
use core::marker::PhantomData;

use deniable_num::{Float, Upper};

use crate::bits::last_mask;
use crate::{BitVector, Error, Result};

/// A set of inputs.
pub trait Domain: Clone + PartialEq + fmt::Debug + Send + Sync {
    /// The type of the inputs. Not all its values need be members.
    type Carrier: ?Sized;

    /// Whether `value` is a member.
    fn is_member(&self, value: &Self::Carrier) -> bool;

    /// What the members are, in words: "accepted is …".
    fn members(&self) -> Cow<'static, str>;

    /// Passes members.
    ///
    /// # Errors
    ///
    /// [`NotAMember`](crate::ErrorKind::NotAMember) with the rule, and never with the value.
    fn check_member(&self, value: &Self::Carrier) -> Result<()> {
        if self.is_member(value) { Ok(()) } else { Err(Error::not_a_member(self.members())) }
    }

    /// Whether all values are members. Every one is looked at before that is decided: time does not tell which one is none.
    fn are_members(&self, values: &[Self::Carrier]) -> bool
    where
        Self::Carrier: Sized,
    {
        values.iter().fold(true, |are, value| are & self.is_member(value))
    }

    /// Passes values that are [all members](Self::are_members).
    ///
    /// # Errors
    ///
    /// As [`Domain::check_member`].
    fn check_members(&self, values: &[Self::Carrier]) -> Result<()>
    where
        Self::Carrier: Sized,
    {
        if self.are_members(values) { Ok(()) } else { Err(Error::not_a_member(self.members())) }
    }
}

/// The type of a [`Domain`]'s inputs.
pub type Carrier<D> = <D as Domain>::Carrier;

/// A plain value: a truth value or a number.
pub trait Atom: Copy + PartialEq + fmt::Debug + Send + Sync {
    /// What a value of this type is called in a message.
    const NAME: &'static str;

    /// Whether the type has values that are no finite numbers.
    const HAS_NAN: bool;

    /// Whether it is neither NaN nor infinite.
    fn is_finite(self) -> bool;

    /// Whether it is at most `other`. Both are finite.
    fn is_at_most(self, other: Self) -> bool;

    /// Whether it is from `lower` to `upper`, of which the first is at most the second. All are finite.
    fn is_within(self, lower: Self, upper: Self) -> bool {
        lower.is_at_most(self) && self.is_at_most(upper)
    }
}

/// A number, and the type of the distance between two of them.
pub trait Number: Atom {
    /// The distance between two of them.
    type Distance: Copy + fmt::Debug;
}

/// One value of type `T`: all of them, the finite ones, or those between two bounds.
///
/// ```
/// use deniable::{AtomDomain, Domain};
///
/// assert!(AtomDomain::<f64>::all().is_member(&f64::NAN));
/// assert!(!AtomDomain::<f64>::finite().is_member(&f64::NAN));
/// let age = AtomDomain::bounded(0, 120)?;
/// assert!(age.is_member(&120) && !age.is_member(&121));
/// assert!(AtomDomain::bounded(1.0, 0.0).is_err());
/// # Ok::<(), deniable::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct AtomDomain<T> {
    finite: bool,
    bounds: Option<(T, T)>,
}

impl<T: Atom> AtomDomain<T> {
    /// All values of the type, NaN and infinities included.
    pub fn all() -> Self {
        AtomDomain { finite: !T::HAS_NAN, bounds: None }
    }

    /// All finite values of the type.
    pub fn finite() -> Self {
        AtomDomain { finite: true, bounds: None }
    }

    /// All values from `lower` to `upper`, both included.
    ///
    /// # Errors
    ///
    /// A bound that is not finite; a `lower` above `upper`.
    pub fn bounded(lower: T, upper: T) -> Result<Self> {
        for (name, bound) in [("lower", lower), ("upper", upper)] {
            if !bound.is_finite() {
                return Err(Error::invalid_parameter(name, "it is not finite", "a finite number"));
            }
        }
        if !lower.is_at_most(upper) {
            let problem = format!("{lower:?} is above upper, which is {upper:?}");
            return Err(Error::invalid_parameter("lower", problem, "a number up to upper"));
        }
        Ok(AtomDomain { finite: true, bounds: Some((lower, upper)) })
    }

    /// Whether NaN is a member. (Where it is, infinities are too.)
    pub fn admits_nan(&self) -> bool {
        !self.finite
    }

    /// The least and the greatest member, if they were given.
    pub fn bounds(&self) -> Option<(T, T)> {
        self.bounds
    }
}

impl<T: Atom> Domain for AtomDomain<T> {
    type Carrier = T;

    fn is_member(&self, value: &T) -> bool {
        let within = |(lower, upper): (T, T)| value.is_within(lower, upper);
        !self.finite || value.is_finite() && self.bounds.is_none_or(within)
    }

    fn members(&self) -> Cow<'static, str> {
        match self.bounds {
            Some((lower, upper)) => format!("{} from {lower:?} to {upper:?}", T::NAME).into(),
            None if T::HAS_NAN && self.finite => format!("{} that is finite", T::NAME).into(),
            None => T::NAME.into(),
        }
    }
}

impl<T: Atom> fmt::Debug for AtomDomain<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AtomDomain({})", self.members())
    }
}

/// Every value of type `T`: what people may answer.
///
/// The categories of a mechanism are its parameter and not its domain: an answer outside of them is
/// accepted, and randomized too.
pub struct CategoryDomain<T>(PhantomData<fn() -> T>);

impl<T> CategoryDomain<T> {
    /// All values of the type.
    pub const fn new() -> Self {
        CategoryDomain(PhantomData)
    }
}

impl<T> Domain for CategoryDomain<T> {
    type Carrier = T;

    fn is_member(&self, _: &T) -> bool {
        true
    }

    fn members(&self) -> Cow<'static, str> {
        "any value".into()
    }
}

impl<T> Clone for CategoryDomain<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for CategoryDomain<T> {}

impl<T> Default for CategoryDomain<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> PartialEq for CategoryDomain<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for CategoryDomain<T> {}

impl<T> fmt::Debug for CategoryDomain<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CategoryDomain")
    }
}

/// Vectors of members of another domain, of one length if it is known.
///
/// ```
/// use deniable::{AtomDomain, Domain, VectorDomain};
///
/// let three = VectorDomain::finite::<f64>().with_size(3);
/// assert!(three.is_member(&[1.0, 2.0, 3.0]));
/// assert!(!three.is_member(&[1.0, 2.0]));
/// assert!(!three.is_member(&[1.0, 2.0, f64::INFINITY]));
/// let shares = VectorDomain::new(AtomDomain::bounded(0.0, 1.0)?);
/// assert!(!shares.is_member(&[0.5, 1.5]));
/// # Ok::<(), deniable::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorDomain<D> {
    element: D,
    size: Option<usize>,
}

impl VectorDomain<()> {
    /// Vectors of finite numbers, of any length.
    pub fn finite<T: Atom>() -> VectorDomain<AtomDomain<T>> {
        VectorDomain::new(AtomDomain::finite())
    }
}

impl<D: Domain> VectorDomain<D> {
    /// Vectors of members of `element`, of any length.
    pub fn new(element: D) -> Self {
        VectorDomain { element, size: None }
    }

    /// Only those of this length.
    #[must_use]
    pub fn with_size(self, size: usize) -> Self {
        VectorDomain { size: Some(size), ..self }
    }

    /// The domain of the elements.
    pub fn element(&self) -> &D {
        &self.element
    }

    /// The length of the members, if it is known.
    pub fn size(&self) -> Option<usize> {
        self.size
    }
}

impl<D: Domain> Domain for VectorDomain<D>
where
    D::Carrier: Sized,
{
    type Carrier = [D::Carrier];

    fn is_member(&self, value: &[D::Carrier]) -> bool {
        self.size.is_none_or(|size| size == value.len()) && self.element.are_members(value)
    }

    fn members(&self) -> Cow<'static, str> {
        let element = self.element.members();
        match self.size {
            Some(size) => format!("a vector of length {size}, each element {element}").into(),
            None => format!("a vector, each element {element}").into(),
        }
    }
}

/// Bit vectors of one length, with at most so many ones.
///
/// The length is part of the domain: a report is as long as the vector it was made of, so vectors of two
/// lengths could be told apart.
///
/// ```
/// use deniable::{BitVector, BitVectorDomain, Domain};
///
/// let domain = BitVectorDomain::new(3).with_max_weight(1);
/// assert!(domain.is_member(&BitVector::from([false, true, false])));
/// assert!(!domain.is_member(&BitVector::from([true, true, false])));
/// assert!(!domain.is_member(&BitVector::from([false, true])));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitVectorDomain {
    length: usize,
    max_weight: Option<usize>,
}

impl BitVectorDomain {
    /// All bit vectors of this length.
    pub fn new(length: usize) -> Self {
        BitVectorDomain { length, max_weight: None }
    }

    /// Only those with at most so many ones.
    #[must_use]
    pub fn with_max_weight(self, max_weight: usize) -> Self {
        BitVectorDomain { max_weight: Some(max_weight), ..self }
    }

    /// The number of bits.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The most ones a member has, if that is limited.
    pub fn max_weight(&self) -> Option<usize> {
        self.max_weight
    }

    /// 0 if words, which are as many as a member's, are those of one. No branch depends on them, so that many rows can be looked at before one does.
    pub(crate) fn breach_of(&self, words: &[u64]) -> u64 {
        let behind = words.last().map_or(0, |last| last & !last_mask(self.length));
        behind | self.too_many(words)
    }

    /// 0 if there are no more ones than a member has. Every word is counted. Where all vectors of the length are members, nothing is looked at.
    fn too_many(&self, words: &[u64]) -> u64 {
        let Some(most) = self.max_weight.filter(|&most| most < self.length) else { return 0 };
        let ones: u64 = words.iter().map(|word| u64::from(word.count_ones())).sum();
        // The sign of a difference.
        (most as u64).wrapping_sub(ones) >> 63
    }
}

impl Domain for BitVectorDomain {
    type Carrier = BitVector;

    /// Takes the same time for all vectors of one length: every word is counted, and the result is one
    /// comparison. Where all vectors of the length are members, nothing is looked at.
    fn is_member(&self, value: &BitVector) -> bool {
        value.len() == self.length && self.too_many(value.as_words()) == 0
    }

    fn members(&self) -> Cow<'static, str> {
        let length = self.length;
        match self.max_weight {
            Some(most) => format!("a vector of {length} bits with at most {most} ones").into(),
            None => format!("a vector of {length} bits").into(),
        }
    }
}

macro_rules! integers {
    ($($integer:ty, $unsigned:ty;)*) => {$(
        impl Atom for $integer {
            const NAME: &'static str = "an integer";
            const HAS_NAN: bool = false;

            fn is_finite(self) -> bool {
                true
            }

            fn is_at_most(self, other: Self) -> bool {
                self <= other
            }

            /// One comparison of distances, which does not tell which bound is missed.
            fn is_within(self, lower: Self, upper: Self) -> bool {
                let (at, width) = (self.wrapping_sub(lower), upper.wrapping_sub(lower));
                at as $unsigned <= width as $unsigned
            }
        }
    )*};
}

integers! {
    i8, u8;
    i16, u16;
    i32, u32;
    i64, u64;
    u8, u8;
    u16, u16;
    u32, u32;
    u64, u64;
}

macro_rules! floats {
    ($($float:ty)*) => {$(
        impl Atom for $float {
            const NAME: &'static str = "a number";
            const HAS_NAN: bool = true;

            fn is_finite(self) -> bool {
                // One comparison with infinity, which no setting of the processor can change.
                <$float>::is_finite(self)
            }

            fn is_at_most(self, other: Self) -> bool {
                float_is_at_most(self, other)
            }
        }

        impl Number for $float {
            type Distance = $float;
        }
    )*};
}

floats!(f32 f64);

impl Atom for bool {
    const NAME: &'static str = "true or false";
    const HAS_NAN: bool = false;

    fn is_finite(self) -> bool {
        true
    }

    fn is_at_most(self, other: Self) -> bool {
        self <= other
    }
}

impl Number for i32 {
    type Distance = u64;
}

impl Number for i64 {
    type Distance = u64;
}

/// Compares on integers: what the processor makes of a subnormal float depends on its settings.
fn float_is_at_most<F: Float>(x: F, y: F) -> bool {
    match (Upper::new(x), Upper::new(y)) {
        (Ok(x), Ok(y)) => x <= y,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_told_by_their_rule() {
        let (all, finite) = (AtomDomain::<f64>::all(), AtomDomain::<f64>::finite());
        let within = AtomDomain::bounded(-1i64, 5).unwrap();
        assert_eq!(all.members(), "a number");
        assert_eq!(finite.members(), "a number that is finite");
        assert_eq!(within.members(), "an integer from -1 to 5");
        assert_eq!(format!("{within:?}"), "AtomDomain(an integer from -1 to 5)");
        assert_eq!(CategoryDomain::<u8>::new().members(), "any value");
        let vectors = VectorDomain::new(finite);
        assert!(vectors.members().contains("a number that is finite"));
    }

    #[test]
    fn a_bit_behind_the_last_one_makes_it_no_row() {
        for length in [1, 5, 63, 64, 65, 127, 128, 130] {
            let domain = BitVectorDomain::new(length);
            let mut row = vec![u64::MAX; length.div_ceil(64)];
            *row.last_mut().unwrap() = last_mask(length);
            assert_eq!(domain.breach_of(&row), 0, "{length}");
            for behind in (length..length.next_multiple_of(64)).map(|bit| 1 << (bit % 64)) {
                *row.last_mut().unwrap() = behind;
                assert_ne!(domain.breach_of(&row), 0, "{length}: {behind:x}");
            }
        }
    }

    #[test]
    fn one_bit_too_many_makes_it_no_row() {
        for (most, row, is_one) in [
            (2, [1, 1 << 5], true),
            (2, [3, 1], false),
            (0, [0, 0], true),
            (0, [1 << 63, 0], false),
            (69, [u64::MAX, 0b01_1111], true),
            (69, [u64::MAX, 0b11_1111], false),
            (70, [u64::MAX, 0b11_1111], true),
            (usize::MAX, [u64::MAX, 0b11_1111], true),
        ] {
            let domain = BitVectorDomain::new(70).with_max_weight(most);
            assert_eq!(domain.breach_of(&row) == 0, is_one, "{most}");
            let bits = BitVector::from_words(row.to_vec(), 70).unwrap();
            assert_eq!(domain.is_member(&bits), is_one, "{most}");
        }
    }

    /// Also where the bounds are as far apart as they can be.
    #[test]
    fn integers_are_members_from_bound_to_bound() {
        fn check<T: Atom>(numbers: &[T]) {
            for (i, &lower) in numbers.iter().enumerate() {
                for (j, &upper) in numbers.iter().enumerate().skip(i) {
                    let domain = AtomDomain::bounded(lower, upper).unwrap();
                    for (n, number) in numbers.iter().enumerate() {
                        assert_eq!(domain.is_member(number), (i..=j).contains(&n), "{number:?}");
                    }
                }
            }
        }
        check(&(i8::MIN..=i8::MAX).collect::<Vec<_>>());
        check(&[0u8, 1, 127, 128, 254, 255]);
        check(&[i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX - 1, i32::MAX]);
        check(&[i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX]);
        check(&[0, 1, u64::MAX / 2, u64::MAX / 2 + 1, u64::MAX - 1, u64::MAX]);
    }
}
