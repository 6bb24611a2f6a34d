"""What Python costs on top of Rust, in one run: import, a single answer, a million answers.

    python bench/bars.py

Exits with 1 if a bar is missed: a single answer under 1 µs, a million within 1.2 times of the library's own batch on the
same memory, importing in under 50 ms. Each figure is a median; ratios are of medians taken in turns.
"""

import statistics
import subprocess
import sys
import time

import numpy
import pyarrow

import deniable

ROWS = 1_000_000
TURNS = 41


def import_milliseconds():
    """What `import deniable` takes in a new interpreter, without starting that."""
    code = "import time; t = time.perf_counter(); import deniable; print(time.perf_counter() - t)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True) for _ in range(9)]
    return 1e3 * statistics.median(float(run.stdout) for run in runs)


def nanoseconds(mechanism, answer):
    """A single answer."""
    invoke, times, medians = mechanism.invoke, 2000, []
    for _ in range(TURNS):
        start = time.perf_counter()
        for _ in range(times):
            invoke(answer)
        medians.append((time.perf_counter() - start) / times)
    return 1e9 * statistics.median(medians)


def ratio(mechanism, column, memory):
    """A column through Python, and the library's batch on its memory, in turns: seconds, and their ratio."""
    own, rust = [], []
    for _ in range(TURNS):
        rust += mechanism._batch_seconds(memory, 1)
        start = time.perf_counter()
        mechanism.randomize(column)
        own.append(time.perf_counter() - start)
    own, rust = statistics.median(own), statistics.median(rust)
    return own, rust, own / rust


def main():
    missed = []

    def report(name, figure, bar, unit):
        is_met = figure < bar
        print(f"{name:45} {figure:8.2f} {unit:3} (bar {bar}){'' if is_met else '  MISSED'}")
        if not is_met:
            missed.append(name)

    report("import", import_milliseconds(), 50, "ms")
    smokes = deniable.make_randomized_response_bool(prob=0.75)
    drink = deniable.make_randomized_response(["tea", "coffee", "water"], prob=0.8)
    place = deniable.make_randomized_response(range(16), prob=0.8)
    noise = deniable.make_scalar_float_laplace_cks20(scale=1.0)
    vector = deniable.make_vector_float_laplace_cks20(scale=1.0)
    singles = [
        ("yes or no", smokes, True),
        ("one of 3 texts", drink, "tea"),
        ("one of 16 numbers", place, 7),
        ("64 bits", deniable.make_randomized_response_bitvec(64, 4, f=0.5), bytes(8)),
        ("unary encoding, 16", deniable.make_unary_encoding(range(16), epsilon=1.0), 7),
        ("subset selection, 16", deniable.make_subset_selection(range(16), epsilon=1.0), 7),
        ("local hashing, 1000", deniable.make_local_hashing(range(1000), epsilon=1.0), 7),
        ("Laplace, float", noise, 1.5),
        ("Laplace, integer", deniable.make_scalar_integer_laplace_cks20(scale=1.0), 7),
    ]
    for name, mechanism, answer in singles:
        report(f"invoke, {name}", nanoseconds(mechanism, answer), 1000, "ns")
    random = numpy.random.default_rng(1)
    truths, places, floats = random.random(ROWS) < 0.3, random.integers(0, 16, ROWS), random.normal(size=ROWS)
    columns = [
        ("booleans, NumPy", smokes, truths, truths.view("u1")),
        ("booleans, Arrow", smokes, pyarrow.array(truths), truths.view("u1")),
        ("categories, NumPy", place, places, places),
        ("categories, Arrow", place, pyarrow.array(places), places),
        ("Laplace, NumPy", noise, floats, floats),
        ("Laplace, Arrow", noise, pyarrow.array(floats), floats),
        ("Laplace vector, NumPy", vector, floats, floats),
    ]
    for name, mechanism, column, memory in columns:
        own, rust, over = ratio(mechanism, column, memory)
        milliseconds = f"{1e3 * own:.2f} ms against {1e3 * rust:.2f} ms"
        report(f"a million {name}, {milliseconds}", over, 1.2, "")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
