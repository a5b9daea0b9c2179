"""Valid values that are odd: empty ids and relative paths (LENIENT-13, TOOL-12)."""

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
    to_client,
    update,
    user,
    watch,
)

from acp_state import Diagnose, Session, ToolCall
from acp_state.reduce.odd_values import check_values
from acp_state.schema import (
    ClientCapabilities,
    Diff,
    FileSystemCapabilities,
    PlanFile,
    PlanUpdate,
    ToolCallLocation,
    ToolCallUpdate,
)

SELECT = {"type": "select", "name": "N", "currentValue": "v"}
VALUES = [{"value": "v", "name": "V"}]

EMPTY_OPTION = {"configOptions": [{**SELECT, "id": "", "options": VALUES}]}

EMPTY_IDS = {
    "user": ("messageId", user("x", "")),
    "agent": ("messageId", agent("x", "")),
    "thought": ("messageId", thought("x", "")),
    "tool_call": ("toolCallId", call("")),
    "tool_call_update": ("toolCallId", call_update("")),
    "plan_update": (
        "plan.planId",
        update("plan_update", plan={"type": "markdown", "planId": "", "content": ""}),
    ),
    "current_mode_update": (
        "currentModeId",
        update("current_mode_update", currentModeId=""),
    ),
    "config_option_update": (
        "configOptions[1].id",
        update(
            "config_option_update",
            configOptions=[
                {**SELECT, "id": "x", "options": VALUES},
                {**SELECT, "id": "", "options": VALUES},
            ],
        ),
    ),
    "compaction_update": ("compactionId", compaction("")),
    "compaction_summary_chunk": ("compactionId", summary("x", "")),
    "subagent_update": ("sessionId", subagent("")),
    "session_message": ("messageId", letter("")),
    "session_message_chunk": ("messageId", letter_chunk("x", "")),
}


def empty(path, **where):
    key = path.rpartition(".")[2]
    return noticed("empty-id", f"{key!r} is empty; kept as an id", path=path, **where)


def relative(value, path, **where):
    return noticed("relative-path", f"{value!r} is relative; kept", path=path, **where)


@pytest.mark.parametrize(("path", "sent"), EMPTY_IDS.values(), ids=EMPTY_IDS)
def test_an_empty_id_is_honoured(path, sent):
    """LENIENT-13: `diag:empty-id`, with the place in the update."""
    session, intents = fold(sent)
    assert empty(path) in intents
    assert session is not SESSION
    again, _ = fold(sent, onto=session)
    assert len(again.timeline) == len(session.timeline)


def test_an_empty_id_of_a_removed_plan():
    """LENIENT-13: it is a key like any other."""
    session, intents = fold(
        update("plan_update", plan={"type": "file", "planId": "", "uri": ""}),
        update("plan_removed", planId=""),
    )
    assert session == SESSION
    assert intents == (empty("plan.planId"), empty("planId"))


def test_other_empty_strings_are_not_odd():
    """LENIENT-13: the empty string is a valid text, title or description."""
    assert (
        fold(
            agent(""),
            call("t", title="", name=""),
            subagent(title="", description=""),
            compaction(status=""),
            update("session_info_update", title="", updatedAt=""),
        )[1]
        == ()
    )


def test_the_ids_of_other_entities_are_not_looked_at():
    """LENIENT-13: an empty id is told where it is an entity's own, which is where it names it."""
    references = ("senderSessionId", "recipientSessionId", "senderMessageId", "recipientMessageId")
    assert fold(letter("l", **dict.fromkeys(references, "")))[1] == (
        noticed(
            "smsg-participants",
            "session message 'l' goes from '' to ''; its direction is unknown",
        ),
    )
    assert fold(call("t", content=[{"type": "terminal", "terminalId": ""}]))[1] == ()


@pytest.mark.parametrize(
    ("messages", "session_id", "path"),
    [
        pytest.param(
            [to_agent("session/new", 1), agent_answers(1, {"sessionId": ""})],
            None,
            "sessionId",
            id="new",
        ),
        pytest.param(
            [
                to_agent("session/resume", 1, sessionId="s", cwd="/w"),
                agent_answers(1, EMPTY_OPTION),
            ],
            "s",
            "configOptions[0].id",
            id="resumed",
        ),
        pytest.param([permission(1, {"toolCallId": ""})], "s", "toolCall.toolCallId", id="asked"),
    ],
)
def test_an_empty_id_beside_the_updates_is_told(messages, session_id, path):
    """LENIENT-13: it speaks of ids, not of updates."""
    _, intents = watch(*messages, onto=connected(SESSION))
    told = tuple(intent for intent in intents if isinstance(intent, Diagnose))
    assert told == (empty(path, session_id=session_id),)


# Paths


@pytest.mark.parametrize(
    ("path", "is_relative"),
    [
        ("/a", False),
        ("/", False),
        ("C:\\a", False),
        ("c:/a", False),
        ("\\\\host\\share", False),
        ("a", True),
        ("./a", True),
        ("../a", True),
        ("~/a", True),
        ("C:a", True),
        ("file:///a", True),
        ("", True),
    ],
)
def test_what_is_relative(path, is_relative):
    """TOOL-12: paths are absolute, in POSIX or Windows form."""
    session, intents = fold(call("t", locations=[{"path": path}]))
    assert session.timeline[0].locations == (ToolCallLocation(path=path),)
    assert intents == ((relative(path, "locations[0].path"),) if is_relative else ())


def test_every_path_is_looked_at():
    """TOOL-12: in diffs, locations and roots; each is told with its place."""
    diff = {"type": "diff", "path": "d", "newText": ""}
    sent = call_update(
        "t",
        content=[{"type": "content", "content": text("no/path")}, diff],
        locations=[{"path": "/ok"}, {"path": "l"}],
    )
    assert fold(call("t"), sent)[1] == (
        relative("d", "content[1].path"),
        relative("l", "locations[1].path"),
    )
    assert fold(subagent(cwd="c", additionalDirectories=["/ok", "a", "b"]))[1] == (
        relative("c", "cwd"),
        relative("a", "additionalDirectories"),
        relative("b", "additionalDirectories"),
    )
    assert fold(subagent(cwd=None, additionalDirectories=None))[1] == ()


WORK = [
    ("fs/read_text_file", {"path": "p"}, "path"),
    ("fs/write_text_file", {"path": "p", "content": ""}, "path"),
    ("terminal/create", {"command": "c", "cwd": "p"}, "cwd"),
]


@pytest.mark.parametrize(("method", "fields", "path"), WORK)
@pytest.mark.parametrize("session_id", ["s", "x"])
def test_a_relative_path_in_a_request_for_work_is_told(method, fields, path, session_id):
    """TOOL-12: all paths are absolute; whether the host takes it is the host's to say."""
    able = ClientCapabilities(
        fs=FileSystemCapabilities(read_text_file=True, write_text_file=True), terminal=True
    )
    onto = connected(SESSION, client_capabilities=able)
    _, intents = watch(to_client(method, 1, sessionId=session_id, **fields), onto=onto)
    told = tuple(intent for intent in intents if isinstance(intent, Diagnose))
    assert told == (relative("p", path, session_id=session_id),)


def test_a_relative_path_in_the_catalogue_is_told():
    """TOOL-12, INFO-03: each with its place."""
    listed = {"sessionId": "t", "cwd": "c", "additionalDirectories": ["/ok", "a"]}
    page = agent_answers(1, {"sessions": [{"sessionId": "u", "cwd": "/ok"}, listed]})
    _, intents = watch(to_agent("session/list", 1), page, onto=connected(SESSION))
    assert tuple(intent for intent in intents if isinstance(intent, Diagnose)) == (
        relative("c", "sessions[1].cwd", session_id=None),
        relative("a", "sessions[1].additionalDirectories", session_id=None),
    )


def test_a_relative_path_in_a_permission_request_is_told():
    """TOOL-12, PERM-02: its `toolCall` is applied like a `tool_call_update`."""
    _, intents = watch(
        permission(1, {"toolCallId": "t", "locations": [{"path": "a"}]}), onto=connected(SESSION)
    )
    assert codes(intents) == ("relative-path",)


# The walk over wire objects


def test_typed_updates_are_looked_at_as_well():
    """`check_values` walks wire objects, at any depth, and in order."""
    wire = ToolCallUpdate(tool_call_id="", content=(Diff(path="a", new_text=""),), locations=None)
    assert check_values("s", wire) == (empty("toolCallId"), relative("a", "content[0].path"))
    plan = PlanUpdate(plan=PlanFile(plan_id="", uri="relative"))
    assert check_values("s", plan) == (empty("plan.planId"),)


def test_what_holds_no_id_and_no_path_is_not_walked():
    """`check_values`: a plan has neither."""
    [plan] = [update("plan", entries=[{"content": "", "priority": "low", "status": "pending"}])]
    assert fold(plan)[1] == ()


def test_odd_values_are_told_after_faults_and_capabilities_and_before_the_rest():
    """`apply_update`: in the order in which an update is looked at."""
    session, intents = fold(call_update("", title=5))
    assert session.timeline[0] == ToolCall(tool_call_id="", announced=False)
    assert codes(intents) == ("field-defaulted", "empty-id", "tool-update-first")


def test_an_update_for_a_session_with_an_empty_id():
    """LENIENT-13: it is honoured."""
    connection, _ = watch(reported(agent("a", "a"), ""))
    assert dict(connection.sessions).keys() == {""}
    assert connection.sessions[""].timeline[0].text == "a"
    assert isinstance(connection.sessions[""], Session)
