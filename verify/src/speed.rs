//! `verify speed`: nanoseconds a call, words a draw. Times are of this machine, and the best of five runs.

use core::hint::black_box;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use deniable::prelude::*;
use deniable_num::Directed;
use deniable_sample::{
    DiscreteLaplace, DiscreteLaplaceZ2k, Entropy, OsEntropy, Ratio, Result as Sampled,
    sample_bernoulli_exp, sample_bernoulli_float, sample_bernoulli_rational, sample_geometric,
    sample_uniform_int_below,
};

const CALLS: u32 = 50_000;
const DRAWS: u64 = 10_000_000;

/// Runs it.
///
/// # Errors
///
/// Arguments, or a build without optimization.
pub fn command(_root: &Path, arguments: &[String]) -> Result<ExitCode, Vec<String>> {
    if !arguments.is_empty() || cfg!(debug_assertions) {
        return Err(vec!["usage: cargo run --release -p deniable-verify -- speed".into()]);
    }
    directed_arithmetic();
    samplers();
    constructors();
    invocations();
    for (shift, scale) in [(0.0, 1.0), (1.0, 1.0), (1e-6, 1.0), (1e6, 1.0), (0.3, 1e-3), (0.3, 1e6)]
    {
        words_per_draw(shift, scale);
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the time of one call, the best of five runs.
fn time<T>(name: &str, mut call: impl FnMut(f64) -> T) {
    let best = (0..5)
        .map(|_| {
            let start = Instant::now();
            for i in 0..CALLS {
                black_box(call(black_box(f64::from(i) * 1e-3 + 0.7)));
            }
            start.elapsed().as_nanos() as f64 / f64::from(CALLS)
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:<44} {best:>7.1} ns");
}

fn directed_arithmetic() {
    time("inf_add", |x| x.inf_add(0.1));
    time("inf_mul", |x| x.inf_mul(0.1));
    time("inf_div", |x| x.inf_div(0.1));
    time("inf_sqrt", |x| x.inf_sqrt());
    time("inf_ln", |x| x.inf_ln());
    time("inf_ln_1p", |x| x.inf_ln_1p());
    time("inf_exp", |x| x.inf_exp());
    time("inf_exp_m1", |x| x.inf_exp_m1());
    time("inf_powi (37)", |x| x.inf_powi(37));
}

/// Single draws from the operating system's entropy, through its generator.
fn samplers() {
    let mut entropy = OsEntropy::new();
    let e = &mut entropy;
    let ratio = |n: u32, d: u32| Ratio::new(n, d).expect("a denominator above 0");
    let (third, scale) = (ratio(1, 3), ratio(10, 3));
    let integers = DiscreteLaplace::new(&scale).expect("a scale above 0");
    time("one random word", |_| e.word());
    time("sample_bernoulli_float (0.3)", |_| sample_bernoulli_float(0.3, false, e));
    time("sample_bernoulli_float (0.3), constant time", |_| sample_bernoulli_float(0.3, true, e));
    time("sample_bernoulli_rational (1/3)", |_| sample_bernoulli_rational(&third, e));
    time("sample_bernoulli_exp (1/3)", |_| sample_bernoulli_exp(&third, e));
    time("sample_uniform_int_below (1000)", |_| sample_uniform_int_below(1000u32, e));
    time("sample_geometric (10/3)", |_| sample_geometric(&scale, e));
    time("discrete Laplace on integers (10/3)", |_| integers.sample(e));
    for (shift, scale, k) in [
        (0.0, 1.0, -1074),
        (1e-6, 1.0, -1074),
        (1.0, 1.0, -1074),
        (1e6, 1.0, -1074),
        (0.3, 1e-3, -1074),
        (0.3, 1e6, -1074),
        (0.3, 1.0, -40),
        (0.3, 1.0, 0),
    ] {
        let noise = DiscreteLaplaceZ2k::new(scale, k).expect("a scale above 0");
        time(&format!("Laplace f64, x {shift:e}, scale {scale:e}, k {k}"), |_| {
            noise.sample(shift, e)
        });
    }
    let noise = DiscreteLaplaceZ2k::new(1.0f32, -149).expect("a scale above 0");
    time("Laplace f32, x 0, scale 1, k -149", |_| noise.sample(0.0, e));
}

/// Making a mechanism computes its map.
fn constructors() {
    let domain = BitVectorDomain::new(64).with_max_weight(2);
    time("make_randomized_response_bool", |x| make_randomized_response_bool(0.5 + x * 1e-3, false));
    time("make_randomized_response (3)", |x| {
        make_randomized_response(["tea", "coffee", "water"], 0.4 + x * 1e-3)
    });
    time("make_randomized_response_bitvec (64)", |x| {
        make_randomized_response_bitvec(domain, DiscreteDistance, x * 1e-3, false)
    });
    let vectors = VectorDomain::finite::<f64>();
    let noise = make_vector_float_laplace_cks20(vectors, L1Distance::new(), 2.0, None);
    let noise = noise.expect("a scale above 0");
    time("make_vector_float_laplace_cks20", |x| {
        make_vector_float_laplace_cks20(vectors, L1Distance::new(), x, None)
    });
    time("map of make_vector_float_laplace_cks20", |x| noise.map(x));
}

/// One call of `invoke` each, with the operating system's entropy.
fn invocations() {
    let yes = make_randomized_response_bool(0.75, false).expect("a probability");
    time("randomized response, yes or no", |_| yes.invoke(&true));
    let yes = make_randomized_response_bool(0.75, true).expect("a probability");
    time("randomized response, yes or no, constant time", |_| yes.invoke(&true));
    for t in [16u32, 1000] {
        let choice = make_randomized_response(0..t, 0.9).expect("a probability");
        time(&format!("randomized response, {t} integers"), |_| choice.invoke(&7));
    }
    let texts = (0..1000).map(|i| format!("category {i}"));
    let choice = make_randomized_response(texts, 0.9).expect("a probability");
    let answer = "category 7".to_owned();
    time("randomized response, 1000 texts", |_| choice.invoke(&answer));
    let domain = BitVectorDomain::new(1024).with_max_weight(2);
    for constant_time in [false, true] {
        let flips = make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, constant_time);
        let (flips, bits) = (flips.expect("an f"), BitVector::zeros(1024));
        let name = if constant_time { ", constant time" } else { "" };
        time(&format!("randomized response, 1024 bits{name}"), |_| flips.invoke(&bits));
    }
    let numbers = VectorDomain::finite::<f64>();
    let noise = make_vector_float_laplace_cks20(numbers, L1Distance::new(), 1.0, None);
    let (noise, zeros) = (noise.expect("a scale"), [0.0; 100]);
    time("Laplace on a vector of 100 floats", |_| noise.invoke(&zeros));
    let count = AtomDomain::<i64>::all();
    let noise = make_scalar_integer_laplace_cks20(count, AbsoluteDistance::new(), 10.0);
    let noise = noise.expect("a scale");
    time("Laplace on an integer", |_| noise.invoke(&17));
}

/// How often the first 64 bits of the uniform number are not enough, and how often 128 are not and big
/// integers are needed.
fn words_per_draw(shift: f64, scale: f64) {
    let noise = DiscreteLaplaceZ2k::new(scale, -1074).expect("a scale above 0");
    let mut entropy = Counting { words: 0, inner: OsEntropy::new() };
    let (mut more, mut big) = (0u64, 0u64);
    for _ in 0..DRAWS {
        entropy.words = 0;
        black_box(noise.sample(shift, &mut entropy)).expect("entropy");
        more += u64::from(entropy.words > 2);
        big += u64::from(entropy.words > 3);
    }
    println!(
        "Laplace f64, x {shift:e}, scale {scale:e}: of {DRAWS} draws {more} took a second word, {big} took \
         big integers"
    );
}

struct Counting {
    words: u32,
    inner: OsEntropy,
}

impl Entropy for Counting {
    fn fill(&mut self, words: &mut [u64]) -> Sampled<()> {
        self.words += words.len() as u32;
        self.inner.fill(words)
    }

    fn word(&mut self) -> Sampled<u64> {
        self.words += 1;
        self.inner.word()
    }
}
