use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::ToString;
use core::fmt;

/// What this crate's functions return.
pub type Result<T> = core::result::Result<T, Error>;

/// Why something was refused or could not be done.
///
/// The message says which parameter, what is wrong with it, and what would be accepted. It never contains
/// data: an input that is not a member of the domain is described by the rule it broke, not by its value.
///
/// ```
/// use deniable::prelude::*;
///
/// let error = make_randomized_response_bool(0.3, false).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidParameter);
/// assert_eq!(error.to_string(), "invalid prob: 0.3 is below 0.5; accepted is a number from 0.5 to 1");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Option<Box<Refusal>>);

/// The kinds of [`Error`], to match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A parameter of a mechanism is outside its range.
    InvalidParameter,
    /// The input is not a member of the mechanism's domain.
    NotAMember,
    /// A distance between inputs, or a privacy loss, that is none: negative, NaN, out of the metric's range.
    InvalidDistance,
    /// The source of entropy failed. Nothing was released.
    EntropyUnavailable,
}

#[derive(Clone, PartialEq, Eq)]
struct Refusal {
    kind: ErrorKind,
    parameter: &'static str,
    problem: Cow<'static, str>,
    accepted: Cow<'static, str>,
}

impl Error {
    /// A parameter, what is wrong with it, and what would be accepted. For mechanisms of your own; as with all errors here, no
    /// part of it may depend on data.
    pub fn invalid_parameter(
        parameter: &'static str,
        problem: impl Into<Cow<'static, str>>,
        accepted: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::refusal(ErrorKind::InvalidParameter, parameter, problem, accepted)
    }

    /// A distance or loss, what is wrong with it, and what would be accepted.
    pub fn invalid_distance(
        parameter: &'static str,
        problem: impl Into<Cow<'static, str>>,
        accepted: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::refusal(ErrorKind::InvalidDistance, parameter, problem, accepted)
    }

    /// What the members of the domain are. Nothing about the input that is none of them.
    pub fn not_a_member(accepted: impl Into<Cow<'static, str>>) -> Self {
        Self::refusal(ErrorKind::NotAMember, "input", "it is not a member of the domain", accepted)
    }

    #[cold]
    fn refusal(
        kind: ErrorKind,
        parameter: &'static str,
        problem: impl Into<Cow<'static, str>>,
        accepted: impl Into<Cow<'static, str>>,
    ) -> Self {
        let (problem, accepted) = (problem.into(), accepted.into());
        Error(Some(Box::new(Refusal { kind, parameter, problem, accepted })))
    }

    /// The kind of this error.
    pub fn kind(&self) -> ErrorKind {
        self.0.as_ref().map_or(ErrorKind::EntropyUnavailable, |refusal| refusal.kind)
    }

    /// The parameter that was refused, `"input"` if it was the input, and nothing if entropy failed.
    pub fn parameter(&self) -> Option<&'static str> {
        self.0.as_ref().map(|refusal| refusal.parameter)
    }
}

impl From<deniable_sample::Error> for Error {
    /// The samplers are handed checked parameters only, so what they report is their source's failure.
    fn from(error: deniable_sample::Error) -> Self {
        match error.kind() {
            deniable_sample::ErrorKind::EntropyUnavailable => Error(None),
            _ => Error::invalid_parameter("sampler", "it was refused", "what its law says"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("no entropy: the source of random words could not be read"),
            Some(refusal) => {
                let Refusal { parameter, problem, accepted, .. } = &**refusal;
                write!(f, "invalid {parameter}: {problem}; accepted is {accepted}")
            }
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({:?})", self.kind(), self.to_string())
    }
}

impl core::error::Error for Error {}

/// A number as a person would write it: without hundreds of zeros.
pub(crate) struct Shown(pub(crate) f64);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.abs();
        if magnitude == 0.0 || (1e-5..1e16).contains(&magnitude) || !self.0.is_finite() {
            fmt::Display::fmt(&self.0, f)
        } else {
            fmt::LowerExp::fmt(&self.0, f)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_fails_is_told_from_a_law_that_is_refused() {
        let entropy = Error::from(deniable_sample::Error::entropy_unavailable());
        assert_eq!((entropy.kind(), entropy.parameter()), (ErrorKind::EntropyUnavailable, None));
        let refused = deniable_sample::Dyadic::from_float(2.0).unwrap_err();
        let refused = Error::from(refused);
        assert_eq!(refused.kind(), ErrorKind::InvalidParameter);
        assert_eq!(
            format!("{refused:?}"),
            "InvalidParameter(\"invalid sampler: it was refused; accepted is what its law says\")"
        );
    }
}
