//! Mechanisms as values of the framework: trait objects, chains, compositions, batches.

use std::fmt::Debug;

use deniable::domain::Carrier;
use deniable::metric::Distance;
use deniable::prelude::*;
use deniable::{Entropy, RandomizedResponseBool, Result};

#[allow(dead_code, unreachable_pub)]
mod common;
use common::*;

/// Numbers brought within bounds before a mechanism sees them. That moves no two numbers apart, so that the loss is
/// the mechanism's own.
#[derive(Clone, Debug, PartialEq)]
struct Clamp<M> {
    domain: VectorDomain<AtomDomain<f64>>,
    bounds: (f64, f64),
    mechanism: M,
}

impl<M> Measurement for Clamp<M>
where
    M: Measurement<
            Domain = VectorDomain<AtomDomain<f64>>,
            Metric = L1Distance<f64>,
            Measure = MaxDivergence,
        >,
{
    type Domain = VectorDomain<AtomDomain<f64>>;
    type Metric = L1Distance<f64>;
    type Measure = MaxDivergence;
    type Output = M::Output;

    fn input_domain(&self) -> &Self::Domain {
        &self.domain
    }

    fn input_metric(&self) -> Self::Metric {
        self.mechanism.input_metric()
    }

    fn output_measure(&self) -> MaxDivergence {
        self.mechanism.output_measure()
    }

    fn map(&self, d_in: f64) -> Result<Epsilon> {
        self.mechanism.map(d_in)
    }

    fn invoke_from(&self, numbers: &[f64], entropy: &mut dyn Entropy) -> Result<Self::Output> {
        self.domain.check_member(numbers)?;
        let (low, high) = self.bounds;
        let clamped: Vec<f64> = numbers.iter().map(|x| x.clamp(low, high)).collect();
        self.mechanism.invoke_from(&clamped, entropy)
    }
}

/// Two releases about the same input.
#[derive(Clone, Debug, PartialEq)]
struct Both<A, B>(A, B);

impl<A, B> Measurement for Both<A, B>
where
    A: Measurement<Measure = MaxDivergence>,
    B: Measurement<Domain = A::Domain, Metric = A::Metric, Measure = MaxDivergence>,
{
    type Domain = A::Domain;
    type Metric = A::Metric;
    type Measure = MaxDivergence;
    type Output = (A::Output, B::Output);

    fn input_domain(&self) -> &A::Domain {
        self.0.input_domain()
    }

    fn input_metric(&self) -> A::Metric {
        self.0.input_metric()
    }

    fn output_measure(&self) -> MaxDivergence {
        MaxDivergence
    }

    fn map(&self, d_in: Distance<A::Metric>) -> Result<Epsilon> {
        Ok(self.0.map(d_in)? + self.1.map(d_in)?)
    }

    fn invoke_from(
        &self,
        input: &Carrier<A::Domain>,
        entropy: &mut dyn Entropy,
    ) -> Result<Self::Output> {
        Ok((self.0.invoke_from(input, entropy)?, self.1.invoke_from(input, entropy)?))
    }
}

/// One after the other, as it is if nothing else is said.
impl<A, B> LocalRandomizer for Both<A, B>
where
    A: Measurement<Measure = MaxDivergence>,
    B: Measurement<Domain = A::Domain, Metric = A::Metric, Measure = MaxDivergence>,
    Carrier<A::Domain>: Sized,
{
}

#[test]
fn a_clamp_before_noise_is_a_mechanism() {
    let shares = VectorDomain::new(AtomDomain::bounded(0.0, 1.0).unwrap()).with_size(2);
    let noise = make_vector_float_laplace_cks20(shares, L1Distance::new(), 2.0, None).unwrap();
    assert!(noise.invoke(&[-3.0, 7.0]).is_err());
    let domain = VectorDomain::finite::<f64>().with_size(2);
    let chain = Clamp { domain, bounds: (0.0, 1.0), mechanism: noise.clone() };
    for d_in in [0.0, 0.1, 1.0, 100.0] {
        assert_eq!(chain.map(d_in), noise.map(d_in));
    }
    let words = words(3, 20);
    let clamped = chain.invoke_from(&[-3.0, 7.0], &mut Script::new(words.clone())).unwrap();
    let plain = noise.invoke_from(&[0.0, 1.0], &mut Script::new(words)).unwrap();
    assert_eq!(clamped, plain);
    assert_eq!(chain.invoke(&[1.0]).unwrap_err().kind(), ErrorKind::NotAMember);
    assert_eq!(chain.invoke(&[1.0, f64::NAN]).unwrap_err().kind(), ErrorKind::NotAMember);
}

#[test]
fn the_losses_of_two_releases_add_up() {
    let first = make_randomized_response_bool(0.75, true).unwrap();
    let second = make_randomized_response_bool(0.9, false).unwrap();
    let both = Both(first.clone(), second.clone());
    assert_eq!(both.map(0).unwrap(), Epsilon::ZERO);
    let sum = both.map(1).unwrap();
    assert_eq!(sum, first.map(1).unwrap() + second.map(1).unwrap());
    // ln 3 + ln 9 = ln 27, where 0.9 is a little more than 9/10; the sum of the bounds is 3 units at most above it.
    assert!(sum.get() > 27f64.ln() && sum.get() < 27f64.ln() + 2e-15);
    for (words, said) in [([0, 0], (true, true)), ([0, u64::MAX], (true, false))] {
        assert_eq!(both.invoke_from(&true, &mut Script::new(words)).unwrap(), said);
    }
    assert!(both.invoke_from(&true, &mut Script::new([0])).is_err());
    let certain = make_randomized_response_bool(1.0, false).unwrap();
    let twice = Both(certain.clone(), certain).invoke_batch(&[true, false]).unwrap();
    assert_eq!(twice, [(true, true), (false, false)]);
    let certain = Both(both, make_randomized_response_bool(1.0, false).unwrap());
    assert_eq!(certain.map(1).unwrap(), Epsilon::INFINITY);
}

#[test]
fn check_compares_the_map_with_the_loss() {
    let mechanism = make_randomized_response_bool(0.75, false).unwrap();
    let bound = mechanism.map(1).unwrap();
    assert!(mechanism.check(1, bound).unwrap());
    assert!(mechanism.check(1, Epsilon::new(up(bound.get())).unwrap()).unwrap());
    assert!(!mechanism.check(1, Epsilon::new(down(bound.get())).unwrap()).unwrap());
    assert!(mechanism.check(0, Epsilon::ZERO).unwrap());
    let noise =
        make_scalar_float_laplace_cks20(AtomDomain::finite(), AbsoluteDistance::new(), 2.0, None);
    let noise = noise.unwrap();
    assert!(noise.check(1.0, Epsilon::new(0.5).unwrap()).unwrap());
    assert!(!noise.check(up(1.0), Epsilon::new(0.5).unwrap()).unwrap());
    assert_eq!(
        noise.check(-1.0, Epsilon::INFINITY).unwrap_err().kind(),
        ErrorKind::InvalidDistance
    );
}

#[test]
fn mechanisms_of_one_kind_are_trait_objects() {
    type Yes = dyn Measurement<
            Domain = AtomDomain<bool>,
            Metric = DiscreteDistance,
            Measure = MaxDivergence,
            Output = bool,
        >;
    let objects: Vec<Box<Yes>> = [0.5, 0.75, 1.0]
        .map(|prob| Box::new(make_randomized_response_bool(prob, false).unwrap()) as Box<Yes>)
        .into();
    let losses: Vec<f64> = objects.iter().map(|object| object.map(1).unwrap().get()).collect();
    assert!(losses[0] == 0.0 && losses[1] > 1.0 && losses[2] == f64::INFINITY);
    for object in &objects {
        assert!(object.input_domain().is_member(&true));
        assert_eq!(object.input_metric(), DiscreteDistance);
        assert_eq!(object.output_measure(), MaxDivergence);
        assert!(object.invoke_from(&true, &mut Script::new([0])).unwrap());
    }
    assert!(objects[2].invoke(&true).unwrap());
    // A local randomizer is one too.
    let local: Box<
        dyn LocalRandomizer<
                Domain = AtomDomain<bool>,
                Metric = DiscreteDistance,
                Measure = MaxDivergence,
                Output = bool,
            >,
    > = Box::new(make_randomized_response_bool(1.0, true).unwrap());
    assert_eq!(local.invoke_batch(&[true, false]).unwrap(), [true, false]);
}

/// Each is equal to its clone, differs from the other, shows its name, and crosses threads.
fn is_a_value<M>(mechanism: &M, other: &M, name: &str)
where
    M: Measurement + Clone + PartialEq + Debug + 'static,
{
    fn crosses_threads<T: Send + Sync + 'static>(_: &T) {}
    crosses_threads(mechanism);
    assert_eq!(mechanism.clone(), *mechanism);
    assert_ne!(mechanism, other);
    assert!(format!("{mechanism:?}").starts_with(name));
}

#[test]
fn every_mechanism_is_a_value() {
    let bool = |prob| make_randomized_response_bool(prob, false).unwrap();
    is_a_value(&bool(0.5), &bool(0.75), "RandomizedResponseBool");
    let category = |prob| make_randomized_response(["a", "b"], prob).unwrap();
    is_a_value(&category(0.5), &category(0.75), "RandomizedResponse");
    let bits = |weight| {
        let domain = BitVectorDomain::new(8).with_max_weight(weight);
        make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, false).unwrap()
    };
    is_a_value(&bits(1), &bits(2), "RandomizedResponseBitvec");
    let scalar = |k| {
        let domain = AtomDomain::<f32>::finite();
        make_scalar_float_laplace_cks20(domain, AbsoluteDistance::new(), 1.0, k).unwrap()
    };
    is_a_value(&scalar(None), &scalar(Some(0)), "ScalarFloatLaplaceCks20");
    let vector = |size| {
        let domain = VectorDomain::finite::<f64>().with_size(size);
        make_vector_float_laplace_cks20(domain, L1Distance::new(), 1.0, None).unwrap()
    };
    is_a_value(&vector(1), &vector(2), "VectorFloatLaplaceCks20");
    let scalar = |scale| {
        let domain = AtomDomain::<i32>::all();
        make_scalar_integer_laplace_cks20(domain, AbsoluteDistance::new(), scale).unwrap()
    };
    is_a_value(&scalar(1.0), &scalar(2.0), "ScalarIntegerLaplaceCks20");
    let vector = |scale| {
        let domain = VectorDomain::finite::<i64>();
        make_vector_integer_laplace_cks20(domain, L1Distance::new(), scale).unwrap()
    };
    is_a_value(&vector(1.0), &vector(0.0), "VectorIntegerLaplaceCks20");
    assert_ne!(bool(0.5), make_randomized_response_bool(0.5, true).unwrap());
}

/// The reports of a batch are those of its members, one after the other, from the same words. (Those of yes or no and of
/// categories are drawn many at a time; what they are is checked where the words can be looked at.)
fn batch_is_one_by_one<M>(mechanism: &M, inputs: &[Carrier<M::Domain>])
where
    M: LocalRandomizer,
    M::Output: PartialEq + Debug,
    Carrier<M::Domain>: Sized,
{
    let words = words(5, 500);
    let mut script = Script::new(words.clone());
    let batch = mechanism.invoke_batch_from(inputs, &mut script).unwrap();
    let mut other = Script::new(words.clone());
    let each = inputs.iter().map(|input| mechanism.invoke_from(input, &mut other).unwrap());
    assert!(each.eq(batch));
    assert!(script.drawn > 0 && script.drawn == other.drawn);
    for length in 0..script.drawn {
        let error = mechanism.invoke_batch_from(inputs, &mut Script::new(&words[..length]));
        assert_eq!(error.unwrap_err().kind(), ErrorKind::EntropyUnavailable);
    }
    assert!(mechanism.invoke_batch_from(&[], &mut Script::new([])).unwrap().is_empty());
    assert!(mechanism.invoke_batch(&[]).unwrap().is_empty());
}

#[test]
fn a_batch_is_its_members_one_by_one() {
    let bool: RandomizedResponseBool = make_randomized_response_bool(0.75, true).unwrap();
    assert!(bool.invoke_batch_from(&[], &mut Script::new([])).unwrap().is_empty());
    assert_eq!(bool.invoke_batch(&[true; 1000]).unwrap().len(), 1000);
    let category = make_randomized_response(0..9, 0.5).unwrap();
    assert!(category.invoke_batch_from(&[], &mut Script::new([])).unwrap().is_empty());
    assert_eq!(category.invoke_batch(&[3; 1000]).unwrap().len(), 1000);
    let domain = BitVectorDomain::new(3).with_max_weight(3);
    let bits = make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, false).unwrap();
    batch_is_one_by_one(&bits, &[BitVector::zeros(3), BitVector::from([true, false, true])]);
    let float =
        make_scalar_float_laplace_cks20(AtomDomain::finite(), AbsoluteDistance::new(), 2.0, None);
    batch_is_one_by_one(&float.unwrap(), &[0.0, 1.5, f64::MAX]);
    let integer =
        make_scalar_integer_laplace_cks20(AtomDomain::all(), AbsoluteDistance::new(), 2.0);
    batch_is_one_by_one(&integer.unwrap(), &[0i32, i32::MAX]);
}

#[test]
fn a_batch_with_a_bad_member_draws_and_releases_nothing() {
    let domain = BitVectorDomain::new(3).with_max_weight(1);
    let bits = make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, false).unwrap();
    let (good, bad) = (BitVector::zeros(3), BitVector::from([true; 3]));
    for place in 0..3 {
        let mut inputs = vec![good.clone(); 3];
        inputs[place] = bad.clone();
        let mut script = Script::new(words(1, 20));
        let error = bits.invoke_batch_from(&inputs, &mut script).unwrap_err();
        assert_eq!((error.kind(), script.drawn), (ErrorKind::NotAMember, 0));
    }
    let float =
        make_scalar_float_laplace_cks20(AtomDomain::finite(), AbsoluteDistance::new(), 2.0, None);
    let mut script = Script::new(words(1, 20));
    let error = float.unwrap().invoke_batch_from(&[1.0, 2.0, f64::NAN], &mut script).unwrap_err();
    assert_eq!((error.kind(), script.drawn), (ErrorKind::NotAMember, 0));
    assert_silent(&error, &["NaN", "number 3"]);
}

/// A boxed mechanism is a mechanism, so that what takes one takes it.
#[test]
fn mechanisms_behind_pointers_are_mechanisms() {
    fn through<M: Measurement<Metric = DiscreteDistance, Measure = MaxDivergence>>(
        mechanism: M,
        answer: &deniable::domain::Carrier<M::Domain>,
    ) -> (Epsilon, bool) {
        assert_eq!(mechanism.input_metric(), DiscreteDistance);
        assert_eq!(mechanism.output_measure(), MaxDivergence);
        assert!(mechanism.input_domain().is_member(answer));
        let outcome = mechanism.invoke_from(answer, &mut Script::new([0; 3])).is_ok();
        (mechanism.map(1).unwrap(), outcome && mechanism.invoke(answer).is_ok())
    }
    let mechanism = make_randomized_response_bool(0.75, false).unwrap();
    let expected = (mechanism.map(1).unwrap(), true);
    assert_eq!(through(&mechanism, &true), expected);
    assert_eq!(through(std::sync::Arc::new(mechanism.clone()), &true), expected);
    assert_eq!(through(Box::new(mechanism), &true), expected);
}

/// A mechanism of somebody else's can refuse as ours do.
#[test]
fn errors_can_be_made_by_others() {
    let error = deniable::Error::invalid_distance("d_in", "it is odd", "an even number");
    assert_eq!(error.kind(), ErrorKind::InvalidDistance);
    assert_eq!(error.to_string(), "invalid d_in: it is odd; accepted is an even number");
}

/// A mechanism with a budget of its own, which is spent.
struct Spent(RandomizedResponseBool);

impl Measurement for Spent {
    type Domain = AtomDomain<bool>;
    type Metric = DiscreteDistance;
    type Measure = MaxDivergence;
    type Output = bool;

    fn input_domain(&self) -> &AtomDomain<bool> {
        self.0.input_domain()
    }

    fn input_metric(&self) -> DiscreteDistance {
        DiscreteDistance
    }

    fn output_measure(&self) -> MaxDivergence {
        MaxDivergence
    }

    fn map(&self, d_in: u32) -> Result<Epsilon> {
        self.0.map(d_in)
    }

    fn check(&self, _: u32, _: Epsilon) -> Result<bool> {
        Ok(false)
    }

    fn invoke(&self, _: &bool) -> Result<bool> {
        Err(deniable::Error::invalid_parameter("budget", "it is spent", "another mechanism"))
    }

    fn invoke_from(&self, answer: &bool, entropy: &mut dyn Entropy) -> Result<bool> {
        self.0.invoke_from(answer, entropy)
    }
}

impl LocalRandomizer for Spent {
    fn invoke_batch(&self, _: &[bool]) -> Result<Vec<bool>> {
        self.invoke(&true).map(|_| Vec::new())
    }
}

/// What a mechanism does in its own way, it does behind a pointer too.
#[test]
fn pointers_forward_every_method() {
    fn refuses(
        mechanism: impl LocalRandomizer<
            Domain = AtomDomain<bool>,
            Metric = DiscreteDistance,
            Measure = MaxDivergence,
        >,
    ) {
        assert!(!mechanism.check(1, Epsilon::INFINITY).unwrap());
        assert!(mechanism.invoke(&true).is_err() && mechanism.invoke_batch(&[true]).is_err());
        assert!(mechanism.invoke_batch_from(&[true], &mut Script::new([0])).is_ok());
    }
    let spent = || Spent(make_randomized_response_bool(0.75, false).unwrap());
    let kept = spent();
    refuses(&kept);
    refuses(Box::new(spent()));
    refuses(std::sync::Arc::new(spent()));
}
