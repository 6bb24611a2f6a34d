"""Which kind of data frame goes in, and how the same kind comes out."""

from . import _deniable
from ._columns import check_polars, is_missing, root

_FINGERPRINT = _deniable.FINGERPRINT
_ACCEPTED = "a pandas or Polars data frame, an Arrow table, or a dict of columns"


def randomize(survey, frame, plain):
    """See `Survey.randomize`."""
    kind = _kind(frame)
    reports = survey._randomize(_table(survey, frame, kind, are_answers=True), plain)
    if kind == "arrow":
        return reports
    if kind == "polars":
        import polars

        if plain:
            return polars.DataFrame(reports)
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
    if plain:
        return result
    codes = [0] * len(result)
    result[_FINGERPRINT] = pandas.Categorical.from_codes(codes, [survey.fingerprint])
    return result


def report_schema(survey, answers, plain):
    """See `Survey.report_schema`."""
    pyarrow = _pyarrow()
    try:
        answers = pyarrow.schema(answers)
    except Exception:
        problem = "the answers' columns are of another kind; accepted is an Arrow schema"
    else:
        known = _known(survey, are_answers=True)
        answers = pyarrow.schema([column for column in answers if column.name in known])
        return pyarrow.schema(survey._report_schema(answers, plain))
    raise TypeError(problem)


def count(survey, reports):
    """See `Survey.count`."""
    return survey._count(_table(survey, reports, _kind(reports), are_answers=False))


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


def _table(survey, frame, kind, *, are_answers):
    """The columns that the survey knows, as a table of Arrow's. Those that are not there are the survey's to refuse."""
    known = _known(survey, are_answers=are_answers)
    if kind == "arrow":
        return frame
    if kind == "polars":
        import polars

        frame = frame.select([name for name in frame.columns if name in known])
        for column in frame:
            check_polars(column)
        # In a column of nothing all are missing, which Polars' own type for it does not export.
        nothing = [name for name in frame.columns if frame[name].dtype == polars.Null]
        return frame.with_columns(polars.col(nothing).cast(polars.String)) if nothing else frame
    if kind == "pyarrow":
        names = [name for name in frame.column_names if name in known]
        return frame.select(names)
    pyarrow = _pyarrow()
    lists = [name for name in survey.questions if are_answers and survey._kind_of(name) == "several"]
    columns = {
        name: _column(pyarrow, name, frame[name], is_list=name in lists, is_public=name in survey.public)
        for name in known
        if name in frame
    }
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise ValueError("frame: its columns have different lengths; accepted are equal ones")
    return pyarrow.table(columns)


def _known(survey, *, are_answers):
    """The names of the columns that the survey looks at."""
    known = [*survey.public, *survey.questions, _FINGERPRINT]
    if are_answers and survey.id is not None:
        known.append(survey.id)
    return known


def _column(pyarrow, name, values, *, is_list, is_public):
    """A column of Arrow's. Errors of other libraries have values in them, and are replaced."""
    try:
        if not _has_objects(values):
            return pyarrow.array(values)
        if is_public:
            return pyarrow.array(values, from_pandas=True)
        if is_list:
            lists = [_texts(value) for value in values]
            return pyarrow.array(lists, pyarrow.list_(pyarrow.large_string()))
        return pyarrow.array([_text(value) for value in values], pyarrow.large_string())
    except Exception:
        problem = f'column "{name}": its values cannot be read; accepted are those of one type'
    raise TypeError(problem)


def _has_objects(values):
    """Whether a column holds values of any type, by the type of the column alone."""
    if isinstance(values, (list, tuple)):
        return True
    dtype = getattr(values, "dtype", None)
    return dtype == object or getattr(dtype, "name", None) == "category"


def _text(value):
    """A value of any type as a text: by itself, as one that depends on others would tell of them. Bytes are digits, as in files of text."""
    if is_missing(value):
        return None
    if isinstance(value, bytes):
        return value.hex()
    if type(value).__name__ in ("bool", "bool_"):
        return "true" if value else "false"
    # What is no Unicode is no answer that a survey knows.
    return str(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _texts(value):
    """Several answers: a list of any kind, or a text with ; between them."""
    if is_missing(value):
        return None
    if isinstance(value, (list, tuple, set, frozenset)) or type(value).__name__ == "ndarray":
        return [_text(item) for item in value]
    return _text(value).split(";")
