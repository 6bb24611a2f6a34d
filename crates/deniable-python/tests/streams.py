"""A program that draws streams of noise in many processes or threads, and checks that no two are equal.

Streams are 256 random bits and more. Two of n are equal with probability n^2 / 2^257 if they are independent, and
with certainty if a process goes on with another's state.
"""

import multiprocessing
import os
import sys
import threading

import deniable
import numpy as np

COIN = deniable.make_randomized_response_bool(prob=0.5)
NOISE = deniable.make_scalar_integer_laplace_cks20(scale=1e9)
CHILDREN = 64
# So many that several threads share the work.
MANY = 1 << 22


def streams(_=None):
    """One stream of each kind of call: one by one, a short column, and a long one."""
    one_by_one = bytes(COIN.invoke(False) for _ in range(256))
    short = COIN.randomize(np.zeros(256, bool)).tobytes()
    numbers = NOISE.randomize(np.zeros(16, "i8")).tobytes()
    return [one_by_one, short, numbers]


def long_streams(_=None):
    """The first, the last and other parts of a column that several threads work on."""
    reports = COIN.randomize(np.zeros(MANY, bool))
    parts = np.linspace(0, MANY - 256, 16).astype(int)
    return streams() + [reports[start : start + 256].tobytes() for start in parts]


def check(all_streams):
    """That streams of all kinds differ, and that there are as many as there should be."""
    found = [stream for of_one in all_streams for stream in of_one]
    # A stream of the one kind must not be another's either.
    patterns = {np.packbits(np.frombuffer(stream, "u1")).tobytes() for stream in found if len(stream) == 256}
    assert len(patterns) == sum(len(stream) == 256 for stream in found), "equal streams"
    assert len(set(found)) == len(found), "equal streams"


def forked(work):
    """What a child of `fork` draws, through a pipe."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reader)
            with os.fdopen(writer, "wb") as pipe:
                for stream in work():
                    pipe.write(len(stream).to_bytes(4, "little") + stream)
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    return child, reader


def received(child, reader):
    with os.fdopen(reader, "rb") as pipe:
        found = []
        while length := pipe.read(4):
            found.append(pipe.read(int.from_bytes(length, "little")))
    assert os.waitpid(child, 0)[1] == 0, "a child failed"
    return found


def fork(work):
    before = work()
    children = [forked(work) for _ in range(CHILDREN)]
    check([before, work(), *(received(*child) for child in children)])


def fork_of_a_fork(work):
    """The children of a child, and it itself."""

    def child():
        children = [forked(work) for _ in range(4)]
        return work() + [stream for one in children for stream in received(*one)]

    children = [forked(child) for _ in range(4)]
    check([work(), *(received(*child) for child in children)])


def processes(method, work):
    before = work()
    with multiprocessing.get_context(method).Pool(4) as pool:
        found = pool.map(work, range(CHILDREN), chunksize=1)
    assert len(found) == CHILDREN
    check([before, work(), *found])


def in_a_loop(queue, work, turns):
    """A worker: work after work, of which its process is told."""
    queue.put([stream for _ in range(turns) for stream in work()])


def workers(method, work):
    """So many processes at a time, made by one that draws before each of them and after all; each of them draws again and again."""
    context = multiprocessing.get_context(method)
    queue, before, all_workers = context.Queue(), [], []
    for _ in range(CHILDREN if method == "fork" else 4):
        before.append(work())
        worker = context.Process(target=in_a_loop, args=(queue, work, 4))
        worker.start()
        all_workers.append(worker)
    found = [queue.get(timeout=240) for _ in all_workers]
    for worker in all_workers:
        worker.join()
        assert worker.exitcode == 0, "a child failed"
    check([*before, work(), *found])


SEED = int.from_bytes(os.urandom(8), "little")


def seeded_once(_=None):
    """A mistake: the state of a process, which its children have a copy of, or all have from one number."""
    return [np.random.default_rng(SEED).integers(0, 2, 256).astype("u1").tobytes()]


def threads(work):
    found, barrier = [], threading.Barrier(CHILDREN)

    def one():
        barrier.wait()
        found.append(work())

    all_threads = [threading.Thread(target=one) for _ in range(CHILDREN)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    assert len(found) == CHILDREN
    check([work(), *found])


def planted(work):
    """A stream that is drawn before, and again by every child: to be found."""
    drawn = work()
    check([drawn, *(received(*forked(lambda: drawn)) for _ in range(2))])


if __name__ == "__main__":
    name = sys.argv[1]
    work = {"short": streams, "long": long_streams, "seeded once": seeded_once}[sys.argv[2]]
    if name.startswith("workers of "):
        workers(name.removeprefix("workers of "), work)
    elif name in ("spawn", "forkserver"):
        processes(name, work)
    elif name == "pool of fork":
        processes("fork", work)
    else:
        {"fork": fork, "fork of a fork": fork_of_a_fork, "threads": threads, "planted": planted}[name](work)
    print("all differ")
