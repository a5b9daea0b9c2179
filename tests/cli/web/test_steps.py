"""The operations of all messages, applied one after the other, make every state."""

import json

import pytest
from shared import EXAMPLE, SHARED

from acp_state import Connection, replay_each
from acp_state.cli.web.entries import entry_json, permission_json, terminal_json, turn_json
from acp_state.cli.web.steps import operations

TRACES = [EXAMPLE, *sorted(SHARED.glob("traces/*.jsonl"))]


class Page:
    """What the page does with operations, without going back."""

    def __init__(self):
        self.sessions = {}

    def session(self, name):
        lists = {"entries": [], "turns": [], "permissions": [], "terminals": {}}
        return self.sessions.setdefault(name, {"fields": {}, **lists})

    def apply(self, op):
        name, session_id, *rest = op
        getattr(self, f"apply_{name}")(session_id, *rest)

    def apply_session(self, name, fields):
        self.session(name)["fields"].update(fields)

    def apply_gone(self, name):
        del self.sessions[name]

    def apply_set(self, name, kind, at, fields):
        items = self.session(name)[kind]
        if isinstance(items, list) and at == len(items):
            items.append({})
        elif isinstance(items, dict):
            items.setdefault(at, {})
        items[at].update(fields)

    def apply_cut(self, name, kind, length):
        del self.session(name)[kind][length:]

    def apply_text(self, name, at, kept, text):
        parts = self.session(name)["entries"][at]["parts"]
        if not parts or "text" not in parts[-1]:
            parts.append({"text": ""})
        parts[-1]["text"] = parts[-1]["text"][: kept or None] + text

    def apply_output(self, name, at, text):
        self.session(name)["terminals"][at]["output"] += text

    def apply_note(self, _name, fields):
        assert fields.keys() == {"severity", "title", "text"}


def shown(session):
    return {
        "entries": [entry_json(entry) for entry in session.timeline],
        "turns": [turn_json(turn) for turn in session.turns],
        "permissions": [permission_json(each) for each in session.permissions],
        "terminals": {name: terminal_json(each) for name, each in session.terminals.items()},
    }


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_they_make_every_state(path):
    page, old = Page(), Connection(side="observer")
    steps = list(replay_each(path.read_bytes().splitlines()))
    for number, step in enumerate(steps):
        for op in operations(old, step.connection, step.intents):
            page.apply(json.loads(json.dumps(op)))
        old = step.connection
        if number % 97 == 0 or step is steps[-1]:
            held = {
                name: {key: value for key, value in each.items() if key != "fields"}
                for name, each in page.sessions.items()
            }
            expected = {name: shown(each) for name, each in old.sessions.items()}
            assert held == json.loads(json.dumps(expected))


def test_what_is_gone_is_told_too(recording):
    """A load that fails brings back a shorter timeline."""
    recording.session()
    recording.prompt("Go")
    recording.say("Well")
    recording.agent(id=7, method="terminal/create", params={"sessionId": "s1", "command": "ls"})
    recording.client(id=7, result={"terminalId": "t"})
    before, *_, after = [step.connection for step in replay_each(recording.lines())][3:]
    found = list(operations(after, before, ()))
    assert [op for op in found if op[0] != "session"] == [
        ["cut", "s1", "entries", 1],
        ["cut", "s1", "entries", 0],
        ["cut", "s1", "turns", 0],
    ]
    assert list(operations(after, Connection(side="observer"), ())) == [["gone", "s1"]]


def ops_of(recording):
    steps = list(replay_each(recording.lines()))
    states = [Connection(side="observer"), *[step.connection for step in steps]]
    return [
        list(operations(old, step.connection, step.intents))
        for old, step in zip(states, steps, strict=False)
    ]


def test_text_that_is_appended_is_told_alone(recording):
    recording.session()
    recording.say("Hello")
    recording.say(", world")
    recording.say("\ud83d")
    recording.say("\ude00")
    *_, world, half, whole = ops_of(recording)
    assert world == [["text", "s1", 0, 0, ", world"]]
    assert half == [["text", "s1", 0, 0, "\ufffd"]]
    assert whole == [["text", "s1", 0, -1, "\U0001f600"]]


def test_only_the_fields_that_differ_are_told(recording):
    recording.session()
    recording.update("tool_call", toolCallId="c", title="Run", rawInput={"x": "y" * 1000})
    recording.update("tool_call_update", toolCallId="c", status="completed")
    recording.update("session_info_update", title="New")
    *_, status, title = ops_of(recording)
    assert status == [["set", "s1", "entries", 0, {"status": "completed"}]]
    assert title == [["session", "s1", {"title": "New"}]]


def test_diagnostics_and_notices_are_notes(recording):
    recording.session()
    recording.update("notice", severity="info", title="Hm")
    recording.update("nonsense")
    recording.agent(method="$/x")
    *_, notice, dropped, unknown = ops_of(recording)
    assert notice == [["note", "s1", {"severity": "info", "title": "Notice: Hm", "text": ""}]]
    assert [op[:2] for op in dropped] == [["note", "s1"]]
    assert [op[:2] for op in unknown] in ([], [["note", None]])


def test_plans(recording):
    recording.session()
    recording.update("plan", entries=[{"content": "a", "priority": "low", "status": "pending"}])
    recording.update("plan_update", plan={"type": "markdown", "planId": "p", "content": "# a"})
    recording.update("plan_update", plan={"type": "file", "planId": "q", "uri": "file:///a"})
    recording.update(
        "plan_update",
        plan={"type": "items", "planId": "r", "entries": []},
    )
    assert ops_of(recording)[-1] == [
        [
            "session",
            "s1",
            {
                "plans": [
                    {"name": "Plan", "tasks": [["pending", "a"]]},
                    {"name": "Plan p", "text": "# a"},
                    {"name": "Plan q", "text": "file:///a"},
                    {"name": "Plan r", "tasks": []},
                ]
            },
        ]
    ]


def test_a_question_is_a_note(recording):
    recording.client(
        id=0,
        method="initialize",
        params={"protocolVersion": 1, "clientCapabilities": {"elicitation": {"url": {}}}},
    )
    recording.agent(id=0, result={"protocolVersion": 1})
    recording.session()
    params = {"sessionId": "s1", "mode": "url", "message": "Log in", "url": "https://x"}
    recording.agent(id=9, method="elicitation/create", params={**params, "elicitationId": "e"})
    recording.client(id=9, result={"action": "decline"})
    *_, asked, answered = ops_of(recording)
    [note] = [op for op in asked if op[2]["severity"] == "question"]
    assert answered == []
    assert note == [
        "note",
        "s1",
        {"severity": "question", "title": "A url for the user", "text": "Log in https://x"},
    ]
