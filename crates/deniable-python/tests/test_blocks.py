"""Long columns are worked on in blocks of rows. Where nothing is random, every row comes out as it went in."""

import deniable
import numpy as np
import pyarrow as pa
import pytest

# Around the ends of blocks, which have 2^16, 2^18 and 2^20 rows.
SIZES = [0, 1, (1 << 16) + 1, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, (1 << 20) + 1, (2 << 20) + 3]
# The float below 1: another report comes once in 10^16 times. Such columns have blocks of at most 2^18 rows, and none is longer than
# two of them: of 8 million rows together, one is another less than once in 10^9 runs.
SURE = np.nextafter(1, 0)
SHORT = [rows for rows in SIZES if rows <= 2 << 18]


def numbers(rows):
    return np.arange(rows) * 7 % 5


def packed(rows):
    return np.stack([numbers(rows), numbers(rows) % 2], axis=1).astype("u1")


CERTAIN = {
    "truth values": (deniable.make_randomized_response_bool(1.0), lambda rows: numbers(rows) > 2),
    "categories": (deniable.make_randomized_response(range(5), SURE), lambda rows: numbers(rows).astype("i2")),
    "bits": (deniable.make_randomized_response_bitvec(9, 9, 5e-324), packed),
    "floats": (deniable.make_scalar_float_laplace_cks20(0.0), lambda rows: numbers(rows) + 0.5),
    "integers": (deniable.make_scalar_integer_laplace_cks20(0.0, dtype="int32"), lambda rows: numbers(rows).astype("i4")),
    "a vector": (deniable.make_vector_integer_laplace_cks20(0.0), lambda rows: numbers(rows).astype("i8")),
}  # fmt: skip


def check(mechanism, column):
    before = column.copy()
    reports = mechanism.randomize(column)
    assert reports.dtype == column.dtype and np.array_equal(reports, column)
    assert np.array_equal(column, before) and not np.shares_memory(reports, column)


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("name", CERTAIN)
def test_every_row_comes_out_once(name, rows):
    if name == "categories" and rows not in SHORT:
        return
    mechanism, column = CERTAIN[name]
    column = column(rows)
    check(mechanism, column)
    # Every second row, backwards, and of memory that must not be written.
    check(mechanism, column[::2])
    check(mechanism, column[::-1])
    column.flags.writeable = False
    check(mechanism, column)


@pytest.mark.parametrize("rows", SHORT)
def test_packed_reports(rows):
    answers = numbers(rows)
    expected = (1 << answers).astype("u1")[:, None]
    unary = deniable.make_unary_encoding(range(5), SURE, 5e-324)
    for column in (answers, answers.astype("i1")):
        assert np.array_equal(unary.randomize(column), expected)
    arrow = unary.randomize(pa.array(answers))
    assert np.array_equal(np.frombuffer(arrow.buffers()[1] or b"", "u1")[:, None], expected)
    texts = deniable.make_unary_encoding(list("01234"), SURE, 5e-324)
    arrow = texts.randomize(pa.array(answers.astype("U1").tolist(), pa.string()))
    assert np.array_equal(np.frombuffer(arrow.buffers()[1] or b"", "u1")[:, None], expected)


@pytest.mark.parametrize("rows", SIZES)
def test_columns_of_arrow(rows):
    for name in ("truth values", "categories", "floats", "integers", "a vector"):
        if name == "categories" and rows not in SHORT:
            continue
        mechanism, column = CERTAIN[name]
        column = pa.array(column(rows + 3))[3:]
        assert mechanism.randomize(column).equals(column), name
    mechanism, column = CERTAIN["bits"]
    rows_of_bits = np.unpackbits(column(rows), axis=1, count=9, bitorder="little").view(bool)
    lists = pa.FixedSizeListArray.from_arrays(rows_of_bits.ravel(), 9)
    assert mechanism.randomize(lists).equals(lists)
    assert np.array_equal(mechanism.randomize(rows_of_bits), rows_of_bits)


@pytest.mark.parametrize("rows", SIZES)
def test_counts_are_of_all_rows(rows):
    for name in ("truth values", "categories", "bits"):
        mechanism, column = CERTAIN[name]
        column = column(rows)
        counts = mechanism.count(column)
        assert counts.reports == rows
        if name == "categories":
            assert counts.supporting == np.bincount(column, minlength=5).tolist()
        if name == "truth values":
            assert counts.supporting == [column.sum()]
        if name != "bits":
            assert mechanism.count(pa.array(column)) == counts
    mechanism, column = CERTAIN["floats"]
    # The mean is the same to the last bit, whichever kind of column it is of.
    counts = mechanism.count(column(rows))
    assert counts == mechanism.count(pa.array(column(rows)))
    chunks = [column(rows)[: 1 << 16], column(rows)[1 << 16 :]]
    assert counts == mechanism.count(pa.chunked_array([pa.array(chunk) for chunk in chunks]))


def test_rows_of_no_bytes_are_refused():
    mechanism, _ = CERTAIN["bits"]
    for shape in ((3, 0), (0, 0), (3, 1), (3, 3)):
        with pytest.raises((TypeError, ValueError), match="accepted"):
            mechanism.randomize(np.zeros(shape, "u1"))
