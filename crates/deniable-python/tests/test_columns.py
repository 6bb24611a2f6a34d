"""Columns of every kind go in whole and come out as what they were.

The mechanisms here leave nothing to chance, so that reports are the answers: any row, bit or byte that is lost, moved or
cut off on the way is seen.
"""

import deniable
import numpy
import pandas
import polars
import pyarrow
import pytest

from columns import ANSWERS, BITS, ROWS, assert_same_kind, cases, columns, pandas_series
from conftest import ALMOST_ONE, INTEGERS, TEXTS, certain, plain


@pytest.mark.parametrize("answers, name", cases())
def test_a_column_comes_back_as_it_was(answers, name):
    column = columns(answers)[name]
    before = plain(column)
    reports = certain()[answers].randomize(column)
    assert plain(reports) == before == plain(column)
    assert_same_kind(reports, column)


@pytest.mark.parametrize("answers, name", cases())
def test_a_column_is_counted_to_the_last_row(answers, name):
    column, mechanism = columns(answers)[name], certain()[answers]
    counts = mechanism.count(column)
    assert counts.reports == ROWS
    values = ANSWERS[answers]
    if mechanism.categories is not None:
        assert counts.supporting == [values.count(category) for category in mechanism.categories]
    elif answers == "truth":
        assert counts.supporting == [sum(values)]
    elif answers == "bits":
        assert counts.supporting == [sum(row[j] for row in values) for j in range(11)]
    else:
        assert counts.supporting is None
        mean = mechanism.estimate(column)["mean"][0]
        assert mean == pytest.approx(sum(values) / ROWS, rel=1e-12)
        return
    found = mechanism.estimate(column)
    assert found.reports == ROWS and len(found) == len(counts.supporting)
    assert found["share"] == pytest.approx([count / ROWS for count in counts.supporting], abs=1e-12)
    assert mechanism.debias(column) == found["count"]
    assert mechanism.debias(counts) == pytest.approx(counts.supporting, abs=1e-9)
    assert mechanism.estimate(counts).to_dict() == found.to_dict()


# Reports that are no answers: packed bytes, a row each.
PACKING = [
    ("unary", deniable.make_unary_encoding, (ALMOST_ONE, 1e-300)),
    ("subset", deniable.make_subset_selection, (1, ALMOST_ONE)),
    ("hashing", deniable.make_local_hashing, (65536, ALMOST_ONE)),
]


def rows_of(reports):
    """Packed reports of any kind as bytes."""
    if isinstance(reports, numpy.ndarray):
        assert reports.dtype == numpy.uint8 and reports.ndim == 2
        return [row.tobytes() for row in reports]
    rows = plain(reports)
    assert all(type(row) is bytes for row in rows)
    return rows


@pytest.mark.parametrize("packing, make, parameters", PACKING, ids=[name for name, *_ in PACKING])
@pytest.mark.parametrize("answers, name", cases({"texts", "integers"}))
def test_packed_reports(answers, name, packing, make, parameters):
    categories = TEXTS if answers == "texts" else INTEGERS
    mechanism, column = make(categories, *parameters), columns(answers)[name]
    reports = mechanism.randomize(column)
    package = type(column).__module__.partition(".")[0]
    assert type(reports).__module__.partition(".")[0] == package or isinstance(column, tuple)
    if isinstance(column, pandas.Series):
        assert reports.index.equals(column.index) and reports.name == column.name
    if isinstance(column, polars.Series):
        assert reports.name == column.name and reports.dtype == polars.Binary
    rows, values = rows_of(reports), ANSWERS[answers]
    assert len(rows) == ROWS
    counts = mechanism.count(reports)
    assert counts.reports == ROWS == mechanism.count(rows).reports
    assert counts == mechanism.count(rows)
    true_counts = [values.count(category) for category in categories]
    if packing == "hashing":
        # Others can share a bucket with the truth.
        assert all(found >= count for found, count in zip(counts.supporting, true_counts))
    else:
        assert rows == [bytes([1 << categories.index(value)]) for value in values]
        assert counts.supporting == true_counts
    assert len(mechanism.estimate(reports)) == len(categories) == len(mechanism.debias(reports))


def test_packed_reports_as_a_matrix_of_truth_values():
    mechanism = deniable.make_unary_encoding(range(11), ALMOST_ONE, 1e-300)
    matrix = numpy.array(BITS)
    assert mechanism.count(matrix).supporting == matrix.sum(axis=0).tolist()


def empty_columns():
    """Of no rows, by what answers are."""
    no_texts = pyarrow.array([], pyarrow.string())
    yield "truth", numpy.array([], bool)
    yield "truth", pyarrow.array([], pyarrow.bool_())
    yield "truth", pyarrow.chunked_array([], pyarrow.bool_())
    yield "truth", polars.Series("the name", [], polars.Boolean)
    yield "truth", pandas.Series([], dtype="boolean", name="the name")
    yield "truth", pandas.Series([], dtype="bool[pyarrow]", name="the name")
    yield "texts", numpy.array([], "U1")
    yield "texts", numpy.array([], object)
    yield "texts", numpy.array([], numpy.dtypes.StringDType())
    yield "texts", no_texts
    yield "texts", no_texts.dictionary_encode()
    yield "texts", pyarrow.chunked_array([], pyarrow.string())
    yield "texts", pyarrow.chunked_array([], pyarrow.dictionary(pyarrow.int8(), pyarrow.string()))
    yield "texts", pyarrow.chunked_array([no_texts, no_texts])
    yield "texts", polars.Series("the name", [], polars.String)
    yield "texts", polars.Series("the name", [], polars.Categorical)
    yield "texts", polars.Series("the name", [], polars.Enum(TEXTS))
    yield "texts", pandas.Series([], dtype="str")
    yield "texts", pandas.Series([], dtype="category")
    yield "texts", pandas.Series([], dtype=object)
    yield "integers", numpy.array([], "i2")
    yield "integers", pyarrow.array([], pyarrow.uint8())
    yield "integers", pandas.Series([], dtype="Int8")
    yield "bits", numpy.empty((0, 11), bool)
    yield "bits", numpy.empty((0, 2), "u1")
    yield "bits", pyarrow.array([], pyarrow.binary(2))
    yield "bits", pyarrow.array([], pyarrow.list_(pyarrow.bool_()))
    yield "bits", pyarrow.array([], pyarrow.list_(pyarrow.bool_(), 11))
    yield "bits", polars.Series("the name", [], polars.Array(polars.Boolean, 11))
    for number in ("float64", "float32", "int64", "int32", "float64 vector", "int32 vector"):
        yield number, numpy.array([], number.split()[0])
        yield number, polars.Series("the name", [], getattr(polars, number.split()[0].capitalize()))
    for answers in certain():
        yield answers, []
        yield answers, ()


@pytest.mark.parametrize("answers, column", list(empty_columns()))
def test_columns_of_no_rows(answers, column):
    reports = certain()[answers].randomize(column)
    assert_same_kind(reports, column)
    assert certain()[answers].count(reports).reports == 0
    if answers in ("texts", "integers"):
        for _, make, parameters in PACKING:
            mechanism = make(TEXTS if answers == "texts" else INTEGERS, *parameters)
            reports = mechanism.randomize(column)
            assert len(reports) == 0 and mechanism.count(reports).reports == 0
            if isinstance(column, numpy.ndarray):
                assert reports.shape[1] == len(mechanism.invoke(mechanism.categories[0]))


# What is worked on in blocks, with rows left over behind the last of them.
MANY = 2**20 + 5


def test_long_columns_of_truth_values():
    truth = numpy.arange(MANY) * 2654435761 % 2**32 < 2**31
    mechanism = certain()["truth"]
    assert numpy.array_equal(mechanism.randomize(truth), truth)
    assert mechanism.randomize(pyarrow.array(truth)).equals(pyarrow.array(truth))
    assert mechanism.randomize(polars.Series(truth)).equals(polars.Series(truth))
    assert mechanism.count(truth).supporting == [int(truth.sum())]


def test_long_columns_of_bits():
    numbers = numpy.arange(MANY, dtype="u8") * 2654435761 % 2**11
    packed = numbers.astype("<u2").view("u1").reshape(MANY, 2)
    mechanism = certain()["bits"]
    assert numpy.array_equal(mechanism.randomize(packed), packed)
    matrix = numpy.unpackbits(packed, axis=1, count=11, bitorder="little").view(bool)
    assert numpy.array_equal(mechanism.randomize(matrix), matrix)
    ones = matrix.sum(axis=0).tolist()
    assert mechanism.count(packed).supporting == mechanism.count(matrix).supporting == ones
    binary = pyarrow.FixedSizeBinaryArray.from_buffers(pyarrow.binary(2), MANY, [None, pyarrow.py_buffer(packed)])
    assert mechanism.randomize(binary).equals(binary)
    assert mechanism.count(binary).supporting == ones


def test_long_columns_of_categories_and_numbers():
    places = numpy.arange(MANY) * 2654435761 % 2**32 % 3
    numbers = numpy.array(INTEGERS)[places]
    assert numpy.array_equal(certain()["integers"].randomize(numbers), numbers)
    for answers in ("float64", "float64 vector", "int64", "int64 vector"):
        column = numbers.astype(answers.split()[0])
        assert numpy.array_equal(certain()[answers].randomize(column), column)
        arrow = pyarrow.array(column)
        assert certain()[answers].randomize(arrow).equals(arrow)


def test_reports_are_never_cut_off():
    """Whatever the answers' width: another would cut off reports, or tell which answers there are."""
    long = "x" * 50
    mechanism = deniable.make_randomized_response(["a", long], 0.5)
    reports = mechanism.randomize(numpy.array(["a"] * 100))
    # Not one is long once in 2^100.
    assert reports.dtype == "U50" and set(reports.tolist()) == {"a", long}


# A type says nothing about the answers: whichever there are, it is the same.
ANY_ANSWER = {
    "numpy U": lambda answers: numpy.array(answers),
    "pyarrow": lambda answers: pyarrow.array(answers),
    "pyarrow dictionary": lambda answers: pyarrow.array(answers).dictionary_encode(),
    "pyarrow short dictionary": lambda answers: pyarrow.array(answers, pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
    "polars Categorical": lambda answers: polars.Series(answers, dtype=polars.Categorical),
    "polars Enum": lambda answers: polars.Series(answers, dtype=polars.Enum(sorted(set(answers)))),
    "pandas category": lambda answers: pandas.Series(answers, dtype="category"),
}


def type_of(column):
    return column.type if hasattr(column, "type") else column.dtype


@pytest.mark.parametrize("kind", ANY_ANSWER)
def test_the_type_of_reports_does_not_depend_on_the_answers(kind):
    for count in (128, 129, 300):
        mechanism = deniable.make_randomized_response([str(i) for i in range(count)], ALMOST_ONE)
        answers = [["0", "1"], ["0", "0"], ["2", "127"], [str(count - 1), "no category"]]
        types = [type_of(mechanism.randomize(ANY_ANSWER[kind](both))) for both in answers]
        assert all(found == types[0] for found in types), types


def test_categories_are_the_mechanisms():
    answers = ["coffee", "tea", "tea"]
    mechanism = certain()["texts"]
    enum = polars.Series(answers, dtype=polars.Enum(["coffee", "tea", "wine"]))
    assert mechanism.randomize(enum).dtype == polars.Enum(TEXTS)
    reports = mechanism.randomize(pandas.Series(answers, dtype="category"))
    assert reports.tolist() == answers and reports.cat.categories.tolist() == TEXTS
    reports = certain()["truth"].randomize(pandas.Series([True, True], dtype="category"))
    assert reports.cat.categories.tolist() == [False, True]
    dictionary = mechanism.randomize(pyarrow.array(answers).dictionary_encode()).dictionary
    assert dictionary.to_pylist() == TEXTS


def test_long_offsets_are_those_of_all_chunks():
    """A category of 1 MiB, 3000 times, would be too long for short offsets: for the other chunk as well."""
    mechanism = deniable.make_randomized_response(["a", "b" * 2**20], ALMOST_ONE)
    reports = mechanism.randomize(pyarrow.chunked_array([["a"], ["a"] * 3000]))
    assert reports.type == pyarrow.large_string() and reports.to_pylist() == ["a"] * 3001


def test_a_type_that_has_not_all_categories_is_refused_whatever_the_answers():
    mechanism = deniable.make_randomized_response([7, 300], 0.75)
    for column in (
        numpy.array([7, 7], "i1"),
        pyarrow.array([7, 7], pyarrow.int8()),
        polars.Series([7, 7], dtype=polars.Int8),
        pandas.Series([7, 7], dtype="int8"),
        pandas.Series([7, 7], dtype="Int8"),
        pandas.Series([7, 7], dtype="int8[pyarrow]"),
    ):
        with pytest.raises(TypeError, match="accepted are types with more bits"):
            mechanism.randomize(column)


def test_rows_of_bits_look_alike():
    """Or a report would tell whether its answer was missing."""
    mechanism = deniable.make_randomized_response_bitvec(3, 3, 1e-300)
    bits, packed = [True, False, True], b"\x05"
    assert mechanism.randomize([bits, None, packed], missing=b"\x01") == [bits, [True, False, False], bits]
    assert mechanism.randomize([None, tuple(bits)], missing=b"\x01") == [[True, False, False], bits]
    assert mechanism.randomize([packed, None], missing=b"\x01") == [packed, b"\x01"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["list", "numpy object", "pandas object"])
def test_long_texts_stop_nobody(kind):
    """More than 2 GiB together, where offsets of 32 bits end. It is one text, so that the column takes little."""
    texts = ["tea", *["x" * (1 << 20)] * 2100, None, "ü"]
    column = {
        "list": lambda: texts,
        "numpy object": lambda: numpy.array(texts, object),
        "pandas object": lambda: pandas_series(texts, object),
    }[kind]()
    reports = certain()["texts"].randomize(column, missing="coffee")
    assert_same_kind(reports, column)
    reports = plain(reports)
    assert len(reports) == len(texts) and reports[0] == "tea" and reports[-2:] == ["coffee", "ü"]
    assert set(reports) <= set(TEXTS)
    with pytest.raises(ValueError, match="what its mechanism does not report"):
        certain()["texts"].count(texts[:-2])


@pytest.mark.slow
def test_long_bits_stop_nobody():
    mechanism = deniable.make_randomized_response_bitvec(1 << 24, 1, 1e-300)
    zeros = bytes(1 << 21)
    reports = mechanism.randomize([None] * 1025, missing=zeros)
    assert len(reports) == 1025 and all(report == zeros for report in reports)
    assert mechanism.count(reports).reports == 1025


@pytest.mark.parametrize("name", ["memmap"])
def test_a_file_in_memory_is_an_array(name, tmp_path):
    column = numpy.memmap(tmp_path / name, "f8", "w+", shape=5)
    column[:] = range(5)
    reports = certain()["float64"].randomize(column)
    assert type(reports) is numpy.ndarray and reports.tolist() == list(range(5))
    assert certain()["float64"].count(column).reports == 5


def test_counts_are_added():
    for answers, mechanism in certain().items():
        column = columns(answers)["list"]
        parts = mechanism.count(column[:50]) + mechanism.count(column[50:])
        assert parts.reports == ROWS
        # Sums of numbers depend on their order.
        if parts.supporting is not None:
            assert parts == mechanism.count(column)
        again = deniable.Counts.from_json(parts.to_json())
        assert again == parts and mechanism.estimate(again).to_dict() == mechanism.estimate(parts).to_dict()
    with pytest.raises(ValueError, match="accepted are counts of this one"):
        certain()["truth"].count([True]) + certain()["bits"].count([])
    with pytest.raises(ValueError, match="accepted are counts of this one"):
        certain()["truth"].estimate(certain()["bits"].count([b"\x01\x00"]))
