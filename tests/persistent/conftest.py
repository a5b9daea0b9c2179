"""What the tests of all persistent structures use."""

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

THREADS = 4


@pytest.fixture
def race():
    """A function that lets threads work on the same bases at once.

    `race(work, bases)` calls `work(base, thread)` in four threads for each base, all four released
    together, and gives a list of the four results for each base.

    Python's global lock changes hands at calls only, which hides most races. Being traced, a thread
    makes one before each line, so that any two lines of the library can have another thread's
    work between them.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield run_together
    sys.setswitchinterval(interval)


def trace_persistent(frame, _event, _arg):
    """Trace the lines of the persistent structures, and do nothing at each."""
    if frame.f_globals.get("__package__") == "acp_state.persistent":
        return trace_persistent
    return None


def run_together(work, bases):
    barrier = Barrier(THREADS)

    def run(thread):
        results = []
        tracer = sys.gettrace()
        for base in bases:
            barrier.wait(timeout=60)
            sys.settrace(trace_persistent)
            try:
                results.append(work(base, thread))
            finally:
                sys.settrace(tracer)
        return results

    with ThreadPoolExecutor(THREADS) as pool:
        return list(zip(*pool.map(run, range(THREADS)), strict=True))


@pytest.fixture
def clones():
    """A function that copies an object deeply, and through each pickle protocol."""

    def clone(held):
        protocols = range(pickle.HIGHEST_PROTOCOL + 1)
        pickled = [pickle.dumps(held, protocol) for protocol in protocols]
        return [copy.deepcopy(held), *map(pickle.loads, pickled)]

    return clone
