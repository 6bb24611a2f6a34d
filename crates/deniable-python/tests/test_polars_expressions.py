"""Mechanisms in Polars' expressions, by `map_batches`: each row is drawn once, in eager and in lazy frames."""

import deniable
import numpy as np
import polars as pl
import pytest

ROWS = 10_000


class Counted:
    """A mechanism that says how many rows it was given."""

    def __init__(self, mechanism):
        self.mechanism = mechanism
        self.rows = 0

    def randomize(self, column):
        # Polars may ask what comes out, with a column of no rows.
        self.rows += len(column)
        return self.mechanism.randomize(column)


CASES = {
    "truth values": (deniable.make_randomized_response_bool(0.75), pl.Boolean, [True, False]),
    "texts": (deniable.make_randomized_response(["tea", "coffee"], 0.75), pl.String, ["tea", "coffee"]),
    "integers": (deniable.make_randomized_response([1, 2], 0.75), pl.Int32, [1, 2]),
    "categories": (
        deniable.make_randomized_response(["tea", "coffee"], 0.75),
        pl.Enum(["tea", "coffee"]),
        ["tea", "coffee"],
    ),
    "packed": (deniable.make_unary_encoding([1, 2], 0.5, 0.25), pl.Binary, [1, 2]),
    "floats": (deniable.make_scalar_float_laplace_cks20(1.0), pl.Float64, [0.0, 1.0]),
    "whole numbers": (deniable.make_scalar_integer_laplace_cks20(1.0), pl.Int64, [0, 1]),
}  # fmt: skip


def frame(name):
    _, dtype, values = CASES[name]
    dtype = pl.Int64 if name == "packed" else dtype
    return pl.DataFrame({"x": pl.Series(values * (ROWS // 2), dtype=dtype), "row": range(ROWS)})


def expression(mechanism, dtype):
    return pl.col("x").map_batches(mechanism.randomize, return_dtype=dtype)


@pytest.mark.parametrize("name", CASES)
def test_each_row_is_drawn_once(name):
    mechanism, dtype, _ = CASES[name]
    ways = {
        "eager": lambda frame, noisy: frame.with_columns(noisy),
        "select": lambda frame, noisy: frame.select(noisy, "row"),
        "lazy": lambda frame, noisy: frame.lazy().with_columns(noisy).collect(),
        "filtered": lambda frame, noisy: frame.lazy().with_columns(noisy).filter(pl.col("row") >= 0).collect(),
        "twice used": lambda frame, noisy: frame.lazy().with_columns(noisy).with_columns(y=pl.col("x")).collect(),
    }  # fmt: skip
    for way, run in ways.items():
        counted = Counted(mechanism)
        answers = frame(name)
        reports = run(answers, expression(counted, dtype))
        assert counted.rows == ROWS, way
        assert reports.height == ROWS and reports.schema["x"] == dtype, way
        assert reports["x"].null_count() == 0
        if "y" in reports.columns:
            assert (reports["x"] == reports["y"]).all()
        # The answers are as they were, and the reports are not the answers: that has a probability of 0.75^10000.
        assert answers.equals(frame(name))
        assert name == "packed" or not reports["x"].equals(answers["x"])


def test_streaming_draws_each_row_once():
    """Parts of a frame come one after the other."""
    counted = Counted(CASES["truth values"][0])
    lazy = frame("truth values").lazy().with_columns(expression(counted, pl.Boolean))
    try:
        reports = lazy.collect(engine="streaming")
    except TypeError:
        pytest.skip("this Polars has no streaming engine")
    assert counted.rows == ROWS and reports.height == ROWS


def test_two_expressions_draw_apart():
    """One expression written twice is one to Polars, and two that are made apart are two: 10^4 equal reports have a probability of 0.625^10000."""
    coin = CASES["truth values"][0]
    one, other = (expression(coin, pl.Boolean).alias(name) for name in ("one", "other"))
    reports = frame("truth values").select(one, other)
    assert (reports["one"] != reports["other"]).any()


def test_groups():
    """Within groups: all rows of each at once."""
    counted = Counted(CASES["integers"][0])
    answers = frame("integers").with_columns(group=pl.col("row") % 3)
    reports = answers.with_columns(
        pl.col("x").map_batches(counted.randomize, return_dtype=pl.Int32).over("group")
    )
    assert counted.rows == ROWS and reports.height == ROWS and reports["x"].is_in([1, 2]).all()


def test_missing_answers():
    coin = CASES["truth values"][0]
    answers = pl.DataFrame({"x": [True, None, False]})
    with pytest.raises(Exception, match="missing"):
        answers.select(expression(coin, pl.Boolean))
    filled = pl.col("x").map_batches(
        lambda column: coin.randomize(column, missing=False), return_dtype=pl.Boolean
    )
    assert answers.select(filled)["x"].null_count() == 0


def test_estimates_of_a_frame():
    """From a lazy frame to an estimate; seven standard errors."""
    mechanism = deniable.make_randomized_response_bool(epsilon=1.0)
    truth = np.arange(ROWS) % 4 == 0
    reports = pl.LazyFrame({"x": truth}).select(expression(mechanism, pl.Boolean)).collect()
    found = mechanism.estimate(reports["x"], target="sample")
    assert abs(found["share"][0] - 0.25) < 7 * found["standard_error"][0]
