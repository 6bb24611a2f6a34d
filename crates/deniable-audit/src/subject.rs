//! The shipping mechanisms as black boxes: each on two inputs that lose the most, with outcomes that tell them apart.
//!
//! Each is run through `invoke`, with the operating system's entropy, as a user would. Outcomes are put into few buckets
//! by what decides between the two inputs, so that each is seen often.

mod rappor;

use deniable::prelude::*;
use deniable::{
    HashedReport, LocalHashing, RandomizedResponse, RandomizedResponseBitvec,
    RandomizedResponseBool, Result, ScalarIntegerLaplaceCks20, SubsetSelection, UnaryEncoding,
    VectorFloatLaplaceCks20,
};

use crate::black_box::{Counts, FALSE_ALARM, Verdict, judge_at};

pub use rappor::{Apart, Clients, rappor};

/// One mechanism on two neighbouring inputs.
pub struct Subject {
    /// What it claims to lose: its `map`, unless somebody knows better.
    pub claimed: Epsilon,
    /// The two inputs, in words.
    pub inputs: [String; 2],
    /// What an outcome is, in words.
    pub seen: &'static str,
    /// The outcomes that are told apart.
    pub buckets: Vec<u32>,
    /// An outcome of one input.
    pub left: Run,
    /// An outcome of the other.
    pub right: Run,
}

/// One run.
pub type Run = Box<dyn FnMut() -> Result<u32>>;

impl core::fmt::Debug for Subject {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} and {}, claiming {}", self.inputs[0], self.inputs[1], self.claimed)
    }
}

impl Subject {
    /// Runs each input so often, and judges the claim.
    ///
    /// # Errors
    ///
    /// No entropy; more runs than can be judged, or none.
    pub fn audit(self, trials: u64) -> core::result::Result<Verdict, String> {
        self.audit_at(FALSE_ALARM, trials)
    }

    /// [`Subject::audit`] with another probability of a false alarm.
    ///
    /// # Errors
    ///
    /// As there; a probability that is not from 10^−20 to 1/2.
    pub fn audit_at(
        mut self,
        false_alarm: f64,
        trials: u64,
    ) -> core::result::Result<Verdict, String> {
        let mut counts = [Counts::new(self.buckets.clone()), Counts::new(self.buckets)];
        for _ in 0..trials {
            for (counts, run) in counts.iter_mut().zip([&mut self.left, &mut self.right]) {
                counts.add(&run().map_err(|error| error.to_string())?, 1);
            }
        }
        judge_at(false_alarm, self.claimed.get(), &counts[0], &counts[1])
    }

    /// A mechanism of which `seen` is what is told apart of a release.
    fn new<I: ?Sized + 'static, O: 'static>(
        claimed: Epsilon,
        buckets: u32,
        [left, right]: [(&str, Box<I>); 2],
        invoke: impl Fn(&I) -> Result<O> + Clone + 'static,
        (words, seen): (&'static str, impl Fn(O) -> u32 + Clone + 'static),
    ) -> Self {
        let inputs = [left.0, right.0].map(str::to_owned);
        let run = |input: Box<I>| -> Run {
            let (invoke, seen) = (invoke.clone(), seen.clone());
            Box::new(move || invoke(&input).map(&seen))
        };
        let (left, right) = (run(left.1), run(right.1));
        Subject { claimed, inputs, seen: words, buckets: (0..buckets).collect(), left, right }
    }
}

/// Yes and no.
pub fn yes_no(mechanism: RandomizedResponseBool) -> Subject {
    let claimed = at_one(&mechanism);
    let inputs = [("yes", Box::new(true)), ("no", Box::new(false))];
    Subject::new(
        claimed,
        2,
        inputs,
        move |x| mechanism.invoke(x),
        ("1 for yes, 0 for no", u32::from),
    )
}

/// What the first of the categories from 0 is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// The second one.
    Category,
    /// An answer that is none of them.
    None,
}

impl Other {
    fn inputs(self) -> [(&'static str, Box<u32>); 2] {
        let right = match self {
            Other::Category => ("the second category", Box::new(1)),
            Other::None => ("none of the categories", Box::new(u32::MAX)),
        };
        [("the first category", Box::new(0)), right]
    }
}

/// One of the categories from 0: the first, the second, or another one is seen.
pub fn choice(mechanism: RandomizedResponse<u32>, other: Other) -> Subject {
    let claimed = at_one(&mechanism);
    Subject::new(
        claimed,
        2,
        other.inputs(),
        move |x| mechanism.invoke(x),
        ("the category, from 0", |report| report),
    )
}

/// One of the categories from 0, hashed: which of the first two have the bucket that is seen.
pub fn hashed(mechanism: LocalHashing<u32>, other: Other) -> Subject {
    let (claimed, buckets) = (at_one(&mechanism), mechanism.buckets());
    // The bucket of the first is the shift, and that of the second is one step from it.
    let supported = move |report: HashedReport| {
        let [shift, step] = [0, 1].map(|i| usize::from(report.seed()[i]));
        let bucket = usize::from(report.bucket());
        u32::from(bucket == shift) + 2 * u32::from(bucket == (shift + step) % buckets)
    };
    Subject::new(claimed, 4, other.inputs(), move |x| mechanism.invoke(x), (FIRST_TWO, supported))
}

/// A bit for each of the categories from 0: the bits of the first two are seen.
pub fn bits_of_a_choice(mechanism: UnaryEncoding<u32>, other: Other) -> Subject {
    let claimed = at_one(&mechanism);
    Subject::new(claimed, 4, other.inputs(), move |x| mechanism.invoke(x), (FIRST_TWO, first_two))
}

/// A subset of the categories from 0: whether the first two are in it is seen.
pub fn subset(mechanism: SubsetSelection<u32>, other: Other) -> Subject {
    let claimed = at_one(&mechanism);
    Subject::new(claimed, 4, other.inputs(), move |x| mechanism.invoke(x), (FIRST_TWO, first_two))
}

/// Bits with as many ones as there may be, and as many others: how many of those that differ are the left one's is seen.
///
/// # Errors
///
/// A distance that the mechanism refuses.
pub fn ticks(mechanism: RandomizedResponseBitvec) -> Result<Subject> {
    let (length, most) = {
        let domain = mechanism.input_domain();
        (domain.length(), domain.max_weight().unwrap_or(domain.length()))
    };
    let differing = length.min(2 * most);
    let bits = |is_one: &dyn Fn(usize) -> bool| -> BitVector { (0..length).map(is_one).collect() };
    let left = bits(&|bit| bit < most);
    let right = bits(&|bit| (most..differing).contains(&bit));
    let seen = move |report: BitVector| {
        let agrees = |&bit: &usize| report.get(bit) == Some(bit < most);
        (0..differing).filter(agrees).count() as u32
    };
    let inputs = [("the first bits", Box::new(left)), ("the bits after them", Box::new(right))];
    let claimed = mechanism.map(1)?;
    Ok(Subject::new(
        claimed,
        differing as u32 + 1,
        inputs,
        move |x| mechanism.invoke(x),
        (AGREE, seen),
    ))
}

/// Numbers, of which the first is 0 or `distance`, and others are 0: the first is seen below both, between them, or above both. One number, if the domain does not say how many.
///
/// # Errors
///
/// A distance that the mechanism refuses.
pub fn floats(mechanism: VectorFloatLaplaceCks20<f64>, distance: f64) -> Result<Subject> {
    let claimed = mechanism.map(distance)?;
    let size = mechanism.input_domain().size().unwrap_or(1);
    let numbers = |first: f64| -> Box<[f64]> {
        let mut numbers = vec![0.0; size];
        numbers.iter_mut().take(1).for_each(|number| *number = first);
        numbers.into()
    };
    let inputs = [("0", numbers(0.0)), ("the distance", numbers(distance))];
    let side = move |x: f64| u32::from(x > 0.0) + u32::from(x >= distance);
    let seen = move |released: Vec<f64>| released.first().map_or(0, |x| side(*x));
    Ok(Subject::new(claimed, 3, inputs, move |x: &[f64]| mechanism.invoke(x), (SIDE, seen)))
}

/// The whole numbers 0 and `distance`, in the same way.
///
/// # Errors
///
/// As there.
pub fn integer(mechanism: ScalarIntegerLaplaceCks20<i64>, distance: u32) -> Result<Subject> {
    let claimed = mechanism.map(distance.into())?;
    let distance = i64::from(distance);
    let inputs = [("0", Box::new(0)), ("the distance", Box::new(distance))];
    let seen = move |x: i64| u32::from(x > 0) + u32::from(x >= distance);
    Ok(Subject::new(claimed, 3, inputs, move |x| mechanism.invoke(x), (SIDE, seen)))
}

const FIRST_TWO: &str =
    "1 if the report supports the first category, 2 if the second, 3 if both, 0 if neither";
const AGREE: &str = "how many of the bits that differ are as in the left input";
const SIDE: &str = "0 below both inputs or at 0, 1 between them, 2 above both or at the distance";

fn first_two(report: BitVector) -> u32 {
    let bit = |bit| u32::from(report.get(bit) == Some(true));
    bit(0) + 2 * bit(1)
}

/// The map at distance 1, which is the distance of any two different answers.
fn at_one<M>(mechanism: &M) -> Epsilon
where
    M: LocalRandomizer<Metric = DiscreteDistance, Measure = MaxDivergence>,
    deniable::domain::Carrier<M::Domain>: Sized,
{
    mechanism.map(1).expect("a distance of the metric")
}

#[cfg(test)]
mod tests {
    use deniable::rappor::Params;

    use super::*;

    fn subjects() -> Vec<Subject> {
        let domain = BitVectorDomain::new(5).with_max_weight(1);
        let bits = make_randomized_response_bitvec(domain, DiscreteDistance, 0.5, false).unwrap();
        let (all, distance) = (VectorDomain::finite::<f64>().with_size(2), L1Distance::new());
        let float = make_vector_float_laplace_cks20(all, distance, 1.0, None).unwrap();
        let (all, distance) = (AtomDomain::<i64>::all(), AbsoluteDistance::new());
        let whole = make_scalar_integer_laplace_cks20(all, distance, 1.0).unwrap();
        let mut all = vec![
            yes_no(make_randomized_response_bool(0.9, false).unwrap()),
            ticks(bits).unwrap(),
            floats(float, 2.0).unwrap(),
            integer(whole, 2).unwrap(),
            // Little noise on top of the permanent answer, so that it is nearly always known.
            rappor(Params::new(9, 1, 3, 0.02, 0.98, 0.25).unwrap(), 1),
            rappor(Params::new(9, 1, 3, 0.05, 0.95, 0.25).unwrap(), 3),
        ];
        for other in [Other::Category, Other::None] {
            all.extend([
                choice(make_randomized_response(0..3, 0.8).unwrap(), other),
                hashed(make_local_hashing(0..9, 4, 0.7).unwrap(), other),
                bits_of_a_choice(make_unary_encoding(0..3, 0.75, 0.25).unwrap(), other),
                subset(make_subset_selection(0..5, 2, 0.75).unwrap(), other),
            ]);
        }
        all
    }

    /// Two answers show nearly all that is claimed, and never more. Were less claimed, it would be found.
    #[test]
    fn claims_hold_and_smaller_ones_do_not() {
        for (i, subject) in subjects().into_iter().enumerate() {
            let (what, claimed) = (format!("{i}: {subject:?}"), subject.claimed.get());
            let verdict = subject.audit(100_000).unwrap();
            assert!(!verdict.is_violation(), "{what}: {verdict}");
            // An answer outside is no worse than another category, and mostly loses less.
            let is_worst = i < 10;
            assert!(!is_worst || verdict.bound.epsilon > 0.85 * claimed, "{what}: {verdict}");
            assert!(verdict.bound.epsilon > 0.2 * claimed, "{what}: {verdict}");
        }
        for subject in subjects().into_iter().take(10) {
            let claimed = Epsilon::new(0.8 * subject.claimed.get()).unwrap();
            let verdict = Subject { claimed, ..subject }.audit(100_000).unwrap();
            assert!(verdict.is_violation(), "{verdict}");
        }
    }
}
