//! The forms that work on many answers where they are.

use deniable::prelude::*;

/// With a probability this close to 1, or to 0, an answer changes once in 2^53 times: in less than 10^7 of them once in 10^9 runs.
const ALMOST_NEVER: f64 = 1.0 / (1u64 << 53) as f64;

/// So many that several threads share them, if there are any.
const ANSWERS: usize = 600_001;

#[test]
fn nearly_truthful_mechanisms_leave_everything_where_it_is() {
    let bools: Vec<bool> = (0..ANSWERS).map(|i| i % 3 == 0).collect();
    let mechanism = make_randomized_response_bool(1.0 - ALMOST_NEVER, false).unwrap();
    let mut reports = bools.clone();
    mechanism.invoke_in_place(&mut reports).unwrap();
    assert_eq!(reports, bools);
    assert_eq!(mechanism.invoke_batch(&bools).unwrap(), bools);

    let packed = BitVector::from(bools);
    let mut reports = packed.as_words().to_vec();
    mechanism.invoke_packed(&mut reports, ANSWERS).unwrap();
    assert_eq!(reports, packed.as_words());

    let places: Vec<u16> = (0..ANSWERS).map(|i| (i % 500) as u16).collect();
    let choice = make_randomized_response(0..500u16, 1.0 - ALMOST_NEVER).unwrap();
    let mut reports = places.clone();
    choice.invoke_indices(&mut reports).unwrap();
    assert_eq!(reports, places);
    assert_eq!(choice.invoke_batch(&places).unwrap(), places);
    assert!(choice.invoke_batch_borrowed(&places).unwrap().into_iter().eq(&places));
    let mut reports = places.clone();
    choice.invoke_in_place(&mut reports).unwrap();
    assert_eq!(reports, places);

    for length in [5, 64, 70] {
        let domain = BitVectorDomain::new(length).with_max_weight(length);
        let flips = make_randomized_response_bitvec(domain, DiscreteDistance, ALMOST_NEVER, false);
        let flips = flips.unwrap();
        let vectors: Vec<BitVector> =
            (0..10_000).map(|row| (0..length).map(|i| (i + row) % 4 == 0).collect()).collect();
        let rows: Vec<u64> = vectors.iter().flat_map(|row| row.as_words()).copied().collect();
        let mut reports = rows.clone();
        flips.invoke_rows(&mut reports).unwrap();
        assert_eq!(reports, rows);
        assert_eq!(flips.invoke_batch(&vectors).unwrap(), vectors);
        let mut one = vectors[3].clone();
        flips.invoke_in_place(&mut one).unwrap();
        assert_eq!(one, vectors[3]);
    }
}

#[test]
fn noise_far_below_a_number_leaves_it_as_it_is() {
    let numbers: Vec<f64> = (0..ANSWERS).map(|i| 1e9 + i as f64).collect();
    let domain = VectorDomain::finite::<f64>();
    let noise = make_vector_float_laplace_cks20(domain, L1Distance::new(), 1e-10, None).unwrap();
    let mut noisy = numbers.clone();
    noise.invoke_in_place(&mut noisy).unwrap();
    assert_eq!(noisy, numbers);
    assert_eq!(noise.invoke(&numbers).unwrap(), numbers);
    let scalar =
        make_scalar_float_laplace_cks20(AtomDomain::finite(), AbsoluteDistance::new(), 1e-10, None);
    assert_eq!(scalar.unwrap().invoke_batch(&numbers).unwrap(), numbers);

    let integers: Vec<i64> = (0..ANSWERS as i64).collect();
    let domain = VectorDomain::finite::<i64>();
    let noise = make_vector_integer_laplace_cks20(domain, L1Distance::new(), 0.02).unwrap();
    let mut noisy = integers.clone();
    noise.invoke_in_place(&mut noisy).unwrap();
    assert_eq!(noisy, integers);
    let scalar =
        make_scalar_integer_laplace_cks20(AtomDomain::finite(), AbsoluteDistance::new(), 0.02);
    assert_eq!(scalar.unwrap().invoke_batch(&integers).unwrap(), integers);
}

/// All of 1000 fair flips agree once in 2^999 runs.
#[test]
fn noise_is_added_to_the_last_as_to_the_first() {
    for length in [1, 2, 63, 64, 65, 2047, 2048, 2049, 5000] {
        let domain = VectorDomain::finite::<f64>();
        let noise = make_vector_float_laplace_cks20(domain, L1Distance::new(), 1.0, None).unwrap();
        let mut numbers = vec![0.0; length];
        noise.invoke_in_place(&mut numbers).unwrap();
        assert!(numbers.iter().all(|&x| x != 0.0), "a zero has a chance of 2^-1000");
        let choice = make_randomized_response(0..1000u32, 0.001).unwrap();
        let last = (0..200).map(|_| {
            let mut places = vec![7u32; length];
            choice.invoke_indices(&mut places).unwrap();
            places[length - 1]
        });
        assert!(last.filter(|&place| place != 7).count() > 100);
    }
}

#[test]
fn what_is_refused_stays_as_it_was() {
    let yes_no = make_randomized_response_bool(0.75, false).unwrap();
    for (words, length) in [(0, 1), (1, 0), (1, 65), (2, 64), (3, 129 + 64)] {
        let mut answers = vec![u64::MAX; words];
        let error = yes_no.invoke_packed(&mut answers, length).unwrap_err();
        assert_eq!(error.parameter(), Some("answers"));
        assert!(answers.iter().all(|&word| word == u64::MAX));
    }
    let choice = make_randomized_response(0..257, 0.75).unwrap();
    let mut answers = [9u8; 3];
    let error = choice.invoke_indices(&mut answers).unwrap_err();
    assert_eq!(error.parameter(), Some("answers"));
    assert!(error.to_string().contains("category 257"), "{error}");
    assert_eq!(answers, [9; 3]);
    assert!(make_randomized_response(0..256, 0.75).unwrap().invoke_indices(&mut answers).is_ok());

    let domain = BitVectorDomain::new(70).with_max_weight(2);
    let flips = make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, false).unwrap();
    for bad in [vec![1], vec![1, 0, 1], vec![0, 1 << 6], vec![0b111, 0], vec![0, 0, 7, 0, 1, 1]] {
        let mut rows = bad.clone();
        let error = flips.invoke_rows(&mut rows).unwrap_err();
        assert!(!error.to_string().contains("111"), "{error}");
        assert_eq!(rows, bad);
    }
    let mut too_heavy = BitVector::from(vec![true; 70]);
    assert!(flips.invoke_in_place(&mut too_heavy).is_err());
    assert_eq!(too_heavy.count_ones(), 70);

    let domain = VectorDomain::finite::<f64>().with_size(2);
    let noise = make_vector_float_laplace_cks20(domain, L1Distance::new(), 1.0, None).unwrap();
    for bad in [&mut [1.0][..], &mut [1.0, f64::INFINITY], &mut [1.0; 3]] {
        assert_eq!(noise.invoke_in_place(bad).unwrap_err().kind(), ErrorKind::NotAMember);
        assert_eq!(bad[0], 1.0);
    }
}

#[test]
fn nothing_is_fine() {
    make_randomized_response_bool(0.75, true).unwrap().invoke_in_place(&mut []).unwrap();
    make_randomized_response_bool(0.75, true).unwrap().invoke_packed(&mut [], 0).unwrap();
    make_randomized_response(0..3, 0.75).unwrap().invoke_indices::<u8>(&mut []).unwrap();
    for length in [0, 1, 64, 100] {
        let domain = BitVectorDomain::new(length).with_max_weight(length);
        let flips = make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, false).unwrap();
        flips.invoke_rows(&mut []).unwrap();
        assert_eq!(flips.invoke_rows(&mut [0; 3]).is_err(), length == 0 || length == 100);
        assert!(flips.invoke_batch(&[]).unwrap().is_empty());
    }
    let domain = VectorDomain::finite::<i32>();
    let noise = make_vector_integer_laplace_cks20(domain, L1Distance::new(), 1.0).unwrap();
    noise.invoke_in_place(&mut []).unwrap();
}

#[test]
fn bits_behind_the_last_answer_stay() {
    let yes_no = make_randomized_response_bool(0.5, false).unwrap();
    for length in [0, 1, 5, 63, 64, 65, 100, 127, 4100] {
        let mut answers = vec![0xaaaa_aaaa_aaaa_aaaa; usize::div_ceil(length, 64)];
        yes_no.invoke_packed(&mut answers, length).unwrap();
        if length % 64 != 0 {
            let behind = |word: u64| word >> (length % 64);
            assert_eq!(behind(answers[length / 64]), behind(0xaaaa_aaaa_aaaa_aaaa));
        }
    }
}
