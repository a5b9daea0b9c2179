"""`reduce`: one event folded into one connection, whoever looks."""

from __future__ import annotations

import copy
import itertools

import attrs
import pytest
from observing import seatless
from reduce.history import mapped
from reduce.talk import (
    AGENT_CAN,
    CANCELLED,
    CLIENT_CAN,
    SEATS,
    AnyError,
    Noticed,
    Talk,
    ask_form,
    ask_permission,
    ask_url,
    call,
    call_update,
    cancel,
    cancel_request,
    child,
    connected,
    error,
    initialize,
    initialized,
    new_session,
    notification,
    prompt,
    request,
    result,
    running,
    says,
    selected,
    stop,
    talk,
    update,
    with_child,
)

from acp_state import (
    AnswerElicitation,
    AnswerPermission,
    AskElicitation,
    AskPermission,
    Cancel,
    CancelRequest,
    CloseSession,
    Connection,
    CreateTerminal,
    Diagnose,
    Disconnected,
    ElicitationWithdrawn,
    EndTurn,
    HandleRequest,
    Initialize,
    ListSessions,
    NewSession,
    PermissionWithdrawn,
    Prompt,
    ReadTextFile,
    Received,
    ReleaseTerminal,
    RequestAnswered,
    RequestFailed,
    RequestPermission,
    Respond,
    Send,
    SendRequest,
    SendUpdate,
    Sent,
    SessionReady,
    SetMode,
    ShowNotice,
    TurnEnded,
    WorkWithdrawn,
    reduce,
)
from acp_state.leniency import decode
from acp_state.persistent import Map
from acp_state.reduce.links import request_key
from acp_state.schema import (
    AgentMessageChunk,
    ClientCapabilities,
    PermissionOption,
    TextContent,
    ToolCall,
    ToolCallUpdate,
)

FROM_ALL_SEATS = pytest.mark.parametrize("side", SEATS)

HI = (TextContent(text="Hi"),)


# Sides: one state


CONVERSATION = [
    ("client", initialize()),
    ("agent", initialized(authMethods=[{"id": "m", "name": "M"}])),
    ("client", request(1, "authenticate", methodId="m")),
    ("agent", ask_form(0, requestId=1)),
    ("client", result(0, {"action": "accept", "content": {"pin": "1"}})),
    ("agent", result(1)),
    ("client", new_session(2)),
    ("agent", update("available_commands_update", availableCommands=[])),
    ("agent", result(2, {"sessionId": "s"})),
    ("client", prompt(3, "Do it")),
    ("agent", update("user_message_chunk", content={"type": "text", "text": "Do it"})),
    ("agent", says("On it", messageId="m")),
    ("agent", call("t", status="in_progress")),
    ("agent", ask_permission(1, "t")),
    ("agent", child(state={"state": "running"}, capabilities={"cancel": {}})),
    ("agent", ask_permission(2, "c", session_id="child", title="C")),
    ("client", selected(2, "no")),
    ("client", selected(1)),
    ("agent", request(3, "fs/read_text_file", sessionId="s", path="/f")),
    ("client", result(3, {"content": "x"})),
    ("agent", request(4, "terminal/create", sessionId="s", command="ls")),
    ("client", result(4, {"terminalId": "term"})),
    ("agent", request(5, "terminal/output", sessionId="s", terminalId="term")),
    ("client", result(5, {"output": "o", "truncated": False})),
    ("agent", request(6, "terminal/release", sessionId="s", terminalId="term")),
    ("client", result(6)),
    ("agent", call_update("t", status="completed")),
    ("agent", update("notice", severity="info", title="N")),
    ("agent", stop(3)),
    ("client", prompt(4, "More")),
    ("agent", call("u")),
    ("agent", ask_permission(7, "u")),
    ("agent", ask_url(8)),
    ("client", cancel()),
    ("client", result(7, CANCELLED)),
    ("client", result(8, {"action": "cancel"})),
    ("agent", ask_permission(9, "u")),
    ("client", result(9, CANCELLED)),
    ("agent", stop(4, "cancelled")),
    ("agent", request(10, "what")),
    ("client", error(10, -32601)),
    ("client", request(5, "what")),
    ("agent", error(5, -32601)),
    ("client", request(6, "session/list")),
    ("client", cancel_request(6)),
    ("agent", error(6, -32800)),
    ("agent", ask_permission(11, "u")),
    ("agent", cancel_request(11)),
    ("client", result(11, CANCELLED)),
    ("client", request(7, "session/load", sessionId="s", cwd="/w", mcpServers=[])),
    ("agent", says("On it", messageId="m")),
    ("agent", result(7)),
    ("client", request(8, "session/close", sessionId="s")),
    ("agent", result(8)),
    ("agent", {"log": "line"}),
]
"""What a client and an agent say to each other; the answers that are owed are in it."""


def seen(side, messages):
    """The connection after them, and all that came out, from one seat."""
    there, told = Talk(Connection(side=side)), ()
    for sender, message in messages:
        told += there.by(sender, message)
    return there.connection, told


def test_the_same_state_whoever_looks():
    """Design: from the same traffic; only the intents differ."""
    states = [seatless(seen(side, CONVERSATION)[0]) for side in SEATS]
    assert states[0] == states[1] == states[2]
    assert states[0].client_requests == states[0].agent_requests == {}
    assert states[0].settled_by_client == states[0].settled_by_agent == {}


TAKEN_BACK = CONVERSATION.index(("agent", cancel_request(11))) + 1
"""The client answers what is taken back at once; others wait for its answer (CANCEL-09, -10)."""


def unanswered(sessions):
    """The sessions, in which the newest permission request waits for an answer."""
    session = sessions["s"]
    index = len(session.permissions) - 1
    assert (session.permissions[index].outcome, session.open_permissions) == ("withdrawn", {})
    asked = attrs.evolve(session.permissions[index], outcome=None)
    permissions = session.permissions.set(index, asked)
    return sessions.set(
        "s",
        attrs.evolve(
            session,
            permissions=permissions,
            open_permissions=Map.of({request_key(asked.request_id): index}),
        ),
    )


@pytest.mark.parametrize("length", range(len(CONVERSATION)))
def test_the_same_sessions_after_every_message(length):
    """Design: on the way, too."""
    held = [seen(side, CONVERSATION[:length])[0].sessions for side in SEATS]
    if length == TAKEN_BACK:
        held[0] = unanswered(held[0])
    assert held[0] == held[1] == held[2]


def test_an_observer_owes_nothing():
    """Design: it sees what happened, and is never asked to do or send anything."""
    _, told = seen("observer", CONVERSATION)
    assert {type(each) for each in told} == {TurnEnded, SessionReady, ShowNotice, Diagnose}


def test_what_happened_is_told_to_everybody():
    """Design: things that happened, and diagnostics, are the same from all seats."""
    kinds = (TurnEnded, SessionReady, ShowNotice, Diagnose)
    told = [
        [each for each in seen(side, CONVERSATION)[1] if isinstance(each, kinds)] for side in SEATS
    ]
    assert told[0] == told[1] == told[2]


def test_our_side_decides_which_intents_are_ours():
    """Design: the client is asked what the agent asks, the agent what the client asks."""
    _, client = seen("client", CONVERSATION)
    _, agent = seen("agent", CONVERSATION)
    assert not any(isinstance(each, HandleRequest) for each in client)
    for kind in (AskPermission, AskElicitation, ReadTextFile, CreateTerminal, ReleaseTerminal):
        assert any(isinstance(each, kind) for each in client)
        assert not any(isinstance(each, kind) for each in agent)
    asked = [each.method for each in agent if isinstance(each, HandleRequest)]
    assert asked == [
        "initialize",
        "authenticate",
        "session/new",
        "session/prompt",
        "session/prompt",
        "session/list",
        "session/load",
        "session/close",
    ]


def test_an_observer_sits_in_the_clients_seat():
    """Design: `Sent` is what the client sent."""
    client, observer = Talk(Connection()), Talk(Connection(side="observer"))
    for sender, message in CONVERSATION:
        event = (Sent if sender == "client" else Received)(message)
        client.do(event)
        observer.do(event)
    assert client.connection.sessions == observer.connection.sessions


# Two reducers, back to back


class Pair:
    """A client and an agent, wired together: what one sends, the other receives."""

    def __init__(self):
        self.sides = {
            "client": Talk(Connection(side="client")),
            "agent": Talk(Connection(side="agent")),
        }

    def do(self, side, command):
        """What the host of that side wants; all that both are told, by side."""
        told = {"client": [], "agent": []}
        waiting = [(side, command)]
        while waiting:
            seat, event = waiting.pop(0)
            other = "agent" if seat == "client" else "client"
            for intent in self.sides[seat].do(event):
                if isinstance(intent, Send):
                    waiting.append((other, Received(intent.message)))
                else:
                    told[seat].append(intent)
        self.agree()
        return told["client"], told["agent"]

    def agree(self):
        """Both hold equal sessions, and all that both know of the connection is equal."""
        held = []
        for each in self.sides.values():
            known = attrs.evolve(
                seatless(each.connection), settled_by_client=Map(), settled_by_agent=Map()
            )
            held.append(known)
        assert held[0] == held[1]


CAN = decode(CLIENT_CAN, ClientCapabilities).value


def test_a_whole_conversation_back_to_back():
    """Design: client's Send -> agent's Received and back; both hold equal sessions."""
    pair = Pair()
    _, [asked] = pair.do("client", Initialize(client_capabilities=CAN))
    answer = {"protocolVersion": 1, "agentCapabilities": AGENT_CAN}
    [answered], _ = pair.do("agent", Respond(asked.request_id, answer))
    assert answered.method == "initialize"

    _, [asked] = pair.do("client", NewSession(cwd="/w"))
    modes = {
        "currentModeId": "ask",
        "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
    }
    told, also = pair.do("agent", Respond(asked.request_id, {"sessionId": "s", "modes": modes}))
    assert [type(each) for each in told] == [SessionReady, RequestAnswered]
    assert also == [SessionReady("s", asked.request_id)]

    _, [asked] = pair.do("client", SetMode("s", "code"))
    pair.do("agent", Respond(asked.request_id))
    assert pair.sides["agent"].session.modes.current_mode_id == "code"

    _, [prompted] = pair.do("client", Prompt("s", HI))
    assert prompted.params == {"sessionId": "s", "prompt": [{"type": "text", "text": "Hi"}]}
    for word in ("Let", " me", " see"):
        change = AgentMessageChunk(content=TextContent(text=word), message_id="m")
        assert pair.do("agent", SendUpdate("s", change)) == ([], [])
    pair.do("agent", SendUpdate("s", ToolCall(tool_call_id="t", title="Edit")))
    option = PermissionOption(option_id="yes", name="Allow", kind="allow_once")
    [ask], _ = pair.do(
        "agent",
        RequestPermission(
            session_id="s",
            tool_call=ToolCallUpdate(tool_call_id="t", title="May I?"),
            options=(option,),
        ),
    )
    assert ask.tool_call.title == "May I?"
    _, [answered] = pair.do("client", AnswerPermission(ask.permission.request_id, "yes"))
    assert answered.result == {"outcome": {"outcome": "selected", "optionId": "yes"}}
    done = ToolCallUpdate(tool_call_id="t", status="completed")
    pair.do("agent", SendUpdate("s", done))
    told, also = pair.do("agent", EndTurn(request_id=prompted.request_id, stop_reason="end_turn"))
    assert [type(each) for each in told] == [type(each) for each in also] == [TurnEnded]

    _, [prompted] = pair.do("client", Prompt("s", HI))
    pair.do("agent", SendUpdate("s", ToolCall(tool_call_id="u", title="Run")))
    [ask], _ = pair.do(
        "agent",
        RequestPermission(
            session_id="s", tool_call=ToolCallUpdate(tool_call_id="u"), options=(option,)
        ),
    )
    pair.do("client", Cancel("s"))
    assert pair.sides["agent"].session.is_cancelling
    assert pair.sides["agent"].session.permissions[1].outcome == "cancelled"
    pair.do("agent", EndTurn(request_id=prompted.request_id, stop_reason="cancelled"))
    for each in pair.sides.values():
        assert each.session.turns[1].outcome == "cancelled"
        assert each.session.tool_calls["u"].cancelled

    _, [asked] = pair.do("client", ListSessions())
    pair.do("client", CancelRequest(asked.request_id))
    pair.do("agent", Respond(asked.request_id, {"sessions": []}))
    _, [asked] = pair.do("client", CloseSession("s"))
    pair.do("agent", Respond(asked.request_id))
    for each in pair.sides.values():
        assert each.session.readiness == "closed"
        assert each.connection.client_requests == each.connection.agent_requests == {}
        assert each.do(Disconnected()) == ()
    pair.agree()


def test_an_unknown_request_back_to_back():
    """RPC-05: each side refuses what it does not know; both settle it."""
    pair = Pair()
    _, [asked] = pair.do("client", Initialize())
    pair.do("agent", Respond(asked.request_id, {"protocolVersion": 1}))
    told, _ = pair.do("client", SendRequest("_v/x"))
    assert [type(each) for each in told] == [RequestFailed]
    _, told = pair.do("agent", SendRequest("_v/x"))
    failed = RequestFailed(request_id=0, method="_v/x", error=AnyError(-32601))
    assert told[:1] == [failed]


def test_questions_of_the_agent_back_to_back():
    """ELIC-03: what an agent sends by itself, it passes as `Sent`."""
    pair = Pair()
    _, [asked] = pair.do("client", Initialize(client_capabilities=CAN))
    pair.do("agent", Respond(asked.request_id, {"protocolVersion": 1}))
    _, [asked] = pair.do("client", NewSession(cwd="/w"))
    pair.do("agent", Respond(asked.request_id, {"sessionId": "s"}))
    message = ask_form(0)
    assert pair.sides["agent"].do(Sent(message)) == ()
    [ask] = pair.sides["client"].do(Received(message))
    pair.agree()
    _, [answered] = pair.do("client", AnswerElicitation(ask.request_id, "accept", {"name": "Ada"}))
    assert answered.result == {"action": "accept", "content": {"name": "Ada"}}


# Connection loss: CONN-01


@FROM_ALL_SEATS
def test_a_lost_connection(side):
    """CONN-01: own requests fail as interrupted, incoming ones are dropped, no outcome invented."""
    there = running(side)
    there.client(request(9, "session/list"), request("9", "authenticate", methodId="m"))
    there.agent(call("t"), ask_permission(1, "t"), ask_form(2))
    there.agent(request(3, "fs/read_text_file", sessionId="s", path="/f"))
    before = there.connection
    told = there.do(Disconnected())
    ended = TurnEnded(
        session_id="s",
        turn=attrs.evolve(before.sessions["s"].turns[0], outcome="interrupted", echo=None),
    )
    session = before.sessions["s"]
    dropped = {
        "client": (
            RequestFailed(request_id=9, method="session/list", error=None),
            RequestFailed(request_id="9", method="authenticate", error=None),
            PermissionWithdrawn(session_id="s", permission=session.permissions[0]),
            ElicitationWithdrawn(before.elicitations["int", 2]),
            WorkWithdrawn(request_id=3, method="fs/read_text_file"),
        ),
        "agent": tuple(
            RequestFailed(request_id=key, method=name, error=None, session_id="s")
            for key, name in (
                (1, "session/request_permission"),
                (2, "elicitation/create"),
                (3, "fs/read_text_file"),
            )
        ),
        "observer": (),
    }[side]
    assert told == (*dropped, ended)
    permission = attrs.evolve(session.permissions[0], outcome="dropped")
    lost = attrs.evolve(
        session,
        readiness="unattached",
        timeline=session.timeline.close_run(),
        turns=session.turns.set(0, ended.turn),
        running=(),
        permissions=session.permissions.set(0, permission),
        open_permissions=Map(),
    )
    assert there.connection == attrs.evolve(
        before,
        phase="closed",
        sessions=before.sessions.set("s", lost),
        client_requests=Map(),
        agent_requests=Map(),
        elicitations=Map(),
    )


def test_what_was_settled_is_forgotten_with_the_connection():
    """CONN-01, RPC-10: on another connection nothing waits for those answers."""
    there = running()
    there.agent(ask_permission(1))
    there.client(request(3, "session/close", sessionId="s"))
    there.agent(result(3))
    settled = there.connection
    assert (len(settled.settled_by_client), len(settled.settled_by_agent)) == (1, 1)
    there.do(Disconnected())
    assert (there.connection.settled_by_client, there.connection.settled_by_agent) == (Map(), Map())


def test_a_failed_request_names_its_session():
    """CONN-01, design: hosts await what became of their requests, as in every other failure."""
    there = talk()
    there.client(request(9, "session/set_title", sessionId="s", title="T"))
    assert there.do(Disconnected()) == (
        RequestFailed(request_id=9, method="session/set_title", error=None, session_id="s"),
    )


def test_what_children_do_is_unconfirmed():
    """CONN-01, 15.7: last known retained, no right left (INV-08)."""
    there = with_child()
    there.do(Disconnected())
    association = there.session.subagents["child"]
    assert (association.state_confirmed, association.may_cancel) == (False, False)
    assert association.state is not None
    assert there.connection.sessions["child"].readiness == "unattached"


def test_what_is_awaited_is_awaited_no_more():
    """CONN-01, RPC-03: no late answer comes on a connection that has ended."""
    there = talk()
    there.agent(ask_url(1), ask_permission(2), request(3, "what"))
    there.client(result(1, {"action": "accept"}))
    there.do(Disconnected())
    held = there.connection
    assert (held.awaited_urls, held.settled_by_client, held.settled_by_agent) == ({}, {}, {})


def test_a_second_end_changes_nothing():
    """15.6: any, transport end -> closed."""
    there = talk()
    there.do(Disconnected())
    before = there.connection
    assert there.do(Disconnected()) == ()
    assert there.connection == before


def test_going_on_with_another_connection():
    """CONN-01: sessions are known and unattached; ids begin anew, nothing is pending."""
    there = running()
    there.do(Disconnected())
    again = there.connection.reopened()
    held = attrs.evolve(there.session, client_capabilities=None)
    assert again == Connection(sessions=mapped(held))
    assert again.phase == "new"
    fresh = Talk(again)
    fresh.client(initialize())
    fresh.agent(initialized())
    fresh.client(request(1, "session/resume", sessionId="s", cwd="/w"))
    fresh.agent(result(1))
    assert fresh.session.readiness == "ready"
    assert fresh.session.timeline == there.session.timeline


# Contracts


def test_the_same_events_give_the_same_state():
    """Contract 1, INV-01: and no input is changed."""
    messages = copy.deepcopy(CONVERSATION)
    first, second = seen("client", messages), seen("client", messages)
    assert first == second
    assert messages == CONVERSATION


def test_nothing_that_was_handed_out_changes():
    """Contract 1: every connection on the way stays what it was."""
    there = Talk(Connection())
    held = []
    for sender, message in CONVERSATION:
        there.by(sender, message)
        held.append((there.connection, repr(there.connection.sessions), there.connection))
    for connection, text, same in held:
        assert repr(connection.sessions) == text
        assert connection == same


def test_sessions_are_independent():
    """Contract 8, INV-05: interleaving two sessions' events gives the same sessions."""

    def of(name, first_id):
        return [
            ("client", prompt(first_id, session_id=name)),
            ("agent", says("a", name)),
            ("agent", call("t", name)),
            ("agent", ask_permission(first_id, "t", session_id=name)),
            ("client", selected(first_id)),
            ("client", cancel(name)),
            ("agent", stop(first_id, "cancelled")),
        ]

    def both(messages):
        there = talk()
        there.client(new_session(2))
        there.agent(result(2, {"sessionId": "t"}))
        for sender, message in messages:
            there.by(sender, message)
        return there.connection.sessions

    first, second = of("s", 10), of("t", 20)
    woven = [each for pair in zip(first, second, strict=True) for each in pair]
    assert both(first + second) == both(second + first) == both(woven)


def test_untouched_sessions_are_the_very_same():
    """Contract 5: hosts compare with `is`."""
    there = talk()
    there.client(new_session(2))
    there.agent(result(2, {"sessionId": "t"}))
    before = there.connection.sessions["t"]
    for sender, message in itertools.islice(CONVERSATION, 9, 40):
        there.by(sender, message)
    assert there.connection.sessions["t"] is before


def test_every_request_is_settled_once():
    """RPC-04, INV-02: answered, withdrawn and answered, or dropped with the connection."""
    there = running()
    there.agent(
        ask_permission(1),
        ask_permission(2, "u"),
        ask_form(3),
        request(4, "fs/read_text_file", sessionId="s", path="/f"),
        request(5, "what"),
    )
    told = there.do(AnswerPermission(1, "yes"))
    told += there.agent(cancel_request(4))
    told += there.do(Cancel("s"))
    answered = [
        each.message["id"] for each in told if isinstance(each, Send) and "id" in each.message
    ]
    assert sorted(answered) == [1, 2, 3, 4]
    assert there.connection.agent_requests == {}


def test_a_connection_that_has_just_begun():
    """Design: `Connection()` is a client's; nothing is known."""
    assert Connection() == Connection(side="client", extension_methods=frozenset(), phase="new")
    connection, intents = reduce(Connection(), Received(says("early")))
    assert intents == (Noticed("unannounced-session", "s"),)
    assert connection.sessions["s"].readiness == "provisional"


def test_a_connection_in_a_word():
    """Hosts log it."""
    assert repr(connected("agent").connection) == "<connection, agent's side: ready, 0 sessions>"
    assert repr(talk("observer").connection) == "<connection, observed: ready, 1 sessions>"


def test_notifications_of_nothing():
    """RPC-06: and of the agent's side."""
    there = talk("agent")
    assert there.client(notification("$/x")) == ()
