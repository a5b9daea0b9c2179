"""Session configuration options.

Source: protocol v1 draft, Session Config Options; ``$defs``: SessionConfigOption and what it holds,
ConfigOptionUpdate.
"""

from typing import Final, TypeAlias

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.wire import TaggedUnion, wire

SessionConfigOptionCategory: TypeAlias = str
"""Open, and only a hint: ``mode``, ``model``, ``model_config``, ``thought_level``, or any other."""


@frozen(kw_only=True)
class SessionConfigSelectOption:
    """A value that can be chosen."""

    value: str
    name: str
    description: str | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class SessionConfigSelectGroup:
    """Values under a heading."""

    group: str
    name: str
    options: tuple[SessionConfigSelectOption, ...] = field(
        metadata=wire(lenient=True, skip_items=True)
    )
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


SessionConfigSelectOptions: TypeAlias = (
    tuple[SessionConfigSelectOption, ...] | tuple[SessionConfigSelectGroup, ...]
)
"""All values or all groups; one bad item spoils the list, an empty one is ungrouped (CFG-07)."""


@frozen(kw_only=True)
class _SessionConfigOptionBase:
    id: str = field(metadata=wire(identifies=True))
    name: str
    description: str | None | Omitted = OMITTED
    category: SessionConfigOptionCategory | None | Omitted = OMITTED


@frozen(kw_only=True)
class SessionConfigSelect(_SessionConfigOptionBase):
    """An option with one value out of a list; `current_value` is the value's id."""

    current_value: str
    options: SessionConfigSelectOptions
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class SessionConfigBoolean(_SessionConfigOptionBase):
    """An option that is on or off (CFG-05)."""

    current_value: bool
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


SessionConfigOption: TypeAlias = SessionConfigSelect | SessionConfigBoolean

SESSION_CONFIG_OPTION: Final = TaggedUnion(
    tag="type",
    variants={"select": SessionConfigSelect, "boolean": SessionConfigBoolean},
    unknown_rule="CFG-04",
)


@frozen(kw_only=True)
class SetSessionConfigOptionResponse:
    """All options, as they are after one was set (CFG-01)."""

    config_options: tuple[SessionConfigOption, ...] = field(
        metadata=wire(lenient=True, skip_items=True)
    )
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class ConfigOptionUpdate:
    """The complete list of options, in the agent's order (CFG-01)."""

    config_options: tuple[SessionConfigOption, ...] = field(
        metadata=wire(lenient=True, skip_items=True)
    )
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
