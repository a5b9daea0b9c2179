"""What a refusal says: what was wrong, what would be right, and the rule (contract 2)."""

from __future__ import annotations

import pytest
from reduce.gating import asked
from reduce.talk import (
    AGENT_CAN,
    Talk,
    error,
    initialize,
    request,
    running,
    talk,
    update,
    with_child,
)

from acp_state import (
    AnswerElicitation,
    AnswerPermission,
    Authenticate,
    Cancel,
    CancelRequest,
    Connection,
    EndTurn,
    Initialize,
    ListSessions,
    LoadSession,
    NewSession,
    Prompt,
    Respond,
    SendRequest,
    SendUpdate,
    SetConfigOption,
    SetMode,
    SetTitle,
)
from acp_state.schema import PlanRemoved

OPTIONS = [
    {
        "id": "o",
        "name": "O",
        "type": "select",
        "currentValue": "x",
        "options": [{"value": "x", "name": "X"}, {"value": "y", "name": "Y"}],
    },
    {"id": "p", "name": "P", "type": "boolean", "currentValue": True},
]


def with_options():
    there = talk()
    there.agent(update("config_option_update", configOptions=OPTIONS))
    return there


def with_modes():
    there = talk()
    there.client(request(4, "session/new", cwd="/w", mcpServers=[]))
    modes = [{"id": name, "name": name} for name in "ab"]
    result = {"sessionId": "m", "modes": {"currentModeId": "a", "availableModes": modes}}
    there.agent({"jsonrpc": "2.0", "id": 4, "result": result})
    return there


def while_loading():
    there = with_child()
    there.client(request(9, "session/load", sessionId="s", cwd="/w", mcpServers=[]))
    return there


def without_archive():
    able = {k: v for k, v in AGENT_CAN["sessionCapabilities"].items() if k != "archive"}
    return talk(agent={**AGENT_CAN, "sessionCapabilities": able})


def initializing(*answers):
    there = Talk(Connection())
    there.client(initialize())
    there.agent(*answers)
    return there


METHODS = [{"id": name, "name": name} for name in "mn"]

REFUSALS = [
    (lambda: Talk(Connection()), NewSession(cwd="/w"),
     "the connection is new: send Initialize first, and wait for its answer [INIT-01]"),
    (initializing, NewSession(cwd="/w"),
     "the connection is initializing: wait for the answer to Initialize [INIT-01]"),
    (lambda: initializing(error(0)), NewSession(cwd="/w"),
     "the connection is failed: Initialize has failed; send it again [INIT-01]"),
    (talk, Initialize(), "the connection is ready: Initialize is sent once [INIT-01]"),
    (lambda: talk("agent"), Prompt("s", "Hi"),
     "Prompt is a command of the client's side, and this is the agent's [INIT-01]"),
    (lambda: talk("observer"), Prompt("s", "Hi"),
     "Prompt is a command of the client's side, and this is the observer's [INIT-01]"),
    (talk, Authenticate("x"), "auth method 'x' was not advertised; there are: none [AUTH-01]"),
    (lambda: talk(auth=METHODS), Authenticate("x"),
     "auth method 'x' was not advertised; there are: 'm', 'n' [AUTH-01]"),
    (talk, NewSession(cwd="w"), "'w' is relative: paths are absolute [SESS-01]"),
    (talk, NewSession(cwd="/w", additional_directories=("a",)),
     "'a' is relative: paths are absolute [SESS-01]"),
    (talk, ListSessions(cwd="w"), "'w' is relative: paths are absolute [SESS-01]"),
    (without_archive, ListSessions(archived="only"),
     "the agent did not advertise 'session_capabilities.archive' [INIT-02]"),
    (running, LoadSession(session_id="s", cwd="/w"), "a turn runs in the session [LOAD-15]"),
    (talk, Prompt("x", "Hi"), "session 'x' is not known [TURN-01]"),
    (running, Prompt("s", "Hi"),
     "a turn runs: wait for its end, or say while_running=True [TURN-03]"),
    (lambda: with_child(may_cancel=False), Cancel("child"),
     "the agent gives no right to cancel this child [SUB-08]"),
    (while_loading, Cancel("child"), "the agent gives no right to cancel this child [SUB-08]"),
    (talk, CancelRequest(5), "no request 5 of ours is outstanding [CANCEL-09]"),
    (talk, SetTitle("s", 5), "SetTitle.title is 5: pass a string [RPC-01]"),
    (talk, SetMode("s", "c"), "mode 'c' was not reported; there are: none [MODE-02]"),
    (with_modes, SetMode("m", "c"), "mode 'c' was not reported; there are: 'a', 'b' [MODE-02]"),
    (with_options, SetConfigOption("s", "q", "z"),
     "option 'q' was not reported; there are: 'o', 'p' [CFG-02]"),
    (with_options, SetConfigOption("s", "o", "z"),
     "'z' is no value of option 'o': there are: 'x', 'y' [CFG-02]"),
    (with_options, SetConfigOption("s", "p", "z"),
     "'z' is no value of option 'p': it is True or False [CFG-02]"),
    (talk, AnswerPermission(7, "yes"),
     "no session/request_permission 7 waits for an answer [PERM-04]"),
    (asked, AnswerPermission(7, "maybe"),
     "option 'maybe' was not offered; there are: ['yes', 'no'] [PERM-04]"),
    (talk, AnswerElicitation(5, "accept"), "no elicitation/create 5 waits for an answer [ELIC-03]"),
    (talk, Respond(5), "no request 5 of the agent waits for an answer [RPC-04]"),
    (talk, SendRequest("session/prompt"), "'session/prompt' has a command of its own [EXT-02]"),
    (lambda: talk("agent", client={}), SendUpdate("s", PlanRemoved(plan_id="p")),
     "the client did not advertise 'plan' [PLAN-02]"),
    (lambda: talk("agent"), EndTurn(request_id=5, stop_reason="end_turn"),
     "no prompt 5 waits for an answer [TURN-05]"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("there", "command", "text"), REFUSALS, ids=[text[-40:] for *_, text in REFUSALS]
)
def test_what_a_refusal_says(there, command, text):
    refusal = there().refused(command)
    assert str(refusal) == text
    assert refusal.rule in text
