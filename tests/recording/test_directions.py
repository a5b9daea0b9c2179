"""Words and arrows for who sent a message."""

import pytest

from acp_state.recording.directions import sender_of, side_of, way_in, way_of

WORDS = {
    "client": [
        *("client", "Client", "fromClient", "from_client", "client_to_agent", "client-to-agent"),
        *("client->agent", "client → agent", "C2A", "to agent", "[stdin]", "editor", "-> agent"),
    ],
    "agent": [
        "agent",
        "fromAgent",
        "agent_to_client",
        "a2c",
        "agent -> client",
        "stdout",
        "server",
    ],
    "out": [
        "out",
        "outgoing",
        "Outbound",
        "send",
        "[send]",
        "sent:",
        ">>",
        "-->",
        "→",
        "==>",
        "TX",
    ],
    "in": ["in", "incoming", "inbound", "recv", "[RECV]", "received", "<<", "<--", "←", "<=", "rx"],
    None: ["", "prompt", "request", "stderr", "-", "proxy:0", None, 5, True, [], {}],
}


@pytest.mark.parametrize(
    ("word", "way"), [(word, way) for way, words in WORDS.items() for word in words]
)
def test_words(word, way):
    assert way_of(word) == way


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("2026-01-01T00:00:00Z DEBUG acp [send] ", "out"),
        ("12:00 client -> agent: ", "client"),
        ("incoming request ", "in"),
        ("sent to the log: recv: ", "in"),
        ("[acp] <-- ", "in"),
        ("nothing of it", None),
        ("", None),
    ],
)
def test_the_words_nearest_to_the_message_count(text, way):
    assert way_in(text) == way


def test_out_and_in_depend_on_the_side():
    assert [sender_of(way, "client") for way in ("out", "in")] == ["client", "agent"]
    assert [sender_of(way, "agent") for way in ("out", "in")] == ["agent", "client"]
    assert [sender_of(way, "agent") for way in ("client", "agent", None)] == [
        "client",
        "agent",
        None,
    ]


def test_the_side_is_told_by_methods_that_one_side_sends():
    prompt, update = {"method": "session/prompt"}, {"method": "session/update"}
    assert side_of([("out", prompt), ("in", update), ("in", {"id": 1})]) == "client"
    assert side_of([("in", prompt), ("out", update), ("out", {"method": "$/x"})]) == "agent"
    assert side_of([("out", {"method": "$/cancel_request"}), ("out", 5)]) == "client"
    assert side_of([("client", prompt), (None, update)]) is None
