"""Sessions that are held open: what they are given stands in them when they are closed."""

import attrs
import pytest
from reduce.builders import after, agent, call, call_update, fold, subagent, thought, user

from acp_state import Connection, Session, apply_update
from acp_state.reduce.open_sessions import OpenSession, OpenSessions
from acp_state.reduce.streaming import plain_chunk

SAID = after(agent("a", "m"))
READY = Connection(phase="ready").with_session(SAID)


def message(update, session_id="s"):
    """The notification of an update."""
    params = {"sessionId": session_id, "update": update}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def give(opened, *updates):
    """Fold updates into an open session, and tell what came out."""
    return [opened.fold(update, plain_chunk(update)) for update in updates]


class TestOpenSession:
    def test_texts_are_collected_and_put_into_their_message(self):
        opened = OpenSession(SAID)
        assert give(opened, agent("b", "m"), agent("c", "m")) == [(), ()]
        assert opened.close() == after(agent("b", "m"), agent("c", "m"), onto=SAID)

    def test_the_session_that_it_began_with_stays(self):
        opened = OpenSession(SAID)
        give(opened, agent("b", "m"))
        opened.close()
        assert after(agent("a", "m")) == SAID

    def test_one_message_after_the_other(self):
        opened = OpenSession(SAID)
        updates = (
            agent("b", "m"),
            thought("u", "n"),
            thought("v", "n"),
            agent("c", "m"),
            call(),
            call_update(status="completed"),
            agent("d", "o"),
        )
        assert give(opened, *updates) == [()] * len(updates)
        assert opened.close() == after(*updates, onto=SAID)

    def test_what_comes_out(self):
        opened = OpenSession(SAID)
        expected = [(), fold(call_update())[1], (), fold(agent("x"), onto=SAID)[1]]
        assert give(opened, agent("b", "m"), call_update(), agent("c", "m"), agent("x")) == expected

    def test_nothing_given_leaves_the_very_session(self):
        assert OpenSession(SAID).close() is SAID

    def test_closed_twice(self):
        opened = OpenSession(SAID)
        give(opened, agent("b", "m"))
        assert opened.close() == opened.close() == after(agent("b", "m"), onto=SAID)

    def test_closed_and_gone_on_with(self):
        opened = OpenSession(SAID)
        for text in "bc":
            give(opened, agent(text, "m"))
            opened.close()
        assert opened.close() == after(agent("b", "m"), agent("c", "m"), onto=SAID)


class TestOpenSessions:
    def test_several_sessions_side_by_side(self):
        other, _ = apply_update(Session("o"), agent("A"))
        opened = OpenSessions(READY.with_session(other))
        updates = agent("b", "m"), agent("B"), call(), agent("C")
        told = [opened.fold(message(each, to)) for each, to in zip(updates, "soso", strict=True)]
        assert told == [()] * len(updates)
        expected = READY.with_session(after(agent("b", "m"), call(), onto=SAID))
        expected = expected.with_session(after(agent("B"), agent("C"), onto=other))
        assert opened.close() == expected

    @pytest.mark.parametrize(
        "other",
        [
            message(agent("b", "m"), "unknown"),
            message(subagent()),
            message({"sessionUpdate": "current_mode_update", "currentModeId": "x"}),
            message(None),
            message({"sessionUpdate": []}),
            message({"sessionUpdate": {}}),
            message({}),
            {"jsonrpc": "2.0", "id": 1, "result": {}},
            None,
        ],
        ids=lambda other: str(other)[:80],
    )
    def test_what_touches_more_is_not_folded(self, other):
        opened = OpenSessions(READY)
        assert opened.fold(other) is None
        assert opened.close() is READY

    @pytest.mark.parametrize("update", [call(), agent("b", "m"), user("b")])
    def test_nor_is_history_in_a_resume(self, update):
        """LOAD-13: it is history of the children, too."""
        opened = OpenSessions(READY.with_session(attrs.evolve(SAID, readiness="resuming")))
        assert opened.fold(message(update)) is None

    def test_it_goes_on_from_another_connection(self):
        opened = OpenSessions(READY)
        assert opened.fold(message(agent("b", "m"))) == ()
        once = opened.close()
        opened.reopen(READY)
        assert opened.fold(message(agent("b", "m"))) == ()
        assert opened.close() == once
