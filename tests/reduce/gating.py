"""What the tests of commands share: refusals, and a session that has something to set."""

from __future__ import annotations

from reduce.talk import ask_permission, connected, new_session, result, running

from acp_state.schema import TextContent

HI = (TextContent(text="Hi"),)
"""What a prompt says."""


def name(command):
    return type(command).__name__


def refusal_of(there, command):
    """Rule, code and session of the refusal."""
    refusal = there.refused(command)
    return refusal.rule, refusal.code, refusal.session_id


def without(can, path):
    """The capabilities less one, which `path` names by its keys."""
    head, *tail = path
    if not tail:
        return {key: value for key, value in can.items() if key != head}
    return {**can, head: without(can[head], tail)}


def path_id(value):
    return ".".join(value) if isinstance(value, list) else name(value)


SETUP = {
    "sessionId": "s",
    "modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]},
    "configOptions": [
        {
            "id": "model",
            "name": "Model",
            "type": "select",
            "currentValue": "big",
            "options": [{"value": "big", "name": "Big"}],
        },
        {"id": "web", "name": "Web", "type": "boolean", "currentValue": False},
    ],
}


def equipped():
    there = connected()
    there.client(new_session())
    there.agent(result(1, SETUP))
    return there


def asked():
    """A turn in which the agent waits for a permission, asked for with the id 7."""
    there = running()
    there.agent(ask_permission(7))
    return there
