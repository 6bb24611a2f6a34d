"""Counts against stated probabilities, with bounds that hold for every number of trials.

Chernoff's bound: of n trials with probability p, a share of a or more (if a > p; of a or less, if a < p) occurs with
probability at most exp(-n kl(a, p)). So a check that accuses where n kl > ln(2/alpha) is wrong with probability at
most alpha, and the number of trials can be computed with which it finds a mistake.
"""

import math

# All checks of a run of the tests, of which there are fewer than 10^4, together are wrong less than once in 10^9 runs.
ALPHA = 1e-13


def kl(a, p):
    """The divergence of a coin with probability a from one with probability p."""
    if not 0 < p < 1:
        return 0.0 if a == p else math.inf
    terms = ((a, p), (1 - a, 1 - p))
    return sum(x * math.log(x / y) for x, y in terms if x > 0)


def check(counts, law, trials):
    """That outcomes were counted as often as their probabilities say."""
    assert math.isclose(sum(law), 1, abs_tol=1e-12) and sum(counts) == trials
    for count, p in zip(counts, law, strict=True):
        # The probabilities are exact to 12 digits, which so many trials do not see.
        assert trials * kl(count / trials, p) <= math.log(2 / ALPHA) + 1e-3, (counts, law)


def beyond(p, trials, alpha, sign):
    """How far a share of so many trials is from p, above or below, but with probability alpha."""
    inside, outside = p, float(sign > 0)
    for _ in range(60):
        middle = (inside + outside) / 2
        if trials * kl(middle, p) > math.log(1 / alpha):
            outside = middle
        else:
            inside = middle
    return outside


def bound_beyond(share, trials, alpha, sign):
    """The bound of a probability, above or below, at which so large or small a share has probability alpha at most."""
    inside, outside = share, float(sign > 0)
    for _ in range(60):
        middle = (inside + outside) / 2
        if trials * kl(share, middle) > math.log(1 / alpha):
            outside = middle
        else:
            inside = middle
    return outside


def finds(p, q, claimed, buckets, trials):
    """Whether the auditor finds that ln(p/q) is above the claim, but with probability 10^-9.

    It splits 10^-9 over four bounds for each bucket and one more, exact ones, which are nearer than these.
    """
    each = 1e-9 / (4 * (buckets + 1))
    low = bound_beyond(beyond(p, trials, 0.5e-9, -1), trials, each, -1)
    high = bound_beyond(beyond(q, trials, 0.5e-9, 1), trials, each, 1)
    return math.log(low / high) > claimed


def trials_to_find(p, q, claimed, buckets):
    """How many trials of each input that takes: a number that is a quarter too large at most."""
    assert math.log(p / q) > claimed
    trials = 1000
    while not finds(p, q, claimed, buckets, trials):
        trials += trials // 4
    return trials
