"""What was streamed: chunks as received, blocks and text as read (MSG-01)."""

from __future__ import annotations

from itertools import product

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reduce.builders import chunks

from acp_state.json_values import JsonObject
from acp_state.model import Chunk, Chunks
from acp_state.model.chunks import NO_CHUNKS, as_chunks
from acp_state.model.text import mend
from acp_state.schema import Annotations, ImageContent, ResourceLink, TextContent

ROCKET, HIGH, LOW, LOST = "\U0001f680", "\ud83d", "\ude80", "\ufffd"
IMAGE = ImageContent(data="d", mime_type="m")
LINK = ResourceLink(name="n", uri="u")
K1, K2 = JsonObject({"k": 1}), JsonObject({"k": 2})
HINT = Annotations(priority=1)


def text(value, **fields):
    return TextContent(text=value, **fields)


# Chunks as received


def test_chunks_are_kept_as_received():
    """MSG-01, PATCH-06: block by block, in order, each with its own metadata."""
    made = Chunks().append(text("a")).append(IMAGE, K1).append(text("b"), K2).append(text("c"))
    assert list(made) == [
        Chunk(text("a")),
        Chunk(IMAGE, K1),
        Chunk(text("b"), K2),
        Chunk(text("c")),
    ]
    assert made == chunks("a", (IMAGE, K1), ("b", K2), "c")


def test_they_read_like_a_sequence():
    made = chunks("a", "b", (IMAGE, K1))
    assert len(made) == 3
    assert made[0] == Chunk(text("a"))
    assert made[-1] == Chunk(IMAGE, K1)
    assert made[1:] == (Chunk(text("b")), Chunk(IMAGE, K1))
    assert made[::-2] == (Chunk(IMAGE, K1), Chunk(text("a")))
    assert Chunk(text("b")) in made
    assert Chunk(text("c")) not in made
    assert list(reversed(made)) == [*made][::-1]
    with pytest.raises(IndexError):
        made[3]


def test_there_may_be_none():
    assert Chunks() == NO_CHUNKS
    assert (len(NO_CHUNKS), list(NO_CHUNKS), NO_CHUNKS.blocks, NO_CHUNKS.text) == (0, [], (), "")


def test_null_is_told_from_absent():
    """Codec: null and absent annotations are two things on the wire, and stay so."""
    null = text("a", annotations=None, meta=None)
    assert list(Chunks().append(null)) == [Chunk(null)]
    assert Chunks().append(null) != Chunks().append(text("a"))
    assert chunks(null, "b").blocks == (text("ab", annotations=None, meta=None),)


def test_a_list_of_blocks_makes_chunks():
    """A whole list can replace what was streamed (CMP-04)."""
    assert Chunks.of([text("a"), IMAGE]) == chunks("a", IMAGE)
    assert Chunks.of([]) == NO_CHUNKS
    assert as_chunks([text("a")]) == chunks("a")
    assert as_chunks(made := chunks("a")) is made


def test_plain_text_is_held_as_its_bare_string():
    made = chunks("a", (IMAGE, K1), ("b", K2))
    assert list(made.held) == ["a", Chunk(IMAGE, K1), Chunk(text("b"), K2)]
    assert Chunks.holding(made.held) == made
    assert Chunks.holding([Chunk(text("a"))]) == chunks("a")


def test_chunks_can_be_put_together():
    made = chunks("a", ("b", K1))
    assert made.extend(chunks("c", (IMAGE, K2))) == chunks("a", ("b", K1), "c", (IMAGE, K2))
    assert made.extend(NO_CHUNKS) == made
    assert NO_CHUNKS.extend(made) == made


def test_appending_changes_no_earlier_version():
    """Design, contract 1: two branches of one version do not meet."""
    base = chunks("a")
    left, right = base.append(text("b")), base.append(text("c"))
    assert (base.text, left.text, right.text) == ("a", "ab", "ac")
    assert left.append(text("d")).text == "abd"
    assert (base, left, right) == (chunks("a"), chunks("a", "b"), chunks("a", "c"))


# Blocks as read


@pytest.mark.parametrize(
    ("made", "blocks"),
    [
        pytest.param(chunks("a", "b", "c"), (text("abc"),), id="plain text"),
        pytest.param(chunks("", ""), (text(""),), id="empty text"),
        pytest.param(
            chunks("a", IMAGE, "b", "c"), (text("a"), IMAGE, text("bc")), id="around an image"
        ),
        pytest.param(chunks(IMAGE, IMAGE), (IMAGE, IMAGE), id="images"),
        pytest.param(
            chunks(text("a", annotations=HINT), text("b", annotations=HINT)),
            (text("ab", annotations=HINT),),
            id="equal annotations",
        ),
        pytest.param(
            chunks("a", text("b", annotations=HINT), "c"),
            (text("a"), text("b", annotations=HINT), text("c")),
            id="other annotations",
        ),
        pytest.param(
            chunks(text("a", meta=K1), text("b", meta=K1), text("c", meta=K2)),
            (text("ab", meta=K1), text("c", meta=K2)),
            id="metadata of blocks",
        ),
        pytest.param(
            chunks(("a", K1), ("b", K1), ("c", K2), "d"),
            (text("ab"), text("c"), text("d")),
            id="metadata of chunks",
        ),
        pytest.param(
            chunks(text("a", meta=K1), (text("b", meta=K1), K1)),
            (text("a", meta=K1), text("b", meta=K1)),
            id="metadata of a block and of a chunk",
        ),
        pytest.param(
            chunks("a", text("b", annotations=None)), (text("ab"),), id="null is no annotation"
        ),
    ],
)
def test_adjacent_text_is_joined_only_where_all_else_is_equal(made, blocks):
    """MSG-01: no `annotations` and no `_meta` is lost."""
    assert made.blocks == blocks


def test_blocks_are_joined_once():
    """`blocks` and `text` are remembered."""
    made = chunks("a", "b")
    assert made.blocks is made.blocks
    assert made.text is made.text


def test_text_is_that_of_the_text_blocks():
    """MSG-01: nothing is put between them."""
    assert chunks("a", IMAGE, ("b", K1), LINK, "c").text == "abc"


# The fewest chunks that read alike


def test_joined_chunks_are_the_blocks_with_the_metadata_of_their_parts():
    """PATCH-06: what is joined has the same `_meta`."""
    made = chunks("a", "b", ("c", K1), ("d", K1), (IMAGE, K2), (IMAGE, K2), "e")
    assert made.joined == (
        Chunk(text("ab")),
        Chunk(text("cd"), K1),
        Chunk(IMAGE, K2),
        Chunk(IMAGE, K2),
        Chunk(text("e")),
    )
    assert NO_CHUNKS.joined == ()


PARTS = st.lists(
    st.tuples(st.sampled_from(["a", "", HIGH, LOW, IMAGE]), st.sampled_from([None, K1, K2]))
)


@given(PARTS)
def test_joined_chunks_read_as_all_chunks_do_and_cannot_be_joined_again(parts):
    made = chunks(*parts)
    again = chunks(*((chunk.content, chunk.meta) for chunk in made.joined))
    assert again.blocks == made.blocks
    assert again.joined == made.joined == tuple(again)


# Characters that were cut in two


@pytest.mark.parametrize(
    ("made", "blocks"),
    [
        pytest.param(chunks(HIGH, LOW), (text(ROCKET),), id="over two chunks"),
        pytest.param(
            chunks(f"a{HIGH}", f"{LOW}b"), (text(f"a{ROCKET}b"),), id="in the midst of text"
        ),
        pytest.param(
            chunks((f"a{HIGH}", K1), (f"{LOW}b", K2)),
            (text(f"a{ROCKET}"), text("b")),
            id="over chunks with different metadata",
        ),
        pytest.param(
            chunks(text(f"a{HIGH}", annotations=HINT), f"{LOW}b"),
            (text(f"a{ROCKET}", annotations=HINT), text("b")),
            id="over different annotations",
        ),
        pytest.param(
            chunks((HIGH, K1), (LOW + HIGH, K2), (LOW, K1)),
            (text(ROCKET), text(ROCKET), text("")),
            id="one after the other",
        ),
        pytest.param(
            chunks((HIGH, K1), (LOW, K2), (LOW, K1)),
            (text(ROCKET), text(""), text(LOST)),
            id="a half is used once",
        ),
        pytest.param(
            chunks((HIGH, K1), (HIGH, K2), (LOW, K1)),
            (text(LOST), text(ROCKET), text("")),
            id="a first half twice",
        ),
        pytest.param(
            chunks(HIGH, IMAGE, LOW), (text(LOST), IMAGE, text(LOST)), id="around an image"
        ),
        pytest.param(chunks(f"a{HIGH}"), (text(f"a{LOST}"),), id="a first half alone"),
        pytest.param(chunks(f"{LOW}a"), (text(f"{LOST}a"),), id="a second half alone"),
        pytest.param(chunks(LOW, HIGH), (text(LOST * 2),), id="the wrong way round"),
    ],
)
def test_a_character_that_was_cut_is_whole_again(made, blocks):
    """Design, the model: whole in blocks and in text; the first block gets it."""
    assert made.blocks == blocks
    assert made.text == "".join(block.text for block in blocks if isinstance(block, TextContent))


def test_the_chunks_themselves_stay_as_received():
    """MSG-01: what was received is kept."""
    assert [chunk.content.text for chunk in chunks(HIGH, (LOW, K1))] == [HIGH, LOW]


def test_an_empty_chunk_between_the_halves():
    """MSG-01: the text is plain concatenation, whatever metadata an empty chunk has."""
    assert chunks((HIGH, K1), ("", K2), (LOW, K1)).text == ROCKET


pieces = st.lists(
    st.tuples(
        st.text(st.sampled_from(["a", HIGH, LOW, ROCKET]), min_size=1, max_size=3),
        st.sampled_from([None, K1, K2]),
    ),
    max_size=6,
)


@given(pieces)
def test_text_does_not_depend_on_metadata(parts):
    """MSG-01: the text of text blocks alone is that of all their texts, mended."""
    made = chunks(*parts)
    assert made.text == mend("".join(part for part, _ in parts))
    made.text.encode("utf-8")
    assert len(made) == len(parts)


@given(pieces, st.integers(0, 6))
def test_appending_is_extending(parts, at):
    """However they came together."""
    assert chunks(*parts[:at]).extend(chunks(*parts[at:])) == chunks(*parts)


# What was appended


@given(pieces, st.integers(0, 6))
def test_chunks_tell_what_came_since(parts, at):
    """However they came together."""
    older, newer = chunks(*parts[:at]), chunks(*parts)
    assert newer.since(older) == chunks(*parts[at:])
    assert chunks(*parts[:at]).extend(chunks(*parts[at:])).since(older) == chunks(*parts[at:])


def test_other_chunks_came_since_none():
    base = chunks("a", "b")
    assert base.since(base) == NO_CHUNKS
    assert base.since(NO_CHUNKS) == base
    assert chunks("a").since(base) is None
    assert chunks("a", "c", "d").since(base) is None
    assert chunks("ab", "c").since(base) is None


@pytest.mark.parametrize(
    ("older", "later", "half"),
    [
        pytest.param(chunks("a", HIGH), chunks(LOW), HIGH, id="a pair"),
        pytest.param(chunks(HIGH, ""), chunks("", LOW), HIGH, id="with nothing in between"),
        pytest.param(chunks((HIGH, K1)), chunks(text(LOW, annotations=HINT)), HIGH, id="unlike"),
        pytest.param(chunks(HIGH), chunks("b"), "", id="a half, then none"),
        pytest.param(chunks(HIGH), chunks(HIGH), "", id="two first halves"),
        pytest.param(chunks("a"), chunks(LOW), "", id="none, then a half"),
        pytest.param(chunks(HIGH, LOW), chunks(LOW), "", id="a pair, then a half"),
        pytest.param(chunks(HIGH, IMAGE), chunks(LOW), "", id="an image before"),
        pytest.param(chunks(HIGH), chunks(IMAGE, LOW), "", id="an image after"),
        pytest.param(chunks(HIGH), NO_CHUNKS, "", id="nothing after"),
        pytest.param(chunks("a" + HIGH), chunks(LOW + "b"), HIGH, id="in the midst of texts"),
        pytest.param(NO_CHUNKS, chunks(LOW), "", id="nothing before"),
    ],
)
def test_half_a_character_waits_for_the_other(older, later, half):
    """The same rule by which `blocks` makes a character whole."""
    assert older.half_before(later) == half
    assert (ROCKET in older.extend(later).text) == (bool(half) or ROCKET in older.text)


def test_the_first_and_the_last_halves_are_halves():
    for high, low in product("\ud800\udbff", "\udc00\udfff"):
        assert chunks("a" + high).half_before(chunks(low + "b")) == high
        assert chunks(low).half_before(chunks(high)) == ""


def test_a_half_that_another_text_cannot_use_stays_where_it_is():
    held = chunks(text("a", annotations=HINT), LOW + "b")
    assert held.blocks == (text("a", annotations=HINT), text("\ufffdb"))


def test_texts_of_unlike_metadata_stay_apart():
    """Only where annotations and both metas are equal are they joined."""
    held = chunks(text("a", meta=K1), text("b"), text("c", meta=K1), text("d", meta=K1))
    assert [block.text for block in held.blocks] == ["a", "b", "cd"]


# Values


def test_what_they_look_like():
    assert repr(chunks("Hello, ", "world", IMAGE)) == "<3 chunks: 'Hello, world'>"
    assert repr(NO_CHUNKS) == "<0 chunks: ''>"


def test_they_are_values():
    """Frozen, compared by value, and they can be hashed."""
    assert hash(chunks("a", (IMAGE, K1))) == hash(chunks("a", (IMAGE, K1)))
    assert chunks("a", "b") != chunks("ab")
    assert chunks("a") != [Chunk(text("a"))]
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        chunks("a")._log = None
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        chunks("a")[0].meta = K1
