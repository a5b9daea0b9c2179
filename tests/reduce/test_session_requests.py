"""Requests that change a slot of a session (MODE-03, CFG-01, CFG-02, INFO-01 to INFO-03)."""

from __future__ import annotations

import attrs
import pytest
from reduce.history import (
    READY,
    after,
    agent_answers,
    agent_refuses,
    child,
    client_asks,
    folded,
    load,
    made,
    noticed,
    notices,
    ready,
    resume,
    session_after,
    update,
)

from acp_state import (
    Diagnose,
    LocalProtocolError,
    RequestAnswered,
    RequestFailed,
    Send,
    Session,
    SetConfigOption,
    SetMode,
    SetTitle,
    reduce,
)
from acp_state.json_values import JsonObject
from acp_state.persistent import Map
from acp_state.schema import (
    SessionConfigBoolean,
    SessionConfigSelect,
    SessionConfigSelectOption,
    SessionInfo,
    SessionMode,
    SessionModeState,
)

MODES = {
    "currentModeId": "a",
    "availableModes": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}],
}


def modes(current):
    """The two modes, one of which is the current one."""
    return SessionModeState(
        current_mode_id=current,
        available_modes=(SessionMode(id="a", name="A"), SessionMode(id="b", name="B")),
    )


def set_mode(mode_id="b", request_id=5):
    """``session/set_mode``."""
    return client_asks(request_id, "session/set_mode", sessionId="s", modeId=mode_id)


def now_in(mode_id):
    """``current_mode_update``."""
    return update("current_mode_update", currentModeId=mode_id)


WITH_MODES = after(*made(modes=MODES))


# MODE-02, MODE-03


def test_the_mode_is_the_requested_one_on_success_and_not_before():
    """MODE-03."""
    asked = after(set_mode(), onto=WITH_MODES)
    assert asked.sessions == WITH_MODES.sessions
    connection, told = folded(agent_answers(5), onto=asked)
    assert connection.sessions == {"s": ready(modes=modes("b"))}
    assert told == (
        RequestAnswered(
            request_id=5, method="session/set_mode", session_id="s", result=JsonObject({})
        ),
    )


def test_the_mode_is_unchanged_on_error():
    """MODE-03."""
    connection, told = folded(set_mode(), agent_refuses(5), onto=WITH_MODES)
    assert connection.sessions == WITH_MODES.sessions
    assert [type(each) for each in told] == [RequestFailed]


@pytest.mark.parametrize(
    ("messages", "current"),
    [
        ((now_in("a"), set_mode("b"), agent_answers(5)), "b"),
        ((set_mode("b"), now_in("a"), agent_answers(5)), "a"),
        ((set_mode("b"), now_in("x"), agent_answers(5)), "x"),
        ((set_mode("b"), now_in("b"), agent_answers(5)), "b"),
        ((set_mode("b"), agent_answers(5), now_in("a")), "a"),
        ((set_mode("a"), set_mode("b", 6), agent_answers(6), agent_answers(5)), "a"),
        ((set_mode("b"), now_in("a"), set_mode("b", 6), agent_answers(5), agent_answers(6)), "b"),
        ((set_mode("b"), now_in(5), agent_answers(5)), "b"),
    ],
)
def test_a_report_after_the_request_outranks_its_answer(messages, current):
    """MODE-03: "unless a `current_mode_update` arrived after the request was sent"."""
    assert session_after(*messages, onto=WITH_MODES) == ready(modes=modes(current))


def test_the_alias_of_a_report_outranks_the_answer_too():
    """MODE-03, LENIENT-15."""
    alias = update("current_mode_update", modeId="a")
    session = session_after(set_mode(), alias, agent_answers(5), onto=WITH_MODES)
    assert session == ready(modes=modes("a"))


@pytest.mark.parametrize("onto", [WITH_MODES, after(*made())], ids=["others", "none"])
def test_a_success_for_a_mode_that_was_not_reported_changes_nothing(onto):
    """MODE-03: current mode unchanged, `diag:unknown-mode`."""
    connection, told = folded(set_mode("x"), agent_answers(5), onto=onto)
    assert connection.sessions == onto.sessions
    [diagnosed, _] = told
    assert (diagnosed.diagnostic.code, diagnosed.diagnostic.rule) == ("unknown-mode", "MODE-03")
    assert notices(told) == [("unknown-mode", "warning", "s")]


@pytest.mark.parametrize("params", [{}, {"sessionId": "s"}, {"sessionId": "s", "modeId": 5}])
def test_a_success_that_names_no_mode_changes_nothing(params):
    """MODE-03."""
    asked = client_asks(5, "session/set_mode", **params)
    connection, told = folded(asked, agent_answers(5), onto=WITH_MODES)
    assert connection.sessions == WITH_MODES.sessions
    assert noticed(told) == []


def test_a_command_sets_a_reported_mode_alone():
    """MODE-02: a `modeId` from `availableModes`."""
    _, [send] = reduce(WITH_MODES, SetMode("s", "b"))
    params = {"sessionId": "s", "modeId": "b"}
    message = {"jsonrpc": "2.0", "id": 2, "method": "session/set_mode", "params": params}
    assert send == Send(message)
    for onto, mode in ((WITH_MODES, "x"), (after(*made()), "a")):
        with pytest.raises(LocalProtocolError) as refused:
            reduce(onto, SetMode("s", mode))
        assert (refused.value.rule, refused.value.session_id) == ("MODE-02", "s")


# CFG-01, CFG-02


def select(current="v", option_id="o"):
    """The JSON of an option with the values `v` and `w`."""
    values = [{"value": "v", "name": "V"}, {"value": "w", "name": "W"}]
    return {
        "id": option_id, "name": "O", "type": "select", "currentValue": current, "options": values,
    }  # fmt: skip


def known_select(current="v", option_id="o"):
    """The same as the model holds it."""
    values = (
        SessionConfigSelectOption(value="v", name="V"),
        SessionConfigSelectOption(value="w", name="W"),
    )
    return SessionConfigSelect(id=option_id, name="O", current_value=current, options=values)


SWITCH = {"id": "b", "name": "B", "type": "boolean", "currentValue": False}

WITH_OPTIONS = after(*made(configOptions=[select(), SWITCH]))


def set_option(value="w", config_id="o", **kind):
    """``session/set_config_option``."""
    return client_asks(
        5, "session/set_config_option", sessionId="s", configId=config_id, value=value, **kind
    )


def test_the_answer_carries_the_complete_list():
    """CFG-01: replace all, order significant; CFG-02: no change before the response."""
    asked = after(set_option(), onto=WITH_OPTIONS)
    assert asked.sessions == WITH_OPTIONS.sessions
    result = {"configOptions": [select("v", "x"), select("w")]}
    connection, told = folded(agent_answers(5, result), onto=asked)
    assert connection.sessions == {
        "s": ready(config_options=(known_select("v", "x"), known_select("w")))
    }
    assert [type(each) for each in told] == [RequestAnswered]


def test_an_error_changes_no_option():
    """Section 19: unchanged."""
    connection = after(set_option(), agent_refuses(5), onto=WITH_OPTIONS)
    assert connection.sessions == WITH_OPTIONS.sessions


@pytest.mark.parametrize("result", [{}, [], "x"])
def test_a_malformed_answer_changes_no_option(result):
    """4.2: bad response, no state change."""
    connection, told = folded(set_option(), agent_answers(5, result), onto=WITH_OPTIONS)
    assert connection.sessions == WITH_OPTIONS.sessions
    assert noticed(told) == ["bad-response"]
    assert [type(each) for each in told] == [Diagnose, RequestFailed]


@pytest.mark.parametrize("options", [None, [], "x", 5])
def test_an_empty_list_is_a_list(options):
    """4.2, LENIENT-04: null and what is no array are `[]`."""
    answer = agent_answers(5, {"configOptions": options})
    connection = after(set_option(), answer, onto=WITH_OPTIONS)
    assert connection.sessions == {"s": ready(config_options=())}


def test_the_options_of_an_answer_are_checked_like_those_of_an_update():
    """CFG-06: a value that is not listed is kept, of two with one id the first counts."""
    result = {"configOptions": [select("x"), select("w")]}
    connection, told = folded(set_option(), agent_answers(5, result), onto=WITH_OPTIONS)
    assert connection.sessions == {"s": ready(config_options=(known_select("x"),))}
    assert noticed(told) == ["config-value", "item-dropped"]


@pytest.mark.parametrize(
    ("command", "params"),
    [
        (SetConfigOption("s", "o", "w"), {"configId": "o", "value": "w"}),
        (SetConfigOption("s", "b", True), {"configId": "b", "type": "boolean", "value": True}),  # noqa: FBT003
    ],
)
def test_a_command_sets_a_listed_value(command, params):
    """CFG-02: select: no `type` needed; boolean: `type:"boolean"` plus boolean value."""
    _, [send] = reduce(WITH_OPTIONS, command)
    assert send == Send(
        {
            "jsonrpc": "2.0", "id": 2, "method": "session/set_config_option",
            "params": {"sessionId": "s", **params},
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("config_id", "value"), [("x", "v"), ("o", "x"), ("o", True), ("b", "true"), ("b", "v")]
)
def test_a_command_sets_no_other_value(config_id, value):
    """CFG-02."""
    with pytest.raises(LocalProtocolError) as refused:
        reduce(WITH_OPTIONS, SetConfigOption("s", config_id, value))
    assert (refused.value.rule, refused.value.session_id) == ("CFG-02", "s")


def test_boolean_options_are_kept_where_they_were_advertised():
    """CFG-05: nobody said that they are not."""
    [_, switch] = WITH_OPTIONS.sessions["s"].config_options
    assert switch == SessionConfigBoolean(id="b", name="B", current_value=False)


# INFO-01: titles


def set_title(title="T"):
    """``session/set_title``."""
    return client_asks(5, "session/set_title", sessionId="s", title=title)


def test_the_title_is_the_returned_one():
    """INFO-01, section 19: info title = result; unchanged on send and on error."""
    before = after(*made(), update("session_info_update", title="Old"))
    asked = after(set_title(), onto=before)
    assert asked.sessions == before.sessions
    assert after(agent_refuses(5), onto=asked).sessions == before.sessions
    connection = after(agent_answers(5, {"title": "t!"}), onto=asked)
    assert connection.sessions == {"s": ready(title="t!")}


def test_the_title_of_a_session_in_the_catalogue_is_the_returned_one():
    """INFO-01, 4.2: any session that is listed can be retitled, and need not be active."""
    entry = {"sessionId": "s", "cwd": "/w", "title": "Old"}
    listed = after(client_asks(1, "session/list"), agent_answers(1, {"sessions": [entry]}))
    connection = after(set_title(), agent_answers(5, {"title": "New"}), onto=listed)
    info = SessionInfo(session_id="s", cwd="/w", title="New")
    assert (connection.catalogue, connection.sessions) == ({"s": info}, {})
    loaded = after(load(6), agent_answers(6), onto=connection)
    assert loaded.sessions["s"].title == "New"


@pytest.mark.parametrize("result", [{}, {"title": None}, {"title": 5}, None])
def test_a_malformed_title_changes_nothing(result):
    """4.2: bad response."""
    answer = ("agent", {"jsonrpc": "2.0", "id": 5, "result": result})
    connection, told = folded(set_title(), answer, onto=after(*made()))
    assert connection.sessions == {"s": ready()}
    assert noticed(told) == ["bad-response"]


def test_titles_and_options_of_unknown_sessions_are_nobodys():
    """15.5: they make no session."""
    for asked, result in (
        (set_title(), {"title": "T"}),
        (set_option(), {"configOptions": []}),
        (set_mode(), {}),
    ):
        assert after(asked, agent_answers(5, result)).sessions == {}


def test_a_title_is_set_by_a_command():
    """Section 19."""
    _, [send] = reduce(after(*made()), SetTitle("s", "T"))
    params = {"sessionId": "s", "title": "T"}
    message = {"jsonrpc": "2.0", "id": 2, "method": "session/set_title", "params": params}
    assert send == Send(message)


# INFO-01, INFO-03: the catalogue


def listed(*entries, request_id=8):
    """``session/list`` and a page."""
    sessions = [{"sessionId": "s", "cwd": "/w", **entry} for entry in entries]
    return (
        client_asks(request_id, "session/list"),
        agent_answers(request_id, {"sessions": sessions}),
    )


INFO = {"title": "T", "updatedAt": "now", "_meta": {"k": 1}}
KNOWN_INFO = {"title": "T", "updated_at": "now", "meta": JsonObject({"k": 1})}


def test_an_entry_goes_into_a_session_that_exists():
    """INFO-01: title, updatedAt and `_meta` seed the session; the catalogue is kept apart."""
    connection = after(*made(), *listed({**INFO, "cwd": "/other"}))
    assert connection.sessions == {"s": ready(**KNOWN_INFO)}
    assert connection.catalogue == {"s": SessionInfo(session_id="s", cwd="/other", **KNOWN_INFO)}


@pytest.mark.parametrize("empty", [{}, {"title": None, "updatedAt": None, "_meta": None}])
def test_null_and_absent_do_nothing(empty):
    """INFO-01."""
    told = update("session_info_update", title="T", updatedAt="now", meta={"k": 1})
    before = after(*made(), told)
    connection = after(*listed(empty), onto=before)
    assert connection.sessions["s"] is before.sessions["s"]


@pytest.mark.parametrize("attempt", [load(), resume()], ids=["load", "resume"])
def test_an_entry_goes_into_a_session_that_is_created_later(attempt):
    """INFO-01: by load or resume."""
    asked = after(*listed(INFO), attempt)
    assert asked.sessions["s"].title == "T"
    session = after(agent_answers(2), onto=asked).sessions["s"]
    assert session == ready(history_incomplete=attempt == resume(), **KNOWN_INFO)


def test_an_entry_replaces_the_one_before_wholesale():
    """INFO-03: `additionalDirectories` is never merged with older values."""
    older = {**INFO, "additionalDirectories": ["/x"], "archived": True}
    connection = after(*listed(older), *listed({"title": "New"}, request_id=9))
    assert connection.catalogue == {"s": SessionInfo(session_id="s", cwd="/w", title="New")}
    connection = after(*listed({"additionalDirectories": ["/y"]}, request_id=10), onto=connection)
    assert connection.catalogue["s"].additional_directories == ("/y",)


def test_pages_add_to_the_catalogue():
    """INFO-03: in the agent's order; cursors are not persisted."""
    first = (
        client_asks(8, "session/list"),
        agent_answers(8, {"sessions": [{"sessionId": "a", "cwd": "/w"}], "nextCursor": "c"}),
    )
    second = (
        client_asks(9, "session/list", cursor="c"),
        agent_answers(
            9, {"sessions": [{"sessionId": "b", "cwd": "/w"}, {"sessionId": "a", "cwd": "/w2"}]}
        ),
    )
    connection = after(*first, *second)
    assert connection == attrs.evolve(
        READY,
        next_request_id=10,
        catalogue=Map.of(
            {
                "a": SessionInfo(session_id="a", cwd="/w2"),
                "b": SessionInfo(session_id="b", cwd="/w"),
            }
        ),
    )


def test_a_list_that_fails_changes_nothing():
    """Section 19."""
    before = after(*listed(INFO))
    connection = after(client_asks(9, "session/list"), agent_refuses(9), onto=before)
    assert connection == attrs.evolve(before, next_request_id=10)


def test_a_listed_child_stays_a_child():
    """SUB-20: if one is listed it is still a restricted child; SUB-06: labels stay apart."""
    before = after(*made("p"), child("s", "p", title="label"))
    connection = after(*listed(INFO), onto=before)
    assert connection.sessions["s"] == Session("s", parent_id="p", **KNOWN_INFO)
    assert connection.sessions["p"] is before.sessions["p"]
    with pytest.raises(LocalProtocolError) as refused:
        reduce(connection, SetTitle("s", "T"))
    assert refused.value.code == "child-mutation-refused"


def test_the_working_directory_is_immutable():
    """INFO-02: no update and no list changes the roots of a session."""
    other = {"cwd": "/other", "additionalDirectories": ["/x"]}
    assert session_after(*made(), *listed(other)) == ready()
