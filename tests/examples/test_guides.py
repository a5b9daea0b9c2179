"""The hosts of the guides, where an agent or a user does what the guides' programs do not show."""

import asyncio
import queue
from concurrent.futures import ThreadPoolExecutor

import pytest
from example_runs import AGENT, defined_in, drives

from acp_state import (
    Cancel,
    Disconnected,
    Initialize,
    LocalProtocolError,
    NewSession,
    Prompt,
    Received,
    RespondError,
)

CANCEL = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "sess_1"}}
SOON = 60
"""Seconds; nothing waits so long unless it is broken."""


class Outbox(list):
    """What was sent, whatever the guide calls sending."""

    __call__ = put_nowait = send_nowait = list.append


def host_of(guide):
    """A host as the guide has it, and what it sends."""
    if guide == "trio.md":
        pytest.importorskip("trio")
    module, outbox = defined_in(guide), Outbox()
    if guide != "web-socket.md":
        return module.Host(outbox), outbox
    link = module.Link(None)
    link._outbox = outbox
    return link, outbox


def result(request_id, **fields):
    return Received({"jsonrpc": "2.0", "id": request_id, "result": fields})


def failure(request_id, code, message):
    error = {"code": code, "message": message}
    return Received({"jsonrpc": "2.0", "id": request_id, "error": error})


ENDED = result(2, stopReason="end_turn")


def begin(host):
    """A session that can be prompted, without `ask`."""
    for event in (
        Initialize(),
        result(0, protocolVersion=1),
        NewSession(cwd="/work"),
        result(1, sessionId="sess_1"),
    ):
        host.feed(event)


def only_turn(host):
    [turn] = host.connection.sessions["sess_1"].turns
    return turn


@pytest.fixture(params=["asyncio.md", "threads.md", "trio.md", "web-socket.md"])
def fed(request):
    """A host of each guide, and what it has sent since its session is there."""
    host, outbox = host_of(request.param)
    begin(host)
    outbox.clear()
    return host, outbox


def test_an_answer_that_nobody_waits_for_is_passed_over(fed):
    host, _ = fed
    host.feed(Prompt("sess_1", "Say hello."))
    host.feed(ENDED)
    assert only_turn(host).stop_reason == "end_turn"


def test_a_permission_that_no_user_is_asked_for_is_cancelled(fed):
    host, outbox = fed
    host.feed(Prompt("sess_1", "Edit."))
    option = {"optionId": "yes", "name": "Allow", "kind": "allow_once"}
    call = {"toolCallId": "call_1", "title": "Edit notes.txt"}
    params = {"sessionId": "sess_1", "toolCall": call, "options": [option]}
    method = "session/request_permission"
    host.feed(Received({"jsonrpc": "2.0", "id": "p1", "method": method, "params": params}))
    cancelled = {"outcome": {"outcome": "cancelled"}}
    assert outbox[1:] == [{"jsonrpc": "2.0", "id": "p1", "result": cancelled}]
    host.feed(ENDED)
    assert only_turn(host).outcome == "ended"


def test_what_is_no_message_is_logged_and_not_answered(fed, caplog):
    host, outbox = fed
    host.feed(Received("Loading..."))
    [record] = caplog.records
    assert "RPC-01" in record.getMessage()
    assert outbox == []


# Asking

TOLD = {
    "asyncio.md": lambda host, request: asyncio.run(host.ask(request)),
    "threads.md": lambda host, request: host.ask(request),
    "trio.md": lambda host, request: pytest.importorskip("trio").run(host.ask, request),
}
"""How each guide asks, by the guide."""


@pytest.fixture(params=sorted(TOLD))
def asks(request):
    """A host of each guide that has `ask`, what it has sent, and that."""
    host, outbox = host_of(request.param)
    begin(host)
    outbox.clear()
    return host, outbox, lambda event: TOLD[request.param](host, event)


def test_what_nobody_answers_is_not_asked_but_fed(asks):
    host, outbox, ask = asks
    host.feed(Prompt("sess_1", "Wait."))
    before = host.connection
    with pytest.raises(TypeError, match="feed it"):
        ask(Cancel("sess_1"))
    assert host.connection is before
    host.feed(Cancel("sess_1"))
    assert outbox[1:] == [CANCEL]


def test_what_is_asked_of_a_closed_connection_is_refused(asks):
    host, outbox, ask = asks
    host.feed(Disconnected())
    with pytest.raises(LocalProtocolError, match="CONN-01"):
        ask(Prompt("sess_1", "Say hello."))
    assert outbox == []


def test_what_is_fed_and_refused_changes_nothing(fed):
    host, outbox = fed
    before = host.connection
    with pytest.raises(LocalProtocolError):
        host.feed(RespondError("p9", -32603, "nobody asked"))
    assert (host.connection, outbox) == (before, [])
    host.feed(Prompt("sess_1", "Say hello."))
    assert only_turn(host).is_running


# With asyncio


async def asyncio_host(*requests):
    """The host of the guide, which reads from a queue, and tasks that ask."""
    host, _ = host_of("asyncio.md")
    begin(host)
    messages = asyncio.Queue()
    reading = asyncio.create_task(host.read(messages))
    asking = [asyncio.create_task(host.ask(request)) for request in requests]
    await asyncio.sleep(0)
    return host, messages, reading, asking


@pytest.mark.parametrize("let_it_run", [True, False], ids=["afterwards", "in that moment"])
def test_asyncio_a_question_that_was_given_up_is_left_alone(let_it_run):
    async def scenario():
        host, messages, reading, [asking] = await asyncio_host(Prompt("sess_1", "Say hello."))
        asking.cancel()
        if let_it_run:
            await asyncio.wait([asking])
        host.feed(ENDED)
        assert only_turn(host).stop_reason == "end_turn"
        messages.put_nowait(None)
        await reading
        assert host.connection.phase == "closed"

    asyncio.run(scenario())


def test_asyncio_a_question_fails_with_its_answer_or_with_the_connection():
    async def scenario():
        requests = Prompt("sess_1", "Wait."), NewSession(cwd="/work"), NewSession(cwd="/work")
        _, messages, reading, asking = await asyncio_host(*requests)
        messages.put_nowait(failure(3, -32000, "Authentication required").message)
        messages.put_nowait(None)
        await reading
        ended, *failed = await asyncio.gather(*asking, return_exceptions=True)
        assert ended.turn.outcome == "interrupted"
        assert [type(each) for each in failed] == [ConnectionError, ConnectionError]
        assert "Authentication required" in str(failed[0])
        assert str(failed[1]) == "session/new: the agent has gone"

    asyncio.run(scenario())


# With trio


def test_trio_a_question_that_was_given_up_is_left_alone():
    trio = pytest.importorskip("trio")

    async def scenario():
        host, _ = host_of("trio.md")
        begin(host)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(host.ask, Prompt("sess_1", "Say hello."))
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        host.feed(ENDED)
        assert only_turn(host).stop_reason == "end_turn"

    trio.run(scenario)


def test_trio_a_question_fails_with_its_answer_or_with_the_connection():
    trio = pytest.importorskip("trio")

    async def scenario():
        host, _ = host_of("trio.md")
        begin(host)
        told = []

        async def ask(request):
            try:
                told.append((await host.ask(request)).turn.outcome)
            except ConnectionError as error:
                told.append(str(error))

        async with trio.open_nursery() as nursery:
            for request in (Prompt("sess_1", "Say hello."), NewSession(cwd="/work")):
                nursery.start_soon(ask, request)
                await trio.testing.wait_all_tasks_blocked()
            host.feed(Disconnected())
        assert sorted(told) == ["interrupted", "session/new: the agent has gone"]

    trio.run(scenario)


# With threads


class Asked(queue.SimpleQueue):
    """What is sent, to be waited for."""

    __call__ = queue.SimpleQueue.put


def test_threads_a_question_that_was_given_up_is_left_alone():
    host, _ = host_of("threads.md")
    begin(host)
    with pytest.raises(queue.Empty):
        host.ask(Prompt("sess_1", "Say hello."), seconds=0)
    host.feed(ENDED)
    assert only_turn(host).stop_reason == "end_turn"


def test_threads_a_question_fails_with_its_answer_or_with_the_connection():
    outbox = Asked()
    host = defined_in("threads.md").Host(outbox)
    begin(host)
    for _ in ("initialize", "session/new"):
        outbox.get()
    requests = [NewSession(cwd="/work"), Prompt("sess_1", "Wait."), NewSession(cwd="/work")]
    with ThreadPoolExecutor() as pool:
        asking = []
        for request in requests:
            asking.append(pool.submit(host.ask, request))
            outbox.get(timeout=SOON)
        host.feed(failure(2, -32000, "Authentication required"))
        host.feed(Disconnected())
        with pytest.raises(ConnectionError, match="Authentication required"):
            asking[0].result(timeout=SOON)
        assert asking[1].result(timeout=SOON).turn.outcome == "interrupted"
        with pytest.raises(ConnectionError, match="session/new: the agent has gone"):
            asking[2].result(timeout=SOON)


def test_threads_may_all_feed_and_nothing_is_lost():
    outbox = Outbox()
    host = defined_in("threads.md").Host(outbox)
    begin(host)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(200):
            pool.submit(host.feed, NewSession(cwd="/work"))
    assert [message["id"] for message in outbox] == list(range(202))
    assert len(host.connection.client_requests) == 200


# With the official SDK


@drives
async def test_the_sdks_client_answers_a_permission(tmp_path):
    acp = pytest.importorskip("acp")
    guide = await asyncio.to_thread(defined_in, "python-sdk.md", 2)  # its program is run, too
    watched = guide.Watched()
    pipes = {"stderr": None}
    running = acp.spawn_agent_process(
        guide.Client(), *AGENT, transport_kwargs=pipes, observers=[watched]
    )
    async with running as (agent, _):
        await agent.initialize(protocol_version=1)
        await agent.new_session(cwd=str(tmp_path), mcp_servers=[])
        await agent.prompt(session_id="sess_1", prompt=[acp.text_block("edit")])
    [asked] = watched.connection.sessions["sess_1"].permissions
    assert asked.outcome == "cancelled"


def test_the_sdks_observer_logs_what_departs_from_the_protocol(caplog, capsys):
    acp = pytest.importorskip("acp")
    guide = defined_in("python-sdk.md", 2)
    assert capsys.readouterr().err == ""
    answer = {"jsonrpc": "2.0", "id": 7, "result": {}}
    guide.Watched()(acp.connection.StreamEvent(acp.connection.StreamDirection.INCOMING, answer))
    [record] = caplog.records
    assert "unknown-response" in record.getMessage()
