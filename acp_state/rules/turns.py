"""Turns, cancelling and questions: the rules of these chapters."""

from __future__ import annotations

from typing import Final

from acp_state.rules.rule import Chapter, Rule

CHAPTERS: Final = (
    Chapter(
        "Turns",
        "14.1",
        {
            "TURN-01": Rule(
                "MUST",
                "outbound",
                "A prompt needs an initialized connection and a session that is ready.",
            ),
            "TURN-02": Rule(
                "MUST", "outbound", "A prompt holds only the blocks that the agent can take."
            ),
            "TURN-03": Rule("SHOULD", "outbound", "One turn at a time, unless the host insists."),
            "TURN-04": Rule(
                "SHOULD (D)",
                "state",
                "A prompt stands on the timeline when it is sent, and the agent's echo of it is "
                "adopted, not doubled.",
            ),
            "TURN-05": Rule(
                "MUST", "state", "A turn runs until its answer, which has one of five reasons."
            ),
            "TURN-06": Rule(
                "MUST",
                "agent",
                "What comes after the answer of a cancelled turn is applied, and diagnosed.",
                "agent",
            ),
            "TURN-07": Rule(
                "SHOULD (D)",
                "state",
                "Calls that are open at the end are shown as cancelled if the turn was; else "
                "their status stays, and is diagnosed.",
            ),
            "TURN-08": Rule(
                "SHOULD (D)",
                "state",
                "A malformed answer or an unknown reason ends the turn all the same.",
            ),
            "TURN-09": Rule(
                "SHOULD (D)",
                "state",
                "An error ends the turn as failed; after a cancel, or as a cancellation, as "
                "cancelled.",
            ),
            "TURN-10": Rule(
                "SHOULD (D)", "state", "Questions outlive a turn unless it ended as cancelled."
            ),
            "TURN-11": Rule(
                "SHOULD (D)",
                "state",
                "Several prompts may be out, each with its own turn; the oldest is current.",
            ),
        },
    ),
    Chapter(
        "Cancelling",
        "14.2",
        {
            "CANCEL-01": Rule(
                "MAY",
                "outbound",
                "A cancel is asked for while something runs; else it is refused, or diagnosed.",
            ),
            "CANCEL-02": Rule(
                "SHOULD",
                "state",
                "It shows the turn's unfinished calls as cancelled, and all of those of "
                "descendants.",
            ),
            "CANCEL-03": Rule(
                "MUST",
                "outbound",
                "It answers the permission requests of the session and its descendants.",
            ),
            "CANCEL-04": Rule("SHOULD", "outbound", "It answers their elicitations."),
            "CANCEL-05": Rule(
                "MUST",
                "outbound",
                "A permission request that comes while the turn is being cancelled is answered "
                "at once.",
            ),
            "CANCEL-06": Rule(
                "SHOULD",
                "state",
                "Updates count until the answer and after; another reason is recorded as sent.",
            ),
            "CANCEL-07": Rule(
                "MUST", "state", "It goes down to descendants, never up or sideways."
            ),
            "CANCEL-08": Rule(
                "MUST", "state", "To show a call as cancelled answers nothing; both are done."
            ),
            "CANCEL-09": Rule(
                "MAY",
                "outbound",
                "Any request of one's own may be cancelled, and is awaited all the same.",
            ),
            "CANCEL-10": Rule(
                "MUST",
                "outbound",
                "A request that the agent takes back is answered once, as cancelled.",
            ),
            "CANCEL-11": Rule(
                "SHOULD",
                "outbound",
                "What the host gives up is answered as cancelled.",
                "host",
                "the host says so with RespondError or an answer; the core sends it",
            ),
        },
    ),
    Chapter(
        "Permission requests",
        "14.3",
        {
            "PERM-01": Rule(
                "MUST",
                "state",
                "A request is kept by id with its session, its call, its options in order, and "
                "as sent.",
            ),
            "PERM-02": Rule(
                "SHOULD", "state", "Its tool call is a patch, applied before anybody is asked."
            ),
            "PERM-03": Rule(
                "MUST",
                "outbound",
                "Malformed params are refused; an option of unknown kind is kept, and never "
                "chosen by itself.",
            ),
            "PERM-04": Rule(
                "MUST",
                "outbound",
                "The answer names an offered option, or is cancelled, and there is one.",
            ),
            "PERM-05": Rule(
                "MAY",
                "outbound",
                "Answers may be automatic.",
                "host",
                "policy is the host's; the core asks for every request",
            ),
            "PERM-06": Rule("MUST", "state", "Several may wait, and be answered in any order."),
            "PERM-07": Rule(
                "SHOULD (D)",
                "outbound",
                "The end of a session answers its requests; one of an unknown session waits.",
            ),
            "PERM-08": Rule(
                "MUST", "state", "They are not replayed, and are dropped with the connection."
            ),
        },
    ),
    Chapter(
        "Elicitation",
        "14.4",
        {
            "ELIC-01": Rule(
                "MUST",
                "state",
                "It is about a session or about a request; with both the session counts, with "
                "neither it is refused.",
            ),
            "ELIC-02": Rule("MUST", "outbound", "A mode that was not advertised is refused."),
            "ELIC-03": Rule(
                "MUST",
                "outbound",
                "The answer is accept, decline or cancel, and content goes with accept alone "
                "and fits the form.",
            ),
            "ELIC-04": Rule(
                "MUST",
                "state",
                "To accept a URL is consent; it is awaited until the agent says that it is done.",
            ),
            "ELIC-05": Rule(
                "SHOULD (D)",
                "state",
                "A tool call is only linked; what it is about ending cancels it.",
            ),
        },
    ),
    Chapter(
        "Other requests to the client",
        "14.5",
        {
            "REQ-01": Rule("MUST", "outbound", "Files and terminals need their capability."),
            "REQ-02": Rule(
                "MUST", "state", "They are work for the host, and tracked until it answers."
            ),
            "REQ-03": Rule(
                "MUST",
                "state",
                "A terminal is known from its making; after its release the id is invalid, and "
                "its output stays.",
            ),
            "REQ-04": Rule(
                "SHOULD (D)", "outbound", "An unknown session or terminal is answered as not found."
            ),
            "REQ-05": Rule("SHOULD", "outbound", "A session's cancel leaves them alone."),
        },
    ),
)
"""The chapters, in order."""
