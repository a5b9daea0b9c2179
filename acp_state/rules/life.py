"""Connections, setup and replay: the rules of these chapters."""

from __future__ import annotations

from typing import Final

from acp_state.rules.rule import Chapter, Rule

CHAPTERS: Final = (
    Chapter(
        "State machines",
        "15",
        {
            "15.1": Rule("table", "state", "Turn."),
            "15.2": Rule("table", "state", "Status of a tool call."),
            "15.3": Rule("table", "state", "Compaction."),
            "15.4": Rule("table", "state", "Permission request."),
            "15.5": Rule("table", "state", "Life of a session."),
            "15.6": Rule("table", "state", "Life of a connection."),
            "15.7": Rule("table", "state", "Work of a child."),
            "CONN-01": Rule(
                "MUST",
                "state",
                "With the connection requests end as interrupted or are dropped, sessions are "
                "unattached, and no outcome is invented.",
            ),
        },
    ),
    Chapter(
        "Initialization and authentication",
        "16",
        {
            "INIT-01": Rule(
                "MUST", "outbound", "Nothing is asked before `initialize` was answered."
            ),
            "INIT-02": Rule(
                "MUST",
                "state",
                "Omitted and null are unsupported; a marker is an object, a flag is literally "
                "true.",
            ),
            "INIT-03": Rule(
                "SHOULD",
                "outbound",
                "An unsupported version ends it.",
                "partly",
                "the connection is failed and the host is told; the host closes the transport",
            ),
            "INIT-04": Rule(
                "MUST", "state", "Capabilities that do not fit are unsupported one by one."
            ),
            "INIT-05": Rule(
                "MUST",
                "state",
                "Capabilities hold for the whole connection, and ours are told to the core.",
            ),
            "INIT-06": Rule(
                "SHOULD",
                "outbound",
                "The client names itself.",
                "host",
                "what the host gives `Initialize` is sent",
            ),
            "AUTH-01": Rule(
                "MUST",
                "outbound",
                "One authenticates only with a method that was offered and that the agent "
                "carries out.",
            ),
            "AUTH-02": Rule(
                "MUST",
                "state",
                "An error -32000 says that authentication is required, and its success lifts "
                "that; logging out ends no session.",
            ),
            "AUTH-03": Rule(
                "MUST", "state", "Status and accounts are replaced; an unknown status is `unknown`."
            ),
        },
    ),
    Chapter(
        "Setup, load, resume",
        "17",
        {
            "SESS-01": Rule(
                "MUST",
                "outbound",
                "Paths are absolute, servers are listed, and their transports need a capability.",
            ),
            "SESS-02": Rule(
                "MUST", "outbound", "Further roots need a capability, and are complete each time."
            ),
            "SESS-03": Rule("MUST", "state", "Session ids are opaque."),
            "SESS-04": Rule(
                "SHOULD",
                "state",
                "That a session to be closed or deleted is not found is a success.",
            ),
            "SESS-05": Rule(
                "MUST", "state", "Lists and states attach nothing; an unknown status is `saved`."
            ),
            "SESS-06": Rule(
                "MUST",
                "state",
                "To close is to cancel and to free; to archive is to close and to hide.",
            ),
            "LOAD-01": Rule("MUST", "outbound", "Load and resume need their capability."),
            "LOAD-02": Rule("MUST", "state", "What comes between a load and its answer is replay."),
            "LOAD-03": Rule("MUST", "state", "A replay into nothing is plain folding."),
            "LOAD-04": Rule(
                "MUST",
                "state",
                "The first replayed chunk of a message puts away what was held of it, so that "
                "nothing doubles.",
            ),
            "LOAD-05": Rule(
                "SHOULD (D)", "state", "Messages without id and prompts' echoes are superseded."
            ),
            "LOAD-06": Rule(
                "SHOULD (D)",
                "state",
                "A success keeps what was replayed, in that order; the rest is dropped and "
                "diagnosed.",
            ),
            "LOAD-07": Rule("MUST", "state", "Compactions keep what the replay leaves out."),
            "LOAD-08": Rule(
                "SHOULD (D)",
                "state",
                "A replayed tool call replaces the held one, an update patches it; what was "
                "shown as cancelled is so no more.",
            ),
            "LOAD-09": Rule("SHOULD (D)", "state", "A failure brings back the timeline as it was."),
            "LOAD-10": Rule("MUST", "state", "A question in a load is live."),
            "LOAD-11": Rule(
                "MUST", "state", "After the answer everything is live, and replayed messages go on."
            ),
            "LOAD-12": Rule(
                "SHOULD (D)",
                "state",
                "Mode, options, commands, usage, info and plans are not reset.",
            ),
            "LOAD-13": Rule(
                "MUST",
                "state",
                "A resume replays nothing; history that comes all the same is folded as by a "
                "load, and diagnosed.",
            ),
            "LOAD-14": Rule("MUST", "state", "Capabilities gate a replay as well."),
            "LOAD-15": Rule(
                "SHOULD (D)", "outbound", "No load while a turn runs, and none of a child."
            ),
            "LOAD-16": Rule("MUST", "state", "The working directory of a load is the session's."),
        },
    ),
    Chapter(
        "Invariants",
        "22",
        {
            "INV-01": Rule(
                "invariant",
                "state",
                "The same messages give the same state, and no state that was handed out changes.",
            ),
            "INV-02": Rule(
                "invariant",
                "state",
                "Every request of the agent ends once: answered, or dropped with the connection.",
            ),
            "INV-03": Rule(
                "invariant", "state", "Nothing but a load changes the order of entries."
            ),
            "INV-04": Rule("invariant", "state", "A malformed lenient field is as good as none."),
            "INV-05": Rule(
                "invariant", "state", "Sessions do not depend on how their traffic is interleaved."
            ),
            "INV-06": Rule(
                "invariant", "state", "After a cancel no permission request below it waits."
            ),
            "INV-07": Rule("invariant", "state", "A replay of what is held doubles nothing."),
            "INV-08": Rule(
                "invariant",
                "state",
                "A child has no rights until they are told, and none after a load, resume or loss.",
            ),
        },
    ),
)
"""The chapters, in order."""
