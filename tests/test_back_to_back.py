"""A client and an agent wired back to back: each hears late what the other said.

Both issue commands, and what their intents say goes through two queues that are emptied in any
order. When all was delivered every request is answered, and what the naive model makes of the
traffic in the order of delivery is what an observer makes of it.

Where each hears the other out before it speaks, both know exactly the same. Where what they say
crosses, they cannot: a prompt stands before a message for the one and after it for the other. But
what the agent alone tells, under names of its own, is the same for both.
"""

from __future__ import annotations

import os
from collections import Counter, deque

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from naive.folding import fold
from naive.form import form_of
from naive.state import new_connection
from naive_projection import projected
from observing import observe
from strategies import typed

from acp_state import Connection, Diagnose, LocalProtocolError, Received, Send, events, reduce
from acp_state.json_values import JsonObject
from acp_state.leniency import decode
from acp_state.schema import (
    AgentMessageChunk,
    ClientCapabilities,
    PermissionOption,
    SessionUpdate,
    SubagentUpdate,
    TextContent,
    ToolCall,
    ToolCallUpdate,
    UserMessageChunk,
)

EXAMPLES, STEPS = int(os.environ.get("NAIVE_EXAMPLES", "60")), 40
"""With `NAIVE_EXAMPLES` in the environment: so many, and others each time."""

OTHER = {"client": "agent", "agent": "client"}
FULL = JsonObject({
    "loadSession": True,
    "sessionCapabilities": {name: {} for name in ("list", "resume", "close", "delete", "fork")},
})  # fmt: skip
SESSIONS = ("a", "b")
NAMES = st.sampled_from(SESSIONS)
TEXTS = st.sampled_from(["Go", " on", "\ud83d", "\ude00"])
BLOCKS = st.builds(lambda text: TextContent(text=text), TEXTS)
ENDS = st.sampled_from(["end_turn", "cancelled", "refusal", "max_tokens"])
UPDATES = st.one_of(
    st.builds(
        lambda cls, block, name: cls(content=block, message_id=name),
        st.sampled_from([AgentMessageChunk, UserMessageChunk]), BLOCKS,
        st.sampled_from([None, "m", "n"]),
    ),
    st.builds(lambda name: ToolCall(tool_call_id=name, title="T"), st.sampled_from(["t", "u"])),
    st.builds(
        lambda name, status: ToolCallUpdate(tool_call_id=name, status=status),
        st.sampled_from(["t", "u"]), st.sampled_from(["in_progress", "completed", "failed"]),
    ),
    st.builds(lambda: SubagentUpdate(session_id="k")),
    typed(SessionUpdate).filter(lambda update: not isinstance(update, SubagentUpdate)),
)  # fmt: skip
OPTIONS = (
    PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
    PermissionOption(option_id="no", name="No", kind="reject_once"),
)


class BackToBack(RuleBasedStateMachine):
    """Two connections, two queues, and who has seen it all."""

    @initialize(is_full=st.booleans(), polite=st.booleans())
    def start(self, is_full, polite):
        self.polite = True
        capabilities = ClientCapabilities() if not is_full else None
        self.seats = {"client": Connection(side="client"), "agent": Connection(side="agent")}
        self.queues = {"client": deque(), "agent": deque()}
        self.seen = []
        self.wish("client", events.Initialize(client_capabilities=capabilities or full_client()))
        self.deliver("client")
        [request_id] = [each.request_id for each in self.asked_of_agent().values()]
        result = {"protocolVersion": 1, "agentCapabilities": FULL}
        self.wish("agent", events.Respond(request_id, result))
        self.deliver("agent")
        for name in SESSIONS:
            self.wish("client", events.NewSession(cwd="/w"))
            self.deliver("client")
            [request_id] = [each.request_id for each in self.asked_of_agent().values()]
            self.wish("agent", events.Respond(request_id, {"sessionId": name}))
            self.deliver("agent")
        self.polite = polite

    # What goes to and fro

    def wish(self, side, command):
        while self.polite and self.queues[OTHER[side]]:
            self.deliver(OTHER[side])
        try:
            self.seats[side], intents = reduce(self.seats[side], command)
        except LocalProtocolError:
            return
        self.carry_out(side, intents)

    def carry_out(self, side, intents):
        self.queues[side].extend(each.message for each in intents if isinstance(each, Send))

    def deliver(self, sender):
        """The oldest message of one side arrives."""
        if not self.queues[sender]:
            return
        message = self.queues[sender].popleft()
        self.seen.append((sender, message))
        receiver = OTHER[sender]
        self.seats[receiver], intents = reduce(self.seats[receiver], Received(message))
        self.carry_out(receiver, intents)

    def asked_of_agent(self):
        return self.seats["agent"].client_requests

    # What they do

    @rule(sender=st.sampled_from(["client", "agent"]), count=st.integers(1, 4))
    def arrives(self, sender, count):
        for _ in range(count):
            self.deliver(sender)

    @rule(name=NAMES, block=BLOCKS, anyway=st.booleans())
    def prompts(self, name, block, anyway):
        self.wish("client", events.Prompt(name, [block], while_running=anyway))

    @rule(name=st.sampled_from([*SESSIONS, "k"]))
    def cancels(self, name):
        self.wish("client", events.Cancel(name))

    @rule(name=NAMES, kind=st.sampled_from(
        [events.CloseSession, events.DeleteSession, events.ForkSession, events.LoadSession,
         events.ResumeSession, events.NewSession]))  # fmt: skip
    def changes_a_session(self, name, kind):
        if not self.polite:
            return
        if kind in {events.CloseSession, events.DeleteSession}:
            self.wish("client", kind(name))
        elif kind is events.NewSession:
            self.wish("client", kind(cwd="/w"))
        else:
            self.wish("client", kind(session_id=name, cwd="/w"))

    @rule(name=st.sampled_from([*SESSIONS, "k"]), update=UPDATES)
    def reports(self, name, update):
        self.wish("agent", events.SendUpdate(name, update))

    @rule(name=st.sampled_from([*SESSIONS, "k"]), call=st.sampled_from(["t", "u"]))
    def asks(self, name, call):
        asked = ToolCallUpdate(tool_call_id=call)
        self.wish(
            "agent", events.RequestPermission(session_id=name, tool_call=asked, options=OPTIONS)
        )

    @rule(data=st.data(), option=st.sampled_from(["yes", "no", None]))
    def decides(self, data, option):
        waiting = [
            each.request_id
            for session in self.seats["client"].sessions.values()
            for each in session.pending_permissions
        ]
        if waiting:
            request_id = data.draw(st.sampled_from(waiting))
            self.wish("client", events.AnswerPermission(request_id, option))

    @rule(data=st.data(), side=st.sampled_from(["client", "agent"]))
    def takes_back(self, data, side):
        seat = self.seats[side]
        asked = seat.client_requests if side == "client" else seat.agent_requests
        if asked:
            request = data.draw(st.sampled_from(list(asked.values())))
            self.wish(side, events.CancelRequest(request.request_id))

    @rule(data=st.data(), stop=ENDS, fails=st.integers(1, 6), name=NAMES)
    def answers(self, data, stop, fails, name):
        asked = list(self.asked_of_agent().values())
        if asked:
            self.answer(data.draw(st.sampled_from(asked)), stop, name, fails=fails == 1)

    def answer(self, request, stop, name, *, fails=False):
        """One way to answer a request of the client's."""
        request_id, method = request.request_id, request.method
        if fails:
            self.wish("agent", events.RespondError(request_id, -32603, "no"))
        elif method == "session/prompt":
            self.wish("agent", events.EndTurn(request_id=request_id, stop_reason=stop))
        elif method in {"session/new", "session/fork"}:
            self.wish("agent", events.Respond(request_id, {"sessionId": name}))
        else:
            self.wish("agent", events.Respond(request_id))

    # How it ends

    def teardown(self):
        if not hasattr(self, "seats"):
            return
        self.drain()
        self.settle_all()
        client, agent = (known_of(each) for each in self.seats.values())
        assert client["pending"] == agent["pending"] == {"client": [], "agent": []}
        if self.polite:
            assert client == agent
        assert told_by_agent(client) == told_by_agent(agent)
        self.see_it_all()

    def drain(self):
        while any(self.queues.values()):
            for sender in self.queues:
                self.deliver(sender)

    def settle_all(self):
        """Whatever still waits is answered."""
        while self.asked_of_agent():
            self.answer(next(iter(self.asked_of_agent().values())), "end_turn", "a")
            self.drain()
        for session in self.seats["client"].sessions.values():
            for each in session.pending_permissions:
                self.wish("client", events.AnswerPermission(each.request_id))
        self.drain()

    def see_it_all(self):
        """The naive model and an observer see each message when it was delivered."""
        naive, observer = new_connection("observer"), Connection(side="observer")
        for sender, message in self.seen:
            observer, intents = observe(observer, sender, message)
            fold(naive, sender, message)
            codes = Counter(each.diagnostic.code for each in intents if isinstance(each, Diagnose))
            assert (projected(observer), codes) == (form_of(naive), Counter(naive["diagnostics"]))


def full_client():
    """Everything that an update may need."""
    capabilities = {
        "plan": {}, "subagents": {},
        "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
    }  # fmt: skip
    return decode(capabilities, ClientCapabilities).value


def known_of(connection):
    """What both sides know once everything has arrived."""
    return {**projected(connection), "side": "either"}


def told_by_agent(known):
    """The entries and slots that only the agent's words make, less what depends on turns."""
    ours = ("user", "subagent")
    return [
        (
            session["id"],
            {
                (each["kind"], each["id"]): {**each, "turn": None, "cancelled": None}
                for each in session["timeline"]
                if "id" in each and each["kind"] not in ours
            },
            [session.get(slot) for slot in ("plan", "plans", "usage", "modes", "title")],
        )
        for session in known["sessions"]
    ]


TestBackToBack = BackToBack.TestCase
TestBackToBack.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    derandomize="NAIVE_EXAMPLES" not in os.environ,
    database=None,
)
