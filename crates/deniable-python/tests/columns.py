"""Columns of every kind and layout, with the same answers in them."""

import functools

import numpy
import pandas
import polars
import pyarrow
import pytest

from conftest import INTEGERS, TEXTS, certain

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
