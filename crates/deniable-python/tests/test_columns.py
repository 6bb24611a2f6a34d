"""Columns of every kind go in whole and come out as what they were.

The mechanisms here leave nothing to chance, so that reports are the answers: any row, bit or byte that is lost, moved or
cut off on the way is seen.
"""

import functools

import numpy
import pandas
import polars
import pyarrow
import pytest

import deniable
from conftest import ALMOST_ONE, INTEGERS, TEXTS, certain, plain

# Neither a multiple of 8 nor of 64, and the last row is one that is nowhere else in its block.
ROWS = 131


def of(values):
    return [values[i * i % len(values)] for i in range(ROWS - 1)] + [values[-1]]


TRUTH = [i % 3 == 1 for i in range(ROWS - 1)] + [True]
FLOATS = [1.5 * i - 7.25 for i in range(ROWS)]
NUMBERS = [i * i * 1001 - 5 for i in range(ROWS)]
BITS = [[(i + j * j) % 3 == 0 for j in range(11)] for i in range(ROWS - 1)] + [[False] * 10 + [True]]
PACKED = [int("".join("01"[bit] for bit in row[::-1]), 2).to_bytes(2, "little") for row in BITS]
ANSWERS = {"truth": TRUTH, "texts": of(TEXTS), "integers": of(INTEGERS), "bits": BITS}
for number in ("float64", "float32", "int64", "int32"):
    ANSWERS[number] = ANSWERS[f"{number} vector"] = FLOATS if "float" in number else NUMBERS


class Tagged(pyarrow.ExtensionType):
    """A type of somebody's own."""

    def __init__(self, storage):
        super().__init__(storage, "deniable.test")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls(storage)


def strided(array):
    wide = numpy.empty(2 * len(array), array.dtype)
    wide[::2], wide[1::2] = array, array[::-1]
    return wide[::2]


def readonly(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def field(array):
    """A field of records, which are 1 byte longer: no number is where a number should be."""
    records = numpy.empty(len(array), [("before", "u1"), ("values", array.dtype)])
    records["values"] = array
    return records["values"]


def unaligned(array):
    return numpy.frombuffer(b"x" + array.tobytes(), "u1")[1:].view(array.dtype)


def numpy_layouts(array):
    yield "", array
    yield "strided", strided(array)
    yield "reversed", array[::-1].copy()[::-1]
    yield "readonly", readonly(array)
    yield "field", field(array)
    yield "unaligned", unaligned(array)
    yield "of a matrix", numpy.stack([array, array[::-1]], axis=1)[:, 0]
    if array.dtype.itemsize > 1:
        yield "other endian", array.astype(array.dtype.newbyteorder("S"))


def arrow_layouts(array):
    """The same column in one piece, as a slice, and in many pieces."""
    yield "", array
    doubled = pyarrow.concat_arrays([array[-5:], array, array[:7]])
    yield "sliced", doubled[5 : 5 + len(array)]
    cuts = [0, 1, 1, 9, 100, len(array)]
    chunks = [array[start:end] for start, end in zip(cuts, cuts[1:])]
    yield "chunked", pyarrow.chunked_array(chunks, array.type)


def polars_layouts(series):
    yield "", series
    yield "sliced", polars.concat([series[-5:], series, series[:7]]).slice(5, len(series))
    yield "chunked", polars.concat([series[:9], series[9:100], series[100:]], rechunk=False)


def pandas_series(values, dtype):
    return pandas.Series(values, dtype=dtype, name="the name", index=range(1000, 1000 + 3 * len(values), 3))


def truth_columns():
    for layout, array in numpy_layouts(numpy.array(TRUTH)):
        yield f"numpy {layout}", array
    # A truth value of NumPy's is a byte, which is true if it is not 0.
    yield "numpy other bytes", (numpy.array(TRUTH).view("u1") * 254).view(bool)
    yield "numpy object", numpy.array(TRUTH, object)
    for layout, array in arrow_layouts(pyarrow.array(TRUTH)):
        yield f"pyarrow {layout}", array
    for layout, series in polars_layouts(polars.Series("the name", TRUTH)):
        yield f"polars {layout}", series
    for dtype in ("bool", "boolean", "bool[pyarrow]", object, "category"):
        yield f"pandas {dtype}", pandas_series(TRUTH, dtype)
    yield "pandas strided", pandas_series([x for y in TRUTH for x in (y, not y)], "bool")[::2]


def text_columns():
    answers = ANSWERS["texts"]
    yield "numpy U", numpy.array(answers)
    yield "numpy U strided", strided(numpy.array(answers))
    yield "numpy U other endian", numpy.array(answers).astype(">U13")
    yield "numpy object", numpy.array(answers, object)
    yield "numpy StringDType", numpy.array(answers, numpy.dtypes.StringDType())
    yield "numpy StringDType with na", numpy.array(answers, numpy.dtypes.StringDType(na_object=None))
    types = [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()]
    for key in (pyarrow.int8(), pyarrow.uint8(), pyarrow.uint16(), pyarrow.int32(), pyarrow.int64()):
        types.append(pyarrow.dictionary(key, pyarrow.string()))
    types.append(pyarrow.dictionary(pyarrow.int32(), pyarrow.large_string()))
    for type in types:
        for layout, array in arrow_layouts(pyarrow.array(answers, type)):
            yield f"pyarrow {type} {layout}", array
    chunks = [pyarrow.array(answers[i : i + 20]).dictionary_encode() for i in range(0, ROWS, 20)]
    yield "pyarrow dictionaries", pyarrow.chunked_array(chunks)
    tagged = pyarrow.ExtensionArray.from_storage(Tagged(pyarrow.string()), pyarrow.array(answers))
    yield "pyarrow extension", tagged
    yield "pyarrow extension chunked", pyarrow.chunked_array([tagged[:3], tagged[3:]])
    for dtype in (polars.String, polars.Categorical, polars.Enum(TEXTS), polars.Enum(TEXTS[::-1])):
        for layout, series in polars_layouts(polars.Series("the name", answers, dtype)):
            yield f"polars {dtype} {layout}", series
    dictionary = pandas.ArrowDtype(pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))
    large = pandas.ArrowDtype(pyarrow.large_string())
    view = pandas.ArrowDtype(pyarrow.string_view())
    for dtype in ("str", "string", "string[python]", "string[pyarrow]", object, large, dictionary, view, "category"):
        yield f"pandas {dtype!r}", pandas_series(answers, dtype)


def integer_columns():
    answers = ANSWERS["integers"]
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        for layout, array in numpy_layouts(numpy.array(answers, name)):
            yield f"numpy {name} {layout}", array
        for layout, array in arrow_layouts(pyarrow.array(answers, getattr(pyarrow, name)())):
            yield f"pyarrow {name} {layout}", array
        polars_type = getattr(polars, name.replace("int", "Int").replace("uI", "UI"))
        for layout, series in polars_layouts(polars.Series("the name", answers, polars_type)):
            yield f"polars {name} {layout}", series
        for dtype in (name, name.replace("int", "Int").replace("uI", "UI"), f"{name}[pyarrow]"):
            yield f"pandas {dtype}", pandas_series(answers, dtype)
    yield "numpy object", numpy.array(answers, object)
    yield "pandas object", pandas_series(answers, object)
    yield "pandas category", pandas_series(answers, "category")
    yield "pyarrow extension", pyarrow.ExtensionArray.from_storage(Tagged(pyarrow.int64()), pyarrow.array(answers))


def number_columns(name):
    answers = ANSWERS[name]
    for layout, array in numpy_layouts(numpy.array(answers, name)):
        yield f"numpy {layout}", array
    type = {"float64": pyarrow.float64(), "float32": pyarrow.float32()}.get(name) or getattr(pyarrow, name)()
    for layout, array in arrow_layouts(pyarrow.array(answers, type)):
        yield f"pyarrow {layout}", array
    capital = name.capitalize()
    for layout, series in polars_layouts(polars.Series("the name", answers, getattr(polars, capital))):
        yield f"polars {layout}", series
    for dtype in (name, capital, pandas.ArrowDtype(type), object):
        yield f"pandas {dtype}", pandas_series(answers, dtype)
    yield "numpy object", numpy.array(answers, object)


def bit_columns():
    matrix = numpy.array(BITS)
    yield "numpy", matrix
    yield "numpy by columns", numpy.asfortranarray(matrix)
    yield "numpy strided", numpy.repeat(numpy.repeat(matrix, 2, axis=0), 3, axis=1)[::2, ::3]
    yield "numpy reversed", matrix[::-1, ::-1].copy()[::-1, ::-1]
    yield "numpy readonly", readonly(matrix)
    packed = numpy.packbits(matrix, axis=1, bitorder="little")
    yield "numpy packed", packed
    yield "numpy packed by columns", numpy.asfortranarray(packed)
    yield "numpy packed strided", numpy.repeat(packed, 2, axis=0)[::2]
    yield "numpy packed readonly", readonly(packed)
    for values, name in ((PACKED, "bytes"), (BITS, "lists")):
        objects = numpy.empty(ROWS, object)
        objects[:] = values
        yield f"numpy object {name}", objects
        yield f"pandas object {name}", pandas_series(values, object)
    binary = [pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary(2), pyarrow.binary_view()]
    lists = [
        pyarrow.list_(pyarrow.bool_()),
        pyarrow.large_list(pyarrow.bool_()),
        pyarrow.list_(pyarrow.bool_(), 11),
        pyarrow.list_(pyarrow.field("bit", pyarrow.bool_(), nullable=False)),
    ]
    for types, values in ((binary, PACKED), (lists, BITS)):
        for type in types:
            for layout, array in arrow_layouts(pyarrow.array(values, type)):
                yield f"pyarrow {type} {layout}", array
            yield f"pandas {type}", pandas_series(values, pandas.ArrowDtype(type))
    for dtype, values in (
        (polars.Binary, PACKED),
        (polars.List(polars.Boolean), BITS),
        (polars.Array(polars.Boolean, 11), BITS),
    ):
        for layout, series in polars_layouts(polars.Series("the name", values, dtype)):
            yield f"polars {dtype} {layout}", series


@functools.cache
def columns(answers):
    """All columns of the answers to a mechanism, by a name each."""
    kind = answers.removesuffix(" vector")
    own = {"truth": truth_columns, "texts": text_columns, "integers": integer_columns, "bits": bit_columns}
    found = dict(own[kind]() if kind in own else number_columns(kind))
    values = ANSWERS[answers]
    return {"list": list(values), "tuple": tuple(values), **found}


def cases(kinds=None):
    return [
        pytest.param(answers, name, id=f"{answers}-{name}")
        for answers in certain()
        if kinds is None or answers in kinds
        for name in columns(answers)
    ]


def assert_same_kind(reports, column):
    """The kind, and the type of what is in it, are those of the answers."""
    if isinstance(column, tuple):
        column = list(column)
    assert type(reports) is type(column)
    assert len(reports) == len(column)
    if isinstance(column, (pyarrow.Array, pyarrow.ChunkedArray)):
        assert reports.type == column.type
        reports.validate(full=True)
        if isinstance(column, pyarrow.ChunkedArray) and not pyarrow.types.is_fixed_size_list(column.type):
            assert reports.num_chunks >= 1
    elif isinstance(column, polars.Series):
        assert reports.name == column.name
        if not isinstance(column.dtype, polars.Enum):
            assert reports.dtype == column.dtype
    elif isinstance(column, pandas.Series):
        assert reports.name == column.name and reports.index.equals(column.index)
        if not isinstance(column.dtype, pandas.CategoricalDtype):
            assert reports.dtype == column.dtype
    elif isinstance(column, numpy.ndarray):
        assert reports.shape == column.shape and reports.flags.writeable
        if column.dtype.kind != "U":
            assert reports.dtype == column.dtype


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


@pytest.mark.parametrize("name", ["memmap"])
def test_a_file_in_memory_is_an_array(name, tmp_path):
    column = numpy.memmap(tmp_path / name, "f8", "w+", shape=5)
    column[:] = range(5)
    reports = certain()["float64"].randomize(column)
    assert type(reports) is numpy.ndarray and reports.tolist() == list(range(5))
    assert certain()["float64"].count(column).reports == 5


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


# Nothing is copied on its way in or out: the addresses are the same.


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
