"""The cases in ``shared/cases``: each fact that a case lists is a test.

`fact` quotes the start of the sentence that a test asserts; together they are all facts of all
cases. They are asserted from the client's seat; the tests at the end say what the observer's and
the agent's have to do with it, and count what each of them is asked to do.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, frozen
from observing import SEATS, seatless, see
from shared import SHARED, needs_shared

from acp_state import (
    AskPermission,
    AwaitTerminal,
    CancelRequested,
    Connection,
    CreateTerminal,
    Diagnose,
    Diagnostic,
    Entry,
    HandleExtension,
    HandleRequest,
    Intent,
    Message,
    Permission,
    PermissionWithdrawn,
    Prompt,
    ReadTerminal,
    ReleaseTerminal,
    RequestAnswered,
    RequestFailed,
    Send,
    Session,
    SessionReady,
    ShowNotice,
    ToolCall,
    Turn,
    TurnEnded,
    reduce,
)
from acp_state.cli.state_json import connection_json
from acp_state.model.connection import PendingRequests
from acp_state.persistent import Map
from acp_state.schema import (
    Content,
    Diff,
    PlanEntry,
    ResourceLink,
    Terminal,
    TextContent,
    ToolCallLocation,
)

pytestmark = needs_shared

CASES = SHARED / "cases"

NUMBERS = [f"{number:03}" for number in range(1, 42)]

FACTS: dict[tuple[str, str], Callable[..., None]] = {}
"""Number of the case and start of the fact, and the test that asserts it."""

NEWS = (TurnEnded, SessionReady, RequestAnswered, RequestFailed, ShowNotice, Diagnose)
"""What is told and asks for nothing."""

CANCELLED = {"outcome": {"outcome": "cancelled"}}


@frozen
class Seen:
    """A case as one seat sees it: what there was after each of its messages."""

    states: tuple[Connection, ...]
    intents: tuple[tuple[Intent, ...], ...]

    @property
    def sends(self) -> list[tuple[int, dict[str, Any]]]:
        """What is to be sent: index of the message that gave rise to it, and what."""
        return [
            (index, intent.message)
            for index, intents in enumerate(self.intents)
            for intent in intents
            if isinstance(intent, Send)
        ]

    @property
    def wanted(self) -> list[tuple[int, type[Intent]]]:
        """What asks the host for something: index of the message that gave rise to it, and kind."""
        return [
            (index, type(intent))
            for index, intents in enumerate(self.intents)
            for intent in intents
            if not isinstance(intent, NEWS)
        ]

    @property
    def diagnostics(self) -> list[tuple[Diagnostic, ...]]:
        """The diagnostics that came out with each message."""
        return [
            tuple(i.diagnostic for i in intents if isinstance(i, Diagnose))
            for intents in self.intents
        ]


@frozen
class Case:
    """A case that was folded, from each of the seats."""

    facts: tuple[str, ...]
    messages: tuple[tuple[str, Any], ...]
    seats: dict[str, Seen]

    @property
    def client(self) -> Seen:
        """The case from the client's seat."""
        return self.seats["client"]

    @property
    def end(self) -> Connection:
        """What there is after the last message."""
        return self.client.states[-1]

    @property
    def session(self) -> Session:
        """The one session of the case, at its end."""
        return only(self.end)

    def after(self, index: int) -> Connection:
        """What there is after the message with that index in the file."""
        return self.client.states[index]

    def told(self, kind: type[Intent]) -> list[tuple[int, Any]]:
        """What came out of that kind, with the index of the message it came with."""
        return [
            (index, intent)
            for index, intents in enumerate(self.client.intents)
            for intent in intents
            if isinstance(intent, kind)
        ]

    def diagnostics(self, index: int | None = None) -> list[Diagnostic]:
        """The diagnostics that came out, all of them or those of one message."""
        found = self.client.diagnostics
        return [each for noted in (found if index is None else [found[index]]) for each in noted]


def only(connection: Connection) -> Session:
    """The one session of a connection."""
    [session] = connection.sessions.values()
    return session


@cache
def case_files() -> dict[str, Path]:
    """The cases by their number."""
    return {path.name[:3]: path for path in sorted(CASES.glob("*.json"))}


@cache
def folded(number: str) -> Case:
    """The case with that number."""
    case = json.loads(case_files()[number].read_text(encoding="utf-8"))
    messages = tuple((line["from"], line["message"]) for line in case["messages"])
    seats = {seat: folded_from(seat, messages) for seat in SEATS}
    return Case(tuple(case["expect"]), messages, seats)


def folded_from(seat: str, messages: tuple[tuple[str, Any], ...]) -> Seen:
    """The messages, folded from one seat."""
    connection = Connection(side=seat)
    states, intents = [], []
    for sender, message in messages:
        connection, found = see(connection, sender, message)
        states.append(connection)
        intents.append(found)
    return Seen(tuple(states), tuple(intents))


@pytest.fixture
def case(request) -> Case:
    """The case of the test's fact."""
    return folded(request.param)


def fact(number: str, start: str) -> Callable[[Callable[..., None]], Any]:
    """The test asserts the fact of that case which starts like that."""

    def mark(test: Callable[..., None]) -> Any:
        FACTS[number, start] = test
        return pytest.mark.parametrize("case", [number], indirect=True, ids=[start])(test)

    return mark


def shown(session: Session) -> list[tuple[str, ...]]:
    """The timeline: kind, id where there is one, and text or the status to show."""
    return [_shown(entry) for entry in session.timeline]


def _shown(entry: Entry) -> tuple[str, ...]:
    if isinstance(entry, ToolCall):
        return ("tool_call", entry.tool_call_id, entry.effective_status)
    assert isinstance(entry, Message)
    name = () if entry.message_id is None else (entry.message_id,)
    return (entry.role, *name, entry.text)


def text(value: str) -> Content:
    """Tool content of one text block."""
    return Content(content=TextContent(text=value))


def turn_of(session: Session, request_id: object) -> Turn:
    """The turn that the request opened."""
    [turn] = [turn for turn in session.turns if turn.request_id == request_id]
    return turn


def ended(session: Session, request_id: object) -> tuple[object, ...]:
    """How the turn of the request ended: outcome and stop reason as sent."""
    turn = turn_of(session, request_id)
    return (turn.outcome, turn.stop_reason)


def permission_of(session: Session, request_id: object) -> Permission:
    """The one permission request with that id, by type and value."""
    [permission] = [
        permission
        for permission in session.permissions
        if type(permission.request_id) is type(request_id) and permission.request_id == request_id
    ]
    return permission


def decided(session: Session, request_id: object) -> tuple[object, ...]:
    """What was decided about a permission request: outcome and option."""
    permission = permission_of(session, request_id)
    return (permission.outcome, permission.option_id)


def pending(requests: PendingRequests) -> list[tuple[object, str]]:
    """Id and method of the requests without an answer."""
    return [(request.request_id, request.method) for request in requests.values()]


def codes(diagnostics: list[Diagnostic]) -> list[str]:
    """The codes of the diagnostics, in order."""
    return [diagnostic.code for diagnostic in diagnostics]


# The cases are told apart by fact, not by test


@pytest.mark.parametrize("number", NUMBERS)
def test_each_fact_of_a_case_is_asserted(number):
    quoted = tuple(start for case, start in FACTS if case == number)
    assert [each for each in folded(number).facts if not each.startswith(quoted)] == []


def test_each_quotation_is_of_one_fact_and_no_fact_is_quoted_twice():
    quoted = [
        (number, fact)
        for number, start in FACTS
        for fact in folded(number).facts
        if fact.startswith(start)
    ]
    assert len(quoted) == len(FACTS) == len(set(quoted))


def test_the_cases_are_all_here():
    assert list(case_files()) == NUMBERS


# 001 Plain turn without message ids


@fact("001", "timeline of messages, thoughts and tool calls, in order: user 'Why does the build")
def test_001_timeline(case):
    assert shown(case.session) == [
        ("user", "Why does the build fail?"),
        ("thought", "Look at the log first."),
        ("agent", "I will read the log."),
        ("tool_call", "call_001", "completed"),
        ("agent", "The linker flag is missing."),
    ]


@fact("001", "tool call call_001: title 'Read build.log', kind read, status completed, content is")
def test_001_tool_call(case):
    assert case.session.tool_calls["call_001"] == ToolCall(
        tool_call_id="call_001",
        title="Read build.log",
        kind="read",
        status="completed",
        content=(text("undefined symbol: inflate"),),
        locations=(ToolCallLocation(path="/projects/demo/build.log"),),
        turn=0,
    )


@fact("001", "the turn of request 2 ended with stop reason end_turn; no turn is in progress; no")
def test_001_turn(case):
    assert ended(case.session, 2) == ("ended", "end_turn")
    assert case.session.current_turn is None
    assert pending(case.end.client_requests) == []
    assert pending(case.end.agent_requests) == []


@fact("001", "no outbound message is wanted and no diagnostic is recorded")
def test_001_silence(case):
    assert case.client.sends == []
    assert case.diagnostics() == []


# 002 Agent echoes the prompt during the turn


@fact("002", "timeline of messages, thoughts and tool calls, in order: user 'List the open issues'")
def test_002_timeline(case):
    assert [(entry.role, entry.text) for entry in case.session.timeline] == [
        ("user", "List the open issues"),
        ("agent", "There are three."),
    ]


@fact("002", "the user message carries the agent's messageId 'msg_user_81'")
def test_002_message_id(case):
    assert case.session.timeline[0].message_id == "msg_user_81"


@fact("002", "the text 'List the open issues' appears exactly once in the whole timeline")
def test_002_text_once(case):
    texts = "|".join(entry.text for entry in case.session.timeline)
    assert texts.count("List the open issues") == 1


@fact("002", "the turn of request 2 ended with end_turn")
def test_002_turn(case):
    assert ended(case.session, 2) == ("ended", "end_turn")


# 003 Echo arrives in pieces and has no message id


@fact("003", "timeline of messages, thoughts and tool calls, in order: one user message; agent")
def test_003_timeline(case):
    assert shown(case.session) == [
        ("user", "Summarise this file: "),
        ("agent", "It lists four tasks."),
    ]


@fact(
    "003", "the user message has exactly two content blocks: text 'Summarise this file: ' and the"
)
def test_003_blocks(case):
    assert case.session.timeline[0].content == (
        TextContent(text="Summarise this file: "),
        ResourceLink(uri="file:///projects/demo/notes.md", name="notes.md"),
    )


@fact("003", "no text and no link of the prompt appears twice")
def test_003_nothing_twice(case):
    blocks = [block for message in case.session.messages for block in message.content]
    assert sum(block == TextContent(text="Summarise this file: ") for block in blocks) == 1
    assert sum(isinstance(block, ResourceLink) for block in blocks) == 1


# 004 A changed message id starts a new message


@fact("004", "timeline of messages, thoughts and tool calls, in order: user 'Which port does it")
def test_004_timeline(case):
    assert shown(case.session) == [
        ("user", "Which port does it use?"),
        ("agent", "m-1", "Checking the config."),
        ("agent", "m-2", "It is 8080."),
    ]


# 005 The same message id goes on after a tool call


@fact(
    "005", "timeline of messages, thoughts and tool calls, in order: user 'Where is main defined?"
)
def test_005_timeline(case):
    assert shown(case.session) == [
        ("user", "Where is main defined?"),
        ("agent", "msg_7", "Let me look. Found it in app.c."),
        ("tool_call", "toolu_a1", "completed"),
    ]


@fact("005", "there is exactly one agent message")
def test_005_one_message(case):
    assert [message.role for message in case.session.messages] == ["user", "agent"]


@fact("005", "tool call toolu_a1 has status completed")
def test_005_tool_call(case):
    assert case.session.tool_calls["toolu_a1"].status == "completed"


# 006 Thought and reply carry the same message id


@fact(
    "006", "timeline of messages, thoughts and tool calls, in order: user 'Is 91 prime?'; thought"
)
def test_006_timeline(case):
    assert shown(case.session) == [
        ("user", "Is 91 prime?"),
        ("thought", "msg_01H", "7 times 13 is 91."),
        ("agent", "msg_01H", "No: 7 x 13."),
    ]


@fact(
    "006", "no thought text is part of the agent message and no reply text is part of the thought"
)
def test_006_apart(case):
    _, thought, reply = case.session.messages
    assert "7 times 13" not in reply.text
    assert "No" not in thought.text


# 007 Usage, title and command updates between two chunks


@fact("007", "timeline of messages, thoughts and tool calls, in order: user 'What is six times")
def test_007_timeline(case):
    assert shown(case.session) == [
        ("user", "What is six times seven?"),
        ("agent", "The answer is 42."),
    ]


@fact("007", "session usage is used 1200 of size 200000; session title is 'Six times seven'; avail")
def test_007_metadata(case):
    session = case.session
    assert (session.usage.used, session.usage.size) == (1200, 200000)
    assert session.title == "Six times seven"
    assert [command.name for command in session.available_commands] == ["compact"]


# 008 The same tool call is announced twice


@fact("008", "timeline of messages, thoughts and tool calls, in order: user 'Run the tests'; tool")
def test_008_timeline(case):
    assert shown(case.session) == [
        ("user", "Run the tests"),
        ("tool_call", "toolu_01R", "completed"),
        ("agent", "All tests pass."),
    ]


@fact("008", "there is exactly one entry for toolu_01R: title 'npm test', kind execute, status")
def test_008_tool_call(case):
    assert list(case.session.tool_calls) == ["toolu_01R"]
    assert case.session.tool_calls["toolu_01R"] == ToolCall(
        tool_call_id="toolu_01R",
        title="npm test",
        kind="execute",
        status="completed",
        raw_input={"command": "npm test"},
        content=(text("12 passing"),),
        turn=0,
    )


# 009 A tool update comes before the tool is announced


@fact(
    "009", "timeline of messages, thoughts and tool calls, in order: user 'Look up the flag'; tool"
)
def test_009_timeline(case):
    assert shown(case.session) == [
        ("user", "Look up the flag"),
        ("tool_call", "call_q9", "completed"),
    ]


@fact(
    "009", "tool call call_q9 ends with title 'Search docs', kind search, status completed and one"
)
def test_009_tool_call(case):
    assert case.session.tool_calls["call_q9"] == ToolCall(
        tool_call_id="call_q9",
        title="Search docs",
        kind="search",
        status="completed",
        content=(text("--strict: fail on warnings"),),
        turn=0,
    )


@fact("009", "call_q9 never had status failed")
def test_009_never_failed(case):
    calls = [only(case.after(index)).tool_calls["call_q9"] for index in range(5, 9)]
    assert [call.effective_status for call in calls] == [
        "in_progress",
        "in_progress",
        "completed",
        "completed",
    ]


@fact(
    "009", "a diagnostic is recorded about the update for a tool call that had not been announced"
)
def test_009_diagnostic(case):
    assert codes(case.diagnostics()) == ["tool-update-first"]
    assert "'call_q9'" in case.diagnostics(5)[0].text


# 010 A permission request is the first mention of the tool call


@fact("010", "timeline of messages, thoughts and tool calls, in order: user 'Save my notes'; tool")
def test_010_timeline(case):
    assert shown(case.session) == [
        ("user", "Save my notes"),
        ("tool_call", "write_file-1771", "completed"),
        ("agent", "Saved."),
    ]


@fact(
    "010", "tool call write_file-1771: title 'Write notes.md', kind edit, status completed, content"
)
def test_010_tool_call(case):
    assert case.session.tool_calls["write_file-1771"] == ToolCall(
        tool_call_id="write_file-1771",
        title="Write notes.md",
        kind="edit",
        status="completed",
        content=(Diff(path="/projects/demo/notes.md", old_text=None, new_text="- buy milk\n"),),
        locations=(ToolCallLocation(path="/projects/demo/notes.md"),),
        announced=False,
        turn=0,
    )


@fact("010", "the permission request with id 0 is answered with option 'proceed_once' and is no")
def test_010_permission(case):
    [(at, asked)] = case.told(AskPermission)
    assert (at, asked.permission.request_id) == (5, 0)
    assert only(case.after(5)).pending_permissions == (asked.permission,)
    assert pending(case.after(5).agent_requests) == [(0, "session/request_permission")]
    assert decided(only(case.after(6)), 0) == ("selected", "proceed_once")
    assert only(case.after(6)).pending_permissions == ()
    assert pending(case.after(6).agent_requests) == []
    assert decided(case.session, 0) == ("selected", "proceed_once")


@fact("010", "nothing is pending after the prompt response")
def test_010_nothing_pending(case):
    assert pending(case.end.client_requests) == []
    assert pending(case.end.agent_requests) == []
    assert case.session.pending_permissions == ()


# 011 Null fields in a tool update


@fact("011", "tool call call_n1: status completed; title 'Edit README.md'; name 'edit_file'; kind")
def test_011_tool_call(case):
    assert case.session.tool_calls["call_n1"] == ToolCall(
        tool_call_id="call_n1",
        status="completed",
        title="Edit README.md",
        name="edit_file",
        kind="edit",
        content=(Diff(path="/projects/demo/README.md", old_text="teh", new_text="the"),),
        locations=(ToolCallLocation(path="/projects/demo/README.md", line=3),),
        raw_input={"path": "README.md"},
        turn=0,
    )


@fact("011", "no diagnostic is recorded")
def test_011_no_diagnostic(case):
    assert case.diagnostics() == []


# 012 Tool content and locations are replaced, not added to


@fact("012", "tool call call_r1: content is exactly one text block")
def test_012_replaced(case):
    call = case.session.tool_calls["call_r1"]
    assert call.content == (text("file 1\nfile 2"),)
    assert call.locations == (ToolCallLocation(path="/projects/demo/b.txt", line=9),)
    assert call.status == "completed"


@fact("012", "tool call call_r2: content is an empty list; status completed")
def test_012_cleared(case):
    call = case.session.tool_calls["call_r2"]
    assert (call.content, call.status) == ((), "completed")


@fact("012", "timeline of messages, thoughts and tool calls, in order: user 'Show progress'; tool")
def test_012_timeline(case):
    assert shown(case.session) == [
        ("user", "Show progress"),
        ("tool_call", "call_r1", "completed"),
        ("tool_call", "call_r2", "completed"),
    ]


# 013 An update without a status after the call has completed


@fact("013", "tool call exec-77: status completed, title 'Start server', kind execute, content")
def test_013_tool_call(case):
    delta = {"data": "GET / 200\r\n", "terminal_id": "exec-77"}
    assert case.session.tool_calls["exec-77"] == ToolCall(
        tool_call_id="exec-77",
        status="completed",
        title="Start server",
        kind="execute",
        content=(text("listening on 3000\nready"),),
        meta={"terminal_output_delta": delta},
        turn=0,
    )


@fact(
    "013", "timeline of messages, thoughts and tool calls, in order: user 'Start the server'; tool"
)
def test_013_timeline(case):
    assert shown(case.session) == [
        ("user", "Start the server"),
        ("tool_call", "exec-77", "completed"),
    ]


# 014 Cancelling answers the open permission request


@fact("014", "on session/cancel exactly one outbound message is wanted: the response to request")
def test_014_answer(case):
    [sent] = [intent for intent in case.client.intents[7] if isinstance(intent, Send)]
    assert sent.message == {"jsonrpc": "2.0", "id": "perm-1", "result": CANCELLED}


@fact("014", "right after session/cancel, tool call call_d1 has status cancelled and no permission")
def test_014_right_after_the_cancel(case):
    session = only(case.after(7))
    assert session.tool_calls["call_d1"].effective_status == "cancelled"
    assert session.pending_permissions == ()
    assert pending(case.after(7).agent_requests) == []
    assert decided(session, "perm-1") == ("cancelled", None)
    assert turn_of(session, 2).is_running
    assert session.current_turn == turn_of(session, 2)


@fact("014", "after the prompt response the turn has ended with stop reason cancelled")
def test_014_turn(case):
    assert ended(case.session, 2) == ("cancelled", "cancelled")


@fact("014", "the outbound response to 'perm-1' is wanted once, not again when the turn ends")
def test_014_answered_once(case):
    assert [index for index, _ in case.client.sends] == [7]


# 015 A permission request that was already under way when the user cancelled


@fact("015", "when request 3 arrives, exactly one outbound message is wanted: the response to")
def test_015_answer(case):
    answer = {"jsonrpc": "2.0", "id": 3, "result": CANCELLED}
    assert case.client.sends == [(7, answer)]
    assert case.told(AskPermission) == []


@fact("015", "no permission is pending at any time after session/cancel")
def test_015_never_pending(case):
    states = [case.after(index) for index in (6, 7, 8)]
    assert [only(state).pending_permissions for state in states] == [()] * 3
    assert [pending(state.agent_requests) for state in states] == [[]] * 3
    assert decided(case.session, 3) == ("cancelled", None)


@fact("015", "tool call call_p1 ends with status cancelled; the turn ended with stop reason cancel")
def test_015_end(case):
    assert case.session.tool_calls["call_p1"].effective_status == "cancelled"
    assert ended(case.session, 2) == ("cancelled", "cancelled")


# 016 A tool result that arrives after the cancel


@fact("016", "right after session/cancel both call_f and call_t have status cancelled")
def test_016_right_after_the_cancel(case):
    calls = only(case.after(7)).tool_calls.values()
    assert [(call.tool_call_id, call.effective_status) for call in calls] == [
        ("call_f", "cancelled"),
        ("call_t", "cancelled"),
    ]


@fact(
    "016", "at the end call_f has status completed with one text block '3 files formatted'; call_t"
)
def test_016_end(case):
    finished, cancelled = case.session.tool_calls.values()
    assert finished.effective_status == "completed"
    assert finished.content == (text("3 files formatted"),)
    assert cancelled.effective_status == "cancelled"


@fact("016", "the turn ended with stop reason cancelled")
def test_016_turn(case):
    assert ended(case.session, 2) == ("cancelled", "cancelled")


# 017 Progress for a cancelled call, then the turn ends


@fact(
    "017", "at the end call_i has status cancelled and its content is one text block 'rows 1-200'"
)
def test_017_tool_call(case):
    call = case.session.tool_calls["call_i"]
    assert call.effective_status == "cancelled"
    assert call.content == (text("rows 1-200"),)


@fact("017", "no tool call of the session is pending or in_progress")
def test_017_none_unfinished(case):
    shows = {call.effective_status for call in case.session.tool_calls.values()}
    assert shows.isdisjoint({"pending", "in_progress"})


@fact("017", "the turn ended with stop reason cancelled")
def test_017_turn(case):
    assert ended(case.session, 2) == ("cancelled", "cancelled")


# 018 The agent answers a cancelled prompt with end_turn


@fact("018", "the turn of request 2 is over; the stop reason as sent by the agent is end_turn")
def test_018_turn(case):
    assert ended(case.session, 2) == ("ended", "end_turn")


@fact("018", "the model also shows that the client had asked to cancel this turn")
def test_018_cancel_asked(case):
    assert turn_of(case.session, 2).cancel_requested is True


@fact("018", "tool call tooluse_9 has status cancelled")
def test_018_tool_call(case):
    assert case.session.tool_calls["tooluse_9"].effective_status == "cancelled"


# 019 The cancelled prompt comes back as a JSON-RPC error


@fact(
    "019", "the turn of request 2 is over and counts as cancelled, not as failed; request 2 is no"
)
def test_019_turn(case):
    assert ended(case.session, 2) == ("cancelled", None)
    assert pending(case.end.client_requests) == []


@fact("019", "error code -32800 of that response can still be looked up")
def test_019_error(case):
    assert turn_of(case.session, 2).error.code == -32800


@fact("019", "tool call call_x has status cancelled; the agent message 'Starting with ' is kept")
def test_019_timeline(case):
    assert shown(case.session) == [
        ("user", "Refactor everything"),
        ("agent", "Starting with "),
        ("tool_call", "call_x", "cancelled"),
    ]


@fact("019", "the session is open: no turn is in progress and a new prompt could be sent")
def test_019_session(case):
    session = case.session
    assert session.readiness == "ready"
    assert session.current_turn is None
    prompt = Prompt(session.session_id, (TextContent(text="Go on"),))
    after, intents = reduce(case.end, prompt)
    [sent] = [intent.message for intent in intents if isinstance(intent, Send)]
    assert (sent["method"], sent["id"]) == ("session/prompt", 3)
    assert turn_of(only(after), 3).is_running


# 020 Cancel marks only the calls of the turn that is cancelled


@fact("020", "session sess_A_51: tool call call_2 has status cancelled; tool call bg_1 is not")
def test_020_cancelled_session(case):
    calls = case.end.sessions["sess_A_51"].tool_calls
    assert calls["call_2"].effective_status == "cancelled"
    assert calls["bg_1"].effective_status == "in_progress"


@fact("020", "session sess_B_52: tool call call_2 has status in_progress and the turn of request 4")
def test_020_other_session(case):
    session = case.end.sessions["sess_B_52"]
    assert session.tool_calls["call_2"].effective_status == "in_progress"
    assert turn_of(session, 4).is_running


@fact("020", "the turn of request 5 ended with stop reason cancelled; the turn of request 3 ended")
def test_020_turns(case):
    session = case.end.sessions["sess_A_51"]
    assert ended(session, 5) == ("cancelled", "cancelled")
    assert ended(session, 3) == ("ended", "end_turn")


# 021 The agent reports progress while its permission request is open


@fact("021", "permission request 2 from the agent is still pending and offers the options")
def test_021_permission(case):
    assert pending(case.end.agent_requests) == [(2, "session/request_permission")]
    [permission] = case.session.pending_permissions
    assert permission.request_id == 2
    assert [option.option_id for option in permission.options] == ["allow-once", "reject-once"]
    assert permission.tool_call.tool_call_id == "call_w"


@fact("021", "tool call call_w is reported in_progress with rawInput")
def test_021_tool_call(case):
    call = case.session.tool_calls["call_w"]
    assert call.effective_status == "in_progress"
    assert call.raw_input == {"filePath": "/srv/shared/out.txt"}
    waiting = {each.tool_call.tool_call_id for each in case.session.pending_permissions}
    assert waiting == {"call_w"}


@fact(
    "021", "the prompt request 2 of the client is still in progress; no outbound message is wanted"
)
def test_021_prompt(case):
    assert pending(case.end.client_requests) == [(2, "session/prompt")]
    assert turn_of(case.session, 2).is_running
    assert case.client.sends == []


# 022 Updates arrive before the session/new response names the session


@fact("022", "there is exactly one session, 019a7c3e-2b1d-7f60, opened by request 1")
def test_022_one_session(case):
    assert list(case.end.sessions) == ["019a7c3e-2b1d-7f60"]
    assert case.session.cwd == "/projects/demo"
    opened = [(at, intent.session_id) for at, intent in case.told(SessionReady)]
    answers = [
        at
        for at, (by, message) in enumerate(case.messages)
        if by == "agent" and message.get("id") == 1
    ]
    assert opened == [(at, "019a7c3e-2b1d-7f60") for at in answers]
    before, after = case.after(answers[0] - 1), case.after(answers[0])
    assert (only(before).readiness, only(after).readiness) == ("provisional", "ready")


@fact(
    "022", "its available commands are exactly ['web', 'plan'] in that order; 'web' has the input"
)
def test_022_commands(case):
    web, plan = case.session.available_commands
    assert (web.name, plan.name) == ("web", "plan")
    assert web.input.hint == "query"


@fact("022", "its usage is used 0 of size 128000; its current mode is 'ask'")
def test_022_usage_and_mode(case):
    assert (case.session.usage.used, case.session.usage.size) == (0, 128000)
    assert case.session.modes.current_mode_id == "ask"


# 023 A tool call finishes after the prompt was answered


@fact("023", "tool call call_5 has status completed and one text block 'job done'")
def test_023_tool_call(case):
    call = case.session.tool_calls["call_5"]
    assert (call.effective_status, call.content) == ("completed", (text("job done"),))


@fact("023", "timeline of messages, thoughts and tool calls, in order: user 'Start the long job';")
def test_023_timeline(case):
    assert shown(case.session) == [
        ("user", "Start the long job"),
        ("tool_call", "call_5", "completed"),
        ("agent", "Started."),
    ]


@fact("023", "no turn is in progress; the turn of request 2 still has stop reason end_turn")
def test_023_turn(case):
    assert case.session.current_turn is None
    assert ended(case.session, 2) == ("ended", "end_turn")


# 024 The end of an answer arrives after the next prompt was sent


@fact(
    "024", "timeline of messages, thoughts and tool calls, in order: user 'How many rows?'; agent"
)
def test_024_timeline(case):
    assert shown(case.session) == [
        ("user", "How many rows?"),
        ("agent", "msg_ebce90", "The table has 4 rows."),
        ("user", "And columns?"),
        ("agent", "msg_fd0011", "Two."),
    ]


# 025 Loading a session replays its history


@fact(
    "025", "timeline of messages, thoughts and tool calls, in order: user 'Add a test for parse()'"
)
def test_025_timeline(case):
    assert shown(case.session) == [
        ("user", "u-1", "Add a test for parse()"),
        ("agent", "a-1", "Adding it."),
        ("tool_call", "call_h1", "completed"),
        ("user", "u-2", "Thanks"),
        ("agent", "a-2", "You are welcome."),
        ("user", "Now run it"),
        ("agent", "a-3", "It passes."),
    ]


@fact("025", "while the history is replayed and until request 2 is sent no turn is in progress")
def test_025_no_turn(case):
    sessions = [only(case.after(index)) for index in range(2, 10)]
    assert [session.current_turn for session in sessions] == [None] * 8
    assert [len(session.turns) for session in sessions] == [0] * 8


@fact("025", "session sess_old_77 has current mode 'code'; tool call call_h1 has status completed")
def test_025_mode_and_tool_call(case):
    session = case.end.sessions["sess_old_77"]
    assert session.modes.current_mode_id == "code"
    assert session.tool_calls["call_h1"].status == "completed"


@fact("025", "the turn of request 2 ended with end_turn")
def test_025_turn(case):
    assert ended(case.session, 2) == ("ended", "end_turn")


# 026 The same session is loaded twice


@fact("026", "timeline of messages, thoughts and tool calls, in order: user 'Rename the module';")
def test_026_timeline(case):
    assert [each[0] for each in shown(case.session)] == ["user", "tool_call", "agent"]
    user, call, agent = case.session.timeline
    assert (user.text, call.title, agent.text) == ("Rename the module", "git mv", "Renamed.")


@fact("026", "the tool call is call_again and the messages carry the ids of the second replay")
def test_026_ids(case):
    assert shown(case.session) == [
        ("user", "u-b7", "Rename the module"),
        ("tool_call", "call_again", "completed"),
        ("agent", "m-b7", "Renamed."),
    ]
    assert list(case.session.tool_calls) == ["call_again"]


@fact("026", "no turn is in progress")
def test_026_no_turn(case):
    assert case.session.current_turn is None


# 027 Each plan update replaces the whole plan


@fact(
    "027", "after request 2 was answered the plan has exactly two entries, in order: 'Write change"
)
def test_027_replaced(case):
    assert only(case.after(8)).plan.entries == (
        PlanEntry(content="Write changelog", status="completed", priority="high"),
        PlanEntry(content="Tag release", status="in_progress", priority="low"),
    )


@fact("027", "at the end the plan has no entries")
def test_027_cleared(case):
    assert case.session.plan.entries == ()


# 028 Update kinds that the schema does not know


@fact("028", "no exception is raised; a diagnostic is recorded for 'agent_error' and one for")
def test_028_diagnostics(case):
    assert codes(case.diagnostics()) == ["update-dropped", "update-dropped"]
    assert "agent_error" in case.diagnostics(6)[0].text
    assert "_acme_progress" in case.diagnostics(7)[0].text


@fact(
    "028", "the agent's text 'First, ' and 'then second.' is all there, in that order, and the only"
)
def test_028_timeline(case):
    assert shown(case.session) == [("user", "Go"), ("agent", "First, then second.")]


@fact("028", "the stopReason inside the unknown update does not end the turn; the turn ended with")
def test_028_turn(case):
    assert turn_of(only(case.after(8)), 2).is_running
    assert ended(case.session, 2) == ("ended", "end_turn")


# 029 Unknown values for kind, status and plan entries


@fact(
    "029", "after the first tool update the call exists with title 'Open example page'; its status"
)
def test_029_first_update(case):
    call = only(case.after(6)).tool_calls["call_b"]
    assert (call.title, call.effective_status) == ("Open example page", "pending")


@fact("029", "at the end tool call call_b has kind fetch and status completed")
def test_029_end(case):
    call = case.session.tool_calls["call_b"]
    assert (call.kind, call.effective_status) == ("fetch", "completed")


@fact("029", "the plan contains 'Read page' in_progress and 'Summarise' pending in that order")
def test_029_plan(case):
    assert [(entry.content, entry.status) for entry in case.session.plan.entries] == [
        ("Read page", "in_progress"),
        ("Summarise", "pending"),
    ]


@fact(
    "029", "no exception is raised; at least one diagnostic is recorded for each of the three bad"
)
def test_029_diagnostics(case):
    found = [codes(case.diagnostics(index)) for index in range(5, 10)]
    assert found == [
        ["field-defaulted", "field-defaulted"],
        ["field-defaulted"],
        ["item-dropped"],
        [],
        [],
    ]


# 030 Usage updates with a null reading and with used above size


@fact("030", "after the second update the usage still reads used 53000 of size 200000 and a")
def test_030_second_update(case):
    usage = only(case.after(5)).usage
    assert (usage.used, usage.size, usage.cost.amount) == (53000, 200000, 0.045)
    assert codes(case.diagnostics(5)) == ["update-dropped"]


@fact("030", "at the end the usage is used 419574 of size 200000 with cost 75.96 USD, as sent, not")
def test_030_end(case):
    usage = case.session.usage
    assert (usage.used, usage.size) == (419574, 200000)
    assert (usage.cost.amount, usage.cost.currency) == (75.96, "USD")


@fact("030", "no exception is raised")
def test_030_no_exception(case):
    assert len(case.client.states) == len(case.messages)


# 031 Both sides use request id 2 at the same time


@fact("031", "after the client's response to the agent's request 2 the permission is answered with")
def test_031_after_the_answer(case):
    assert pending(case.after(6).agent_requests) == [(2, "session/request_permission")]
    assert pending(case.after(7).agent_requests) == []
    assert decided(only(case.after(7)), 2) == ("selected", "allow-once")
    assert pending(case.after(7).client_requests) == [(2, "session/prompt")]
    assert turn_of(only(case.after(7)), 2).is_running


@fact("031", "at the end the turn of the client's request 2 has ended with end_turn; nothing is")
def test_031_end(case):
    assert ended(case.session, 2) == ("ended", "end_turn")
    assert pending(case.end.client_requests) == []
    assert pending(case.end.agent_requests) == []


@fact("031", "tool call call_c has status completed")
def test_031_tool_call(case):
    assert case.session.tool_calls["call_c"].effective_status == "completed"


# 032 Request ids 4 and "4" are different requests


@fact("032", 'the permission request "4" (string) for call_b is answered with')
def test_032_string(case):
    assert permission_of(case.session, "4").tool_call.tool_call_id == "call_b"
    assert decided(case.session, "4") == ("selected", "reject-once")
    assert ("4", "session/request_permission") not in pending(case.end.agent_requests)


@fact("032", "the permission request 4 (number) for call_a is still pending")
def test_032_number(case):
    [permission] = case.session.pending_permissions
    assert permission == permission_of(case.session, 4)
    assert permission.tool_call.tool_call_id == "call_a"
    assert pending(case.end.agent_requests) == [(4, "session/request_permission")]


@fact("032", "the prompt with the string id b0f1c7e2-55d1-4f0e-9a53-0d6f2f9f3a10 is in progress")
def test_032_prompt(case):
    assert turn_of(case.session, "b0f1c7e2-55d1-4f0e-9a53-0d6f2f9f3a10").is_running


# 033 Mode changes: accepted without a notice, refused, and made by the agent


@fact("033", "after the response to request 2 the current mode is 'code'")
def test_033_accepted(case):
    assert only(case.after(5)).modes.current_mode_id == "code"


@fact("033", "after the error to request 3 the current mode is still 'code' and the error code")
def test_033_refused(case):
    assert only(case.after(7)).modes.current_mode_id == "code"
    [(at, failed)] = case.told(RequestFailed)
    assert (at, failed.request_id, failed.method) == (7, 3, "session/set_mode")
    assert failed.error.code == -32602


@fact("033", "at the end the current mode is 'ask'; the three available modes are unchanged")
def test_033_end(case):
    modes = case.session.modes
    assert modes.current_mode_id == "ask"
    assert modes.available_modes == only(case.after(3)).modes.available_modes
    assert [mode.id for mode in modes.available_modes] == ["ask", "code", "architect"]


# 034 Config responses and updates carry the complete state


def options(session: Session) -> list[tuple[str, object]]:
    return [(option.id, option.current_value) for option in session.config_options or ()]


@fact(
    "034", "after the response to request 2 the options are, in order: mode = ask, model = small;"
)
def test_034_response(case):
    assert options(only(case.after(5))) == [("mode", "ask"), ("model", "small")]


@fact("034", "at the end the options are, in order: model = small, mode = code")
def test_034_end(case):
    assert options(case.session) == [("model", "small"), ("mode", "code")]


# 035 Two sessions stream at the same time on one connection


@fact("035", "session sess_left: user 'Count to two'; agent message 'One, two.'")
def test_035_left(case):
    left = case.end.sessions["sess_left"]
    assert shown(left) == [("user", "Count to two"), ("agent", "One, two.")]


@fact("035", "session sess_right: user 'Say hi'; agent message 'Hello.'")
def test_035_right(case):
    right = case.end.sessions["sess_right"]
    assert shown(right) == [("user", "Say hi"), ("agent", "Hello.")]


@fact(
    "035", "'stray text' is in neither timeline; a diagnostic is recorded about an update for sess"
)
def test_035_stray(case):
    sessions = case.end.sessions
    texts = [m.text for name in ("sess_left", "sess_right") for m in sessions[name].messages]
    assert "stray text" not in "|".join(texts)
    [diagnostic] = case.diagnostics(10)
    assert (diagnostic.code, diagnostic.session_id) == ("unannounced-session", "sess_nobody")


@fact("035", "both turns ended with end_turn")
def test_035_turns(case):
    assert ended(case.end.sessions["sess_left"], 3) == ("ended", "end_turn")
    assert ended(case.end.sessions["sess_right"], 4) == ("ended", "end_turn")


# 036 Requests for methods the client does not know


@fact("036", "outbound: an error response with code -32601 to request 'q-9' and an error response")
def test_036_refusals(case):
    refused = [(at, sent["id"], sent["error"]["code"]) for at, sent in case.client.sends]
    assert refused == [(5, "q-9", -32601), (7, 12, -32601)]
    assert pending(case.end.agent_requests) == []


@fact("036", "nothing outbound for the notification _acme.dev/heartbeat")
def test_036_notification(case):
    assert [intent for intent in case.client.intents[6] if not isinstance(intent, Diagnose)] == []


@fact("036", "the turn goes on and ends with end_turn; the agent message is 'Plan is ready.'")
def test_036_turn(case):
    assert ended(case.session, 2) == ("ended", "end_turn")
    assert shown(case.session) == [("user", "Make a plan"), ("agent", "Plan is ready.")]


# 037 A terminal shown in a tool call is released


@fact("037", "tool call call_m: status completed; content is still the terminal term_1")
def test_037_tool_call(case):
    call = case.session.tool_calls["call_m"]
    assert call.effective_status == "completed"
    assert call.content == (Terminal(terminal_id="term_1"),)


@fact(
    "037", "terminal term_1 belongs to session sess_term, is marked released and has exit code 0;"
)
def test_037_terminal(case):
    terminal = case.end.sessions["sess_term"].terminals["term_1"]
    assert terminal.released is True
    assert (terminal.exited, terminal.exit_code, terminal.signal) == (True, 0, None)
    assert terminal.output == "cc -o app app.c\n"


@fact("037", "the turn of the client's request 2 ended with end_turn")
def test_037_turn(case):
    assert ended(case.session, 2) == ("ended", "end_turn")


# 038 A second response arrives for a prompt that was already answered


@fact(
    "038", "the turn of request 2 has stop reason cancelled (the first answer counts); a diagnostic"
)
def test_038_first_turn(case):
    assert ended(case.session, 2) == ("cancelled", "cancelled")
    assert codes(case.diagnostics(9)) == ["unknown-response"]


@fact("038", "the turn of request 3 is still in progress until its own response and then ends with")
def test_038_second_turn(case):
    assert all(turn_of(only(case.after(index)), 3).is_running for index in (8, 9, 10))
    assert ended(case.session, 3) == ("ended", "end_turn")


@fact("038", "timeline of messages, thoughts and tool calls, in order: user 'Long story'; agent")
def test_038_timeline(case):
    assert shown(case.session) == [
        ("user", "Long story"),
        ("agent", "Once upon "),
        ("user", "Short story"),
        ("agent", "The end."),
    ]


# 039 A second prompt is refused while the first is running


@fact("039", "the turn of request 2 is in progress until its own response and ends with end_turn;")
def test_039_first_turn(case):
    assert all(turn_of(only(case.after(index)), 2).is_running for index in range(4, 10))
    assert ended(case.session, 2) == ("ended", "end_turn")
    assert case.session.tool_calls["call_s"].effective_status == "completed"


@fact("039", "request 3 has failed with error code -32600 and is no longer pending")
def test_039_second_turn(case):
    turn = turn_of(case.session, 3)
    assert (turn.outcome, turn.error.code) == ("failed", -32600)
    assert pending(case.after(7).client_requests) == [(2, "session/prompt")]


@fact("039", "the text 'Also say hello' is still in the model, tied to the failed request 3")
def test_039_text(case):
    message = case.session.timeline[turn_of(case.session, 3).start]
    assert message.text == "Also say hello"
    assert case.session.turns[message.turn] == turn_of(case.session, 3)


# 040 An emoji is cut in two by the chunk border


@fact("040", "the agent message is 'Done ' followed by the single character U+1F680 and '!' (7")
def test_040_text(case):
    message = case.session.timeline[1]
    assert message.text == "Done \U0001f680!"
    assert len(message.text) == 7


@fact("040", "writing the state out as UTF-8 JSON does not fail")
def test_040_utf_8(case):
    state = connection_json(case.end, len(case.messages))
    written = json.dumps(state, ensure_ascii=False).encode("utf-8")
    [session] = json.loads(written)["sessions"]
    assert session["timeline"][1]["text"] == "Done \U0001f680!"


# 041 Calls of a subagent are marked in _meta


@fact("041", "tool call toolu_child has status completed and still carries")
def test_041_tool_call(case):
    call = case.session.tool_calls["toolu_child"]
    assert call.effective_status == "completed"
    assert call.meta["claudeCode"]["parentToolUseId"] == "toolu_task"


@fact(
    "041", "timeline of messages, thoughts and tool calls, in order: user 'Investigate in parallel"
)
def test_041_timeline(case):
    assert shown(case.session) == [
        ("user", "Investigate in parallel"),
        ("tool_call", "toolu_task", "completed"),
        ("tool_call", "toolu_child", "completed"),
        ("agent", "Found a leak in pool.c."),
    ]


# Who is asked to do what, and that all see the same


SENDS = {"014": [(7, "perm-1")], "015": [(7, 3)], "036": [(5, "q-9"), (7, 12)]}
"""What the client is to send: after which message, the answer to which request. Else nothing."""

WORK = {
    "010": [(5, AskPermission)],
    "014": [(6, AskPermission), (7, PermissionWithdrawn), (7, Send)],
    "015": [(7, Send)],
    "021": [(6, AskPermission)],
    "031": [(6, AskPermission)],
    "032": [(7, AskPermission), (8, AskPermission)],
    "036": [(5, Send), (7, Send)],
    "037": [(5, CreateTerminal), (8, AwaitTerminal), (10, ReadTerminal), (12, ReleaseTerminal)],
}
"""What the client's host is to do, news and diagnostics aside. Else nothing."""


@pytest.mark.parametrize("number", NUMBERS)
def test_the_client_is_to_send_exactly_what_the_facts_say(number):
    assert [(at, sent["id"]) for at, sent in folded(number).client.sends] == SENDS.get(number, [])


@pytest.mark.parametrize("number", NUMBERS)
def test_the_host_of_the_client_is_to_do_exactly_what_the_requests_ask(number):
    assert folded(number).client.wanted == WORK.get(number, [])


@pytest.mark.parametrize("number", NUMBERS)
def test_an_observer_owes_nobody_anything(number):
    assert folded(number).seats["observer"].wanted == []


@pytest.mark.parametrize("number", NUMBERS)
def test_the_agent_sends_nothing_of_itself_and_is_handed_each_request_and_cancel_once(number):
    agent = folded(number).seats["agent"]
    asked = [
        (index, HandleRequest if "id" in message else CancelRequested)
        for index, (sender, message) in enumerate(folded(number).messages)
        if sender == "client"
        and "method" in message
        and ("id" in message or message["method"] == "session/cancel")
    ]
    assert agent.wanted == asked
    assert HandleExtension not in {kind for _, kind in agent.wanted}


@pytest.mark.parametrize("number", [n for n in NUMBERS if n != "036"])
def test_the_state_after_each_message_is_the_same_from_every_seat(number):
    states = [map(seatless, seen.states) for seen in folded(number).seats.values()]
    for client, observer, agent in zip(*states, strict=True):
        assert client == observer == agent


@pytest.mark.parametrize("number", NUMBERS)
def test_the_diagnostics_are_the_same_from_every_seat(number):
    client, observer, agent = (seen.diagnostics for seen in folded(number).seats.values())
    assert client == observer == agent


def test_036_others_see_a_refusal_when_it_comes_over_the_wire():
    """RPC-05: which methods the client knows is the client's; till then its requests are open."""
    client, *others = (seatless(folded("036").seats[seat].states[-1]) for seat in SEATS)
    assert [pending(each.agent_requests) for each in others] == [
        [("q-9", "cursor/create_plan"), (12, "_acme.dev/pick")]
    ] * 2
    for each in others:
        settled = evolve(each, agent_requests=Map(), settled_by_client=client.settled_by_client)
        assert settled == client


@pytest.mark.parametrize("number", NUMBERS)
def test_answers_that_the_log_holds_too_are_no_second_ones(number):
    """RPC-03: they fulfil what was wanted; nothing more is sent, and nothing is diagnosed."""
    case = folded(number)
    answers = dict(case.client.sends)
    logged = [
        line
        for index, message in enumerate(case.messages)
        for line in (message, ("client", answers.get(index)))
        if line[1] is not None
    ]
    expected = evolve(seatless(case.end), settled_by_client=Map())
    for seat in SEATS:
        seen = folded_from(seat, tuple(logged))
        assert seatless(seen.states[-1]) == expected
        assert [sent for _, sent in seen.sends] == (
            list(answers.values()) if seat == "client" else []
        )
        noted = [each for each in seen.diagnostics if each]
        assert noted == [each for each in case.client.diagnostics if each]
