"""What Spark's workers run in the tests. They import it by its name, and find there what was drawn before they were forked."""

import os
from pathlib import Path

import deniable

# 8736 numbers: two are equal with probability 8736^2 / 2 / (4 * 10^17), which is below 10^-9.
NOISE = deniable.make_scalar_integer_laplace_cks20(scale=1e17)
COIN = deniable.make_randomized_response_bool(prob=0.5)

# What the daemon drew, of which the workers are forks.
BEFORE_THE_FORK = []
STREAM = "partition int, pid int, parent int, before array<long>, numbers array<long>, bits array<boolean>"


def numbers(count):
    """As many, one by one."""
    return [NOISE.invoke(0) for _ in range(count)]


def draw(batches):
    """For each batch of answers, which are all the same, a row of who draws and what."""
    import pyarrow
    from pyspark import TaskContext

    for batch in batches:
        answers = batch.column("answer")
        row = {
            "partition": TaskContext.get().partitionId(),
            "pid": os.getpid(),
            "parent": os.getppid(),
            "before": BEFORE_THE_FORK,
            "numbers": numbers(16) + NOISE.randomize(answers).to_pylist(),
            "bits": COIN.randomize(pyarrow.array([False] * len(answers))).to_pylist(),
        }
        yield pyarrow.RecordBatch.from_pylist([row], schema(row))


def draw_behind(batches):
    """The same in a second worker of the same task, behind the first, whose rows go on."""
    import pyarrow

    for batch in batches:
        yield batch
        answers = pyarrow.array([0] * len(batch.column("bits")[0]))
        yield from draw([pyarrow.RecordBatch.from_arrays([answers], ["answer"])])


def schema(row):
    import pyarrow

    types = {"before": pyarrow.list_(pyarrow.int64()), "numbers": pyarrow.list_(pyarrow.int64())}
    types["bits"] = pyarrow.list_(pyarrow.bool_())
    return pyarrow.schema([(name, types.get(name, pyarrow.int32())) for name in row])


class Randomize:
    """The recipe's function, for the survey that it is made with."""

    def __init__(self, survey):
        self.survey = survey

    def __call__(self, batches):
        for batch in batches:
            yield from self.survey.randomize(batch, plain=True).to_batches()


class Count(Randomize):
    """And that which counts."""

    def __call__(self, batches):
        import pyarrow

        counts = None
        for batch in batches:
            part = self.survey.count(batch)
            counts = part if counts is None else counts + part
        if counts is not None:
            yield pyarrow.RecordBatch.from_pydict({"counts": [counts.to_json()]})


class FailOnce:
    """Noise on numbers, written to a folder as it is drawn. The first attempt at the first partition fails behind its second batch."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, batches):
        import pyarrow
        from pyspark import TaskContext

        task = TaskContext.get()
        path = Path(self.folder) / f"{task.partitionId()}-{task.attemptNumber()}"
        for i, batch in enumerate(batches):
            if task.partitionId() == task.attemptNumber() == 0 and i == 2:
                raise RuntimeError("planted")
            noisy = NOISE.randomize(pyarrow.array([0] * batch.num_rows))
            with path.open("a") as file:
                file.writelines(f"{number}\n" for number in noisy.to_pylist())
            yield pyarrow.RecordBatch.from_arrays([batch.column("id"), noisy], ["id", "noisy"])
