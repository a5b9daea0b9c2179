"""What type checkers must see of the public functions; checked, not run."""

from typing import Any, Literal

from typing_extensions import assert_type

from acp_state import (
    OMITTED,
    Change,
    Connection,
    ConnectionChanges,
    Diagnose,
    Diagnostic,
    Entry,
    Initialize,
    Intent,
    JsonObject,
    JsonValue,
    Message,
    Omitted,
    Permission,
    Prompt,
    Received,
    RequestAnswered,
    RequestFailed,
    Send,
    Session,
    SessionChanges,
    SessionReady,
    ShowNotice,
    ToolCall,
    Turn,
    TurnEnded,
    apply_update,
    changes,
    fold,
    fold_updates,
    or_none,
    reduce,
    replay,
    replay_each,
    restore,
    snapshot,
)
from acp_state.schema import Error, Notice, PlanRemoved, RequestId, TextContent


def steps(connection: Connection, session: Session, update: dict[str, Any]) -> None:
    """A step gives the next state and the intents."""
    assert_type(apply_update(session, update), tuple[Session, tuple[Intent, ...]])
    assert_type(apply_update(session, PlanRemoved(plan_id="p")), tuple[Session, tuple[Intent, ...]])
    assert_type(fold_updates(session, [update]), tuple[Session, tuple[Intent, ...]])
    assert_type(reduce(connection, Received(update)), tuple[Connection, tuple[Intent, ...]])
    assert_type(fold(connection, [Initialize()]), tuple[Connection, tuple[Intent, ...]])
    assert_type(replay(["{}"]), Connection)
    for step in replay_each([b"{}"]):
        assert_type(step.connection, Connection)


def commands(session_id: str) -> None:
    """What a host makes; a prompt is a text, or blocks."""
    Prompt(session_id, "Hello")
    Prompt(session_id, [TextContent(text="Hello")], while_running=True)


def intents(intent: Intent) -> None:
    """A host matches on the class of an intent."""
    match intent:
        case Send():
            assert_type(intent.message, dict[str, Any])
            assert_type(intent.request_id, RequestId)
        case Diagnose(diagnostic):
            assert_type(diagnostic, Diagnostic)
        case TurnEnded():
            assert_type(intent.turn, Turn)
        case ShowNotice():
            assert_type(intent.notice, Notice)
        case SessionReady():
            assert_type(intent.session_id, str)
        case RequestAnswered():
            assert_type(intent.session_id, str | None)
            assert_type(intent.result, JsonValue)
        case RequestFailed():
            assert_type(intent.error, Error | None)
        case _:
            pass


def reading(session: Session) -> None:
    """The model is typed down to its leaves."""
    assert_type(session.timeline[0], Entry)
    assert_type(session.timeline[1:], tuple[Entry, ...])
    assert_type(session.tool_calls["call_1"], ToolCall)
    assert_type(session.tool_calls["call_1"].raw_input, JsonValue)
    assert_type(session.messages, tuple[Message, ...])
    assert_type(session.messages[0].text, str)
    assert_type(session.pending_permissions, tuple[Permission, ...])
    assert_type(session.current_turn, Turn | None)
    assert_type(session.meta, JsonObject | None)


def narrowing(value: str | None | Omitted) -> None:
    """`OMITTED` narrows, as a member of an enum does."""
    if value is OMITTED:
        assert_type(value, Literal[Omitted.OMITTED])
    else:
        assert_type(value, str | None)
    assert_type(or_none(value), str | None)


def overloads(connection: Connection, session: Session, json: object) -> None:
    """`changes` and `restore` give what fits what they are given."""
    assert_type(changes(session, session), SessionChanges)
    assert_type(changes(connection, connection), ConnectionChanges)
    assert_type(changes(session, session).entries, tuple[Change[int, Entry], ...])
    assert_type(restore(json), Connection | Session)
    assert_type(restore(json, Connection), Connection)
    assert_type(restore(json, Session), Session)
    snapshot(connection)
    snapshot(session)
