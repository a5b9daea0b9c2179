"""What all persistent structures have in common: `frozen`."""

import copy
import weakref

import pytest

from acp_state.persistent.frozen import Frozen, opened, preview


class Base:
    __slots__ = ("__weakref__",)


class Point(Base, Frozen):
    __slots__ = ("x",)


OpenPoint = opened(Point)


def point_at(x):
    point = OpenPoint()
    point.x = x
    point.__class__ = Point
    return point


def test_attributes_are_set_while_it_is_open_alone():
    point = point_at(1)
    assert type(point) is Point
    with pytest.raises(AttributeError, match="Point is immutable: cannot set 'x'"):
        point.x = 2
    with pytest.raises(AttributeError, match="Point is immutable: cannot set 'y'"):
        point.y = 2
    with pytest.raises(AttributeError, match="Point is immutable: cannot delete 'x'"):
        del point.x
    assert point.x == 1


def test_what_was_open_can_be_referred_to_weakly():
    point = point_at(1)
    assert weakref.ref(point)() is point


def test_a_copy_is_the_same_object():
    point = point_at([])
    assert copy.copy(point) is point


def test_preview_reads_no_more_than_it_shows():
    assert preview([], 0) == ""
    assert preview(map(str, range(8)), 8) == "0, 1, 2, 3, 4, 5, 6, 7"
    items = map(str, range(10))
    assert preview(items, 10) == "0, 1, 2, 3, 4, 5, 6, 7, ... 10 in all"
    assert next(items) == "8"
