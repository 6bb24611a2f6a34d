"""RAPPOR through Python: parameters, clients, counts, and what is found in them."""

import pickle

import deniable
import laws
import numpy as np
import pytest

PARAMS = deniable.RapporParams(k=32, h=2, m=8, p=0.25, q=0.75, f=0.25)
SECRET = bytes(range(32))
CANARY = "canary-4711"


def matrix(reports, k):
    """The bits of reports, a row each."""
    rows = np.frombuffer(b"".join(bits for _, bits in reports), "u1").reshape(len(reports), -1)
    return np.unpackbits(rows, axis=1, count=k, bitorder="little")


def test_parameters_are_kept():
    assert (PARAMS.k, PARAMS.h, PARAMS.m) == (32, 2, 8)
    assert (PARAMS.p, PARAMS.q, PARAMS.f) == (0.25, 0.75, 0.25)
    assert repr(PARAMS) == "RapporParams(k=32, h=2, m=8, p=0.25, q=0.75, f=0.25)"
    assert pickle.loads(pickle.dumps(PARAMS)) == PARAMS == eval(repr(PARAMS), vars(deniable))
    assert PARAMS != deniable.RapporParams(k=32, h=2, m=8, p=0.25, q=0.75, f=0.5)
    assert 0 < PARAMS.epsilon_of_report < PARAMS.epsilon_of_all_reports


def test_a_report():
    client = deniable.RapporClient(PARAMS)
    cohort, bits = client.report("homepage", "example.org")
    assert cohort == client.cohort < 8
    assert isinstance(bits, bytes) and len(bits) == 4
    assert deniable.RapporClient(PARAMS, SECRET, cohort=5).cohort == 5
    # The cohort is drawn from the secret.
    assert deniable.RapporClient(PARAMS, SECRET).cohort == deniable.RapporClient(PARAMS, SECRET).cohort


def test_the_secret_fixes_the_permanent_answer():
    """A bit is one with probability q or p, as the permanent answer has it: the same for all clients with one secret.

    Of 400 reports, a share at least as far as the middle from its mean has probability exp(-400 kl(1/2, 1/4)), which
    is 10^-25. So the permanent answer can be read from them, here, where one secret makes all of them.
    """
    reports = [deniable.RapporClient(PARAMS, SECRET, cohort=0).report("homepage", "a") for _ in range(400)]
    permanent = matrix(reports, 32).mean(axis=0) > 0.5
    more = [deniable.RapporClient(PARAMS, SECRET, cohort=0).report("homepage", "a") for _ in range(400)]
    assert (permanent == (matrix(more, 32).mean(axis=0) > 0.5)).all()
    for bits, is_one in zip(matrix(reports, 32).T, permanent):
        laws.check([int(bits.sum()), 400 - int(bits.sum())], (0.75, 0.25) if is_one else (0.25, 0.75), 400)

    def answer(secret, metric, value):
        client = deniable.RapporClient(PARAMS, secret, cohort=0)
        return tuple(matrix([client.report(metric, value) for _ in range(400)], 32).mean(axis=0) > 0.5)

    # Other secrets and metrics have other noise: of 32 bits, one in eight is noise that is flipped.
    others = {answer(bytes([i]) * 32, "homepage", "a") for i in range(40)}
    others |= {answer(SECRET, f"metric {i}", "a") for i in range(40)}
    assert len(others) > 40


def test_clients_without_a_secret_have_their_own():
    """Were it one secret, all cohorts would be one: 40 draws of 8 are equal with probability 8^-39."""
    assert len({deniable.RapporClient(PARAMS).cohort for _ in range(40)}) > 1


def test_counts():
    reports = [deniable.RapporClient(PARAMS).report("m", "a") for _ in range(100)]
    counts = deniable.RapporCounts(PARAMS, reports)
    assert counts.reports == 100
    parts = deniable.RapporCounts(PARAMS, reports[:30]) + deniable.RapporCounts(PARAMS, reports[30:])
    assert parts.to_json() == counts.to_json()
    for copy in (pickle.loads(pickle.dumps(counts)), deniable.RapporCounts.from_json(counts.to_json())):
        assert copy.to_json() == counts.to_json()
    assert deniable.RapporCounts(PARAMS, []).reports == 0


def test_planted_shares_are_found():
    """Of 20 000 people half have the first value, a third the second, and the rest a value that is no candidate.

    Seven standard errors: a share is further away with probability 10^-11, by the normal law.
    """
    values = ["tea", "tea", "tea", "coffee", "coffee", "water"]
    people = 20_000
    reports = [
        deniable.RapporClient(PARAMS).report("drink", values[i % 6]) for i in range(people)
    ]
    counts = deniable.RapporCounts(PARAMS, reports)
    candidates = ["tea", "coffee", "wine", "water"]
    found = deniable.rappor_decode(PARAMS, counts, candidates, confidence=1 - 1e-11, target="sample")
    assert found["value"] == candidates and found.reports == people
    for truth, row in zip((1 / 2, 1 / 3, 0, 1 / 6), found):
        assert abs(row["share"] - truth) < 7 * row["standard_error"]
        assert row["low"] <= truth <= row["high"]
        assert row["detected"] or truth == 0
        assert row["standard_error"] < 0.02
    assert found.fit is not None and found.epsilon == PARAMS.epsilon_of_report
    # Without the third value, candidates do not explain all, and the share of what they do not is seen.
    fewer = deniable.rappor_decode(PARAMS, counts, ["tea", "coffee"], confidence=1 - 1e-11)
    assert fewer.fit["p_value"] < 1e-6 and fewer.notes
    # Swapped reports are found: with p and q exchanged, shares are not near the truth.
    swapped = deniable.RapporParams(k=32, h=2, m=8, p=0.75, q=0.25, f=0.25)
    with pytest.raises(ValueError, match="other parameters"):
        deniable.rappor_decode(swapped, counts, candidates)
    counts = deniable.RapporCounts(swapped, reports)
    wrong = deniable.rappor_decode(swapped, counts, candidates, target="sample")
    assert any(
        abs(row["share"] - truth) > 7 * row["standard_error"]
        for truth, row in zip((1 / 2, 1 / 3, 0, 1 / 6), wrong)
    )


@pytest.mark.parametrize(
    "arguments",
    [
        (0, 2, 8, 0.25, 0.75, 0.5),
        (32, 0, 8, 0.25, 0.75, 0.5),
        (32, 2, 0, 0.25, 0.75, 0.5),
        (32, 2, 8, 0.5, 0.5, 0.5),
        (32, 2, 8, -0.1, 0.75, 0.5),
        (32, 2, 8, 0.25, float("nan"), 0.5),
        (32, 2, 8, 0.25, 0.75, 1.5),
    ],
)
def test_parameters_that_are_none(arguments):
    with pytest.raises(ValueError, match="accepted"):
        deniable.RapporParams(*arguments)


def test_wrong_input_is_refused_without_the_data():
    client = deniable.RapporClient(PARAMS)
    refusals = [
        (ValueError, lambda: deniable.RapporClient(PARAMS, b"short")),
        (TypeError, lambda: deniable.RapporClient(PARAMS, CANARY)),
        (ValueError, lambda: deniable.RapporClient(PARAMS, cohort=8)),
        (OverflowError, lambda: deniable.RapporClient(PARAMS, cohort=-1)),
        (TypeError, lambda: client.report("m", CANARY.encode())),
        (TypeError, lambda: client.report("m", None)),
        (ValueError, lambda: PARAMS.bits_of(8, "a")),
        (ValueError, lambda: deniable.RapporCounts(PARAMS, [(8, bytes(4))])),
        (ValueError, lambda: deniable.RapporCounts(PARAMS, [(0, bytes(3))])),
        (ValueError, lambda: deniable.RapporCounts(PARAMS, [(0, bytes(5))])),
        (TypeError, lambda: deniable.RapporCounts(PARAMS, [(0, CANARY)])),
        (ValueError, lambda: deniable.RapporCounts.from_json(CANARY)),
        (ValueError, lambda: deniable.RapporCounts.from_json('{"cohorts": []}')),
    ]
    for kind, refused in refusals:
        with pytest.raises(kind) as refusal:
            refused()
        assert CANARY not in str(refusal.value)
    counts = deniable.RapporCounts(PARAMS, [client.report("m", "a")])
    other = deniable.RapporParams(k=16, h=2, m=8, p=0.25, q=0.75, f=0.25)
    for refused in (
        lambda: counts + deniable.RapporCounts(other, []),
        lambda: deniable.rappor_decode(other, counts, ["a"]),
        lambda: deniable.rappor_decode(PARAMS, counts, ["a", "a"]),
        lambda: deniable.rappor_decode(PARAMS, counts, ["a"], confidence=1.0),
        lambda: deniable.rappor_decode(PARAMS, counts, ["a"], target="everybody"),
        lambda: deniable.rappor_decode(PARAMS, counts, ["a"], alpha=2.0),
    ):
        with pytest.raises(ValueError):
            refused()


def test_a_secret_is_in_no_words():
    client = deniable.RapporClient(PARAMS, SECRET)
    assert SECRET.hex() not in repr(client) and str(SECRET) not in repr(client)
    # It stays where it is: a client is not pickled.
    with pytest.raises(TypeError):
        pickle.dumps(client)
