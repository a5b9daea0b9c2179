"""Readings where the protocol's texts contradict each other, and what was decided."""

from __future__ import annotations

from typing import Final

from acp_state.rules.rule import Reading

CONTRADICTIONS: Final = (
    Reading(
        id="CONF-01",
        question="Does a participant of null clear the one that is known?",
        decision="No: null and omitted both keep it.",
        why=(
            'The prose says "not supplied", the schema says "clears"; a participant that '
            "was known once stays a fact of the message."
        ),
        rules=(
            "SMSG-04",
            "PATCH-02",
        ),
    ),
    Reading(
        id="CONF-02",
        question="May a chunk of a message between sessions name the participants?",
        decision="Yes, it counts as in the message itself.",
        why=("The prose has it and the schema does not; an id that is told is worth having."),
        rules=("SMSG-04",),
    ),
    Reading(
        id="CONF-03",
        question="What do the message ids of the other side mean?",
        decision=("They are kept as hints for a link, with three states; the two views stay two."),
        why="Only the schema has them, and no text says that equal ids are one message.",
        rules=(
            "SMSG-07",
            "PATCH-01",
        ),
    ),
    Reading(
        id="CONF-04",
        question="What is a summary chunk before its compaction?",
        decision=(
            "It makes a compaction `in_progress`, and is diagnosed as `compaction-chunk-first`."
        ),
        why=("One text forbids it, another gives it this meaning; nothing the agent said is lost."),
        rules=("CMP-06",),
    ),
    Reading(
        id="CONF-05",
        question="Does a notice need a capability?",
        decision=("Yes; without it the notice is shown, and diagnosed as `capability-violation`."),
        why="The newest text asks for it, older ones do not.",
        rules=(
            "NOTICE-01",
            "LENIENT-16",
        ),
    ),
    Reading(
        id="CONF-06",
        question="May an error stand without `failed`, or a summary without `completed`?",
        decision="It is applied as sent, and diagnosed as `compaction-field-status`.",
        why=(
            "The prose forbids it and the schema does not; an error that was told is worth showing."
        ),
        rules=("CMP-03",),
    ),
    Reading(
        id="CONF-07",
        question="Are notices, compactions and the name of a tool drafts only?",
        decision="They are read on every connection.",
        why="The stable schema holds them already, so that nothing differs.",
    ),
    Reading(
        id="CONF-08",
        question="Is it `modeId` or `currentModeId`?",
        decision=(
            "The schema's `currentModeId`; `modeId` is read where it is absent, and "
            "diagnosed as `alias`."
        ),
        why="An example of the protocol's own spells it the other way.",
        rules=(
            "LENIENT-15",
            "MODE-01",
        ),
    ),
    Reading(
        id="CONF-09",
        question="Is a bare content block an item of a tool call's content?",
        decision=("No: the item is left out, and diagnosed as `item-dropped`; it is not wrapped."),
        why=("The schema wants an item around it, and the official readers leave it out too."),
        rules=("LENIENT-03",),
    ),
    Reading(
        id="CONF-10",
        question="Is a plan's id `id` or `planId`?",
        decision="`planId` alone.",
        why="Only older examples have `id`.",
        rules=(
            "LENIENT-15",
            "PLAN-03",
        ),
    ),
    Reading(
        id="CONF-11",
        question="What is a required list that is null or rubbish?",
        decision="Empty, where the schema marks it as lenient; diagnosed as `field-defaulted`.",
        why="Two official readers do so, one rejects the update.",
        rules=("LENIENT-04",),
    ),
    Reading(
        id="CONF-12",
        question="Is a malformed optional field absent or null?",
        decision="Absent: it keeps what is held.",
        why="As null it would clear, which nobody asked for.",
        rules=(
            "LENIENT-01",
            "LENIENT-02",
        ),
    ),
    Reading(
        id="CONF-13",
        question="Which currencies are there?",
        decision="Any string.",
        why="The schema allows units that are no currency, such as credits.",
        rules=("USAGE-02",),
    ),
    Reading(
        id="CONF-14",
        question="What does an omitted cost mean?",
        decision="Omitted keeps it, null clears it.",
        why="The first version is silent, and the second says so.",
        rules=("USAGE-02",),
    ),
    Reading(
        id="CONF-15",
        question="Does `_meta: null` clear a session's metadata?",
        decision="Yes.",
        why=(
            "The prose says so; that one official reader cannot see it is a limit of that reader."
        ),
        rules=(
            "INFO-01",
            "PATCH-01",
        ),
    ),
    Reading(
        id="CONF-16",
        question="Does a null `rawInput` or `rawOutput` of an update clear it?",
        decision="No, it keeps it.",
        why="The first version cannot clear a field of a tool call.",
        rules=(
            "PATCH-02",
            "TOOL-02",
        ),
    ),
    Reading(
        id="CONF-17",
        question="How is a permission request answered that the agent takes back?",
        decision="With the outcome `cancelled`; in a log either form counts.",
        why="An example has the error -32800; the outcome is what every agent can read.",
        rules=("CANCEL-10",),
    ),
    Reading(
        id="CONF-18",
        question="How is a tool call shown as cancelled, when there is no such status?",
        decision="Beside the status, locally; the status stays as the agent said it.",
        why="It is never sent, and the agent's next word replaces it.",
        rules=(
            "TOOL-07",
            "CANCEL-02",
        ),
    ),
    Reading(
        id="CONF-19",
        question="Has a subagent update roots of its own?",
        decision="Yes, and a malformed one spoils the update.",
        why="Only the schema has them; they limit what a child may touch.",
        rules=("SUB-14",),
    ),
    Reading(
        id="CONF-20",
        question="Are batches allowed?",
        decision="No.",
        why="The official readers reject them in every version.",
        rules=("RPC-09",),
    ),
    Reading(
        id="CONF-21",
        question="Must a taken-back request be stopped?",
        decision="It is, always: the host is told, and the request is answered.",
        why="One text says may, one says must.",
        rules=("CANCEL-10",),
    ),
    Reading(
        id="CONF-22",
        question="Does another message id end the message before?",
        decision="No, an earlier id goes on with its message.",
        why="A changed id is a new message, but messages may interleave.",
        rules=(
            "MSG-02",
            "TL-02",
        ),
    ),
    Reading(
        id="CONF-23",
        question="Where is the fork capability?",
        decision="Among the session capabilities.",
        why="So says the schema.",
        rules=("LOAD-01",),
    ),
    Reading(
        id="CONF-24",
        question="Is `auth.status` a flag or an object?",
        decision="An object; `true` is malformed, so unsupported.",
        why="So says the schema.",
        rules=("INIT-02",),
    ),
    Reading(
        id="CONF-25",
        question="Are the names of older drafts of child sessions read?",
        decision="No; a state that only they knew is kept as an unknown one.",
        why="They are superseded.",
        rules=(
            "SUB-02",
            "LENIENT-09",
        ),
    ),
    Reading(
        id="CONF-26",
        question="Is `switch_mode` a kind of tool call?",
        decision="Yes.",
        why="So says the schema.",
        rules=(
            "TOOL-01",
            "LENIENT-08",
        ),
    ),
    Reading(
        id="CONF-27",
        question="What do malformed rights of a child leave?",
        decision="The rights that were there; a malformed `cancel` inside is no right.",
        why="A malformed optional field counts as absent.",
        rules=(
            "SUB-07",
            "LENIENT-02",
        ),
    ),
)
