"""Contract 1: nothing that was handed out ever changes afterwards, from any thread.

Each state is looked at to its last reachable object when it comes into being, and again after
everything else has happened: later events, other branches from the same state, other threads. What
several versions share and go on filling, the buffer of a log and the dict of an index, counts as
far as the version sees it.
"""

import gc
import random
from itertools import pairwise
from types import MappingProxyType

import attrs
import pytest
from fuzz_inputs import BytesScript, conversation
from observing import SEATS, see
from racing import THREADS, run_together, switching_often

from acp_state import (
    OMITTED,
    Connection,
    JsonObject,
    Received,
    Session,
    Timeline,
    changes,
    fold,
    materialize,
    restore,
    snapshot,
)
from acp_state.json_values import JsonArray
from acp_state.persistent import Index, Log, Map, Vector

EMPTY = (Map, Vector, Timeline)
SCALARS = (str, int, float, bool, type(None), bytes, type(OMITTED))
MAKING = "acp_state.persistent.frozen"
"""The module in whose name classes stand whose instances are being made, see `opened`."""


def parts(held):
    """What an object holds, as its owner sees it; names and lengths are part of it."""
    for cls, of_this in PARTS.items():
        if isinstance(held, cls):
            return of_this(held)
    if attrs.has(type(held)):
        fields = attrs.fields_dict(type(held))
        return (*fields, *(getattr(held, name) for name in fields))
    return tuple(getattr(held, name) for name in type(held).__slots__)


def of_timeline(held):
    found = [entry.key and held.find(entry.key) for entry in held]
    return ("Timeline", *found, *attrs.astuple(held, recurse=False))


PARTS = {
    Log: lambda held: ("Log", held._length, *held._buffer[: held._length]),
    Index: lambda _: ("Index",),
    Map: lambda held: ("Map", held._slots, held._length, held._newest, *map(held.get, held)),
    Timeline: of_timeline,
    MappingProxyType: lambda held: ("items", *(part for item in held.items() for part in item)),
    dict: lambda held: ("items", *(part for item in held.items() for part in item)),
    tuple: lambda held: ("tuple", *held),
    frozenset: lambda held: ("frozenset", *sorted(held, key=repr)),
}
"""What an index holds shows in what its owner finds."""


def reachable(root):
    """Every object that can be reached, once, in the order of a walk; scalars are told as they are.

    Gives (class, parts), where a part that is no scalar is the number of its object. So two walks
    are equal only if all objects hold the same, and share the same.
    """
    numbers, waiting, found = {id(root): 0}, [root], []
    for held in waiting:
        row = []
        for part in parts(held):
            if type(part) in SCALARS:
                row.append((type(part), part))
                continue
            if id(part) not in numbers:
                numbers[id(part)] = len(waiting)
                waiting.append(part)
            row.append(numbers[id(part)])
        found.append((type(held), *row))
    return waiting, found


def mark(root):
    """A number that all that can be reached goes into."""
    return hash(tuple((cls.__name__, repr(row)) for cls, *row in reachable(root)[1]))


def conversations(count, size=60):
    """Conversations of both sides, legal and illegal, always the same ones."""
    chance = random.Random(0)  # noqa: S311 - no secret
    return [conversation(BytesScript(chance.randbytes(size))) for _ in range(count)]


def after(connection, lines):
    """The connection after each line, with its mark at that time."""
    steps = []
    for sender, message in lines:
        connection, intents = see(connection, sender, message)
        steps.append((connection, intents, mark((connection, intents))))
    return steps


def seat(side):
    return Connection(side=side, phase="ready")


def unchanged(steps):
    return [mark((connection, intents)) for connection, intents, _ in steps] == [
        marked for _, _, marked in steps
    ]


TALK = conversations(50)


def test_the_walk_sees_a_change():
    """The proof is worth something."""
    connection = after(seat("client"), TALK[0])[-1][0]
    before = mark(connection)
    objects, _ = reachable(connection)
    [log, *_] = [held for held in objects if isinstance(held, Log) and len(held)]
    kept, log._buffer[0] = log._buffer[0], "changed"
    changed = mark(connection)
    log._buffer[0] = kept
    assert changed != before == mark(connection)
    [raw, *_] = [held for held in objects if isinstance(held, JsonObject) and held]
    other = JsonObject({"changed": 1})
    assert parts(raw) != parts(other)


@pytest.mark.parametrize("side", SEATS)
def test_no_later_event_changes_an_earlier_state(side):
    """Nor its intents; thousands of transitions, each of whose states is kept."""
    kept = [after(seat(side), lines) for lines in TALK]
    assert sum(map(len, kept)) > 700
    assert all(map(unchanged, kept))


def test_no_branch_changes_the_state_that_it_left_or_another_branch():
    """From one state into many, one after the other."""
    for trunk, *branches in zip(*[iter(TALK[:20])] * 4, strict=True):
        steps = after(seat("client"), trunk)
        grown = [
            after(base, lines)
            for base, _, _ in steps[:: len(steps) // 3 or 1]
            for lines in branches
        ]
        assert unchanged(steps)
        assert all(map(unchanged, grown))


def test_whoever_reads_a_state_leaves_it_as_it_is():
    """Snapshots, changes, materialised updates, texts, comparing and hashing."""
    for lines in TALK[:40]:
        steps = after(seat("client"), lines)
        for (before, _, _), (now, _, _) in pairwise(steps):
            changes(before, now)
        last = steps[-1][0]
        assert restore(snapshot(last)) == last
        hash(last)
        for session in last.sessions.values():
            materialize(session)
            assert isinstance(repr((session, *session.timeline)), str)
            assert all(isinstance(entry.text, str) for entry in session.messages)
        assert unchanged(steps)


def test_the_host_may_change_the_message_that_it_gave():
    """What was parsed is copied at the door."""
    for lines in TALK[:40]:
        steps = after(seat("client"), lines)
        for _, message in lines:
            if isinstance(message, dict | list):
                spoil(message)
        assert unchanged(steps)


def spoil(value):
    """Change all that can be changed."""
    for inner in [*(value.values() if isinstance(value, dict) else value)]:
        if isinstance(inner, dict | list):
            spoil(inner)
    value.clear()


def test_threads_that_go_on_from_the_same_states_come_out_right_and_change_nothing():
    """Each folds its own continuation onto what the others fold theirs onto."""
    trunks = [after(seat("client"), lines) for lines in TALK[:12]]
    bases = [steps[at] for steps in trunks for at in (len(steps) // 2, -1)]
    ways = TALK[20 : 20 + THREADS]
    expected = [[fold_all(base, lines) for lines in ways] for base, _, _ in bases]
    marks = [[mark(each) for each in row] for row in expected]
    with switching_often():
        results = run_together(
            lambda base, thread: fold_all(base, ways[thread]),
            [base for base, _, _ in bases],
            ("acp_state.persistent", "acp_state.model"),
        )
    assert [list(row) for row in results] == expected
    assert all(map(unchanged, trunks))
    assert [[mark(each) for each in row] for row in expected] == marks


def fold_all(connection, lines):
    """The connection after all lines, and after what the agent said of them at once."""
    for sender, message in lines:
        connection, _ = see(connection, sender, message)
    return fold(connection, [Received(message) for sender, message in lines if sender == "agent"])[
        0
    ]


# Making


def everything():
    """One object of each class that can be reached from any state."""
    found = {}
    for lines in TALK:
        connection, intents, _ = after(seat("client"), lines)[-1]
        for held in reachable((connection, intents))[0]:
            found.setdefault(type(held), held)
    return found


def test_every_reachable_object_is_one_of_a_class_that_forbids_change():
    """No list, no dict, nothing that is still being made."""
    for cls, held in everything().items():
        assert cls.__module__ != MAKING
        if cls in (tuple, frozenset, MappingProxyType, JsonArray):
            continue
        assert not hasattr(held, "__dict__"), cls
        for name in (*slots(cls), "anything", "__class__"):
            with pytest.raises(AttributeError):
                setattr(held, name, None)
            with pytest.raises(AttributeError):
                delattr(held, name)


def slots(cls):
    return [
        name for base in cls.__mro__ for name in getattr(base, "__slots__", ()) if name[:2] != "__"
    ]


def test_nothing_that_is_being_made_is_left_over():
    """An object becomes one of its class before anybody sees it."""
    kept = [after(seat("client"), lines)[-1] for lines in TALK[:20]]
    gc.collect()
    unfinished = [
        held
        for held in gc.get_objects()
        if type(held).__module__ == MAKING and type(held).__name__.startswith("Open")
    ]
    assert (unfinished, len(kept)) == ([], 20)


def test_a_copy_that_goes_wrong_leaves_nothing_behind():
    """A field that is not there: the half-made copy is dropped, the original is as it was."""
    from acp_state.model.copying import evolve  # noqa: PLC0415 - of interest here alone

    session = Session("s")
    before = mark(session)
    with pytest.raises(AttributeError):
        evolve(session, odd=1)
    assert (mark(session), type(session)) == (before, Session)


def test_the_empty_structures_that_all_share_stay_empty():
    """They are the defaults of fields."""
    for lines in TALK[:20]:
        after(seat("client"), lines)
    assert [len(each()) for each in (Vector, Log, Map)] == [0, 0, 0]
    shared = [field.default for field in attrs.fields(Session) if type(field.default) in EMPTY]
    assert [len(each) for each in shared] == [0] * len(shared)
