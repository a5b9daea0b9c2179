"""What is said of what a peer did: whole texts, with the place and what was not taken over."""

from __future__ import annotations

import pytest
from reduce.talk import ask_form, cancel, child, prompt, talk

from acp_state import Diagnose, JsonObject, Send

TEXT = {"type": "text", "text": "a"}


def malformed(**params):
    """A question for a form, of which some parameters are these instead."""
    message = ask_form(2)
    return {**message, "params": {**message["params"], **params}}


def prompting(*blocks):
    message = prompt(2)
    return {**message, "params": {**message["params"], "prompt": list(blocks)}}


def with_child_of_no_rights():
    there = talk()
    there.agent(child("k"))
    return there


SAID = {
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
            "warning ELIC-01 elicitation-scope: both 'sessionId' and 'requestId'; the session counts"
            " (session s)"
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
    error = {"code": -32602, "message": words}
    assert refusal == Send({"jsonrpc": "2.0", "id": 2, "error": error})


def test_a_question_of_an_unknown_session_is_refused_with_its_name():
    """REQ-04."""
    [refusal] = talk().agent(malformed(sessionId="x"))
    error = {"code": -32002, "message": "unknown session", "data": {"sessionId": "x"}}
    assert refusal == Send({"jsonrpc": "2.0", "id": 2, "error": error})


def test_a_form_takes_nothing_of_a_link():
    """ELIC-04: what a mode does not have is not kept."""
    there = talk()
    there.agent(malformed(url="u", elicitationId="v"))
    [held] = there.connection.elicitations.values()
    assert (held.url, held.elicitation_id) == (None, None)
