//! Which inputs are members, and what the refusal of the others says.

use deniable::prelude::*;
use deniable::{Error, Result};

#[allow(dead_code, unreachable_pub)]
mod common;
use common::*;

#[test]
fn bounds_are_members_and_their_neighbours_are_not() {
    let unit = AtomDomain::bounded(0.5, 2.0).unwrap();
    for (number, member) in [
        (0.5, true),
        (2.0, true),
        (1.0, true),
        (down(0.5), false),
        (up(2.0), false),
        (-1.0, false),
        (f64::NAN, false),
        (f64::INFINITY, false),
        (f64::NEG_INFINITY, false),
    ] {
        assert_eq!(unit.is_member(&number), member, "{number}");
    }
    let tiny = AtomDomain::bounded(-5e-324, 5e-324).unwrap();
    for (number, member) in
        [(0.0, true), (-0.0, true), (5e-324, true), (1e-323, false), (-1e-323, false)]
    {
        assert_eq!(tiny.is_member(&number), member, "{number}");
    }
    let zero = AtomDomain::bounded(0.0, -0.0).unwrap();
    assert!(zero.is_member(&0.0) && zero.is_member(&-0.0) && !zero.is_member(&5e-324));
    let bytes = AtomDomain::bounded(3u8, 5).unwrap();
    assert!((0..=u8::MAX).all(|byte| bytes.is_member(&byte) == (3..=5).contains(&byte)));
}

#[test]
fn all_numbers_or_the_finite_ones_are_members() {
    let (all, finite) = (AtomDomain::<f32>::all(), AtomDomain::<f32>::finite());
    assert!(all.admits_nan() && !finite.admits_nan() && all != finite);
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(all.is_member(&number) && !finite.is_member(&number));
    }
    for number in [0.0, -0.0, f32::from_bits(1), f32::MAX, f32::MIN] {
        assert!(all.is_member(&number) && finite.is_member(&number));
    }
    // Integers have nothing that is not finite.
    assert_eq!(AtomDomain::<i64>::all(), AtomDomain::finite());
    assert!(!AtomDomain::<i64>::all().admits_nan());
    assert_eq!(AtomDomain::<i64>::all().bounds(), None);
    assert_eq!(AtomDomain::bounded(-1, 1).unwrap().bounds(), Some((-1, 1)));
}

#[test]
fn bounds_that_are_none_are_refused() {
    let refused = |made: Result<AtomDomain<f64>>| -> Option<&'static str> {
        made.err().as_ref().and_then(Error::parameter)
    };
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(refused(AtomDomain::bounded(bad, 1.0)), Some("lower"));
        assert_eq!(refused(AtomDomain::bounded(1.0, bad)), Some("upper"));
    }
    assert_eq!(refused(AtomDomain::bounded(up(1.0), 1.0)), Some("lower"));
    assert_eq!(refused(AtomDomain::bounded(5e-324, 0.0)), Some("lower"));
    assert!(
        AtomDomain::bounded(1.0, 1.0).is_ok() && AtomDomain::bounded(f64::MIN, f64::MAX).is_ok()
    );
    assert!(AtomDomain::bounded(i32::MIN, i32::MAX).is_ok() && AtomDomain::bounded(1, 0).is_err());
}

#[test]
fn the_refusal_of_an_input_is_the_rule_alone() {
    let age = AtomDomain::bounded(0, 120).unwrap();
    let error = age.check_member(&4711).unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid input: it is not a member of the domain; accepted is an integer from 0 to 120"
    );
    assert_eq!(format!("{error:?}"), format!("NotAMember({:?})", error.to_string()));
    assert_eq!(error, age.check_member(&-4711).unwrap_err());
    let ages = VectorDomain::new(age).with_size(2);
    for bad in [&[4711, 4711][..], &[47], &[47, 47, 4711]] {
        assert_silent(&ages.check_member(bad).unwrap_err(), &["47"]);
    }
    assert!(ages.check_member(&[47, 11]).is_ok());
    // Of many none is told, and two that are none are not taken for members.
    assert!(age.check_members(&[]).is_ok() && age.check_members(&[47, 11]).is_ok());
    for bad in [&[4711][..], &[4711, 47], &[47, 4711], &[4711, 4711], &[4711, 47, 4711]] {
        assert_eq!(age.check_members(bad).unwrap_err(), error);
    }
    assert_eq!(AtomDomain::<bool>::all().members(), "true or false");
    assert_eq!(AtomDomain::<f64>::all().members(), "a number");
    assert_eq!(CategoryDomain::<u8>::new().members(), "any value");
    assert!(CategoryDomain::new().is_member(&4711));
}

#[test]
fn bit_vectors_are_of_one_length_and_up_to_one_weight() {
    for (length, most) in [(0, 0), (1, 0), (8, 3), (64, 64), (65, 1), (70, usize::MAX)] {
        let domain = BitVectorDomain::new(length).with_max_weight(most);
        assert_eq!((domain.length(), domain.max_weight()), (length, Some(most)));
        for weight in 0..=length {
            let bits: BitVector = (0..length).map(|i| i >= length - weight).collect();
            assert_eq!(domain.is_member(&bits), weight <= most, "{length} {most} {weight}");
            assert!(BitVectorDomain::new(length).is_member(&bits));
            assert!(!BitVectorDomain::new(length + 1).is_member(&bits));
            assert!(length == 0 || !BitVectorDomain::new(length - 1).is_member(&bits));
        }
    }
}
