"""The timeline: entries in first-seen order, found by key (section 5)."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule
from reduce.builders import said, timeline

from acp_state import Compaction, Message, SessionMessage, Subagent, Timeline, ToolCall
from acp_state.model import EntriesById

A = said("agent", "a", message_id="a")
B = ToolCall(tool_call_id="b")
ANONYMOUS = said("agent", "x")
C = Compaction(compaction_id="c")


# Reading


def test_it_reads_like_a_sequence():
    made = timeline(A, B, C)
    assert len(made) == 3
    assert (made[0], made[-1], made[1:], made[::-1]) == (A, C, (B, C), (C, B, A))
    assert list(made) == [A, B, C]
    assert list(reversed(made)) == [C, B, A]
    assert B in made
    assert ANONYMOUS not in made
    assert made.index(B) == 1
    with pytest.raises(IndexError):
        made[3]


def test_it_may_be_empty():
    assert len(Timeline()) == 0
    assert not Timeline()
    assert Timeline().find(A.key) is None


def test_entries_are_found_by_key():
    """TL-04: role or kind, and id; what has no id is not found."""
    made = timeline(A, ANONYMOUS, B)
    assert made.find(("agent", "a")) == 0
    assert made.find(("tool_call", "b")) == 2
    assert made.find(("user", "a")) is None
    assert made.find(("tool_call", "a")) is None


# Writing


def test_it_is_made_of_entries_as_if_they_were_appended():
    made = Timeline.of(iter([A, ANONYMOUS, B]))
    assert made == timeline(A, ANONYMOUS, B)
    assert (made.find(A.key), made.find(B.key), made.find(C.key)) == (0, 2, None)
    assert made.append(C).find(C.key) == 3
    assert Timeline.of([ANONYMOUS], run_open=True).run_open
    assert Timeline.of() == Timeline()


def test_a_new_entry_comes_at_the_end():
    """TL-01."""
    assert list(timeline(A).append(B).append(ANONYMOUS)) == [A, B, ANONYMOUS]


def test_another_version_of_an_entry_takes_its_place():
    """TL-02: it is not moved, and others are the identical objects."""
    made, done = timeline(A, B, C), attrs.evolve(B, status="completed")
    changed = made.replace(1, done)
    assert list(changed) == [A, done, C]
    assert changed[0] is A
    assert changed[2] is C
    assert list(made) == [A, B, C]
    assert changed.find(B.key) == 1


def test_the_very_same_entry_changes_nothing():
    made = timeline(A, B)
    assert made.replace(1, made[1]) is made


def test_a_change_of_each_entry():
    """TL-02: in their places; where nothing changes, it is the very same timeline."""
    made = timeline(A, B, ANONYMOUS)
    finished = attrs.evolve(B, status="completed")
    changed = made.map(lambda entry: finished if entry is B else entry)
    assert changed == timeline(A, finished, ANONYMOUS)
    assert changed.find(B.key) == 1
    assert list(made) == [A, B, ANONYMOUS]
    assert made.map(lambda entry: entry) is made


def test_two_timelines_tell_where_they_hold_other_entries():
    """Equal ones included, as far as both go."""
    made, again = timeline(A, B, C), attrs.evolve(B)
    changed = made.replace(1, again).append(ANONYMOUS)
    assert made.differing(changed) == [(1, B, again)]
    assert changed.differing(made) == [(1, again, B)]
    assert made.differing(made) == []


def test_an_entry_can_get_a_key():
    """TURN-04: the prompt's entry takes over the id of its echo, and can lose it again."""
    made = timeline(ANONYMOUS, B)
    named = made.replace(0, attrs.evolve(ANONYMOUS, message_id="m"))
    assert named.find(("agent", "m")) == 0
    assert made.find(("agent", "m")) is None
    unnamed = named.replace(0, ANONYMOUS)
    assert unnamed.find(("agent", "m")) is None
    moved = unnamed.append(said("agent", "y", message_id="m"))
    assert moved.find(("agent", "m")) == 2
    assert named.find(("agent", "m")) == 0


def test_the_open_run():
    """MSG-05, MSG-06: a new entry closes it, a patch does not."""
    opened = timeline(A).append(ANONYMOUS, run_open=True)
    assert opened.run_open
    assert opened.replace(0, said("agent", "b", message_id="a")).run_open
    assert not opened.append(B).run_open
    closed = opened.close_run()
    assert not closed.run_open
    assert list(closed) == list(opened)
    assert closed.close_run() is closed
    assert closed != opened


# Versions


def test_versions_do_not_see_each_others_entries():
    """Design, contract 1: two branches of one version put one key in two places."""
    base = timeline(A)
    left = base.append(B)
    right = base.append(C).append(B)
    assert (base.find(B.key), left.find(B.key), right.find(B.key)) == (None, 1, 2)
    assert (left.find(C.key), right.find(C.key)) == (None, 1)


names = st.sampled_from("abc")
keyed = st.one_of(
    st.builds(lambda r, n: said(r, n, message_id=n), st.sampled_from(["user", "agent"]), names),
    st.builds(lambda n: ToolCall(tool_call_id=n), names),
    st.builds(lambda n: Compaction(compaction_id=n), names),
    st.builds(lambda n: SessionMessage(message_id=n), names),
    st.builds(lambda n: Subagent(session_id=n), names),
)
anonymous = st.builds(said, st.sampled_from(["user", "agent", "thought"]), names)


class TimelineMachine(RuleBasedStateMachine):
    """A timeline beside a list of its entries; every rule starts from any version so far."""

    versions = Bundle("versions")

    def __init__(self):
        super().__init__()
        self.all = []

    def made(self, made, entries, *, run_open):
        """A new version with its model, which is checked then and ever after."""
        self.all.append((made, tuple(entries), run_open))
        return multiple((made, tuple(entries), run_open))

    @initialize(target=versions)
    def begin(self):
        return self.made(Timeline(), (), run_open=False)

    @rule(target=versions, version=versions, entry=keyed)
    def refer(self, version, entry):
        """Take the entry's place if it has one, else the end."""
        made, entries, run_open = version
        position = made.find(entry.key)
        if position is None:
            return self.made(made.append(entry), (*entries, entry), run_open=False)
        changed = [*entries]
        changed[position] = entry
        return self.made(made.replace(position, entry), changed, run_open=run_open)

    @rule(target=versions, version=versions, entry=anonymous, run_open=st.booleans())
    def append_anonymous(self, version, entry, run_open):
        made, entries, _ = version
        return self.made(
            made.append(entry, run_open=run_open), (*entries, entry), run_open=run_open
        )

    @rule(target=versions, version=versions, at=st.integers(0, 40), name=st.none() | names)
    def rename(self, version, at, name):
        """Give a message another id, or none."""
        made, entries, run_open = version
        found = [i for i, entry in enumerate(entries) if isinstance(entry, Message)]
        if not found:
            return multiple()
        position = found[at % len(found)]
        entry = attrs.evolve(entries[position], message_id=name)
        if entry.key in [each.key for each in entries if each.key is not None]:
            return multiple()
        changed = [*entries]
        changed[position] = entry
        return self.made(made.replace(position, entry), changed, run_open=run_open)

    @rule(target=versions, version=versions, at=st.integers(0, 40), turn=st.integers(0, 3))
    def revise(self, version, at, turn):
        """Put another version of an entry in its place, often where the last one went."""
        made, entries, run_open = version
        if not entries:
            return multiple()
        position = at % len(entries) if made.revised is None or at % 2 else made.revised[0]
        entry = attrs.evolve(entries[position], turn=turn)
        changed = [*entries]
        changed[position] = entry
        return self.made(made.revise(position, entry), changed, run_open=run_open)

    @rule(target=versions, version=versions)
    def close_run(self, version):
        made, entries, _ = version
        return self.made(made.close_run(), entries, run_open=False)

    @invariant()
    def every_version_is_as_it_was(self):
        for made, entries, run_open in self.all:
            assert tuple(made) == entries
            assert (len(made), made.run_open) == (len(entries), run_open)
            assert [made[at] for at in range(-len(made), len(made))] == [*entries, *entries]
            assert made == Timeline.of(entries, run_open=run_open)
            assert hash(made) == hash(Timeline.of(entries, run_open=run_open))
            for key in KEYS:
                positions = [i for i, entry in enumerate(entries) if entry.key == key]
                assert made.find(key) == (positions[0] if positions else None)


KEYS = [
    (kind, name)
    for kind in (
        "user",
        "agent",
        "thought",
        "tool_call",
        "compaction",
        "session_message",
        "subagent",
    )
    for name in "abc"
]

TimelineMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=20)
TestTimelineAgainstAList = TimelineMachine.TestCase


@given(st.lists(keyed | anonymous, max_size=80))
def test_long_timelines(entries):
    """Beyond the width of a node of the vector, too."""
    made = Timeline()
    for entry in entries:
        made = made.append(entry)
    assert list(made) == entries
    assert list(reversed(made)) == entries[::-1]
    assert made[:] == tuple(entries)


# Values


def test_what_it_looks_like():
    assert repr(timeline(A, B)) == "<timeline of 2 entries>"


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed; the index is no part of the value."""
    branch = timeline(A).append(C) and timeline(A).append(B)
    assert branch == timeline(A, B)
    assert hash(branch) == hash(timeline(A, B))
    assert timeline(A) != [A]
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        branch.run_open = True


# Views by id

ALL = timeline(
    B,
    A,
    C,
    ANONYMOUS,
    ToolCall(tool_call_id="a"),
    SessionMessage(message_id="a"),
    Subagent(session_id="a"),
)
CALLS = EntriesById(ALL, ToolCall, "tool_call")


def test_a_view_is_a_mapping_in_the_order_of_the_timeline():
    """Found by id, of one kind alone."""
    assert CALLS["b"] is ALL[0]
    assert list(CALLS) == ["b", "a"]
    assert len(CALLS) == 2
    assert list(CALLS.values()) == [ALL[0], ALL[4]]
    assert dict(CALLS) == {"b": ALL[0], "a": ALL[4]}
    assert "a" in CALLS
    assert "c" not in CALLS
    assert CALLS.get("c") is None
    with pytest.raises(KeyError, match="'c'"):
        CALLS["c"]


@pytest.mark.parametrize(
    ("kind", "prefix", "ids"),
    [
        (Compaction, "compaction", ["c"]),
        (SessionMessage, "session_message", ["a"]),
        (Subagent, "subagent", ["a"]),
    ],
)
def test_each_kind_has_ids_of_its_own(kind, prefix, ids):
    """TL-04."""
    assert list(EntriesById(ALL, kind, prefix)) == ids


def test_a_view_over_nothing():
    view = EntriesById(Timeline(), ToolCall, "tool_call")
    assert (len(view), list(view), dict(view)) == (0, [], {})


def test_what_a_view_looks_like():
    assert (
        repr(CALLS)
        == "{'b': <tool call 'b': other, pending>, 'a': <tool call 'a': other, pending>}"
    )


def test_hashes_tell_timelines_apart():
    assert hash(timeline(A)) != hash(timeline(B))
    assert hash(timeline(A)) != hash(Timeline())
