//! The rows of the table.

use std::hash::Hash;
use std::hint::black_box;

use deniable::LocalHashing;
use deniable::estimate::BitCounts;
use deniable::mechanism::{local_hashing, subset_selection, unary_encoding};
use deniable::prelude::*;

use crate::contest::{Contender, Row};
use crate::peers;
use crate::plain::Xoshiro;

/// All of them, each made when it is its turn.
pub fn all() -> impl Iterator<Item = Row> {
    let local: [fn() -> Row; 21] = [
        || yes_or_no(1_000_000, "RR bool, p = .75, batch of 10^6"),
        || yes_or_no(1, "RR bool, p = .75, single invoke"),
        || choice(16, "RR categorical, 16 integers, indices, batch", CHOICE_16),
        || choice(1000, "RR categorical, 1000 integers, indices, batch", CHOICE_1000),
        || values(),
        || texts(|i| format!("category {i}"), "RR categorical, 1000 Strings, batch"),
        borrowed_texts,
        texts_in_place,
        || texts(|i| &*format!("category {i}").leak(), "RR categorical, 1000 strs, batch"),
        || rows(0.5, false, "RR bit vector, k = 1024, f = .5, rows", BITS_50),
        || rows(0.1, false, "RR bit vector, k = 1024, f = .1, rows", BITS_10),
        || rows(0.1, true, "RR bit vector, constant_time, f = .1, rows", BITS_10),
        || bits(0.5, false, "RR bit vector, k = 1024, f = .5, one"),
        || bits(0.1, false, "RR bit vector, k = 1024, f = .1, one"),
        || bits(0.1, true, "RR bit vector, constant_time, f = .1, one"),
        || debias(true, "debias, n = 100 000, k = 1024, packed rows"),
        || debias(false, "debias, n = 100 000, k = 1024, vectors"),
        unary,
        subsets,
        hashing,
        count_hashed,
    ];
    let central: [fn() -> Row; 8] = [
        || float_laplace(1.0, "Laplace f64, d = 10^6, scale 1"),
        || float_laplace(1e-3, "Laplace f64, d = 10^6, scale 1e-3"),
        || float_laplace(1e6, "Laplace f64, d = 10^6, scale 1e6"),
        || integer_laplace(1.0, "Laplace i64, d = 10^6, scale 1"),
        || integer_laplace(1e9, "Laplace i64, d = 10^6, scale 1e9"),
        make_yes_or_no,
        make_choice,
        make_bits,
    ];
    local.into_iter().chain(central).map(|row| row())
}

const CHOICE_16: &str = "x = g.integers(0, 16, n); o = (x + g.integers(1, 16, n)) % 16; r = np.where(g.random(n) < .75, x, o)";
const CHOICE_1000: &str = "x = g.integers(0, 1000, n); o = (x + g.integers(1, 1000, n)) % 1000; r = np.where(g.random(n) < .75, x, o)";
const BITS_50: &str = "r = np.zeros(n, bool) ^ (g.random(n) < .25)";
const BITS_10: &str = "r = np.zeros(n, bool) ^ (g.random(n) < .05)";

fn yes_or_no(items: usize, name: &'static str) -> Row {
    let mechanism = make_randomized_response_bool(0.75, false).expect("a probability");
    let answers: Vec<bool> = (0..items).map(|i| i % 3 == 0).collect();
    let ours = match items {
        1 => Contender::new(1, move || {
            black_box(mechanism.invoke(black_box(&true)).expect("entropy"));
        }),
        _ => Contender::new(items, move || {
            black_box(mechanism.invoke_batch(&answers).expect("entropy"));
        }),
    };
    let (mut generator, answers) = (Xoshiro::new(), vec![true; 10_000]);
    let plain = Contender::new(answers.len(), move || {
        let answer = |&answer: &bool| answer ^ (generator.uniform() >= 0.75);
        black_box(answers.iter().map(answer).collect::<Vec<bool>>());
    });
    Row {
        name,
        item: "answer",
        ours,
        opendp: Some(peers::yes_or_no(0.75)),
        plain: Some(plain),
        numpy: (items > 1).then_some("r = np.ones(n, bool) ^ (g.random(n) >= .75)"),
    }
}

fn choice(t: u32, name: &'static str, numpy: &'static str) -> Row {
    let mechanism = make_randomized_response(0..t, 0.75).expect("a probability");
    let answers: Vec<u32> = (0..1_000_000).map(|i| i % t).collect();
    let mut reports = answers.clone();
    let ours = Contender::new(answers.len(), move || {
        reports.copy_from_slice(&answers);
        mechanism.invoke_indices(black_box(&mut reports)).expect("entropy");
    });
    let (mut generator, answers) = (Xoshiro::new(), vec![3; 10_000]);
    let plain = Contender::new(answers.len(), move || {
        let other = |answer, r| u64::from(answer) + 1 + r;
        let randomized = |&answer: &u32| match generator.uniform() < 0.75 {
            true => u64::from(answer),
            false => other(answer, generator.below(u64::from(t) - 1)) % u64::from(t),
        };
        black_box(answers.iter().map(randomized).collect::<Vec<u64>>());
    });
    let opendp = Some(peers::choice((0..t as i32).collect(), 0.75));
    Row { name, item: "answer", ours, opendp, plain: Some(plain), numpy: Some(numpy) }
}

/// The same by value: each is looked up.
fn values() -> Row {
    let mechanism = make_randomized_response(0..1000, 0.75).expect("a probability");
    let answers: Vec<i32> = (0..1_000_000).map(|i| i % 1000).collect();
    Row {
        name: "RR categorical, 1000 integers, values, batch",
        item: "answer",
        ours: Contender::new(answers.len(), move || {
            black_box(mechanism.invoke_batch(&answers).expect("entropy"));
        }),
        opendp: Some(peers::choice((0..1000).collect(), 0.75)),
        plain: None,
        numpy: None,
    }
}

/// Answers that are owned, and reports that are borrowed from the list of categories.
fn borrowed_texts() -> Row {
    let text = |i: usize| format!("category {i}");
    let mechanism = make_randomized_response((0..1000).map(text), 0.75).expect("a probability");
    let answers: Vec<String> = (0..100_000).map(|i| text(i % 1000)).collect();
    Row {
        ours: Contender::new(answers.len(), move || {
            black_box(mechanism.invoke_batch_borrowed(&answers).expect("entropy"));
        }),
        ..texts(text, "RR categorical, 1000 Strings, borrowed, batch")
    }
}

/// Answers that are owned, and reports that take their places.
fn texts_in_place() -> Row {
    let text = |i: usize| format!("category {i}");
    let mechanism = make_randomized_response((0..1000).map(text), 0.75).expect("a probability");
    let mut answers: Vec<String> = (0..100_000).map(|i| text(i % 1000)).collect();
    Row {
        ours: Contender::new(answers.len(), move || {
            mechanism.invoke_in_place(black_box(&mut answers)).expect("entropy");
        }),
        ..texts(text, "RR categorical, 1000 Strings, in place, batch")
    }
}

fn texts<T>(text: fn(usize) -> T, name: &'static str) -> Row
where
    T: Eq + Hash + Clone + Send + Sync + ToString + 'static,
{
    let categories: Vec<T> = (0..1000).map(text).collect();
    let mechanism = make_randomized_response(categories.clone(), 0.75).expect("a probability");
    let answers: Vec<T> = categories.iter().cycle().take(100_000).cloned().collect();
    let theirs = categories.iter().map(T::to_string).collect();
    Row {
        name,
        item: "answer",
        ours: Contender::new(answers.len(), move || {
            black_box(mechanism.invoke_batch(&answers).expect("entropy"));
        }),
        opendp: Some(peers::choice::<String>(theirs, 0.75)),
        plain: None,
        numpy: None,
    }
}

const K: usize = 1024;

fn flips(f: f64, constant_time: bool) -> deniable::RandomizedResponseBitvec {
    let domain = BitVectorDomain::new(K).with_max_weight(K);
    make_randomized_response_bitvec(domain, DiscreteDistance, f, constant_time).expect("an f")
}

/// A million bits in rows, where they are.
fn rows(f: f64, constant_time: bool, name: &'static str, numpy: &'static str) -> Row {
    const ROWS: usize = 1000;
    let (mechanism, answers) = (flips(f, constant_time), vec![0; ROWS * K / 64]);
    let mut reports = answers.clone();
    Row {
        ours: Contender::new(ROWS * K, move || {
            reports.copy_from_slice(&answers);
            mechanism.invoke_rows(black_box(&mut reports)).expect("entropy");
        }),
        numpy: (!constant_time).then_some(numpy),
        ..bits(f, constant_time, name)
    }
}

/// One vector.
fn bits(f: f64, constant_time: bool, name: &'static str) -> Row {
    let (mechanism, answer) = (flips(f, constant_time), BitVector::zeros(K));
    let mut generator = Xoshiro::new();
    let plain = Contender::new(K, move || {
        black_box((0..K).map(|_| generator.uniform() < f / 2.0).collect::<Vec<bool>>());
    });
    Row {
        name,
        item: "bit",
        ours: Contender::new(K, move || {
            black_box(mechanism.invoke(&answer).expect("entropy"));
        }),
        opendp: Some(peers::bits(K, f, constant_time)),
        plain: Some(plain),
        numpy: None,
    }
}

fn debias(packed: bool, name: &'static str) -> Row {
    const N: usize = 100_000;
    let report = |i: usize| (0..K).map(move |j| (i * 7 + j * j) % 5 < 2).collect::<BitVector>();
    let reports: Vec<BitVector> = (0..N).map(report).collect();
    let rows: Vec<u64> = reports.iter().flat_map(|report| report.as_words()).copied().collect();
    let ours = match packed {
        true => Contender::new(N * K, move || {
            let mut counts = deniable::estimate::BitCounts::new(K);
            counts.add_rows(&rows).expect("rows");
            black_box(
                deniable::estimate::debias_randomized_response_bitvec_counts(&counts, 0.5)
                    .expect("reports"),
            );
        }),
        false => Contender::new(N * K, move || {
            black_box(debias_randomized_response_bitvec(&reports, 0.5).expect("reports"));
        }),
    };
    let opendp = Some(peers::debias(K, N));
    Row { name, item: "bit of a report", ours, opendp, plain: None, numpy: None }
}

/// A job of ours for each of 100 000 respondents with one of 128 answers, at ε = 1, that the other crate has not.
fn of_128(name: &'static str, item: &'static str, job: impl Fn(&[u8]) + 'static) -> Row {
    let places: Vec<u8> = (0..100_000u32).map(|i| (i % 128) as u8).collect();
    let ours = Contender::new(places.len(), move || job(black_box(&places)));
    Row { name, item, ours, opendp: None, plain: None, numpy: None }
}

fn unary() -> Row {
    let (one, zero) = unary_encoding::optimized(one_epsilon()).expect("parameters");
    let mechanism = make_unary_encoding(0..128, one, zero).expect("probabilities");
    of_128("optimized unary encoding, k = 128, ε = 1, rows", "answer", move |places| {
        black_box(mechanism.invoke_rows(places).expect("entropy"));
    })
}

fn subsets() -> Row {
    let prob = subset_selection::largest_prob(128, 34, one_epsilon()).expect("parameters");
    let mechanism = make_subset_selection(0..128, 34, prob).expect("probabilities");
    of_128("subset selection, k = 128, ε = 1, rows", "answer", move |places| {
        black_box(mechanism.invoke_rows(places).expect("entropy"));
    })
}

fn hashing() -> Row {
    let mechanism = local_hashing_of_128();
    of_128("local hashing, k = 128, ε = 1, rows", "answer", move |places| {
        black_box(mechanism.invoke_rows(places).expect("entropy"));
    })
}

fn count_hashed() -> Row {
    let mechanism = local_hashing_of_128();
    let reports = mechanism.invoke_rows(&vec![5u8; 100_000]).expect("entropy");
    of_128("local hashing, k = 128, ε = 1, counting", "report", move |_| {
        let mut counts = BitCounts::new(128);
        mechanism.count_rows(&reports, &mut counts).expect("reports");
        black_box(counts);
    })
}

fn local_hashing_of_128() -> LocalHashing<u32> {
    let prob = local_hashing::largest_prob(4, one_epsilon()).expect("parameters");
    make_local_hashing(0..128, 4, prob).expect("probabilities")
}

fn one_epsilon() -> Epsilon {
    Epsilon::new(1.0).expect("a number")
}

fn float_laplace(scale: f64, name: &'static str) -> Row {
    let numbers = VectorDomain::finite::<f64>();
    let mechanism = make_vector_float_laplace_cks20(numbers, L1Distance::new(), scale, None);
    let (mechanism, input) = (mechanism.expect("a scale"), vec![0.25; 1_000_000]);
    let mut generator = Xoshiro::new();
    let plain = Contender::new(10_000, move || {
        black_box((0..10_000).map(|_| 0.25 + generator.laplace(scale)).collect::<Vec<f64>>());
    });
    Row {
        name,
        item: "number",
        ours: Contender::new(input.len(), move || {
            black_box(mechanism.invoke(&input).expect("entropy"));
        }),
        opendp: Some(peers::float_laplace(scale)),
        plain: Some(plain),
        numpy: Some("r = .25 + g.laplace(0, 1, n)"),
    }
}

fn integer_laplace(scale: f64, name: &'static str) -> Row {
    let numbers = VectorDomain::finite::<i64>();
    let mechanism = make_vector_integer_laplace_cks20(numbers, L1Distance::new(), scale);
    let (mechanism, input) = (mechanism.expect("a scale"), vec![25; 1_000_000]);
    Row {
        name,
        item: "number",
        ours: Contender::new(input.len(), move || {
            black_box(mechanism.invoke(&input).expect("entropy"));
        }),
        opendp: Some(peers::integer_laplace(scale)),
        plain: None,
        numpy: None,
    }
}

/// A row of constructors: no loop does the same.
fn constructor(name: &'static str, ours: Contender, opendp: Contender) -> Row {
    Row { name, item: "mechanism", ours, opendp: Some(opendp), plain: None, numpy: None }
}

fn make_yes_or_no() -> Row {
    let ours = Contender::new(1, || {
        black_box(make_randomized_response_bool(black_box(0.75), false).expect("a probability"));
    });
    constructor("constructor, boolean", ours, peers::make_yes_or_no())
}

fn make_choice() -> Row {
    let ours = Contender::new(1, || {
        black_box(make_randomized_response(0..16, black_box(0.75)).expect("a probability"));
    });
    constructor("constructor, 16 integers", ours, peers::make_choice())
}

fn make_bits() -> Row {
    let ours = Contender::new(1, || {
        let domain = BitVectorDomain::new(64).with_max_weight(2);
        let made = make_randomized_response_bitvec(domain, DiscreteDistance, black_box(0.5), false);
        black_box(made.expect("an f"));
    });
    constructor("constructor, bit vector", ours, peers::make_bits())
}
