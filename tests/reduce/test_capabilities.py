"""Which updates need a capability of the client (section 20, LENIENT-16)."""

from __future__ import annotations

import pytest
from reduce.builders import (
    SESSION,
    agent,
    agent_answers,
    call,
    call_update,
    codes,
    compaction,
    connected,
    fold,
    letter,
    letter_chunk,
    noticed,
    permission,
    reported,
    subagent,
    summary,
    text,
    thought,
    to_agent,
    update,
    user,
    watch,
)

from acp_state import Session
from acp_state.reduce.capabilities import NEEDS, is_advertised
from acp_state.schema import (
    BooleanConfigOptionCapabilities,
    ClientCapabilities,
    ClientSessionCapabilities,
    CompactionCapabilities,
    NoticeCapabilities,
    PlanCapabilities,
    SessionConfigOptionsCapabilities,
    SubagentCapabilities,
)
from acp_state.schema.unions import SESSION_UPDATE

FILE = {"type": "file", "planId": "p", "uri": "u"}

GATED = {
    "plan_update": ("plan", "PLAN-02", update("plan_update", plan=FILE)),
    "plan_removed": ("plan", "PLAN-02", update("plan_removed", planId="p")),
    "notice": ("session.notices", "NOTICE-01", update("notice", severity="info", title="T")),
    "compaction_update": ("session.compaction", "CMP-01", compaction()),
    "compaction_summary_chunk": ("session.compaction", "CMP-01", summary("x")),
    "subagent_update": ("subagents", "SUB-01", subagent()),
    "session_message": ("subagents", "SMSG-01", letter()),
    "session_message_chunk": ("subagents", "SMSG-01", letter_chunk("x")),
}
"""Section 20: update, path of the capability, and the rule that asks for it."""

BASELINE = {
    "user_message_chunk": user("x"),
    "agent_message_chunk": agent("x"),
    "agent_thought_chunk": thought("x"),
    "tool_call": call(),
    "tool_call_update": call_update(),
    "plan": update("plan", entries=[]),
    "available_commands_update": update("available_commands_update", availableCommands=[]),
    "current_mode_update": update("current_mode_update", currentModeId="m"),
    "config_option_update": update("config_option_update", configOptions=[]),
    "session_info_update": update("session_info_update", title="T"),
    "usage_update": update("usage_update", used=1, size=2),
}
"""Section 20: all other updates need none."""

ALL = ClientCapabilities(
    plan=PlanCapabilities(),
    subagents=SubagentCapabilities(),
    session=ClientSessionCapabilities(
        notices=NoticeCapabilities(),
        compaction=CompactionCapabilities(),
        config_options=SessionConfigOptionsCapabilities(boolean=BooleanConfigOptionCapabilities()),
    ),
)

NOTHING = {
    "none at all": ClientCapabilities(),
    "null": ClientCapabilities(session=None, plan=None, subagents=None),
    "an empty session": ClientCapabilities(session=ClientSessionCapabilities()),
    "null in the session": ClientCapabilities(
        session=ClientSessionCapabilities(notices=None, compaction=None)
    ),
}


def test_every_update_is_gated_or_baseline():
    """Section 20: each of the nineteen stands in one of the two."""
    assert GATED.keys() | BASELINE.keys() == SESSION_UPDATE.variants.keys()
    assert {SESSION_UPDATE.variants[tag]: row[:2] for tag, row in GATED.items()} == NEEDS


@pytest.mark.parametrize("capabilities", NOTHING.values(), ids=NOTHING)
@pytest.mark.parametrize(("path", "rule", "sent"), GATED.values(), ids=GATED)
def test_an_update_without_its_capability_is_applied(path, rule, sent, capabilities):
    """LENIENT-16: applied all the same, `diag:capability-violation`; omitted and null are not."""
    able, quiet = fold(sent, onto=Session("s", client_capabilities=ALL))
    unable, told = fold(sent, onto=Session("s", client_capabilities=capabilities))
    assert unable == Session(
        "s", client_capabilities=capabilities, timeline=able.timeline, plans=able.plans
    )
    name = SESSION_UPDATE.variants[sent["sessionUpdate"]].__name__
    violation = noticed(
        "capability-violation",
        f"{name} needs {path!r}, which was not advertised; applied",
        rule=rule,
    )
    assert told == (violation, *quiet)


@pytest.mark.parametrize("capabilities", [ALL, None], ids=["advertised", "not known"])
@pytest.mark.parametrize("sent", [row[2] for row in GATED.values()], ids=GATED)
def test_an_update_with_its_capability(sent, capabilities):
    """Section 20: and where nothing is known of the client, nothing is checked."""
    _, told = fold(sent, onto=Session("s", client_capabilities=capabilities))
    assert "capability-violation" not in codes(told)


@pytest.mark.parametrize("sent", BASELINE.values(), ids=BASELINE)
def test_baseline_updates_need_nothing(sent):
    """Section 20."""
    _, told = fold(sent, onto=Session("s", client_capabilities=ClientCapabilities()))
    assert "capability-violation" not in codes(told)


def test_a_malformed_update_is_told_alone():
    """LENIENT-03: an update that is dropped gives `update-dropped` alone."""
    session = Session("s", client_capabilities=ClientCapabilities())
    assert codes(fold(update("plan_removed"), onto=session)[1]) == ("update-dropped",)


@pytest.mark.parametrize(
    ("capabilities", "path", "advertised"),
    [
        (None, "plan", True),
        (ALL, "plan", True),
        (ALL, "session.config_options.boolean", True),
        (ClientCapabilities(), "plan", False),
        (ClientCapabilities(plan=None), "plan", False),
        (ClientCapabilities(session=None), "session.notices", False),
        (
            ClientCapabilities(
                session=ClientSessionCapabilities(config_options=SessionConfigOptionsCapabilities())
            ),
            "session.config_options.boolean",
            False,
        ),
    ],
)
def test_what_is_advertised(capabilities, path, advertised):
    """INIT-02: omitted and null are unsupported, an object is supported."""
    session = Session("s", client_capabilities=capabilities)
    assert is_advertised(session, path) is advertised


# As `observe` learns of them


@pytest.mark.parametrize(
    ("advertised", "told"),
    [
        ({"plan": {}}, ()),
        ({"plan": {"_meta": {}}}, ()),
        ({"plan": None}, ("capability-violation",)),
        ({"plan": True}, ("capability-violation",)),
        ({}, ("capability-violation",)),
        (None, ("capability-violation",)),
        ("none", ("capability-violation",)),
    ],
)
def test_capabilities_of_the_connection_gate_its_sessions(advertised, told):
    """INIT-02, INIT-04, INIT-05: malformed ones are not supported; they hold for new sessions."""
    connection, _ = watch(
        to_agent("initialize", 1, protocolVersion=1, clientCapabilities=advertised),
        to_agent("session/new", 2, cwd="/w"),
        agent_answers(2, {"sessionId": "s"}),
    )
    _, intents = watch(reported(update("plan_update", plan=FILE)), onto=connection)
    assert codes(intents) == told


@pytest.mark.parametrize(
    "method",
    [
        "session/load",
        "session/resume",
        "session/update",
        "session/prompt",
        "session/request_permission",
        "subagent_update",
    ],
)
def test_every_way_into_a_connection_knows_the_capabilities(method):
    """INIT-05, LOAD-14: they gate replay and early traffic like live traffic."""
    first = {
        "session/update": reported(agent("x")),
        "session/prompt": to_agent("session/prompt", 2, sessionId="s", prompt=[text("x")]),
        "session/request_permission": permission(2, {"toolCallId": "t"}),
        "subagent_update": reported(subagent("s"), "parent"),
    }.get(method, to_agent(method, 2, sessionId="s", cwd="/w"))
    onto = connected(client_capabilities=ClientCapabilities())
    connection, _ = watch(first, onto=onto)
    _, intents = watch(reported(update("plan_update", plan=FILE)), onto=connection)
    assert codes(intents) == ("capability-violation",)


def test_sessions_without_initialize_are_not_checked():
    """`Connection.client_capabilities` None: no `initialize` was seen."""
    connection, _ = watch(reported(agent("x")))
    assert connection.sessions["s"].client_capabilities is SESSION.client_capabilities is None
    assert watch(reported(update("plan_update", plan=FILE)), onto=connection)[1] == ()
