"""Runs of text that are held open: what is taken in stands in the message when they are closed."""

from reduce.builders import after, agent, call, thought

from acp_state import Connection, Session, apply_update
from acp_state.reduce.open_runs import OpenRun, OpenRuns

SAID = after(agent("a", "m"))
READY = Connection(phase="ready").with_session(SAID)


def message(update, session_id="s"):
    """The notification of an update."""
    params = {"sessionId": session_id, "update": update}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


class TestOpenRun:
    def test_texts_are_taken_in_and_put_into_their_message(self):
        run = OpenRun(SAID)
        assert run.take(agent("b", "m"))
        assert run.take(agent("c", "m"))
        assert run.close() == after(agent("b", "m"), agent("c", "m"), onto=SAID)

    def test_the_session_that_it_began_with_stays(self):
        run = OpenRun(SAID)
        run.take(agent("b", "m"))
        run.close()
        assert after(agent("a", "m")) == SAID

    def test_one_message_after_the_other(self):
        both = after(agent("a", "m"), thought("t", "n"))
        run = OpenRun(both)
        updates = agent("b", "m"), thought("u", "n"), thought("v", "n"), agent("c", "m")
        assert all(map(run.take, updates))
        assert run.close() == after(*updates, onto=both)

    def test_what_is_no_text_that_goes_on_is_not_taken(self):
        run = OpenRun(SAID)
        assert run.take(agent("b", "m"))
        assert not run.take(call())
        assert not run.take(agent("x"))
        assert run.close() == after(agent("b", "m"), onto=SAID)

    def test_nothing_taken_leaves_the_very_session(self):
        assert OpenRun(SAID).close() is SAID

    def test_closed_twice(self):
        run = OpenRun(SAID)
        run.take(agent("b", "m"))
        assert run.close() == run.close() == after(agent("b", "m"), onto=SAID)


class TestOpenRuns:
    def test_runs_of_several_sessions_side_by_side(self):
        other, _ = apply_update(Session("o"), agent("A"))
        runs = OpenRuns(READY.with_session(other))
        lines = agent("b", "m"), agent("B"), agent("c", "m"), agent("C")
        assert all(
            runs.take(message(update, name)) for update, name in zip(lines, "soso", strict=True)
        )
        expected = READY.with_session(after(agent("b", "m"), agent("c", "m"), onto=SAID))
        expected = expected.with_session(after(agent("B"), agent("C"), onto=other))
        assert runs.close() == expected

    def test_what_is_no_text_that_goes_on_is_not_taken(self):
        runs = OpenRuns(READY)
        assert not runs.take(message(call()))
        assert not runs.take(message(agent("b", "m"), "unknown"))
        assert not runs.take({"jsonrpc": "2.0", "id": 1, "result": {}})
        assert runs.close() is READY

    def test_it_goes_on_from_another_connection(self):
        runs = OpenRuns(READY)
        assert runs.take(message(agent("b", "m")))
        once = runs.close()
        runs.reopen(READY)
        assert runs.take(message(agent("b", "m")))
        assert runs.close() == once
