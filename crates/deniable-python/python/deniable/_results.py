"""What is found, and how it is shown."""

from html import escape


def constructor(parameters):
    """A mechanism as the call that makes it."""
    parameters = dict(parameters)
    name = parameters.pop("mechanism")
    number = parameters.pop("number", None)
    if number is not None:
        types = {"f64": "float64", "f32": "float32", "i64": "int64", "i32": "int32"}
        parameters["dtype"] = types[number]
    arguments = []
    for key, value in parameters.items():
        if value is None:
            continue
        if key == "bounds":
            value = tuple(value)
        arguments.append(f"{key}={_short(value) if key == 'categories' else repr(value)}")
    return f"make_{name}({', '.join(arguments)})"


def _short(categories):
    if len(categories) <= 20:
        return repr(categories)
    first = ", ".join(map(repr, categories[:3]))
    return f"[{first}, … {len(categories)} in all]"


class Estimates:
    """What reports say: a row for each value, or one for the mean of numbers.

    Columns: `value`, `share` (unbiased: it can be negative), `low` and `high` (the interval), `count`,
    `standard_error`, `p_value` (the probability of so large a share if nobody had the value), `detected` (whether
    the value occurs; among all that are said to, one in twenty does not, on average) and, where each person has one
    value, `consistent` (shares that are not negative and 1 together). For numbers: `mean`, `low`, `high`, `standard_error`.
    """

    def __init__(self, parts):
        self.name = parts["name"]
        """The question's name, if it is one of a survey."""
        self.kind = parts["kind"]
        self.mechanism = parts["mechanism"]
        self.epsilon = parts["epsilon"]
        """What an answer lost; None where that depends on a distance: see `Measurement.map`."""
        self.reports = parts["reports"]
        """How many reports were counted."""
        self.notes = parts["notes"]
        """What to know about these numbers, in words."""
        self.fit = parts.get("fit")
        """For texts: how well the candidates explain the reports."""
        self.text = parts.get("text", self.name)
        self._columns = parts["columns"]

    @property
    def columns(self):
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, column):
        return self._columns[column]

    def __len__(self):
        return len(next(iter(self._columns.values())))

    def __iter__(self):
        """The rows, each a dict."""
        for row in zip(*self._columns.values()):
            yield dict(zip(self._columns, row))

    def _counts(self):
        if "count" not in self._columns:
            raise ValueError("mechanism: its reports are numbers; accepted is estimate, for their mean")
        return list(self._columns["count"])

    def to_dict(self):
        """The columns as lists."""
        return {name: list(values) for name, values in self._columns.items()}

    def to_pandas(self):
        """A pandas data frame."""
        import pandas

        return pandas.DataFrame(self._columns)

    def to_polars(self):
        """A Polars data frame."""
        import polars

        return polars.DataFrame(self._columns)

    def to_arrow(self):
        """An Arrow table of pyarrow's."""
        import pyarrow

        return pyarrow.table(self._columns)

    def __repr__(self):
        return "\n".join([self._title(), *_lines(self), *self.notes])

    def _title(self):
        title = f"{self.text}: " if self.text else ""
        loss = "" if self.epsilon is None else f", ε = {self.epsilon:.4g}"
        return f"{title}{self.reports} reports{loss}"

    def _repr_html_(self):
        return f"<p>{escape(self._title())}</p>{_table(self)}{_paragraphs(self.notes)}"

    def plot(self, ax=None):
        """Draws the shares, or the mean, with their intervals. Needs matplotlib. Returns the axes."""
        ax = ax or _axes(len(self))
        names = [str(value) for value in self._columns.get("value", ["mean"])]
        points = self._columns.get("share", self._columns.get("mean"))
        low, high = self._columns["low"], self._columns["high"]
        places = list(range(len(names)))[::-1]
        ax.hlines(places, low, high, color="#4269d0", linewidth=2)
        ax.plot(points, places, "o", color="#4269d0", markersize=5)
        ax.set_yticks(places, names)
        ax.set_ylim(-0.6, len(names) - 0.4)
        if "share" in self._columns:
            from matplotlib.ticker import PercentFormatter

            ax.xaxis.set_major_formatter(PercentFormatter(1.0))
            ax.axvline(0, color="#999999", linewidth=0.8)
        ax.set_title(self.text or "", loc="left")
        ax.set_xlabel("share of people" if "share" in self._columns else "mean")
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        ax.tick_params(axis="y", length=0)
        return ax


class SurveyEstimates:
    """What the reports say of each question: a mapping from its name to `Estimates`."""

    def __init__(self, title, epsilon, confidence, questions):
        self.title = title
        self.epsilon = epsilon
        """What a respondent who answered all questions lost."""
        self.confidence = confidence
        self._questions = {parts["name"]: Estimates(parts) for parts in questions}

    def __getitem__(self, name):
        return self._questions[name]

    def __iter__(self):
        return iter(self._questions)

    def __len__(self):
        return len(self._questions)

    def keys(self):
        """The names of the questions."""
        return self._questions.keys()

    def values(self):
        """What was found, in their order."""
        return self._questions.values()

    def items(self):
        """Both."""
        return self._questions.items()

    def to_dict(self):
        """The columns of all questions as lists, with their names in the column `question`. What a question has not is None."""
        found = [column for one in self.values() for column in one.columns]
        names = list(dict.fromkeys(found))
        columns = {"question": [name for name, one in self.items() for _ in range(len(one))]}
        for name in names:
            columns[name] = [row.get(name) for one in self.values() for row in one]
        if "value" in columns:
            columns["value"] = [None if value is None else str(value) for value in columns["value"]]
        return columns

    def to_pandas(self):
        """One pandas data frame of all questions."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def to_polars(self):
        """One Polars data frame of all questions."""
        import polars

        return polars.DataFrame(self.to_dict())

    def to_arrow(self):
        """One Arrow table, of pyarrow's, of all questions."""
        import pyarrow

        return pyarrow.table(self.to_dict())

    def __repr__(self):
        parts = [self.title] if self.title else []
        return "\n\n".join([*parts, *map(repr, self.values())])

    def _repr_html_(self):
        title = f"<h3>{escape(self.title)}</h3>" if self.title else ""
        return title + "".join(one._repr_html_() for one in self.values())

    def plot(self):
        """Draws all questions, one below the other. Needs matplotlib. Returns the figure."""
        from matplotlib import pyplot

        found = [one for one in self.values() if len(one)]
        heights = [len(one) + 1.5 for one in found]
        size = (7, 0.35 * sum(heights) + 0.4)
        figure, axes = pyplot.subplots(
            len(found), 1, figsize=size, squeeze=False, layout="constrained", height_ratios=heights
        )
        for one, ax in zip(found, axes[:, 0]):
            one.plot(ax)
        return figure


def _axes(rows):
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install matplotlib") from None
    return pyplot.subplots(figsize=(7, 0.35 * rows + 1.2), layout="constrained")[1]


_MOST_ROWS = 30
_SHOWN = ("value", "mean", "share", "low", "high", "count", "detected")


def _cells(found):
    """What is shown of each row, in words."""
    columns = [name for name in _SHOWN if name in found.columns]
    rows = [[_cell(name, row[name]) for name in columns] for row in list(found)[:_MOST_ROWS]]
    return columns, rows, max(0, len(found) - _MOST_ROWS)


def _cell(column, value):
    if column in ("share", "low", "high") and isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 1e6 else f"{value:.4g}"
    if column == "count":
        return f"{value:.0f}"
    if column == "detected":
        return "yes" if value else "no"
    if column == "mean":
        return f"{value:.6g}"
    return str(value)


def _lines(found):
    columns, rows, left = _cells(found)
    widths = [max(len(cell) for cell in cells) for cells in zip(columns, *rows)]

    def line(cells):
        first, *others = zip(cells, widths)
        padded = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
        return "  ".join(padded).rstrip()

    lines = [line(columns), *map(line, rows)]
    return lines + ([f"… and {left} more"] if left else [])


def _table(found):
    columns, rows, left = _cells(found)
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    more = f"<p>… and {left} more</p>" if left else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _paragraphs(notes):
    return "".join(f"<p>{escape(note)}</p>" for note in notes)
