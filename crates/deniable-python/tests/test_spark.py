"""On Spark: a cluster of two workers on this machine, whose Python processes are forks of a daemon in each."""

import json
import math
import os
import runpy
import shutil
import sys
from functools import reduce
from operator import add
from pathlib import Path

import deniable
import laws
import pyarrow as pa
import pytest

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java", allow_module_level=True)

import spark_tasks as tasks
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

TESTS = Path(__file__).parent
EXAMPLE = TESTS.parent / "examples" / "spark.py"
SURVEY = (TESTS.parents[1] / "deniable-cli" / "tests" / "every_kind.toml").read_text()
CANARY = "canary-4711"
PARTITIONS = 16
ROWS = 256
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="module")
def spark(request, tmp_path_factory):
    """The cluster. Its Python workers are used again for other tasks, which is Spark's default, or are forked for each: with the parameter "new"."""
    home = Path(pyspark.__file__).parent
    environment = {"SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    config = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        # For so short a life, a quick start is better than quick code.
        "spark.driver.extraJavaOptions": QUICK_START,
        "spark.executor.extraJavaOptions": QUICK_START,
        "spark.task.maxFailures": "2",
        # Nothing starts before both are there.
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "300s",
        "spark.python.worker.reuse": str(getattr(request, "param", "reused") == "reused").lower(),
        "spark.python.daemon.module": "spark_daemon",
        "spark.executorEnv.PYTHONPATH": str(TESTS),
        "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
        "spark.sql.shuffle.partitions": "4",
        # Files are read in parts of their own, and not put together.
        "spark.sql.files.openCostInBytes": "1000000000",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        session = SparkSession.builder.master("local-cluster[2,1,1024]").config(map=config).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        application = session.sparkContext.applicationId
        try:
            yield session
        finally:
            session.stop()
            shutil.rmtree(home / "work" / application, ignore_errors=True)


def zeros(spark, partitions=PARTITIONS):
    return spark.range(partitions * ROWS, numPartitions=partitions).select(f.lit(0).cast("long").alias("answer"))


def check_streams(rows):
    """That no number is drawn twice, nor 64 bits in a row, wherever they are: by two processes, by one for two tasks, by a process and what it is a fork of."""
    before = {row["parent"]: row["before"] for row in rows}
    assert all(row["before"] == before[row["parent"]] and len(row["before"]) == 16 for row in rows)
    drawn = [number for of_one in before.values() for number in of_one]
    drawn += [number for row in rows for number in row["numbers"]]
    assert len(set(drawn)) == len(drawn), "equal numbers"
    # Of 2 * 16 rows of 256 bits, two windows are equal with probability below 10^-11.
    bits = ["".join("01"[bit] for bit in row["bits"]) for row in rows]
    windows = [one[i : i + 64] for one in bits for i in range(len(one) - 63)]
    assert len(set(windows)) == len(windows), "equal bits"


def processes(rows):
    """The workers of each daemon."""
    return {row["parent"]: {other["pid"] for other in rows if other["parent"] == row["parent"]} for row in rows}


def test_no_two_tasks_have_the_same_stream(spark):
    """Two workers of each daemon in a row, each of which does many tasks."""
    drawn = zeros(spark).mapInArrow(tasks.draw, tasks.STREAM).mapInArrow(tasks.draw_behind, tasks.STREAM)
    rows = [row.asDict() for row in drawn.collect()]
    assert len(rows) == 2 * PARTITIONS and {row["partition"] for row in rows} == set(range(PARTITIONS))
    assert all(len(row["bits"]) == ROWS and len(row["numbers"]) == ROWS + 16 for row in rows)
    forks = processes(rows)
    assert len(forks) == 2 and all(2 <= len(pids) < 8 for pids in forks.values())
    check_streams(rows)
    # And those are found that are the same in part, or elsewhere.
    one, other = rows[:2]
    again = [
        {**other, "numbers": other["numbers"][:-1] + one["numbers"][:1]},
        {**other, "numbers": other["numbers"][:-1] + one["before"][-1:]},
        {**other, "bits": one["bits"][13:] + other["bits"][:13]},
    ]
    for planted in again:
        with pytest.raises(AssertionError, match="equal (numbers|bits)"):
            check_streams([one, planted, *rows[2:]])


def survey_answers(rows=4000):
    return pa.table(
        {
            "region": ["north", "south"] * (rows // 2),
            "moved": [True, False] * (rows // 2),
            "transport": ["car", "bus", "bike", "horse"] * (rows // 4),
            "pets": ["cat", "cat;dog"] * (rows // 2),
            "browser": ["Firefox", "Chrome"] * (rows // 2),
            "hours": [8.0] * rows,
            "diary": [CANARY] * rows,
        }
    )


def randomized(spark, survey, answers):
    """As in the recipe, up to the files."""
    columns = survey.report_schema(answers.limit(0).toArrow().schema, plain=True)
    return answers.mapInArrow(tasks.Randomize(survey), spark.createDataFrame(columns.empty_table()).schema)


def counted(survey, reports):
    parts = reports.mapInArrow(tasks.Count(survey), "counts string").collect()
    return reduce(add, [deniable.SurveyCounts.from_json(part.counts) for part in parts]), len(parts)


@pytest.fixture(scope="module")
def reports(spark, tmp_path_factory):
    """Reports of all kinds of questions, in the files of eight tasks."""
    path = str(tmp_path_factory.mktemp("reports") / "reports")
    answers = spark.createDataFrame(survey_answers()).repartition(8)
    randomized(spark, deniable.Survey.parse(SURVEY), answers).write.parquet(path)
    return path


def test_reports_in_files(spark, reports):
    survey, table = deniable.Survey.parse(SURVEY), spark.read.parquet(reports).toArrow()
    # No other column than these: no diary.
    assert table.schema.names == [*survey.public, *survey.questions, "deniable_survey"]
    assert set(table["deniable_survey"].to_pylist()) == {survey.fingerprint}
    assert sorted(table["region"].to_pylist()) == ["north"] * 2000 + ["south"] * 2000
    assert len([path for path in Path(reports).iterdir() if path.suffix == ".parquet"]) == 8


def assert_same(survey, counts, whole):
    """To the last count, and to the last digit of estimates. Only means are rounded in another order."""
    *ours, our_hours = json.loads(counts.to_json())["questions"]
    *known, known_hours = json.loads(whole.to_json())["questions"]
    assert ours == known and our_hours["name"] == known_hours["name"] == "hours"
    assert our_hours["tally"]["numbers"] == pytest.approx(known_hours["tally"]["numbers"], rel=1e-11)
    found, truth = survey.estimate(counts), survey.estimate(whole)
    for name in survey.questions:
        for column, values in found[name].to_dict().items():
            known = truth[name][column]
            assert values == (pytest.approx(known, rel=1e-11) if name == "hours" else known), (name, column)


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_counts_of_parts_are_those_of_the_whole(spark, reports, partitions):
    survey, frame = deniable.Survey.parse(SURVEY), spark.read.parquet(reports)
    counts, parts = counted(survey, frame.repartition(partitions))
    assert parts == partitions and counts.reports == {name: 4000 for name in survey.questions}
    assert_same(survey, counts, survey.count(frame.toArrow()))


def test_tasks_without_rows(spark):
    survey = deniable.Survey.parse(SURVEY)
    answers = spark.createDataFrame(survey_answers(4)).where("moved").repartition(7)
    drawn = spark.createDataFrame(randomized(spark, survey, answers).toArrow()).repartition(7)
    # They are drawn once: what comes from the driver is as it is.
    counts, parts = counted(survey, drawn)
    assert parts <= 2 and counts.reports == {name: 2 for name in survey.questions}
    assert_same(survey, counts, survey.count(drawn.toArrow()))


PEOPLE = 200_000


def check_law(yes, share):
    """At 10^-13. A share that is off by 0.015 is found, but once in 10^9 times: see `laws`."""
    for wrong, sign in ((share - 0.015, 1), (share + 0.015, -1)):
        seen = laws.beyond(wrong, PEOPLE, 1e-9, sign)
        assert PEOPLE * laws.kl(seen, share) > math.log(2 / laws.ALPHA)
    laws.check([yes, PEOPLE - yes], [share, 1 - share], PEOPLE)


def test_the_law_of_reports(spark, tmp_path):
    """All have moved: of randomized response, a share of e^ε / (e^ε + 1) says so."""
    survey = deniable.Survey.parse('version = 1\n[[question]]\nname = "moved"\nkind = "yes-no"\nepsilon = 1.0\n')
    answers = spark.range(PEOPLE, numPartitions=8).select(f.lit(True).alias("moved"))
    randomized(spark, survey, answers).write.parquet(str(tmp_path / "reports"))
    reports = spark.read.parquet(str(tmp_path / "reports"))
    yes = reports.where("moved").count()
    check_law(yes, math.e / (math.e + 1))
    with pytest.raises(AssertionError):
        check_law(PEOPLE - yes, math.e / (math.e + 1))
    assert counted(survey, reports)[0].reports == {"moved": PEOPLE}


def arrow_udf(mechanism, returned):
    def randomize(column: pa.Array) -> pa.Array:
        return mechanism.randomize(column)

    # Which the workers cannot import, as they have no module of this name.
    randomize.__module__ = "__main__"
    return f.arrow_udf(randomize, returned).asNondeterministic()


def test_a_mechanism_as_a_function_of_columns(spark, tmp_path):
    """One of truth values, of each of whom a half says the truth, and three quarters so what is true."""
    toss = arrow_udf(deniable.make_randomized_response_bool(prob=0.75), "boolean")
    answers = spark.range(PEOPLE, numPartitions=8).select((f.col("id") % 2 == 0).alias("moved"))
    drawn = answers.select("moved", toss("moved").alias("report"))
    drawn.write.parquet(str(tmp_path / "reports"))
    reports = spark.read.parquet(str(tmp_path / "reports"))
    check_law(reports.where("moved = report").count(), 0.75)


def test_a_filter_does_not_draw_again(spark):
    """Of a function that Spark takes to be deterministic, the filter sees one draw and the result has another: one below 0, but with probability 2^-256."""
    noisy = zeros(spark, 2).select(arrow_udf(tasks.NOISE, "long")("answer").alias("noisy"))
    positive = [row.noisy for row in noisy.where("noisy > 0").collect()]
    assert positive and all(number > 0 for number in positive)
    # But each action draws.
    assert not set(positive) & {row.noisy for row in noisy.collect()}


def test_a_task_that_is_tried_again_publishes_one_draw(spark, tmp_path):
    rows, path = 8 * 4000, str(tmp_path / "numbers")
    (tmp_path / "drawn").mkdir()
    draw = tasks.FailOnce(str(tmp_path / "drawn"))
    spark.range(rows, numPartitions=8).mapInArrow(draw, "id long, noisy long").write.parquet(path)
    drawn = {one.name: set(map(int, one.read_text().split())) for one in (tmp_path / "drawn").iterdir()}
    first = drawn.pop("0-0")
    # The first partition was drawn twice, in part. What is in the files is of the second time, and each row is there once.
    assert sorted(drawn) == sorted(["0-1", *(f"{i}-0" for i in range(1, 8))])
    published = spark.read.parquet(path).toArrow()
    assert sorted(published["id"].to_pylist()) == list(range(rows))
    assert set(published["noisy"].to_pylist()) == set().union(*drawn.values())
    assert len(first) == 2000 and not first & set(published["noisy"].to_pylist())
    assert not (tmp_path / "numbers" / "_temporary").exists()


def refusal(frame):
    """What the driver is told when a task fails."""
    with pytest.raises(pyspark.errors.PythonException) as caught:
        frame.collect()
    assert CANARY not in str(caught.value)
    return str(caught.value)


def test_columns_that_are_none_of_the_survey(spark):
    """They are refused before a task starts, and if they get to one, there."""
    survey, answers = deniable.Survey.parse(SURVEY), spark.createDataFrame(survey_answers(8)).coalesce(1)
    good = randomized(spark, survey, answers).schema
    without, binary = answers.drop("moved"), answers.withColumn("moved", f.col("diary").cast("binary"))
    for bad, problem in {without: "it is not there", binary: "its type Binary is none"}.items():
        with pytest.raises(ValueError, match=f'column "moved": {problem}') as caught:
            randomized(spark, survey, bad)
        assert CANARY not in str(caught.value)
        assert f'ValueError: column "moved": {problem}' in refusal(bad.mapInArrow(tasks.Randomize(survey), good))


def test_other_mistakes_are_told_by_the_driver(spark, reports):
    survey = deniable.Survey.parse(SURVEY)
    other = deniable.Survey.parse(SURVEY.replace("epsilon = 2.0", "epsilon = 2.5"))
    frame = spark.read.parquet(reports).coalesce(1)
    assert "of another survey" in refusal(frame.mapInArrow(tasks.Count(other), "counts string"))
    unsaid = frame.drop("deniable_survey")
    assert "do not say which survey" in refusal(unsaid.mapInArrow(tasks.Count(survey), "counts string"))
    person = deniable.Survey.parse(SURVEY.replace("public", 'id = "diary"\npublic', 1))
    twice = randomized(spark, person, spark.createDataFrame(survey_answers(8)).coalesce(1))
    assert "two rows have the same id" in refusal(twice)
    toss = arrow_udf(deniable.make_randomized_response([CANARY, "b"], 0.75), "string")
    missing = spark.range(4, numPartitions=1).select(f.when(f.col("id") > 0, CANARY).alias("x"))
    assert "missing" in refusal(missing.select(toss("x")))


def test_the_example(spark, tmp_path, monkeypatch, capsys):
    """Its estimates are within 8 standard errors of the truth, beyond which they are once in 10^15 times."""
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), str(tmp_path)])
    said = runpy.run_path(str(EXAMPLE), run_name="__main__")
    found, people = said["found"], range(20_000)
    truth = {"smokes": [0.21], "commute": [0.5, 0.25, 0.25, 0.0], "hours": [sum(i % 81 for i in people) / 20_000]}
    for name, values in truth.items():
        estimates = found[name]["mean" if name == "hours" else "share"]
        for value, estimate, error in zip(values, estimates, found[name]["standard_error"], strict=True):
            assert abs(value - estimate) < 8 * error
    assert said["counts"].reports == {name: 20_000 for name in truth}
    shown = capsys.readouterr().out
    assert "Health and habits" in shown and "True   0." in shown
    coin = said["coin"].estimate(said["insured"].toArrow()["insured"])
    assert abs(coin["share"][0] - 0.9) < 8 * coin["standard_error"][0]


@pytest.mark.parametrize("spark", ["new"], indirect=True)
def test_no_two_new_workers_have_the_same_stream(spark):
    """A worker for each task. The last test, since it needs another cluster."""
    rows = [row.asDict() for row in zeros(spark, 8).mapInArrow(tasks.draw, tasks.STREAM).collect()]
    forks = processes(rows)
    assert len(forks) == 2 and sum(map(len, forks.values())) == len(rows) == 8
    check_streams(rows)
