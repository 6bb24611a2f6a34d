"""The specification's estimators, under their own names."""

from . import _deniable


def debias_randomized_response_bool(reports, prob):
    """How many of the respondents said yes, unbiased: it can be negative, or above their number.

    >>> debias_randomized_response_bool([True] * 600 + [False] * 400, 0.75)
    700.0
    """
    return _deniable.make_randomized_response_bool(prob).debias(reports)[0]


def debias_randomized_response(reports, categories, prob):
    """How many of the respondents have each category, unbiased, in the order of the categories.

    >>> counts = debias_randomized_response(["tea"] * 60 + ["coffee"] * 40, ["tea", "coffee"], 0.75)
    >>> [round(count, 6) for count in counts]
    [70.0, 30.0]
    """
    return _deniable.make_randomized_response(categories, prob).debias(reports)


def debias_randomized_response_bitvec(reports, f, *, length=None):
    """How many of the respondents have each bit, unbiased.

    Reports are a matrix of truth values, one respondent a row, a list of lists of them, or packed bits, for which
    `length` says how many there are.

    >>> debias_randomized_response_bitvec([[True, False], [True, True]], 0.5)
    [3.0, 1.0]
    """
    if length is None:
        length = _row_length(reports)
    mechanism = _deniable.make_randomized_response_bitvec(length, length, f)
    return mechanism.debias(reports)


def _row_length(reports):
    shape = getattr(reports, "shape", None)
    is_matrix = shape is not None and len(shape) == 2 and getattr(reports, "dtype", None) == bool
    if is_matrix:
        return shape[1]
    if isinstance(reports, (list, tuple)) and reports and isinstance(reports[0], (list, tuple)):
        return len(reports[0])
    raise ValueError("length: it cannot be told from these reports; accepted is the number of bits")
