"""Compactions as the model holds them."""

from __future__ import annotations

import attrs
import pytest
from reduce.builders import chunks

from acp_state import Compaction
from acp_state.schema import ImageContent, TextContent

IMAGE = ImageContent(data="d", mime_type="m")


def test_a_compaction_of_which_only_the_id_is_known():
    """CONF-04: `in_progress` is implied."""
    assert Compaction(compaction_id="c") == Compaction(
        compaction_id="c", status="in_progress", chunks=chunks(), error=None, meta=None, turn=None
    )
    assert Compaction(compaction_id="c").key == ("compaction", "c")


def test_the_summary():
    """CMP-04, CMP-11: content blocks, adjacent text joined; from chunks or from a list."""
    made = Compaction(compaction_id="c", chunks=chunks("a", "b", IMAGE, "c"))
    assert made.summary == (TextContent(text="ab"), IMAGE, TextContent(text="c"))
    assert made.text == "abc"
    assert Compaction(compaction_id="c", chunks=[TextContent(text="a")]).chunks == chunks("a")


@pytest.mark.parametrize(
    ("compaction", "shown"),
    [
        (Compaction(compaction_id="c"), "<compaction 'c': in_progress ''>"),
        (
            Compaction(compaction_id="c", status="completed", chunks=chunks("a")),
            "<compaction 'c': completed 'a'>",
        ),
    ],
)
def test_what_it_looks_like(compaction, shown):
    assert repr(compaction) == shown


def test_it_is_a_value():
    """Frozen, compared by value, and it can be hashed."""
    made = Compaction(compaction_id="c", chunks=chunks("a"))
    assert made == attrs.evolve(made)
    assert hash(made) == hash(Compaction(compaction_id="c", chunks=chunks("a")))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        made.status = "failed"
