//! Reports that are those of the reference implementation's Python client.
//!
//! For fleets and files that already speak that client's language. New collections are better off with [`Client`](super::Client):
//!
//! | | [`Client`](super::Client) | here |
//! |---|---|---|
//! | `f` | exact | rounded up to a multiple of 1/128, see [`Encoder::in_effect`] |
//! | bits of a filter | up to 2^16, uniform | up to 32, uniform if k is a power of two |
//! | noise is remembered for | k, h, f, cohort, metric and value | the bits of the filter: two metrics, or two values with the same bits, share their noise; so do two f, which tells bits |
//!
//! ```
//! use deniable::rappor::Params;
//! use deniable::rappor::reference::{Encoder, bits_of};
//!
//! let params = Params::new(16, 2, 64, 0.5, 0.75, 0.5)?;
//! assert_eq!(bits_of(&params, 0, "abc")?, [6, 13]);
//! let encoder = Encoder::new(params, 0, *b"secret")?;
//! let filter = encoder.filter_of("abc");
//! assert_eq!((filter, encoder.permanent(filter)), (8256, 57576));
//! assert_eq!(encoder.report("abc")?.bits().len(), 16);
//! # Ok::<(), deniable::Error>(())
//! ```

use alloc::vec::Vec;
use core::fmt;

use deniable_num::{Decoded, Float};
use deniable_sample::{OsEntropy, Source};
use md5::{Digest, Md5};
use zeroize::Zeroizing;

use super::keyed::Keyed;
use super::{Params, Report};
use crate::{BitVector, Error, Result};

/// The bits of a filter fit a word of so many.
const BITS: usize = 32;

/// The bytes of an MD5 hash, one for each hash function.
const HASHES: usize = 16;

/// The bits that a value sets in the Bloom filter of a cohort: byte i of MD5 of the cohort, as four bytes, big-endian, and the value, modulo k. Some may be equal.
///
/// # Errors
///
/// A cohort that is not below m; a k above 256 or an h above 16, for which that client has no hash functions.
pub fn bits_of(params: &Params, cohort: usize, value: impl AsRef<[u8]>) -> Result<Vec<usize>> {
    params.check_cohort(cohort)?;
    if params.k() > 1 << 8 {
        return Err(above("k", params.k(), 1 << 8));
    }
    if params.h() > HASHES {
        return Err(above("h", params.h(), HASHES));
    }
    let hash = Md5::new().chain_update((cohort as u32).to_be_bytes()).chain_update(value);
    let bytes = hash.finalize();
    Ok(bytes.iter().take(params.h()).map(|&byte| usize::from(byte) % params.k()).collect())
}

/// A client that encodes as the reference implementation's does.
///
/// # Privacy
///
/// [`Params::epsilon_of_report`] and [`Params::epsilon_of_all_reports`] of the parameters that are [in effect](Encoder::in_effect), for values that have not the same filter as
/// another value of the client. As there, they are computational: secret and reports together undo the noise. So it must be as hard to guess as a
/// [`Secret`](super::Secret).
///
/// **One secret, one f.** The noise of a filter is the same for all f, other than that of a [`Client`](super::Client): where the permanent answers with two f differ, that with the smaller f is the bit
/// of the filter, and nothing bounds the loss. A client whose f changes, or whose metrics have different f, needs a secret for each.
#[derive(Clone)]
pub struct Encoder {
    params: Params,
    in_effect: Params,
    /// Seven bits are noise if they are below this.
    threshold: u8,
    cohort: usize,
    secret: Zeroizing<Vec<u8>>,
}

impl Encoder {
    /// An encoder with a cohort and a secret of any length.
    ///
    /// # Errors
    ///
    /// A cohort that is not below m; a k above 32 or an h above 16; an f above 127/128, with which all bits would be noise.
    pub fn new(params: Params, cohort: usize, secret: impl Into<Vec<u8>>) -> Result<Self> {
        let secret = Zeroizing::new(secret.into());
        if params.k() > BITS {
            return Err(above("k", params.k(), BITS));
        }
        // Refuses a cohort or hash functions that there are none of.
        bits_of(&params, cohort, "")?;
        let threshold = threshold(&params);
        let f = f64::from(threshold) / 128.0;
        if f == 1.0 {
            let problem = "all bits would be noise";
            return Err(Error::invalid_parameter("f", problem, "a number from 0 to 127/128"));
        }
        let in_effect = Params::new(params.k(), params.h(), params.m(), params.p(), params.q(), f)?;
        Ok(Encoder { params, in_effect, threshold, cohort, secret })
    }

    /// The parameters as they were given.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The parameters of what is done: f is rounded up to a multiple of 1/128. That client compares f with seven random bits. A decoder that takes the f that was given is
    /// biased by the difference.
    pub fn in_effect(&self) -> &Params {
        &self.in_effect
    }

    /// The cohort.
    pub fn cohort(&self) -> usize {
        self.cohort
    }

    /// The Bloom filter of a value: bit b has the value 2^b.
    pub fn filter_of(&self, value: impl AsRef<[u8]>) -> u32 {
        let bits = bits_of(&self.params, self.cohort, value).expect("checked when it was made");
        bits.iter().fold(0, |filter, bit| filter | 1 << bit)
    }

    /// The permanent answer for a filter. Byte b of HMAC-SHA-256 of the filter, as four bytes, big-endian, is for bit b: its lowest bit is noise, which is taken if the upper
    /// seven are below 128·f.
    pub fn permanent(&self, filter: u32) -> u32 {
        let bytes = Keyed::new(&self.secret).code(&[&filter.to_be_bytes()]);
        bytes.iter().take(self.params.k()).enumerate().fold(filter, |bits, (bit, byte)| {
            match byte >> 1 < self.threshold {
                true => bits & !(1 << bit) | u32::from(byte & 1) << bit,
                false => bits,
            }
        })
    }

    /// A report of a value: its permanent answer with fresh noise from the operating system's entropy.
    ///
    /// # Errors
    ///
    /// A source of entropy that fails.
    pub fn report(&self, value: impl AsRef<[u8]>) -> Result<Report> {
        self.report_from(value, &mut OsEntropy::new())
    }

    /// [`Encoder::report`] with fresh noise from words of any width.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn report_from<S: Source + ?Sized>(
        &self,
        value: impl AsRef<[u8]>,
        source: &mut S,
    ) -> Result<Report> {
        let permanent = self.permanent(self.filter_of(value));
        let permanent = BitVector::from_words(vec![permanent.into()], self.params.k())?;
        Ok(Report::new(self.cohort, self.params.instantaneous_from(&permanent, source)?))
    }
}

impl fmt::Debug for Encoder {
    /// Without the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder")
            .field("params", &self.params)
            .field("cohort", &self.cohort)
            .finish_non_exhaustive()
    }
}

/// Seven bits are below 128·f if they are below this, the next integer. In integers: a product of floats is zero where a library has set the processor to take small
/// numbers for zero.
fn threshold(params: &Params) -> u8 {
    let Decoded::Finite { mantissa, exponent, .. } = params.f().decode() else {
        unreachable!("f is a probability");
    };
    // 128·f is the mantissa over a power of two, which is at least 2^45 and as good as 2^63 if it is more.
    mantissa.div_ceil(1 << (-7 - exponent).min(63)) as u8
}

fn above(name: &'static str, n: usize, most: usize) -> Error {
    let problem = format!("{n} is above {most}, which is the most the reference client has");
    Error::invalid_parameter(name, problem, format!("an integer up to {most}"))
}
