//! Mistakes of local hashing.

use deniable_verify::audit::local::hashing::{self, Parameters, bucket_of, inputs, seed_length};
use deniable_verify::audit::local::laws::over_intervals;

use super::*;

/// Local hashing with one mistake.
struct Hashing {
    parameters: Parameters,
    mistake: &'static str,
}

/// A prime that has room for few places.
const PRIME: u32 = 5;

impl Hashing {
    fn new(k: u32, g: u32, mistake: &'static str) -> Self {
        Hashing { parameters: Parameters { k, g, prob: 0.75 }, mistake }
    }

    /// What the server of the same mechanism takes for the bucket of a place.
    fn hash(&self, seed: &[u16], place: u32) -> u32 {
        let g = self.parameters.g;
        let number = |index: usize| u32::from(seed[index]);
        match self.mistake {
            "modulo a prime, then g" => (number(0) + number(1) * (place % PRIME)) % PRIME % g,
            "multiplied modulo g" => (number(0) + number(1) * (place % g)) % g,
            "no shift" => (bucket_of(seed, place, g) + g - number(0)) % g,
            "the last digit is dropped" => bucket_of(&seed[..seed.len() - 1], place, g),
            _ => bucket_of(seed, place, g),
        }
    }

    fn seed<S: Source + ?Sized>(&self, source: &mut S) -> Result<Vec<u16>> {
        let Parameters { k, g, .. } = self.parameters;
        let bound = if self.mistake == "modulo a prime, then g" { PRIME } else { g };
        let mut residue = || sample_uniform_int_below(bound, source).map(|residue| residue as u16);
        let mut seed: Vec<u16> =
            (0..seed_length(k)).map(|_| residue()).collect::<deniable_sample::Result<_>>()?;
        match self.mistake {
            "steps are reused" => seed[2] = seed[1],
            "the shift is reused" => seed[1] = seed[0],
            _ => {}
        }
        Ok(seed)
    }

    fn supports(&self, row: &[u16]) -> Vec<u64> {
        let (&bucket, seed) = row.split_last().unwrap();
        let supports = |place| u64::from(self.hash(seed, place) == u32::from(bucket));
        (0..self.parameters.k).map(supports).collect()
    }
}

impl Local for Hashing {
    type Input = u32;
    type Output = Vec<u16>;

    fn map(&self) -> f64 {
        hashing::shipping(self.parameters).map()
    }

    fn randomize<S: Source + ?Sized>(&self, input: &u32, source: &mut S) -> Result<Vec<u16>> {
        let Parameters { k, g, prob } = self.parameters;
        let (is_inside, mut row) = (*input < k, self.seed(source)?);
        if self.mistake == "the seed tells" && *input == 0 {
            row[0] = 0;
        }
        let hashed = self.hash(&row, *input);
        let truthful = sample_bernoulli_float(prob, false, source)?;
        if self.mistake == "draws less outside" && !is_inside {
            row.push(sample_uniform_int_below(g, source)? as u16);
            return Ok(row);
        }
        let anyone = sample_uniform_int_below(g, source)?;
        let another = sample_uniform_int_below(g - 1, source)?;
        let lie = another + u32::from(another >= hashed);
        let bucket = match self.mistake {
            "not randomized" if is_inside => hashed,
            "outside is 0" if !is_inside => 0,
            "outside is the shift" if !is_inside => row[0].into(),
            "outside is hashed" if !is_inside && truthful => hashed,
            "outside is hashed" if !is_inside => lie,
            "lies are anyone" if is_inside && !truthful => anyone,
            _ if !is_inside => anyone,
            _ if truthful => hashed,
            _ => lie,
        };
        row.push(bucket as u16);
        Ok(row)
    }
}

/// What is found by the laws, by the draws and by the errors.
fn all(k: u32, g: u32, mistake: &'static str) -> [(bool, bool, bool); 3] {
    let mechanism = Hashing::new(k, g, mistake);
    let parameters = mechanism.parameters;
    [
        found(|tally| {
            let supports = |row: &[u16]| mechanism.supports(row);
            hashing::audit_laws(tally, &mechanism, parameters, false, supports);
        }),
        found(|tally| hashing::audit_draws(tally, &mechanism, parameters)),
        found(|tally| hashing::audit_errors(tally, &mechanism, parameters)),
    ]
}

#[test]
fn local_hashing_without_a_mistake() {
    for (k, g) in [(2, 2), (3, 2), (2, 3), (3, 3)] {
        assert_eq!(all(k, g, "none"), [NOTHING; 3]);
    }
}

/// The bucket is no more than the hash of the answer, or of another one.
#[test]
fn buckets_that_are_not_randomized_as_they_should() {
    for mistake in ["not randomized", "outside is 0", "outside is the shift", "the seed tells"] {
        for (k, g) in [(2, 2), (2, 3), (3, 3)] {
            let [laws, draws, errors] = all(k, g, mistake);
            assert_eq!(
                (laws.0, laws.2, draws, errors),
                (true, true, MISMATCH, NOTHING),
                "{mistake}"
            );
        }
    }
    for mistake in ["outside is hashed", "lies are anyone"] {
        let [laws, draws, errors] = all(3, 3, mistake);
        assert_eq!((laws.2, draws, errors), (true, MISMATCH, NOTHING), "{mistake}");
    }
}

#[test]
fn other_draws_outside_of_the_hashed_categories() {
    for g in [3, 5] {
        let [laws, draws, errors] = all(2, g, "draws less outside");
        assert_eq!((laws, draws, errors), (MISMATCH, MISMATCH, MISMATCH));
    }
}

/// Privacy does not rest on the hash functions. The estimates do: these are wrong, and nothing is lost.
#[test]
fn families_that_are_not_pairwise_independent() {
    for mistake in
        ["steps are reused", "the shift is reused", "no shift", "the last digit is dropped"]
    {
        let [laws, _, errors] = all(3, 3, mistake);
        assert_eq!((laws, errors), (MISMATCH, NOTHING), "{mistake}");
    }
    // Where g is no prime, a multiple of a difference of places may be 0 too often: 2·a modulo 4.
    for (k, g, mistake) in [
        (3, 4, "multiplied modulo g"),
        (2, 3, "modulo a prime, then g"),
        (2, 2, "modulo a prime, then g"),
    ] {
        let mechanism = Hashing::new(k, g, mistake);
        let (parameters, draws) = (mechanism.parameters, seed_length(k) + 3 - usize::from(g == 2));
        let laws = over_intervals(&mechanism, &inputs(k), draws).unwrap();
        let laws: Vec<_> = laws.into_iter().map(given_one_pass).collect();
        let supports = |row: &[u16]| mechanism.supports(row);
        let wrong = hashing::is_support(parameters, &inputs(k), &laws, supports).unwrap_err();
        assert!(wrong.contains("another support"), "{wrong}");
        let judged = found(|tally| {
            judge_laws(tally, &|| mistake.to_owned(), mechanism.map(), &laws);
        });
        assert_eq!(judged, NOTHING);
    }
}

#[test]
fn maps_of_more_or_fewer_buckets() {
    let probs: Vec<f64> = (1..30).map(|n| 0.5 + f64::from(n) / 64.0).collect();
    let audit = |map: &dyn Fn(Parameters) -> Option<f64>| {
        found(|tally| hashing::audit_maps(tally, 4, &probs, map))
    };
    assert_eq!(audit(&|p| Some(hashing::shipping(p).map())), NOTHING);
    let fewer = |p: Parameters| Parameters { g: p.g - 1, ..p };
    assert!(audit(&|p| Some(hashing::shipping(fewer(p)).map())).0);
    let more = |p: Parameters| Parameters { g: p.g + 1, ..p };
    assert_eq!(audit(&|p| Some(hashing::shipping(more(p)).map())), LOOSE);
    // That of the list of categories, which has nothing to do with it.
    assert!(audit(&|p| Some(category_map(p.k, p.prob))).0);
}
