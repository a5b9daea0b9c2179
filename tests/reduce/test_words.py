"""What is said of what a peer did: whole texts, with the place and what was not taken over."""

from __future__ import annotations

import pytest
from reduce.gating import asked
from reduce.talk import (
    ask_form,
    cancel,
    child,
    error,
    notification,
    prompt,
    request,
    result,
    running,
    talk,
)

from acp_state import (
    Cancel,
    CancelRequest,
    Diagnose,
    Disconnected,
    JsonObject,
    LoadSession,
    Prompt,
    Respond,
    Send,
    SendRequest,
)
from acp_state.schema import ImageContent

TEXT = {"type": "text", "text": "a"}
COMMANDS = {"sessionUpdate": "available_commands_update", "availableCommands": []}


def malformed(**params):
    """A question for a form, of which some parameters are these instead."""
    message = ask_form(2)
    return {**message, "params": {**message["params"], **params}}


def prompting(*blocks):
    message = prompt(2)
    return {**message, "params": {**message["params"], "prompt": list(blocks)}}


def after_cancel():
    there = running()
    there.client(cancel("s"))
    return there


def with_child_of_no_rights():
    there = talk()
    there.agent(child("k"))
    return there


SAID = {
    "no message": (
        lambda: talk().agent(5),
        "error RPC-01 invalid-message: a message must be an object, not 5; ignored",
        5,
    ),
    "another version": (
        lambda: talk().agent({"jsonrpc": "1.0", "id": 1}),
        "error RPC-01 invalid-message: 'jsonrpc' must be '2.0', not '1.0'; ignored",
        {"jsonrpc": "1.0", "id": 1},
    ),
    "batch": (
        lambda: talk("observer").agent([]),
        "error RPC-09 batch: a batch is no ACP message; ignored",
        [],
    ),
    "an id": (
        lambda: talk().agent({"jsonrpc": "2.0", "id": 1.5}),
        (
            "error RPC-01 invalid-message: "
            "a request id must be a string, an integer of 64 bits or null; ignored"
        ),
        {"jsonrpc": "2.0", "id": 1.5},
    ),
    "metadata": (
        lambda: talk().agent(
            notification("session/update", sessionId="s", update=COMMANDS, _meta=[])
        ),
        (
            "warning LENIENT-02 field-defaulted: "
            "_meta: must be an object, not an array; counts as absent (session s, at _meta)"
        ),
        [],
    ),
    "cancel, unknown session": (
        lambda: talk().client(cancel("x")),
        "warning CANCEL-01 cancel-idle: the session is not known (session x)",
        None,
    ),
    "cancel, idle": (
        lambda: talk().client(cancel("s")),
        "warning CANCEL-01 cancel-idle: no turn runs that could be cancelled (session s)",
        None,
    ),
    "cancel, child": (
        lambda: with_child_of_no_rights().client(cancel("k")),
        "warning CANCEL-01 cancel-idle: the agent gives no right to cancel this child (session k)",
        None,
    ),
    "form, link": (
        lambda: talk().agent(malformed(toolCallId=5)),
        (
            "warning LENIENT-02 field-defaulted: 'toolCallId' must be a string; ignored"
            " (session s, at toolCallId)"
        ),
        5,
    ),
    "form, two scopes": (
        lambda: talk().agent(malformed(requestId=1)),
        (
            "warning ELIC-01 elicitation-scope: both 'sessionId' and 'requestId';"
            " the session counts (session s)"
        ),
        None,
    ),
    "prompt, part of a block": (
        lambda: talk().client(prompting(TEXT, {**TEXT, "annotations": 5})),
        (
            "warning LENIENT-02 field-defaulted: must be an object, not 5; counts as absent"
            " (session s, at prompt[1].annotations)"
        ),
        5,
    ),
    "response, not asked": (
        lambda: talk().agent(result(9)),
        "error RPC-03 unknown-response: no request 9 waits for a response of the agent; ignored",
        JsonObject(result(9)),
    ),
    "response, neither": (
        lambda: running().agent({"jsonrpc": "2.0", "id": 2}),
        "error RPC-01 bad-response: must be an object, not null",
        JsonObject({"jsonrpc": "2.0", "id": 2}),
    ),
    "response, malformed": (
        lambda: running().agent(result(2, {"x": 5})),
        "error LENIENT-05 bad-response: 'stopReason' is missing (session s)",
        JsonObject({"x": 5}),
    ),
    "update, no session": (
        lambda: talk().agent(notification("session/update", sessionId=5)),
        "warning RPC-12 update-dropped: 'sessionId' must be a string; the update is dropped",
        JsonObject({"sessionId": 5}),
    ),
    "error after a cancel": (
        lambda: after_cancel().agent(error(2, -32603)),
        (
            "warning TURN-09 cancel-error-response: error -32603 after the cancel;"
            " the turn counts as cancelled (session s)"
        ),
        None,
    ),
    "prompt, block": (
        lambda: talk().client(prompting(TEXT, {"type": "odd"})),
        "warning LENIENT-03 item-dropped: unknown type 'odd' (session s, at prompt[1])",
        JsonObject({"type": "odd"}),
    ),
}


@pytest.mark.parametrize(("told", "words", "raw"), SAID.values(), ids=SAID)
def test_what_a_diagnostic_says(told, words, raw):
    diagnostic = told()[0].diagnostic
    assert (str(diagnostic), diagnostic.raw) == (words, raw)


REFUSED = {
    "message": ({"message": 5}, "'message' must be a string"),
    "schema": ({"requestedSchema": 5}, "'requestedSchema': must be an object"),
    "schema, within": (
        {"requestedSchema": {"required": 5}},
        "'requestedSchema': 'required' must be a list of strings",
    ),
    "mode": (
        {"mode": "x"},
        "'mode' is not known, or 'url' or 'elicitationId' is missing or malformed",
    ),
    "scope": ({"sessionId": 5}, "'sessionId' or 'requestId' is missing or malformed"),
}


@pytest.mark.parametrize(("params", "words"), REFUSED.values(), ids=REFUSED)
def test_why_a_question_is_refused(params, words):
    """ELIC-01, ELIC-02: the agent is told, and so is our host."""
    noticed, refusal = talk().agent(malformed(**params))
    told = f"elicitation/create: {words}; to be answered -32602"
    assert isinstance(noticed, Diagnose)
    assert noticed.diagnostic.text == told
    told = {"code": -32602, "message": words}
    assert refusal == Send({"jsonrpc": "2.0", "id": 2, "error": told})


def test_a_question_of_an_unknown_session_is_refused_with_its_name():
    """REQ-04."""
    [refusal] = talk().agent(malformed(sessionId="x"))
    told = {"code": -32002, "message": "unknown session", "data": {"sessionId": "x"}}
    assert refusal == Send({"jsonrpc": "2.0", "id": 2, "error": told})


@pytest.mark.parametrize(
    ("params", "words", "data"),
    [
        ({"sessionId": "x", "terminalId": "t"}, "unknown session", {"sessionId": "x"}),
        ({"sessionId": "s", "terminalId": "t"}, "unknown terminal", {"terminalId": "t"}),
    ],
)
def test_why_work_is_refused(params, words, data):
    """REQ-03, REQ-04."""
    [refusal] = talk().agent(request(1, "terminal/output", **params))
    told = {"code": -32002, "message": words, "data": data}
    assert refusal == Send({"jsonrpc": "2.0", "id": 1, "error": told})


def test_why_malformed_work_is_refused():
    """REQ-01, RPC-05."""
    noticed, refusal = talk().agent(request(1, "terminal/output", sessionId="s"))
    words = "'terminalId' is missing"
    assert noticed.diagnostic.text == f"terminal/output: {words}; to be answered -32602"
    told = {"code": -32602, "message": words}
    assert refusal == Send({"jsonrpc": "2.0", "id": 1, "error": told})


def test_why_a_malformed_permission_request_is_refused():
    """PERM-03."""
    asked = request(1, "session/request_permission", sessionId="s", options=[])
    refusal = talk().agent(asked)[-1]
    told = {"code": -32602, "message": "'toolCall' is missing"}
    assert refusal == Send({"jsonrpc": "2.0", "id": 1, "error": told})


def closed():
    there = running()
    there.do(Disconnected())
    return there


def closing():
    there = talk()
    there.client(request(3, "session/close", sessionId="s"))
    return there


REFUSALS = {
    "closed": (
        closed,
        Cancel("s"),
        "the connection is closed: go on with connection.reopened() [CONN-01]",
    ),
    "child": (
        with_child_of_no_rights,
        Prompt("k", "Go"),
        "the session is a child: all that can be done to it is to cancel it [SUB-08]",
    ),
    "idle": (
        talk,
        Cancel("s"),
        "no turn runs, nothing waits for an answer, and no child is at work [CANCEL-01]",
    ),
    "closing": (
        closing,
        LoadSession(session_id="s", cwd="/w"),
        "the session is closing [LOAD-15]",
    ),
    "either side": (
        lambda: running("observer"),
        CancelRequest(2),
        "CancelRequest is a command of either side, and this is the observer's [INIT-01]",
    ),
    "its own command": (
        asked,
        Respond(7),
        "session/request_permission is answered with its own command [PERM-04]",
    ),
    "image": (
        lambda: talk(agent={}),
        Prompt("s", [ImageContent(data="", mime_type="image/png")]),
        "the agent did not advertise 'prompt_capabilities.image' [TURN-02]",
    ),
    "form": (
        lambda: talk("agent", client={"elicitation": {}}),
        SendRequest("elicitation/create", {"mode": "form"}),
        "the client did not advertise 'elicitation.form' [ELIC-02]",
    ),
}


@pytest.mark.parametrize(("where", "command", "words"), REFUSALS.values(), ids=REFUSALS)
def test_what_a_refusal_says(where, command, words):
    """Design: what was wrong, and what would be right."""
    assert str(where().refused(command)) == words


def test_a_form_takes_nothing_of_a_link():
    """ELIC-04: what a mode does not have is not kept."""
    there = talk()
    there.agent(malformed(url="u", elicitationId="v"))
    [held] = there.connection.elicitations.values()
    assert (held.url, held.elicitation_id) == (None, None)
