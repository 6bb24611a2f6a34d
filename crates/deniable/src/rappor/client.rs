//! What runs at the respondent's.

use core::fmt;

#[cfg(feature = "std")]
use deniable_sample::OsEntropy;
use deniable_sample::{Dyadic, Entropy, Source};
use zeroize::Zeroizing;

use super::Params;
use super::keyed::{Keyed, Uniforms, numbers_below};
use crate::{BitVector, Result};

/// So that the codes of one purpose are no other's. All have the same length.
const COHORT: &[u8; 24] = b"deniable.rappor.cohort.1";
const MEMORY: &[u8; 24] = b"deniable.rappor.memory.1";

/// A client: the parameters, a secret that is its own, and its cohort.
///
/// Asked again about the same value, it reports the same *permanent answer* with fresh noise, so that many reports do not average out to the truth. It remembers
/// that answer without storing it: the answer is a function of the secret, the metric and the value, which nobody can compute
/// without the secret. So the secret is kept, at the client and nowhere else, for as long as the client reports.
///
/// # Privacy
///
/// [`Params::epsilon_of_report`] and [`Params::epsilon_of_all_reports`], which also says what is not protected. Both hold against everybody who cannot tell HMAC-SHA-256
/// from a random function: they are *computational*. Secret and reports together undo the noise: who has both can try all values. The noise on top
/// of the permanent answer comes from the operating system and rests on no key.
///
/// The same metric and value get the same permanent answer as long as k, h, f, the cohort and the secret stay as they are. If one of them changes, the next
/// report is about another permanent answer, and the losses add up. Metrics have answers of their own: their losses add up too. The cohort is
/// told with each report. It is the same for all metrics, so that reports of one client can be tied together to that extent.
///
/// Time is not protected.
///
/// # Examples
///
/// ```
/// use deniable::rappor::{Client, Params, Secret};
///
/// let params = Params::new(128, 2, 64, 0.25, 0.75, 0.5)?;
/// let secret = Secret::random()?; // once, and then kept: secret.as_bytes()
/// let client = Client::new(params, secret);
/// let report = client.report("home page", "https://example.org/")?;
/// assert_eq!(report.cohort(), client.cohort());
/// assert_eq!(report.bits().len(), 128);
/// # Ok::<(), deniable::Error>(())
/// ```
#[derive(Clone)]
pub struct Client {
    params: Params,
    secret: Secret,
    cohort: usize,
}

impl Client {
    /// A client whose cohort is a function of the secret, and uniform over all cohorts if the secret is.
    pub fn new(params: Params, secret: Secret) -> Self {
        let keyed = Keyed::new(secret.as_bytes());
        let block = |number: u32| keyed.code(&[COHORT, &number.to_be_bytes()]);
        let cohort = numbers_below(params.m(), block).next().expect("it does not end");
        Client { params, secret, cohort }
    }

    /// A client with a given cohort. It must have been chosen without regard to any value, and stay.
    ///
    /// # Errors
    ///
    /// A cohort that is not below m.
    pub fn with_cohort(params: Params, secret: Secret, cohort: usize) -> Result<Self> {
        params.check_cohort(cohort)?;
        Ok(Client { params, secret, cohort })
    }

    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The cohort.
    pub fn cohort(&self) -> usize {
        self.cohort
    }

    /// A report of a value. The metric is the name of the question: different questions have different names.
    ///
    /// # Errors
    ///
    /// A source of entropy that fails. Every value is accepted, of any length.
    #[cfg(feature = "std")]
    pub fn report(&self, metric: &str, value: impl AsRef<[u8]>) -> Result<Report> {
        self.report_from(metric, value, &mut OsEntropy::new())
    }

    /// [`Client::report`] with fresh noise from words of any width. That is what exhaustive checks run.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn report_from<S: Source + ?Sized>(
        &self,
        metric: &str,
        value: impl AsRef<[u8]>,
        source: &mut S,
    ) -> Result<Report> {
        let permanent = self.permanent(metric, value);
        let bits = self.params.instantaneous_from(&permanent, source)?;
        Ok(Report::new(self.cohort, bits))
    }

    /// The permanent answer, which all reports about this value are made of. It is the same every time.
    ///
    /// Whoever sees it knows as much as all reports together tell: [`Params::epsilon_of_all_reports`].
    pub fn permanent(&self, metric: &str, value: impl AsRef<[u8]>) -> BitVector {
        let value = value.as_ref();
        let filter = self.params.filter_of(self.cohort, value).expect("a cohort that is one");
        let mut uniforms = Uniforms::new(self.memory_of(metric, value));
        let draws = |bit, flip: Dyadic| flip.sample(false, &mut uniforms.digits(bit));
        self.params.permanent_by(&filter, draws).expect("a filter, and digits that do not fail")
    }

    /// The key of a value's noise. Everything that the permanent answer depends on is in it: noise that is used again for another `f`, say,
    /// would tell the bits where both answers differ. The value comes last, and all before it is of known length.
    fn memory_of(&self, metric: &str, value: &[u8]) -> Keyed {
        let number = |n: usize| (n as u32).to_be_bytes();
        let seed = Zeroizing::new(Keyed::new(self.secret.as_bytes()).code(&[
            MEMORY,
            &number(self.params.k()),
            &number(self.params.h()),
            &self.params.f().to_bits().to_be_bytes(),
            &number(self.cohort),
            &(metric.len() as u64).to_be_bytes(),
            metric.as_bytes(),
            value,
        ]));
        Keyed::new(&*seed)
    }
}

impl fmt::Debug for Client {
    /// Without the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("params", &self.params)
            .field("cohort", &self.cohort)
            .finish_non_exhaustive()
    }
}

/// 32 random bytes that only one client has. They are wiped when they are dropped.
#[derive(Clone)]
pub struct Secret(Zeroizing<[u8; 32]>);

impl Secret {
    /// A secret that was kept. It must have come from [`Secret::random`], or from another generator that nobody can predict.
    pub fn new(bytes: [u8; 32]) -> Self {
        Secret(Zeroizing::new(bytes))
    }

    /// A new secret from the operating system's entropy.
    ///
    /// # Errors
    ///
    /// A source of entropy that fails.
    #[cfg(feature = "std")]
    pub fn random() -> Result<Self> {
        let mut words = Zeroizing::new([0; 4]);
        OsEntropy::new().fill(&mut *words)?;
        let mut secret = Secret::new([0; 32]);
        for (bytes, word) in secret.0.chunks_exact_mut(8).zip(*words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Ok(secret)
    }

    /// The bytes, to be kept where only the client can read them.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    /// Without the bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret").finish_non_exhaustive()
    }
}

/// What a client sends: its cohort, and the noisy bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Report {
    cohort: usize,
    bits: BitVector,
}

impl Report {
    /// A report of these parts, as they were received. Whether it is one of a collection is checked when it is counted.
    pub fn new(cohort: usize, bits: BitVector) -> Self {
        Report { cohort, bits }
    }

    /// The cohort.
    pub fn cohort(&self) -> usize {
        self.cohort
    }

    /// The noisy bits of the Bloom filter.
    pub fn bits(&self) -> &BitVector {
        &self.bits
    }
}
