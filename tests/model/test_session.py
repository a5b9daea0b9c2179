"""A session as the model holds it."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import (
    after,
    agent,
    answered,
    call,
    compaction,
    letter,
    prompt_entry,
    prompted,
    said,
    subagent,
    thought,
)

from acp_state import Compaction, Session, SessionMessage, Subagent, Timeline, ToolCall
from acp_state.json_values import JsonObject
from acp_state.model import Permission
from acp_state.model.session import with_turn
from acp_state.persistent import Map, Vector
from acp_state.reduce.turns import ask_to_cancel
from acp_state.schema import SessionModeState, ToolCallUpdate

FULL = after(
    thought("hm", "m"),
    agent("a", "m2"),
    call("t"),
    compaction("c"),
    letter("l"),
    subagent("child"),
    onto=prompted("Hi"),
)
MODES = SessionModeState(current_mode_id="m", available_modes=())


def test_a_session_of_which_only_the_id_is_known():
    """Nothing was reported: none, or an empty list where there always is one."""
    assert Session("s") == Session(
        "s",
        parent_id=None,
        client_capabilities=None,
        readiness="ready",
        forked_from=None,
        archived=False,
        history_incomplete=False,
        cwd=None,
        additional_directories=None,
        title=None,
        updated_at=None,
        meta=None,
        timeline=Timeline(),
        replay=None,
        turns=Vector(),
        running=(),
        permissions=Vector(),
        open_permissions=Map(),
        plan=None,
        plans=Map(),
        available_commands=(),
        modes=None,
        config_options=None,
        usage=None,
        terminals=Map(),
        id_style="none",
    )


# Views


def test_messages_are_those_of_the_three_roles():
    """In order; session-directed messages are something else (SMSG-10)."""
    assert FULL.messages == (
        prompt_entry("Hi"),
        said("thought", "hm", message_id="m", turn=0),
        said("agent", "a", message_id="m2", turn=0),
    )


def test_other_entries_by_id():
    assert dict(FULL.tool_calls) == {"t": ToolCall(tool_call_id="t", title="T", turn=0)}
    assert dict(FULL.compactions) == {"c": Compaction(compaction_id="c", turn=0)}
    assert dict(FULL.session_messages) == {"l": SessionMessage(message_id="l", turn=0)}
    assert dict(FULL.subagents) == {"child": Subagent(session_id="child", turn=0)}


def test_the_current_turn():
    """TURN-11: the oldest that runs; None: there is none."""
    assert Session("s").current_turn is None
    both = prompted("two", request_id=2, onto=prompted("one"))
    assert both.current_turn is both.turns[0]
    assert answered(both)[0].current_turn is both.turns[1]


@pytest.mark.parametrize(
    ("modes", "options", "preferred"),
    [
        (None, None, None),
        (MODES, None, "modes"),
        (None, (), "config_options"),
        (MODES, (), "config_options"),
    ],
)
def test_which_settings_are_preferred(modes, options, preferred):
    """CFG-03: if options were reported, hosts use them and ignore modes."""
    session = Session("s", modes=modes, config_options=options)
    assert session.preferred_settings == preferred


def test_what_is_excluded():
    """TL-08: the entries of a refused turn; what came outside of turns is not."""
    refused, _ = answered(FULL, "refusal")
    refused = after(agent("b", "m3"), onto=refused)
    excluded = [refused.is_excluded(entry) for entry in refused.timeline]
    assert excluded == [True] * 7 + [False]
    ended, _ = answered(FULL)
    assert not any(ended.is_excluded(entry) for entry in ended.timeline)


def test_the_timeline_can_be_changed():
    """Design, contract 5: the same timeline is the same session; nothing else is touched."""
    assert FULL.with_timeline(FULL.timeline) is FULL
    shorter = Timeline().append(FULL.timeline[0])
    assert FULL.with_timeline(shorter) == attrs.evolve(FULL, timeline=shorter)
    assert FULL.with_timeline(shorter).turns is FULL.turns


def test_what_is_being_cancelled():
    """15.1: the current turn, from `session/cancel` to its response; not by `$/cancel_request`."""
    assert not Session("s").is_cancelling
    assert not FULL.is_cancelling
    assert ask_to_cancel(FULL).is_cancelling
    assert not answered(ask_to_cancel(FULL))[0].is_cancelling
    asked = with_turn(FULL, 0, attrs.evolve(FULL.turns[0], cancel_requested=True))
    assert not asked.is_cancelling


def test_permissions_that_wait():
    """PERM-06: oldest first."""
    assert Session("s").pending_permissions == ()
    asked = [
        Permission(request_id=n, tool_call=ToolCallUpdate(tool_call_id="t"), options=())
        for n in range(3)
    ]
    waiting = Map.of({("int", 0): 0, ("int", 2): 2})
    session = attrs.evolve(FULL, permissions=Vector.of(asked), open_permissions=waiting)
    assert session.pending_permissions == (asked[0], asked[2])


def test_a_turn_can_be_changed():
    """A turn that ended runs no more; others are the identical objects."""
    both = prompted("two", request_id=2, onto=prompted("one"))
    asked = attrs.evolve(both.turns[0], cancel_requested=True)
    assert with_turn(both, 0, asked) == attrs.evolve(both, turns=both.turns.set(0, asked))
    ended = attrs.evolve(both.turns[1], outcome="ended")
    session = with_turn(both, 1, ended)
    assert session == attrs.evolve(both, turns=both.turns.set(1, ended), running=(0,))
    assert session.turns[0] is both.turns[0]


# Values


@pytest.mark.parametrize(
    ("session", "shown"),
    [
        (Session("s"), "<session 's': 0 entries, 0 turns>"),
        (Session("s", title="It's"), "<session 's' \"It's\": 0 entries, 0 turns>"),
        (FULL, "<session 's': 7 entries, 1 turns, 1 running>"),
        (answered(FULL)[0], "<session 's': 7 entries, 1 turns>"),
    ],
)
def test_what_it_looks_like(session, shown):
    assert repr(session) == shown


def test_the_id_alone_is_positional():
    with pytest.raises(TypeError):
        Session("s", "parent")


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed."""
    again = after(
        thought("hm", "m"),
        agent("a", "m2"),
        call("t"),
        compaction("c"),
        letter("l"),
        subagent("child"),
        onto=prompted("Hi"),
    )
    assert again == FULL
    assert hash(FULL) == hash(again)
    assert Session("s") != Session("S")


@pytest.mark.parametrize("name", [field.name for field in attrs.fields(Session)])
def test_no_attribute_can_be_set(name):
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(FULL, name, None)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        delattr(FULL, name)


def test_nothing_inside_can_be_changed():
    """Style, section 8: no dict and no list is reachable."""
    rich = attrs.evolve(FULL, meta=JsonObject({"k": [1]}))
    with pytest.raises(TypeError):
        rich.meta["k"] = 2
    with pytest.raises(TypeError):
        rich.meta["k"][0] = 2
    with pytest.raises(TypeError):
        rich.timeline[0] = None
    with pytest.raises(TypeError):
        rich.tool_calls["t"] = None
    with pytest.raises(TypeError):
        rich.plans["p"] = None
    with pytest.raises(TypeError):
        rich.turns[0] = None
