//! The forms that work on many answers where they are.

use deniable::RandomizedResponse;
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

/// Whether about so many stay as they were, in each eighth: a share is further away once in 10^12 runs (Hoeffding).
fn stay<T: PartialEq>(before: &[T], after: &[T], share: f64) {
    assert_eq!(before.len(), after.len());
    let part = before.len().div_ceil(8);
    for (before, after) in before.chunks(part).zip(after.chunks(part)) {
        let same = before.iter().zip(after).filter(|(a, b)| a == b).count();
        let distance = (2e12f64.ln() / (2.0 * before.len() as f64)).sqrt();
        let (same, share) = (same as f64 / before.len() as f64, share);
        assert!((same - share).abs() < distance, "{same} of {share}");
    }
}

/// Whatever the form, and wherever the answer is.
#[test]
fn every_form_randomizes_every_answer() {
    let bools: Vec<bool> = (0..ANSWERS).map(|i| i % 3 == 0).collect();
    let packed = BitVector::from(bools.clone());
    for constant_time in [false, true] {
        let mechanism = make_randomized_response_bool(0.5, constant_time).unwrap();
        let mut reports = bools.clone();
        mechanism.invoke_in_place(&mut reports).unwrap();
        stay(&bools, &reports, 0.5);
        stay(&bools, &mechanism.invoke_batch(&bools).unwrap(), 0.5);
        let mut words = packed.as_words().to_vec();
        mechanism.invoke_packed(&mut words, ANSWERS).unwrap();
        let reports: Vec<bool> = (0..ANSWERS).map(|i| words[i / 64] >> (i % 64) & 1 == 1).collect();
        stay(&bools, &reports, 0.5);
    }

    let places: Vec<u8> = (0..ANSWERS).map(|i| (i % 4) as u8).collect();
    let choice = make_randomized_response(0..4u8, 0.5).unwrap();
    stay(&places, &choice.invoke_batch(&places).unwrap(), 0.5);
    let borrowed = choice.invoke_batch_borrowed(&places).unwrap();
    stay(&places, &borrowed.into_iter().copied().collect::<Vec<_>>(), 0.5);
    let randomized = |form: fn(&RandomizedResponse<u8>, &mut [u8]) -> deniable::Result<()>| {
        let mut reports = places.clone();
        form(&choice, &mut reports).unwrap();
        stay(&places, &reports, 0.5);
        assert!(reports.iter().all(|&place| place < 4));
    };
    randomized(|choice, places| choice.invoke_in_place(places));
    randomized(|choice, places| choice.invoke_indices(places));
    randomized(|choice, places| choice.invoke_indices_constant_time(places));
}

/// Three words for each vector, of which the last has two bits: parts that threads share are whole vectors.
#[test]
fn every_bit_of_every_vector_is_flipped_and_no_other() {
    for rows in [10_001, 7_001] {
        flips_of(130, rows);
    }
}

fn flips_of(length: usize, rows: usize) {
    let domain = BitVectorDomain::new(length).with_max_weight(length);
    let flips = make_randomized_response_bitvec(domain, DiscreteDistance, 1.0, false).unwrap();
    let zeros = BitVector::from(vec![false; length]);
    let bits =
        |vectors: &[BitVector]| -> Vec<bool> { vectors.iter().flat_map(BitVector::iter).collect() };
    let none = vec![false; length * rows];

    let mut words = vec![0; 3 * rows];
    flips.invoke_rows(&mut words).unwrap();
    assert!(words.chunks(3).all(|row| row[2] < 1 << 2));
    let bit = |i: usize| words[i / length * 3 + i % length / 64] >> (i % length % 64) & 1 == 1;
    stay(&none, &(0..length * rows).map(bit).collect::<Vec<_>>(), 0.5);

    let vectors = vec![zeros.clone(); rows];
    stay(&none, &bits(&flips.invoke_batch(&vectors).unwrap()), 0.5);
    let each: Vec<BitVector> = vectors.iter().map(|x| flips.invoke(x).unwrap()).collect();
    stay(&none, &bits(&each), 0.5);
    let mut in_place = vectors;
    in_place.iter_mut().for_each(|vector| flips.invoke_in_place(vector).unwrap());
    stay(&none, &bits(&in_place), 0.5);
}

/// The numbers of seeds and the buckets are zero as often as others are.
#[test]
fn every_row_of_local_hashing_is_drawn() {
    let mechanism = make_local_hashing(0..9u8, 4, 0.7).unwrap();
    let places: Vec<u8> = (0..200_000).map(|i| (i % 10) as u8).collect();
    let rows = mechanism.invoke_rows(&places).unwrap();
    let length = mechanism.row_length();
    assert_eq!(rows.len(), places.len() * length);
    let (seeds, buckets): (Vec<_>, Vec<_>) =
        rows.chunks(length).map(|row| (&row[..length - 1], row[length - 1])).unzip();
    let seeds = seeds.concat();
    stay(&vec![0; seeds.len()], &seeds, 0.25);
    stay(&vec![0; buckets.len()], &buckets, 0.25);
}

/// No noise has a chance of (1 − q)/(1 + q) with q = e^(−1/10).
#[test]
fn every_form_adds_noise_to_every_number() {
    let q = (-0.1f64).exp();
    let share = (1.0 - q) / (1.0 + q);
    let integers: Vec<i64> = (0..ANSWERS as i64).collect();
    for constant_time in [false, true] {
        let vector = make_vector_integer_laplace_cks20(
            VectorDomain::finite::<i64>(),
            L1Distance::new(),
            10.0,
        );
        let scalar =
            make_scalar_integer_laplace_cks20(AtomDomain::finite(), AbsoluteDistance::new(), 10.0);
        let (mut vector, mut scalar) = (vector.unwrap(), scalar.unwrap());
        assert!(!vector.constant_time() && !scalar.constant_time());
        if constant_time {
            (vector, scalar) = (vector.with_constant_time(), scalar.with_constant_time());
            assert!(vector.constant_time() && scalar.constant_time());
        }
        let mut noisy = integers.clone();
        vector.invoke_in_place(&mut noisy).unwrap();
        stay(&integers, &noisy, share);
        stay(&integers, &vector.invoke(&integers).unwrap(), share);
        let mut noisy = integers.clone();
        scalar.invoke_in_place(&mut noisy).unwrap();
        stay(&integers, &noisy, share);
        stay(&integers, &scalar.invoke_batch(&integers).unwrap(), share);
    }

    let floats: Vec<f64> = (0..ANSWERS).map(|i| i as f64).collect();
    let (domain, metric) = (VectorDomain::finite::<f64>().with_size(ANSWERS), L1Distance::new());
    let vector = make_vector_float_laplace_cks20(domain, metric, 10.0, Some(0)).unwrap();
    let scalar = make_scalar_float_laplace_cks20(
        AtomDomain::finite(),
        AbsoluteDistance::new(),
        10.0,
        Some(0),
    );
    let scalar = scalar.unwrap();
    let mut noisy = floats.clone();
    vector.invoke_in_place(&mut noisy).unwrap();
    stay(&floats, &noisy, share);
    stay(&floats, &vector.invoke(&floats).unwrap(), share);
    let mut noisy = floats.clone();
    scalar.invoke_in_place(&mut noisy).unwrap();
    stay(&floats, &noisy, share);
    stay(&floats, &scalar.invoke_batch(&floats).unwrap(), share);
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
    // Two vectors alike: what is wrong with the one must not make up for the other.
    let twice = [vec![7, 0, 7, 0], vec![0, 1 << 6, 0, 1 << 6]];
    let once = [vec![1], vec![1, 0, 1], vec![0, 1 << 6], vec![0b111, 0], vec![0, 0, 7, 0, 1, 1]];
    for bad in once.into_iter().chain(twice) {
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
