use super::*;

fn of(k: usize, epsilon: f64) -> Recommendation {
    best(k, Epsilon::new(epsilon).unwrap(), None).unwrap()
}

fn variance(k: usize, epsilon: f64, is_it: fn(&Oracle) -> bool) -> f64 {
    let all = candidates(k, Epsilon::new(epsilon).unwrap()).unwrap();
    all.iter().find(|candidate| is_it(&candidate.oracle)).unwrap().variance
}

/// The formulas of Wang, Blocki, Li and Jha, "Locally differentially private protocols for frequency estimation" (2017), and of Ye and Barg, "Optimal schemes for
/// discrete distribution estimation under locally differential privacy" (2018).
#[test]
fn variances_are_those_of_the_papers() {
    for k in [2, 3, 16, 128, 1000] {
        for epsilon in [0.5f64, 1.0, 2.0, 4.0] {
            let e = epsilon.exp();
            let close = |ours: f64, theirs: f64| (ours / theirs - 1.0).abs() < 1e-9;
            let response =
                variance(k, epsilon, |oracle| matches!(oracle, Oracle::RandomizedResponse { .. }));
            assert!(close(response, (k as f64 - 2.0 + e) / (e - 1.0).powi(2)), "{k} {epsilon}");
            let optimized = variance(k, epsilon, |oracle| {
                matches!(oracle, Oracle::OptimizedUnaryEncoding { .. })
            });
            assert!(close(optimized, 4.0 * e / (e - 1.0).powi(2)), "{k} {epsilon}");
            let symmetric = variance(k, epsilon, |oracle| {
                matches!(oracle, Oracle::SymmetricUnaryEncoding { .. })
            });
            let half = (epsilon / 2.0).exp();
            assert!(close(symmetric, half / (half - 1.0).powi(2)), "{k} {epsilon}");
        }
    }
    let subsets = variance(128, 1.0, |oracle| matches!(oracle, Oracle::SubsetSelection { .. }));
    assert!((subsets - 3.6098).abs() < 5e-5, "{subsets}");
    let hashing = variance(128, 1.0, |oracle| matches!(oracle, Oracle::LocalHashing { .. }));
    assert!((hashing - 3.6917).abs() < 5e-5, "{hashing}");
}

#[test]
fn the_best_has_the_smallest_variance_and_says_why() {
    let subsets = of(128, 1.0);
    assert!(matches!(subsets.oracle(), Oracle::SubsetSelection { size: 34, .. }));
    let typical = Candidate::typical_variance;
    assert!(subsets.others().iter().all(|other| typical(other) >= typical(subsets.best())));
    assert_eq!(subsets.others().len(), 4);
    assert_eq!(
        subsets.reason(),
        "subsets of 34: of the ways to ask for one of 128 answers it has the smallest error, n·Var = 3.6179 for an average one. \
         The next is optimized unary encoding, 2.0 % more. \
         A report has 128 bits; 7 for 1120.9 % more variance with randomized response."
    );
    // Subsets of one are randomized response, with longer reports.
    for (k, epsilon) in [(2, 1.0), (4, 2.0), (16, 4.0)] {
        assert!(matches!(of(k, epsilon).oracle(), Oracle::RandomizedResponse { .. }), "{k}");
    }
    // Beyond all floats the truth is told, not half of it.
    for epsilon in [40.0, 50.0, 700.0, f64::INFINITY] {
        assert!(matches!(of(2, epsilon).oracle(), Oracle::RandomizedResponse { .. }), "{epsilon}");
        assert!(!of(100, epsilon).reason().contains("inf"), "{}", of(100, epsilon).reason());
    }
    let long = best(1_000_000, Epsilon::new(1.0).unwrap(), Some(1000)).unwrap();
    assert!(matches!(long.oracle(), Oracle::LocalHashing { buckets: 4, .. }));
    assert!(long.reason().contains("of at most 1000 bits a report"), "{}", long.reason());
    let error = best(100, Epsilon::new(1.0).unwrap(), Some(6)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid most_bits: no report is so short; accepted is at least 7 bits"
    );
    assert!(best(1, Epsilon::new(1.0).unwrap(), None).is_err());
    assert!(best(5, Epsilon::ZERO, None).is_err());
}

#[test]
fn epsilon_is_the_inverse_of_the_error() {
    let n = 50_000;
    for (k, error) in [(2, 0.01), (50, 0.01), (1000, 0.003)] {
        let epsilon = epsilon_for(k, error, n).unwrap().unwrap().get();
        let at = |epsilon| of(k, epsilon).channel().standard_error(0.0, n, Target::Population);
        assert!(at(epsilon).unwrap() <= error && at(epsilon * 0.998).unwrap() > error, "{k}");
    }
    let epsilon = epsilon_to_detect(50, 0.02, n, 0.001, 0.8).unwrap().unwrap().get();
    let at = |epsilon| of(50, epsilon).channel().detectable(n, 0.001, 0.8).unwrap().unwrap();
    assert!(at(epsilon) <= 0.02 && at(epsilon * 0.99) > 0.02);
    let tiny = epsilon_for(2, 1.0, 1_000_000_000_000).unwrap().unwrap().get();
    assert!((tiny / 1e-6 - 1.0).abs() < 0.01, "{tiny}");
    for share in [f64::NAN, -1.0, 2.0] {
        assert!(epsilon_to_detect(50, share, n, 0.001, 0.8).is_err());
    }
    assert_eq!(epsilon_for(50, 1e-9, 10).unwrap(), None);
    assert!(epsilon_for(50, -1.0, 10).is_err() && epsilon_for(50, 0.1, 0).is_err());
}
