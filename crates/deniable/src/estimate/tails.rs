//! Tails and quantiles of the laws that estimates are compared with: normal, Student's, χ², and that of sums of Laplace's noise.
//!
//! Relative errors are below 10^−10 where a tail is above 10^−300; the tests compare with known values.

use core::f64::consts::TAU;

/// P(X > x) for X of Student's law with so many degrees of freedom; of the normal law if there is no end of them.
pub(crate) fn student(x: f64, degrees: f64) -> f64 {
    if degrees == f64::INFINITY {
        return normal(x);
    }
    let square = x * x;
    // The smaller of both parts is computed, so that no digits are lost.
    let tail = 0.5
        * beta_below(degrees / 2.0, 0.5, degrees / (degrees + square), square / (degrees + square));
    if x > 0.0 { tail } else { 1.0 - tail }
}

/// The x that is exceeded with probability `tail`, from 10^−300 to 1/2.
pub(crate) fn student_quantile(tail: f64, degrees: f64) -> f64 {
    exceeded(tail, |x| student(x, degrees))
}

/// The x that is exceeded with probability `tail`, from 10^−30 to 1/2, by the sum of so many variables of Laplace's law with scale 1. Where they are
/// many, it is slightly more.
pub(crate) fn laplace_sum_quantile(tail: f64, variables: u64) -> f64 {
    if variables <= FEW {
        return exceeded(tail, |x| laplace_sum(x, variables));
    }
    // The expansion of Cornish and Fisher: cumulants above the fourth would change it by less than the last term.
    let (n, z) = (variables as f64, student_quantile(tail, f64::INFINITY));
    (2.0 * n).sqrt() * (z + z * (z * z - 3.0) / (8.0 * n) + 0.25 / (n * n))
}

/// So many variables are added up exactly.
const FEW: u64 = 1000;

/// P(S > x) for x from 0 and the sum S of so many variables, up to [`FEW`]: a mixture of Poisson's laws of mean x, all of whose terms are positive.
fn laplace_sum(x: f64, variables: u64) -> f64 {
    let n = variables as f64;
    // Of j = n − 1, then of less: the binomial coefficient of n − 1 + j over j, by 2^(n + j).
    let mut weight = (1..variables).fold(0.5, |weight, i| weight * (1.0 - 0.5 / i as f64));
    let (mut term, mut below, mut sum) = ((-x).exp(), 0.0, 0.0);
    for i in 1..=variables {
        let (i, j) = (i as f64, (variables - i) as f64);
        below += term;
        sum += weight * below;
        term *= x / i;
        weight *= 2.0 * j / (n - 1.0 + j);
    }
    sum
}

/// The x from 0 that a tail falls below.
fn exceeded(tail: f64, above: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while above(high) > tail && high < 1e300 {
        (low, high) = (high, high * 2.0);
    }
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if above(middle) > tail { low = middle } else { high = middle }
    }
    high
}

/// P(X > x) for X normal.
pub(crate) fn normal(x: f64) -> f64 {
    let tail = 0.5 * gamma_above(0.5, 0.5 * x * x);
    if x > 0.0 { tail } else { 1.0 - tail }
}

/// The x that is exceeded by a normal variable with probability `tail`, from 10^−300 to 1/2.
#[cfg(any(feature = "rappor", test))]
pub(crate) fn normal_quantile(tail: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if normal(middle) > tail { low = middle } else { high = middle }
    }
    high
}

/// P(X > x) for X of the law χ² with so many degrees of freedom.
#[cfg(any(feature = "rappor-decode", test))]
pub(crate) fn chi_square(x: f64, degrees: f64) -> f64 {
    gamma_above(degrees / 2.0, x.max(0.0) / 2.0)
}

/// ln Γ(x) for x > 0: Stirling's series above 15, and below by Γ(x + 1) = x·Γ(x).
fn ln_gamma(x: f64) -> f64 {
    if x < 15.0 {
        return ln_gamma(x + 1.0) - x.ln();
    }
    let s = 1.0 / (x * x);
    let series = (1.0 / 12.0 - s * (1.0 / 360.0 - s * (1.0 / 1260.0 - s / 1680.0))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * TAU.ln() + series
}

/// The share of the integral of t^(a−1)·e^(−t) that is above x: a series below the mean, a continued fraction above it.
fn gamma_above(a: f64, x: f64) -> f64 {
    if x == 0.0 || x == f64::INFINITY {
        return if x == 0.0 { 1.0 } else { 0.0 };
    }
    let first = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut k) = (1.0 / a, 1.0 / a, a);
        while term > 1e-17 * sum {
            k += 1.0;
            term *= x / k;
            sum += term;
        }
        return 1.0 - first * sum;
    }
    let step = |i: usize| (i as f64 * (a - i as f64), x + 2.0 * i as f64 + 1.0 - a);
    first / fraction(x + 1.0 - a, step)
}

/// The share of the integral of t^(a−1)·(1 − t)^(b−1) that is below x, where y = 1 − x.
fn beta_below(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 || y <= 0.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_below(b, a, y, x);
    }
    let ln_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    let first = (a * x.ln() + b * y.ln() - ln_beta).exp() / a;
    let step = |i: usize| {
        let m = (i / 2) as f64;
        let numerator = if i % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        (numerator, 1.0)
    };
    first / fraction(1.0, step)
}

/// b + a₁/(b₁ + a₂/(b₂ + …)) by Lentz's method; `step` gives each a and b.
fn fraction(b: f64, step: impl Fn(usize) -> (f64, f64)) -> f64 {
    let tiny = |x: f64| if x.abs() < 1e-280 { 1e-280 } else { x };
    let mut value = tiny(b);
    let (mut c, mut d) = (value, 0.0);
    for i in 1..100_000 {
        let (a, b) = step(i);
        d = 1.0 / tiny(b + a * d);
        c = tiny(b + a / c);
        value *= c * d;
        if (c * d - 1.0).abs() < 4e-16 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests;
