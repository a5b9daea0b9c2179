"""What type checkers must refuse: each line with an ignore is an error without it."""

from acp_state import Connection, Prompt, Session, apply_update, changes, reduce, restore

session, connection = Session("sess_1"), Connection()

apply_update(session, 5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
reduce(connection, {})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
changes(session, connection)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
restore({}, dict)  # type: ignore[type-var]  # pyright: ignore[reportArgumentType]
Prompt("sess_1", [5])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
session.title = "x"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
