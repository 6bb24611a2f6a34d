"""Surveys on data frames: the command's file, and the command's results from the same reports."""

import json
import math
import pickle
import traceback
from pathlib import Path

import command
import deniable
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

CERTAIN = Path(__file__).parents[2] / "deniable-cli" / "tests" / "certain.toml"
FINGERPRINT = "deniable_survey"
CANARY = "canary-4711"

# A question of each kind: that of the command's tests.
SURVEY = (Path(__file__).parents[2] / "deniable-cli" / "tests" / "every_kind.toml").read_text()
ROWS = 4000


def answers(rows=ROWS):
    """Half moved; a quarter takes each of four, of which the survey does not know the horse; all have eight hours."""
    return {
        "region": [["north", "south"][i // 4 % 2] for i in range(rows)],
        "moved": [["yes", "no"][i % 2] for i in range(rows)],
        "transport": [["car", "bus", "bike", "horse"][i % 4] for i in range(rows)],
        "pets": [["cat", "cat;dog"][i % 2] for i in range(rows)],
        "browser": [["Firefox", "Chrome"][i // 2 % 2] for i in range(rows)],
        "hours": [8.0] * rows,
    }


class OtherFrame:
    """A frame of a library that nobody has heard of, which speaks Arrow's C interface."""

    def __init__(self, columns):
        self.table = pa.table(columns)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class OtherSchema:
    """And its schema."""

    def __init__(self, schema):
        self.schema = schema

    def __arrow_c_schema__(self):
        return self.schema.__arrow_c_schema__()


KINDS = {
    "dict": dict,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "batch": pa.RecordBatch.from_pydict,
    "other": OtherFrame,
}


def as_dict(frame):
    """A frame's columns as lists, with None where something is missing."""
    if isinstance(frame, dict):
        return dict(frame)
    if isinstance(frame, pd.DataFrame):
        return {name: [None if pd.isna(x) else x for x in frame[name]] for name in frame}
    if isinstance(frame, pl.DataFrame):
        return frame.to_dict(as_series=False)
    return pa.table(frame).to_pydict()


def certain():
    """A survey whose reports are the answers, but once in 10^15 times."""
    return deniable.Survey.load(CERTAIN)


def people():
    return {
        "diary": [CANARY] * 4,
        "person": ["p1", "p2", "p3", "p4"],
        "region": ["north", None, "south", "south"],
        "moved": ["yes", "no", None, CANARY],
        "transport": ["car", "bus", None, "horse"],
    }


def test_a_file_or_its_text():
    survey = certain()
    assert survey == deniable.Survey.parse(CERTAIN.read_text())
    assert survey.questions == ["moved", "transport"]
    assert (survey.id, survey.public) == ("person", ["region"])
    # 36.7 and 37.4 are the most that floats can tell from certainty.
    assert survey.epsilon == pytest.approx(sum(survey.epsilons.values()))
    assert pickle.loads(pickle.dumps(survey)) == survey
    assert pickle.loads(pickle.dumps(survey)).fingerprint == survey.fingerprint


def test_files_that_are_none(tmp_path):
    with pytest.raises(OSError):
        deniable.Survey.load(tmp_path / "nothing.toml")
    for text in ("", "version = 2", CERTAIN.read_text().replace("yes-no", "perhaps")):
        with pytest.raises(ValueError, match="accepted|version|question"):
            deniable.Survey.parse(text)
    with pytest.raises(ValueError, match="line 7"):
        deniable.Survey.parse(CERTAIN.read_text().replace("yes-no", "perhaps"))


@pytest.mark.parametrize("kind", KINDS)
def test_reports_are_of_the_kind_of_the_answers(kind):
    survey, frame = certain(), KINDS[kind](people())
    reports = survey.randomize(frame)
    if kind in ("dict", "pandas", "polars"):
        assert type(reports) is type(frame)
    elif kind == "other":
        assert hasattr(reports, "__arrow_c_stream__")
    else:
        assert isinstance(reports, pa.Table)
    found = as_dict(reports)
    marks = found.pop(FINGERPRINT, None)
    # Public columns as they are, the rest as the survey says; no other column, and no id.
    assert found == {
        "region": ["north", None, "south", "south"],
        "moved": [True, False, False, False],
        "transport": ["car", "bus", "other", "other"],
    }
    if marks is None:
        metadata = pa.table(reports).schema.metadata
        assert metadata[FINGERPRINT.encode()].decode() == survey.fingerprint
    else:
        assert marks == [survey.fingerprint] * 4
    assert survey.count(reports).reports == {"moved": 4, "transport": 4}
    assert survey.estimate(reports)["transport"]["count"] == pytest.approx([1, 1, 2])


@pytest.mark.parametrize("kind", KINDS)
def test_plain_reports_are_the_same_in_other_types(kind):
    survey = certain()
    reports = survey.randomize(KINDS[kind](people()), plain=True)
    assert isinstance(reports, type(survey.randomize(KINDS[kind](people()))))
    assert as_dict(reports) == {
        "region": ["north", None, "south", "south"],
        "moved": [True, False, False, False],
        "transport": ["car", "bus", "other", "other"],
        FINGERPRINT: [survey.fingerprint] * 4,
    }
    if kind == "pandas":
        assert not any(isinstance(dtype, pd.CategoricalDtype) for dtype in reports.dtypes)
    elif kind == "polars":
        assert reports.dtypes == [pl.String, pl.Boolean, pl.String, pl.String]
    assert survey.count(reports).reports == {"moved": 4, "transport": 4}


def test_plain_reports_need_no_metadata():
    """Bits are bytes of any length, and the column says which survey it is. They are counted as in the types of our own."""
    survey = deniable.Survey.parse(SURVEY)
    reports = survey.randomize(pa.table(answers()), plain=True).replace_schema_metadata(None)
    assert {str(column.type) for column in reports.schema} == {"string", "bool", "binary", "double"}
    ours = survey.report_schema(pa.table(answers()).schema)
    assert {"dictionary", "fixed_size_binary"} <= {str(column.type).split("<")[0].split("[")[0] for column in ours}
    assert survey.count(reports) == survey.count(reports.drop([FINGERPRINT]).cast(ours))
    other = deniable.Survey.parse(SURVEY.replace("epsilon = 2.0", "epsilon = 2.5"))
    with pytest.raises(ValueError, match="another survey"):
        other.count(reports)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("text", [SURVEY, CERTAIN.read_text()], ids=["every kind", "with an id"])
def test_the_schema_of_reports_is_known_before(text, plain):
    survey = deniable.Survey.parse(text)
    table = pa.table(answers(4) | people())
    known = survey.report_schema(table.schema, plain=plain)
    for rows in (table, table[:0]):
        assert survey.randomize(rows, plain=plain).schema.equals(known, check_metadata=True)
    # Of any library that speaks Arrow's C interface.
    other = survey.randomize(OtherFrame(answers(4) | people()), plain=plain)
    assert pa.table(other).schema.equals(known, check_metadata=True)
    assert survey.report_schema(OtherSchema(table.schema), plain=plain) == known


def test_a_schema_that_gives_no_reports():
    survey, schema = certain(), pa.table(people()).schema
    for name, problem in {"moved": "not there", "region": "not there", "person": "ids that is not there"}.items():
        with pytest.raises(ValueError, match=problem):
            survey.report_schema(schema.remove(schema.get_field_index(name)))
    with pytest.raises(ValueError, match="there twice"):
        survey.report_schema(schema.append(schema.field("moved")))
    with pytest.raises(ValueError, match='column "moved"'):
        survey.report_schema(schema.set(schema.get_field_index("moved"), pa.field("moved", pa.binary())))
    for no_schema in (None, CANARY, [CANARY], pa.table(people())["moved"]):
        with pytest.raises(TypeError, match="accepted is an Arrow schema") as refusal:
            survey.report_schema(no_schema)
        assert CANARY not in str(refusal.value) and refusal.value.__context__ is None


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT, ""])
def test_what_is_missing(missing):
    columns = {**people(), "moved": ["yes", "no", missing, missing]}
    columns["transport"] = ["car", "bus", missing, missing]
    for frame in (columns, pd.DataFrame(columns)):
        reports = as_dict(certain().randomize(frame))
        assert reports["moved"] == [True, False, False, False]
        assert reports["transport"] == ["car", "bus", "other", "other"]


@pytest.mark.parametrize(
    "moved",
    [
        [True, False, True, False],
        ["YES", "no ", "True", "0"],
        [1, 0, 1, 0],
        np.array([1, 0, 1, 0], "i1"),
        np.array([True, False, True, False]),
        pd.array([True, False, True, None], dtype="boolean"),
        pd.array(["yes", "no", "yes", None], dtype="string"),
        pd.Categorical(["yes", "no", "yes", None]),
        pa.array([True, False, True, None]),
    ],
    ids=lambda moved: f"{type(moved).__name__} {getattr(moved, 'dtype', '')}",
)
def test_columns_of_many_types_are_read(moved):
    columns = {**people(), "moved": moved}
    assert as_dict(certain().randomize(columns))["moved"] == [True, False, True, False]
    if not isinstance(moved, pa.Array):
        frame = pd.DataFrame(columns)
        assert as_dict(certain().randomize(frame))["moved"] == [True, False, True, False]


def test_the_index_of_pandas_is_not_passed_on():
    frame = pd.DataFrame(people()).set_index("diary")
    reports = certain().randomize(frame)
    assert list(reports.index) == [0, 1, 2, 3] and reports.index.name is None
    assert CANARY not in reports.to_csv() and CANARY not in repr(reports.attrs)
    table = pa.Table.from_pandas(reports)
    assert CANARY not in str(table.schema.metadata)


def test_the_metadata_of_arrow_is_not_passed_on():
    table = pa.table(people()).replace_schema_metadata({"note": CANARY})
    fields = [field.with_metadata({"note": CANARY}) for field in table.schema]
    table = table.cast(pa.schema(fields, metadata={"note": CANARY}))
    reports = certain().randomize(table)
    assert CANARY not in str(reports.schema.metadata)
    assert all(CANARY not in str(reports.schema.field(name).metadata) for name in ("moved", "transport"))


@pytest.mark.parametrize("kind", KINDS)
def test_ids(kind):
    survey = certain()
    for bad in (["p1", "p2", "p3", "p1"], ["p1", "p2", "p3", None], [1, 2, 3, 1]):
        with pytest.raises(ValueError, match="id") as refusal:
            survey.randomize(KINDS[kind]({**people(), "person": bad}))
        assert "p1" not in str(refusal.value)
    without = {name: column for name, column in people().items() if name != "person"}
    with pytest.raises(ValueError, match="ids that is not there"):
        survey.randomize(KINDS[kind](without))
    with pytest.raises(ValueError, match="ids that is not there"):
        survey.randomize(pa.table(without)[:0])


def test_ids_are_looked_for_in_all_chunks():
    table = pa.concat_tables([pa.table(people()), pa.table(people())])
    with pytest.raises(ValueError, match="same id"):
        certain().randomize(table)


class Strange:
    def __str__(self):
        raise RuntimeError(CANARY)

    __repr__ = __str__


def bad_frames():
    columns = people()
    yield {**columns, "moved": [CANARY.encode()] * 4}
    yield {**columns, "moved": [{CANARY: 1}, CANARY, 1.5, None]}
    yield {**columns, "moved": [Strange()] * 4}
    yield {**columns, "transport": [[CANARY]] * 4}
    yield {**columns, "person": [CANARY] * 4}
    yield {**columns, "person": [[CANARY]] * 4}
    yield {**columns, "transport": [CANARY]}
    yield {**columns, "transport": ["\ud800" + CANARY] * 4}
    yield {**columns, "transport": CANARY}
    yield {name: column for name, column in columns.items() if name != "moved"}
    yield pd.DataFrame({**columns, "transport": [Strange(), CANARY, 2, None]})
    yield pl.DataFrame({**columns, "transport": [[CANARY]] * 4})
    yield pa.table({**columns, "moved": pa.array([CANARY.encode()] * 4)})
    yield [CANARY]
    yield CANARY
    yield pd.DataFrame(columns)["transport"]


@pytest.mark.parametrize("frame", list(bad_frames()), ids=lambda frame: type(frame).__name__)
def test_answers_are_in_no_error(frame):
    """It works, or it fails without a word of the data: neither in the message, nor in those of errors behind it."""
    try:
        reports = certain().randomize(frame)
    except (ValueError, TypeError) as error:
        assert CANARY not in str(error)
        # What is shown of a traceback, without the lines of this file.
        shown = traceback.TracebackException.from_exception(error)
        assert CANARY not in "".join(shown.format_exception_only())
        assert shown.__cause__ is None and (shown.__context__ is None or shown.__suppress_context__)
    else:
        assert CANARY not in str(as_dict(reports))


def test_reports_of_another_survey_are_refused():
    survey = deniable.Survey.parse(SURVEY)
    other = deniable.Survey.parse(SURVEY.replace("epsilon = 2.0", "epsilon = 2.5"))
    for kind in ("dict", "pandas", "polars", "pyarrow"):
        reports = survey.randomize(KINDS[kind](answers(8)))
        with pytest.raises(ValueError, match="another survey"):
            other.count(reports)
        with pytest.raises(ValueError):
            survey.count(KINDS[kind](answers(8)))
    # Some rows of each: of Polars, pandas and dicts.
    both = pl.concat([one.randomize(pl.DataFrame(answers(8))).cast({FINGERPRINT: pl.String}) for one in (survey, other)])
    with pytest.raises(ValueError, match="different surveys"):
        survey.count(both)
    with pytest.raises(ValueError, match="different surveys"):
        survey.count(both.to_pandas())


def test_counts_add_up():
    survey = deniable.Survey.parse(SURVEY)
    reports = survey.randomize(pa.table(answers()))
    parts = survey.count(reports[:1000]) + survey.count(reports[1000:])
    whole = survey.count(reports)
    assert parts.reports == whole.reports == {name: ROWS for name in survey.questions}
    assert pickle.loads(pickle.dumps(whole)) == whole == deniable.SurveyCounts.from_json(whole.to_json())
    for name, found in survey.estimate(parts).items():
        known = survey.estimate(whole)[name]
        # A mean is rounded in another order.
        for column, values in found.to_dict().items():
            assert values == (pytest.approx(known[column], rel=1e-12) if name == "hours" else known[column])
    with pytest.raises(ValueError, match="different surveys"):
        whole + certain().count(certain().randomize(people()))


def test_estimates_hold_the_truth():
    """Intervals with a confidence of 1 - 10^-12, of which there are 13."""
    survey = deniable.Survey.parse(SURVEY)
    truth = {
        "moved": [0.5],
        "transport": [0.25] * 4,
        "pets": [1.0, 0.5, 0.0],
        "browser": [0.5, 0.5],
        "hours": [8.0],
    }
    for kind in ("dict", "pandas", "polars", "pyarrow"):
        reports = survey.randomize(KINDS[kind](answers()))
        found = survey.estimate(reports, confidence=1 - 1e-12, target="sample")
        for name, shares in truth.items():
            for low, share, high in zip(found[name]["low"], shares, found[name]["high"], strict=True):
                assert low <= share <= high, (name, kind)


def assert_same_as_the_command(found, known):
    """Float by float, as JSON writes them: exactly. JSON has no infinite one."""

    def same(ours, theirs):
        return ours == theirs or (theirs is None and math.isinf(ours))

    assert [question["name"] for question in known["questions"]] == list(found)
    assert found.epsilon == known["epsilon"] and found.title == known["title"]
    for question, ours in zip(known["questions"], found.values(), strict=True):
        for name in ("kind", "text", "mechanism", "epsilon", "reports", "notes"):
            assert getattr(ours, name) == question[name]
        rows = [question["mean"]] if "mean" in question else question["values"]
        for our_row, row in zip(ours, rows, strict=True):
            assert all(same(value, row[name]) for name, value in our_row.items()), (our_row, row)
        if "fit" in question:
            assert ours.fit == question["fit"]


def written(reports, path):
    """Writes reports as their own library does."""
    if isinstance(reports, pd.DataFrame):
        return reports.to_csv(path, index=False) if path.suffix == ".csv" else reports.to_parquet(path)
    if isinstance(reports, pl.DataFrame):
        return reports.write_csv(path) if path.suffix == ".csv" else reports.write_parquet(path)
    return pq.write_table(reports, path) if path.suffix == ".parquet" else pa.feather.write_feather(reports, path, compression="uncompressed")


@command.needed
@pytest.mark.parametrize("kind, suffix", [("pandas", "parquet"), ("polars", "parquet"), ("pyarrow", "parquet"), ("pyarrow", "arrow")])  # fmt: skip
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("target", ["population", "sample"])
def test_the_command_finds_the_same_in_reports_of_python(kind, suffix, plain, target, tmp_path):
    (tmp_path / "survey.toml").write_text(SURVEY)
    survey = deniable.Survey.load(tmp_path / "survey.toml")
    reports = survey.randomize(KINDS[kind](answers()), plain=plain)
    if kind == "pyarrow" and plain:
        reports = reports.replace_schema_metadata(None)
    path = tmp_path / f"reports.{suffix}"
    written(reports, path)
    words = ("estimate", tmp_path / "survey.toml", path, "--target", target, "--confidence", 0.9)
    found = survey.estimate(reports, target=target, confidence=0.9)
    assert_same_as_the_command(found, command.json_of(*words))


PLAIN = "\n".join(
    part for part in SURVEY.split("\n\n") if not any(name in part for name in ("pets", "browser"))
)


@command.needed
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_the_command_finds_the_same_in_text_of_python(kind, tmp_path):
    """Without questions whose reports are bits, for which frames have no text."""
    (tmp_path / "survey.toml").write_text(PLAIN)
    survey = deniable.Survey.load(tmp_path / "survey.toml")
    reports = survey.randomize(KINDS[kind](answers()))
    written(reports, tmp_path / "reports.csv")
    known = command.json_of("estimate", tmp_path / "survey.toml", tmp_path / "reports.csv")
    assert_same_as_the_command(survey.estimate(reports), known)


# Bits are hexadecimal digits in files of text, which these readers would take for numbers. Pandas reads floats nearly, and only if it is asked to exactly.
READERS = {
    "reports.parquet": [pd.read_parquet, pl.read_parquet, pq.read_table],
    "reports.arrow": [pl.read_ipc, pa.feather.read_table],
    "reports.csv": [
        lambda path: pd.read_csv(path, dtype={"pets": str, "browser": str}, float_precision="round_trip"),
        lambda path: pd.read_csv(path, dtype=str),
        lambda path: pl.read_csv(path, schema_overrides={"pets": str, "browser": str}),
    ],
    "reports.jsonl": [lambda path: pd.read_json(path, lines=True, dtype=False, precise_float=True), pl.read_ndjson],
}


@command.needed
@pytest.mark.parametrize("name", READERS)
def test_python_finds_the_same_in_reports_of_the_command(name, tmp_path):
    (tmp_path / "survey.toml").write_text(SURVEY)
    pd.DataFrame(answers()).to_csv(tmp_path / "answers.csv", index=False)
    path = tmp_path / name
    command.run("randomize", tmp_path / "survey.toml", tmp_path / "answers.csv", "-o", path)
    known = command.json_of("estimate", tmp_path / "survey.toml", path)
    survey = deniable.Survey.load(tmp_path / "survey.toml")
    for read in READERS[name]:
        reports = read(path)
        if name in ("reports.parquet", "reports.arrow") and not isinstance(reports, pa.Table):
            # These readers lose the metadata. Whoever knows the survey can say it.
            assert FINGERPRINT not in reports
            with pytest.raises(ValueError, match="do not say which survey"):
                survey.count(reports)
            reports = reports.assign(**{FINGERPRINT: survey.fingerprint}) if isinstance(reports, pd.DataFrame) else reports.with_columns(pl.lit(survey.fingerprint).alias(FINGERPRINT))  # fmt: skip
        assert_same_as_the_command(survey.estimate(reports), known)


@command.needed
def test_digits_that_a_reader_took_for_numbers_are_refused(tmp_path):
    (tmp_path / "survey.toml").write_text(SURVEY)
    survey = deniable.Survey.load(tmp_path / "survey.toml")
    pd.DataFrame(answers(100)).to_csv(tmp_path / "answers.csv", index=False)
    command.run("randomize", tmp_path / "survey.toml", tmp_path / "answers.csv", "-o", tmp_path / "reports.csv")
    with pytest.raises(ValueError, match="does not report"):
        survey.count(pd.read_csv(tmp_path / "reports.csv"))


@command.needed
def test_counts_are_those_of_the_command(tmp_path):
    (tmp_path / "survey.toml").write_text(SURVEY)
    survey = deniable.Survey.load(tmp_path / "survey.toml")
    reports = survey.randomize(pa.table(answers()))
    pq.write_table(reports, tmp_path / "reports.parquet")
    command.run("count", tmp_path / "survey.toml", tmp_path / "reports.parquet", "-o", tmp_path / "its.counts.json")
    ours, its = survey.count(reports), (tmp_path / "its.counts.json").read_text()
    assert ours.to_json() == its.strip()
    assert deniable.SurveyCounts.from_json(its) == ours
    (tmp_path / "our.counts.json").write_text(ours.to_json())
    known = command.json_of("estimate", tmp_path / "survey.toml", tmp_path / "our.counts.json")
    assert_same_as_the_command(survey.estimate(ours), known)


@command.needed
def test_groups_are_those_of_the_command(tmp_path):
    """As pandas and Polars group, with an estimate of each group."""
    (tmp_path / "survey.toml").write_text(SURVEY)
    survey = deniable.Survey.load(tmp_path / "survey.toml")
    reports = survey.randomize(pd.DataFrame(answers()))
    reports.to_parquet(tmp_path / "reports.parquet")
    words = ("estimate", tmp_path / "survey.toml", tmp_path / "reports.parquet", "--by", "region")
    known = command.json_of(*words)
    whole = {name: known[name] for name in ("title", "epsilon")}
    by_pandas = {region: survey.estimate(group) for region, group in reports.groupby("region")}
    by_polars = {
        region: survey.estimate(group) for (region,), group in pl.DataFrame(reports).group_by("region")
    }
    for found in (by_pandas, by_polars):
        assert sorted(found) == [group["group"] for group in known["groups"]] == ["north", "south"]
        for group in known["groups"]:
            assert_same_as_the_command(found[group["group"]], {**whole, **group})


def test_a_frame_without_rows():
    survey = deniable.Survey.parse(SURVEY)
    for kind in ("pandas", "polars", "pyarrow"):
        reports = survey.randomize(KINDS[kind](answers())[:0])
        assert len(reports) == 0 and set(survey.questions) <= set(as_dict(reports))
        assert survey.count(reports).reports == {name: 0 for name in survey.questions}
        assert survey.estimate(reports)["moved"].notes == ["There are no reports."]


def test_json_of_counts_that_is_none():
    known = json.loads(certain().count(certain().randomize(people())).to_json())
    for text in ("", "{}", CANARY, json.dumps({**known, "survey": CANARY}), json.dumps({**known, CANARY: 1})):
        with pytest.raises(ValueError, match="no counts") as refusal:
            deniable.SurveyCounts.from_json(text)
        assert CANARY not in str(refusal.value)


def test_polars_columns_of_nothing():
    """If nobody answered, Polars has no type for the column, and all answers are missing ones."""
    survey = deniable.Survey.parse(
        'version = 1\n[[question]]\nname = "moved"\nkind = "yes-no"\nmissing = "yes"\nepsilon = 36.0\n'
    )
    for frame in (pl.DataFrame({"moved": [None] * 5}), pl.DataFrame({"moved": []})):
        assert frame["moved"].dtype == pl.Null
        assert survey.randomize(frame)["moved"].to_list() == [True] * len(frame)
