"""A survey on Spark: randomized by many tasks, written once, counted by many tasks.

`python spark.py` runs it on this machine, `spark-submit --master … spark.py` on a cluster, where a folder for the reports that all
machines see must follow. It needs Spark 4.1 or newer, pyarrow and pandas below 3, and this package on all of them.

Spark computes late, and again whenever it likes: for each action, for a filter, for a sort, after a lost machine. Each time new
noise is drawn, and whoever sees both draws of an answer learns more than ε allows. So reports are written to files once, with
nothing between the noise and the files, and all else is done with what is read back. `cache()` is no file: what it evicts is
drawn again.
"""

# %%
import os
import sys
import tempfile
from functools import reduce
from operator import add

import deniable
import pyarrow
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

# The workers run the Python that has the package: another one than this, if the environment says so.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
# A task that is slow is not started a second time beside itself: both would draw.
spark = SparkSession.builder.config("spark.speculation", "false").getOrCreate()

# %% What 20 000 people would answer. In life, this is a table that exists.
person = f.col("id")
answers = spark.range(20_000, numPartitions=8).select(
    person.alias("person"),
    (person % 100 < 21).alias("smokes"),
    f.when(person % 4 < 2, "car").when(person % 4 == 2, "bus").otherwise("bike").alias("commute"),
    (person % 81).cast("double").alias("hours"),
    (person % 10 < 9).alias("insured"),
)

# %% What is asked, and what each answer may lose.
survey = deniable.Survey.parse("""
version = 1
title = "Health and habits"
id = "person"

[[question]]
name = "smokes"
kind = "yes-no"
epsilon = 1.0

[[question]]
name = "commute"
kind = "choice"
choices = ["car", "bus", "bike"]
epsilon = 1.5

[[question]]
name = "hours"
kind = "number"
low = 0
high = 80
epsilon = 1.0
""")

# %% A task sees some rows, and cannot know whether somebody is in another's too.
if not answers.groupBy(survey.id).count().where("count > 1").isEmpty():
    sys.exit("somebody is there twice, and would lose ε twice")


# %% Each task randomizes its rows. The columns of reports are what the survey makes of those of the answers.
def randomize(batches):
    for batch in batches:
        yield from survey.randomize(batch, plain=True).to_batches()


columns = survey.report_schema(answers.limit(0).toArrow().schema, plain=True)
reports = answers.mapInArrow(randomize, spark.createDataFrame(columns.empty_table()).schema)
reports.write.parquet(f"{folder}/reports")


# %% Each task counts its reports, and the driver adds up a row from each.
def count(batches):
    parts = [survey.count(batch) for batch in batches]
    if parts:
        yield pyarrow.RecordBatch.from_pydict({"counts": [reduce(add, parts).to_json()]})


reports = spark.read.parquet(f"{folder}/reports")
parts = reports.mapInArrow(count, "counts string").collect()
counts = reduce(add, [deniable.SurveyCounts.from_json(part.counts) for part in parts])
found = survey.estimate(counts)
print(found)

# %% One column by a mechanism, as a function of Spark's. To one that is said to be deterministic, Spark may well go twice for
# one row: a filter would keep it for one draw, and show another.
coin = deniable.make_randomized_response_bool(epsilon=1.0)


def toss(column: pyarrow.Array) -> pyarrow.Array:
    return coin.randomize(column)


toss = f.arrow_udf(toss, "boolean").asNondeterministic()
answers.select(toss("insured").alias("insured")).write.parquet(f"{folder}/insured")
insured = spark.read.parquet(f"{folder}/insured")
print(coin.estimate(insured.toArrow()["insured"]))
