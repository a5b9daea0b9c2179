"""Session info, usage and notices (sections 12 and 13)."""

from __future__ import annotations

import pytest
from reduce.builders import (
    SESSION,
    after,
    agent,
    agent_answers,
    call,
    connected,
    fold,
    noticed,
    prompt,
    prompted,
    reported,
    to_agent,
    update,
    watch,
)

from acp_state import ContextUsage, Session, ShowNotice
from acp_state.schema import Cost, Notice


def info(**fields):
    return update("session_info_update", **fields)


def usage(used=1, size=2, **fields):
    return update("usage_update", used=used, size=size, **fields)


def cost(amount, currency="USD", **fields):
    return {"amount": amount, "currency": currency, **fields}


def notice(severity="warning", title="T", **fields):
    return update("notice", severity=severity, title=title, **fields)


def shown(severity="warning", title="T", position=0, **fields):
    return ShowNotice(
        session_id="s", notice=Notice(severity=severity, title=title, **fields), position=position
    )


# Info


def test_info_patches():
    """INFO-01, row 12: omission keeps, null clears, a value replaces whole."""
    session = after(
        info(title="a", updatedAt="2026-10-01T00:00:00Z", meta={"k": {"x": 1}}),
        info(title=None, meta={"k": {"y": 2}}),
    )
    assert session == Session(
        "s", title=None, updated_at="2026-10-01T00:00:00Z", meta={"k": {"y": 2}}
    )
    assert after(info(updatedAt=None, meta=None), onto=session) == SESSION


def test_the_time_is_text():
    """Row 12: `updatedAt` is kept as text, not parsed."""
    assert after(info(updatedAt="yesterday")) == Session("s", updated_at="yesterday")


def test_equal_info_changes_nothing():
    """Design, contract 5: the very same session."""
    before = after(info(title="a", meta={"k": 1}))
    assert after(info(title="a", meta={"k": 1}), info(), onto=before) is before


ROOTS = {"cwd": "/w", "additionalDirectories": ["/x"]}


@pytest.mark.parametrize(
    "method", ["session/new", "session/fork", "session/load", "session/resume"]
)
def test_the_roots_are_those_of_the_request(method):
    """INFO-02: `cwd` and the additional directories of the request that activated it."""
    connection, _ = watch(
        to_agent(method, 1, sessionId="s", **ROOTS), agent_answers(1, {"sessionId": "s"})
    )
    assert connection.sessions["s"] == Session("s", cwd="/w", additional_directories=("/x",))


def test_no_update_changes_the_roots():
    """INFO-02: not even one that names them."""
    before = Session("s", cwd="/w", additional_directories=("/x",))
    after_all = after(
        info(cwd="/y", additionalDirectories=[]),
        info(title="T"),
        update("subagent_update", sessionId="child", cwd="/y", additionalDirectories=[]),
        onto=before,
    )
    assert (after_all.cwd, after_all.additional_directories) == ("/w", ("/x",))


def test_the_directories_of_a_new_activation():
    """INFO-02, LOAD-16: the roots of the new activation are those of its request."""
    connection, _ = watch(
        to_agent("session/load", 1, sessionId="s", cwd="/w", additionalDirectories=["/y"]),
        agent_answers(1, None),
        onto=connected(Session("s", cwd="/w", additional_directories=("/x",))),
    )
    assert connection.sessions["s"] == Session("s", cwd="/w", additional_directories=("/y",))


# Usage


def test_used_and_size_replace_together():
    """USAGE-01, row 13."""
    assert fold(usage(1, 10), usage(2, 20)) == (
        Session("s", usage=ContextUsage(used=2, size=20)),
        (),
    )


@pytest.mark.parametrize(("used", "size"), [(5, 2), (0, 0), (3, 0), (10**30, 1)])
def test_numbers_are_kept_as_sent(used, size):
    """USAGE-01: `used > size` and `size = 0` too."""
    assert fold(usage(used, size)) == (Session("s", usage=ContextUsage(used=used, size=size)), ())


def test_the_cost_is_cumulative():
    """USAGE-02: the latest value replaces whole, it is never summed; any currency (CONF-13)."""
    session = after(usage(cost=cost(1, meta={"k": 1})), usage(cost=cost(2.5)))
    assert session == Session(
        "s", usage=ContextUsage(used=1, size=2, cost=Cost(amount=2.5, currency="USD"))
    )
    session = after(usage(cost=cost(1, "credits")), onto=session)
    assert session.usage.cost == Cost(amount=1, currency="credits")


def test_an_omitted_cost_keeps_and_null_clears():
    """CONF-14, row 13."""
    session = after(usage(cost=cost(1)))
    kept = after(usage(5, 6), onto=session)
    assert kept.usage == ContextUsage(used=5, size=6, cost=Cost(amount=1, currency="USD"))
    assert after(usage(5, 6, cost=None), onto=kept).usage == ContextUsage(used=5, size=6)


def test_a_cost_that_goes_down_is_taken_as_sent():
    """USAGE-02: it may decrease, `diag:cost-decreased`."""
    assert fold(usage(cost=cost(1)), usage(cost=cost(0.5))) == (
        Session("s", usage=ContextUsage(used=1, size=2, cost=Cost(amount=0.5, currency="USD"))),
        (noticed("cost-decreased", "cost went from 1 to 0.5 USD; taken as sent"),),
    )


@pytest.mark.parametrize("new", [cost(1), cost(2), cost(0.5, "EUR"), None])
def test_what_is_no_decrease(new):
    """USAGE-02: amounts of two currencies are not compared."""
    assert fold(usage(cost=cost(1)), usage(cost=new))[1] == ()


def test_equal_usage_changes_nothing():
    """Design, contract 5: the very same session."""
    before = after(usage(cost=cost(1)))
    assert after(usage(cost=cost(1)), usage(), onto=before) is before


def test_the_usage_of_a_turn_is_another_thing():
    """USAGE-03: it is stored with the turn, and nothing is added to anything."""
    tokens = {"totalTokens": 7, "inputTokens": 3, "outputTokens": 4}
    connection, _ = watch(
        prompt(1, "Hi"),
        reported(usage(1, 2)),
        agent_answers(1, {"stopReason": "end_turn", "usage": tokens}),
        onto=connected(SESSION),
    )
    session = connection.sessions["s"]
    assert session.usage == ContextUsage(used=1, size=2)
    assert session.turns[0].usage.total_tokens == 7


def test_usage_comes_outside_of_turns():
    """USAGE-04: right after new, load, resume or fork as well."""
    connection, intents = watch(
        to_agent("session/new", 1, cwd="/w"),
        agent_answers(1, {"sessionId": "s"}),
        reported(usage(1, 2)),
    )
    assert intents == ()
    assert connection.sessions["s"].usage == ContextUsage(used=1, size=2)


# Notices


def test_a_notice_is_shown_and_not_kept():
    """NOTICE-02: a live event; no id, no update, no removal."""
    before = after(agent("a", "a"), call("t"))
    session, intents = fold(notice(description="D", meta={"k": 1}), onto=before)
    assert session is before
    assert intents == (shown(description="D", meta={"k": 1}, position=2),)


def test_equal_notices_are_two():
    """NOTICE-02: no deduplication, and no field patches an earlier notice."""
    _, intents = fold(notice(description="D"), notice(), notice())
    assert intents == (shown(description="D"), shown(), shown())


def test_notices_come_at_any_time():
    """NOTICE-02: inside and outside of turns; the position tells where."""
    session, before = fold(notice())
    session, during = fold(notice(), agent("a", "a"), notice(), onto=prompted("Hi", onto=session))
    assert before + during == (shown(), shown(position=1), shown(position=2))
    assert len(session.timeline) == 2


@pytest.mark.parametrize("severity", ["info", "warning", "error", "_vendor", "critical", ""])
def test_no_severity_changes_anything(severity):
    """NOTICE-03: the severity is open; even `error` changes no turn, tool or session."""
    before = after(call("t"), onto=prompted("Hi"))
    session, intents = fold(notice(severity), onto=before)
    assert session is before
    assert intents == (shown(severity, position=2),)


def test_nothing_but_a_notice_comes_out():
    """NOTICE-05: there is no message to be sent for it, now or on dismissal."""
    connection, intents = watch(reported(notice()), onto=connected(SESSION))
    assert connection == connected(SESSION)
    assert intents == (shown(),)


def test_a_notice_for_an_unknown_session():
    """SUB-03: it makes a provisional session, as all traffic does."""
    connection, intents = watch(reported(notice()))
    assert dict(connection.sessions) == {"s": SESSION}
    assert intents[1:] == (shown(),)
    assert intents[0].diagnostic.code == "unannounced-session"
