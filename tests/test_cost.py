"""Contract 3: an event costs the same however long the history is. Counted, never timed.

Counted are function calls, Python's and C's, and since a single call can copy a long tuple, the
bytes that are allocated meanwhile, and what stays allocated.
"""

import gc
import sys
import tracemalloc
from collections import defaultdict
from functools import cache
from statistics import median

import pytest

from acp_state import Connection, apply_update, fold, reduce
from benchmarks.imports import converters_built
from benchmarks.memory import bytes_per_chunk, bytes_per_state, folded
from benchmarks.traffic import diagnosed, talk
from benchmarks.workloads import WORKLOADS

SHORT, MEDIUM, LONG, WINDOW = 1_000, 4_000, 20_000, 200
ONE_SESSION = ["text", "mixed", "wide"]


@cache
def heard(workload, length):
    return talk(WORKLOADS[workload](length))


@pytest.fixture(scope="module", autouse=True)
def _readers_are_built():
    """The readers of the wire are built when they are first needed, and then stay."""
    for workload in WORKLOADS:
        folded(heard(workload, SHORT))


def early(workload, length):
    """The connection shortly before the end of traffic of that length.

    Made anew each time: a version from which another was made already copies what they share.
    """
    return fold(Connection(), heard(workload, length).events(end=-WINDOW))[0]


def late(workload, length):
    """What is still to come then."""
    return list(heard(workload, length).events(start=-WINDOW))


def updates(workload, length):
    """The updates of what is still to come."""
    messages = [event.message for event in late(workload, length)]
    return [m["params"]["update"] for m in messages if m.get("method") == "session/update"]


def calls_of(work, *args):
    """How many functions are called, of Python and of C."""
    counted = 0

    def count(_frame, event, _arg):
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work(*args)
    finally:
        sys.setprofile(None)
    return counted


def one_by_one(connection, stretch):
    for event in stretch:
        connection, _ = reduce(connection, event)


def applied(session, stretch):
    for update in stretch:
        session, _ = apply_update(session, update)


def kind_of(event):
    message = event.message
    if message.get("method") == "session/update":
        return message["params"]["update"]["sessionUpdate"]
    return message.get("method", "response")


def bytes_by_kind(connection, stretch):
    """For each kind of message the bytes that one allocates at most while it is reduced.

    The median: now and then one message makes a list or dict grow that many versions share.
    """
    found = defaultdict(list)
    tracemalloc.start()
    for event in stretch:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        connection, _ = reduce(connection, event)
        found[kind_of(event)].append(tracemalloc.get_traced_memory()[1] - before)
    tracemalloc.stop()
    return {kind: median(peaks) for kind, peaks in found.items()}


def blocks_of(made):
    """How many blocks of memory the connection holds at the end of that traffic."""
    gc.collect()
    before = sys.getallocatedblocks()
    connection = folded(made)
    gc.collect()
    held = sys.getallocatedblocks() - before
    del connection
    return held


@pytest.mark.parametrize("workload", WORKLOADS)
def test_the_traffic_is_legal_and_as_long_as_asked(workload):
    assert len(heard(workload, SHORT).lines) == SHORT
    assert diagnosed(heard(workload, SHORT)) == []


@pytest.mark.parametrize("workload", WORKLOADS)
def test_reduce_makes_as_many_calls_in_a_long_session_as_in_a_short_one(workload):
    short, long = (
        calls_of(one_by_one, early(workload, length), late(workload, length))
        for length in (SHORT, LONG)
    )
    assert long == pytest.approx(short, rel=0.05)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_fold_makes_as_many_calls_in_a_long_session_as_in_a_short_one(workload):
    short, long = (
        calls_of(fold, early(workload, length), late(workload, length)) for length in (SHORT, LONG)
    )
    assert long == pytest.approx(short, rel=0.05)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_fold_makes_as_many_calls_an_event_for_many_events_as_for_few(workload):
    short, long = (
        calls_of(fold, Connection(), list(heard(workload, length).events())) / length
        for length in (SHORT, MEDIUM)
    )
    assert long == pytest.approx(short, rel=0.05)


@pytest.mark.parametrize("workload", ONE_SESSION)
def test_apply_update_makes_as_many_calls_in_a_long_session_as_in_a_short_one(workload):
    short, long = (
        calls_of(applied, early(workload, length).sessions["sess_1"], updates(workload, length))
        for length in (SHORT, LONG)
    )
    assert long == pytest.approx(short, rel=0.05)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_an_event_allocates_as_much_in_a_long_session_as_in_a_short_one(workload):
    """No tuple, dict or string that grows with the history is copied."""
    short, long = (
        bytes_by_kind(early(workload, length), late(workload, length)) for length in (SHORT, LONG)
    )
    assert short.keys() == long.keys()
    grown = {kind: (short[kind], long[kind]) for kind in short if long[kind] > short[kind] + 2_000}
    assert grown == {}


@pytest.mark.parametrize("workload", WORKLOADS)
def test_an_event_leaves_as_many_blocks_behind_in_a_long_session_as_in_a_short_one(workload):
    short, long = (blocks_of(heard(workload, length)) / length for length in (MEDIUM, LONG))
    assert long <= short * 1.05


@pytest.mark.parametrize("way", ["replay", "fold", "reduce"])
def test_a_text_chunk_holds_little_beyond_its_text(way):
    assert bytes_per_chunk(way, 5_000) <= 160


@pytest.mark.parametrize("workload", ["text", "mixed"])
def test_a_state_that_is_kept_costs_little(workload):
    """Contract 5: what two states have in common is there once."""
    assert bytes_per_state(workload, 5_000) <= 1_200


def test_the_import_builds_no_converter():
    assert converters_built() == 0
