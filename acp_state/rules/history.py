"""What stands on the timeline: the rules of these chapters."""

from __future__ import annotations

from typing import Final

from acp_state.rules.rule import Chapter, Rule

CHAPTERS: Final = (
    Chapter(
        "Timeline",
        "5",
        {
            "TL-01": Rule("MUST", "state", "An entity stands where it was first seen."),
            "TL-02": Rule(
                "MUST", "state", "Later patches and chunks change it in place, and split nothing."
            ),
            "TL-03": Rule(
                "MUST", "state", "No clearing, ending or cancelling moves or removes an entry."
            ),
            "TL-04": Rule(
                "table",
                "state",
                "A table says which update or request fixes the position of what, and what has "
                "no position.",
            ),
            "TL-05": Rule(
                "MUST",
                "state",
                "A message without id is fixed by its first chunk, and once its run is closed "
                "nothing joins it.",
            ),
            "TL-06": Rule("MUST", "state", "A compaction is a mark; what came before it stays."),
            "TL-07": Rule(
                "MUST",
                "state",
                "There is no order between sessions, but for a child's announcement before its "
                "traffic.",
            ),
            "TL-08": Rule(
                "MUST",
                "state",
                "A refusal marks the entries of its turn as left out of what follows; it "
                "removes none.",
            ),
            "TL-09": Rule("SHOULD (D)", "state", "After a load the order is that of the replay."),
        },
    ),
    Chapter(
        "Messages",
        "7",
        {
            "MSG-01": Rule(
                "MUST",
                "state",
                "A chunk adds its one block; text is joined with nothing between, and no "
                "annotation is lost.",
            ),
            "MSG-02": Rule("MUST", "state", "One id is one message, another id another."),
            "MSG-03": Rule(
                "SHOULD (D)",
                "state",
                "A message's key is role and id; one id under two roles is two messages, and "
                "diagnosed.",
            ),
            "MSG-04": Rule("MUST", "state", "A `messageId` of null is none."),
            "MSG-05": Rule(
                "SHOULD (D)",
                "state",
                "A chunk without id joins the open run of its role, or begins one.",
            ),
            "MSG-06": Rule(
                "SHOULD (D)",
                "state",
                "The run ends with another role, an id, a new entry, a prompt, its answer, or a "
                "load; patches and settings do not end it.",
            ),
            "MSG-07": Rule(
                "SHOULD (D)",
                "state",
                "Chunks with and without id never join each other; that a turn has both is "
                "diagnosed once.",
            ),
            "MSG-08": Rule("MUST", "state", "Updates count outside of turns as well."),
            "MSG-09": Rule("MAY", "state", "Ids may differ from one replay to the next."),
            "MSG-10": Rule(
                "MUST",
                "outbound",
                "No message id is invented for the agent, and none is sent with a prompt.",
            ),
            "MSG-11": Rule("MUST", "state", "Nothing but a load replaces or removes a message."),
        },
    ),
    Chapter(
        "Tool calls",
        "8",
        {
            "TOOL-01": Rule(
                "MUST",
                "state",
                "The first `tool_call` makes the call: kind `other`, status `pending`, nothing "
                "in it.",
            ),
            "TOOL-02": Rule("MUST", "state", "An update patches it; lists are overwritten."),
            "TOOL-03": Rule(
                "SHOULD",
                "state",
                "An update for an unknown call makes it, without a title, and is diagnosed.",
            ),
            "TOOL-04": Rule(
                "SHOULD (D)",
                "state",
                "A second `tool_call` reports the call anew in its place; the first one for a "
                "call that only updates made sets what it carries.",
            ),
            "TOOL-05": Rule(
                "MUST", "state", "There are four statuses, and two of them are the end."
            ),
            "TOOL-06": Rule(
                "SHOULD (D)", "state", "Any status may follow any; a step back is diagnosed."
            ),
            "TOOL-07": Rule(
                "MUST",
                "state",
                "What is shown is the local `cancelled`, else the agent's status; the next "
                "status of the agent lifts it.",
            ),
            "TOOL-08": Rule(
                "SHOULD",
                "state",
                "Updates count after a cancel, after the answer, and between turns.",
            ),
            "TOOL-09": Rule(
                "SHOULD (D)",
                "state",
                "A wire status `cancelled` is malformed, but the unfinished call is shown as "
                "cancelled.",
            ),
            "TOOL-10": Rule(
                "SHOULD (D)", "state", "A call belongs to the turn in which it was first seen."
            ),
            "TOOL-11": Rule(
                "MUST",
                "state",
                "Terminal content is a reference; output is shown after the release, and an "
                "unknown id is kept.",
            ),
            "TOOL-12": Rule(
                "MUST",
                "state",
                "A diff without old text is a new file; lines count from 1; a relative path is "
                "kept and diagnosed.",
            ),
            "TOOL-13": Rule("MUST", "state", "`name` is there to be shown, and grants nothing."),
            "TOOL-14": Rule(
                "SHOULD (D)",
                "state",
                "An answered permission changes no status; that a call waits is derived.",
            ),
            "TOOL-15": Rule("MUST", "state", "A call's id means something in its session alone."),
        },
    ),
    Chapter(
        "Compaction",
        "9",
        {
            "CMP-01": Rule(
                "MUST", "agent", "Compactions need the client's `session.compaction`.", "agent"
            ),
            "CMP-02": Rule("MUST", "state", "One entity per id, where it was first seen."),
            "CMP-03": Rule(
                "MUST",
                "state",
                "The status is on every update; unknown ones are kept, and neither run nor end.",
            ),
            "CMP-04": Rule(
                "MUST",
                "state",
                "Chunks append, a summary replaces, null and the empty list clear, in the order "
                "of receipt.",
            ),
            "CMP-05": Rule(
                "MUST", "state", "`completed` without a summary keeps what was streamed."
            ),
            "CMP-06": Rule(
                "MUST",
                "agent",
                "Chunks come between `in_progress` and the end; others are appended, and "
                "diagnosed.",
                "agent",
            ),
            "CMP-07": Rule(
                "MUST",
                "agent",
                "There is one end; another status after it is applied, and diagnosed.",
                "agent",
            ),
            "CMP-08": Rule(
                "SHOULD (D)",
                "state",
                "What runs when the connection or the session ends keeps its status, unconfirmed.",
            ),
            "CMP-09": Rule(
                "MUST",
                "state",
                "A replay tells compactions whole, and resets nothing that it leaves out.",
            ),
            "CMP-10": Rule("MUST", "state", "Compaction and usage say nothing about each other."),
            "CMP-11": Rule("MUST", "state", "The summary is content to be shown, and no message."),
        },
    ),
)
"""The chapters, in order."""
