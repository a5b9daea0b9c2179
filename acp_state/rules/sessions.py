"""Sessions and what they say of themselves: the rules of these chapters."""

from __future__ import annotations

from typing import Final

from acp_state.rules.rule import Chapter, Rule

CHAPTERS: Final = (
    Chapter(
        "Messages between sessions",
        "10",
        {
            "SMSG-01": Rule("MUST", "agent", "They need the client's `subagents`.", "agent"),
            "SMSG-02": Rule(
                "MUST",
                "state",
                "A message belongs to the transcript of the outer session, under its own "
                "namespace.",
            ),
            "SMSG-03": Rule("MUST", "state", "The message or a chunk of it may come first."),
            "SMSG-04": Rule("MUST", "state", "Omission and null erase no known participant."),
            "SMSG-05": Rule(
                "SHOULD",
                "state",
                "Incoming or outgoing is derived from the participants; where they do not fit "
                "it is unknown, and diagnosed.",
            ),
            "SMSG-06": Rule(
                "SHOULD (D)", "state", "A participant that changes is replaced, and diagnosed."
            ),
            "SMSG-07": Rule(
                "MUST",
                "state and outbound",
                "One side's entry is never made from the other's, and nothing is forwarded or "
                "confirmed.",
            ),
            "SMSG-08": Rule(
                "MUST", "state", "It says nothing about delivery, ownership or control."
            ),
            "SMSG-09": Rule("MUST", "state", "To name a session announces none."),
            "SMSG-10": Rule(
                "MUST", "state", "It has no status and no title, and is no user message."
            ),
        },
    ),
    Chapter(
        "Child sessions",
        "11",
        {
            "SUB-01": Rule(
                "MUST", "agent", "`subagent_update` needs the client's `subagents`.", "agent"
            ),
            "SUB-02": Rule(
                "MUST",
                "state",
                "The outer session is the parent; the first update announces the child, later "
                "ones patch what the parent says of it.",
            ),
            "SUB-03": Rule(
                "MUST",
                "agent",
                "The announcement comes before a child's traffic; else the session is "
                "provisional and has no parent.",
                "agent",
            ),
            "SUB-04": Rule(
                "MUST",
                "state",
                "A child has one parent for good; a second one, itself, or a circle is passed "
                "over.",
            ),
            "SUB-05": Rule(
                "MUST",
                "state",
                "A child is a session like others, and the parent holds no copy of what is the "
                "child's.",
            ),
            "SUB-06": Rule(
                "MUST", "state", "The parent's labels and the child's own title are two things."
            ),
            "SUB-07": Rule(
                "MUST",
                "state",
                "Rights are replaced whole; never told, null and empty are all none.",
            ),
            "SUB-08": Rule(
                "MUST", "outbound", "A child gets no command but those its rights grant."
            ),
            "SUB-09": Rule("MUST", "outbound", "A child's questions may always be answered."),
            "SUB-10": Rule(
                "MUST",
                "state",
                "Its state is a whole snapshot; a repeat changes nothing, and idle is not the end.",
            ),
            "SUB-11": Rule(
                "MUST",
                "state",
                "`unknown` says that the state before is not current; null says that nothing is "
                "asserted.",
            ),
            "SUB-12": Rule(
                "MUST", "state", "The end of the parent's turn says nothing about a child."
            ),
            "SUB-13": Rule("MUST", "state", "Costs are never summed over a tree."),
            "SUB-14": Rule(
                "MUST",
                "state",
                "Roots that are not set are the parent's; a malformed one spoils the update.",
            ),
            "SUB-15": Rule(
                "MUST", "state", "With the connection every child's state becomes unconfirmed."
            ),
            "SUB-16": Rule(
                "MUST",
                "state",
                "A load or resume of the parent takes the rights of all below it, and their "
                "states are unconfirmed.",
            ),
            "SUB-17": Rule("MUST", "state", "What a replay says of rights and states is history."),
            "SUB-18": Rule(
                "MUST",
                "state",
                "In a resume states are current, but rights wait for its success; a failure "
                "takes back both.",
            ),
            "SUB-19": Rule("MUST", "state", "A child that is not replayed stays, as history."),
            "SUB-20": Rule("SHOULD", "state", "A child that a list names is a child all the same."),
            "SUB-21": Rule("MUST", "state", "A request for a child stays the child's."),
        },
    ),
    Chapter(
        "Notices, usage, plans",
        "12",
        {
            "NOTICE-01": Rule(
                "MUST", "agent", "Notices need the client's `session.notices`.", "agent"
            ),
            "NOTICE-02": Rule(
                "MUST", "state", "Each is an event of its own; none is kept, replaced or merged."
            ),
            "NOTICE-03": Rule("MUST", "state", "Any severity is shown, and none changes a state."),
            "NOTICE-04": Rule(
                "SHOULD",
                "agent",
                "They are not replayed; one that comes in a load is shown, and diagnosed.",
                "agent",
            ),
            "NOTICE-05": Rule(
                "MUST",
                "outbound",
                "To dismiss one sends nothing.",
                "host",
                "a notice is an intent and leaves no state, so there is nothing to dismiss in "
                "the core",
            ),
            "USAGE-01": Rule("MUST", "state", "`used` and `size` replace together, as sent."),
            "USAGE-02": Rule(
                "MUST",
                "state",
                "The cost is cumulative: the latest counts, and that it went down is diagnosed.",
            ),
            "USAGE-03": Rule(
                "MUST", "state", "The usage of a turn stays with the turn, and is added to nothing."
            ),
            "USAGE-04": Rule("MAY", "agent", "Usage may come outside of turns.", "agent"),
            "PLAN-01": Rule("MUST", "state", "`plan` replaces the one plan without id."),
            "PLAN-02": Rule("MUST", "agent", "Plans with an id need the client's `plan`.", "agent"),
            "PLAN-03": Rule(
                "MUST", "state", "A plan with an id is replaced whole, its type included."
            ),
            "PLAN-04": Rule(
                "MUST",
                "state",
                "A removed plan is gone; an unknown one is passed over, and diagnosed.",
            ),
            "PLAN-05": Rule(
                "SHOULD (D)",
                "state",
                "The plan without id stands beside the others, and is none of them.",
            ),
            "PLAN-06": Rule(
                "SHOULD (D)",
                "state",
                "Entries are known by position; plans outlive turns, cancels and loads.",
            ),
        },
    ),
    Chapter(
        "Modes, options, commands, info",
        "13",
        {
            "MODE-01": Rule(
                "MUST",
                "state",
                "A setup's answer sets the modes, an update the current one; an unknown one is "
                "kept, and diagnosed.",
            ),
            "MODE-02": Rule("MUST", "outbound", "A mode is asked for only from those reported."),
            "MODE-03": Rule(
                "SHOULD (D)",
                "state",
                "A success sets the mode asked for, unless an update came after the request.",
            ),
            "CFG-01": Rule(
                "MUST", "state", "The list of options is complete each time, and its order counts."
            ),
            "CFG-02": Rule(
                "MUST",
                "outbound",
                "A value is asked for as the option's type wants it, and nothing changes before "
                "the answer.",
            ),
            "CFG-03": Rule(
                "SHOULD",
                "state",
                "Where options are reported hosts show them instead of modes; the model keeps "
                "both.",
            ),
            "CFG-04": Rule("SHOULD", "state", "An option of unknown type is left out."),
            "CFG-05": Rule(
                "MUST",
                "agent",
                "Boolean options need the client's capability; without it they are unknown.",
                "agent",
            ),
            "CFG-06": Rule(
                "MUST",
                "state",
                "A category is a hint; a value that is not listed is kept and diagnosed; of two "
                "with one id the first counts.",
            ),
            "CFG-07": Rule("SHOULD (D)", "state", "An empty list of choices is ungrouped."),
            "CMD-01": Rule("MUST", "state", "The list of commands is replaced whole."),
            "CMD-02": Rule(
                "MUST",
                "outbound",
                "A command is a prompt whose text begins with its name.",
                "host",
                "the host writes the prompt's text",
            ),
            "INFO-01": Rule(
                "MUST",
                "state",
                "Title, time and `_meta` are patched; a list and a set title tell them too.",
            ),
            "INFO-02": Rule(
                "MUST",
                "state",
                "The working directory never changes; roots are those of the request that set "
                "the session up.",
            ),
            "INFO-03": Rule(
                "MUST", "state", "A listed session is replaced whole; cursors are opaque."
            ),
        },
    ),
)
"""The chapters, in order."""
