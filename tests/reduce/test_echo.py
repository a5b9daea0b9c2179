"""The agent's echo of a prompt is adopted into the prompt's own entry (TURN-04)."""

from __future__ import annotations

import pytest
from reduce.builders import (
    SESSION,
    after,
    agent,
    answered,
    call,
    codes,
    fold,
    noticed,
    prompt_entry,
    prompted,
    replaying,
    said,
    text,
    thought,
    timeline,
    user,
)

from acp_state import Session, ToolCall
from acp_state.reduce.echo import is_echo_expected
from acp_state.reduce.step import kind_conflict
from acp_state.schema import (
    Annotations,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

OTHER = noticed("user-echo-mismatch", "no echo of the prompt; kept as a message")
BROKEN = noticed(
    "user-echo-mismatch", "the echo of the prompt goes on with other content; kept as a message"
)

LINK = ResourceLink(name="main.py", uri="file:///main.py", size=5)
RESOURCE = EmbeddedResource(
    resource=TextResourceContents(uri="file:///a", text="print()", mime_type="text/x-python")
)
LINK_JSON = {"type": "resource_link", "name": "main.py", "uri": "file:///main.py", "size": 5}
RESOURCE_JSON = {
    "type": "resource",
    "resource": {"uri": "file:///a", "text": "print()", "mimeType": "text/x-python"},
}


def test_a_prompt_is_a_user_message_at_once():
    """TURN-04: it is recorded at send time, since v1 asks no agent for an echo."""
    session = prompted("Hello")
    assert session.timeline == timeline(prompt_entry("Hello"))
    assert is_echo_expected(session)


def test_an_echo_is_adopted():
    """TURN-04: the prompt's entry takes over the messageId; no second entry."""
    session = after(user("Hello", "m"), onto=prompted("Hello"))
    assert session.timeline == timeline(prompt_entry("Hello", message_id="m"))
    assert not is_echo_expected(session)


def test_an_echo_in_pieces_is_adopted():
    """TURN-04: the accumulated content is a prefix of the prompt."""
    session = after(user("Hel", "m"), onto=prompted("Hello"))
    assert session.timeline == timeline(prompt_entry("Hello", message_id="m"))
    assert is_echo_expected(session)
    session = after(user("", "m"), user("lo", "m"), onto=session)
    assert session.timeline == timeline(prompt_entry("Hello", message_id="m"))
    assert not is_echo_expected(session)


def test_an_echo_without_id_is_adopted():
    """TURN-04, MSG-04: in one piece or in several."""
    session = after(user("Hel"), user("lo"), onto=prompted("Hello"))
    assert session.timeline == timeline(prompt_entry("Hello"))
    assert not is_echo_expected(session)


def test_adjacent_text_is_joined_before_comparing():
    """TURN-04: blocks may be cut otherwise than in the prompt."""
    session = after(user("a", "m"), user("bc", "m"), user("d", "m"), onto=prompted("ab", "", "cd"))
    assert session.timeline == timeline(prompt_entry("ab", "", "cd", message_id="m"))
    assert not is_echo_expected(session)


def test_links_and_resources_are_echoed_block_by_block():
    """TURN-04: the echo of a prompt with a link and an embedded resource."""
    blocks = ("See ", LINK, RESOURCE, "now")
    echo = (user("See ", "m"), user(LINK_JSON, "m"), user(RESOURCE_JSON, "m"), user("now", "m"))
    session = after(*echo, onto=prompted(*blocks))
    assert session.timeline == timeline(prompt_entry(*blocks, message_id="m"))
    assert not is_echo_expected(session)


def test_annotations_and_metadata_are_ignored():
    """TURN-04: in the prompt and in the echo, at any depth; null and absent are one."""
    hints = Annotations(priority=1)
    link = ResourceLink(name="n", uri="u", annotations=hints, meta={"a": 1}, title=None)
    resource = EmbeddedResource(
        resource=TextResourceContents(uri="u", text="t", meta={"a": 1}), annotations=hints
    )
    blocks = (TextContent(text="a", annotations=hints), link, resource)
    session = after(
        user(text("a", meta={"b": 2}), "m", meta={"c": 3}),
        user({"type": "resource_link", "name": "n", "uri": "u", "description": None}, "m"),
        user({"type": "resource", "resource": {"uri": "u", "text": "t"}, "_meta": {"d": 4}}, "m"),
        onto=prompted(*blocks),
    )
    assert session.timeline == timeline(prompt_entry(*blocks, message_id="m"))
    assert not is_echo_expected(session)


def test_half_an_emoji_is_a_prefix():
    """TURN-04: texts are compared in UTF-16 units."""
    session = after(user("Go \ud83d", "m"), onto=prompted("Go \U0001f680!"))
    assert session.timeline == timeline(prompt_entry("Go \U0001f680!", message_id="m"))
    session = after(user("\ude80!", "m"), onto=session)
    assert not is_echo_expected(session)


@pytest.mark.parametrize(
    ("blocks", "chunk"),
    [
        pytest.param(("Hello",), user("hello", "m"), id="other text"),
        pytest.param(("Hello",), user("Hello!", "m"), id="more text"),
        pytest.param(("Hello",), user(" Hello", "m"), id="space before"),
        pytest.param(("Hello",), user(LINK_JSON, "m"), id="link instead of text"),
        pytest.param((LINK,), user("main.py", "m"), id="text instead of link"),
        pytest.param((LINK,), user({**LINK_JSON, "size": 6}, "m"), id="other link"),
        pytest.param(
            (RESOURCE,),
            user({"type": "resource", "resource": {"uri": "file:///a", "text": "x"}}, "m"),
            id="other resource",
        ),
    ],
)
def test_other_content_is_a_message_of_its_own(blocks, chunk):
    """TURN-04: on mismatch both are kept, `diag:user-echo-mismatch`; the wait goes on."""
    session, intents = fold(chunk, onto=prompted(*blocks))
    [prompt, other] = session.timeline
    assert prompt == prompt_entry(*blocks)
    assert (other.role, other.message_id, other.origin, other.turn) == ("user", "m", "agent", 0)
    assert intents == (OTHER,)
    assert is_echo_expected(session)


def test_another_user_message_does_not_end_the_wait():
    """TURN-04: the echo is still adopted after it."""
    session, intents = fold(user("Other", "o"), user("Hello", "m"), onto=prompted("Hello"))
    assert session.timeline == timeline(
        prompt_entry("Hello", message_id="m"), said("user", "Other", message_id="o", turn=0)
    )
    assert intents == (OTHER,)


def test_another_user_message_does_not_end_an_echo_under_way():
    """TURN-04: neither one with an id nor one without."""
    session, intents = fold(
        user("Hel", "m"), user("Other", "o"), user("Hello"), user("lo", "m"), onto=prompted("Hello")
    )
    assert session.timeline == timeline(
        prompt_entry("Hello", message_id="m"),
        said("user", "Other", message_id="o", turn=0),
        said("user", "Hello", turn=0),
    )
    assert codes(intents) == ("user-echo-mismatch", "mixed-message-ids", "user-echo-mismatch")
    assert not is_echo_expected(session)


@pytest.mark.parametrize("chunk", [agent("x", "x"), thought("x"), call("x")])
def test_other_entries_do_not_end_an_echo(chunk):
    """TURN-04: the agent may start to answer before the echo is complete."""
    session, _ = fold(user("Hel", "m"), chunk, user("lo", "m"), onto=prompted("Hello"))
    assert session.timeline[0] == prompt_entry("Hello", message_id="m")
    assert not is_echo_expected(session)


def test_a_further_chunk_with_the_id_of_a_complete_echo_appends():
    """TURN-04: once the whole prompt was echoed the echo is over."""
    session = after(user("Hello", "m"), user("!", "m"), onto=prompted("Hello"))
    assert session.timeline == timeline(prompt_entry("Hello", "!", message_id="m"))


def test_a_further_chunk_without_id_after_a_complete_echo_is_a_message():
    """TURN-04: an id-less one starts a message."""
    session = after(user("Hello"), user("Hello"), user("!"), onto=prompted("Hello"))
    assert session.timeline == timeline(
        prompt_entry("Hello"), said("user", "Hello", "!", turn=0), run_open=True
    )


def test_a_chunk_that_breaks_a_partial_echo_takes_it_away():
    """TURN-04: the accumulated chunks become a message at the end, the prompt loses the id."""
    session, intents = fold(
        user("Hel", "m", meta={"k": 1}),
        call("t"),
        user("p!", "m", meta={"k": 2}),
        onto=prompted("Hello"),
    )
    assert session.timeline == timeline(
        prompt_entry("Hello"),
        ToolCall(tool_call_id="t", title="T", turn=0),
        said("user", ("Hel", {"k": 1}), ("p!", {"k": 2}), message_id="m", turn=0),
    )
    assert intents == (BROKEN,)


def test_the_wait_starts_anew_after_a_break():
    """TURN-04: the message that was none keeps its id; the true echo is adopted."""
    session, intents = fold(
        user("Hel", "m"),
        user("p!", "m"),
        user("?", "m"),
        user("Hello", "n"),
        onto=prompted("Hello"),
    )
    assert session.timeline == timeline(
        prompt_entry("Hello", message_id="n"),
        said("user", "Hel", "p!", "?", message_id="m", turn=0),
    )
    assert intents == (BROKEN,)


def test_a_break_without_id_opens_a_run():
    """TURN-04, MSG-05: the message is anonymous, and takes further chunks."""
    session, intents = fold(user("Hel"), user("p!"), user("?"), onto=prompted("Hello"))
    assert session.timeline == timeline(
        prompt_entry("Hello"), said("user", "Hel", "p!", "?", turn=0), run_open=True
    )
    assert intents == (BROKEN,)


def test_an_id_that_is_on_the_timeline_is_no_echo():
    """TURN-04: a chunk of an earlier message is a chunk of that message."""
    session = after(user("Old ", "m"))
    session = after(user("Hello", "m"), onto=prompted("Hello", onto=session))
    assert session.timeline == timeline(
        said("user", "Old ", "Hello", message_id="m"), prompt_entry("Hello")
    )
    assert is_echo_expected(session)


def test_an_echo_with_the_id_of_another_kind_is_told():
    """MSG-03: the same id under another kind, `diag:message-id-kind-conflict`."""
    session, intents = fold(agent("a", "m"), user("Hello", "m"), onto=prompted("Hello"))
    assert session.timeline[0] == prompt_entry("Hello", message_id="m")
    assert codes(intents) == ("message-id-kind-conflict",)


def test_an_echo_in_parts_is_told_once_to_have_the_id_of_another_kind():
    """MSG-03: when the id is adopted, and not for each chunk that follows."""
    parts = (user("Hel", "m"), user("l", "m"), user("o", "m"))
    session, intents = fold(agent("a", "m"), *parts, onto=prompted("Hello"))
    assert session.timeline[0] == prompt_entry("Hello", message_id="m")
    conflict = kind_conflict(after(agent("a", "m"), onto=prompted("Hello")), "user", "m")
    assert intents == conflict
    assert codes(intents) == ("message-id-kind-conflict",)


def test_the_other_kind_after_an_echo_is_told():
    """MSG-03: the prompt's entry has the id."""
    _, intents = fold(user("Hello", "m"), agent("a", "m"), onto=prompted("Hello"))
    assert codes(intents) == ("message-id-kind-conflict",)


def test_candidates_are_the_running_turns_oldest_first():
    """TURN-04, TURN-11: two prompts of one text are echoed in order."""
    session = prompted("go", request_id=2, onto=prompted("go"))
    session = after(user("go", "1"), user("go", "2"), onto=session)
    assert session.timeline == timeline(
        prompt_entry("go", message_id="1"), prompt_entry("go", turn=1, message_id="2")
    )
    assert not is_echo_expected(session)


def test_a_younger_prompt_is_echoed_if_it_alone_fits():
    """TURN-04: the older one still waits."""
    session = prompted("two", request_id=2, onto=prompted("one"))
    session = after(user("two", "2"), user("one", "1"), onto=session)
    assert session.timeline == timeline(
        prompt_entry("one", message_id="1"), prompt_entry("two", turn=1, message_id="2")
    )


def test_an_echo_under_way_is_no_candidate_for_another_id():
    """TURN-04: the chunk with another id is the echo of the next prompt."""
    session = prompted("Hello", request_id=2, onto=prompted("Hello"))
    session = after(user("Hel", "1"), user("Hello", "2"), user("lo", "1"), onto=session)
    assert session.timeline == timeline(
        prompt_entry("Hello", message_id="1"), prompt_entry("Hello", turn=1, message_id="2")
    )


def test_the_wait_ends_with_the_turn():
    """TURN-04: echoes come during that turn."""
    session, _ = answered(after(user("Hel", "m"), onto=prompted("Hello")))
    assert not is_echo_expected(session)
    session = after(user("Hello", "n"), onto=session)
    assert session.timeline == timeline(
        prompt_entry("Hello", message_id="m"), said("user", "Hello", message_id="n")
    )


@pytest.mark.parametrize(
    "told_before",
    [pytest.param([], id="IndexError"), pytest.param([agent("a", "a")], id="renames the answer")],
)
def test_a_prompt_that_runs_while_history_is_replayed_has_no_echo_there(told_before):
    """LOAD-05: the local echo cannot be matched; what is replayed is a message of its own."""
    held = prompted("Hello", onto=after(*told_before))
    built, _ = replaying(*told_before, user("Hello", "m"), onto=held)
    assert [entry.key for entry in built] == [
        *[("agent", "a") for _ in told_before],
        ("user", "m"),
    ]


def test_no_echo_is_expected_without_a_prompt():
    """TURN-04: user chunks outside of turns are messages; an empty prompt has no echo."""
    session = after(user("Hello", "m"))
    assert session == Session(
        "s", timeline=timeline(said("user", "Hello", message_id="m")), id_style="with_id"
    )
    assert not is_echo_expected(session)


def test_saying_it_twice_is_two_messages():
    """Design, Echo: no comparing over the whole timeline."""
    session = after(user("continue", "1"), onto=prompted("continue"))
    session, _ = answered(session)
    session = after(user("continue", "2"), onto=prompted("continue", request_id=2, onto=session))
    assert session.timeline == timeline(
        prompt_entry("continue", message_id="1"),
        prompt_entry("continue", turn=1, message_id="2"),
    )


def test_echoed_chunks_close_the_open_run_and_open_none():
    """TURN-04, MSG-06: the answer that was open is closed."""
    session = after(agent("a"), user("Hello"), onto=prompted("Hello"))
    assert session.timeline == timeline(prompt_entry("Hello"), said("agent", "a", turn=0))
    session = after(agent("b"), onto=session)
    assert session.timeline == timeline(
        prompt_entry("Hello"), said("agent", "a", turn=0), said("agent", "b", turn=0), run_open=True
    )


def test_an_image_is_echoed():
    """TURN-04: any block."""
    image = ImageContent(data="d", mime_type="m")
    chunk = user({"type": "image", "data": "d", "mimeType": "m", "uri": None}, "m")
    session = after(chunk, onto=prompted(image, onto=SESSION))
    assert session.timeline == timeline(prompt_entry(image, message_id="m"))
