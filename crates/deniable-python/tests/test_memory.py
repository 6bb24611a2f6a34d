"""Columns of 10^8 rows need the memory of input and output, and a little more.

The ordinary run has 10^7 rows, and the marker `slow` 10^8. Each case is a process of its own, whose peak is measured by the
kernel from when the input is there.
"""

import subprocess
import sys

import pytest

# What may be needed besides: blocks of rows on the way, and what the allocator keeps.
SPARE = 8e6

BINARY = "pyarrow.Array.from_buffers(pyarrow.binary({}), rows, [None, pyarrow.py_buffer(numpy.zeros(rows * {}, 'u1'))])"
BITS = "pyarrow.Array.from_buffers(pyarrow.bool_(), rows, [None, pyarrow.py_buffer(numpy.zeros(rows // 8, 'u1'))])"
COIN = "make_randomized_response_bool(0.75)"
SIXTEEN = "make_randomized_response(range(16), 0.5)"
TEXTS = "make_randomized_response(['tea', 'milk'], 0.75)"
FLOAT = "make_scalar_float_laplace_cks20(1.0, dtype='{}')"

# The column, the mechanism, the bytes of a row of the output, and the share of the rows: what takes long has fewer.
CASES = {
    "truth values, numpy": ("numpy.zeros(rows, bool)", COIN, 1, 1),
    "truth values, arrow": (BITS, COIN, 1 / 8, 1),
    "truth values, polars": ("polars.zeros(rows, dtype=polars.Int8, eager=True).cast(bool)", COIN, 1 / 8, 1),
    "truth values, pandas": ("pandas.Series(numpy.zeros(rows, bool))", COIN, 1, 1),
    "categories, numpy": ("numpy.zeros(rows, 'i1')", SIXTEEN, 1, 1),
    "categories, arrow": ("pyarrow.array(numpy.zeros(rows, 'i1'))", SIXTEEN, 1, 1),
    "wide categories, numpy": ("numpy.zeros(rows, 'i8')", SIXTEEN, 8, 1 / 4),
    "unary encoding, numpy": ("numpy.zeros(rows, 'i1')", "make_unary_encoding(range(8), 0.5, 0.25)", 1, 1 / 4),
    "wide unary encoding, numpy": ("numpy.zeros(rows, 'i2')", "make_unary_encoding(range(1000), 0.5, 0.25)", 125, 1 / 100),
    "local hashing, numpy": ("numpy.zeros(rows, 'i1')", "make_local_hashing(range(100), 4, 0.5)", 18, 1 / 10),
    "packed bits, numpy": ("numpy.zeros((rows, 1), 'u1')", "make_randomized_response_bitvec(8, 8, 0.5)", 1, 1 / 4),
    "packed bits, arrow": (BINARY.format(1, 1), "make_randomized_response_bitvec(8, 8, 0.5)", 1, 1 / 4),
    "long packed bits, numpy": ("numpy.zeros((rows, 128), 'u1')", "make_randomized_response_bitvec(1024, 2, 0.5)", 128, 1 / 100),
    "floats, numpy": ("numpy.zeros(rows, 'f4')", FLOAT.format("float32"), 4, 1 / 2),
    "long floats, arrow": ("pyarrow.array(numpy.zeros(rows))", FLOAT.format("float64"), 8, 1 / 4),
    "a vector of integers": ("numpy.zeros(rows, 'i8')", "make_vector_integer_laplace_cks20(1.0)", 8, 1 / 4),
    # Four letters or three, and an offset. Besides, the place of a category is kept for every row.
    "texts, arrow": (
        "pyarrow.DictionaryArray.from_arrays(numpy.zeros(rows, 'i1'), ['milk', 'tea']).cast(pyarrow.string())",
        TEXTS, 7.75, 1 / 4,
    ),
}  # fmt: skip

COUNTS = {
    "truth values": ("numpy.zeros(rows, bool)", COIN),
    "categories": ("numpy.zeros(rows, 'i1')", SIXTEEN),
    "categories, arrow": ("pyarrow.array(numpy.zeros(rows, 'i1'))", SIXTEEN),
    "floats": ("numpy.zeros(rows // 4)", FLOAT.format("float64")),
    "packed bits": ("numpy.zeros((rows // 4, 1), 'u1')", "make_randomized_response_bitvec(8, 8, 0.5)"),
}  # fmt: skip

PROGRAM = """
import deniable, numpy, pandas, polars, pyarrow

def status(name):
    with open("/proc/self/status") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name))

rows = {rows}
column = {column}
mechanism = deniable.{mechanism}
# Threads are started and libraries loaded; every page of the input is there.
mechanism.{call}(column[:100_000])
if isinstance(column, numpy.ndarray):
    column.fill(0)
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
before = status("VmRSS")
result = mechanism.{call}(column)
print(status("VmHWM") - before)
"""


def peak(rows, column, mechanism, call):
    """How much memory a call needs besides its input, in bytes."""
    program = PROGRAM.format(rows=rows, column=column, mechanism=mechanism, call=call)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def check_randomize(case, most, call="randomize"):
    column, mechanism, width, share = CASES[case]
    rows = int(most * share)
    spare = SPARE + (rows if case == "texts, arrow" else 0)
    assert rows * width * 0.9 <= peak(rows, column, mechanism, call) <= rows * width + spare


@pytest.mark.parametrize("case", CASES)
def test_the_output_is_all_that_is_needed(case):
    check_randomize(case, 10**7)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_output_is_all_that_is_needed_of_many_rows(case):
    check_randomize(case, 10**8)


@pytest.mark.parametrize("case", COUNTS)
def test_counting_needs_nothing(case):
    assert peak(10**7, *COUNTS[case], "count") <= SPARE


@pytest.mark.slow
@pytest.mark.parametrize("case", COUNTS)
def test_counting_many_rows_needs_nothing(case):
    assert peak(10**8, *COUNTS[case], "count") <= SPARE


def test_a_copy_of_the_column_is_found():
    """A call that makes one more copy, of 8 bytes a row, needs more than is allowed."""
    column, mechanism = "numpy.zeros(rows)", "make_scalar_float_laplace_cks20(1.0)"
    assert peak(10**7, column, mechanism, "randomize") <= 8e7 + SPARE
    planted = f"{mechanism}; with_copy = lambda column: mechanism.randomize(column + 0.0)"
    assert peak(10**7, column, planted, "randomize and with_copy") > 8e7 + SPARE
