use std::collections::BTreeSet;

use deniable_sample::Entropy;

use crate::common::{Script, assert_draws_alike, assert_silent, words};
use crate::rappor::keyed::{Keyed, Uniforms};
use crate::rappor::{Client, Params, Report, Secret};
use crate::{BitVector, ErrorKind};

fn params(k: usize, h: usize, f: f64) -> Params {
    Params::new(k, h, 64, 0.25, 0.75, f).unwrap()
}

fn secret() -> Secret {
    Secret::new(core::array::from_fn(|i| i as u8))
}

#[test]
fn hash_functions_are_those_of_another_program() {
    let bits = |k, h, m, cohort, value: &[u8]| {
        Params::new(k, h, m, 0.25, 0.75, 0.5).unwrap().bits_of(cohort, value).unwrap()
    };
    assert_eq!(bits(16, 2, 64, 7, b"foo"), [3, 1]);
    assert_eq!(bits(128, 2, 1, 0, b""), [29, 65]);
    assert_eq!(bits(65_536, 3, 256, 255, b"\x00\xff").len(), 3);
    assert_eq!(
        bits(1024, 3, 16_384, 16_383, b"\x00\xff"),
        [1058 % 1024, 60932 % 1024, 46316 % 1024]
    );
    let many = [68, 71, 19, 74, 56, 89, 19, 88, 64, 61, 81, 83];
    assert_eq!(bits(100, 12, 6, 5, "ünï".as_bytes()), many);
    assert_eq!(bits(1, 2, 1, 0, b"x"), [0, 0]);
    // More than a block.
    let more = [1, 1, 1, 2, 2, 0, 2, 0, 2, 1, 0, 1, 0, 2, 0, 2, 1, 2, 1, 1, 0, 1, 2, 0];
    assert_eq!(bits(3, 24, 2, 1, b"many"), more);
}

#[test]
fn a_filter_has_the_bits_of_its_hash_functions() {
    for (k, h) in [(1, 1), (3, 40), (16, 2), (130, 5)] {
        let params = params(k, h, 0.5);
        for cohort in [0, 1, 63] {
            let (bits, filter) = (params.bits_of(cohort, "x"), params.filter_of(cohort, "x"));
            let (bits, filter) = (bits.unwrap(), filter.unwrap());
            assert_eq!(bits.len(), h);
            assert_eq!(filter, (0..k).map(|bit| bits.contains(&bit)).collect::<BitVector>());
        }
        let error = params.filter_of(64, "sesame4711").unwrap_err();
        let message = "invalid cohort: there is no such cohort; accepted is a number below 64";
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn cohorts_are_those_of_another_program() {
    let all = [
        (secret(), [0, 1, 1, 29, 29, 7709]),
        (Secret::new([0; 32]), [0, 0, 2, 54, 54, 9782]),
        (Secret::new([0xff; 32]), [0, 1, 1, 53, 53, 12_981]),
    ];
    for (secret, cohorts) in all {
        for (m, cohort) in [1, 2, 3, 64, 100, 16_384].into_iter().zip(cohorts) {
            let params = Params::new(8, 2, m, 0.25, 0.75, 0.5).unwrap();
            assert_eq!(Client::new(params, secret.clone()).cohort(), cohort);
        }
    }
}

#[test]
fn permanent_answers_are_those_of_another_program() {
    let cases = [
        (128, 2, 0.5, "home page", "https://example.org/", "0a4701869d040c140401a54748184018"),
        (128, 2, 0.75, "home page", "https://example.org/", "5c4208e1302b2022bde808320e300019"),
        (128, 2, 0.5, "", "home pagehttps://example.org/", "2004042020d0041060dbd604c0624208"),
        (20, 3, 0.3, "m", "v", "102200"),
        (70, 1, 1e-300, "m", "v", "000200000000000000"),
        (70, 1, 0.999, "m", "v", "06e2465c1834b55109"),
        (9, 2, 0.0, "m", "", "4100"),
    ];
    for (k, h, f, metric, value, hex) in cases {
        let permanent = Client::new(params(k, h, f), secret()).permanent(metric, value);
        let bytes = permanent.to_bytes();
        assert_eq!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), hex);
    }
}

/// Words behind the first are needed once in 2^64 bits.
#[test]
fn digits_are_those_of_another_program() {
    let key = Keyed::new(&Keyed::new(secret().as_bytes()).code(&[b"x"]));
    let mut uniforms = Uniforms::new(key);
    #[rustfmt::skip]
    let cases: [(usize, [u64; 7]); 4] = [
        (0, [0x39838ee9bf0ab0b3, 0x03fb03d12c973090, 0x1c452ff94f74f7df, 0xa496a126aba4d3c6, 0x0567862b45508207, 0xe7e655ea4f24f219, 0x40e11673c58923ec]),
        (3, [0xa75920701ce686a2, 0x011b3696b6c0ee0b, 0x75c046af2a1745fe, 0xa5c6b31b9c4f8701, 0x667451c186e30033, 0x3f15f0d9aaaf40dc, 0x88f9b4f0d1780e90]),
        (4, [0xa8f30301cac83a06, 0xf0a42465e7902baf, 0xef5166f6db356345, 0xf08a1f55c65edd87, 0xb4cba79394006ec7, 0xcd04dcfb28c017c8, 0xb35bc866ed01fc72]),
        (70_000, [0x0178cf8b9b4a018c, 0x1d9257b400a17697, 0xf0ecace563a6588e, 0x8267c9bc3461d737, 0xb7b13f3a86269456, 0xf57835bfef3cc073, 0x0e5752c9b555f694]),
    ];
    for (bit, expected) in cases {
        let (mut at_once, mut digits) = ([0; 7], uniforms.digits(bit));
        digits.fill(&mut at_once).unwrap();
        assert_eq!(at_once, expected, "{bit}");
        let mut digits = uniforms.digits(bit);
        assert!(expected.iter().all(|&word| digits.word() == Ok(word)), "{bit}");
    }
}

#[test]
fn asked_again_the_permanent_answer_is_the_same() {
    let client = Client::new(params(200, 3, 0.9), secret());
    let again = Client::with_cohort(params(200, 3, 0.9), secret(), client.cohort()).unwrap();
    // Fresh noise does not matter to it.
    let other = Params::new(200, 3, 64, 0.1, 0.6, 0.9).unwrap();
    for value in ["", "a", "b", "ünï", "a\0"] {
        let first = client.permanent("m", value);
        assert_eq!(client.permanent("m", value), first);
        assert_eq!(again.permanent("m", value.as_bytes()), first);
        assert_eq!(Client::new(other, secret()).permanent("m", value), first);
    }
}

/// Noise of 200 bits, most of them fair, is the same twice with a chance below 2^−150.
#[test]
fn everything_else_gives_other_noise() {
    let f = 0.9;
    let noise = |params: Params, secret, cohort, metric: &str, value: &str| {
        let client = Client::with_cohort(params, secret, cohort).unwrap();
        let permanent = client.permanent(metric, value);
        let filter = params.filter_of(cohort, value).unwrap();
        permanent.iter().zip(filter.iter()).map(|(a, b)| a != b).take(200).collect::<BitVector>()
    };
    let plain = params(200, 3, f);
    let mut all = vec![
        noise(plain, secret(), 0, "m", "v"),
        noise(plain, secret(), 1, "m", "v"),
        noise(params(201, 3, f), secret(), 0, "m", "v"),
        noise(params(200, 4, f), secret(), 0, "m", "v"),
        noise(params(200, 3, 0.91), secret(), 0, "m", "v"),
        noise(plain, secret(), 0, "n", "v"),
        noise(plain, secret(), 0, "m", "w"),
        noise(plain, secret(), 0, "mv", ""),
        noise(plain, secret(), 0, "", "mv"),
        noise(plain, secret(), 0, "m\0", "v"),
    ];
    for bit in 0..256 {
        let mut bytes = *secret().as_bytes();
        bytes[bit / 8] ^= 1 << (bit % 8);
        all.push(noise(plain, Secret::new(bytes), 0, "m", "v"));
    }
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    let [a, b] = [Secret::random().unwrap(), Secret::random().unwrap()];
    assert_ne!(a.as_bytes(), b.as_bytes());
}

/// A fixed key and fixed values: 65 536 flips with a probability of a quarter, of which there are 16 384 ± 6·111 but for one key in 10^8, and this is none of those.
#[test]
fn flips_are_about_as_many_as_they_should_be() {
    let params = params(65_536, 2, 0.5);
    let client = Client::with_cohort(params, secret(), 0).unwrap();
    for value in ["tea", "coffee"] {
        let permanent = client.permanent("m", value);
        let filter = params.filter_of(0, value).unwrap();
        let flips = permanent.iter().zip(filter.iter()).filter(|(a, b)| a != b).count();
        assert!(flips.abs_diff(16_384) < 666, "{flips}");
    }
}

/// q is 1/4, which is 01 in base 2, and p is 1/2: a number is below 1/4 if its first two digits are zeros, and below 1/2 if the first is.
#[test]
fn each_bit_of_a_report_has_its_own_column() {
    for k in [1, 2, 63, 64, 65, 130, 200] {
        let (params, groups) = (Params::new(k, 1, 1, 0.5, 0.25, 0.5).unwrap(), k.div_ceil(64));
        for seed in 0..20 {
            let script = words(seed, 3 * groups);
            let permanent: BitVector = (0..k).map(|bit| (bit + seed as usize) % 3 == 0).collect();
            let mut source = Script::new(script.clone());
            let report = params.instantaneous_from(&permanent, &mut source).unwrap();
            assert_eq!(source.drawn, 3 * groups);
            let zero =
                |digit: usize, bit: usize| script[digit * groups + bit / 64] >> (bit % 64) & 1 == 0;
            let expected = permanent.iter().enumerate().map(|(bit, one)| match one {
                true => zero(0, bit) && zero(1, bit),
                false => zero(2, bit),
            });
            assert_eq!(report, expected.collect(), "{k} {seed}");
        }
    }
}

/// Without instantaneous noise a report is the permanent answer, or its opposite.
#[test]
fn certain_bits_are_certain() {
    for (p, q) in [(0.0, 1.0), (1.0, 0.0)] {
        let params = Params::new(130, 2, 5, p, q, 0.5).unwrap();
        let client = Client::new(params, secret());
        let permanent = client.permanent("m", "v");
        let report = client.report_from("m", "v", &mut Script::new([])).unwrap();
        let bits = permanent.iter().map(|bit| bit == (q == 1.0)).collect();
        assert_eq!(report, Report::new(client.cohort(), bits));
    }
}

/// A flip of probability 1/4: a word below 2^62.
#[test]
fn permanent_answers_drawn_from_entropy_have_a_word_for_each_bit() {
    let params = params(70, 2, 0.5);
    let filter = params.filter_of(3, "v").unwrap();
    let edge = 1 << 62;
    let script: Vec<u64> =
        (0..70).map(|i| [0, edge - 1, edge, edge + 1, u64::MAX][i % 5]).collect();
    let mut source = Script::new(script.clone());
    let permanent = params.permanent_from(&filter, &mut source).unwrap();
    let flipped = filter.iter().zip(&script).map(|(bit, &word)| bit != (word < edge));
    assert_eq!((permanent, source.drawn), (flipped.collect(), 70));
    assert_eq!(params.permanent(&filter).unwrap().len(), 70);
}

#[test]
fn what_is_no_filter_is_refused_before_anything_is_drawn() {
    let params = params(8, 2, 0.5);
    for bad in ["", "10", "00000000", "11100000", "100000000", "11111111"] {
        let bits: BitVector = bad.bytes().map(|byte| byte == b'1').collect();
        let mut script = Script::new([0; 20]);
        let error = params.permanent_from(&bits, &mut script).unwrap_err();
        assert_eq!((error.kind(), script.drawn), (ErrorKind::NotAMember, 0));
        let rule = "accepted is a vector of 8 bits of which 1 to 2 are ones";
        assert!(error.to_string().ends_with(rule), "{error}");
        if bits.len() != 8 {
            let error = params.instantaneous_from(&bits, &mut script).unwrap_err();
            assert_eq!((error.kind(), script.drawn), (ErrorKind::NotAMember, 0));
        }
    }
}

#[test]
fn all_answers_draw_and_fail_alike() {
    for (k, p, q) in [(3, 0.25, 0.75), (130, 0.3, 0.6), (64, 0.0, 0.1), (16, 1e-17, 0.5)] {
        let params = Params::new(k, 2, 64, p, q, 0.5).unwrap();
        let client = Client::new(params, secret());
        let answers = [("m", ""), ("m", "a"), ("n", "a"), ("", "a longer one than the others")];
        assert_draws_alike(&answers, 200, |(metric, value), script| {
            client.report_from(metric, value, script)
        });
    }
}

#[test]
fn nothing_shows_a_secret_or_a_value() {
    let bytes = *b"sesame4711sesame4711sesame4711se";
    let client = Client::new(params(16, 2, 0.5), Secret::new(bytes));
    let error = client.report_from("metric", "sesame", &mut Script::new([])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::EntropyUnavailable);
    assert_silent(&error, &["sesame", "metric", "115"]);
    for shown in [format!("{client:?} {client:#?}"), format!("{:?}", Secret::new(bytes))] {
        assert!(!shown.contains("sesame") && !shown.contains("115"), "{shown}");
    }
    assert!(format!("{client:?}").starts_with("Client { params: Params { k: 16"));
    assert_eq!(format!("{:?}", Secret::new(bytes)), "Secret { .. }");
}

#[test]
fn a_cohort_that_there_is_none_of_is_refused() {
    let client = Client::with_cohort(params(8, 2, 0.5), secret(), 63).unwrap();
    assert_eq!((client.cohort(), client.params()), (63, &params(8, 2, 0.5)));
    let error = Client::with_cohort(params(8, 2, 0.5), secret(), 64).unwrap_err();
    assert_eq!(error.parameter(), Some("cohort"));
}

/// All of 64 reports of 64 fair-ish bits agree with a chance below 2^−1000.
#[test]
fn reports_have_fresh_noise() {
    let client = Client::new(params(64, 2, 0.5), secret());
    let reports: BTreeSet<_> =
        (0..64).map(|_| client.report("m", "v").unwrap().bits().clone()).collect();
    assert!(reports.len() > 1);
    let permanent: BitVector = [true, false, true].into_iter().collect();
    let exact = Params::new(3, 2, 64, 0.0, 1.0, 0.5).unwrap();
    assert_eq!(exact.instantaneous(&permanent), Ok(permanent));
}
