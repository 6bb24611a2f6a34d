use super::*;

/// The joint law of two numbers, made with a mistake from words of 2 bits.
fn joint<T: Copy + Ord + Debug>(
    noise: &impl Noise<T>,
    shifts: &[T],
    mistake: Mistake,
) -> Result<(), String> {
    let digits = Digits::new(&noise.in_steps());
    let one = |shift, script: &[u64]| noise.one(shift, &mut Script::<2>::new(script)).ok();
    let law = enumerate::<2, _, Error>(10, |source| {
        let draw = || source.draw().ok().map(Word::value);
        let results = replay((&digits, 2), &one, shifts, draw, mistake);
        let results = results.ok_or_else(Error::entropy_unavailable)?;
        Ok(results.into_iter().map(|(result, _)| result).collect())
    });
    is_product(&law, noise, shifts, 0.1)
}

/// The signs and words of one number for another are no mistake in the law of numbers that have nothing to do with each other.
#[test]
fn wrong_joint_laws_are_found() {
    let (integers, floats) = (OnIntegers::new(1.0), OnFloats::new(Mini(0x38), 0));
    let is_found = |mistake| {
        [
            joint(&integers, &INTEGERS[..2], mistake).is_err(),
            joint(&floats, &MINIS[..2], mistake).is_err(),
        ]
    };
    for mistake in [Mistake::None, Mistake::SignsMoved, Mistake::WordsMoved] {
        assert_eq!(is_found(mistake), [false; 2], "{mistake:?}");
    }
    for mistake in [
        Mistake::SharedSign,
        Mistake::FlippedSigns,
        Mistake::SharedWord,
        Mistake::MadeUpWords,
        Mistake::SharedWordsBeyond,
    ] {
        assert_eq!(is_found(mistake), [true; 2], "{mistake:?}");
    }
}

#[test]
fn wrong_words_are_found() {
    for mistake in [
        Mistake::SharedSign,
        Mistake::FlippedSigns,
        Mistake::SignsMoved,
        Mistake::SharedWord,
        Mistake::WordsMoved,
        Mistake::MadeUpWords,
        Mistake::SharedWordsBeyond,
    ] {
        for k in [-1074, 0] {
            assert_eq!(agree(&OnFloats::new(1.0, k), &SHIFTS, mistake), None, "{mistake:?}");
        }
        assert_eq!(agree(&OnIntegers::new(1e3), &[0i64, 5], mistake), None, "{mistake:?}");
    }
}

/// All words are decided, some of them by words that were not drawn.
#[test]
fn words_that_were_made_up_are_found() {
    let one = Coarse::encode(false, 8, -3).0;
    let (floats, integers) = (OnFloats::new(Coarse(one), -129), OnIntegers::new(7.25));
    for negative in [false, true] {
        for beyond in [[1, 1, 1, 1], [u64::MAX; 4]] {
            let case = (Coarse(one), negative);
            assert!(over_all_words(&floats, case, &[]).is_ok());
            assert!(over_all_words(&floats, case, &beyond).is_err());
            assert!(over_all_words(&integers, (5i8, negative), &[]).is_ok());
            assert!(over_all_words(&integers, (5i8, negative), &beyond).is_err());
        }
    }
}
