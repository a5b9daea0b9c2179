"""A strategy that draws whole conversations of an agent and a client, legal and illegal ones.

A line of a conversation is a pair (sender, JSON). Lines are drawn one after the other, by a script
that knows no more of the protocol than which requests are outstanding, so that most answers answer
something. Ids are few, so that they collide: the two ordinary sessions, their children, messages,
tool calls and requests.
"""

from __future__ import annotations

import copy
from itertools import pairwise

from hypothesis import strategies as st
from observing import see
from reduce.history import (
    IDLE,
    MAY_CANCEL,
    READY,
    RUNNING,
    agent_asks,
    agent_tells,
    asks_form,
    asks_permission,
    call,
    call_update,
    child,
    chunk,
    client_asks,
    client_tells,
    compaction,
    letter,
    letter_chunk,
    load,
    made,
    prompt,
    resume,
    summary_chunk,
    text_blocks,
    update,
)
from strategies import json_like, json_values

from acp_state import Connection, events
from acp_state.schema import PermissionOption, TextContent, ToolCallUpdate

TEXTS = ("Go", "on", "G", "o", "", "\ud83d", "\ude00")
MESSAGE_IDS = (None, "m", "n")
STATUSES = ("pending", "in_progress", "completed", "failed", "cancelled", None)
STATES = (RUNNING, IDLE, {"state": "unknown"}, {"state": "odd", "x": 1}, None, 5)
RIGHTS = (MAY_CANCEL, {}, None, {"cancel": True}, 5)
MODES = {"currentModeId": "m", "availableModes": [{"id": "m", "name": "M"}]}
OPTION = {
    "id": "o", "name": "O", "type": "select", "currentValue": "v",
    "options": [{"value": "v", "name": "V"}],
}  # fmt: skip

OTHER = {"client": "agent", "agent": "client"}

FAMILY = ("a", "k", "g")
"""A session, its child, and its grandchild."""


class Script:
    """What has been said so far, as far as the next line depends on it."""

    def __init__(self, draw, families, *, first_id=1):
        self.draw = draw
        self.families = families
        self.next_id = first_id
        self.asked = {"client": {}, "agent": {}}

    def one_of(self, *values):
        return self.draw(st.sampled_from(values))

    def once_in(self, times):
        """Whether something happens that happens once in so many times."""
        return self.draw(st.integers(1, times)) == times

    def maybe(self, value):
        """The value, or nothing, as a part of a dict."""
        return self.draw(st.sampled_from([{}, value]))

    def any_json(self):
        """A JSON value of any kind."""
        return self.draw(json_values)

    @property
    def session(self):
        return self.one_of(*(name for family in self.families for name in family))

    @property
    def root(self):
        return self.one_of(*(family[0] for family in self.families))

    @property
    def request_id(self):
        """A new id, or now and then one that was there."""
        self.next_id += self.one_of(1, 1, 1, 1, 1, 1, 1, 0)
        return self.next_id

    def heard(self, line):
        """Remember which requests are outstanding."""
        sender, message = line
        if not isinstance(message, dict) or "id" not in message:
            return
        if not isinstance(message["id"], int | str):
            return
        if isinstance(message.get("method"), str):
            self.asked[sender].setdefault(message["id"], message)
        else:
            self.asked[OTHER[sender]].pop(message["id"], None)


# What the agent says of a session


def says(script):
    role = script.one_of("user", "agent", "agent", "thought")
    extra = script.maybe({"meta": {"k": 1}})
    return chunk(role, script.one_of(*TEXTS), script.one_of(*MESSAGE_IDS), script.session, **extra)


def calls(script):
    tell = script.one_of(call, call_update)
    fields = {
        **script.maybe({"rawInput": {"a": 1}}),
        **script.maybe({"locations": [{"path": "/f"}]}),
    }
    if script.once_in(2):
        fields["status"] = script.one_of(*STATUSES)
    return tell(script.one_of("t", "u"), script.session, **fields)


def compacts(script):
    if script.once_in(3):
        return summary_chunk("x", "c", script.session)
    status = script.one_of("in_progress", "completed", "failed", "odd")
    fields = {**script.maybe({"summary": text_blocks("S")}), **script.maybe({"error": "E"})}
    return compaction("c", status, script.session, **fields)


def writes(script):
    fields = {
        **script.maybe({"senderSessionId": script.session}),
        **script.maybe({"recipientSessionId": script.session}),
    }
    if script.once_in(2):
        return letter_chunk("x", "l", script.session, **fields)
    content = script.maybe({"content": script.one_of(text_blocks("L"), [], None)})
    return letter("l", script.session, **fields, **content)


def announces(script):
    pairs = [(up, down) for family in script.families for up, down in pairwise(family)]
    odd = [(script.session, script.session)] if script.once_in(3) else []
    parent, name = script.one_of(*pairs, *odd)
    fields = {**script.maybe({"title": "T"}), **script.maybe({"cwd": script.one_of("/c", None, 5)})}
    if script.once_in(2):
        fields["state"] = script.one_of(*STATES)
    if script.once_in(2):
        fields["capabilities"] = script.one_of(*RIGHTS)
    return child(name, parent, **fields)


def reports(script):
    kind, fields = script.one_of(
        ("plan", {"entries": []}),
        ("plan_update", {"plan": {"type": "markdown", "planId": "p", "content": "P"}}),
        ("plan_removed", {"planId": "p"}),
        ("available_commands_update", {"availableCommands": []}),
        ("current_mode_update", {"currentModeId": "m"}),
        ("config_option_update", {"configOptions": [OPTION]}),
        ("session_info_update", {"title": "T"}),
        ("usage_update", {"used": 1, "size": 2}),
        ("notice", {"severity": "info", "title": "N"}),
    )
    return update(kind, script.session, **fields)


# What the client asks


def sets_up(script):
    method = script.one_of("new", "new", "fork")
    own = {} if method == "new" else {"sessionId": script.root}
    return client_asks(script.request_id, f"session/{method}", cwd="/w", mcpServers=[], **own)


def takes_up(script):
    ask = script.one_of(load, load, resume)
    return ask(script.request_id, script.root)


def prompts(script):
    return prompt(script.request_id, script.one_of("Go", "Go on", ""), script.root)


def ends(script):
    method = script.one_of("close", "archive", "unarchive", "delete", "status")
    return client_asks(script.request_id, f"session/{method}", sessionId=script.root)


def sets(script):
    method, fields = script.one_of(
        ("set_mode", {"modeId": "m"}),
        ("set_mode", {"modeId": "x"}),
        ("set_config_option", {"configId": "o", "value": "v"}),
        ("set_title", {"title": "T"}),
    )
    return client_asks(script.request_id, f"session/{method}", sessionId=script.root, **fields)


def lists(script):
    return client_asks(script.request_id, "session/list")


def cancels(script):
    return client_tells("session/cancel", sessionId=script.session)


# What the agent asks


def asks(script):
    return asks_permission(script.request_id, script.session, toolCallId=script.one_of("t", "u"))


def elicits(script):
    scope = script.one_of({"sessionId": script.session}, {"requestId": 1}, {})
    return asks_form(script.request_id, **scope)


def wants_work(script):
    method, fields = script.one_of(
        ("fs/read_text_file", {"path": "/f"}),
        ("fs/write_text_file", {"path": "/f", "content": ""}),
        ("terminal/create", {"command": "c"}),
        ("terminal/output", {"terminalId": "x"}),
        ("terminal/wait_for_exit", {"terminalId": "x"}),
        ("terminal/kill", {"terminalId": "x"}),
        ("terminal/release", {"terminalId": "x"}),
    )
    return agent_asks(script.request_id, method, sessionId=script.session, **fields)


# What either side says


def answers(script):
    """A result or an error for one of the requests that are outstanding."""
    asker = script.one_of("client", "client", "agent")
    asked = script.asked[asker]
    if not asked:
        return None
    request = script.one_of(*asked.values())
    answerer = OTHER[asker]
    head = {"jsonrpc": "2.0", "id": request["id"]}
    if script.once_in(4):
        code = script.one_of(-32603, -32800, -32000, -32002)
        return answerer, {**head, "error": {"code": code, "message": "no"}}
    return answerer, {**head, "result": result_of(script, request["method"])}


def result_of(script, method):
    """What such a request is answered with."""
    setup = {**script.maybe({"modes": MODES}), **script.maybe({"configOptions": [OPTION]})}
    results = {
        "session/new": {"sessionId": script.root, **setup},
        "session/fork": {"sessionId": script.root, **setup},
        "session/load": setup,
        "session/resume": setup,
        "session/prompt": {"stopReason": script.one_of("end_turn", "cancelled", "refusal", "odd")},
        "session/list": {"sessions": [{"sessionId": script.root, "cwd": "/w", "title": "L"}]},
        "session/status": {"status": "open"},
        "session/set_title": {"title": "T"},
        "session/set_config_option": {"configOptions": [OPTION]},
        "session/request_permission": script.one_of(
            {"outcome": {"outcome": "selected", "optionId": "yes"}},
            {"outcome": {"outcome": "cancelled"}},
        ),
        "elicitation/create": {"action": script.one_of("accept", "decline", "cancel")},
        "terminal/create": {"terminalId": "x"},
        "terminal/output": {"output": "o", "truncated": False},
        "terminal/wait_for_exit": {"exitCode": 0},
    }
    return results.get(method, script.one_of({}, None))


def takes_back(script):
    sender = script.one_of("client", "agent")
    asked = script.asked[sender]
    request_id = script.one_of(*asked, 77) if asked else 77
    tell = client_tells if sender == "client" else agent_tells
    return tell("$/cancel_request", requestId=request_id)


def strays(script):
    """What answers nothing, or is no message at all."""
    sender = script.one_of("client", "agent")
    return sender, script.one_of(
        {"jsonrpc": "2.0", "id": 77, "result": {}},
        {"jsonrpc": "2.0", "id": 77},
        {"jsonrpc": "2.0", "id": True, "method": "session/update"},
        {"jsonrpc": "2.0"},
        [],
        "a line of a log",
        None,
    )


def invents(script):
    """What is no method of the protocol."""
    sender = script.one_of("client", "agent")
    tells = {
        "jsonrpc": "2.0",
        "method": script.one_of("_odd", "session/odd", "$/odd"),
        "params": {},
    }
    if script.once_in(2):
        return sender, tells
    return sender, {**tells, "id": script.request_id}


def garbles(script):
    """A line of which one part is something else."""
    line = copy.deepcopy(script.one_of(says, calls, announces, asks, answers, prompts)(script))
    if line is None:
        return None
    sender, message = line
    holder, key = script.one_of(*_places(message))
    holder[key] = script.any_json()
    return sender, message


def _places(value):
    items = list(value.items() if isinstance(value, dict) else enumerate(value))
    inner = [each for _, each in items if isinstance(each, dict | list)]
    return [(value, key) for key, _ in items] + [place for each in inner for place in _places(each)]


MOVES = (
    says, says, says, says, says, calls, calls, calls, compacts, writes, announces, announces,
    reports, reports, sets_up, takes_up, takes_up, takes_up, prompts, prompts, ends, sets, lists,
    cancels, asks, asks, elicits, wants_work, *[answers] * 8, takes_back, strays, invents, garbles,
)  # fmt: skip


def opening(script):
    """Each family is there, as far as it is drawn to be."""
    lines = []
    for name, *children in script.families:
        if not script.once_in(4):
            lines += made(name, script.request_id)
            for parent, kid in pairwise((name, *children)):
                fields = {
                    **script.maybe({"state": RUNNING}),
                    **script.maybe({"capabilities": MAY_CANCEL}),
                }
                lines += [] if script.once_in(4) else [child(kid, parent, **fields)]
    return lines


@st.composite
def conversations(draw, *, families=(FAMILY, ("b",)), max_size=20, first_id=1, moves=MOVES):
    """Lines of a conversation about these families of sessions."""
    script = Script(draw, families, first_id=first_id)
    lines = opening(script)
    for move in draw(st.lists(st.sampled_from(moves), min_size=max_size // 3, max_size=max_size)):
        line = move(script)
        if line is not None:
            script.heard(line)
            lines.append(line)
    return lines


@st.composite
def interleavings(draw, first, second):
    """Both conversations, each in its order."""
    first, second = list(draw(first)), list(draw(second))
    mixed, left, right = [], list(first), list(second)
    for pick in draw(st.lists(st.booleans(), max_size=len(left) + len(right))):
        side = left if pick else right
        mixed += side[:1]
        del side[:1]
    return first, second, [*mixed, *left, *right]


@st.composite
def wild(draw):
    """A conversation of which some lines are something else altogether."""
    lines = draw(conversations(max_size=10))
    odd = st.tuples(
        st.sampled_from(["client", "agent"]),
        json_like
        | st.fixed_dictionaries(
            {"jsonrpc": st.just("2.0"), "method": st.sampled_from(METHOD_NAMES)},
            optional={"id": json_like, "params": json_like, "result": json_like},
        )
        | st.fixed_dictionaries(
            {"jsonrpc": st.just("2.0"), "id": st.integers(1, 5)},
            optional={"result": json_like, "error": json_like},
        ),
    )
    for line in draw(st.lists(odd, max_size=4)):
        lines.insert(draw(st.integers(0, len(lines))), line)
    return lines


METHOD_NAMES = (
    "session/update", "session/load", "session/prompt", "session/request_permission",
    "elicitation/create", "session/cancel", "$/cancel_request", "session/new", "initialize",
    "terminal/create", "auth/status_update", "elicitation/complete", "session/list",
)  # fmt: skip


@st.composite
def commands(draw):
    """Any wish of a host's, most of them about what a conversation may have made."""
    session, request = draw(st.sampled_from(["a", "k", "g", "b", "z"])), draw(st.integers(0, 12))
    return draw(
        st.sampled_from(
            [
                events.Initialize(),
                events.Authenticate("x"),
                events.Logout(),
                events.GetAuthStatus(),
                events.NewSession(cwd=draw(st.sampled_from(["/w", "w"]))),
                events.LoadSession(session_id=session, cwd="/w"),
                events.ResumeSession(session_id=session, cwd="/w"),
                events.ForkSession(session_id=session, cwd="/w"),
                events.ListSessions(),
                events.CloseSession(session),
                events.DeleteSession(session),
                events.ArchiveSession(session),
                events.UnarchiveSession(session),
                events.GetSessionStatus(session),
                events.SetTitle(session, "T"),
                events.SetMode(session, "m"),
                events.SetConfigOption(session, "o", "v"),
                events.Prompt(session, [TextContent(text="Go")]),
                events.Prompt(session, [], while_running=True),
                events.Cancel(session),
                events.CancelRequest(request),
                events.AnswerPermission(request, draw(st.sampled_from(["yes", "x", None]))),
                events.AnswerElicitation(request, "accept", {"a": 1}),
                events.Respond(request),
                events.RespondError(request, -32603, "no"),
                events.SendRequest("_odd"),
                events.SendNotification("_odd"),
                events.EndTurn(request_id=request, stop_reason="end_turn"),
                events.RequestPermission(
                    session_id=session,
                    tool_call=ToolCallUpdate(tool_call_id="t"),
                    options=(PermissionOption(option_id="y", name="Y", kind="allow_once"),),
                ),
            ]
        )
    )


def steps(lines, onto=READY):
    """Each line with the connection before it, the connection after it, and what came out."""
    found = []
    for sender, message in lines:
        after, intents = see(onto, sender, message)
        found.append(((sender, message), onto, after, intents))
        onto = after
    return found


def end_of(lines, onto=READY):
    """The connection after all lines."""
    return steps(lines, onto)[-1][2] if lines else onto


def seated(side):
    """An initialised connection that is seen from that side."""
    return Connection(side=side, phase="ready")
