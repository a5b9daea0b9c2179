"""`session/load` and `session/resume`: histories that are told again (section 17)."""

from __future__ import annotations

import attrs
import pytest
from reduce.history import (
    IDLE,
    MAY_CANCEL,
    READY,
    RUNNING,
    after,
    agent_answers,
    agent_message,
    agent_refuses,
    agent_tells,
    asks_form,
    asks_permission,
    call,
    call_update,
    child,
    chunk,
    chunks,
    client_answers,
    client_asks,
    client_tells,
    compaction,
    folded,
    letter,
    letter_chunk,
    load,
    made,
    message,
    noticed,
    notices,
    prompt,
    prompted,
    ready,
    resume,
    said,
    session_after,
    summary_chunk,
    text_blocks,
    timeline,
    tool_call,
    update,
)

from acp_state import (
    AskElicitation,
    AskPermission,
    Cancel,
    Compaction,
    Connection,
    Disconnected,
    LoadSession,
    LocalProtocolError,
    Prompt,
    RequestAnswered,
    RequestFailed,
    ResumeSession,
    Session,
    SessionMessage,
    SessionReady,
    ShowNotice,
    Subagent,
    reduce,
)
from acp_state.json_values import JsonObject
from acp_state.schema import (
    AgentCapabilities,
    AvailableCommand,
    ClientCapabilities,
    IdleStateUpdate,
    Plan,
    RunningStateUpdate,
    SessionCapabilities,
    SessionMode,
    SessionModeState,
    SessionResumeCapabilities,
    TextContent,
)

LOADED = (
    SessionReady("s", 2),
    RequestAnswered(request_id=2, method="session/load", session_id="s", result=JsonObject({})),
)
"""What the client's host is told when a load has succeeded."""

RESUMED = (
    SessionReady("s", 2),
    RequestAnswered(request_id=2, method="session/resume", session_id="s", result=JsonObject({})),
)

TALK = (said("A1", "a"), said("A2", "a"), chunk("user", "U", "u"), chunk("thought", "T", "h"))
"""An answer in two chunks, a user message and a thought."""

TOLD = (
    agent_message("A1", "A2", message_id="a"),
    message("user", "U", message_id="u"),
    message("thought", "T", message_id="h"),
)


def loading(*messages, onto=READY):
    """The connection in which a load of what the messages made was sent."""
    return after(*messages, load(), onto=onto)


def texts(session):
    """The texts of all entries that have one."""
    return [entry.text for entry in session.timeline if hasattr(entry, "text")]


# LOAD-01, LOAD-15: who may ask for it, and when


@pytest.mark.parametrize(
    ("capabilities", "command"),
    [
        (AgentCapabilities(), LoadSession),
        (AgentCapabilities(load_session=False), LoadSession),
        (AgentCapabilities(load_session=True), ResumeSession),
        (AgentCapabilities(session_capabilities=SessionCapabilities(resume=None)), ResumeSession),
    ],
)
def test_an_agent_that_cannot_is_not_asked_to_load_or_resume(capabilities, command):
    """LOAD-01: load only if `loadSession` is `true`, resume only with its capability."""
    connection = attrs.evolve(READY, agent_capabilities=capabilities)
    with pytest.raises(LocalProtocolError) as refused:
        reduce(connection, command(session_id="s", cwd="/w"))
    assert refused.value.code == "capability-missing"


@pytest.mark.parametrize(
    ("capabilities", "command", "readiness"),
    [
        (AgentCapabilities(load_session=True), LoadSession, "loading"),
        (
            AgentCapabilities(
                session_capabilities=SessionCapabilities(resume=SessionResumeCapabilities())
            ),
            ResumeSession,
            "resuming",
        ),
    ],
)
def test_an_agent_that_can_is_asked_to_load_or_resume(capabilities, command, readiness):
    """LOAD-01."""
    connection = attrs.evolve(READY, agent_capabilities=capabilities)
    connection, _ = reduce(connection, command(session_id="s", cwd="/w"))
    assert connection.sessions["s"] == Session(
        "s", readiness=readiness, replay=connection.sessions["s"].replay
    )


@pytest.mark.parametrize("command", [LoadSession, ResumeSession])
@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        ((*made(), prompt()), "LOAD-15"),
        ((load(),), "LOAD-15"),
        ((resume(),), "LOAD-15"),
        ((*made(), client_asks(5, "session/close", sessionId="s")), "LOAD-15"),
        ((*made("p"), child("s", "p")), "SUB-08"),
        (made(cwd="/elsewhere"), "LOAD-16"),
    ],
    ids=["turn runs", "loading", "resuming", "closing", "child", "other cwd"],
)
def test_what_is_not_at_rest_is_not_taken_up(command, messages, rule):
    """LOAD-15: not while a turn runs, never a child (SUB-08); LOAD-16: the cwd must be equal."""
    connection = after(*messages)
    with pytest.raises(LocalProtocolError) as refused:
        reduce(connection, command(session_id="s", cwd="/w"))
    assert (refused.value.rule, refused.value.session_id) == (rule, "s")


# LOAD-02, LOAD-03: an empty model


def test_what_comes_before_the_response_is_a_replay_and_the_response_closes_it():
    """LOAD-02, LOAD-03: a replay into an empty model is a plain fold."""
    connection = loading()
    assert connection.sessions["s"].readiness == "loading"
    assert connection.sessions["s"].timeline == timeline()
    connection, told = folded(*TALK, onto=connection)
    assert (connection.sessions["s"].timeline, told) == (timeline(*TOLD), ())
    connection, told = folded(agent_answers(2), onto=connection)
    assert connection.sessions["s"] == ready(timeline=timeline(*TOLD), id_style="with_id")
    assert told == LOADED


def test_a_replay_into_an_empty_model_equals_the_live_fold():
    """LOAD-03."""
    history = (
        *TALK, chunk("user", "anonymous"), said("more"), call(), call_update(status="failed"),
        compaction(status="completed", summary=text_blocks("S")), letter("l", senderSessionId="s"),
        letter_chunk("x"), update("plan", entries=[]),
    )  # fmt: skip
    assert session_after(load(), *history, agent_answers(2)) == session_after(*made(), *history)


def test_a_provisional_session_keeps_its_early_traffic_as_what_is_held():
    """LOAD-03, 15.5: the load claims it; what the replay tells again is not doubled."""
    session = session_after(said("early", "a"), load(), said("A", "a"), agent_answers(2))
    assert session == ready(
        timeline=timeline(agent_message("A", message_id="a")), id_style="with_id"
    )


# LOAD-04: messages


def test_replayed_messages_replace_what_is_held():
    """LOAD-04: the first chunk for (kind, messageId) discards the content; further ones append."""
    session = session_after(*made(), *TALK, load(), *TALK, agent_answers(2))
    assert session == ready(timeline=timeline(*TOLD), id_style="with_id")


def test_the_first_chunk_of_an_epoch_discards_the_retained_chunk_metadata():
    """LOAD-04: content *and chunk metadata*."""
    held = said("A", "a", meta={"k": 1})
    session = session_after(*made(), held, load(), said("B", "a"), agent_answers(2))
    assert session.timeline == timeline(agent_message("B", message_id="a"))
    assert [each.meta for each in session.messages[0].chunks] == [None]


def test_messages_are_known_by_kind_and_id():
    """LOAD-04: a thought and an answer with one id are two messages, each with its own first."""
    session = session_after(
        *made(), said("A", "x"), chunk("thought", "T", "x"), load(),
        chunk("thought", "T", "x"), said("A", "x"), said("!", "x"), agent_answers(2),
    )  # fmt: skip
    assert session.timeline == timeline(
        message("thought", "T", message_id="x"), agent_message("A", "!", message_id="x")
    )


def test_a_message_keeps_the_turn_in_which_it_was_first_seen():
    """LOAD-04, TOOL-10: told again, it is no message of another turn."""
    held = (*made(), prompt(), said("A", "a"), call(), agent_answers(3, {"stopReason": "end_turn"}))
    session = session_after(*held, load(), said("A", "a"), call(), agent_answers(2))
    assert session.timeline == timeline(
        agent_message("A", message_id="a", turn=0), tool_call(turn=0)
    )


@pytest.mark.parametrize(
    ("replayed", "texts_after"),
    [
        ((letter_chunk("x"), letter_chunk("y")), ("x", "y")),
        ((letter(content=text_blocks("x")), letter_chunk("y")), ("x", "y")),
        ((letter(meta={"k": 2}), letter_chunk("y")), ("y",)),
        ((letter(meta={"k": 2}), letter(meta={"k": 2}), letter_chunk("y")), ("y",)),
        ((letter_chunk("x"), letter(meta={"k": 2}), letter_chunk("y")), ("x", "y")),
        ((letter(content=[]), letter_chunk("y")), ("y",)),
        ((letter(content=None), letter_chunk("y")), ("y",)),
        ((letter(),), ("held",)),
        ((letter(content=[]),), ()),
        ((letter(content=None),), ()),
    ],
)
def test_messages_between_sessions_are_not_doubled(replayed, texts_after):
    """LOAD-04: likewise, unless a `session_message` with `content` came in this epoch."""
    held = (letter(senderSessionId="s", content=text_blocks("held"), meta={"k": 1}),)
    session = session_after(*made(), *held, load(), *replayed, agent_answers(2))
    has_meta = any("_meta" in each["params"]["update"] for _, each in replayed)
    meta = JsonObject({"k": 2 if has_meta else 1})
    expected = SessionMessage(
        message_id="l", sender_session_id="s", chunks=chunks(*texts_after), meta=meta
    )
    assert session.timeline == timeline(expected)


# LOAD-05, LOAD-06: what the replay does not tell


def test_what_has_no_identity_is_superseded_by_the_replay():
    """LOAD-05: anonymous messages and local prompt echoes are gone on success."""
    held = (*made(), prompt(), said("Hello"), agent_answers(3, {"stopReason": "end_turn"}))
    connection = loading(*held)
    shown = connection.sessions["s"].timeline
    assert shown == timeline(
        message("user", "Go", origin="local", turn=0), agent_message("Hello", turn=0)
    )
    replayed = (chunk("user", "Go"), said("Hello"))
    connection, told = folded(*replayed, agent_answers(2), onto=connection)
    session = connection.sessions["s"]
    assert session.timeline == timeline(message("user", "Go"), agent_message("Hello"))
    assert [turn.start for turn in session.turns] == [None]
    assert told == LOADED


def test_a_prompt_that_a_load_superseded_waits_for_no_echo():
    """LOAD-05, TURN-04: its entry is gone, so that what looks like its echo is a message."""
    connection = loading(*made(), prompt())
    connection, _ = folded(chunk("user", "Go", "m"), agent_answers(2), onto=connection)
    assert connection.sessions["s"].current_turn is not None
    session = after(chunk("user", "Go", "n"), onto=connection).sessions["s"]
    assert session.timeline == timeline(
        message("user", "Go", message_id="m", turn=0), message("user", "Go", message_id="n", turn=0)
    )


def test_entries_that_were_not_replayed_are_dropped_and_counted_once():
    """LOAD-06: one `diag:not-replayed`, with the count."""
    held = (*TALK, call(), compaction(), letter())
    connection, told = folded(said("A", "a"), agent_answers(2), onto=loading(*made(), *held))
    assert connection.sessions["s"] == ready(
        timeline=timeline(agent_message("A", message_id="a")), id_style="with_id"
    )
    [not_replayed, *rest] = told
    assert notices(told) == [("not-replayed", "info", "s")]
    assert not_replayed.diagnostic.text.startswith("5 entries")
    assert tuple(rest) == LOADED


def test_the_timeline_is_in_the_order_of_the_replay():
    """LOAD-06, TL-09: order of first appearance in that replay."""
    held = (said("A", "a"), call(), said("B", "b"), compaction())
    replayed = (compaction(), said("B", "b"), call_update(), said("A", "a"))
    session = session_after(*made(), *held, load(), *replayed, agent_answers(2))
    assert session.timeline == timeline(
        Compaction(compaction_id="c"),
        agent_message("B", message_id="b"),
        tool_call(),
        agent_message("A", message_id="a"),
    )


def test_associations_that_were_not_replayed_stand_at_the_end():
    """LOAD-06, SUB-19: in their old order; they are not counted as dropped."""
    held = (child("x"), said("A", "a"), child("y"), child("z"))
    connection, told = folded(
        child("y"), said("A", "a"), agent_answers(2), onto=loading(*made(), *held)
    )
    order = ["y", "x", "z"]
    assert list(connection.sessions["s"].subagents) == order
    assert [entry.key for entry in connection.sessions["s"].timeline] == [
        ("subagent", "y"), ("agent", "a"), ("subagent", "x"), ("subagent", "z"),
    ]  # fmt: skip
    assert told == LOADED


def test_a_load_of_a_parent_opens_an_epoch_in_its_descendants():
    """LOAD-06: also in each descendant that is not confirmed as running."""
    held = (
        *made(), child("k"), said("K", "k1", "k"), said("old", "k2", "k"),
        child("g", "k"), said("G", "g1", "g"), child("q"), said("Q", "q1", "q"),
    )  # fmt: skip
    replayed = (child("k"), said("K", "k1", "k"), child("g", "k"), said("G", "g1", "g"))
    connection, told = folded(*replayed, agent_answers(2), onto=loading(*held))
    assert {name: texts(each) for name, each in connection.sessions.items()} == {
        "s": [], "k": ["K"], "g": ["G"], "q": ["Q"],
    }  # fmt: skip
    assert notices(told) == [("not-replayed", "info", "k")]
    assert all(each.replay is None for each in connection.sessions.values())


def test_the_traffic_of_a_child_that_is_confirmed_as_running_is_live():
    """LOAD-06: it is no replay, and goes on with what is held."""
    held = (*made(), child(state=RUNNING), said("A", "a", "k"))
    connection = loading(*held)
    assert connection.sessions["k"].replay is None
    connection = after(said("B", "a", "k"), agent_answers(2), onto=connection)
    assert connection.sessions["k"].timeline == timeline(agent_message("A", "B", message_id="a"))


@pytest.mark.parametrize("state", [IDLE, {"state": "unknown"}, None])
def test_the_traffic_of_a_child_in_any_other_state_is_a_replay(state):
    """LOAD-06."""
    held = (*made(), child(state=state), said("A", "a", "k"))
    session = after(said("A", "a", "k"), agent_answers(2), onto=loading(*held)).sessions["k"]
    assert session.timeline == timeline(agent_message("A", message_id="a"))


# LOAD-07: compactions


def test_compactions_are_not_reset():
    """LOAD-07, CMP-09: omitted `summary`, `error` and `_meta` keep retained values."""
    held = compaction(status="failed", summary=text_blocks("S"), error="E", meta={"k": 1})
    session = session_after(*made(), held, load(), compaction(status="failed"), agent_answers(2))
    assert session.timeline == timeline(
        Compaction(
            compaction_id="c", status="failed", chunks=chunks("S"), error="E",
            meta=JsonObject({"k": 1}),
        )
    )  # fmt: skip


@pytest.mark.parametrize(("summary", "expected"), [(["new"], ("new",)), ([], ()), (None, ())])
def test_a_concrete_summary_replaces(summary, expected):
    """LOAD-07, CMP-09: null and [] clear."""
    held = compaction(status="completed", summary=text_blocks("old"))
    blocks = None if summary is None else text_blocks(*summary)
    replayed = compaction(status="completed", summary=blocks)
    session = session_after(*made(), held, load(), replayed, agent_answers(2))
    assert session.timeline == timeline(
        Compaction(compaction_id="c", status="completed", chunks=chunks(*expected))
    )


@pytest.mark.parametrize("retained", [(), (compaction(summary=text_blocks("S")),)])
@pytest.mark.parametrize("before", [(), (compaction(),)])
def test_a_replayed_summary_chunk_appends_and_is_diagnosed(retained, before):
    """LOAD-07: a breach of the materialised replay, `diag:compaction-chunk-replay`."""
    connection, told = folded(*before, summary_chunk("!"), onto=loading(*made(), *retained))
    assert notices(told) == [("compaction-chunk-replay", "error", "s")]
    session = after(agent_answers(2), onto=connection).sessions["s"]
    held = ("S",) if retained else ()
    assert session.timeline == timeline(Compaction(compaction_id="c", chunks=chunks(*held, "!")))


# LOAD-08: tool calls


HELD_CALL = call(
    kind="edit", status="completed", rawInput={"a": 1}, rawOutput=2, name="n", meta={"k": 1}
)


def test_a_replayed_tool_call_replaces_the_whole_call():
    """LOAD-08: no TOOL-04 diagnostic; what it omits is what a first announcement omits."""
    connection, told = folded(call(title="New"), agent_answers(2), onto=loading(*made(), HELD_CALL))
    assert connection.sessions["s"].timeline == timeline(tool_call(title="New"))
    assert told == LOADED


def test_a_replayed_tool_call_update_patches_retained_values():
    """LOAD-08: it is no first sight either."""
    connection, told = folded(
        call_update(title="New"), agent_answers(2), onto=loading(*made(), HELD_CALL)
    )
    assert connection.sessions["s"].timeline == timeline(
        tool_call(
            title="New", kind="edit", status="completed", name="n",
            raw_input=JsonObject({"a": 1}), raw_output=2, meta=JsonObject({"k": 1}),
        )
    )  # fmt: skip
    assert told == LOADED


def test_a_tool_call_after_an_update_of_the_same_replay_resets_nothing():
    """LOAD-08: it sets the fields it carries and resets none."""
    replayed = (call_update(status="failed", rawOutput=3), call(title="New"))
    connection, told = folded(*replayed, agent_answers(2), onto=loading(*made(), HELD_CALL))
    assert connection.sessions["s"].timeline == timeline(
        tool_call(
            title="New", kind="edit", status="failed", name="n",
            raw_input=JsonObject({"a": 1}), raw_output=3, meta=JsonObject({"k": 1}),
        )
    )  # fmt: skip
    assert told == LOADED


def test_a_second_tool_call_after_an_update_of_the_same_replay_resets_nothing():
    """LOAD-08: "except that after an update of the same replay it ... resets none"."""
    replayed = (call(), call_update(status="completed", rawOutput=3), call(title="New"))
    session = session_after(load(), *replayed, agent_answers(2))
    assert session.timeline == timeline(tool_call(title="New", status="completed", raw_output=3))


def test_two_replayed_tool_calls_are_the_last_one_in_the_place_of_the_first():
    """LOAD-08, TL-02."""
    replayed = (call(rawInput=1), said("A", "a"), call(title="New"))
    connection, told = folded(*replayed, agent_answers(2), onto=loading(*made()))
    assert connection.sessions["s"].timeline == timeline(
        tool_call(title="New"), agent_message("A", message_id="a")
    )
    assert told == LOADED


CANCELLED = (
    *made(), prompt(), call(), client_tells("session/cancel", sessionId="s"),
    agent_answers(3, {"stopReason": "cancelled"}),
)  # fmt: skip


@pytest.mark.parametrize("replayed", [call(), call_update(title="T")])
def test_a_replayed_call_has_no_overlay(replayed):
    """LOAD-08: local cancel overlays are removed at load start."""
    session = session_after(*CANCELLED, load(), replayed, agent_answers(2))
    assert session.timeline == timeline(tool_call(turn=0))


def test_overlays_are_removed_at_load_start():
    """LOAD-08: "Local cancel overlays are removed at load start"."""
    assert after(*CANCELLED).sessions["s"].tool_calls["t"].effective_status == "cancelled"
    connection = loading(*CANCELLED)
    assert connection.sessions["s"].tool_calls["t"].effective_status == "pending"


def test_calls_that_were_announced_before_are_announced_after_the_replay():
    """LOAD-08, TOOL-04: a live `tool_call` after the load is a second one."""
    held = (call("t"), call("u"), call_update("w"), said("A", "a"))
    replayed = (call_update("t"), call_update("w"), call_update("v"), call("u"), said("A", "a"))
    connection = after(*made(), *held, load(), *replayed, agent_answers(2))
    codes = {name: noticed(folded(call(name), onto=connection)[1]) for name in "tuvw"}
    again = ["duplicate-tool-call"]
    assert codes == {"t": again, "u": again, "v": [], "w": []}


# LOAD-09: failure

EVERYTHING = (
    *made(), prompt(), *TALK, said("anonymous"), HELD_CALL, compaction(), letter_chunk("L"),
    agent_answers(3, {"stopReason": "end_turn"}), chunk("thought", "later"), said("later", "z"),
)  # fmt: skip


def test_a_failed_load_restores_all_that_was_held():
    """LOAD-09: the pre-load timeline is restored, replayed content discarded, state per 15.5."""
    before = after(*EVERYTHING)
    replayed = (
        said("new", "n"), said("A", "a"), call(title="other"), compaction(status="failed"),
        letter(content=[]), call("u"),
    )  # fmt: skip
    connection, told = folded(*replayed, agent_refuses(2), onto=loading(onto=before))
    assert connection.sessions == before.sessions
    [failed] = told
    assert failed == RequestFailed(
        request_id=2, method="session/load", session_id="s", error=failed.error
    )
    assert failed.error.code == -32603


def test_until_the_response_readers_see_the_held_timeline():
    """LOAD-09."""
    before = after(*EVERYTHING)
    connection = loading(onto=before)
    for replayed in (*TALK, call("u"), compaction(status="completed")):
        assert connection.sessions["s"].timeline == before.sessions["s"].timeline
        connection = after(replayed, onto=connection)
    assert connection.sessions["s"].timeline == before.sessions["s"].timeline


def test_the_open_run_closes_at_both_ends_of_a_load():
    """MSG-06: an anonymous message never goes on across the start or the end of a load."""
    connection = loading(*made(), said("A"))
    failed = after(agent_refuses(2), said("B"), onto=connection)
    assert texts(failed.sessions["s"]) == ["A", "B"]
    loaded = after(said("C"), agent_answers(2), said("D"), onto=connection)
    assert texts(loaded.sessions["s"]) == ["C", "D"]


def test_notices_of_a_failed_load_stay():
    """LOAD-09, NOTICE-04: a notice during a load is live."""
    notice = update("notice", severity="info", title="N")
    held = (*made(), said("A", "a"))
    connection, told = folded(notice, onto=loading(*held))
    [_, shown] = told
    assert notices(told) == [("notice-in-replay", "info", "s")]
    assert isinstance(shown, ShowNotice)
    assert (shown.session_id, shown.notice.title) == ("s", "N")
    assert after(agent_refuses(2), onto=connection).sessions == after(*held).sessions


SLOTS = (
    update("plan", entries=[]),
    update("available_commands_update", availableCommands=[{"name": "c", "description": "C"}]),
    update("current_mode_update", currentModeId="m"),
    update("config_option_update", configOptions=[]),
    update("session_info_update", title="New"),
    update("usage_update", used=1, size=2),
    update("plan_update", plan={"type": "markdown", "planId": "p", "content": "P"}),
)


@pytest.mark.parametrize("response", [agent_answers(2), agent_refuses(2)], ids=["ok", "error"])
def test_latest_value_slots_that_came_during_the_load_stay(response):
    """LOAD-09, LOAD-12: after a failed attempt, too."""
    live = session_after(*made(), *SLOTS)
    assert session_after(*made(), load(), *SLOTS, response) == live
    assert live.plan == Plan(entries=())
    assert live.available_commands == (AvailableCommand(name="c", description="C"),)


def test_a_load_that_fails_invalidates_states_and_grants():
    """SUB-18: those that were received during the attempt, too."""
    held = (*made(), child(state=RUNNING, capabilities=MAY_CANCEL, title="K"))
    replayed = (child(state=IDLE, capabilities=MAY_CANCEL),)
    for attempt in (load(), resume()):
        session = session_after(*held, attempt, *replayed, agent_refuses(2))
        state = (
            RunningStateUpdate() if attempt == load() else IdleStateUpdate(stop_reason="end_turn")
        )
        assert session.timeline == timeline(
            Subagent(session_id="k", title="K", state=state, state_confirmed=False)
        )


@pytest.mark.parametrize("attempt", [load(), resume()], ids=["load", "resume"])
def test_a_load_that_fails_invalidates_the_grants_of_descendants(attempt):
    """SUB-18 with SUB-16: what a child said of its own children during the attempt."""
    held = (*made(), child(state=RUNNING))
    during = child("g", "k", capabilities=MAY_CANCEL, state=RUNNING)
    session = session_after(*held, attempt, during, agent_refuses(2), session_id="k")
    assert session.timeline == timeline(
        Subagent(session_id="g", state=RunningStateUpdate(), state_confirmed=False)
    )


def test_a_child_that_only_a_failed_replay_told_of_is_gone():
    """LOAD-09: "replayed content discarded"; no entry of the parent names the child any more."""
    replayed = (child("k"), said("A", "a", "k"))
    assert after(*made(), load(), *replayed, agent_refuses(2)).sessions == after(*made()).sessions


def test_a_failed_load_leaves_the_children_as_they_were():
    """15.5: "descendants unattached" after a close; an error goes back to the previous state."""
    closed = after(
        *made(), child("k"), client_asks(5, "session/close", sessionId="s"), agent_answers(5)
    )
    connection = after(load(), child("k"), agent_refuses(2), onto=closed)
    readiness = {name: each.readiness for name, each in connection.sessions.items()}
    assert readiness == {"s": "closed", "k": "unattached"}


@pytest.mark.parametrize("attempt", [load(), resume()], ids=["load", "resume"])
def test_a_session_that_was_never_held_disappears_again(attempt):
    """15.5: loading / resuming of a session never held, error."""
    connection, told = folded(attempt, *TALK, agent_refuses(2, -32002))
    assert connection == attrs.evolve(READY, next_request_id=3)
    [*diagnostics, failed] = told
    assert noticed(diagnostics) == ([] if attempt == load() else ["replay-in-resume"])
    assert (type(failed), failed.error.code) == (RequestFailed, -32002)


@pytest.mark.parametrize("attempt", [load(), resume()], ids=["load", "resume"])
def test_a_provisional_session_is_provisional_again(attempt):
    """15.5: "or provisional, if it was"."""
    before = after(said("A", "a"))
    assert after(attempt, said("B", "a"), agent_refuses(2), onto=before).sessions == before.sessions


def test_a_loss_of_the_connection_is_a_failure_of_the_load():
    """LOAD-09, CONN-01: it settles as interrupted, and the held timeline is back."""
    connection, told = reduce(loading(*made(), *TALK), Disconnected())
    expected = ready(readiness="unattached", timeline=timeline(*TOLD), id_style="with_id")
    assert connection.sessions == {"s": expected}
    assert told == (RequestFailed(request_id=2, method="session/load", session_id="s", error=None),)


# LOAD-10: requests are live


def test_a_permission_request_during_a_load_is_live():
    """LOAD-10: it is asked, and its patch is seen in the held and in the new timeline."""
    connection, told = folded(
        asks_permission(toolCallId="t", title="Now"), onto=loading(*made(), call(), said("A", "a"))
    )
    [asked] = told
    patched = tool_call(title="Now")
    assert isinstance(asked, AskPermission)
    assert (asked.session_id, asked.tool_call, asked.permission.before) == (
        "s", patched, tool_call(),
    )  # fmt: skip
    shown = connection.sessions["s"]
    assert shown.timeline == timeline(patched, agent_message("A", message_id="a"))
    assert [each.request_id for each in shown.pending_permissions] == ["p"]
    failed = after(agent_refuses(2), onto=connection).sessions["s"]
    assert failed.timeline == shown.timeline
    loaded = after(said("A", "a"), agent_answers(2), onto=connection).sessions["s"]
    assert loaded.timeline == timeline(patched, agent_message("A", message_id="a"))
    assert len(loaded.pending_permissions) == len(failed.pending_permissions) == 1


def test_a_call_that_a_live_request_introduces_is_in_both_timelines():
    """LOAD-10, PERM-02."""
    connection = after(
        said("A", "a"), asks_permission(toolCallId="u"), onto=loading(*made(), said("A", "a"))
    )
    new = tool_call("u", title=None, announced=False)
    assert connection.sessions["s"].timeline == timeline(agent_message("A", message_id="a"), new)
    for response in (agent_answers(2), agent_refuses(2)):
        session = after(response, onto=connection).sessions["s"]
        assert session.timeline == timeline(agent_message("A", message_id="a"), new)


def test_a_permission_request_during_a_load_into_an_empty_model_is_live():
    """LOAD-10."""
    connection, told = folded(asks_permission(toolCallId="t", title="T"), onto=loading())
    assert [type(each) for each in told] == [AskPermission]
    assert connection.sessions["s"].timeline == timeline(
        tool_call(announced=False, updated_in_replay=True)
    )
    loaded = after(call(status="completed"), agent_answers(2), onto=connection)
    assert loaded.sessions["s"].timeline == timeline(tool_call(status="completed"))


def test_an_elicitation_and_its_answer_during_a_load_are_live():
    """LOAD-10."""
    connection, told = folded(asks_form(sessionId="s"), onto=loading(*made()))
    assert [type(each) for each in told] == [AskElicitation]
    assert [each.session_id for each in connection.elicitations.values()] == ["s"]
    answered = after(client_answers("e", {"action": "decline"}), onto=connection)
    assert answered.elicitations == {}


# LOAD-11, LOAD-12: after the response


def test_after_the_response_everything_is_live():
    """LOAD-11: `messageId`s seen in the replay keep accumulating."""
    connection = after(*made(), said("A", "a"), load(), said("A", "a"), agent_answers(2))
    session = after(said("!", "a"), onto=connection).sessions["s"]
    assert session.timeline == timeline(agent_message("A", "!", message_id="a"))


MODES = {"currentModeId": "m", "availableModes": [{"id": "m", "name": "M"}]}
KNOWN_MODES = SessionModeState(
    current_mode_id="m", available_modes=(SessionMode(id="m", name="M"),)
)


@pytest.mark.parametrize("attempt", [load(), resume()], ids=["load", "resume"])
def test_slots_are_not_reset(attempt):
    """LOAD-12: absence in the response keeps."""
    before = session_after(*made(modes=MODES, configOptions=[]), *SLOTS)
    session = session_after(*made(modes=MODES, configOptions=[]), *SLOTS, attempt, agent_answers(2))
    assert session == attrs.evolve(before, history_incomplete=attempt == resume())


@pytest.mark.parametrize("attempt", [load(), resume()], ids=["load", "resume"])
def test_concrete_modes_and_options_of_the_response_replace(attempt):
    """LOAD-12."""
    answer = agent_answers(2, {"modes": MODES, "configOptions": []})
    session = session_after(*made(), attempt, answer)
    assert session == ready(
        modes=KNOWN_MODES, config_options=(), history_incomplete=attempt == resume()
    )


@pytest.mark.parametrize("attempt", [load(), resume()], ids=["load", "resume"])
def test_a_null_result_is_an_empty_one(attempt):
    """RPC-13, 4.2: `null` result = `{}`."""
    _, answer = agent_answers(2)
    session = session_after(*made(), attempt, ("agent", {**answer, "result": None}))
    assert session == ready(history_incomplete=attempt == resume())


@pytest.mark.parametrize("during", [False, True])
def test_a_title_that_is_newer_than_the_catalogue_stays(during):
    """LOAD-12: title and updatedAt are not reset by a load; updates replace as usual."""
    listed = (
        client_asks(8, "session/list"),
        agent_answers(8, {"sessions": [{"sessionId": "s", "cwd": "/w", "title": "Old"}]}),
    )
    newer = update("session_info_update", title="New")
    messages = (load(), newer) if during else (newer, load())
    assert session_after(*made(), *listed, *messages, agent_answers(2)) == ready(title="New")


# LOAD-13: resume


def test_a_resume_leaves_the_timeline_as_it_is():
    """LOAD-13."""
    before = after(*EVERYTHING)
    connection, told = folded(resume(), agent_answers(2), onto=before)
    assert connection.sessions == before.sessions
    assert told == RESUMED


def test_with_nothing_retained_the_history_is_incomplete():
    """LOAD-13; a session with anything retained is whole."""
    assert session_after(resume(), agent_answers(2)) == ready(history_incomplete=True)
    assert not session_after(*made(), said("A"), resume(), agent_answers(2)).history_incomplete


@pytest.mark.parametrize(
    "first", [said("A", "a"), call(), chunk("user", "U"), chunk("thought", "T")]
)
def test_a_replay_in_a_resume_opens_an_epoch(first):
    """LOAD-13: a message chunk or a `tool_call`; `diag:replay-in-resume`, LOAD-04 to LOAD-09."""
    connection, told = folded(first, onto=after(*EVERYTHING, resume()))
    assert notices(told) == [("replay-in-resume", "info", "s")]
    before = session_after(*EVERYTHING)
    assert connection.sessions["s"].timeline == before.timeline
    failed = after(agent_refuses(2), onto=connection).sessions["s"]
    assert failed == before
    connection, told = folded(*TALK, HELD_CALL, agent_answers(2), onto=connection)
    assert "not-replayed" in noticed(told)
    replayed = session_after(load(), first, *TALK, HELD_CALL, agent_answers(2))
    assert texts(connection.sessions["s"]) == texts(replayed)


def test_a_replay_in_a_resume_of_nothing_is_a_history():
    """LOAD-13: with something replayed, the history is not marked as incomplete."""
    session = session_after(resume(), *TALK, agent_answers(2))
    assert session == ready(timeline=timeline(*TOLD), id_style="with_id")


def test_patches_of_known_entries_in_a_resume_are_live():
    """LOAD-13: background work; they open no epoch, without any the timeline stays as it is."""
    patches = (call_update(status="failed"), compaction(status="failed"), letter_chunk("!"))
    connection, told = folded(*patches, agent_answers(2), onto=after(*EVERYTHING, resume()))
    live = session_after(*EVERYTHING, *patches)
    assert connection.sessions["s"] == live
    assert "replay-in-resume" not in noticed(told)


@pytest.mark.parametrize("first", [compaction("new"), letter("new"), call_update("new")])
def test_a_conversation_update_of_something_new_in_a_resume_is_diagnosed(first):
    """LOAD-13: "Conversation updates before the resume response: `diag:replay-in-resume`"."""
    assert "replay-in-resume" in noticed(folded(first, onto=after(*EVERYTHING, resume()))[1])


def test_the_epoch_of_a_resume_reaches_the_descendants():
    """LOAD-13: "opens an epoch as `session/load` does (LOAD-04 to LOAD-09)"."""
    held = (*made(), child("k"), said("K", "m", "k"))
    replayed = (said("A", "a"), child("k"), said("K", "m", "k"))
    connection = after(*held, resume(), *replayed, agent_answers(2))
    assert texts(connection.sessions["k"]) == ["K"]


# LOAD-14


@pytest.mark.parametrize("attempt", [(), (load(),)], ids=["live", "replay"])
def test_client_capabilities_gate_a_replay_like_live_traffic(attempt):
    """LOAD-14, LENIENT-16: applied and diagnosed."""
    limited = attrs.evolve(READY, client_capabilities=ClientCapabilities())
    onto = after(*made(), *attempt, onto=limited)
    connection, told = folded(compaction(), onto=onto)
    assert notices(told) == [("capability-violation", "error", "s")]
    if attempt:
        connection = after(agent_answers(2), onto=connection)
    assert connection.sessions["s"].timeline == timeline(Compaction(compaction_id="c"))


# LOAD-16


@pytest.mark.parametrize("attempt", [load, resume])
@pytest.mark.parametrize("roots", [{}, {"additionalDirectories": ["/x", "/y"]}])
def test_the_roots_are_those_of_the_request(attempt, roots):
    """LOAD-16, SESS-02: the list is complete each time; omission activates none."""
    held = made() if roots else (load(1, additionalDirectories=["/old"]), agent_answers(1))
    connection = after(*held, attempt(**roots))
    assert connection.sessions["s"].additional_directories == (() if roots else ("/old",))
    failed = after(agent_refuses(2), onto=connection).sessions["s"]
    assert failed.additional_directories == (() if roots else ("/old",))
    session = after(agent_answers(2), onto=connection).sessions["s"]
    assert session.additional_directories == tuple(roots.get("additionalDirectories", ()))
    assert session.cwd == "/w"


@pytest.mark.parametrize("attempt", [load, resume])
def test_a_load_in_another_directory_is_taken_as_it_was_sent(attempt):
    """READ-02, LOAD-16: where it was seen; our own side is refused it."""
    connection = after(*made(), attempt(cwd="/elsewhere"))
    assert after(agent_answers(2), onto=connection).sessions["s"].cwd == "/elsewhere"
    assert after(agent_refuses(2), onto=connection).sessions["s"].cwd == "/w"


def test_a_session_is_loaded_with_the_roots_of_the_request():
    """LOAD-16, INFO-02: also one that was not held."""
    session = session_after(load(additionalDirectories=["/x"]), agent_answers(2))
    assert session == ready(additional_directories=("/x",))


# SUB-16, SUB-17, SUB-18: rights and states


@pytest.mark.parametrize("attempt", [load(), resume()], ids=["load", "resume"])
def test_rights_and_states_of_all_descendants_end_when_it_is_sent(attempt):
    """SUB-16: capabilities empty, states unconfirmed; history stays visible."""
    all_of_it = {"capabilities": MAY_CANCEL, "state": RUNNING, "title": "T"}
    held = (*made(), child("k", **all_of_it), child("g", "k", **all_of_it), said("A", "a", "g"))
    connection = after(*held, attempt)
    for parent, name in (("s", "k"), ("k", "g")):
        assert connection.sessions[parent].subagents[name] == Subagent(
            session_id=name, title="T", state=RunningStateUpdate(), state_confirmed=False
        )
    assert texts(connection.sessions["g"]) == ["A"]
    with pytest.raises(LocalProtocolError):
        reduce(connection, Cancel("g"))


def test_snapshots_of_a_replay_neither_authorise_nor_assert():
    """SUB-17: the state is kept as last known, unconfirmed; the capabilities are not kept."""
    replayed = child("k", capabilities=MAY_CANCEL, state=RUNNING)
    connection = after(*made(), load(), replayed, agent_answers(2))
    last_known = Subagent(session_id="k", state=RunningStateUpdate(), state_confirmed=False)
    assert connection.sessions["s"].timeline == timeline(last_known)
    omitted = after(child("k", title="T"), onto=connection).sessions["s"]
    assert omitted.timeline == timeline(attrs.evolve(last_known, title="T"))
    live = after(child("k", capabilities=MAY_CANCEL, state=IDLE), onto=connection).sessions["s"]
    assert live.subagents["k"].may_cancel
    assert live.subagents["k"].state == IdleStateUpdate(stop_reason="end_turn")
    assert live.subagents["k"].state_confirmed


@pytest.mark.parametrize("held", [(), (*made(), child("k", state=RUNNING))], ids=["empty", "held"])
def test_snapshots_of_deeper_descendants_in_a_replay_neither_authorise_nor_assert(held):
    """SUB-17: what a replayed child says of its own children is as historical."""
    replayed = (child("k"), child("g", "k", capabilities=MAY_CANCEL, state=RUNNING))
    connection = after(*held, load(), *replayed, agent_answers(2))
    assert connection.sessions["k"].subagents["g"] == Subagent(
        session_id="g", state=RunningStateUpdate(), state_confirmed=False
    )


def test_snapshots_of_a_resume_are_current_but_authorise_only_after_success():
    """SUB-18."""
    held = (*made(), child("k", capabilities=MAY_CANCEL, state=RUNNING))
    connection = after(*held, resume(), child("k", capabilities=MAY_CANCEL, state=IDLE))
    known = connection.sessions["s"].subagents["k"]
    assert (known.state, known.state_confirmed) == (IdleStateUpdate(stop_reason="end_turn"), True)
    with pytest.raises(LocalProtocolError) as refused:
        reduce(connection, Cancel("k"))
    assert (refused.value.rule, refused.value.code) == ("SUB-08", "child-mutation-refused")
    reduce(after(agent_answers(2), onto=connection), Cancel("k"))


# One load and another


def test_a_second_load_is_an_epoch_of_its_own():
    """LOAD-02, LOAD-04: loading twice doubles nothing."""
    twice = (load(2), *TALK, agent_answers(2), load(4), *TALK, agent_answers(4))
    assert session_after(*made(), *TALK, *twice) == ready(
        timeline=timeline(*TOLD), id_style="with_id"
    )


@pytest.mark.parametrize(
    "first", [(said("A", "a"), agent_answers(2)), (agent_refuses(2),)], ids=["ok", "error"]
)
def test_a_replay_that_belongs_to_a_second_outstanding_load_doubles_nothing(first):
    """LOAD-02: between a `session/load` and *its* response, updates are replay."""
    held = (*made(), said("A", "a"), load(2), load(4))
    session = session_after(*held, *first, said("A", "a"), agent_answers(4))
    assert session == ready(
        timeline=timeline(agent_message("A", message_id="a")), id_style="with_id"
    )


def test_a_second_outstanding_load_loses_nothing_of_the_first():
    """LOAD-02, 15.5: loading has no row for another load; what the first told stays."""
    told = (*made(), said("A", "a"), load(2), said("A", "a"), load(4), said("B", "b"))
    session = session_after(*told, agent_answers(2), agent_refuses(4))
    assert session.timeline == timeline(
        agent_message("A", message_id="a"), agent_message("B", message_id="b")
    )


def test_two_outstanding_loads_that_fail_leave_what_was_held():
    """LOAD-09: replayed content is discarded."""
    told = (*made(), load(2), said("A", "a"), load(4), said("B", "b"))
    assert session_after(*told, agent_refuses(2), agent_refuses(4)).timeline == timeline()


def test_a_load_tells_the_history_that_a_resume_had_left_out():
    """LOAD-13, LOAD-02: the replay is the entire conversation."""
    resumed = (resume(), agent_answers(2))
    assert not session_after(*resumed, load(4), agent_answers(4)).history_incomplete
    assert session_after(*resumed, load(4), agent_refuses(4)).history_incomplete
    assert session_after(*resumed, said("A"), resume(4), agent_answers(4)).history_incomplete


def test_an_overlay_that_is_laid_during_a_replay_stays_on_both_timelines():
    """CANCEL-02, TOOL-07: until an update with a status; it is younger than the load (LOAD-08)."""
    cancel_child = client_tells("session/cancel", sessionId="k")
    held = (*made(), child("k"), call("t", "k"), load(), cancel_child, said("B", "b", "k"))
    failed = after(*held, agent_refuses(2)).sessions["k"]
    assert failed.tool_calls["t"].cancelled
    replayed = (*made(), child("k"), load(), call("t", "k"), cancel_child, said("B", "b", "k"))
    loaded = after(*replayed, agent_answers(2)).sessions["k"]
    assert loaded.tool_calls["t"].cancelled


def test_a_finished_call_is_not_overlaid_during_a_replay():
    """CANCEL-02: every unfinished call."""
    cancel_child = client_tells("session/cancel", sessionId="k")
    finished, told = call("t", "k", status="completed"), (load(), cancel_child)
    failed = after(*made(), child("k"), finished, *told, agent_refuses(2)).sessions["k"]
    assert not failed.tool_calls["t"].cancelled
    loaded = after(*made(), child("k"), load(), finished, cancel_child, agent_answers(2))
    assert not loaded.sessions["k"].tool_calls["t"].cancelled


def test_a_call_that_was_overlaid_during_a_replay_is_told_of_with_it():
    """TOOL-07: an update without a status leaves the overlay."""
    told = (
        *made(),
        child("k"),
        call("t", "k"),
        load(),
        client_tells("session/cancel", sessionId="k"),
    )
    connection = after(*told, call_update("t", "k", title="U"), agent_answers(2))
    assert connection.sessions["k"].tool_calls["t"].cancelled


def test_what_is_live_in_a_load_of_nothing_outlives_its_failure():
    """LOAD-10: a prompt and the call of a question are no replay; LOAD-09: the rest goes."""
    told = (*made(), load(), said("A", "a"), prompt(3), asks_permission("p", toolCallId="t"))
    session = session_after(*told, call("u"), agent_refuses(2))
    assert [entry.key for entry in session.timeline] == [None, ("tool_call", "t")]
    assert session.timeline[0] == prompted()


def test_what_is_odd_about_a_question_during_a_load_is_told():
    """TOOL-09: also for the call of a permission request."""
    for held in ((), (said("A", "a"),)):
        connection = after(*made(), *held, load())
        asked = asks_permission("p", toolCallId="t", status="cancelled")
        assert noticed(folded(asked, onto=connection)[1]) == [
            "field-defaulted", "v1-cancelled-status",
        ]  # fmt: skip


def test_a_second_outstanding_load_that_fails_does_not_load_for_ever():
    """15.5: back to the state before, in which the first load has been answered."""
    held = (*made(), load(2), load(4), agent_answers(2), agent_refuses(4))
    assert session_after(*held) == ready()


def test_traffic_after_the_response_is_live_though_it_tells_the_history_again():
    """LOAD-02, LOAD-11: the response closes the replay; what outlasts it accumulates."""
    session = session_after(*made(), load(), said("A", "a"), agent_answers(2), said("A", "a"))
    assert session.timeline == timeline(agent_message("A", "A", message_id="a"))


def test_a_load_is_for_its_session_alone():
    """LOAD-02, INV-05: the traffic of others is live meanwhile."""
    connection = after(*made(), *made("o", 9), said("A", "a", "o"), load(), said("B", "a", "o"))
    assert connection.sessions["o"] == ready(
        "o", timeline=timeline(agent_message("A", "B", message_id="a")), id_style="with_id"
    )


@pytest.mark.parametrize("held", [(), (*made(), said("A", "a"))], ids=["empty", "held"])
def test_a_prompt_that_is_seen_during_a_load_raises_nothing(held):
    """Contract 2, 15.5: the host may not (TURN-01), but a log may hold it."""
    connection = after(*held, load(), prompt(), chunk("user", "Go", "u"))
    assert connection.sessions["s"].current_turn.request_id == 3


def test_a_prompt_that_is_seen_during_a_load_stays_on_the_timeline():
    """TURN-04: a user entry is recorded at send time; INV-03."""
    entry = message("user", "Go", origin="local", turn=0)
    connection = after(*made(), said("A", "a"), load(), prompt(), said("A", "a"))
    assert entry in connection.sessions["s"].timeline


def test_a_load_is_refused_as_long_as_it_runs_and_prompts_with_it():
    """TURN-01: never while loading."""
    with pytest.raises(LocalProtocolError) as refused:
        reduce(loading(*made()), Prompt("s", [TextContent(text="Go")]))
    assert (refused.value.rule, refused.value.session_id) == ("TURN-01", "s")


def test_malformed_updates_of_a_replay_cost_only_themselves():
    """RPC-07 in a replay."""
    bad = agent_tells("session/update", sessionId="s", update={"sessionUpdate": "tool_call"})
    connection, told = folded(bad, said("A", "a"), agent_answers(2), onto=loading(*made()))
    assert noticed(told) == ["update-dropped"]
    assert connection.sessions["s"] == ready(
        timeline=timeline(agent_message("A", message_id="a")), id_style="with_id"
    )


def test_an_observer_and_the_agent_fold_the_same_load():
    """What a message does depends on who sent it, never on which side we are."""
    messages = (*made(), *TALK, load(), said("A", "a"), agent_answers(2))
    sessions = [
        after(*messages, onto=Connection(side=side)).sessions
        for side in ("client", "agent", "observer")
    ]
    assert sessions[0] == sessions[1] == sessions[2]


def test_a_replay_may_give_its_messages_other_ids():
    """MSG-09: the history is what the replay tells, and nothing of it is there twice."""
    first = (*made(), said("Hello", "a"), said("there", "b"))
    again = (load(), said("Hello", "x"), said("there", "y"), agent_answers(2))
    assert session_after(*first, *again) == ready(
        timeline=timeline(
            agent_message("Hello", message_id="x"), agent_message("there", message_id="y")
        ),
        id_style="with_id",
    )


@pytest.mark.parametrize(
    "again",
    [
        call(),
        call_update(),
        child("c"),
        compaction("c"),
        letter("l"),
    ],
    ids=["tool_call", "tool_call_update", "subagent", "compaction", "session_message"],
)
@pytest.mark.parametrize("held", [(), (said("A", "a"),)], ids=["empty", "held"])
def test_what_a_replay_tells_twice_stays_the_identical_object(again, held):
    """Contract 5: what stays equal stays identical."""
    before = after(*made(), *held, load(), again)
    [entry] = before.sessions["s"].replay.built
    [same] = after(again, onto=before).sessions["s"].replay.built
    assert same is entry
