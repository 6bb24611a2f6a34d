//! RAPPOR: the exact audit of it and the mistakes it finds, and what histories of answers lose.

use std::collections::BTreeSet;

use dashu_ratio::RBig;
use deniable::rappor::Params;
use deniable::rappor::reference::Encoder;
use deniable::{
    BitVector, BitVectorDomain, DiscreteDistance, Measurement, Result,
    make_randomized_response_bitvec,
};
use deniable_audit::stated::rappor::kinds;
use deniable_sample::{Source, Word, sample_bernoulli_float};
use deniable_verify::audit::exact::{Loss, Tally, Worst, fraction};
use deniable_verify::audit::local::Local;
use deniable_verify::audit::local::rappor::claims::{self, audit_claims};
use deniable_verify::audit::local::rappor::{
    Instantaneous, Permanent, Report, Step, audit, bits, filters, laws, memory, params,
};
use deniable_verify::enumerate::enumerate;
use deniable_verify::law::Law;
use deniable_verify::words::Script;

#[test]
fn rappor_is_private() {
    let tally = audit(false);
    assert!(tally.is_clean(), "{tally}");
    assert!(tally.widest_slack_ulps <= 1.0, "{tally}");
    assert!(tally.cases > 40_000 && tally.pairs > 15_000 && tally.checks > 1_000, "{tally}");
}

/// The kinds of pairs that claims are judged by are those of all pairs of filters there are.
#[test]
fn there_is_every_kind_of_pair() {
    let only =
        |x: &BitVector, y: &BitVector| x.iter().zip(y.iter()).filter(|(x, y)| *x && !*y).count();
    for (k, h) in (1..=7).flat_map(|k| (1..=8).map(move |h| (k, h))) {
        let all = filters(&params(k, h, 0.25, 0.75, 0.5));
        let pairs = all.iter().flat_map(|left| all.iter().map(move |right| (left, right)));
        let seen: BTreeSet<_> = pairs.map(|(x, y)| (only(x, y), only(y, x))).collect();
        let kinds: BTreeSet<_> = kinds(k, h).into_iter().collect();
        // Of many kinds there are the largest.
        let covered = |&(a, b): &(usize, usize)| kinds.iter().any(|&(c, d)| a <= c && b <= d);
        assert!(kinds.is_subset(&seen) && seen.iter().all(covered), "{k} {h}");
        assert!(h > 6 || kinds == seen, "{k} {h}");
    }
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

    fn of_claims(claim: impl Fn(&Params) -> [f64; 2]) -> (bool, bool, bool) {
        let few = claims::many(false).into_iter().filter(|params| params.k() <= 6);
        let few: Vec<_> = few.step_by(7).collect();
        found(|tally| audit_claims(tally, &few, claim))
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
            of_claims(|params| {
                [claims::shipping(params)[0], of_bits(params, bits(params.k(), params.h()))]
            })
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
                let [one, all] = claims::shipping(params);
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

    /// A permanent step with noise of another kind.
    struct Wrong<F>(Params, F);

    impl<F: Noise> Step for Wrong<F> {
        fn params(&self) -> &Params {
            &self.0
        }

        fn ones(&self) -> (RBig, RBig) {
            Permanent(self.0).ones()
        }
    }

    impl<F: Noise> Local for Wrong<F> {
        type Input = BitVector;
        type Output = BitVector;

        fn map(&self) -> f64 {
            Permanent(self.0).map()
        }

        fn randomize<S: Source + ?Sized>(
            &self,
            input: &BitVector,
            source: &mut S,
        ) -> Result<BitVector> {
            self.1(&self.0, input, &mut |prob| Ok(sample_bernoulli_float(prob, false, source)?))
        }
    }

    /// Of the parameters, a filter, and a way to draw.
    trait Noise: Fn(&Params, &BitVector, &mut Draw<'_>) -> Result<BitVector> {}

    impl<F: Fn(&Params, &BitVector, &mut Draw<'_>) -> Result<BitVector>> Noise for F {}

    type Draw<'a> = dyn FnMut(f64) -> Result<bool> + 'a;

    fn of_noise(noise: impl Noise) -> (bool, bool, bool) {
        let step = Wrong(params(3, 1, 0.25, 0.75, 0.5), noise);
        found(|tally| laws::audit_laws::<1, _>(tally, &step, 20))
    }

    /// Only words of 64 bits can tell, by intervals.
    #[test]
    fn noise_that_is_off_by_one_step() {
        let with = |steps: u64| {
            let step = Wrong(
                params(3, 1, 0.25, 0.75, 0.3),
                |params: &Params, input: &BitVector, draw: &mut Draw<'_>| {
                    let flip = f64::from_bits((params.f() / 2.0).to_bits() - steps);
                    input.iter().map(|bit| Ok(bit != draw(flip)?)).collect()
                },
            );
            found(|tally| laws::audit_permanent(tally, &step, 1 << 15))
        };
        assert_eq!(with(0), (false, false, false));
        assert_eq!(with(1), (true, false, true));
    }

    #[test]
    fn noise_that_is_another() {
        let flipped = |input: &BitVector, mut flip: Box<dyn FnMut(usize) -> Result<bool> + '_>| {
            let bits = input.iter().enumerate().map(|(i, bit)| Ok(bit != flip(i)?));
            bits.collect::<Result<BitVector>>()
        };
        let right = |params: &Params, input: &BitVector, draw: &mut Draw<'_>| {
            flipped(input, Box::new(|_| draw(params.f() / 2.0)))
        };
        assert_eq!(of_noise(right), (false, false, false));
        // Twice the noise.
        let (.., mismatch) = of_noise(|params: &Params, input: &BitVector, draw: &mut Draw<'_>| {
            flipped(input, Box::new(|_| draw(params.f())))
        });
        assert!(mismatch);
        // The last bit goes out as it is.
        let (violation, _, mismatch) =
            of_noise(|params: &Params, input: &BitVector, draw: &mut Draw<'_>| {
                let last = params.k() - 1;
                flipped(
                    input,
                    Box::new(|i| if i == last { Ok(false) } else { draw(params.f() / 2.0) }),
                )
            });
        assert!(violation && mismatch);
        // The same flip for two bits.
        let (violation, _, mismatch) =
            of_noise(|params: &Params, input: &BitVector, draw: &mut Draw<'_>| {
                let mut first = None;
                let flip = |i| match (i, first) {
                    (1, Some(flip)) => Ok(flip),
                    _ => draw(params.f() / 2.0).inspect(|&flip| first = Some(flip)),
                };
                flipped(input, Box::new(flip))
            });
        assert!(violation && mismatch);
        // More words for a one than for a zero.
        let (.., mismatch) = of_noise(|params: &Params, input: &BitVector, draw: &mut Draw<'_>| {
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

    /// An instantaneous step, or both steps, with a mistake.
    struct WrongReport<M> {
        right: M,
        mistake: &'static str,
    }

    impl<M: Step> Step for WrongReport<M> {
        fn params(&self) -> &Params {
            self.right.params()
        }

        fn ones(&self) -> (RBig, RBig) {
            self.right.ones()
        }
    }

    impl<M: Step> Local for WrongReport<M> {
        type Input = BitVector;
        type Output = BitVector;

        fn map(&self) -> f64 {
            self.right.map()
        }

        fn randomize<S: Source + ?Sized>(
            &self,
            input: &BitVector,
            source: &mut S,
        ) -> Result<BitVector> {
            let last = input.len() - 1;
            let draws_more = match self.mistake {
                "one word more" => true,
                "one word more for the last bit" => input.get(last) == Some(true),
                _ => false,
            };
            if draws_more {
                source.draw()?;
            }
            let mut report = self.right.randomize(input, source)?;
            match self.mistake {
                "the last bit is no noise" => report.set(last, input.get(last).unwrap())?,
                "of the opposite" => report = report.iter().map(|bit| !bit).collect(),
                "the first bit twice" => report.set(last, report.get(0).unwrap())?,
                _ => {}
            }
            Ok(report)
        }
    }

    #[test]
    fn reports_that_are_others() {
        let params = params(2, 1, 0.25, 0.75, 0.5);
        let with = |mistake: &'static str| {
            let (report, instantaneous) = (Report(params), Instantaneous(params));
            let both = WrongReport { right: report, mistake };
            let step = WrongReport { right: instantaneous, mistake };
            [
                found(|tally| laws::audit_report(tally, &both, 1 << 16)),
                found(|tally| laws::audit_instantaneous(tally, &step, 1 << 16)),
                found(|tally| laws::audit_draws(tally, &step)),
            ]
        };
        assert_eq!(with("none"), [(false, false, false); 3]);
        for mistake in [
            "one word more",
            "one word more for the last bit",
            "the last bit is no noise",
            "of the opposite",
            "the first bit twice",
        ] {
            let [both, laws, draws] = with(mistake);
            assert_eq!((both.2, laws.2, draws.2), (true, true, true), "{mistake}");
            assert_eq!(both.0, mistake == "the last bit is no noise", "{mistake}");
        }
    }

    /// A seed of the noise with a mistake is found: noise would be shared where it must not be, or is another than the documents say.
    #[test]
    fn memories_that_are_others() {
        let with = |change: fn(memory::Question<'_>, [u8; 32]) -> [u8; 32]| {
            found(|tally| {
                memory::audit_memory(tally, false, |question| {
                    memory::plain(question, &change(*question, memory::seed_of(question)))
                });
            })
        };
        const MISMATCH: (bool, bool, bool) = (false, false, true);
        assert_eq!(with(|_, seed| seed), (false, false, false));
        let of_one_text = |question: memory::Question<'_>, _| {
            // Where the metric ends is not said.
            let text = format!("{}{}", question.metric, question.value);
            memory::seed_of(&memory::Question { metric: "", value: &text, ..question })
        };
        assert_eq!(with(of_one_text), MISMATCH);
        assert_eq!(
            with(|question, _| memory::seed_of(&memory::Question { cohort: 0, ..question })),
            MISMATCH
        );
        assert_eq!(
            with(|question, _| memory::seed_of(&memory::Question { metric: "", ..question })),
            MISMATCH
        );
        let for_any_f = |question: memory::Question<'_>, _| {
            let params = Params::new(question.params.k(), question.params.h(), 1, 0.25, 0.75, 0.5);
            memory::seed_of(&memory::Question { params: &params.unwrap(), ..question })
        };
        assert_eq!(with(for_any_f), MISMATCH);
        assert_eq!(with(|question, _| question.secret), MISMATCH);
    }

    #[test]
    fn memories_of_the_reference_that_are_others() {
        let with = |permanent: fn(&Encoder, u32) -> u32| {
            found(|tally| memory::audit_reference(tally, false, permanent))
        };
        assert_eq!(with(Encoder::permanent), (false, false, false));
        assert_eq!(with(|encoder, filter| encoder.permanent(filter) ^ 1), (false, false, true));
        // No noise, and that of another filter.
        assert_eq!(with(|_, filter| filter), (false, false, true));
        let of_another = |encoder: &Encoder, filter| encoder.permanent(filter ^ 1) ^ 1;
        assert_eq!(with(of_another), (false, false, true));
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
