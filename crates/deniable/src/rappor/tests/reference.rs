use crate::common::{Script, assert_draws_alike, down, up};
use crate::rappor::reference::{Encoder, bits_of};
use crate::rappor::{CandidateMap, Params};
use crate::{BitVector, ErrorKind};

fn params(k: usize, h: usize, f: f64) -> Params {
    Params::new(k, h, 64, 0.5, 0.75, f).unwrap()
}

/// From the reference implementation's own tests, and from a plain program beside it.
#[test]
fn known_answers() {
    let check = |params: Params, cohort, secret: &[u8], value: &str, known: (u32, u32)| {
        let encoder = Encoder::new(params, cohort, secret).unwrap();
        let filter = encoder.filter_of(value);
        assert_eq!((filter, encoder.permanent(filter)), known);
        assert_eq!(encoder.cohort(), cohort);
    };
    check(params(16, 2, 0.5), 0, b"secret", "abc", (8256, 57_576));
    check(params(16, 2, 0.45), 7, b"", "foo", (8194, 10_243));
    check(params(32, 16, 0.1), 63, &[b'k'; 100], "", (1_363_904_161, 1_426_626_208));
    check(params(32, 1, 0.99), 1, b"secret", "ünï", (512, 609_830_660));
    check(params(7, 2, 1.0 / 128.0), 3, b"secret", "v", (33, 33));
    assert_eq!(bits_of(&params(16, 2, 0.5), 0, "abc").unwrap(), [6, 13]);
}

/// 0.45·128 is 57.6, and 58 numbers of seven bits are below it.
#[test]
fn f_in_effect_is_rounded_up() {
    for (f, in_effect) in [
        (0.5, 64),
        (0.45, 58),
        (0.0, 0),
        (5e-324, 1),
        (1.0 / 128.0, 1),
        (up(1.0 / 128.0), 2),
        (127.0 / 128.0, 127),
    ] {
        let encoder = Encoder::new(params(32, 2, f), 0, *b"s").unwrap();
        assert_eq!(encoder.params().f(), f);
        assert_eq!(encoder.in_effect().f(), f64::from(in_effect) / 128.0);
        let (real, given) = (encoder.in_effect(), encoder.params());
        assert!(real.epsilon_of_all_reports() <= given.epsilon_of_all_reports());
        assert!(real.epsilon_of_report() <= given.epsilon_of_report());
    }
    for f in [up(127.0 / 128.0), down(1.0)] {
        let error = Encoder::new(params(32, 2, f), 0, *b"s").unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid f: all bits would be noise; accepted is a number from 0 to 127/128"
        );
    }
}

/// Without permanent noise it is the filter; with as much as there can be hardly a bit of it is left.
#[test]
fn noise_goes_where_it_should() {
    let none = Encoder::new(params(32, 2, 0.0), 5, *b"s").unwrap();
    let most = Encoder::new(params(32, 2, 127.0 / 128.0), 5, *b"s").unwrap();
    for filter in [0, 1, 3 << 30, u32::MAX] {
        assert_eq!(none.permanent(filter), filter);
        let noise = most.permanent(filter);
        assert!((4..28).contains(&noise.count_ones()), "{noise:b}");
    }
    // Bits behind the last one stay zero.
    let short = Encoder::new(params(5, 1, 0.9), 5, *b"s").unwrap();
    assert!((0..32).all(|filter| short.permanent(filter) < 32));
}

#[test]
fn what_the_reference_has_not_is_refused() {
    let new = |k, h, cohort| Encoder::new(params(k, h, 0.5), cohort, *b"s").unwrap_err();
    for (error, parameter, accepted) in [
        (new(33, 2, 0), "k", "an integer up to 32"),
        (new(32, 17, 0), "h", "an integer up to 16"),
        (new(32, 2, 64), "cohort", "a number below 64"),
    ] {
        assert_eq!(
            (error.kind(), error.parameter()),
            (ErrorKind::InvalidParameter, Some(parameter))
        );
        assert!(error.to_string().ends_with(accepted), "{error}");
    }
    // Candidates may have more bits than the client.
    assert!(bits_of(&params(256, 16, 0.5), 0, "x").is_ok());
    let error = bits_of(&params(257, 16, 0.5), 0, "x").unwrap_err();
    assert!(error.to_string().ends_with("accepted is an integer up to 256"), "{error}");
    assert!(CandidateMap::of_reference(&params(257, 1, 0.5), ["x"]).is_err());
    assert!(CandidateMap::of_reference(&params(8, 17, 0.5), ["x"]).is_err());
}

#[test]
fn a_report_is_of_the_permanent_answer() {
    let params = Params::new(16, 2, 64, 0.0, 1.0, 0.5).unwrap();
    let encoder = Encoder::new(params, 0, *b"secret").unwrap();
    let report = encoder.report_from("abc", &mut Script::new([])).unwrap();
    assert_eq!(report.cohort(), 0);
    assert_eq!(*report.bits(), BitVector::from_words(vec![57_576], 16).unwrap());
    let encoder = Encoder::new(self::params(16, 2, 0.5), 0, *b"secret").unwrap();
    assert_draws_alike(&["", "abc", "abcd"], 20, |value, script| {
        encoder.report_from(value, script)
    });
    assert_eq!(encoder.report("abc").unwrap().bits().len(), 16);
}

/// As the reference does, and as the documents warn: a filter's noise is the same for all f. Where two answers differ, that with less noise is the filter's bit. With a secret for each f it
/// is as often not.
#[test]
fn one_secret_for_two_f_tells_bits() {
    let answer = |f: f64, secret: &[u8]| {
        let encoder = Encoder::new(params(32, 2, f), 0, secret).unwrap();
        move |filter: u32| encoder.permanent(filter)
    };
    let told = |less: &dyn Fn(u32) -> u32, more: &dyn Fn(u32) -> u32| {
        let differing = (0..200).map(|filter| (filter, less(filter) ^ more(filter)));
        differing.fold((0, 0), |(right, wrong), (filter, differing)| {
            let wrongly = differing & (less(filter) ^ filter);
            (right + (differing & !wrongly).count_ones(), wrong + wrongly.count_ones())
        })
    };
    let (right, wrong) = told(&answer(0.25, b"secret"), &answer(0.75, b"secret"));
    assert!(right > 1000 && wrong == 0, "{right} {wrong}");
    let (right, wrong) = told(&answer(0.25, b"secret"), &answer(0.75, b"another"));
    assert!(right > 1000 && wrong > 300, "{right} {wrong}");
}

#[test]
fn nothing_shows_the_secret() {
    let encoder = Encoder::new(params(16, 2, 0.5), 9, *b"sesame4711").unwrap();
    let shown = format!("{encoder:?} {encoder:#?}");
    assert!(!shown.contains("sesame") && !shown.contains("115") && shown.contains("cohort: 9"));
}
