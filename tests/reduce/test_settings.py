"""Modes, config options and commands (section 13)."""

from __future__ import annotations

import pytest
from reduce.builders import (
    SESSION,
    after,
    agent_answers,
    codes,
    connected,
    fold,
    noticed,
    reported,
    to_agent,
    update,
    watch,
)

from acp_state import Session
from acp_state.reduce.settings import (
    apply_setup,
    is_reported,
    set_config_options,
    set_current_mode,
)
from acp_state.schema import (
    AvailableCommand,
    ClientCapabilities,
    LoadSessionResponse,
    SessionConfigBoolean,
    SessionConfigSelect,
    SessionConfigSelectGroup,
    SessionConfigSelectOption,
    SessionMode,
    SessionModeState,
    UnstructuredCommandInput,
)

ASK = SessionMode(id="ask", name="Ask")
CODE = SessionMode(id="code", name="Code", description="writes")
MODES = SessionModeState(current_mode_id="ask", available_modes=(ASK, CODE), meta={"k": 1})
WITH_MODES = Session("s", modes=MODES)


def mode(mode_id):
    return update("current_mode_update", currentModeId=mode_id)


def now(mode_id, modes=MODES):
    """The session in which this mode is the current one."""
    return Session(
        "s",
        modes=SessionModeState(
            current_mode_id=mode_id, available_modes=modes.available_modes, meta=modes.meta
        ),
    )


# Modes


def test_a_mode_update_changes_only_the_current_mode():
    """MODE-01: available modes stay."""
    assert fold(mode("code"), onto=WITH_MODES) == (now("code"), ())


def test_an_unknown_mode_is_kept():
    """MODE-01: `diag:unknown-mode`."""
    assert fold(mode("dance"), onto=WITH_MODES) == (
        now("dance"),
        (noticed("unknown-mode", "mode 'dance' is not among the reported ones; kept"),),
    )


def test_a_mode_without_reported_modes():
    """MODE-01: the id is stored with an empty list; nothing is unknown then."""
    expected = SessionModeState(current_mode_id="code", available_modes=())
    assert fold(mode("ask"), mode("code")) == (Session("s", modes=expected), ())


def test_the_alias_of_the_mode_id():
    """LENIENT-15, CONF-08: `modeId` where `currentModeId` is absent, `diag:alias`."""
    session, intents = fold(update("current_mode_update", modeId="code"), onto=WITH_MODES)
    assert session == now("code")
    assert intents == (noticed("alias", "'modeId' is read as 'currentModeId'", path="modeId"),)


def test_the_current_mode_again_changes_nothing():
    """Design, contract 5: the very same session."""
    assert after(mode("ask"), onto=WITH_MODES) is WITH_MODES


@pytest.mark.parametrize(
    ("session", "mode_id", "reported_"),
    [(WITH_MODES, "code", True), (WITH_MODES, "dance", False), (SESSION, "code", False)],
)
def test_which_modes_are_reported(session, mode_id, reported_):
    """MODE-01: those of the last response."""
    assert is_reported(session, mode_id) is reported_
    assert set_current_mode(session, mode_id)[0].modes.current_mode_id == mode_id


SET_MODE = to_agent("session/set_mode", 1, sessionId="s", modeId="code")


def test_a_set_mode_that_succeeds():
    """MODE-03: current = requested, and not before the answer."""
    asked, _ = watch(SET_MODE, onto=connected(WITH_MODES))
    assert asked.sessions["s"] is WITH_MODES
    done, intents = watch(agent_answers(1, {}), onto=asked)
    assert (done.sessions["s"], intents) == (now("code"), ())


def test_a_mode_that_was_reported_since():
    """MODE-03: a `current_mode_update` after the request was sent is kept."""
    connection, intents = watch(
        SET_MODE, reported(mode("ask")), agent_answers(1, {}), onto=connected(now("code"))
    )
    assert (connection.sessions["s"], intents) == (WITH_MODES, ())


# Config options

LOW = {"value": "low", "name": "Low"}
HIGH = {"value": "high", "name": "High"}
READ_LOW = SessionConfigSelectOption(value="low", name="Low")
READ_HIGH = SessionConfigSelectOption(value="high", name="High")


def select(option_id="effort", value="low", options=(LOW, HIGH), **fields):
    return {
        "type": "select",
        "id": option_id,
        "name": "N",
        "currentValue": value,
        "options": list(options),
        **fields,
    }


def read_select(option_id="effort", value="low", options=(READ_LOW, READ_HIGH), **fields):
    return SessionConfigSelect(
        id=option_id, name="N", current_value=value, options=options, **fields
    )


def boolean(option_id="fast", *, value=True):
    return {"type": "boolean", "id": option_id, "name": "N", "currentValue": value}


READ_BOOLEAN = SessionConfigBoolean(id="fast", name="N", current_value=True)


def options(*sent):
    return update("config_option_update", configOptions=list(sent))


def dropped(path, text, rule, raw=None):
    return noticed("item-dropped", text, path=path, rule=rule, raw=raw)


def unlisted(value, option_id="effort", path="configOptions[0].currentValue"):
    return noticed(
        "config-value", f"{value!r} is no value of option {option_id!r}; kept", path=path
    )


def test_options_are_the_complete_list():
    """CFG-01: replace all, order significant."""
    session = after(options(select("a"), select("b")), options(select("c"), boolean(), select("a")))
    assert session == Session(
        "s", config_options=(read_select("c"), READ_BOOLEAN, read_select("a"))
    )


def test_no_options_are_options():
    """CFG-01: an empty list is a concrete one."""
    assert after(options(select()), options()) == Session("s", config_options=())


@pytest.mark.parametrize(
    ("session", "preferred"),
    [
        (SESSION, None),
        (WITH_MODES, "modes"),
        (after(options(select()), onto=WITH_MODES), "config_options"),
        (after(options()), "config_options"),
    ],
)
def test_options_are_preferred_to_modes(session, preferred):
    """CFG-03: the model keeps both, and says which one hosts use."""
    assert session.preferred_settings == preferred


def test_both_are_kept():
    """CFG-03."""
    session = after(options(select()), onto=WITH_MODES)
    assert session == Session("s", modes=MODES, config_options=(read_select(),))


def test_an_option_of_an_unknown_type_is_ignored():
    """CFG-04: `diag:item-dropped`."""
    slider = {"type": "slider", "id": "x", "name": "X", "currentValue": 5}
    assert fold(options(slider, select())) == (
        Session("s", config_options=(read_select(),)),
        (dropped("configOptions[0]", "unknown type 'slider'", "CFG-04", slider),),
    )


@pytest.mark.parametrize(
    "session_capabilities",
    [{}, {"session": None}, {"session": {"configOptions": {}}}],
    ids=["none", "null", "without boolean"],
)
def test_a_boolean_option_without_the_capability(session_capabilities):
    """CFG-05: as an unrecognised one: one `item-dropped`, no `capability-violation`."""
    connection, _ = watch(to_agent("initialize", 1, clientCapabilities=session_capabilities))
    plain = Session("s", client_capabilities=connection.client_capabilities)
    session, intents = fold(options(boolean(), select()), onto=plain)
    assert session.config_options == (read_select(),)
    text = "option 'fast' is boolean, which was not advertised; left out"
    assert intents == (dropped("configOptions[0]", text, "CFG-05"),)


def test_a_boolean_option_with_the_capability():
    """CFG-05: `session.configOptions.boolean: {}`."""
    advertised = {"session": {"configOptions": {"boolean": {}}}}
    connection, _ = watch(to_agent("initialize", 1, clientCapabilities=advertised))
    able = Session("s", client_capabilities=connection.client_capabilities)
    assert after(options(boolean()), onto=able).config_options == (READ_BOOLEAN,)


def test_a_boolean_option_where_the_capabilities_are_not_known():
    """`Session.client_capabilities` None: nothing is checked against it."""
    assert after(options(boolean())).config_options == (READ_BOOLEAN,)


def test_a_left_out_option_takes_no_id():
    """CFG-05, CFG-06: the second of that id is the first that is recognised."""
    session = Session("s", client_capabilities=ClientCapabilities())
    session, intents = fold(options(boolean("x"), select("x")), onto=session)
    assert session.config_options == (read_select("x"),)
    assert codes(intents) == ("item-dropped",)


@pytest.mark.parametrize("category", [None, "model", "_vendor", ""])
def test_the_category_does_not_matter(category):
    """CFG-06, LENIENT-09: unknown or missing."""
    session = after(options(select(category=category)))
    assert session.config_options == (read_select(category=category),)


def test_a_value_that_is_not_listed_is_kept():
    """CFG-06: `diag:config-value`."""
    assert fold(options(select(value="middle"))) == (
        Session("s", config_options=(read_select(value="middle"),)),
        (unlisted("middle"),),
    )


@pytest.mark.parametrize(("value", "told"), [("high", ()), ("middle", (unlisted("middle"),))])
def test_values_in_groups_are_listed(value, told):
    """CFG-06, table 4.3."""
    groups = [{"group": "1", "name": "1", "options": [LOW]}]
    groups.append({"group": "2", "name": "2", "options": [HIGH]})
    session, intents = fold(options(select(value=value, options=groups)))
    assert session.config_options == (
        read_select(
            value=value,
            options=(
                SessionConfigSelectGroup(group="1", name="1", options=(READ_LOW,)),
                SessionConfigSelectGroup(group="2", name="2", options=(READ_HIGH,)),
            ),
        ),
    )
    assert intents == told


def test_a_duplicate_id_is_left_out():
    """CFG-06: the first wins, `diag:item-dropped`."""
    assert fold(options(select("a"), select("b"), select("a", value="x"))) == (
        Session("s", config_options=(read_select("a"), read_select("b"))),
        (dropped("configOptions[2]", "a second option 'a'; the first counts", "CFG-06"),),
    )


@pytest.mark.xfail(
    strict=True, reason="Diagnostic.path: counted without the items that were left out before"
)
def test_the_place_of_an_option_is_that_in_the_message():
    """`Diagnostic.path`: the part of the message, from the root of the update."""
    _, intents = fold(options(5, select("a", value="x"), select("a")))
    assert [intent.diagnostic.path for intent in intents] == [
        "configOptions[0]",
        "configOptions[1].currentValue",
        "configOptions[2]",
    ]


def test_an_empty_select_is_ungrouped_and_empty():
    """CFG-07; its value is not among those listed."""
    assert fold(options(select(options=()))) == (
        Session("s", config_options=(read_select(options=()),)),
        (unlisted("low"),),
    )


def test_equal_options_change_nothing():
    """Design, contract 5: the very same session."""
    before = after(options(select()))
    assert after(options(select()), onto=before) is before


# Setup


def test_a_setup_response_sets_what_it_reports():
    """MODE-01, LOAD-12: null and absent keep what is held."""
    response = LoadSessionResponse(modes=MODES, config_options=(READ_BOOLEAN,))
    session, intents = apply_setup(SESSION, response)
    assert (session, intents) == (
        Session("s", modes=MODES, config_options=(READ_BOOLEAN,)),
        (),
    )
    assert apply_setup(session, LoadSessionResponse()) == (session, ())
    assert apply_setup(session, LoadSessionResponse(modes=None, config_options=None)) == (
        session,
        (),
    )
    assert apply_setup(session, LoadSessionResponse(config_options=()))[0].config_options == ()


def test_what_a_setup_response_leaves_out_is_told():
    """CFG-06: as for an update."""
    doubled = (READ_BOOLEAN, READ_BOOLEAN)
    _, intents = apply_setup(SESSION, LoadSessionResponse(config_options=doubled))
    assert intents == set_config_options(SESSION, doubled)[1] != ()


# Commands


def commands(*sent):
    return update("available_commands_update", availableCommands=list(sent))


WEB = {"name": "web", "description": "d", "input": {"hint": "query"}}
READ_WEB = AvailableCommand(
    name="web", description="d", input=UnstructuredCommandInput(hint="query")
)


def test_there_are_no_commands_before_the_first_update():
    """CMD-01."""
    assert SESSION.available_commands == ()


def test_commands_replace_the_whole_list():
    """CMD-01."""
    plain = {"name": "plan", "description": "p"}
    session = after(commands(plain), commands(WEB, plain))
    read = (READ_WEB, AvailableCommand(name="plan", description="p"))
    assert session == Session("s", available_commands=read)
    assert after(commands(), onto=session) == SESSION


def test_equal_commands_change_nothing():
    """Design, contract 5: the very same session."""
    before = after(commands(WEB))
    assert after(commands(WEB), onto=before) is before
    assert after(commands()) is SESSION
