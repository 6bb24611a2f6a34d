"""What is missing, or is of another type, or is no member of the domain."""

import deniable
import numpy
import pandas
import polars
import pyarrow
import pytest

from columns import ANSWERS, BITS, FLOATS, NUMBERS, PACKED, ROWS, TRUTH, assert_same_kind, pandas_series
from conftest import TEXTS, certain, plain


def holes(values, place):
    """Something missing at the first, a middle and the last place."""
    return [place if i in (0, 70, ROWS - 1) else value for i, value in enumerate(values)]


def missing_columns():
    """Columns with holes: what answers are, a name, the column."""
    yield "truth", "list", holes(TRUTH, None)
    yield "truth", "list of NA", holes(TRUTH, pandas.NA)
    yield "truth", "numpy object", numpy.array(holes(TRUTH, None), object)
    yield "truth", "pyarrow", pyarrow.array(holes(TRUTH, None))
    yield "truth", "pyarrow sliced", pyarrow.array([None] + holes(TRUTH, None) + [True])[1:-1]
    yield "truth", "pyarrow chunked", pyarrow.chunked_array([holes(TRUTH, None)[:70], holes(TRUTH, None)[70:]])
    yield "truth", "polars", polars.Series("the name", holes(TRUTH, None))
    for dtype in ("boolean", "bool[pyarrow]", object, "category"):
        yield "truth", f"pandas {dtype}", pandas_series(holes(TRUTH, None), dtype)
    texts = holes(ANSWERS["texts"], None)
    for nothing in (None, float("nan"), pandas.NA, pandas.NaT, numpy.nan):
        yield "texts", f"list of {nothing}", holes(ANSWERS["texts"], nothing)
    yield "texts", "numpy object", numpy.array(texts, object)
    yield "texts", "numpy StringDType None", numpy.array(texts, numpy.dtypes.StringDType(na_object=None))
    nan = numpy.nan
    yield "texts", "numpy StringDType NaN", numpy.array(holes(texts, nan), numpy.dtypes.StringDType(na_object=nan))
    for type in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        yield "texts", f"pyarrow {type}", pyarrow.array(texts, type)
    yield "texts", "pyarrow dictionary", pyarrow.array(texts).dictionary_encode()
    yield "texts", "pyarrow dictionary of null", pyarrow.array(texts).dictionary_encode("encode")
    for dtype in (polars.String, polars.Categorical, polars.Enum(TEXTS)):
        yield "texts", f"polars {dtype}", polars.Series("the name", texts, dtype)
    dictionary = pandas.ArrowDtype(pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))
    for dtype in ("str", "string[python]", "string[pyarrow]", dictionary, object, "category"):
        yield "texts", f"pandas {dtype!r}", pandas_series(texts, dtype)
    integers = holes(ANSWERS["integers"], None)
    yield "integers", "list", integers
    yield "integers", "pyarrow", pyarrow.array(integers, pyarrow.int8())
    yield "integers", "polars", polars.Series("the name", integers, polars.UInt16)
    for dtype in ("Int8", "UInt64", "int32[pyarrow]", object, "category"):
        yield "integers", f"pandas {dtype}", pandas_series(integers, dtype)
    yield "bits", "list of bytes", holes(PACKED, None)
    yield "bits", "list of lists", holes(BITS, None)
    yield "bits", "numpy object", numpy.array(holes(PACKED, None), object)
    yield "bits", "pandas object", pandas_series(holes(BITS, None), object)
    for type in (pyarrow.binary(), pyarrow.binary(2), pyarrow.binary_view()):
        yield "bits", f"pyarrow {type}", pyarrow.array(holes(PACKED, None), type)
    for type in (pyarrow.list_(pyarrow.bool_()), pyarrow.list_(pyarrow.bool_(), 11)):
        yield "bits", f"pyarrow {type}", pyarrow.array(holes(BITS, None), type)
    yield "bits", "polars list", polars.Series("the name", holes(BITS, None), polars.List(polars.Boolean))
    yield "bits", "polars array", polars.Series("the name", holes(BITS, None), polars.Array(polars.Boolean, 11))
    for name in ("float64", "float32", "float64 vector"):
        dtype = name.split()[0]
        floats = holes(FLOATS, None)
        yield name, "list", floats
        yield name, "list of NaN", holes(FLOATS, numpy.float32("nan"))
        yield name, "numpy", numpy.array(holes(FLOATS, nan), dtype)
        yield name, "numpy other endian", numpy.array(holes(FLOATS, nan), numpy.dtype(dtype).newbyteorder("S"))
        type = getattr(pyarrow, dtype)()
        yield name, "pyarrow", pyarrow.array(floats, type)
        yield name, "pyarrow NaN", pyarrow.array(holes(FLOATS, nan), type, from_pandas=False)
        yield name, "polars", polars.Series("the name", floats, getattr(polars, dtype.capitalize()))
        for of_pandas in (dtype, dtype.capitalize(), pandas.ArrowDtype(type), object):
            yield name, f"pandas {of_pandas}", pandas_series(floats, of_pandas)
    for name in ("int64", "int32", "int64 vector"):
        dtype = name.split()[0]
        numbers = holes(NUMBERS, None)
        yield name, "list", numbers
        yield name, "pyarrow", pyarrow.array(numbers, getattr(pyarrow, dtype)())
        yield name, "polars", polars.Series("the name", numbers, getattr(polars, dtype.capitalize()))
        for of_pandas in (dtype.capitalize(), f"{dtype}[pyarrow]", object):
            yield name, f"pandas {of_pandas}", pandas_series(numbers, of_pandas)


STANDS_IN = {"truth": True, "texts": "ü", "integers": 100, "bits": b"\x05\x04", "float": 0.5, "int": -2}
MISSING = [pytest.param(answers, column, id=f"{answers}-{name}") for answers, name, column in missing_columns()]


@pytest.mark.parametrize("answers, column", MISSING)
def test_what_is_missing_is_refused_or_stood_in_for(answers, column):
    mechanism = certain()[answers]
    with pytest.raises(ValueError, match="nothing is missing, or any with `missing`|a number that is finite"):
        mechanism.randomize(column)
    stands_in = next(value for start, value in STANDS_IN.items() if answers.startswith(start))
    reports = mechanism.randomize(column, missing=stands_in)
    expected = ANSWERS[answers]
    found = plain(reports)
    if answers == "bits" and isinstance(found[1], bytes):
        expected = PACKED
    elif answers == "bits":
        stands_in = [True, False, True] + [False] * 7 + [True]
    assert found == holes(expected, stands_in)
    assert_same_kind(reports, column)


@pytest.mark.parametrize("answers, column", MISSING)
def test_reports_are_not_missing(answers, column):
    with pytest.raises(ValueError, match="accepted (are|is)"):
        certain()[answers].count(column)


@pytest.mark.parametrize("answers, column", MISSING)
def test_what_stands_for_a_missing_answer_is_an_answer(answers, column):
    bad = {"truth": [1, "True", 0.5], "texts": ["wine", True, 1], "integers": [8, "7", True], "bits": [b"\x01", 5, True]}
    numbers = ["1", True, b"1", object()]
    for missing in bad.get(answers, numbers):
        with pytest.raises((ValueError, TypeError), match="missing: .*accepted is"):
            certain()[answers].randomize(column, missing=missing)


OTHER_COLUMNS = {
    "truth": numpy.array([True]),
    "texts": pyarrow.array(["tea"]),
    "integers": polars.Series([7], dtype=polars.UInt16),
    "bits": pyarrow.array([b"\x01\x01"]),
    "float64": numpy.array([1.0]),
    "float32": polars.Series([1.0], dtype=polars.Float32),
    "bytes of NumPy": numpy.array([b"tea"]),
    "complex": numpy.array([1j]),
    "half floats": numpy.array([1.0], "f2"),
    "long floats": numpy.array([1.0], "g"),
    "dates": numpy.array(["2026-01-01"], "M8[D]"),
    "records": numpy.array([(1, 2.0)], [("a", "i8"), ("b", "f8")]),
    "void": numpy.zeros(3, "V0"),
    "no dimension": numpy.array(1.0),
    "two dimensions": numpy.array([[1.0]]),
    "three dimensions": numpy.zeros((1, 1, 1), bool),
    "masked": numpy.ma.array([1.0, 2.0], mask=[False, True]),
    "masked truth": numpy.ma.array([True, True], mask=[False, True]),
    "record array": numpy.rec.array([(1.0,)], dtype=[("a", "f8")]),
    "scalar of NumPy": numpy.float64(1.0),
    "objects of Polars": polars.Series([object()]),
    "structs": polars.Series([{"a": 1}]),
    "table": pyarrow.table({"a": [1.0]}),
    "frame of pandas": pandas.DataFrame({"a": [1.0]}),
    "frame of Polars": polars.DataFrame({"a": [1.0]}),
    "index": pandas.Index([1.0]),
    "expression": polars.col("a"),
    "scalar": pyarrow.scalar(1.0),
    "intervals": pyarrow.array([], pyarrow.month_day_nano_interval()),
    "run ends": pyarrow.RunEndEncodedArray.from_arrays([1], ["tea"]),
    "period": pandas.Series(pandas.period_range("2026", periods=1)),
    "sparse": pandas.Series(pandas.arrays.SparseArray([1.0])),
}


@pytest.mark.parametrize("other", OTHER_COLUMNS)
@pytest.mark.parametrize("answers", certain())
def test_another_type_is_refused(answers, other):
    own = {"truth": ["truth"], "texts": ["texts"], "integers": ["integers"], "bits": ["bits"]}
    number = answers.removesuffix(" vector")
    if other in own.get(number, [number]) or ("float" in number and other == "sparse"):
        return
    mechanism, column = certain()[answers], OTHER_COLUMNS[other]
    with pytest.raises(TypeError, match="accepted (are|is)"):
        mechanism.randomize(column)
    with pytest.raises((TypeError, ValueError), match="accepted (are|is)"):
        mechanism.count(column)


def test_bits_that_are_no_members_are_refused():
    mechanism = deniable.make_randomized_response_bitvec(length=11, max_weight=3, f=0.5)
    heavy, stray = [True] * 11, b"\x00\x08"
    for column in (
        [heavy],
        [stray],
        [[False] * 10],
        [[False] * 12],
        [[False] * 16],
        [b"\x01"],
        numpy.array([heavy]),
        numpy.zeros((2, 10), bool),
        numpy.zeros((2, 3), "u1"),
        numpy.zeros((2, 0), "u1"),
        numpy.zeros((0, 3), "u1"),
        numpy.frombuffer(stray, "u1").reshape(1, 2),
        pyarrow.array([heavy]),
        pyarrow.array([stray]),
        pyarrow.array([b"\x01"]),
        polars.Series([heavy], dtype=polars.Array(polars.Boolean, 11)),
    ):
        with pytest.raises(ValueError, match="accepted is (a vector|rows) of 11"):
            mechanism.randomize(column)
    for bits in (heavy, stray, [False] * 10, [False] * 12, b"\x01", numpy.array(heavy), numpy.zeros(12, bool)):
        with pytest.raises(ValueError, match="accepted is (a vector|rows) of 11"):
            mechanism.invoke(bits)
