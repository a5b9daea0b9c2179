"""What differs between two states: what a host draws anew, found without looking at the rest."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import typing
from itertools import pairwise

import attrs
import pytest
from conversations import conversations, steps
from golden_form import GOLDEN, messages_of
from hypothesis import given, settings
from hypothesis import strategies as st
from observing import see
from reduce.builders import chunks, said, timeline
from reduce.history import READY, chunk, made
from shared import needs_shared

from acp_state import (
    Appended,
    Change,
    Chunks,
    Compaction,
    Connection,
    ConnectionChanges,
    Message,
    Session,
    SessionChanges,
    SessionMessage,
    Terminal,
    Timeline,
    ToolCall,
    Turn,
    apply_update,
    changes,
)
from acp_state.model import PendingRequest
from acp_state.persistent import Map, Vector
from acp_state.schema import PlanMarkdown, TextContent

on_conversations = settings(max_examples=60)
"""Conversations are long, so that there need not be as many."""

NAMES = sorted(path.stem for path in GOLDEN.glob("*.txt"))
"""The recordings, also where they are not at hand, so that what is skipped has a name."""

HIDDEN = {
    Session: {"replay", "id_style", "open_permissions"},
    Connection: {"settled_by_client", "settled_by_agent", "next_request_id"},
}

TOLD_AS = {"timeline": "entries"}
"""The fields that have another name in the result."""


def names(cls):
    return [field.name for field in attrs.fields(cls) if field.name not in HIDDEN.get(cls, ())]


def kind_of(model, name):
    """The kind of container that a field is declared as, or none."""
    annotation = typing.get_type_hints(model)[name]
    kind = typing.get_origin(annotation) or annotation
    return kind if kind in {Map, Vector, Timeline} else None


FIELDS = [(model, name) for model in (Session, Connection) for name in names(model)]
SLOTS = [(model, name) for model, name in FIELDS if kind_of(model, name) is None]
HOLDING = [(model, name) for model, name in FIELDS if kind_of(model, name) is not None]
BLANK = {Session: Session("s"), Connection: Connection()}


# All by comparing everything


def compared(old, new):
    """What differs in two dicts, or two sequences as dicts: what was and what is, by key."""
    keys = dict.fromkeys([*old, *new])
    pairs = {key: (old.get(key), new.get(key)) for key in keys}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


def held(value):
    return dict(value) if isinstance(value, Map) else dict(enumerate(value))


def expected(old, new):
    """What must be told of two states of one model, but for what has moved."""
    model = type(new)
    told = {
        "slots": {
            n for n in names(model) if (model, n) in SLOTS and getattr(old, n) != getattr(new, n)
        }
    }
    for name in names(model):
        if (model, name) in HOLDING:
            pairs = compared(held(getattr(old, name)), held(getattr(new, name)))
            told[TOLD_AS.get(name, name)] = pairs
    if model is Connection:
        sessions = {key: expected_of(*pair) for key, pair in told["sessions"].items()}
        told["sessions"] = {key: found for key, found in sessions.items() if any(found.values())}
    return told


def expected_of(old, new):
    """What must be told of a session: of one that is gone, nothing more."""
    if new is None:
        return {"gone": True}
    found = expected(old or Session(new.session_id), new)
    return {**found, "new": old is None}


def told(found):
    """The same of a result."""
    many = {
        name: {each.at: (each.before, each.after) for each in value if each.before != each.after}
        for name in attrs.fields_dict(type(found))
        if name not in {"before", "after", "moved", "slots", "sessions"}
        for value in [getattr(found, name)]
    }
    result = {"slots": {*found.slots}, **many}
    if isinstance(found, ConnectionChanges):
        sessions = {key: told_of(each) for key, each in found.sessions.items()}
        result["sessions"] = {key: each for key, each in sessions.items() if any(each.values())}
    return result


def told_of(found):
    if found.after is None:
        return {"gone": True}
    return {**told(found), "new": found.before is None}


# A host that draws what it is told


class View:
    """What a host shows of a connection; a text that goes on is not read again."""

    def __init__(self):
        self.slots = {
            name: getattr(Connection(), name) for _, name in SLOTS if name in names(Connection)
        }
        self.held = {name: {} for model, name in HOLDING if model is Connection}

    def take(self, found, connection):
        self.slots |= {name: getattr(connection, name) for name in found.slots}
        for name in self.held.keys() - {"sessions"}:
            for change in getattr(found, name):
                set_key(self.held[name], change.at, change, change.after)
        sessions = self.held["sessions"]
        for session_id, change in found.sessions.items():
            view = SessionView() if change.before is None else sessions[session_id]
            set_key(sessions, session_id, change, view)
            if change.after is not None:
                view.take(change)

    def shown(self):
        sessions = {key: view.shown() for key, view in self.held["sessions"].items()}
        return {**self.slots, **self.held, "sessions": sessions}

    def order(self):
        """The order of all that is shown by key."""
        own = {name: list(value) for name, value in self.held.items()}
        return own, {key: view.order() for key, view in self.held["sessions"].items()}


class SessionView:
    def __init__(self):
        self.slots = {name: getattr(Session(""), name) for model, name in SLOTS if model is Session}
        self.rows = {"entries": [], "turns": [], "permissions": []}
        self.held = {"plans": {}, "terminals": {}}

    def take(self, found):
        self.slots["session_id"] = found.after.session_id
        self.slots |= {name: getattr(found.after, name) for name in found.slots}
        for name, rows in self.rows.items():
            for change in getattr(found, name):
                set_row(rows, change)
        for name, values in self.held.items():
            for change in getattr(found, name):
                set_key(values, change.at, change, redrawn(values.get(change.at), change))

    def shown(self):
        return {**self.slots, **self.rows, **self.held}

    def order(self):
        return {name: list(value) for name, value in self.held.items()}


def set_key(values, key, change, value):
    if change.after is None or change.moved:
        del values[key]
    if change.after is not None:
        values[key] = value


def set_row(rows, change):
    if change.before is None:
        assert change.at == len(rows)
        rows.append(drawn(change.after))
    elif change.after is None:
        assert change.at == len(rows) - 1
        rows.pop()
    else:
        rows[change.at] = redrawn(rows[change.at], change)


def redrawn(shown, change):
    """What is shown of it now: with a text at its end, or drawn anew."""
    if change.after is None:
        return None
    if change.appended is None:
        return drawn(change.after)
    other, text, count = shown
    new = change.appended
    return other, text[: new.kept] + new.text, count + len(new.chunks)


def drawn(thing):
    """What is shown of it: its text apart from all else."""
    if isinstance(thing, Message | Compaction | SessionMessage):
        return attrs.evolve(thing, chunks=()), thing.text, len(thing.chunks)
    if isinstance(thing, Terminal):
        return attrs.evolve(thing, output=thing.output and ""), thing.output or "", 0
    return thing


def view_of(connection):
    """A view built afresh."""
    view = View()
    view.slots = {name: getattr(connection, name) for name in view.slots}
    view.held = {name: dict(getattr(connection, name)) for name in view.held}
    view.held["sessions"] = {
        key: session_view(session) for key, session in connection.sessions.items()
    }
    return view


def session_view(session):
    view = SessionView()
    view.slots = {name: getattr(session, name) for name in view.slots}
    view.rows = {
        "entries": list(map(drawn, session.timeline)),
        "turns": list(session.turns),
        "permissions": list(session.permissions),
    }
    view.held = {
        "plans": dict(session.plans),
        "terminals": {key: drawn(terminal) for key, terminal in session.terminals.items()},
    }
    return view


def check(old, new, *, later=False):
    """What differs is what comparing everything finds, and a view that takes it is right."""
    found = changes(old, new)
    assert told(found) == expected(old, new)
    view = view_of(old)
    view.take(found, new)
    assert view.shown() == view_of(new).shown()
    if later:
        assert view.order() == view_of(new).order()
    assert bool(found) == (any(told(found).values()) or anything_moved(found))


def anything_moved(found):
    """Whether anything was removed and set again, equal or not."""
    parts = [found, *found.sessions.values()]
    many = [attrs.astuple(part, recurse=False) for part in parts]
    told_one_by_one = [
        each for values in many for value in values if type(value) is tuple for each in value
    ]
    return any(getattr(each, "moved", False) for each in [*parts, *told_one_by_one])


def states_of(lines, onto=READY):
    return [onto, *(after for _, _, after, _ in steps(lines, onto))]


@on_conversations
@given(conversations(max_size=40), st.data())
def test_any_two_versions_of_one_history(lines, data):
    """Near and far, forwards and backwards."""
    states = states_of(lines)
    positions = st.integers(0, len(states) - 1)
    for _ in range(8):
        first, second = data.draw(positions), data.draw(positions)
        check(states[first], states[second], later=first <= second)


@on_conversations
@given(conversations(max_size=40))
def test_a_view_that_follows_a_history_is_right_at_each_event(lines):
    """What matters most: nothing is ever missing from what a host shows, and nothing is stale."""
    old, view = Connection(), View()
    for state in states_of(lines):
        view.take(changes(old, state), state)
        assert view.shown() == view_of(state).shown()
        assert view.order() == view_of(state).order()
        old = state


@needs_shared
@pytest.mark.parametrize("name", NAMES)
def test_a_view_that_follows_a_recording_is_right_in_the_end(name):
    """And at each event of the shorter ones."""
    messages = messages_of(name)
    old, view = Connection(), View()
    for sender, message in messages:
        new, _ = see(old, sender, message)
        view.take(changes(old, new), new)
        if len(messages) < 100:
            assert view.shown() == view_of(new).shown()
        old = new
    assert view.shown() == view_of(old).shown()
    assert view.order() == view_of(old).order()
    check(Connection(), old, later=True)


@on_conversations
@given(conversations(max_size=12), conversations(max_size=8), conversations(max_size=8), st.data())
def test_two_branches_of_one_history(trunk, left, right, data):
    base = data.draw(st.sampled_from(states_of(trunk)))
    pair = [data.draw(st.sampled_from(states_of(lines, base))) for lines in (left, right)]
    check(*pair)
    check(*reversed(pair))


@on_conversations
@given(conversations(), conversations(), st.data())
def test_states_that_have_nothing_to_do_with_each_other(first, second, data):
    """Two conversations about sessions of the same ids."""
    check(
        data.draw(st.sampled_from(states_of(first))), data.draw(st.sampled_from(states_of(second)))
    )


@on_conversations
@given(conversations(), st.data())
def test_what_is_equal_is_no_change_whoever_made_it(lines, data):
    """States that were restored: copied deeply, or pickled."""
    states = states_of(lines)
    old, new = data.draw(st.sampled_from(states)), data.draw(st.sampled_from(states))
    for again in (copy.deepcopy(new), pickle.loads(pickle.dumps(new))):  # noqa: S301 - our own
        assert not changes(new, again)
        assert not changes(again, new)
        check(old, again)
        check(again, old)


@on_conversations
@given(conversations())
def test_a_session_is_compared_as_in_its_connection(lines):
    old, *_, new = [READY, *states_of(lines)]
    for session_id, found in changes(old, new).sessions.items():
        if found.before is not None and found.after is not None:
            assert changes(found.before, found.after) == attrs.evolve(found, moved=False)
            assert new.sessions[session_id] is found.after


# Every field


MARK = Turn(request_id="a mark", start=None)
"""Stands for any value; no field holds it."""


def marked(model, name):
    """The blank model with something in that field."""
    values = {
        Map: Map.of({"s": Session("s") if name == "sessions" else MARK}),
        Vector: Vector.of([MARK]),
        Timeline: timeline(said("agent", "a")),
        None: "observer" if name == "side" else MARK,
    }
    kind = None if name in HIDDEN[model] else kind_of(model, name)
    return attrs.evolve(BLANK[model], **{name: values[kind]})


@pytest.mark.parametrize(("model", "name"), SLOTS)
def test_a_field_that_holds_one_value_is_told_by_its_name(model, name):
    assert changes(BLANK[model], marked(model, name)).slots == (name,)
    assert changes(marked(model, name), BLANK[model]).slots == (name,)


@pytest.mark.parametrize(("model", "name"), HOLDING)
def test_a_field_that_holds_many_things_is_told_thing_by_thing(model, name):
    found = changes(BLANK[model], marked(model, name))
    assert len(getattr(found, TOLD_AS.get(name, name))) == 1
    assert found
    assert not found.slots


@pytest.mark.parametrize(
    ("model", "name"), [(m, n) for m, hidden in HIDDEN.items() for n in sorted(hidden)]
)
def test_bookkeeping_is_not_told(model, name):
    assert name in attrs.fields_dict(model)
    assert not changes(BLANK[model], marked(model, name))


def test_each_field_is_one_of_these():
    """So that none that is added can be forgotten."""
    for model in (Session, Connection):
        fields = {*attrs.fields_dict(model)}
        assert fields == {n for m, n in FIELDS if m is model} | HIDDEN[model]
    told_of_session = {TOLD_AS.get(n, n) for m, n in HOLDING if m is Session}
    told_of_connection = {n for m, n in HOLDING if m is Connection}
    assert {*attrs.fields_dict(SessionChanges)} == told_of_session | {
        "before",
        "after",
        "moved",
        "slots",
    }
    assert {*attrs.fields_dict(ConnectionChanges)} == told_of_connection | {"slots"}


# What it looks like


def test_a_chunk():
    old, _ = see(see(READY, *made("s")[0])[0], *made("s")[1])
    first, _ = see(old, *chunk("agent", "Hel", "m", "s"))
    second, _ = see(first, *chunk("agent", "lo", "m", "s"))
    [(session_id, found)] = changes(first, second).sessions.items()
    assert session_id == "s"
    assert found == SessionChanges(
        before=first.sessions["s"],
        after=second.sessions["s"],
        entries=(
            Change(
                0, said("agent", "Hel", message_id="m"), said("agent", "Hel", "lo", message_id="m")
            ),
        ),
    )
    [change] = found.entries
    assert change.fields == ("chunks",)
    assert change.appended == Appended("lo", None, chunks("lo"))
    assert changes(old, first).sessions["s"].entries == (
        Change(0, None, said("agent", "Hel", message_id="m")),
    )
    assert changes(first, old).sessions["s"].entries == (
        Change(0, said("agent", "Hel", message_id="m"), None),
    )


def test_a_new_session_is_compared_with_an_empty_one_and_one_that_is_gone_with_none():
    session = Session("s", title="T", timeline=timeline(said("user", "a")))
    without, with_it = Connection(), Connection().with_session(session)
    assert changes(without, with_it) == ConnectionChanges(
        sessions=Map.of(
            {
                "s": SessionChanges(
                    before=None,
                    after=session,
                    entries=(Change(0, None, said("user", "a")),),
                    slots=("title",),
                )
            }
        )
    )
    gone = SessionChanges(before=session, after=None)
    assert gone
    assert changes(with_it, without) == ConnectionChanges(sessions=Map.of({"s": gone}))
    assert changes(without, Connection().with_session(Session("e"))).sessions["e"]


def test_what_was_removed_and_set_again_has_moved():
    plan = PlanMarkdown(plan_id="p", content="P")
    plans = Map.of({"p": plan, "q": plan})
    old = Session("s", plans=plans)
    new = Session("s", plans=plans.remove("p").set("p", plan))
    assert changes(old, new).plans == (Change("p", plan, plan, moved=True),)
    session = Session("s")
    sessions = Map.of({"s": session, "t": Session("t")})
    found = changes(
        Connection(sessions=sessions), Connection(sessions=sessions.remove("s").set("s", session))
    )
    assert found.sessions == Map.of(
        {"s": SessionChanges(before=session, after=session, moved=True)}
    )


def test_what_is_gone_is_told_from_the_end_on():
    entries = [said("user", text) for text in "abc"]
    old, new = (Session("s", timeline=timeline(*part)) for part in (entries, entries[:1]))
    assert changes(old, new).entries == (Change(2, entries[2], None), Change(1, entries[1], None))


def test_a_session_in_which_only_bookkeeping_differs_is_left_out():
    old = Connection().with_session(Session("s"))
    new = Connection().with_session(Session("s", id_style="mixed"))
    assert not changes(old, new)
    assert changes(old, new) == ConnectionChanges()


def test_fields_of_what_changed():
    before, after = (
        ToolCall(tool_call_id="t"),
        ToolCall(tool_call_id="t", status="failed", title="T"),
    )
    assert Change(0, before, after).fields == ("title", "status")
    assert Change(0, before, None).fields == Change(0, None, after).fields == ()
    assert Change(0, before, after).appended is None


def test_repr_counts():
    old = Connection().with_session(Session("s"))
    session = Session("s", title="T", timeline=timeline(said("user", "a")))
    request = PendingRequest(request_id=1, method="m", params={})
    new = attrs.evolve(
        old.with_session(session), phase="ready", client_requests=Map.of({("int", 1): request})
    )
    assert repr(changes(old, new)) == "<changes: 1 sessions, 1 client_requests, phase>"
    assert repr(changes(old, new).sessions["s"]) == (
        "<changes of <session 's' 'T': 1 entries, 0 turns>: 1 entries, title>"
    )
    assert repr(changes(new, Connection()).sessions["s"]).endswith(
        "'T': 1 entries, 0 turns>: none>"
    )
    assert repr(changes(old, old)) == "<changes: none>"


def test_two_of_a_kind_only():
    with pytest.raises(TypeError, match="cannot compare a Session with a Connection"):
        changes(Session("s"), Connection())


# Cost


def calls_of(function, *arguments):
    """How many functions are called, ours and Python's."""
    count = 0

    def notice(_, event, __):
        nonlocal count
        count += event in {"call", "c_call"}

    gc.disable()  # whose callbacks would be counted too
    sys.setprofile(notice)
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


SIZES = (1_000, 10_000, 100_000)


def long_session(size):
    """A session of so many messages; the last one has as many chunks."""
    messages = [said("agent", "a", message_id=f"m{number}") for number in range(size)]
    long = attrs.evolve(messages[-1], chunks=Chunks.of([TextContent(text="a")] * size))
    turns = Vector.of([Turn(request_id=number, start=0) for number in range(size)])
    return Session("s", timeline=timeline(*messages[:-1], long), turns=turns)


@pytest.fixture(scope="module")
def long_sessions():
    return [long_session(size) for size in SIZES]


def with_chunk(session, number):
    update = {
        "sessionUpdate": "agent_message_chunk",
        "messageId": f"m{number}",
        "content": {"type": "text", "text": "b"},
    }
    return apply_update(session, update)[0]


def draw_all(old, new):
    """Compare, and read all that was appended."""
    return [change.appended for change in changes(old, new).entries]


def test_a_chunk_costs_the_same_however_long_the_session_and_the_message(long_sessions):
    costs = set()
    for size, session in zip(SIZES, long_sessions, strict=True):
        newer = with_chunk(session, size - 1)
        costs.add(calls_of(draw_all, session, newer))
        assert len(draw_all(session, newer)) == 1
    assert len(costs) == 1


def test_a_change_far_back_costs_a_level_more_in_a_session_thirty_times_as_long(long_sessions):
    costs = [
        calls_of(draw_all, session, with_chunk(session, size // 2))
        for size, session in zip(SIZES, long_sessions, strict=True)
    ]
    levels = [later - earlier for earlier, later in pairwise(costs)]
    assert all(0 <= level <= 10 for level in levels)


def test_new_entries_cost_no_more_than_a_walk_down_the_levels(long_sessions):
    """That is where one of them has begun a new leaf."""
    costs = [
        calls_of(draw_all, session, with_chunk(with_chunk(session, "new"), "other"))
        for session in long_sessions
    ]
    assert max(costs) - min(costs) <= 15


def test_versions_that_are_far_apart_cost_what_has_changed(long_sessions):
    costs = []
    for size, session in zip(SIZES, long_sessions, strict=True):
        newer = session
        for number in range(0, size, size // 100):
            newer = with_chunk(newer, number)
        assert len(draw_all(session, newer)) == 100
        costs.append(calls_of(draw_all, session, newer))
    assert max(costs) < 2 * min(costs)


def test_one_session_of_many_costs_the_same():
    costs = set()
    for size in SIZES[:2]:
        sessions = Map.of((f"s{number}", Session(f"s{number}")) for number in range(size))
        old = Connection(sessions=sessions)
        new = old.with_session(Session(f"s{size - 1}", title="T"))
        costs.add(calls_of(changes, old, new))
    assert len(costs) == 1


def test_the_same_object_costs_nothing(long_sessions):
    assert calls_of(changes, long_sessions[-1], long_sessions[-1]) < 10
    both = [Connection().with_session(session) for session in (long_sessions[0], long_sessions[-1])]
    assert [calls_of(changes, each, each) < 10 for each in both] == [True, True]
