"""The nineteen updates (4.1) and the requests that carry state (4.2), as tables."""

from __future__ import annotations

from naive.capabilities import INITIALIZE
from naive.forms import form
from naive.reading import (
    BLOCK,
    COMMAND,
    COST,
    ENTRY,
    KIND,
    LOCATION,
    META,
    MODES,
    OPTION,
    RIGHTS,
    STATUS,
    TOOL_CONTENT,
    USAGE,
    Bad,
    anything,
    boolean,
    count,
    filled,
    lenient_list,
    may,
    may_not_null,
    may_strictly,
    must,
    must_list,
    name_of_entity,
    null_is_empty,
    path,
    record,
    strict_list,
    string,
    table,
    tagged,
    work_state,
)  # fmt: skip

CHUNK = table(content=must(BLOCK), messageId=may(name_of_entity), meta=META)
PATCH = {
    "title": may(string), "name": may(string), "kind": may(KIND), "status": may(STATUS),
    "content": may(lenient_list(TOOL_CONTENT)), "locations": may(lenient_list(LOCATION)),
    "rawInput": may(anything), "rawOutput": may(anything), "meta": META,
}  # fmt: skip
TOOL_CALL_UPDATE = table(toolCallId=must(name_of_entity), **PATCH)
PLANS = tagged(
    "type",
    items=table(planId=must(name_of_entity), entries=must_list(ENTRY), meta=META),
    file=table(planId=must(name_of_entity), uri=must(string), meta=META),
    markdown=table(planId=must(name_of_entity), content=must(string), meta=META),
)

UPDATES = {
    "user_message_chunk": CHUNK,
    "agent_message_chunk": CHUNK,
    "agent_thought_chunk": CHUNK,
    "tool_call": table(
        toolCallId=must(name_of_entity), title=must(string), name=may(string),
        kind=may_not_null(KIND), status=may_not_null(STATUS),
        content=may_not_null(lenient_list(TOOL_CONTENT)),
        locations=may_not_null(lenient_list(LOCATION)),
        rawInput=may(anything), rawOutput=may(anything), meta=META,
    ),
    "tool_call_update": TOOL_CALL_UPDATE,
    "plan": table(entries=must_list(ENTRY), meta=META),
    "plan_update": table(plan=must(PLANS), meta=META),
    "plan_removed": table(planId=must(name_of_entity), meta=META),
    "available_commands_update": table(availableCommands=must_list(COMMAND), meta=META),
    "current_mode_update": table(currentModeId=must(name_of_entity), meta=META),
    "config_option_update": table(configOptions=must_list(OPTION), meta=META),
    "session_info_update": table(title=may(string), updatedAt=may(string), meta=META),
    "usage_update": table(used=must(count), size=must(count), cost=may(COST), meta=META),
    "notice": table(
        severity=must(string), title=must(filled), description=may(string), meta=META
    ),
    "compaction_update": table(
        compactionId=must(name_of_entity), status=must(string), summary=may(lenient_list(BLOCK)),
        error=may(string), meta=META,
    ),
    "compaction_summary_chunk": table(
        compactionId=must(name_of_entity), content=must(BLOCK), meta=META
    ),
    "subagent_update": table(
        sessionId=must(name_of_entity), title=may(string), description=may(string),
        capabilities=may(RIGHTS), state=may(work_state), cwd=may_strictly(path),
        additionalDirectories=may_strictly(strict_list(path)), meta=META,
    ),
    "session_message": table(
        messageId=must(name_of_entity), senderSessionId=may(string),
        recipientSessionId=may(string), senderMessageId=may(string),
        recipientMessageId=may(string), content=may(lenient_list(BLOCK)), meta=META,
    ),
    "session_message_chunk": table(
        messageId=must(name_of_entity), content=must(BLOCK), senderSessionId=may(string),
        recipientSessionId=may(string), meta=META,
    ),
}  # fmt: skip

NEEDED = {
    "plan_update": "plan", "plan_removed": "plan",
    "notice": "session.notices",
    "compaction_update": "session.compaction", "compaction_summary_chunk": "session.compaction",
    "subagent_update": "subagents",
    "session_message": "subagents", "session_message_chunk": "subagents",
}  # fmt: skip
"""What the client must have advertised for an update (section 20)."""


def read_update(update, notes):
    """The update that counts (RPC-07, LENIENT-10, LENIENT-11); raises `Bad` for none."""
    kind = update.get("sessionUpdate")
    if not isinstance(kind, str) or kind not in UPDATES:
        raise Bad
    if kind == "current_mode_update" and "currentModeId" not in update and "modeId" in update:
        update = {**update, "currentModeId": update["modeId"]}  # LENIENT-15
        notes.append("alias")
    return kind, UPDATES[kind](update, notes)


# Requests of the agent's


def option_kind(value, notes):
    """An unknown kind is kept, and told (PERM-03)."""
    known = ("allow_once", "allow_always", "reject_once", "reject_always")
    if string(value, notes) not in known:
        notes.append("field-defaulted")
    return value


PERMISSION = table(
    sessionId=must(string),
    toolCall=must(TOOL_CALL_UPDATE),
    options=must(
        strict_list(
            table(
                optionId=must(name_of_entity), name=must(string), kind=must(option_kind), meta=META
            )
        )
    ),
    meta=META,
)
ENV = table(name=must(string), value=must(string), meta=META)
WORK = {
    "fs/read_text_file": table(
        sessionId=must(string), path=must(path), line=may_strictly(count),
        limit=may_strictly(count), meta=META,
    ),
    "fs/write_text_file": table(
        sessionId=must(string), path=must(path), content=must(string), meta=META
    ),
    "terminal/create": table(
        sessionId=must(string), command=must(string), args=null_is_empty(strict_list(string)),
        env=null_is_empty(strict_list(ENV)), cwd=may_strictly(path),
        outputByteLimit=may_strictly(count), meta=META,
    ),
    **{
        f"terminal/{verb}": table(sessionId=must(string), terminalId=must(string), meta=META)
        for verb in ("output", "wait_for_exit", "kill", "release")
    },
}  # fmt: skip
WORK_NEEDS = {
    "fs/read_text_file": "fs.readTextFile",
    "fs/write_text_file": "fs.writeTextFile",
    **{f"terminal/{verb}": "terminal"
       for verb in ("create", "output", "wait_for_exit", "kill", "release")},
}  # fmt: skip

# Results

EXIT = table(exitCode=may(count), signal=may(string), meta=META)
RESULTS = {
    "session/prompt": table(stopReason=must(string), usage=may(USAGE), meta=META),
    "session/new": table(sessionId=must(name_of_entity), modes=may(MODES),
                         configOptions=may(lenient_list(OPTION)), meta=META),
    "session/load": table(modes=may(MODES), configOptions=may(lenient_list(OPTION)), meta=META),
    "session/set_config_option": table(configOptions=must_list(OPTION), meta=META),
    "session/set_title": table(title=must(string), meta=META),
    "session/list": table(
        sessions=must_list(table(
            sessionId=must(string), cwd=must(path),
            additionalDirectories=may_not_null(lenient_list(path)), title=may(string),
            updatedAt=may(string), archived=may(boolean), meta=META,
        )),
        nextCursor=may(string), meta=META,
    ),
    "session/status": table(status=must(string), meta=META),
    "auth/status": table(
        state=must(string),
        accounts=may_not_null(lenient_list(table(
            label=must(string), active=may(boolean), name=may(string), email=may(string),
            organization=may(string), meta=META,
        ))),
        meta=META,
    ),
    "fs/read_text_file": table(content=must(string), meta=META),
    "terminal/create": table(terminalId=must(string), meta=META),
    "terminal/output": table(
        output=must(string), truncated=must(boolean), exitStatus=may(EXIT), meta=META
    ),
    "terminal/wait_for_exit": EXIT,
}  # fmt: skip
MAY_BE_NULL = {"session/load", "session/resume", "terminal/wait_for_exit"}
"""Methods whose results have no required field (RPC-13)."""
RESULTS["initialize"] = INITIALIZE
RESULTS["session/fork"] = RESULTS["session/new"]
RESULTS["session/resume"] = RESULTS["session/load"]
PERMISSION_RESULT = table(
    outcome=must(tagged("outcome", cancelled=table(meta=META),
                        selected=table(optionId=must(string), meta=META)))
)  # fmt: skip
ELICITATION_RESULT = table(action=must(string), content=may(record))
FORM = {
    "form": table(message=must(string), requestedSchema=must(form)),
    "url": table(message=must(string), url=must(string), elicitationId=must(string)),
}
