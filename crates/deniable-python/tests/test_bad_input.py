"""Bad input to every argument: what comes of it is accepted, or an error that says why. Nothing ends the interpreter, and
no error has an answer in it.
"""

import decimal
import fractions
import inspect
import math
import subprocess
import sys
import textwrap

import numpy
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deniable
from conftest import INTEGERS, TEXTS, certain

# Always the same examples: a test that fails does so again.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=60, database=None)
settings.load_profile("steady")


class Raised(Exception):
    """What the objects below raise."""


class Raises:
    """Whatever is asked of it, it raises."""

    def fail(self, *_):
        raise Raised("no")

    __float__ = __int__ = __index__ = __iter__ = __len__ = __bool__ = __complex__ = __getitem__ = fail
    __array__ = __arrow_c_array__ = __arrow_c_stream__ = __fspath__ = __bytes__ = fail
    __array_interface__ = property(fail)


class Lies:
    """It answers, and nothing of it is true."""

    def __float__(self):
        return "1.0"

    def __index__(self):
        return 0.5

    def __len__(self):
        return -1

    def __iter__(self):
        return iter(())

    def __fspath__(self):
        return 5

    def __arrow_c_array__(self, requested_schema=None):
        return (1, "x")

    def __arrow_c_stream__(self, requested_schema=None):
        return None

    __array_interface__ = {"version": 3, "shape": (2**40,), "typestr": "<f8", "data": (0, True)}


class Endless:
    """A length without end, and nothing behind it."""

    def __len__(self):
        return sys.maxsize

    def __getitem__(self, i):
        raise IndexError


class LyingFloat(float):
    def __ne__(self, other):
        raise Raised("no")


class LyingList(list):
    def __iter__(self):
        raise Raised("no")

    def __len__(self):
        return 2**62


def recursive():
    nested = []
    nested.append(nested)
    return nested


ODD = [
    None,
    True,
    False,
    0,
    -0.0,
    1,
    -1,
    2**31,
    2**60,
    2**63,
    2**64,
    10**400,
    -(10**400),
    math.nan,
    math.inf,
    -math.inf,
    5e-324,
    1.7976931348623157e308,
    0.5,
    1.0,
    "",
    "0.5",
    "tea",
    "\ud800",
    "\0",
    "population\0",
    "x" * 100_000,
    b"",
    b"\xff",
    bytearray(b"ab"),
    memoryview(b"ab"),
    [],
    (),
    {},
    set(),
    [None],
    [[]],
    [[[1]]],
    [1, "a"],
    ["a", "a"],
    ["\ud800", "a"],
    [True, False],
    [0.5, 1],
    [math.nan, math.nan],
    (1, 0),
    (0, 1, 2),
    (math.nan, 1),
    ("a", "b"),
    (0, b"ab"),
    [(0, b"ab")],
    [(-1, b"")],
    [(10**400, b"a")],
    [(0, "ab")],
    {"a": 1},
    {"moved": [True]},
    {"moved": 5},
    {"moved": "yes"},
    {5: [1]},
    decimal.Decimal("0.75"),
    decimal.Decimal("NaN"),
    fractions.Fraction(3, 4),
    1 + 2j,
    object(),
    object,
    len,
    ...,
    NotImplemented,
    slice(3),
    range(5),
    Raises(),
    Lies(),
    Endless(),
    LyingFloat(0.75),
    LyingList([1, 2]),
    recursive(),
    numpy.float64(0.75),
    numpy.float32(0.75),
    numpy.float16(0.75),
    numpy.longdouble(0.75),
    numpy.int8(1),
    numpy.int64(-1),
    numpy.uint64(2**64 - 1),
    numpy.bool_(True),
    numpy.complex128(1j),
    numpy.str_("tea"),
    numpy.bytes_(b"a"),
    numpy.datetime64("2026-01-01"),
    numpy.timedelta64(1, "s"),
    numpy.void(b"ab"),
    numpy.array(0.75),
    numpy.array([0.75]),
    numpy.array([[True]]),
    numpy.array([None, "a"], object),
    numpy.zeros((0, 2**40), "u1"),
    numpy.zeros(3, "V0"),
    numpy.broadcast_to(numpy.uint8(1), (1, 2**50)),
    pandas.NA,
    pandas.NaT,
    pandas.Series([1.5]),
    pandas.DataFrame({"a": [1]}),
    polars.Series([True]),
    polars.DataFrame({"moved": [object()]}),
    polars.col("a"),
    pyarrow.array([1.5]),
    pyarrow.scalar("a"),
    pyarrow.table({"moved": [True]}),
    pyarrow.chunked_array([], pyarrow.bool_()),
    pyarrow.nulls(3),
    deniable,
    deniable.Measurement,
    deniable.make_randomized_response_bool(0.75),
]


def generators():
    """Anew each time: they are used up."""
    return st.builds(lambda items: (item for item in items), st.lists(st.integers() | st.text(), max_size=3))


def bad_values():
    simple = st.floats() | st.integers() | st.text(max_size=5) | st.binary(max_size=5) | st.booleans() | st.none()
    nested = st.recursive(simple, lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner), max_leaves=5)
    return st.sampled_from(ODD) | st.sampled_from(ODD) | simple | nested | generators()


REFUSALS = (TypeError, ValueError, OverflowError, OSError, MemoryError, Raised)


def call(function, *args, **kwargs):
    """What comes of it: nothing but a value or an error that is one of a caller's making, with a message."""
    try:
        return function(*args, **kwargs)
    except REFUSALS as error:
        # Python says nothing where there is no memory.
        assert str(error).strip() or isinstance(error, MemoryError), type(error)
        return None


SURVEY = deniable.Survey.parse(
    textwrap.dedent("""
    version = 1
    id = "id"
    public = ["place"]
    [[question]]
    name = "moved"
    kind = "yes-no"
    epsilon = 1.0
    [[question]]
    name = "transport"
    kind = "choice"
    choices = ["car", "bus"]
    epsilon = 1.0
    [[question]]
    name = "devices"
    kind = "several"
    choices = ["phone", "radio"]
    most = 1
    epsilon = 1.0
    [[question]]
    name = "hours"
    kind = "number"
    low = 0
    high = 10
    epsilon = 1.0
    [[question]]
    name = "page"
    kind = "text"
    epsilon = 4.0
    candidates = ["a", "b"]
    """)
)
FRAME = {
    "id": ["1", "2"],
    "place": ["x", "y"],
    "moved": [True, False],
    "transport": ["car", "bus"],
    "devices": [["phone"], []],
    "hours": [1.0, 2.0],
    "page": ["a", "b"],
}
SCHEMA = pyarrow.table(FRAME).schema
SURVEY_REPORTS = SURVEY.randomize(FRAME)
PARAMS = deniable.RapporParams(k=16, h=2, m=4, p=0.25, q=0.75, f=0.5)
CLIENT = deniable.RapporClient(PARAMS)
RAPPOR = deniable.RapporCounts(PARAMS, [CLIENT.report("page", "a")])
DRINK = deniable.make_randomized_response(["tea", "coffee"], 0.8)
FLOAT = dict(scale=None, epsilon=1.0, sensitivity=1.0, bounds=(0, 1), k=-10, dtype="float64")
INTEGER = dict(scale=None, epsilon=1.0, sensitivity=1, bounds=(0, 1), dtype="int64", constant_time=False)

# Every function and method, with arguments that are accepted.
ACCEPTED = {
    "make_randomized_response_bool": dict(prob=0.75, epsilon=None, constant_time=False),
    "make_randomized_response": dict(categories=["a", "b"], prob=0.75, epsilon=None),
    "make_unary_encoding": dict(categories=["a", "b"], one=0.5, zero=0.25, epsilon=None),
    "make_subset_selection": dict(categories=[1, 2, 3], size=1, prob=0.75, epsilon=None),
    "make_local_hashing": dict(categories=[1, 2, 3], buckets=4, prob=0.75, epsilon=None),
    "make_randomized_response_bitvec": dict(length=8, max_weight=2, f=0.5, epsilon=None, constant_time=False),
    "make_scalar_float_laplace_cks20": FLOAT,
    "make_vector_float_laplace_cks20": {**FLOAT, "size": 3},
    "make_scalar_integer_laplace_cks20": INTEGER,
    "make_vector_integer_laplace_cks20": {**INTEGER, "size": 3},
    "debias_randomized_response_bool": dict(reports=[True], prob=0.75),
    "debias_randomized_response": dict(reports=["a"], categories=["a", "b"], prob=0.75),
    "debias_randomized_response_bitvec": dict(reports=[b"\1"], f=0.5, length=8),
    "rappor_decode": dict(
        params=PARAMS, counts=RAPPOR, candidates=["a", "b"], confidence=0.95, target="sample", alpha=0.05
    ),
    "RapporParams": dict(k=16, h=2, m=4, p=0.25, q=0.75, f=0.5),
    "RapporClient": dict(params=PARAMS, secret=bytes(32), cohort=1),
    "RapporCounts": dict(params=PARAMS, reports=[(0, b"ab")]),
    "RapporParams.bits_of": dict(self=PARAMS, cohort=1, value="a"),
    "RapporClient.report": dict(self=CLIENT, metric="page", value="a"),
    "RapporCounts.from_json": dict(text=RAPPOR.to_json()),
    "Measurement.map": dict(self=DRINK, d_in=1),
    "Measurement.check": dict(self=DRINK, d_in=1, d_out=2.0),
    "Measurement.invoke": dict(self=DRINK, value="tea"),
    "Measurement.randomize": dict(self=DRINK, column=["tea"], missing="tea"),
    "Measurement.count": dict(self=DRINK, reports=["tea"]),
    "Measurement.estimate": dict(self=DRINK, reports=["tea"], confidence=0.95, target="population"),
    "Measurement.debias": dict(self=DRINK, reports=["tea"]),
    "Measurement.from_json": dict(text=DRINK.to_json()),
    "Counts.from_json": dict(text=DRINK.count(["tea"]).to_json()),
    "Survey.load": dict(path="not there"),
    "Survey.parse": dict(text="version = 1"),
    "Survey.randomize": dict(self=SURVEY, frame=FRAME, plain=False),
    "Survey.report_schema": dict(self=SURVEY, answers=SCHEMA, plain=False),
    "Survey.count": dict(self=SURVEY, reports=SURVEY_REPORTS),
    "Survey.estimate": dict(
        self=SURVEY, reports=SURVEY_REPORTS, confidence=0.95, target="population", candidates=["a"]
    ),
    "SurveyCounts.from_json": dict(text=SURVEY.count(SURVEY_REPORTS).to_json()),
}


def function(name):
    thing = deniable
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def arguments():
    return [(name, argument) for name, given in ACCEPTED.items() for argument in given if argument != "self"]


def test_every_function_and_argument_is_here():
    """What shows results is left out: it is given what was found."""
    expected = {}
    for name in deniable.__all__:
        thing = getattr(deniable, name)
        if name in ("Estimates", "SurveyEstimates"):
            continue
        if not inspect.isclass(thing):
            expected[name] = inspect.signature(thing)
            continue
        if inspect.signature(thing).parameters:
            expected[name] = inspect.signature(thing)
        for member in vars(thing):
            if not member.startswith("_") and callable(getattr(thing, member)):
                expected[f"{name}.{member}"] = inspect.signature(getattr(thing, member))
    found = {name: set(given) for name, given in ACCEPTED.items()}
    assert found == {
        name: set(signature.parameters) for name, signature in expected.items() if set(signature.parameters) - {"self"}
    }


@pytest.mark.parametrize("name", [name for name in ACCEPTED if name not in ("Survey.load", "Survey.parse")])
def test_what_is_accepted(name):
    given = dict(ACCEPTED[name])
    args = [given.pop("self")] if "self" in given else []
    assert function(name)(*args, **given) is not None


@pytest.mark.parametrize("name, argument", arguments())
@given(value=bad_values())
def test_one_bad_argument(name, argument, value):
    given = {**ACCEPTED[name], argument: value}
    args = [given.pop("self")] if "self" in given else []
    call(function(name), *args, **given)


@pytest.mark.parametrize("name", ACCEPTED)
@given(data=st.data())
def test_all_arguments_bad(name, data):
    given = {argument: data.draw(bad_values(), argument) for argument in ACCEPTED[name]}
    args = [given.pop("self")] if "self" in given else []
    call(function(name), *args, **given)


@pytest.mark.parametrize("answers", certain())
@given(value=bad_values(), missing=bad_values())
def test_bad_columns_of_every_mechanism(answers, value, missing):
    mechanism = certain()[answers]
    for method in (mechanism.invoke, mechanism.randomize, mechanism.count, mechanism.estimate, mechanism.debias):
        call(method, value)
        call(method, [value])
        call(method, (value, value))
    call(mechanism.randomize, [value, None], missing=missing)
    call(mechanism.randomize, value, missing=missing)


@given(frame=st.dictionaries(st.sampled_from(list(FRAME)) | st.text(max_size=3), bad_values(), max_size=7))
def test_bad_frames(frame):
    call(SURVEY.randomize, frame)
    call(SURVEY.count, frame)
    call(SURVEY.randomize, {**FRAME, **frame})
    call(SURVEY.count, {**SURVEY_REPORTS, **frame})


@given(column=st.lists(st.sampled_from(ODD), min_size=2, max_size=2), name=st.sampled_from(list(FRAME)))
def test_bad_answers_in_a_frame(column, name):
    call(SURVEY.randomize, {**FRAME, name: column})
    call(SURVEY.count, {**SURVEY_REPORTS, name: column})


JSON = [
    (deniable.Measurement.from_json, DRINK.to_json()),
    (deniable.Counts.from_json, DRINK.count(["tea"]).to_json()),
    (deniable.RapporCounts.from_json, RAPPOR.to_json()),
    (deniable.SurveyCounts.from_json, SURVEY.count(SURVEY_REPORTS).to_json()),
]


@pytest.mark.parametrize("from_json, text", JSON)
@given(data=st.data())
def test_json_that_was_changed(from_json, text, data):
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.sampled_from(["", "0", "-1", "1e999", "18446744073709551616", "null", '"', "[", "}", ",", "\0"]))
    length = data.draw(st.integers(0, 4))
    found = call(from_json, text[:place] + other + text[place + length :])
    if isinstance(found, deniable.Counts):
        call(DRINK.estimate, found)
        call(found.__add__, found)
        assert found.supporting is None or all(count <= found.reports for count in found.supporting)
    if isinstance(found, deniable.RapporCounts):
        call(deniable.rappor_decode, PARAMS, found, ["a"])
        call(found.__add__, RAPPOR)
    if isinstance(found, deniable.SurveyCounts):
        call(SURVEY.estimate, found)
    if isinstance(found, deniable.Measurement):
        call(found.estimate, ["tea"])


@given(place=st.integers(0, 600), other=st.text(max_size=3) | st.sampled_from(["=", "[", '"', "1e999", "\n"]))
def test_survey_files_that_were_changed(place, other):
    text = SURVEY.__reduce__()[1][0]
    call(deniable.Survey.parse, text[:place] + other + text[place + 1 :])


def test_survey_files_that_are_none(tmp_path):
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for path in (tmp_path, tmp_path / "bytes", tmp_path / "nothing", "", "\0", b"survey.toml", 0, -1):
        with pytest.raises((OSError, ValueError, TypeError)) as refusal:
            deniable.Survey.load(path)
        assert str(refusal.value)


# No error has an answer in it. Everything that looks for the answer looks for these.

TEXT, NUMBER = "canary", 8675309


def chain(error):
    """An error, and all that it came of."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def refusal_of(function, *args, **kwargs):
    """The error of a call, which says nothing of the answers; none, if it was accepted."""
    try:
        function(*args, **kwargs)
    except REFUSALS as error:
        for one in chain(error):
            for said in (str(one), repr(one), *map(str, getattr(one, "__notes__", ()))):
                assert TEXT not in said and str(NUMBER) not in said and f"{NUMBER:x}" not in said, said
        return error
    return None


class Tells:
    """A column of somebody's own, whose errors have its values in them."""

    def __arrow_c_array__(self, requested_schema=None):
        raise ValueError(f"cannot export {TEXT} {NUMBER}")

    __arrow_c_stream__ = __arrow_c_array__


ANSWERS = [
    TEXT,
    TEXT + "\ud800",
    TEXT.encode(),
    NUMBER,
    -NUMBER,
    NUMBER * 10**300,
    NUMBER + 0.5,
    float(NUMBER) * 1e300,
    complex(NUMBER),
    decimal.Decimal(NUMBER),
    fractions.Fraction(NUMBER, 2),
    [TEXT],
    [NUMBER],
    (TEXT, NUMBER),
    {TEXT: NUMBER},
    {TEXT},
    numpy.float32(NUMBER),
    numpy.longdouble(NUMBER),
    numpy.str_(TEXT),
    numpy.bytes_(TEXT),
    numpy.uint64(NUMBER),
    numpy.array([NUMBER]),
    numpy.datetime64(NUMBER, "s"),
    pandas.Timestamp(NUMBER),
    pandas.Interval(NUMBER, NUMBER + 1),
    pyarrow.scalar(TEXT),
]


def canary_columns():
    for answer in ANSWERS:
        for others in ([], ["tea"], [7], [True], [1.5], [None], [b"ab"]):
            yield [answer, *others]
            yield [*others, answer]
            objects = numpy.empty(1 + len(others), object)
            objects[:1], objects[1:] = [answer], others
            yield objects
            yield pandas.Series(objects, dtype=object)
    numbers = [NUMBER, NUMBER + 1]
    for dtype in ("i4", "i8", "u8", "f4", "f8", "g", "c16", "M8[s]", "m8[s]", ">i8", ">f8", "f2"):
        with numpy.errstate(over="ignore"):
            yield numpy.array(numbers).astype(dtype)
            yield numpy.array([numbers]).astype(dtype)
    yield numpy.array([TEXT, "tea"])
    yield numpy.array([TEXT], "S")
    yield numpy.array([TEXT], numpy.dtypes.StringDType())
    yield numpy.frombuffer(TEXT.encode(), "u1").reshape(1, -1)
    yield numpy.array([(NUMBER, TEXT)], [("a", "i8"), ("b", "U10")])
    yield numpy.ma.array(numbers, mask=[True, False])
    for type in (
        pyarrow.int32(),
        pyarrow.int64(),
        pyarrow.uint64(),
        pyarrow.float32(),
        pyarrow.float64(),
        pyarrow.timestamp("s"),
        pyarrow.duration("s"),
        pyarrow.decimal128(25, 3),
    ):
        yield pyarrow.array(numbers, pyarrow.int64()).cast(type, safe=False)
        yield pyarrow.chunked_array([pyarrow.array([*numbers, None], pyarrow.int64()).cast(type, safe=False)])
    for type in (
        pyarrow.string(),
        pyarrow.large_string(),
        pyarrow.string_view(),
        pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
    ):
        yield pyarrow.array([TEXT, "tea"], type)
        yield pyarrow.array([TEXT, None], type)
    yield pyarrow.array([TEXT.encode(), None])
    yield pyarrow.array([[TEXT], [TEXT]])
    yield pyarrow.array([{"a": TEXT, "b": NUMBER}])
    yield pyarrow.scalar(TEXT)
    yield pyarrow.table({TEXT: [TEXT]})
    yield polars.Series([TEXT, "tea", None])
    yield polars.Series(numbers)
    yield polars.Series([float(number) for number in numbers])
    yield polars.Series([TEXT, None], dtype=polars.Categorical)
    yield polars.Series([TEXT], dtype=polars.Enum([TEXT]))
    yield polars.Series([[TEXT]])
    yield polars.Series([{"a": NUMBER}])
    yield polars.Series([TEXT, NUMBER], dtype=polars.Object)
    yield polars.Series([NUMBER], dtype=polars.Datetime)
    yield polars.DataFrame({"a": [TEXT]})
    for dtype in ("str", "string[python]", "string[pyarrow]", "category"):
        yield pandas.Series([TEXT, "tea"], dtype=dtype)
        yield pandas.Series([TEXT, None], dtype=dtype)
    for dtype in ("Int32", "Int64", "UInt64", "Float32", "Float64", "int64[pyarrow]", "double[pyarrow]", "category"):
        yield pandas.Series([*numbers, None], dtype=dtype)
        yield pandas.Series(numbers, dtype=dtype)
    yield pandas.Series(pandas.arrays.SparseArray(numbers))
    yield pandas.Series(pandas.to_datetime(numbers, unit="s"))
    yield pandas.Series(pandas.to_datetime(numbers, unit="s").tz_localize("UTC"))
    yield pandas.Series(pandas.IntervalIndex.from_breaks([*numbers, NUMBER + 5]))
    yield pandas.DataFrame({"a": [TEXT]})
    yield pandas.Index([TEXT])
    yield Tells()
    yield from ANSWERS


def mechanisms():
    """Those of all kinds of answers, and some with less that they accept."""
    yield from certain().values()
    yield deniable.make_unary_encoding(TEXTS, epsilon=1.0)
    yield deniable.make_subset_selection(INTEGERS, epsilon=1.0)
    yield deniable.make_local_hashing(TEXTS, epsilon=1.0)
    yield deniable.make_randomized_response_bitvec(48, 2, 0.5)
    yield deniable.make_scalar_float_laplace_cks20(1.0, bounds=(0, 1))
    yield deniable.make_vector_float_laplace_cks20(1.0, bounds=(0, 1), size=2, dtype="float32")
    yield deniable.make_scalar_integer_laplace_cks20(1.0, bounds=(0, 1))
    yield deniable.make_vector_integer_laplace_cks20(1.0, bounds=(0, 1), size=2, dtype="int32")


STANDS_IN = {"truth values": True, "texts": "tea", "integers": 7, "bits": b"\1\0", "numbers": 1}


@pytest.mark.parametrize("mechanism", list(mechanisms()), ids=lambda mechanism: repr(mechanism)[:60])
def test_no_error_has_an_answer_in_it(mechanism):
    errors = 0
    for column in canary_columns():
        for method in (mechanism.invoke, mechanism.randomize, mechanism.count, mechanism.estimate, mechanism.debias):
            errors += refusal_of(method, column) is not None
        errors += refusal_of(mechanism.randomize, column, missing=STANDS_IN[mechanism._answers]) is not None
    # Most of these columns are of another type than the mechanism's.
    assert errors > 500


def test_no_error_of_an_estimator_has_a_report_in_it():
    for column in canary_columns():
        refusal_of(deniable.debias_randomized_response_bool, column, 0.75)
        refusal_of(deniable.debias_randomized_response, column, TEXTS, 0.75)
        refusal_of(deniable.debias_randomized_response_bitvec, column, 0.5)
        refusal_of(deniable.debias_randomized_response_bitvec, column, 0.5, length=48)


@pytest.mark.parametrize("kind", [dict, pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_no_error_of_a_survey_has_an_answer_in_it(kind):
    errors = 0
    for name in FRAME:
        for column in canary_columns():
            try:
                length = len(column)
                others = {key: (values * length)[:length] for key, values in FRAME.items()}
                others["id"] = [str(i) for i in range(length)]
                frame = kind({**others, name: column})
            except Exception:
                # It is no frame of this library's.
                continue
            errors += refusal_of(SURVEY.randomize, frame) is not None
            errors += refusal_of(SURVEY.count, frame) is not None
    assert errors > 100


def test_no_error_about_ids_has_one_in_it():
    for kind in (dict, pandas.DataFrame, polars.DataFrame, pyarrow.table):
        error = refusal_of(SURVEY.randomize, kind({**FRAME, "id": [TEXT, TEXT]}))
        assert "two rows have the same id" in str(error)


def test_no_error_of_rappor_has_an_answer_in_it():
    for answer in ANSWERS:
        refusal_of(CLIENT.report, "page", answer)
        refusal_of(PARAMS.bits_of, 0, answer)
        for reports in ([(0, answer)], [(answer, b"ab")], [answer], answer):
            refusal_of(deniable.RapporCounts, PARAMS, reports)
    assert CLIENT.report("page", TEXT + "\ud800")[0] == CLIENT.cohort


def test_a_leak_would_be_seen():
    def leaks(_):
        try:
            int(TEXT)
        except ValueError:
            raise TypeError("the type is another") from None

    with pytest.raises(AssertionError, match=TEXT):
        refusal_of(leaks, None)


# What would need more memory than there is: in a process of its own, since an abort ends it.
HUGE = """
make_randomized_response_bitvec(2**60, 1, 0.5)
make_randomized_response_bitvec(2**64 - 1, 1, epsilon=1.0)
make_randomized_response_bitvec(2**24, 1, 0.5).count([])
debias_randomized_response_bitvec([], 0.5, length=2**60)
debias_randomized_response_bitvec(numpy.zeros((0, 2**40), bool), 0.5)
make_randomized_response(range(10**12), 0.5)
make_unary_encoding(range(2**63 - 1), epsilon=1.0)
make_subset_selection([1, 2], 2**63, 0.5)
make_local_hashing([1, 2], 2**63, 0.5)
make_vector_float_laplace_cks20(1.0, size=2**63).invoke([1.0])
make_vector_float_laplace_cks20(1.0, size=2**63, bounds=(0, 1), k=-1074).epsilon
make_vector_integer_laplace_cks20(1.0, size=2**64 - 1, bounds=(0, 1)).epsilon
make_vector_float_laplace_cks20(1.0, size=3, k=2**31 - 1)
make_vector_float_laplace_cks20(1.0, size=3, k=-(2**31))
make_scalar_float_laplace_cks20(1.7976931348623157e308).invoke(1e308)
make_scalar_integer_laplace_cks20(1.7976931348623157e308).invoke(2**63 - 1)
RapporParams(k=2**60, h=2, m=64, p=0.25, q=0.75, f=0.5)
RapporCounts(RapporParams(k=65536, h=2, m=16384, p=0.25, q=0.75, f=0.5), [])
make_randomized_response_bool(0.75).randomize(numpy.broadcast_to(True, 2**50))
make_randomized_response([1, 2], 0.5).randomize(numpy.broadcast_to(numpy.int64(1), 2**50))
make_randomized_response(["a", "b"], 0.5).randomize(numpy.broadcast_to("a", 2**50))
make_scalar_float_laplace_cks20(1.0).randomize(numpy.broadcast_to(1.0, 2**60 - 1))
make_scalar_float_laplace_cks20(1.0).randomize(numpy.broadcast_to(numpy.array(1.0, ">f8"), 2**50))
make_vector_float_laplace_cks20(1.0).invoke(numpy.broadcast_to(1.0, 2**50))
make_randomized_response_bitvec(8, 8, 0.5).randomize(numpy.broadcast_to(numpy.uint8(1), (1, 2**50)))
make_randomized_response_bitvec(8, 8, 0.5).randomize(numpy.broadcast_to(numpy.uint8(1), (2**50, 1)))
make_randomized_response_bitvec(8, 8, 0.5).randomize(numpy.broadcast_to(True, (2**50, 8)))
make_randomized_response_bitvec(8, 8, 0.5).count(numpy.broadcast_to(numpy.uint8(1), (1, 2**50)))
make_unary_encoding(range(8), epsilon=1.0).count(numpy.broadcast_to(numpy.uint8(1), (1, 2**50)))
make_unary_encoding(range(8), epsilon=1.0).count(numpy.zeros((0, 2**40), "u1"))
Measurement.from_json(make_randomized_response_bitvec(8, 8, 0.5).to_json().replace(":8", ":1152921504606846976"))
Counts.from_json(make_randomized_response_bitvec(8, 8, 0.5).count([]).to_json().replace(":8", ":1152921504606846976")).supporting
"""


def test_nothing_ends_the_interpreter():
    script = textwrap.dedent("""
        import sys
        import numpy
        from deniable import *

        try:
            import resource
            resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))
        except ImportError:
            pass
        for line in sys.stdin.read().strip().splitlines():
            try:
                eval(line)
                print("accepted")
            except (TypeError, ValueError, OverflowError, MemoryError) as error:
                assert str(error) or isinstance(error, MemoryError)
                print("refused", type(error).__name__, error)
    """)
    run = subprocess.run([sys.executable, "-c", script], input=HUGE, capture_output=True, text=True)
    lines = HUGE.strip().splitlines()
    said = run.stdout.splitlines()
    assert run.returncode == 0 and len(said) == len(lines), (lines[len(said) :][:1], run.stderr)
    for line, outcome in zip(lines, said):
        assert "broadcast" not in line or outcome.startswith("refused"), line
