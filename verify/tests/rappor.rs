//! RAPPOR: the exact laws of both steps of its noise, and what is lost.

use dashu_ratio::RBig;
use deniable::rappor::Params;
use deniable::{
    BitVector, BitVectorDomain, DiscreteDistance, Measurement, Result,
    make_randomized_response_bitvec,
};
use deniable_sample::{Source, Word, sample_bernoulli_float};
use deniable_verify::audit::exact::{Loss, Tally, Worst, fraction, value};
use deniable_verify::audit::local::Local;
use deniable_verify::audit::local::laws::{judge_laws, over_small_words};
use deniable_verify::enumerate::enumerate;
use deniable_verify::law::{Between, Law};
use deniable_verify::words::Script;

/// Parameters of one cohort.
fn params(k: usize, h: usize, p: f64, q: f64, f: f64) -> Params {
    Params::new(k, h, 1, p, q, f).unwrap()
}

/// Few bits and few digits, with fewer bits than two filters have ones, as many, and more; p below q and above.
fn small() -> Vec<Params> {
    vec![
        params(1, 1, 0.25, 0.75, 0.5),
        params(2, 1, 0.25, 0.75, 0.5),
        params(2, 2, 0.5, 0.75, 0.5),
        params(2, 1, 0.75, 0.5, 0.25),
        params(2, 1, 0.0, 1.0, 0.75),
        params(2, 1, 0.5, 0.0, 0.5),
        params(3, 1, 0.5, 0.75, 0.5),
        params(3, 2, 0.5, 0.25, 0.5),
        params(3, 2, 0.5, 0.75, 0.5),
        params(3, 3, 1.0, 0.5, 0.5),
        params(4, 2, 0.5, 1.0, 0.5),
        params(4, 2, 0.5, 0.0, 0.5),
        params(4, 3, 0.0, 0.5, 0.5),
    ]
}

fn bits(k: usize, number: usize) -> BitVector {
    (0..k).map(|bit| number >> bit & 1 == 1).collect()
}

/// All filters of some parameters.
fn filters(params: &Params) -> Vec<BitVector> {
    let all = (1..1 << params.k()).map(|number| bits(params.k(), number));
    all.filter(|filter| filter.count_ones() <= params.h()).collect()
}

/// A vector whose bits are independent, each one with one probability if that of the input is, and with another else.
fn product(input: &BitVector, output: &BitVector, one: &RBig, zero: &RBig) -> RBig {
    input.iter().zip(output.iter()).fold(RBig::ONE, |product, (input, output)| {
        let chance = if input { one } else { zero };
        product * if output { chance.clone() } else { RBig::ONE - chance }
    })
}

/// The probabilities of a one in the permanent answer.
fn permanent_ones(params: &Params) -> (RBig, RBig) {
    let flip = value(params.f()) / RBig::from(2);
    (RBig::ONE - &flip, flip)
}

/// The probabilities of a one in a report, by the permanent answer that it is made of.
fn report_ones(params: &Params) -> (RBig, RBig) {
    let ((one, zero), p, q) = (permanent_ones(params), value(params.p()), value(params.q()));
    let by = |one: RBig| &one * &q + (RBig::ONE - &one) * &p;
    (by(one), by(zero))
}

/// A step of the noise, or both.
trait Step {
    fn claimed(&self, params: &Params) -> f64;
    fn ones(&self, params: &Params) -> (RBig, RBig);
    fn run<S: Source + ?Sized>(
        &self,
        params: &Params,
        input: &BitVector,
        source: &mut S,
    ) -> Result<BitVector>;
}

struct Permanent;

impl Step for Permanent {
    fn claimed(&self, params: &Params) -> f64 {
        params.epsilon_of_all_reports().get()
    }

    fn ones(&self, params: &Params) -> (RBig, RBig) {
        permanent_ones(params)
    }

    fn run<S: Source + ?Sized>(
        &self,
        params: &Params,
        input: &BitVector,
        source: &mut S,
    ) -> Result<BitVector> {
        params.permanent_from(input, source)
    }
}

struct Both;

impl Step for Both {
    fn claimed(&self, params: &Params) -> f64 {
        params.epsilon_of_report().get()
    }

    fn ones(&self, params: &Params) -> (RBig, RBig) {
        report_ones(params)
    }

    fn run<S: Source + ?Sized>(
        &self,
        params: &Params,
        input: &BitVector,
        source: &mut S,
    ) -> Result<BitVector> {
        params.instantaneous_from(&params.permanent_from(input, source)?, source)
    }
}

/// A step with its parameters as a mechanism.
struct With<'a, T>(&'a Params, &'a T);

impl<T: Step> Local for With<'_, T> {
    type Input = BitVector;
    type Output = BitVector;

    fn map(&self) -> f64 {
        self.1.claimed(self.0)
    }

    fn randomize<S: Source + ?Sized>(
        &self,
        input: &BitVector,
        source: &mut S,
    ) -> Result<BitVector> {
        self.1.run(self.0, input, source)
    }
}

/// The laws of all filters over all scripts of words of `BITS` bits: each is the product law, all read the same words, and the worst ratio is what is claimed.
fn audit<const BITS: u32, T: Step>(tally: &mut Tally, params: &Params, step: &T, depth: usize) {
    let (mechanism, inputs) = (With(params, step), filters(params));
    let what = || format!("{params:?} in words of {BITS} bits");
    let laws = match over_small_words::<BITS, _>(&mechanism, &inputs, depth) {
        Ok(laws) => laws,
        Err(problem) => return tally.check(what, Err(problem)),
    };
    let (one, zero) = step.ones(params);
    for (input, law) in inputs.iter().zip(&laws) {
        tally.check(what, has_product_law(input, law, &one, &zero));
    }
    judge_laws(tally, &what, mechanism.map(), &laws);
}

fn has_product_law(
    input: &BitVector,
    law: &Law<BitVector>,
    one: &RBig,
    zero: &RBig,
) -> core::result::Result<(), String> {
    let outputs = (0..1 << input.len()).map(|number| bits(input.len(), number));
    let support = outputs.map(|output| {
        let probability = product(input, &output, one, zero);
        (output, Between::exactly(probability))
    });
    law.check(&RBig::ZERO, support)
}

/// How many words of one bit are enough for a step over `k` bits with the probability `prob`.
fn digits(k: usize, prob: f64) -> usize {
    (0..).find(|&places| (prob * f64::from(1 << places)).fract() == 0.0).unwrap() as usize * k
}

#[test]
fn permanent_answers_have_their_law_and_lose_what_is_claimed() {
    let mut tally = Tally::default();
    for params in small() {
        let depth = digits(params.k(), params.f() / 2.0);
        audit::<1, _>(&mut tally, &params, &Permanent, depth);
        audit::<2, _>(&mut tally, &params, &Permanent, depth);
        audit::<4, _>(&mut tally, &params, &Permanent, params.k());
    }
    assert!(tally.is_clean(), "{tally}");
    assert!(tally.pairs > 200, "{tally}");
}

#[test]
fn reports_have_their_law_and_lose_what_is_claimed() {
    let (mut tally, mut wide) = (Tally::default(), 0);
    for params in small() {
        let each = digits(params.k(), params.p()) + digits(params.k(), params.q());
        let depth = digits(params.k(), params.f() / 2.0) + each;
        assert!(depth <= 15);
        audit::<1, _>(&mut tally, &params, &Both, depth);
        // All bits share the words of an instantaneous digit.
        let words = params.k() + each / params.k();
        if params.k() <= 2 {
            audit::<2, _>(&mut tally, &params, &Both, depth);
        }
        if params.k() <= 4 && words <= 4 {
            audit::<4, _>(&mut tally, &params, &Both, words);
            wide += 1;
        }
    }
    assert!(tally.is_clean() && wide > 2, "{tally}");
    assert!(tally.pairs > 100, "{tally}");
}

/// Of all permanent answers, those too that are no filters.
#[test]
fn instantaneous_answers_have_their_law() {
    for params in small() {
        let depth = digits(params.k(), params.p()) + digits(params.k(), params.q());
        for number in 0..1 << params.k() {
            let permanent = bits(params.k(), number);
            let law: Law<BitVector> =
                enumerate::<1, _, _>(depth, |s| params.instantaneous_from(&permanent, s));
            let (one, zero) = (value(params.q()), value(params.p()));
            assert_eq!(has_product_law(&permanent, &law, &one, &zero), Ok(()), "{params:?}");
        }
    }
}

/// The loss between two filters of which each has so many bits that the other has not.
fn worst_of(a: usize, b: usize, one: &RBig, zero: &RBig) -> Worst {
    let (not_one, not_zero) = (RBig::ONE - one, RBig::ONE - zero);
    // For each output of a bit, how much likelier it is if only the first has it, and if only the second has it.
    let mut ratio = RBig::ONE;
    for (count, outputs) in
        [(a, [(one, zero), (&not_one, &not_zero)]), (b, [(zero, one), (&not_zero, &not_one)])]
    {
        for _ in 0..count {
            if outputs.iter().any(|(above, below)| below.is_zero() && !above.is_zero()) {
                return Worst::Infinite;
            }
            let ratios = outputs.iter().filter(|(_, below)| !below.is_zero());
            ratio *= ratios.map(|(above, below)| *above / *below).max().unwrap();
        }
    }
    Worst::of_probabilities(&ratio, &RBig::ONE)
}

/// Judges claims by all pairs of filters there are, which are few kinds.
fn judge(tally: &mut Tally, params: &Params, claims: [f64; 2]) {
    let mut kinds = std::collections::BTreeSet::new();
    let all = filters(params);
    for (left, right) in all.iter().flat_map(|left| all.iter().map(move |right| (left, right))) {
        let only = |x: &BitVector, y: &BitVector| {
            x.iter().zip(y.iter()).filter(|(x, y)| *x && !*y).count()
        };
        kinds.insert((only(left, right), only(right, left)));
    }
    for (claim, (one, zero)) in
        claims.into_iter().zip([report_ones(params), permanent_ones(params)])
    {
        let losses: Vec<Loss> =
            kinds.iter().map(|&(a, b)| Loss::new(worst_of(a, b, &one, &zero))).collect();
        let losses: Vec<_> = losses.iter().map(|loss| (1, loss)).collect();
        tally.judge(|| format!("{params:?}"), claim, &losses);
    }
}

/// Bits and hash functions, and probabilities of all sizes.
fn many() -> Vec<Params> {
    let some = [0.0, 1e-300, 1e-17, 0.1, 0.25, 0.39, 0.5, 0.61, 0.75, 0.999, 1.0];
    let mut all = Vec::new();
    for (k, h) in (1..=6).flat_map(|k| (1..=4).map(move |h| (k, h))) {
        for (i, p) in some.into_iter().enumerate() {
            for (j, q) in some.into_iter().enumerate().filter(|(j, _)| *j != i) {
                let fs = [0.0, 5e-324, 0.1, 0.45, 0.5, 0.75, 0.99];
                all.push(params(k, h, p, q, fs[(i + 3 * j + k + h) % fs.len()]));
            }
        }
    }
    all
}

fn claims(params: &Params) -> [f64; 2] {
    [params.epsilon_of_report().get(), params.epsilon_of_all_reports().get()]
}

#[test]
fn losses_are_bounded_and_the_bounds_are_tight() {
    let mut tally = Tally::default();
    for params in many() {
        judge(&mut tally, &params, claims(&params));
    }
    assert!(tally.is_clean(), "{tally}");
    assert!(tally.widest_slack_ulps <= 1.0, "{tally}");
}

/// A client that remembers: a permanent answer is drawn for each value when it is first asked for, and reports are made of it.
fn reports<S: Source + ?Sized>(
    params: &Params,
    history: &[usize],
    source: &mut S,
) -> Result<Vec<BitVector>> {
    let mut memory: Vec<Option<BitVector>> = vec![None; params.k()];
    let mut sent = Vec::new();
    for &value in history {
        let filter = bits(params.k(), 1 << value);
        if memory[value].is_none() {
            memory[value] = Some(params.permanent_from(&filter, source)?);
        }
        sent.push(params.instantaneous_from(memory[value].as_ref().unwrap(), source)?);
    }
    Ok(sent)
}

fn law_of(params: &Params, history: &[usize]) -> Law<Vec<BitVector>> {
    let law =
        enumerate::<1, _, _>(30, |source: &mut Script<'_, 1>| reports(params, history, source));
    assert!(law.remainder.is_zero());
    law
}

/// Values are bits here. Permanent answers of one value do not average out, and those of several values add up.
#[test]
fn hole_16_all_reports_of_a_value_lose_no_more_than_its_permanent_answer() {
    for (p, q, most) in [(0.0, 0.5, 3), (0.5, 0.25, 2), (0.0, 1.0, 3)] {
        let params = params(2, 1, p, q, 0.5);
        let (one, all) = (params.epsilon_of_report().get(), params.epsilon_of_all_reports().get());
        for count in 1..=most {
            let loss = loss_between(&params, &vec![0; count], &vec![1; count]);
            assert!(loss.slack(1, all).is_some(), "{params:?} {count}");
            // More reports tell more, unless one tells all.
            assert_eq!(
                loss.slack(1, one).is_some(),
                count == 1 || one == all,
                "{params:?} {count}"
            );
        }
    }
    // Three values, of which one is replaced by one that is not there.
    let params = params(3, 1, 0.0, 1.0, 0.5);
    let all = params.epsilon_of_all_reports().get();
    assert!(loss_between(&params, &[0, 1, 0], &[2, 1, 2]).slack(1, all).is_some_and(|s| s < 1.0));
    assert!(loss_between(&params, &[0, 1, 0], &[1, 2, 1]).slack(1, all).is_none());
    assert!(loss_between(&params, &[0, 1, 0], &[1, 2, 1]).slack(1, 2.0 * all).is_some());
}

/// When an answer changes is not protected: whatever is claimed, it is too little.
#[test]
fn hole_16_when_an_answer_changes_is_not_protected() {
    let params = params(3, 1, 0.0, 1.0, 0.5);
    for (one, other) in [([0, 0], [0, 1]), ([0, 1], [1, 1]), ([0, 0], [1, 2])] {
        assert!(loss_between(&params, &one, &other).slack(1, f64::MAX).is_none());
    }
    // A report each of two values says as much as both alone.
    let all = params.epsilon_of_all_reports().get();
    assert!(loss_between(&params, &[0, 1], &[1, 0]).slack(1, 2.0 * all).is_some());
}

fn loss_between(params: &Params, left: &[usize], right: &[usize]) -> Loss {
    Loss::new(Worst::of_laws(&law_of(params, left), &law_of(params, right)))
}

/// The checks above find these mistakes.
mod planted {
    use super::*;

    /// Violations, loose claims, and laws that are others.
    fn found(audit: impl FnOnce(&mut Tally)) -> (bool, bool, bool) {
        let mut tally = Tally::default();
        audit(&mut tally);
        (tally.violations.count > 0, tally.loose.count > 0, tally.mismatches.count > 0)
    }

    fn of_claims(claims: impl Fn(&Params) -> [f64; 2]) -> (bool, bool, bool) {
        found(|tally| {
            many().iter().step_by(7).for_each(|params| judge(tally, params, claims(params)))
        })
    }

    /// Of a permanent answer if so many bits differ.
    fn of_bits(params: &Params, bits: usize) -> f64 {
        let domain = BitVectorDomain::new(bits).with_max_weight(bits);
        let made = make_randomized_response_bitvec(domain, DiscreteDistance, params.f(), false);
        match made {
            Ok(mechanism) => Measurement::map(&mechanism, 1).unwrap().get(),
            Err(_) if bits == 0 => 0.0,
            Err(_) => f64::INFINITY,
        }
    }

    #[test]
    fn claims_about_all_reports() {
        let with = |bits: fn(usize, usize) -> usize| {
            of_claims(|params| [claims(params)[0], of_bits(params, bits(params.k(), params.h()))])
        };
        let right = |k: usize, h: usize| if k == 1 { 0 } else { k.min(2 * h) };
        assert_eq!(with(right), (false, false, false));
        assert_eq!(with(|k, h| k.min(2 * h)), (false, true, false));
        assert_eq!(with(|_, h| 2 * h), (false, true, false));
        assert_eq!(with(|_, h| h), (true, true, false));
        assert_eq!(with(|k, h| if k == 1 { 0 } else { k.min(2 * h - 1) }), (true, false, false));
    }

    /// Of one report, with another k and f.
    fn of(k: usize, params: &Params, f: f64) -> f64 {
        let other = self::params(k, params.h(), params.p(), params.q(), f);
        other.epsilon_of_report().get()
    }

    #[test]
    fn claims_about_one_report() {
        let with = |claim: fn(&Params, f64) -> f64| {
            of_claims(|params| {
                let [one, all] = claims(params);
                [claim(params, one), all]
            })
        };
        assert_eq!(with(|_, one| one), (false, false, false));
        // The noise is half of what is said, or the flip probability is taken for f.
        assert!(with(|params, _| of(params.k(), params, params.f() / 2.0)).1);
        assert!(with(|params, _| of(params.k(), params, (2.0 * params.f()).min(0.999))).0);
        // More bits than there are; the bits of one filter alone.
        assert_eq!(with(|params, _| of(8, params, params.f())), (false, true, false));
        assert!(with(|params, one| if params.k() == 2 * params.h() { one / 2.0 } else { one }).0);
        // Plain floats.
        let plain = |params: &Params, _: f64| {
            if params.k() == 1 {
                return 0.0;
            }
            let channel = params.channel();
            let (q, p) = (channel.truth(), channel.lie());
            params.h() as f64 * (q * (1.0 - p) / (p * (1.0 - q))).ln().abs()
        };
        assert!(with(plain).0);
    }

    /// Noise with another mistake.
    struct Wrong<F>(F);

    impl<F: Fn(&Params, &BitVector, &mut dyn FnMut(f64) -> Result<bool>) -> Result<BitVector>> Step
        for Wrong<F>
    {
        fn claimed(&self, params: &Params) -> f64 {
            params.epsilon_of_all_reports().get()
        }

        fn ones(&self, params: &Params) -> (RBig, RBig) {
            permanent_ones(params)
        }

        fn run<S: Source + ?Sized>(
            &self,
            params: &Params,
            input: &BitVector,
            source: &mut S,
        ) -> Result<BitVector> {
            (self.0)(params, input, &mut |prob| Ok(sample_bernoulli_float(prob, false, source)?))
        }
    }

    fn of_noise(
        noise: impl Fn(&Params, &BitVector, &mut dyn FnMut(f64) -> Result<bool>) -> Result<BitVector>,
    ) -> (bool, bool, bool) {
        let step = Wrong(noise);
        found(|tally| audit::<1, _>(tally, &params(3, 1, 0.25, 0.75, 0.5), &step, 20))
    }

    #[test]
    fn noise_that_is_another() {
        let flipped = |input: &BitVector, mut flip: Box<dyn FnMut(usize) -> Result<bool> + '_>| {
            let bits = input.iter().enumerate().map(|(i, bit)| Ok(bit != flip(i)?));
            bits.collect::<Result<BitVector>>()
        };
        let right =
            |params: &Params, input: &BitVector, draw: &mut dyn FnMut(f64) -> Result<bool>| {
                flipped(input, Box::new(|_| draw(params.f() / 2.0)))
            };
        assert_eq!(of_noise(right), (false, false, false));
        // Twice the noise.
        let (.., mismatch) =
            of_noise(|params, input, draw| flipped(input, Box::new(|_| draw(params.f()))));
        assert!(mismatch);
        // The last bit goes out as it is.
        let (violation, _, mismatch) = of_noise(|params, input, draw| {
            let last = params.k() - 1;
            flipped(input, Box::new(|i| if i == last { Ok(false) } else { draw(params.f() / 2.0) }))
        });
        assert!(violation && mismatch);
        // The same flip for two bits.
        let (violation, _, mismatch) = of_noise(|params, input, draw| {
            let mut first = None;
            let flip = |i| match (i, first) {
                (1, Some(flip)) => Ok(flip),
                _ => draw(params.f() / 2.0).inspect(|&flip| first = Some(flip)),
            };
            flipped(input, Box::new(flip))
        });
        assert!(violation && mismatch);
        // More words for a one than for a zero.
        let (.., mismatch) = of_noise(|params, input, draw| {
            let ones: Vec<bool> = input.iter().collect();
            flipped(
                input,
                Box::new(|i| {
                    if ones[i] {
                        draw(0.5)?;
                    }
                    draw(params.f() / 2.0)
                }),
            )
        });
        assert!(mismatch);
    }

    /// One uniform number for two f: where both answers differ, the bit is told. That is why f is part of what the client's noise is a function of.
    #[test]
    fn the_same_noise_for_two_f() {
        let law = |bit: bool| {
            enumerate::<2, _, deniable::Error>(1, |source: &mut Script<'_, 2>| {
                let word = source.draw()?.value();
                // Below a half, and below a quarter.
                Ok((bit != (word < 2), bit != (word < 1)))
            })
        };
        assert_eq!(Worst::of_laws(&law(false), &law(true)), Worst::Infinite);
        assert_eq!(law(true).mass[&(false, true)], fraction(1, 4));
    }

    /// A client that draws a permanent answer every time: reports average out.
    #[test]
    fn a_client_that_forgets() {
        let params = params(2, 1, 0.0, 1.0, 0.5);
        let law = |value: usize| {
            let filter = bits(2, 1 << value);
            enumerate::<1, _, _>(20, |source: &mut Script<'_, 1>| {
                let one = params.permanent_from(&filter, source)?;
                let two = params.permanent_from(&filter, source)?;
                Result::Ok((one, two))
            })
        };
        let loss = Loss::new(Worst::of_laws(&law(0), &law(1)));
        assert!(loss.slack(1, params.epsilon_of_all_reports().get()).is_none());
    }
}
