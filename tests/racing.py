"""Threads that work on the same states at once, with another's work between any two lines."""

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

THREADS = 4


@contextmanager
def switching_often():
    """Let threads change places as often as they can.

    Python's global lock changes hands at calls only, which hides most races. Being traced, a thread
    makes one before each line, so that any two lines of the library can have another thread's
    work between them.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def run_together(work, bases, packages=("acp_state.persistent",)):
    """Call `work(base, thread)` in four threads for each base, all four released together.

    The lines of `packages` are traced. Gives a list of the four results for each base.
    """
    barrier = Barrier(THREADS)

    def trace(frame, _event, _arg):
        return trace if frame.f_globals.get("__package__") in packages else None

    def run(thread):
        results = []
        tracer = sys.gettrace()
        for base in bases:
            barrier.wait(timeout=60)
            sys.settrace(trace)
            try:
                results.append(work(base, thread))
            finally:
                sys.settrace(tracer)
        return results

    with ThreadPoolExecutor(THREADS) as pool:
        return list(zip(*pool.map(run, range(THREADS)), strict=True))
