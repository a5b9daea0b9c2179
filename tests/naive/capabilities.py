"""What the two sides advertise, as tables (section 16, section 20)."""

from __future__ import annotations

from naive.reading import (
    META,
    Bad,
    boolean,
    lenient_list,
    may,
    may_not_null,
    must,
    string,
    table,
    whole,
)

MARK = may(table(meta=META))
"""An object marks a capability, null and absent its lack (INIT-02)."""
FLAG = may_not_null(boolean)


def marks(*names, **more):
    """An object of marks."""
    return table(**dict.fromkeys(names, MARK), **more, meta=META)


CLIENT = table(
    fs=may_not_null(table(readTextFile=FLAG, writeTextFile=FLAG, meta=META)),
    terminal=FLAG,
    session=may(marks("compaction", "notices", configOptions=may(marks("boolean")))),
    subagents=MARK,
    plan=MARK,
    auth=may_not_null(table(terminal=FLAG, meta=META)),
    elicitation=may(marks("form", "url")),
    meta=META,
)
PROMPT_MODE = marks("override")
AGENT = table(
    loadSession=FLAG,
    promptCapabilities=may_not_null(table(image=FLAG, audio=FLAG, embeddedContext=FLAG, meta=META)),
    mcpCapabilities=may_not_null(table(http=FLAG, sse=FLAG, acp=FLAG, meta=META)),
    sessionCapabilities=may_not_null(
        marks(
            "list",
            "delete",
            "additionalDirectories",
            "fork",
            "archive",
            "status",
            "title",
            "resume",
            "close",
            systemPrompt=may(table(mode=may(PROMPT_MODE), meta=META)),
        )
    ),
    auth=may_not_null(marks("status", "logout")),
    providers=MARK,
    meta=META,
)
WHO = table(name=must(string), version=must(string), title=may(string), meta=META)
AUTH_METHOD = table(id=must(string), name=must(string), description=may(string), meta=META)


def version(value, notes):
    """An integer from 0 to 65535 (4.2)."""
    if not 0 <= whole(value, notes) <= 65535:
        raise Bad
    return int(value)


INITIALIZE = table(
    protocolVersion=must(version),
    agentCapabilities=may_not_null(AGENT),
    authMethods=may_not_null(lenient_list(AUTH_METHOD)),
    agentInfo=may(WHO),
    meta=META,
)
ASKED = table(
    protocolVersion=must(version),
    clientCapabilities=may_not_null(CLIENT),
    clientInfo=may(WHO),
    meta=META,
)
