"""Which kind of data frame goes in, and how the same kind comes out."""

from . import _deniable
from ._columns import check_polars, is_missing, root

_FINGERPRINT = _deniable.FINGERPRINT
_ACCEPTED = "a pandas or Polars data frame, an Arrow table, or a dict of columns"


def randomize(survey, frame):
    """See `Survey.randomize`."""
    kind = _kind(frame)
    reports = survey._randomize(_table(survey, frame, kind, with_id=True))
    if kind == "arrow":
        return reports
    if kind == "polars":
        import polars

        column = polars.lit(survey.fingerprint).cast(polars.Categorical).alias(_FINGERPRINT)
        return polars.DataFrame(reports).with_columns(column)
    table = _pyarrow().table(reports)
    if kind == "pyarrow":
        return table
    if kind == "dict":
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
        columns[_FINGERPRINT] = [survey.fingerprint] * table.num_rows
        return columns
    import pandas

    result = table.to_pandas()
    codes = [0] * len(result)
    result[_FINGERPRINT] = pandas.Categorical.from_codes(codes, [survey.fingerprint])
    return result


def count(survey, reports):
    """See `Survey.count`."""
    return survey._count(_table(survey, reports, _kind(reports), with_id=False))


def _kind(frame):
    package, name = root(frame), type(frame).__name__
    if isinstance(frame, dict):
        return "dict"
    if package == "pandas" and name == "DataFrame":
        return "pandas"
    if package == "polars" and name == "DataFrame":
        return "polars"
    if package == "pyarrow" and hasattr(frame, "column_names"):
        return "pyarrow"
    if package is None and hasattr(frame, "__arrow_c_stream__"):
        return "arrow"
    raise TypeError(f"the frame is of another kind; accepted is {_ACCEPTED}")


def _pyarrow():
    try:
        import pyarrow
    except ImportError:
        raise ImportError(
            "surveys on this kind of frame need pyarrow: install it, or use a Polars data frame"
        ) from None
    return pyarrow


def _table(survey, frame, kind, *, with_id):
    """The columns that the survey knows, as a table of Arrow's. Those that are not there are the survey's to refuse."""
    known = [*survey.public, *survey.questions, _FINGERPRINT]
    if with_id and survey.id is not None:
        known.append(survey.id)
    if kind == "arrow":
        return frame
    if kind == "polars":
        frame = frame.select([name for name in frame.columns if name in known])
        for column in frame:
            check_polars(column)
        return frame
    if kind == "pyarrow":
        names = [name for name in frame.column_names if name in known]
        return frame.select(names)
    pyarrow = _pyarrow()
    columns = {name: _column(pyarrow, name, frame[name]) for name in known if name in frame}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise ValueError("frame: its columns have different lengths; accepted are equal ones")
    return pyarrow.table(columns)


def _column(pyarrow, name, values):
    """A column of Arrow's. Errors of other libraries have values in them, and are replaced."""
    try:
        if getattr(values, "dtype", None) == object or isinstance(values, (list, tuple)):
            return _of_objects(pyarrow, list(values))
        return pyarrow.array(values)
    except Exception:
        problem = f'column "{name}": its values cannot be read; accepted are those of one type'
    raise TypeError(problem)


def _of_objects(pyarrow, values):
    """Values of any type: truth values, numbers, bytes and lists as they are if all are so, else texts."""
    values = [None if is_missing(value) else value for value in values]
    there = [value for value in values if value is not None]
    if there and all(isinstance(value, bool) for value in there):
        return pyarrow.array(values, pyarrow.bool_())
    if there and all(isinstance(value, bytes) for value in there):
        return pyarrow.array(values, pyarrow.binary())
    if there and all(type(value) is float for value in there):
        return pyarrow.array(values, pyarrow.float64())
    if there and all(isinstance(value, (list, tuple, set, frozenset)) for value in there):
        lists = [None if value is None else [_text(item) for item in value] for value in values]
        return pyarrow.array(lists, pyarrow.list_(pyarrow.large_string()))
    return pyarrow.array([_text(value) for value in values], pyarrow.large_string())


def _text(value):
    """A text, with what is no Unicode replaced: it is no answer that a survey knows."""
    if value is None:
        return None
    return str(value).encode("utf-8", "replace").decode("utf-8")
