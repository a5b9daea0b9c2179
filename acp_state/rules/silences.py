"""Readings where the protocol's texts are silent, and what was decided."""

from __future__ import annotations

from typing import Final

from acp_state.rules.rule import Reading

SILENCES: Final = (
    Reading(
        id="24.1",
        question="Where does a message without id end?",
        decision=(
            "At another role, an id, a new entry, a prompt, its answer or a load; not at "
            "a patch of an older entry."
        ),
        why=(
            "What changes in place stands where it stood, so that nothing comes between the chunks."
        ),
        rules=(
            "MSG-05",
            "MSG-06",
            "MSG-07",
        ),
    ),
    Reading(
        id="24.2",
        question="Is the prompt shown before the agent says it?",
        decision=(
            "Yes, and the agent's echo is adopted into it while it is a prefix of the prompt."
        ),
        why="Agents need not echo; those that do would double the message.",
        rules=("TURN-04",),
    ),
    Reading(
        id="24.3",
        question="What becomes of entries and plans that a load does not tell?",
        decision=("Entries are dropped and counted, associations with children stay; plans stay."),
        why="The replay is the whole conversation, but not what holds the latest value.",
        rules=(
            "LOAD-06",
            "LOAD-12",
        ),
    ),
    Reading(
        id="24.4",
        question="Is the usage a snapshot?",
        decision="Its numbers are, its cost is a patch.",
        why="See CONF-14.",
        rules=(
            "USAGE-01",
            "USAGE-02",
        ),
    ),
    Reading(
        id="24.5",
        question="What does a repeated `tool_call` do?",
        decision=(
            "It replaces title, kind, status, content and locations, defaults included; "
            "other fields only where they are told."
        ),
        why="It is told as a report of the whole call; what a default cannot mean stays.",
        rules=("TOOL-04",),
    ),
    Reading(
        id="24.6",
        question="In which form is a taken-back permission request answered?",
        decision="As `cancelled`, by the core itself.",
        why="See CONF-17; the host need not choose.",
        rules=("CANCEL-10",),
    ),
    Reading(
        id="24.7",
        question="Which permission requests are pending when a session is cancelled?",
        decision="Those of the session and of all below it.",
        why="The cancel goes down to them, so that nobody waits for the answers.",
        rules=(
            "CANCEL-03",
            "CANCEL-07",
        ),
    ),
    Reading(
        id="24.8",
        question="Does the `_meta` of a tool call's update replace or merge?",
        decision="It merges by top-level key, and a null removes its key.",
        why="Agents send it piecemeal, and the second version says so.",
        rules=("PATCH-03",),
    ),
    Reading(
        id="24.9",
        question="What are a bare block in a tool call, and its wire status `cancelled`?",
        decision=(
            "The block is left out; the status is malformed, and the unfinished call is "
            "shown as cancelled."
        ),
        why="See CONF-09; such a call should not look alive.",
        rules=(
            "LENIENT-03",
            "TOOL-09",
        ),
    ),
    Reading(
        id="24.10",
        question="Is a child announced by an update whose roots are malformed?",
        decision=(
            "No: the update is left out, and what comes for that child makes a session "
            "without parent."
        ),
        why="Roots limit what a child may touch, so that a guess is worse than a gap.",
        rules=(
            "SUB-14",
            "SUB-03",
        ),
    ),
    Reading(
        id="READ-01",
        question=("How is a message without id told again, when one of its role stands before it?"),
        decision="With an id that is made from its position.",
        why=(
            "Nothing on the wire ends a run without leaving a trace; the id is the same "
            "in every replay of the session."
        ),
        rules=(
            "MSG-05",
            "MSG-06",
            "MSG-02",
        ),
    ),
    Reading(
        id="READ-02",
        question=("Which working directory has a session that is seen to be loaded with another?"),
        decision="That of the request.",
        why="It is what the agent was told; the command of our own side is refused.",
        rules=(
            "LOAD-16",
            "INFO-02",
        ),
    ),
    Reading(
        id="READ-03",
        question="Is a value held against the pattern that a form asks for?",
        decision="No: the agent, who asked, checks what it gets.",
        why=(
            "To match a pattern takes as long as its author, the peer, likes, and nothing in "
            "Python bounds that."
        ),
        rules=("ELIC-03",),
    ),
    Reading(
        id="READ-04",
        question="Is an integer of more than 64 bits a request id?",
        decision="No: what carries one is no message.",
        why=(
            "The schema says int64, and Python hashes integers so that whoever chooses long "
            "ones can make all of them collide."
        ),
        rules=("RPC-02",),
    ),
)
