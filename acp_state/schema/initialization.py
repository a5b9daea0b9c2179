"""The first request, and what the agent can do.

Source: protocol v1 draft, Initialization; ``$defs``: InitializeRequest, InitializeResponse,
AgentCapabilities and what they hold. An absent, null or malformed capability is unsupported
(INIT-02, INIT-04).
"""

from attrs import field

from acp_state.json_values import JsonObject, freeze_meta
from acp_state.omitted import OMITTED, Omitted
from acp_state.records import frozen
from acp_state.schema.authentication import AuthMethod
from acp_state.schema.capabilities import ClientCapabilities, Marker
from acp_state.schema.wire import wire


@frozen(kw_only=True)
class Implementation:
    """Name and version of a client or an agent."""

    name: str
    version: str
    title: str | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class PromptCapabilities:
    """Which content blocks beyond text and links a prompt may hold (TURN-02)."""

    image: bool | Omitted = OMITTED
    audio: bool | Omitted = OMITTED
    embedded_context: bool | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class McpCapabilities:
    """Which MCP transports beyond stdio the agent can use (SESS-01)."""

    http: bool | Omitted = OMITTED
    sse: bool | Omitted = OMITTED
    acp: bool | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class SessionListCapabilities(Marker):
    """``session/list`` may be sent."""


@frozen(kw_only=True)
class SessionDeleteCapabilities(Marker):
    """``session/delete`` may be sent."""


@frozen(kw_only=True)
class SessionAdditionalDirectoriesCapabilities(Marker):
    """Sessions may have further roots (SESS-02)."""


@frozen(kw_only=True)
class SessionSystemPromptOverrideCapabilities(Marker):
    """A system prompt may replace the agent's own."""


@frozen(kw_only=True)
class SessionSystemPromptModeCapabilities:
    """What a system prompt may do beyond being added to the agent's own."""

    override: SessionSystemPromptOverrideCapabilities | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class SessionSystemPromptCapabilities:
    """Sessions may be given a system prompt."""

    mode: SessionSystemPromptModeCapabilities | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class SessionForkCapabilities(Marker):
    """``session/fork`` may be sent."""


@frozen(kw_only=True)
class SessionArchiveCapabilities(Marker):
    """``session/archive`` and ``session/unarchive`` may be sent."""


@frozen(kw_only=True)
class SessionStatusCapabilities(Marker):
    """``session/status`` may be sent."""


@frozen(kw_only=True)
class SessionTitleCapabilities(Marker):
    """``session/set_title`` may be sent."""


@frozen(kw_only=True)
class SessionResumeCapabilities(Marker):
    """``session/resume`` may be sent."""


@frozen(kw_only=True)
class SessionCloseCapabilities(Marker):
    """``session/close`` may be sent."""


@frozen(kw_only=True)
class SessionCapabilities:
    """What the agent can do with sessions beyond making and prompting them."""

    list: SessionListCapabilities | None | Omitted = OMITTED
    delete: SessionDeleteCapabilities | None | Omitted = OMITTED
    additional_directories: SessionAdditionalDirectoriesCapabilities | None | Omitted = OMITTED
    system_prompt: SessionSystemPromptCapabilities | None | Omitted = OMITTED
    fork: SessionForkCapabilities | None | Omitted = OMITTED
    archive: SessionArchiveCapabilities | None | Omitted = OMITTED
    status: SessionStatusCapabilities | None | Omitted = OMITTED
    title: SessionTitleCapabilities | None | Omitted = OMITTED
    resume: SessionResumeCapabilities | None | Omitted = OMITTED
    close: SessionCloseCapabilities | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class AuthStatusCapabilities(Marker):
    """``auth/status`` may be sent."""


@frozen(kw_only=True)
class LogoutCapabilities(Marker):
    """``logout`` may be sent."""


@frozen(kw_only=True)
class AgentAuthCapabilities:
    """What the agent can do about authentication beyond ``authenticate``."""

    status: AuthStatusCapabilities | None | Omitted = OMITTED
    logout: LogoutCapabilities | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class ProvidersCapabilities(Marker):
    """``providers/*`` may be sent."""


@frozen(kw_only=True)
class AgentCapabilities:
    """All that the agent advertised; fixed for the connection (INIT-05)."""

    load_session: bool | Omitted = OMITTED
    prompt_capabilities: PromptCapabilities | Omitted = OMITTED
    mcp_capabilities: McpCapabilities | Omitted = OMITTED
    session_capabilities: SessionCapabilities | Omitted = OMITTED
    auth: AgentAuthCapabilities | Omitted = OMITTED
    providers: ProvidersCapabilities | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class InitializeRequest:
    """The client's protocol version and capabilities (INIT-01)."""

    protocol_version: int = field(metadata=wire(minimum=0, maximum=65535))
    client_capabilities: ClientCapabilities | Omitted = OMITTED
    client_info: Implementation | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)


@frozen(kw_only=True)
class InitializeResponse:
    """The version that is spoken, and the agent's capabilities (INIT-03)."""

    protocol_version: int = field(metadata=wire(minimum=0, maximum=65535))
    agent_capabilities: AgentCapabilities | Omitted = OMITTED
    auth_methods: tuple[AuthMethod, ...] | Omitted = field(
        default=OMITTED, metadata=wire(skip_items=True)
    )
    agent_info: Implementation | None | Omitted = OMITTED
    meta: JsonObject | None | Omitted = field(default=OMITTED, converter=freeze_meta)
