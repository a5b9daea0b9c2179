"""Slash commands.

Source: protocol v1 draft, Slash Commands; ``$defs``: AvailableCommand, AvailableCommandInput,
UnstructuredCommandInput, AvailableCommandsUpdate.
"""

from typing import TypeAlias

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.wire import wire


@frozen(kw_only=True)
class UnstructuredCommandInput:
    """All text after the command's name is its input."""

    hint: str
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


AvailableCommandInput: TypeAlias = UnstructuredCommandInput


@frozen(kw_only=True)
class AvailableCommand:
    """A command that a prompt can begin with (CMD-02)."""

    name: str
    description: str
    input: AvailableCommandInput | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class AvailableCommandsUpdate:
    """The complete list of commands (CMD-01)."""

    available_commands: tuple[AvailableCommand, ...] = field(
        metadata=wire(lenient=True, skip_items=True)
    )
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
