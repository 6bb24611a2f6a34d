"""Nothing is copied on its way in or out: the addresses are the same."""

import deniable
import numpy
import pandas
import polars
import pyarrow
import pytest

from columns import ANSWERS, FLOATS, NUMBERS, PACKED, TRUTH, columns
from conftest import certain


def arrow_addresses(column):
    chunks = column.chunks if isinstance(column, pyarrow.ChunkedArray) else [column]
    return [chunk.buffers()[-1].address for chunk in chunks]


ARROW_TYPES = [
    (pyarrow.bool_(), TRUTH),
    (pyarrow.string(), ANSWERS["texts"]),
    (pyarrow.large_string(), ANSWERS["texts"]),
    (pyarrow.int8(), ANSWERS["integers"]),
    (pyarrow.int64(), NUMBERS),
    (pyarrow.float64(), FLOATS),
    (pyarrow.float32(), FLOATS),
    (pyarrow.binary(2), PACKED),
    (pyarrow.binary(), PACKED),
]


@pytest.mark.parametrize("type, values", ARROW_TYPES)
def test_arrow_columns_are_read_where_they_are(type, values):
    address = deniable.Measurement._address
    array = pyarrow.array(values, type)
    assert address(array) == arrow_addresses(array)
    chunked = pyarrow.chunked_array([array, pyarrow.array(values[:9], type)])
    assert address(chunked) == arrow_addresses(chunked) and len(set(address(chunked))) == 2
    series = pandas.Series(chunked, dtype=pandas.ArrowDtype(type))
    assert address(deniable._columns._arrow_of(series)) == arrow_addresses(chunked)
    # A copy is seen.
    assert address(pyarrow.array(values, type)) != arrow_addresses(array)


@pytest.mark.parametrize("type, values", ARROW_TYPES[-5:-2])
def test_slices_are_read_where_they_are(type, values):
    array = pyarrow.array(values, type)
    width = type.bit_width // 8
    assert deniable.Measurement._address(array[3:]) == [array.buffers()[-1].address + 3 * width]


@pytest.mark.parametrize("dtype, values", [(polars.Int64, NUMBERS), (polars.Float32, FLOATS), (polars.Float64, FLOATS)])
def test_polars_columns_are_read_where_they_are(dtype, values):
    series = polars.Series(values, dtype=dtype)
    view = series.to_numpy(allow_copy=False)
    assert deniable.Measurement._address(series) == [view.ctypes.data]
    assert deniable.Measurement._address(series[3:]) == [view.ctypes.data + 3 * view.itemsize]


def test_polars_truth_values_are_read_where_they_are():
    series = polars.Series(TRUTH)
    assert deniable.Measurement._address(series) == arrow_addresses(series.to_arrow())


class Spy:
    """A mechanism that keeps what Rust gave."""

    def __init__(self, mechanism):
        self._mechanism = mechanism
        self.given = None

    def __getattr__(self, name):
        return getattr(self._mechanism, name)

    def _randomize_arrow(self, column, missing):
        self.given = self._mechanism._randomize_arrow(column, missing)
        return self.given


@pytest.mark.parametrize("answers", ["truth", "texts", "integers", "bits", "float64", "int32", "float64 vector"])
def test_reports_are_handed_over_where_they_are(answers):
    names = [name for name in columns(answers) if name.startswith(("pyarrow", "pandas"))]
    for name in names:
        column = columns(answers)[name]
        spy = Spy(certain()[answers])
        reports = deniable._columns.randomize(spy, column, None)
        if spy.given is None:
            continue
        if isinstance(reports, pandas.Series):
            reports = reports.array.__arrow_array__()
        if isinstance(reports.type, (pyarrow.DictionaryType, pyarrow.BaseExtensionType)):
            continue
        if any(word in str(reports.type) for word in ("list", "view")):
            # What the last buffer is differs between the two libraries.
            continue
        given = deniable.Measurement._address(spy.given)
        chunks = reports.chunks if isinstance(reports, pyarrow.ChunkedArray) else [reports]
        # Where nothing is, nothing has an address.
        there = [len(chunk) > 0 for chunk in chunks]
        found = arrow_addresses(reports)
        assert len(found) == len(given) and any(there), name
        assert all(a == b for a, b, is_there in zip(found, given, there) if is_there), name


@pytest.mark.parametrize("answers", ["truth", "int64", "float32"])
def test_reports_are_handed_to_polars_where_they_are(answers):
    spy = Spy(certain()[answers])
    reports = deniable._columns.randomize(spy, columns(answers)["polars "], None)
    assert arrow_addresses(reports.to_arrow()) == deniable.Measurement._address(spy.given)


def owner(array):
    while isinstance(array, numpy.ndarray):
        array = array.base
    return array


@pytest.mark.parametrize("answers", ["truth", "integers", "float64", "float32 vector", "int64", "int32 vector"])
def test_reports_in_numpy_are_the_memory_of_rust(answers):
    name = "numpy int64 " if answers == "integers" else "numpy "
    array = certain()[answers].randomize(columns(answers)[name])
    assert not array.flags.owndata and type(owner(array)).__name__ == "PySliceContainer"
    name = {"integers": "pandas int64", "truth": "pandas bool"}.get(answers, f"pandas {answers.split()[0]}")
    series = certain()[answers].randomize(columns(answers)[name])
    assert type(owner(series.to_numpy(copy=False))).__name__ == "PySliceContainer"


def test_packed_reports_in_numpy_are_the_memory_of_rust():
    reports = certain()["bits"].randomize(columns("bits")["numpy packed"])
    assert type(owner(reports)).__name__ == "PySliceContainer"


def test_answers_are_not_changed_and_not_shared():
    for answers in certain():
        for name, column in columns(answers).items():
            if name.startswith("numpy") and column.dtype != object:
                reports = certain()[answers].randomize(column)
                assert not numpy.shares_memory(reports, column), name
