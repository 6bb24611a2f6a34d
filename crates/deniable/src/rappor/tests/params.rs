use crate::common::{down, round_up, up};
use crate::rappor::Params;
use crate::{Epsilon, ErrorKind};

fn params(k: usize, h: usize, p: f64, q: f64, f: f64) -> Params {
    Params::new(k, h, 8, p, q, f).unwrap()
}

/// The expansions are from an independent decimal arithmetic of 80 digits.
#[test]
fn the_losses_are_the_neighbours_above_the_logarithms() {
    #[rustfmt::skip]
    let cases = [
        (128, 2, 0.25, 0.75, 0.5, "2.043302495063962732822056385214647739512443185783", "4.394449154672438765580980947690102818589962231291"),
        (8, 2, 0.25, 0.75, 0.5, "2.043302495063962732822056385214647739512443185783", "4.394449154672438765580980947690102818589962231291"),
        (16, 2, 0.5, 0.75, 0.5, "1.074285864166728183552093028674139961276418227211", "4.394449154672438765580980947690102818589962231291"),
        (16, 2, 0.75, 0.5, 0.5, "1.074285864166728183552093028674139961276418227211", "4.394449154672438765580980947690102818589962231291"),
        (8, 2, 0.39, 0.61, 0.45, "0.972766101547931514348148725763612300112712551826", "4.947050508595707325217287560477363052161821233730"),
        (32, 1, 0.25, 0.75, 0.5, "1.021651247531981366411028192607323869756221592892", "2.197224577336219382790490473845051409294981115645"),
        (128, 2, 0.0, 1.0, 0.5, "4.394449154672438765580980947690102818589962231291", "4.394449154672438765580980947690102818589962231291"),
        (64, 3, 1e-300, 0.999, 1e-200, "1404.353763175053654884372445969529540100376808981709", "2767.260994676214492785491563955489551914650134970022"),
        // Fewer bits than two filters of h ones have: of the kind that tells more there are as many as there can be.
        (3, 2, 0.5, 0.75, 0.5, "0.873615168704577022280639924554062070749692488919", "3.295836866004329074185735710767577113942471673468"),
        (3, 2, 0.75, 0.5, 0.5, "0.873615168704577022280639924554062070749692488919", "3.295836866004329074185735710767577113942471673468"),
        (3, 2, 0.25, 0.5, 0.5, "0.873615168704577022280639924554062070749692488919", "3.295836866004329074185735710767577113942471673468"),
        (5, 4, 0.1, 0.3, 0.2, "3.589862137010965278579251816043004381457322545235", "10.986122886681096605557167751126225648522679305042"),
        (4, 64, 0.3, 0.9, 0.1, "5.888630342976391969562348452240943496764019853337", "11.777755916665761606304946648571095995141453774264"),
        (2, 1, 0.25, 0.75, 0.5, "1.021651247531981366411028192607323869756221592892", "2.197224577336219382790490473845051409294981115645"),
        (128, 2, 0.5, up(0.5), 0.99, "0.00000000000000000888178419700126021199810555484472609737739295513908477447987673664497803349102", "0.080002666826678167188436574392650526194233367368"),
    ];
    for (k, h, p, q, f, one, all) in cases {
        let params = params(k, h, p, q, f);
        assert_eq!(params.epsilon_of_report().get(), round_up(one), "{params:?}");
        assert_eq!(params.epsilon_of_all_reports().get(), round_up(all), "{params:?}");
    }
}

#[test]
fn without_permanent_noise_there_is_no_bound_for_all_reports() {
    let params = params(16, 2, 0.25, 0.75, 0.0);
    assert_eq!(params.epsilon_of_all_reports(), Epsilon::INFINITY);
    // That of one is 2·ln 9.
    assert!((params.epsilon_of_report().get() - 2.0 * 9f64.ln()).abs() < 1e-15);
}

#[test]
fn a_report_that_is_impossible_for_some_values_has_no_bound() {
    for (p, q) in [(0.0, 0.5), (0.5, 1.0), (0.5, 0.0), (1.0, 0.5), (0.0, 1.0), (1.0, 0.0)] {
        for (k, h) in [(16, 2), (3, 2), (2, 64)] {
            assert_eq!(params(k, h, p, q, 0.0).epsilon_of_report(), Epsilon::INFINITY);
            let noisy = params(k, h, p, q, 5e-324);
            assert!(noisy.epsilon_of_report().is_finite());
            assert!(noisy.epsilon_of_report() <= noisy.epsilon_of_all_reports());
        }
    }
}

/// A filter of one bit has it set, whatever the value.
#[test]
fn one_bit_says_nothing() {
    for (p, q, f) in [(0.25, 0.75, 0.5), (0.0, 1.0, 0.0)] {
        let params = params(1, 3, p, q, f);
        assert_eq!(params.epsilon_of_report(), Epsilon::ZERO);
        assert_eq!(params.epsilon_of_all_reports(), Epsilon::ZERO);
    }
}

/// Nearly the same probabilities at either end lose nearly nothing, and never less than nothing.
#[test]
fn one_report_loses_no_more_than_all() {
    let some = [0.0, 5e-324, 1e-17, 0.25, 0.5, up(0.5), 0.9, down(1.0), 1.0];
    for (p, q) in some.into_iter().flat_map(|p| some.map(|q| (p, q))).filter(|(p, q)| p != q) {
        for f in [0.0, 5e-324, 1e-9, 0.5, down(1.0)] {
            for (k, h) in [(2, 1), (3, 2), (8, 2), (5, 5)] {
                let params = params(k, h, p, q, f);
                let (one, all) = (params.epsilon_of_report(), params.epsilon_of_all_reports());
                assert!(Epsilon::ZERO < one && one <= all, "{params:?} {one} {all}");
                // Ones and zeros, and with them p and q, change places.
                if p != 5e-324 && q != 5e-324 && p != 1e-17 && q != 1e-17 {
                    let other = self::params(k, h, 1.0 - p, 1.0 - q, f);
                    assert_eq!(other.epsilon_of_report(), one);
                }
            }
        }
    }
}

#[test]
fn what_is_outside_its_range_is_refused() {
    let good = |k, h, m| Params::new(k, h, m, 0.25, 0.75, 0.5);
    for (k, h, m) in [(1, 1, 1), (65_536, 64, 256), (1024, 1, 16_384), (7, 16, 3)] {
        assert!(good(k, h, m).is_ok());
    }
    let longest =
        format!("invalid k: {} is above 65536; accepted is an integer from 1 to 65536", usize::MAX);
    for (k, h, m, message) in [
        (0, 1, 1, "invalid k: 0 is below 1; accepted is an integer from 1 to 65536"),
        (65_537, 1, 1, "invalid k: 65537 is above 65536; accepted is an integer from 1 to 65536"),
        (8, 0, 1, "invalid h: 0 is below 1; accepted is an integer from 1 to 64"),
        (8, 65, 1, "invalid h: 65 is above 64; accepted is an integer from 1 to 64"),
        (8, 1, 0, "invalid m: 0 is below 1; accepted is an integer from 1 to 16384"),
        (8, 1, 16_385, "invalid m: 16385 is above 16384; accepted is an integer from 1 to 16384"),
        (
            65_536,
            1,
            257,
            "invalid m: 257 cohorts of 65536 bits have too many counts; accepted is an integer up to 256",
        ),
        (usize::MAX, usize::MAX, usize::MAX, &longest),
    ] {
        let error = good(k, h, m).unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string()),
            (ErrorKind::InvalidParameter, message.into())
        );
    }
}

#[test]
fn what_is_no_probability_is_refused() {
    for bad in [f64::NAN, -5e-324, -0.5, up(1.0), 2.0, f64::INFINITY, f64::NEG_INFINITY] {
        let p = Params::new(8, 1, 1, bad, 0.75, 0.5).unwrap_err();
        let q = Params::new(8, 1, 1, 0.25, bad, 0.5).unwrap_err();
        let f = Params::new(8, 1, 1, 0.25, 0.75, bad).unwrap_err();
        assert_eq!([&p, &q, &f].map(|error| error.parameter().unwrap()), ["p", "q", "f"]);
        assert!(p.to_string().ends_with("accepted is a number from 0 to 1"), "{p}");
        assert!(f.to_string().ends_with("accepted is a number from 0 to below 1"), "{f}");
    }
    let problem = |p, f| Params::new(8, 1, 1, p, 0.75, f).unwrap_err().to_string();
    for (bad, of_p, of_f) in [
        (f64::NAN, "it is not a number", "it is not a number"),
        (2.0, "2 is above 1", "2 is not below 1"),
        (-0.5, "-0.5 is below 0", "-0.5 is below 0"),
    ] {
        assert!(problem(bad, 0.5).starts_with(&format!("invalid p: {of_p};")));
        assert!(problem(0.25, bad).starts_with(&format!("invalid f: {of_f};")));
    }
    let error = Params::new(8, 1, 1, 0.25, 0.75, 1.0).unwrap_err();
    assert!(error.to_string().starts_with("invalid f: 1 is not below 1;"), "{error}");
    for (p, q) in [(0.5, 0.5), (0.0, -0.0), (-0.0, 0.0), (1.0, 1.0)] {
        let error = Params::new(8, 1, 1, p, q, 0.5).unwrap_err();
        assert_eq!(error.parameter(), Some("q"));
    }
    assert!(Params::new(8, 1, 1, 0.0, 5e-324, 0.5).is_ok());
}

#[test]
fn the_channel_is_that_of_both_steps() {
    // f(p + q)/2 = 0.3125, (1 − f)q = 0.375, (1 − f)p = 0.25.
    let channel = params(16, 2, 0.5, 0.75, 0.5).channel();
    assert_eq!((channel.truth(), channel.lie(), channel.signal()), (0.6875, 0.5625, 0.125));
    let other = params(16, 2, 0.75, 0.5, 0.5).channel();
    assert_eq!((other.truth(), other.lie(), other.signal()), (0.5625, 0.6875, -0.125));
    let plain = params(16, 2, 0.1, 0.9, 0.0).channel();
    assert_eq!((plain.truth(), plain.lie()), (0.9, 0.1));
}

#[test]
fn parameters_are_written_and_read_through_the_constructor() {
    let params = Params::new(16, 2, 64, -0.0, 0.1, 5e-324).unwrap();
    assert_eq!(params.p().to_bits(), 0);
    let json = serde_json::to_string(&params).unwrap();
    assert_eq!(json, r#"{"k":16,"h":2,"m":64,"p":0.0,"q":0.1,"f":5e-324}"#);
    assert_eq!(serde_json::from_str::<Params>(&json).unwrap(), params);
    for bad in [
        r#"{"k":16,"h":2,"m":64,"p":0.5,"q":0.5,"f":0.5}"#,
        r#"{"k":0,"h":2,"m":64,"p":0.5,"q":0.75,"f":0.5}"#,
        r#"{"k":16,"h":2,"m":64,"p":0.5,"q":0.75}"#,
        r#"{"k":16,"h":2,"m":64,"p":0.5,"q":0.75,"f":0.5,"epsilon":0.1}"#,
    ] {
        assert!(serde_json::from_str::<Params>(bad).is_err(), "{bad}");
    }
}
