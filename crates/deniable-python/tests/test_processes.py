"""Forks, threads, the interpreter's lock, and signals."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import deniable
import numpy as np
import pyarrow
import pytest

PROGRAM = Path(__file__).with_name("streams.py")
COIN = deniable.make_randomized_response_bool(prob=0.5)


@pytest.fixture(autouse=True)
def alarms_interrupt():
    def interrupt(*_):
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, old)


def run(*words):
    """Runs the program. One that hangs is ended."""
    command = [sys.executable, PROGRAM, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("work", ["short", "long"])
@pytest.mark.parametrize(
    "name",
    [
        "fork", "fork of a fork", "pool of fork", "forkserver", "spawn", "threads",
        "workers of fork", "workers of forkserver", "workers of spawn",
    ],
)  # fmt: skip
def test_no_two_streams_are_equal(name, work):
    done = run(name, work)
    assert done.stdout == "all differ\n", done.stderr


def test_equal_streams_are_found():
    assert "equal streams" in run("planted", "short").stderr


@pytest.mark.parametrize("name", ["fork", "pool of fork", "threads", "workers of fork"])
def test_a_seed_that_is_copied_is_found(name):
    assert "equal streams" in run(name, "seeded once").stderr


def longest_silence(call):
    """The longest time without a step of another thread, which needs the interpreter's lock for each, as a share of the time of a call."""
    steps, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            steps.append(time.perf_counter())
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        start = time.perf_counter()
        call()
        end = time.perf_counter()
    finally:
        stop.set()
        thread.join()
    within = [start, *(step for step in steps if start < step < end), end]
    return max(later - step for step, later in zip(within, within[1:])) / (end - start)


def test_the_lock_of_the_interpreter_is_released():
    """While one long call runs, another thread goes on. It may have to wait for a busy machine, but not 20 times."""
    noise, column = deniable.make_scalar_float_laplace_cks20(scale=1.0), np.zeros(1 << 24)
    arrow = pyarrow.array(column)
    for call in (lambda: noise.randomize(column), lambda: noise.randomize(arrow)):
        assert any(longest_silence(call) < 0.25 for _ in range(20))


def test_a_call_that_keeps_the_lock_is_found():
    """What the test above would see of one: silence. This one is one instruction of the interpreter, in which it never gives the lock away."""
    assert any(longest_silence(lambda: sum(range(10_000_000))) > 0.9 for _ in range(20))


CALLS = {
    "truth values": (COIN, lambda: np.zeros(1 << 24, bool)),
    "categories": (deniable.make_randomized_response(range(16), 0.5), lambda: np.zeros(1 << 24, "i1")),
    "floats": (deniable.make_scalar_float_laplace_cks20(1.0), lambda: np.zeros(1 << 24)),
    "bits": (
        deniable.make_randomized_response_bitvec(8, 8, 0.5),
        lambda: np.zeros((1 << 22, 1), "u1"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_an_interrupted_call_leaves_nothing_half_done(name):
    mechanism, make = CALLS[name]
    column = make()
    before = column.copy()
    reports = "nothing"
    with pytest.raises(KeyboardInterrupt):
        # Again and again, so that it comes within a call however fast that is.
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        for _ in range(100_000):
            reports = "nothing"
            reports = mechanism.randomize(column)
            assert len(reports) == len(column)
    assert (column == before).all()
    assert isinstance(reports, str) or len(reports) == len(column)
    # And the next one works as if nothing had been.
    assert len(mechanism.randomize(column)) == len(column)


def test_a_call_is_interrupted_before_its_end():
    """A signal in the middle of a long call does not wait for all of it: blocks of rows are in between."""
    noise = deniable.make_scalar_float_laplace_cks20(scale=1.0)
    column = np.zeros(1 << 25)
    start = time.perf_counter()
    noise.randomize(column)
    whole = time.perf_counter() - start
    shares, start = [], 0.0
    # The machine may be busy with others at any one time.
    for _ in range(20):
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, whole / 20)
            start = time.perf_counter()
            noise.randomize(column)
            time.sleep(60)
        shares.append((time.perf_counter() - start) / whole)
        if shares[-1] < 0.5:
            return
    pytest.fail(f"interrupted after {shares} of a call")


def test_a_signal_of_another_process_interrupts():
    """SIGINT, as a terminal sends it, in a process of its own."""
    program = """
import deniable, numpy
noise = deniable.make_scalar_float_laplace_cks20(scale=1.0)
column = numpy.zeros(1 << 22)
try:
    print("ready", flush=True)
    while True:
        noise.randomize(column)
except KeyboardInterrupt:
    assert not column.any() and len(noise.randomize(column)) == len(column)
    print("interrupted")
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "interrupted\n"
        assert process.returncode == 0
    finally:
        process.kill()


def test_an_interrupted_survey_gives_nothing():
    survey = deniable.Survey.parse(
        'version = 1\n[[question]]\nname = "moved"\nkind = "yes-no"\nepsilon = 1.0\n'
    )
    table = pyarrow.table({"moved": np.zeros(1 << 22, bool)})
    with pytest.raises(KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        while True:
            survey.randomize(table)
    assert survey.count(survey.randomize(table)).reports == {"moved": 1 << 22}


def test_threads_may_share_a_mechanism_and_a_column():
    column = np.zeros(1 << 18, bool)
    found = []
    work = [
        threading.Thread(target=lambda: found.append(COIN.randomize(column).sum())) for _ in range(16)
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    # Half of them are yes: 50 standard deviations.
    assert len(found) == 16 and all(abs(int(yes) - (1 << 17)) < 12_800 for yes in found)
    assert not column.any()
