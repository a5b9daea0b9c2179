"""Requests about a session that change a slot of it: nothing changes before the answer."""

from __future__ import annotations

from typing import Any

import attrs

from acp_state.model import Connection, PendingRequest, Session
from acp_state.model.copying import evolve
from acp_state.omitted import or_none
from acp_state.reduce.links import (
    Answer,
    ConnectionStep,
    lift,
    session_of,
    text_of,
)
from acp_state.reduce.settings import is_reported, set_config_options, set_current_mode
from acp_state.reduce.step import diagnose
from acp_state.schema import (
    ListSessionsResponse,
    SessionInfo,
    SetSessionConfigOptionResponse,
    SetSessionTitleResponse,
)


def on_mode_set(connection: Connection, request: PendingRequest, answer: Answer) -> ConnectionStep:
    """Take the requested mode, unless the agent reported one since (MODE-03)."""
    session, mode_id = session_of(connection, request), text_of(request.params, "modeId")
    failed = answer.error is not None or request.overtaken
    if session is None or failed or mode_id is None:
        return connection, ()
    if not is_reported(session, mode_id):
        text = f"mode {mode_id!r} was accepted but never reported; the current mode stays"
        return connection, (diagnose(session, "unknown-mode", text, rule="MODE-03"),)
    return lift(connection, set_current_mode(session, mode_id))


def on_config_option_set(
    connection: Connection, request: PendingRequest, answer: Answer
) -> ConnectionStep:
    """The answer carries the complete list of options (CFG-01)."""
    session = session_of(connection, request)
    if session is None or answer.error is not None:
        return connection, ()
    options: SetSessionConfigOptionResponse = answer.value
    return lift(connection, set_config_options(session, options.config_options))


def on_title_set(connection: Connection, request: PendingRequest, answer: Answer) -> ConnectionStep:
    """The title is what the agent made of it, in the catalogue as well (INFO-01)."""
    session_id = request.session_id
    if session_id is None or answer.error is not None:
        return connection, ()
    told: SetSessionTitleResponse = answer.value
    listed = connection.catalogue.get(session_id)
    if listed is not None:
        catalogue = connection.catalogue.set(session_id, attrs.evolve(listed, title=told.title))
        connection = evolve(connection, catalogue=catalogue)
    session = connection.sessions.get(session_id)
    if session is None:
        return connection, ()
    return connection.with_session(evolve(session, title=told.title)), ()


def on_listed(connection: Connection, _: PendingRequest, answer: Answer) -> ConnectionStep:
    """A page of the catalogue, which is kept apart from the sessions that are open (INFO-03).

    A child that it lists stays a child (SUB-20).
    """
    if answer.error is not None:
        return connection, ()
    page: ListSessionsResponse = answer.value
    for info in page.sessions:
        catalogue = connection.catalogue.set(info.session_id, info)
        connection = evolve(connection, catalogue=catalogue)
        session = connection.sessions.get(info.session_id)
        if session is not None:
            connection = connection.with_session(with_listed_info(session, info))
    return connection, ()


def with_listed_info(session: Session, info: SessionInfo) -> Session:
    """Title, time and metadata of the catalogue; null and absent do nothing (INFO-01)."""
    listed: dict[str, Any] = {
        "title": or_none(info.title),
        "updated_at": or_none(info.updated_at),
        "meta": or_none(info.meta),
    }
    known = {name: value for name, value in listed.items() if value is not None}
    return evolve(session, **known) if known else session
