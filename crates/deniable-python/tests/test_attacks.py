"""What a hostile reader did to this package, and what must not happen again.

Mechanisms with parameters that leave nothing to chance, but for once in 10^15: what goes in must come out.
"""

from decimal import Decimal

import numpy
import pandas
import pyarrow
import pytest

import deniable
from deniable import (
    RapporClient,
    RapporCounts,
    RapporParams,
    Survey,
    make_randomized_response,
    make_randomized_response_bitvec,
    make_randomized_response_bool,
    make_scalar_float_laplace_cks20,
    make_scalar_integer_laplace_cks20,
    make_unary_encoding,
)

CERTAIN = 0.9999999999999999


def bits(length, max_weight=None):
    return make_randomized_response_bitvec(length, max_weight or length, f=1e-300)


def test_the_order_of_memory_is_not_that_of_rows():
    truths = numpy.random.default_rng(3).random((50, 16)) < 0.4
    packed = numpy.packbits(truths, axis=1, bitorder="little")
    for matrix in (truths, packed):
        columns_first = numpy.asfortranarray(matrix)
        assert numpy.array_equal(bits(16).randomize(columns_first), matrix)
        assert bits(16).count(columns_first) == bits(16).count(matrix)
    heavy = numpy.zeros((2, 16), bool)
    heavy[0, 0] = heavy[0, 15] = True
    for matrix in (heavy, numpy.asfortranarray(heavy)):
        with pytest.raises(ValueError):
            bits(16, max_weight=1).randomize(matrix)


def test_a_column_of_records_is_read_alone():
    records = numpy.zeros(6, dtype=[("count", "i8"), ("salary", "i4")])
    records["count"] = [11, 22, 33, 44, 55, 66]
    records["salary"] = range(70_001, 70_007)
    exact = make_scalar_integer_laplace_cks20(scale=0.0)
    assert exact.randomize(records["count"]).tolist() == [11, 22, 33, 44, 55, 66]
    categories = make_randomized_response([11, 22, 33, 44, 55, 66], CERTAIN)
    assert categories.randomize(records["count"]).tolist() == [11, 22, 33, 44, 55, 66]
    assert categories.count(records["count"]).supporting == [1] * 6
    # What Python does not make whole, Rust refuses.
    with pytest.raises(TypeError):
        exact._randomize_numpy(records["count"], None)


def test_reports_of_bits_do_not_tell_what_the_answer_was():
    noise = make_randomized_response_bitvec(length=4, max_weight=4, f=1.0)
    reports = noise.randomize([[True] * 4, None, (False,) * 4], missing=b"\0")
    assert [type(report) for report in reports] == [list] * 3
    assert [len(report) for report in reports] == [4] * 3
    for wrong in ([True] * 3, [True] * 5, b"\xff", b""):
        with pytest.raises(ValueError):
            noise.randomize([wrong, [True] * 4])
        with pytest.raises(ValueError):
            noise.invoke(wrong)
        with pytest.raises(ValueError):
            noise.count([wrong])
    with pytest.raises(ValueError):
        deniable.debias_randomized_response_bitvec([[True, False], [True]], 0.5)


SURVEY = """
version = 1

[[question]]
name = "q"
"""


def certain_survey(rest):
    return Survey.parse(SURVEY + rest + "epsilon = 200\n")


@pytest.mark.parametrize("last", [True, "no", 7, None, 1.5, b"x", ["a"]])
def test_one_answer_does_not_change_how_others_are_read(last):
    choice = certain_survey('kind = "choice"\nchoices = ["true", "false"]\nmechanism = "randomized-response"\n')
    several = Survey.parse(SURVEY + 'kind = "several"\nchoices = ["a", "b", "c"]\nmost = 2\nepsilon = 900\n')
    number = certain_survey('kind = "number"\nlow = 0\nhigh = 100\n')
    frames = [
        (choice, [True, False], lambda frame: list(frame["q"][:2]) == ["true", "false"]),
        (several, [["a"], ["b", "c"]], lambda frame: list(frame["q"][:2]) == [b"\1", b"\6"]),
        (number, [1.0, "2"], lambda frame: abs(frame["q"][0] - 1) < 50 and abs(frame["q"][1] - 2) < 50),
    ]
    for survey, answers, holds in frames:
        assert holds(survey.randomize({"q": [*answers, last]}))
        assert holds(survey.randomize(pandas.DataFrame({"q": pandas.Series([*answers, last], dtype=object)})))


def test_texts_that_are_no_unicode_crash_nothing():
    survey = certain_survey('kind = "choice"\nchoices = ["a", "b"]\nmechanism = "randomized-response"\n')
    bad = pyarrow.array([b"a", b"\xe2", b"\xa0"]).cast(pyarrow.string(), safe=False)
    for column in (bad, bad.dictionary_encode(), bad.cast(pyarrow.large_string(), safe=False)):
        reports = survey.randomize(pyarrow.table({"q": column}))
        assert reports["q"].to_pylist() == ["a", "other", "other"]
    drink = make_randomized_response(["a", "b"], CERTAIN)
    assert drink.randomize(bad)[0].as_py() == "a"
    assert set(survey.randomize({"q": ["a", "\ud800"]})["q"]) <= {"a", "other"}


def test_keys_without_a_value_are_refused_and_not_shown():
    keys = pyarrow.array([0, 1, 77], pyarrow.int8())
    bad = pyarrow.DictionaryArray.from_arrays(keys, pyarrow.array(["a", "b"]), safe=False)
    survey = certain_survey('kind = "choice"\nchoices = ["a", "b"]\nmechanism = "randomized-response"\n')
    for act in (
        lambda: make_randomized_response(["a", "b"], CERTAIN).randomize(bad),
        lambda: make_randomized_response(["a", "b"], CERTAIN).count(bad),
        lambda: survey.randomize(pyarrow.table({"q": bad})),
    ):
        with pytest.raises(ValueError) as caught:
            act()
        assert "77" not in str(caught.value)


def test_a_type_that_cannot_hold_a_report_is_refused_before_it_is_drawn():
    noise = make_scalar_integer_laplace_cks20(scale=60.0, bounds=(0, 127))
    choice = make_randomized_response([1, 1000], 0.75)
    for _ in range(30):
        for mechanism in (noise, choice):
            for dtype in ("Int8", pandas.SparseDtype("int8")):
                with pytest.raises(TypeError):
                    mechanism.randomize(pandas.Series([1], dtype=dtype))
    many = make_randomized_response([f"c{i}" for i in range(300)], 0.5)
    short = pandas.ArrowDtype(pyarrow.dictionary(pyarrow.int8(), pyarrow.string()))
    types = {str(many.randomize(pandas.Series(["c1", "c2"], dtype=short)).dtype) for _ in range(30)}
    assert len(types) == 1


def test_no_secret_in_the_error_of_a_text_that_is_no_unicode():
    params = RapporParams(k=16, h=2, m=4, p=0.25, q=0.75, f=0.5)
    cohort, report = RapporClient(params).report("homepage", "my-secret-page\ud800")
    assert cohort < 4 and len(report) == 2


def test_the_mean_on_a_coarse_grid_has_an_interval_that_holds():
    coarse = make_scalar_float_laplace_cks20(scale=1.0, k=10)
    for truth in (400.0, 600.0):
        found = coarse.estimate(coarse.randomize(numpy.full(1000, truth)))
        assert found["low"][0] < truth < found["high"][0]
        assert found.notes


def test_columns_of_another_width_are_refused_whatever_is_in_them():
    for of in (pyarrow.list_(pyarrow.bool_(), 5), pyarrow.binary(3)):
        with pytest.raises(TypeError):
            bits(10).randomize(pyarrow.nulls(2, of), missing=b"\0\0")
    with pytest.raises(ValueError):
        make_unary_encoding(range(20), epsilon=1.0).count(numpy.ones((2, 17), bool))
    answers = make_unary_encoding([f"{i}" for i in range(10, 18)], epsilon=1.0)
    with pytest.raises(ValueError):
        answers.count(pyarrow.array(["10", "17"]))


def test_what_would_have_to_be_rounded_is_refused():
    with pytest.raises(TypeError):
        make_scalar_float_laplace_cks20(epsilon=1.0, sensitivity=2**53 + 1)
    with pytest.raises(TypeError):
        make_scalar_float_laplace_cks20(epsilon=1.0, sensitivity=Decimal("0.1"))
    noise = make_scalar_float_laplace_cks20(scale=1.0)
    with pytest.raises(TypeError):
        noise.check(1, Decimal("0.99999999999999999999"))
    with pytest.raises(ValueError):
        noise.check(2**53 + 4, 2**53 + 3)
    with pytest.raises(ValueError):
        make_scalar_float_laplace_cks20(scale=1.0, dtype="float32").map(-1e-60)


def test_counts_know_their_parameters():
    params = RapporParams(k=16, h=2, m=4, p=0.25, q=0.75, f=0.5)
    other = RapporParams(k=16, h=3, m=4, p=0.25, q=0.75, f=0.5)
    client = RapporClient(params)
    counts = RapporCounts(params, [client.report("m", "v") for _ in range(5)])
    assert RapporCounts.from_json(counts.to_json()) == counts
    with pytest.raises(ValueError):
        deniable.rappor_decode(other, counts, ["v", "w"])
    with pytest.raises(ValueError):
        counts + RapporCounts(other, [])


def test_constant_time_is_refused():
    smokes = make_randomized_response_bool(0.75, constant_time=True)
    ticks = make_randomized_response_bitvec(8, 8, 0.5, constant_time=True)
    hours = deniable.make_scalar_integer_laplace_cks20(2.0, constant_time=True)
    days = deniable.make_vector_integer_laplace_cks20(2.0, constant_time=True)
    for act in (
        lambda: hours.invoke(1),
        lambda: hours.randomize([1]),
        lambda: hours.randomize(numpy.array([1])),
        lambda: hours.randomize(pyarrow.array([1])),
        lambda: days.invoke([1, 2]),
        lambda: days.randomize(numpy.array([1, 2])),
        lambda: smokes.invoke(True),
        lambda: smokes.randomize([True]),
        lambda: smokes.randomize(numpy.array([True], dtype=object)),
        lambda: smokes.randomize(numpy.array([True, False])),
        lambda: smokes.randomize(pyarrow.array([True, False])),
        lambda: ticks.invoke([True] * 8),
        lambda: ticks.invoke(b"\1"),
        lambda: ticks.randomize([[True] * 8]),
        lambda: ticks.randomize(numpy.array([[1]], dtype=numpy.uint8)),
        lambda: ticks.randomize([b"\1", None], missing=b"\0"),
    ):
        with pytest.raises(ValueError, match="constant_time"):
            act()
    # What devices report is counted.
    assert smokes.count([True, False]).reports == 2
    assert hours.count([1, -1]).reports == 2
