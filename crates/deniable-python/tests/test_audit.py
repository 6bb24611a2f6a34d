"""Every mechanism as a black box, through Python: one answer at a time, and as columns.

For each mechanism, two inputs that lose the most, what is seen of a report, and the probabilities of that by the
mechanism's definition. `check_law` compares counts with them; `check_claim` has the command `deniable audit` judge
files of outcomes. Both are run on the mechanisms and on planted errors, and must tell them apart.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Callable

import command
import deniable
import laws
import numpy as np
import pyarrow as pa
import pytest


@dataclass
class Subject:
    """A mechanism on two inputs."""

    name: str
    mechanism: Any
    # What it says that the two lose.
    claimed: float
    left: Any
    right: Any
    # What is seen of each of many reports, from 0.
    seen: Callable
    # The probabilities of what is seen, for both inputs.
    laws: tuple
    # Ways to reports: functions of the mechanism, an input and a number, to a list or a column of reports.
    ways: dict

    def trials(self):
        """So many that a claim that is a twentieth too low is found, but once in 10^9 times."""
        pairs = [pair for pair in zip(*self.laws)] + [pair for pair in zip(*self.laws[::-1])]
        likely, unlikely = max(pairs, key=lambda pair: pair[0] / pair[1])
        buckets = len(self.laws[0])
        return laws.trials_to_find(likely, unlikely, self.claimed / 1.05, buckets)

    def outcomes(self, way, answer, trials):
        """What is seen of so many reports on one answer."""
        seen = np.asarray(self.seen(self.ways[way](self.mechanism, answer, trials)))
        assert len(seen) == trials, "a report for every answer"
        return seen


def invoked(mechanism, answer, trials):
    return [mechanism.invoke(answer) for _ in range(trials)]


def listed(mechanism, answer, trials):
    return mechanism.randomize([answer] * trials)


def in_numpy(dtype):
    return lambda mechanism, answer, trials: mechanism.randomize(np.full(trials, answer, dtype))


def in_arrow(kind):
    def way(mechanism, answer, trials):
        column = pa.repeat(pa.scalar(answer, kind), trials)
        # In chunks, one of which ends within a byte.
        return mechanism.randomize(pa.chunked_array([column[:1001], column[1001:]]))

    return way


def packed_rows(reports):
    """Reports of packed bytes as a matrix."""
    if isinstance(reports, np.ndarray):
        return reports
    if isinstance(reports, pa.ChunkedArray):
        reports = reports.combine_chunks()
        return np.frombuffer(reports.buffers()[1], "u1").reshape(len(reports), -1)
    return np.frombuffer(b"".join(reports), "u1").reshape(len(reports), -1)


def numbers(reports):
    return np.asarray(reports)


def bit(rows, place):
    return (rows[:, place // 8] >> (place % 8)) & 1


def first_two(reports):
    """1 if the report supports the first category, 2 if the second, 3 if both."""
    rows = packed_rows(reports)
    return bit(rows, 0) + 2 * bit(rows, 1)


def first_two_hashed(buckets):
    def seen(reports):
        rows = packed_rows(reports).copy().view("<u2").astype(int)
        shift, step, bucket = rows[:, 0], rows[:, 1], rows[:, -1]
        return (bucket == shift) + 2 * (bucket == (shift + step) % buckets)

    return seen


def side(distance):
    """0 below both inputs or at 0, 1 between them, 2 above both or at the distance."""
    return lambda reports: (numbers(reports) > 0) + 1 * (numbers(reports) >= distance)


def product(law):
    return tuple(p * q for p in law for q in law)


def yes_no():
    mechanism = deniable.make_randomized_response_bool(0.75)
    ways = {
        "invoke": invoked,
        "list": listed,
        "numpy": in_numpy(bool),
        "arrow": in_arrow(pa.bool_()),
    }
    return Subject(
        "yes or no", mechanism, mechanism.map(1), True, False,
        lambda reports: 1 * numbers(reports), ((0.25, 0.75), (0.75, 0.25)), ways,
    )  # fmt: skip


def choice():
    mechanism = deniable.make_randomized_response([0, 1, 2], 0.8)
    ways = {"invoke": invoked, "numpy": in_numpy("u1"), "arrow": in_arrow(pa.int16())}
    return Subject(
        "choice", mechanism, mechanism.map(1), 0, 1,
        numbers, ((0.8, 0.1, 0.1), (0.1, 0.8, 0.1)), ways,
    )  # fmt: skip


def choice_of_texts():
    texts = ["tea", "coffee", "water"]
    mechanism = deniable.make_randomized_response(texts, 0.8)
    ways = {
        "invoke": invoked,
        "list": listed,
        "numpy": in_numpy("U6"),
        "arrow": in_arrow(pa.large_string()),
    }
    place = {text: i for i, text in enumerate(texts)}
    return Subject(
        "choice of texts", mechanism, mechanism.map(1), "tea", "coffee",
        lambda reports: [place[text] for text in numbers(reports).tolist()],
        ((0.8, 0.1, 0.1), (0.1, 0.8, 0.1)), ways,
    )  # fmt: skip


PACKED = {"invoke": invoked, "numpy": in_numpy("i8"), "arrow": in_arrow(pa.int8())}


def unary_law(one, zero):
    """The first bit is the truth's."""
    return ((1 - one) * (1 - zero), one * (1 - zero), (1 - one) * zero, one * zero)


def mirrored(law):
    """With the first two categories exchanged."""
    return (law[0], law[2], law[1], law[3])


def unary():
    mechanism = deniable.make_unary_encoding([0, 1, 2], one=0.75, zero=0.2)
    law = unary_law(0.75, 0.2)
    return Subject(
        "unary encoding", mechanism, mechanism.map(1), 0, 1,
        first_two, (law, mirrored(law)), PACKED,
    )  # fmt: skip


def subset():
    # Two of five: the truth with probability 3/4, and then one of the four others; else two of them.
    mechanism = deniable.make_subset_selection([0, 1, 2, 3, 4], 2, 0.75)
    law = (0.25 / 2, 0.75 * 3 / 4, 0.25 / 2, 0.75 / 4)
    return Subject(
        "subset selection", mechanism, mechanism.map(1), 0, 1,
        first_two, (law, mirrored(law)), PACKED,
    )  # fmt: skip


def hashed():
    # Two categories have one bucket in a quarter of all cases.
    mechanism = deniable.make_local_hashing(range(9), 4, 0.7)
    law = (0.3 / 4 + 0.2 * 3 / 4, 0.7 * 3 / 4, 0.1 * 3 / 4, 0.7 / 4)
    return Subject(
        "local hashing", mechanism, mechanism.map(1), 0, 1,
        first_two_hashed(4), (law, mirrored(law)), PACKED,
    )  # fmt: skip


def bits():
    """Bits in the first and in the last byte, of which the last is not full."""
    mechanism = deniable.make_randomized_response_bitvec(17, 1, 0.5)
    left, right = (sum(1 << i for i in places).to_bytes(3, "little") for places in ([16], [0]))

    def seen(reports):
        rows = packed_rows(reports)
        return bit(rows, 16) + (1 - bit(rows, 0))

    def matrix(mechanism, answer, trials):
        rows = np.unpackbits(np.frombuffer(answer * trials, "u1").reshape(trials, 3), axis=1,
                             count=17, bitorder="little").view(bool)  # fmt: skip
        return np.packbits(mechanism.randomize(rows), axis=1, bitorder="little")

    ways = {
        "invoke": invoked,
        "list": listed,
        "numpy": lambda mechanism, answer, trials: mechanism.randomize(
            np.frombuffer(answer * trials, "u1").reshape(trials, 3)
        ),
        "matrix": matrix,
        "arrow": in_arrow(pa.binary(3)),
    }
    law = (1 / 16, 6 / 16, 9 / 16)
    return Subject("bits", mechanism, mechanism.map(1), left, right, seen, (law, law[::-1]), ways)


def float_law(distance):
    """Of noise with scale 1, on 0."""
    return (1 / 2, 1 / 2 - math.exp(-distance) / 2, math.exp(-distance) / 2)


def integer_law(distance):
    r = math.exp(-1)
    above = r**distance / (1 + r)
    return (1 / (1 + r), r / (1 + r) - above, above)


def of_numbers(name, make, kinds, law, answers):
    """Noise on one number: 0 and another that is 2 away."""

    def subject(dtype):
        mechanism = make(1.0, dtype=dtype)
        kind = pa.from_numpy_dtype(np.dtype(dtype))
        ways = {"invoke": invoked, "numpy": in_numpy(dtype), "arrow": in_arrow(kind)}
        left, right = answers
        both = (law, law[::-1])
        return Subject(
            f"{name}, {dtype}", mechanism, mechanism.map(right), left, right,
            side(right), both, ways,
        )  # fmt: skip

    return [subject(kind) for kind in kinds]


def vectors(name, make, kinds, law, answers):
    """Noise on many numbers: each of them is one outcome."""

    def whole(mechanism, answer, trials):
        parts = [mechanism.invoke([answer] * 100) for _ in range(-(-trials // 100))]
        return [number for part in parts for number in part][:trials]

    found = of_numbers(name, make, kinds, law, answers)
    for subject in found:
        subject.ways["invoke"] = whole
    return found


class RapporAsMechanism:
    """One report of each of many clients."""

    def __init__(self, params):
        self.params = params

    def invoke(self, value):
        return deniable.RapporClient(self.params, cohort=0).report("metric", value)[1]


def rappor():
    p, q, f = 0.2, 0.8, 0.25
    params = deniable.RapporParams(k=8, h=1, m=1, p=p, q=q, f=f)
    values = [chr(ord("a") + i) for i in range(26)]
    left = values[0]
    right = next(v for v in values if params.bits_of(0, v) != params.bits_of(0, left))
    (own,), (other,) = params.bits_of(0, left), params.bits_of(0, right)

    def seen(reports):
        rows = packed_rows(reports)
        return bit(rows, own) + 2 * bit(rows, other)

    one, zero = (f * (p + q) / 2 + (1 - f) * x for x in (q, p))
    law = unary_law(one, zero)
    return Subject(
        "RAPPOR", RapporAsMechanism(params), params.epsilon_of_report, left, right,
        seen, (law, mirrored(law)), {"invoke": invoked},
    )  # fmt: skip


FLOATS = of_numbers(
    "float", deniable.make_scalar_float_laplace_cks20, ["float64", "float32"], float_law(2), (0.0, 2.0)
)  # fmt: skip
INTEGERS = of_numbers(
    "integer", deniable.make_scalar_integer_laplace_cks20, ["int64", "int32"], integer_law(2), (0, 2)
)  # fmt: skip
SUBJECTS = [
    yes_no(),
    choice(),
    choice_of_texts(),
    unary(),
    subset(),
    hashed(),
    bits(),
    *FLOATS,
    *INTEGERS,
    *vectors(
        "floats", deniable.make_vector_float_laplace_cks20, ["float64", "float32"], float_law(2), (0.0, 2.0)
    ),
    *vectors(
        "integers", deniable.make_vector_integer_laplace_cks20, ["int64", "int32"], integer_law(2), (0, 2)
    ),
    rappor(),
]  # fmt: skip


def named(ways):
    return {"argvalues": ways, "ids": [f"{subject.name} by {way}" for subject, way in ways]}


WAYS = [(subject, way) for subject in SUBJECTS for way in subject.ways]
# Lists and matrices become columns of Arrow's and packed bytes, whose claims are judged.
JUDGED = [(subject, way) for subject, way in WAYS if way in ("invoke", "numpy", "arrow")]


def check_law(subject, way):
    """That reports have the stated law: each, two in a row, two that are half a column apart, and the last of short columns."""
    trials = 100_000
    for answer, law in zip((subject.left, subject.right), subject.laws):
        seen = subject.outcomes(way, answer, trials)
        laws.check(np.bincount(seen, minlength=len(law)), law, trials)
        for one, other in ((seen[::2], seen[1::2]), (seen[: trials // 2], seen[trials // 2 :])):
            pairs = np.bincount(one * len(law) + other, minlength=len(law) ** 2)
            laws.check(pairs, product(law), trials // 2)
        last = [subject.outcomes(way, answer, 1 + i % 17)[-1] for i in range(400)]
        laws.check(np.bincount(last, minlength=len(law)), law, 400)


def check_claim(subject, way, folder, share=1.0, code=0):
    """That the command finds nothing against the claim; or against a share of it, that it finds something."""
    trials = subject.trials()
    for name, answer in (("left", subject.left), ("right", subject.right)):
        path = folder / name
        if not path.exists():
            seen = subject.outcomes(way, answer, trials)
            lines = np.stack([seen + ord("0"), np.full(trials, ord("\n"))], axis=1)
            path.write_bytes(lines.astype("u1").tobytes())
    buckets = ",".join(map(str, range(len(subject.laws[0]))))
    words = ("audit", "files", share * subject.claimed, folder / "left", folder / "right")
    return command.run(*words, "--buckets", buckets, code=code)


@pytest.mark.parametrize("subject, way", **named(WAYS))
def test_reports_have_the_stated_law(subject, way):
    check_law(subject, way)


@command.needed
@pytest.mark.parametrize("subject, way", **named(JUDGED))
def test_claims_hold_and_smaller_ones_do_not(subject, way, tmp_path):
    assert "no violation found" in check_claim(subject, way, tmp_path)
    # By the number of trials this is found but once in 10^9 times.
    assert "VIOLATION" in check_claim(subject, way, tmp_path, share=1 / 1.05, code=5)


@pytest.mark.parametrize("subject", [unary(), subset(), hashed()], ids=lambda subject: subject.name)
def test_an_answer_that_is_no_category_is_any_of_them(subject):
    """What is seen of the first two categories is the same for both, and for the answers around it."""
    trials = 100_000
    for way in subject.ways:
        seen = subject.outcomes(way, 100, trials)
        first, second = np.bincount(seen, minlength=4)[1:3]
        laws.check([first, second], (0.5, 0.5), first + second)


class Planted:
    """A mechanism, with what a mistake in between would make of it."""

    def __init__(self, mechanism):
        self.mechanism = mechanism

    def invoke(self, answer):
        return self.mechanism.invoke(answer)

    def randomize(self, column):
        return self.mechanism.randomize(column)


class Inverted(Planted):
    """Unary encoding whose `one` and `zero` are exchanged: 0.2 for the truth, and 0.75 for others."""

    def __init__(self, _):
        super().__init__(deniable.make_unary_encoding([0, 1, 2], one=1 - 0.2, zero=1 - 0.75))

    def randomize(self, column):
        return ~self.mechanism.randomize(column) & 0b111


class LastByteLost(Planted):
    def randomize(self, column):
        reports = self.mechanism.randomize(column)
        reports[:, -1] = column[:, -1]
        return reports


class LastRowLost(Planted):
    def randomize(self, column):
        return self.mechanism.randomize(column[:-1])


class LastRowPassed(Planted):
    def randomize(self, column):
        reports = self.mechanism.randomize(column)
        reports[-1] = column[-1]
        return reports


class OneDrawForTwoRows(Planted):
    def randomize(self, column):
        half = -(-len(column) // 2)
        return np.concatenate([self.mechanism.randomize(column[:half])] * 2)[: len(column)]


class OneDrawForNeighbours(Planted):
    def randomize(self, column):
        return np.repeat(self.mechanism.randomize(column[::2]), 2, axis=0)[: len(column)]


class NoiseTwice(Planted):
    """The noise of one draw is added again."""

    def randomize(self, column):
        return 2 * self.mechanism.randomize(column) - column


class PAndQSwapped(Planted):
    def __init__(self, mechanism):
        known = mechanism.params
        swapped = deniable.RapporParams(known.k, known.h, known.m, known.q, known.p, known.f)
        super().__init__(RapporAsMechanism(swapped))


class LessNoise(Planted):
    """Two twentieths more ε than is claimed."""

    def __init__(self, mechanism):
        super().__init__(deniable.make_randomized_response_bool(epsilon=1.1 * mechanism.map(1)))


LAW_ERRORS = [
    (unary(), "numpy", Inverted),
    (rappor(), "invoke", PAndQSwapped),
    (bits(), "numpy", LastByteLost),
    (yes_no(), "numpy", LastRowLost),
    (yes_no(), "numpy", LastRowPassed),
    (FLOATS[0], "numpy", LastRowPassed),
    (yes_no(), "numpy", OneDrawForTwoRows),
    (INTEGERS[0], "numpy", OneDrawForTwoRows),
    (bits(), "numpy", OneDrawForNeighbours),
    (FLOATS[0], "numpy", NoiseTwice),
    (yes_no(), "numpy", LessNoise),
]


@pytest.mark.parametrize(
    "subject, way, planted",
    LAW_ERRORS,
    ids=[f"{planted.__name__}, {subject.name}" for subject, _, planted in LAW_ERRORS],
)
def test_the_check_of_laws_finds_planted_errors(subject, way, planted):
    check_law(subject, way)
    subject = replace(subject, mechanism=planted(subject.mechanism))
    with pytest.raises(AssertionError):
        check_law(subject, way)


@command.needed
@pytest.mark.parametrize(
    "subject, way, planted",
    [(bits(), "numpy", LastByteLost), (yes_no(), "numpy", LessNoise)],
    ids=["LastByteLost", "LessNoise"],
)
def test_the_auditor_finds_planted_errors(subject, way, planted, tmp_path):
    subject = replace(subject, mechanism=planted(subject.mechanism))
    assert "VIOLATION" in check_claim(subject, way, tmp_path, code=5)
