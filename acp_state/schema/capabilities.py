"""What a client says it can do; it decides which updates an agent may send (INIT-02).

Source: protocol v1 draft, Initialization; ``$defs``: ClientCapabilities and what it holds.
A capability is an object; absent, null and malformed all mean unsupported (INIT-02).
"""

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen


@frozen(kw_only=True)
class Marker:
    """A capability that is there or not, and says nothing more."""

    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class CompactionCapabilities(Marker):
    """``compaction_update`` and ``compaction_summary_chunk`` may be sent."""


@frozen(kw_only=True)
class NoticeCapabilities(Marker):
    """``notice`` may be sent."""


@frozen(kw_only=True)
class PlanCapabilities(Marker):
    """``plan_update`` and ``plan_removed`` may be sent."""


@frozen(kw_only=True)
class SubagentCapabilities(Marker):
    """``subagent_update``, ``session_message`` and ``session_message_chunk`` may be sent."""


@frozen(kw_only=True)
class BooleanConfigOptionCapabilities(Marker):
    """Boolean config options may be sent."""


@frozen(kw_only=True)
class SessionConfigOptionsCapabilities:
    """Types of config options beyond ``select``."""

    boolean: BooleanConfigOptionCapabilities | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class ClientSessionCapabilities:
    """What the client can do with a session's updates."""

    compaction: CompactionCapabilities | None | Omitted = OMITTED
    config_options: SessionConfigOptionsCapabilities | None | Omitted = OMITTED
    notices: NoticeCapabilities | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class FileSystemCapabilities:
    """Which file requests the client answers."""

    read_text_file: bool | Omitted = OMITTED
    write_text_file: bool | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class AuthCapabilities:
    """Which ways of authentication the client can show."""

    terminal: bool | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class ElicitationFormCapabilities(Marker):
    """The client can show a form."""


@frozen(kw_only=True)
class ElicitationUrlCapabilities(Marker):
    """The client can open a URL."""


@frozen(kw_only=True)
class ElicitationCapabilities:
    """How the client can ask the user for input."""

    form: ElicitationFormCapabilities | None | Omitted = OMITTED
    url: ElicitationUrlCapabilities | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class ClientCapabilities:
    """All that the client advertised; fixed for the connection (INIT-05)."""

    fs: FileSystemCapabilities | Omitted = OMITTED
    terminal: bool | Omitted = OMITTED
    session: ClientSessionCapabilities | None | Omitted = OMITTED
    subagents: SubagentCapabilities | None | Omitted = OMITTED
    plan: PlanCapabilities | None | Omitted = OMITTED
    auth: AuthCapabilities | Omitted = OMITTED
    elicitation: ElicitationCapabilities | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
