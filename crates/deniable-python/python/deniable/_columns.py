"""Which kind of column goes in, and how the same kind comes out.

What the columns hold is read and randomized in Rust. No error here may have a value of a column in it: errors of
other libraries are replaced.
"""

import sys

_ACCEPTED = (
    "a NumPy array, an Arrow array or chunked array, a Polars or pandas Series, or a list"
)


# Other arrays of NumPy's mean something of their own: a masked one says what is missing.
_ARRAYS = ("ndarray", "memmap")


def randomize(mechanism, column, missing):
    """See `Measurement.randomize`."""
    return _of_kind(column)(mechanism, column, missing)


def invoke(mechanism, value):
    """One input that is an array: a vector of numbers, or the bits of one person."""
    if mechanism._answers == "bits":
        if root(value) != "numpy" or getattr(value, "ndim", None) != 1:
            raise TypeError(
                "the type is another; accepted is bytes, a list of truth values, or a NumPy array of one dimension"
            )
        return randomize(mechanism, value[None, :], None)[0]
    return randomize(mechanism, value, None)


def count(mechanism, reports):
    """See `Measurement.count`."""
    values, kind = _countable(mechanism, reports)
    return mechanism._count(values, kind)


def root(value):
    """The package that a value's type is of, if it is one that we know."""
    for base in type(value).__mro__:
        package = str(base.__module__).partition(".")[0]
        if package in ("numpy", "pandas", "polars", "pyarrow"):
            return package
    return None


def is_missing(value):
    """Whether a value of a list stands for none: None, NaN, or pandas' NA and NaT."""
    if value is None:
        return True
    pandas = sys.modules.get("pandas")
    if pandas is not None and (value is pandas.NA or value is pandas.NaT):
        return True
    return isinstance(value, float) and value != value


def check_polars(column):
    """Objects of Python's would come as their addresses."""
    import polars

    if column.dtype == polars.Object:
        raise TypeError("the column has another type; accepted are columns of other types than Object")


def _of_kind(column):
    package = root(column)
    if isinstance(column, (list, tuple)):
        return _list
    if package == "numpy" and type(column).__name__ in _ARRAYS:
        return _numpy
    if package == "pandas" and type(column).__name__ == "Series":
        return _pandas
    if package == "polars" and type(column).__name__ == "Series":
        return _polars
    if package == "pyarrow" and hasattr(column, "type"):
        return _pyarrow
    if hasattr(column, "__arrow_c_stream__") or hasattr(column, "__arrow_c_array__"):
        return _arrow
    raise TypeError(f"the column is of another kind; accepted is {_ACCEPTED}")


def _list(mechanism, column, missing):
    return mechanism._randomize_list([_plain(value) for value in column], missing)


def _plain(value):
    return None if is_missing(value) else value


def _arrow(mechanism, column, missing):
    return mechanism._randomize_arrow(column, missing)


def _pyarrow(mechanism, column, missing):
    import pyarrow

    reports = pyarrow.chunked_array(mechanism._randomize_arrow(column, missing))
    if isinstance(column.type, pyarrow.BaseExtensionType) and mechanism._reports_are_answers:
        reports = reports.cast(column.type)
    if isinstance(column, pyarrow.ChunkedArray):
        return reports
    return reports.chunk(0) if reports.num_chunks == 1 else reports.combine_chunks()


def _polars(mechanism, column, missing):
    import polars

    check_polars(column)
    # The name that is given to a Series of a column of Arrow's is not kept.
    reports = polars.Series(mechanism._randomize_arrow(column, missing)).alias(column.name)
    if isinstance(column.dtype, polars.Enum) and mechanism._reports_are_answers:
        return reports.cast(polars.Enum(mechanism.categories))
    return reports


def _numpy(mechanism, column, missing):
    import numpy

    answers = mechanism._answers
    if column.dtype.kind in "OUT":
        _check_shape(column, 1)
        reports = _list(mechanism, column.tolist(), missing)
        return _numpy_of_list(mechanism, reports, column.dtype)
    if answers == "bits":
        _check_shape(column, 2)
        if column.dtype == bool:
            length = mechanism.parameters["length"]
            if column.shape[1] != length:
                raise ValueError(
                    f"input: it is not a member of the domain; accepted is rows of {length} truth values"
                )
            packed = mechanism._pack(column.view("u1"))
            reports = mechanism._randomize_numpy(packed, missing)
            return numpy.unpackbits(reports, axis=1, count=length, bitorder="little").view(bool)
        return mechanism._randomize_numpy(column, missing)
    _check_shape(column, 1)
    if answers == "truth values":
        return mechanism._randomize_numpy(_bytes_of_truth(column), missing)
    reports = mechanism._randomize_numpy(_readable(column), missing)
    if mechanism._reports_are_answers and not column.dtype.isnative:
        return reports.astype(column.dtype)
    return reports


def _readable(column):
    """Numbers as Rust reads them: their bytes in the machine's order, each at an address and a distance of a whole number of them."""
    if column.dtype.kind not in "iuf":
        return column
    if not column.dtype.isnative:
        return column.astype(column.dtype.newbyteorder("="))
    if not column.flags.aligned or any(stride % column.itemsize for stride in column.strides):
        return column.copy()
    return column


def _check_shape(column, dimensions):
    if column.ndim != dimensions:
        raise TypeError(f"the array has another shape; accepted are {dimensions} dimensions")


def _bytes_of_truth(column):
    """Truth values as bytes, which is what they are; numbers are none."""
    if column.dtype != bool:
        raise TypeError("the column has another type; accepted are truth values")
    return column.view("u1")


def _numpy_of_list(mechanism, reports, dtype):
    import numpy

    if not mechanism._reports_are_answers:
        # A report of one more answer says how many bytes they have, also if there are none.
        width = len(mechanism.invoke(mechanism.categories[0]))
        return numpy.frombuffer(bytearray(b"".join(reports)), "u1").reshape(-1, width)
    if dtype.kind == "U":
        # As long as the longest category: another length would cut reports off, or tell which there are.
        length = max(map(len, mechanism.categories))
        return numpy.array(reports, dtype=f"U{length}")
    if dtype.kind == "O":
        return _objects(reports)
    return numpy.array(reports, dtype=dtype)


def _pandas(mechanism, column, missing):
    import numpy
    import pandas

    dtype = column.dtype
    if isinstance(dtype, numpy.dtype) and dtype.kind != "O":
        values = _numpy(mechanism, column.to_numpy(), missing)
        if values.ndim == 2:
            values = _objects([row.tobytes() for row in values])
    elif _is_arrow_backed(dtype):
        import pyarrow

        reports = _pyarrow(mechanism, pyarrow.chunked_array(_arrow_of(column)), missing)
        # That of the reports, which may need longer keys: a cast could fail because of one.
        is_text = mechanism._reports_are_answers and isinstance(dtype, pandas.StringDtype)
        values = pandas.array(reports, dtype=dtype if is_text else pandas.ArrowDtype(reports.type))
    elif isinstance(getattr(dtype, "numpy_dtype", None), numpy.dtype):
        values = _numpy(mechanism, _filled(mechanism, column, missing), missing)
        if values.ndim == 2:
            values = _objects([row.tobytes() for row in values])
        else:
            values = pandas.array(values, dtype=dtype)
    elif isinstance(dtype, pandas.CategoricalDtype):
        categories = _categories(mechanism)
        reports = _list(mechanism, column.tolist(), missing)
        is_category = mechanism._reports_are_answers
        values = pandas.Categorical(reports, categories=categories) if is_category else _objects(reports)
    elif isinstance(dtype, pandas.StringDtype) and mechanism._reports_are_answers:
        values = pandas.array(_list(mechanism, column.tolist(), missing), dtype=dtype)
    elif dtype == object or isinstance(dtype, pandas.StringDtype):
        values = _objects(_list(mechanism, column.tolist(), missing))
    else:
        # What their types can hold is not known, and must not depend on a report.
        raise TypeError("the column has another type; accepted are those of NumPy's, Arrow's, pandas' own, and objects")
    # Objects stay objects, which are texts to pandas otherwise.
    dtype = values.dtype if isinstance(values, numpy.ndarray) else None
    return pandas.Series(values, index=column.index, name=column.name, dtype=dtype, copy=False)


def _categories(mechanism):
    """All that a report can be: those of the answers alone would tell which there are."""
    if mechanism._answers == "truth values":
        return [False, True]
    if mechanism.categories is None:
        raise TypeError("the column has another type; accepted are columns that are not categorical")
    return mechanism.categories


def _filled(mechanism, column, missing):
    """What a nullable column of pandas' holds, with `missing` where there is nothing."""
    dtype = column.dtype.numpy_dtype
    if not column.isna().any():
        return column.to_numpy(dtype=dtype)
    if missing is None:
        mechanism._randomize_list([None], None)  # Which says it as for all other columns.
    try:
        return column.to_numpy(dtype=dtype, na_value=missing)
    except Exception:
        problem = "invalid missing: it is no answer of this mechanism; accepted is a value of the column's type"
    raise ValueError(problem)


def _objects(values):
    import numpy

    array = numpy.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array


def _is_arrow_backed(dtype):
    import pandas

    if isinstance(dtype, pandas.StringDtype):
        return dtype.storage == "pyarrow"
    return isinstance(dtype, pandas.ArrowDtype)


def _arrow_of(column):
    array = column.array
    return array.__arrow_array__()


def _countable(mechanism, reports):
    package = root(reports)
    if isinstance(reports, (list, tuple)):
        return [_plain(value) for value in reports], "list"
    name = type(reports).__name__
    if package == "numpy" and name in _ARRAYS:
        return _countable_array(mechanism, reports)
    if package == "pandas" and name == "Series":
        import numpy

        if isinstance(reports.dtype, numpy.dtype) and reports.dtype.kind != "O":
            return _countable_array(mechanism, reports.to_numpy())
        if _is_arrow_backed(reports.dtype):
            return _arrow_of(reports), "arrow"
        if isinstance(getattr(reports.dtype, "numpy_dtype", None), numpy.dtype):
            if not reports.isna().any():
                return _countable_array(mechanism, reports.to_numpy(dtype=reports.dtype.numpy_dtype))
        return [_plain(value) for value in reports.tolist()], "list"
    if package == "polars" and name == "Series":
        check_polars(reports)
    if hasattr(reports, "__arrow_c_stream__") or hasattr(reports, "__arrow_c_array__"):
        return reports, "arrow"
    raise TypeError(f"the reports are of another kind; accepted is {_ACCEPTED}")


def _countable_array(mechanism, reports):
    if reports.dtype.kind in "OUT":
        return [_plain(value) for value in reports.tolist()], "list"
    if reports.ndim == 2 and reports.dtype == bool:
        categories = mechanism.categories
        length = mechanism.parameters.get("length") if categories is None else len(categories)
        if length is None:
            raise TypeError("the array has another shape; accepted are 1 dimensions")
        if reports.shape[1] != length:
            raise ValueError(f"reports: they have another length; accepted are {length} bits")
        return mechanism._pack(reports.view("u1")), "numpy"
    if mechanism._answers == "truth values":
        _check_shape(reports, 1)
        return _bytes_of_truth(reports), "numpy"
    return _readable(reports), "numpy"
