"""Modes, config options and commands: latest-value slots (MODE, CFG)."""

from __future__ import annotations

from typing import Any

import attrs

from acp_state.intents import Intent
from acp_state.model import Session
from acp_state.model.copying import evolve
from acp_state.omitted import OMITTED
from acp_state.reduce.capabilities import is_advertised
from acp_state.reduce.step import Faults, Step, diagnose
from acp_state.schema import (
    AvailableCommandsUpdate,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    SessionConfigBoolean,
    SessionConfigOption,
    SessionConfigSelect,
    SessionConfigSelectGroup,
    SessionModeState,
)
from acp_state.schema.session_setup import LoadSessionResponse

BOOLEAN_OPTIONS = "session.config_options.boolean"


def on_available_commands_update(
    session: Session, update: AvailableCommandsUpdate, _: Faults
) -> Step:
    """Replace the list of commands (CMD-01)."""
    return _with(session, available_commands=update.available_commands), ()


def on_current_mode_update(session: Session, update: CurrentModeUpdate, _: Faults) -> Step:
    """Change the current mode and nothing else (MODE-01)."""
    return set_current_mode(session, update.current_mode_id)


def set_current_mode(session: Session, mode_id: str) -> Step:
    """Make it the current mode; one that was not reported is kept and diagnosed (MODE-01)."""
    modes = session.modes or SessionModeState(current_mode_id=mode_id, available_modes=())
    changed = _with(session, modes=attrs.evolve(modes, current_mode_id=mode_id))
    if not modes.available_modes or is_reported(session, mode_id):
        return changed, ()
    text = f"mode {mode_id!r} is not among the reported ones; kept"
    return changed, (diagnose(session, "unknown-mode", text),)


def is_reported(session: Session, mode_id: str) -> bool:
    """Whether the mode is among those that were reported."""
    modes = session.modes
    return modes is not None and mode_id in {mode.id for mode in modes.available_modes}


def on_config_option_update(session: Session, update: ConfigOptionUpdate, _: Faults) -> Step:
    """Replace the list of options (CFG-01)."""
    return set_config_options(session, update.config_options)


def set_config_options(session: Session, options: tuple[SessionConfigOption, ...]) -> Step:
    """Take over the complete list, less what the rules leave out (CFG-05, CFG-06)."""
    kept: dict[str, SessionConfigOption] = {}
    intents: list[Intent] = []
    for option in options:
        if isinstance(option, SessionConfigBoolean) and not is_advertised(session, BOOLEAN_OPTIONS):
            text = f"option {option.id!r} is boolean, which was not advertised; left out"
            intents.append(_left_out(session, "CFG-05", text))
        elif option.id in kept:
            text = f"a second option {option.id!r}; the first counts"
            intents.append(_left_out(session, "CFG-06", text))
        else:
            kept[option.id] = option
            intents += _unlisted_value(session, option)
    return _with(session, config_options=tuple(kept.values())), tuple(intents)


def apply_setup(session: Session, response: LoadSessionResponse) -> Step:
    """Take over modes and options of a new, loaded, resumed or forked session (LOAD-12)."""
    modes, options = response.modes, response.config_options
    if modes is not OMITTED and modes is not None:
        session = _with(session, modes=modes)
    if options is OMITTED or options is None:
        return session, ()
    return set_config_options(session, options)


def _with(session: Session, **slot: Any) -> Session:
    """The session with another value in one slot; the same object if it is the same value."""
    [(name, value)] = slot.items()
    return session if getattr(session, name) == value else evolve(session, **slot)


def _left_out(session: Session, rule: str, text: str) -> Intent:
    return diagnose(session, "item-dropped", text, rule=rule, path="configOptions")


def _unlisted_value(session: Session, option: SessionConfigOption) -> tuple[Intent, ...]:
    if not isinstance(option, SessionConfigSelect) or option.current_value in option_values(option):
        return ()
    text = f"{option.current_value!r} is no value of option {option.id!r}; kept"
    return (diagnose(session, "config-value", text, path="configOptions"),)


def option_values(option: SessionConfigSelect) -> set[str]:
    """The values that can be chosen, out of all groups."""
    return {
        choice.value
        for item in option.options
        for choice in (item.options if isinstance(item, SessionConfigSelectGroup) else (item,))
    }
