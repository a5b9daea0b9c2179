"""The decorator of all classes: as attrs' own, with methods that the classes share."""

from __future__ import annotations

import copy
import pickle

import attrs
import pytest
from attrs import field

from acp_state.records import frozen


@frozen(kw_only=True)
class Point:
    x: int
    y: int = 0
    note: str = field(default="", eq=False)
    hidden: str = field(default="", repr=False)


@attrs.frozen(kw_only=True)
class Reference:
    """The same, by attrs alone."""

    x: int
    y: int = 0
    note: str = field(default="", eq=False)
    hidden: str = field(default="", repr=False)


@frozen
class Bare:
    pass


@frozen(eq=False)
class Unique:
    x: int


@frozen(repr=False)
class Silent:
    x: int


@frozen
class Own:
    x: int

    def __repr__(self):
        return "own"

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 5


VALUES = [{"x": 1}, {"x": 1, "y": 2}, {"x": 1, "note": "n"}, {"x": 1, "hidden": "s"}, {"x": 1.0}]


@pytest.mark.parametrize("one", VALUES, ids=str)
@pytest.mark.parametrize("other", VALUES, ids=str)
def test_equal_where_attrs_says_so(one, other):
    """Equal values in all fields that count; and equal hashes then."""
    equal = Reference(**one) == Reference(**other)
    assert (Point(**one) == Point(**other)) is equal
    assert (Point(**one) != Point(**other)) is not equal
    assert not equal or hash(Point(**one)) == hash(Point(**other))


def test_another_class_is_never_equal():
    assert Point(x=1) != Reference(x=1)
    assert Point(x=1) != 1
    assert hash(Bare()) != hash(Silent(1))


@pytest.mark.parametrize("values", VALUES, ids=str)
def test_shown_as_attrs_does(values):
    assert repr(Point(**values)) == repr(Reference(**values)).replace("Reference", "Point")


def test_a_class_without_fields():
    assert Bare() == Bare()
    assert hash(Bare()) == hash(Bare())
    assert repr(Bare()) == "Bare()"


def test_frozen():
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        Point(x=1).x = 2


def test_without_comparing():
    one = Unique(1)
    assert one == one  # noqa: PLR0124 - by identity
    assert one != Unique(1)
    assert len({one, Unique(1)}) == 2


def test_without_showing():
    assert "Silent object at" in repr(Silent(1))


def test_methods_of_its_own():
    assert (repr(Own(1)), Own(1) == 3, hash(Own(1))) == ("own", True, 5)


def test_copies():
    point = Point(x=1, y=2, note="n", hidden="s")
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        clone = pickle.loads(pickle.dumps(point, protocol))  # noqa: S301 - our own
        assert attrs.astuple(clone) == (1, 2, "n", "s")
    assert attrs.astuple(copy.deepcopy(point)) == (1, 2, "n", "s")
    assert attrs.evolve(point, x=5) == Point(x=5, y=2, hidden="s")
