"""What all persistent structures have in common: `frozen`."""

import copy

import pytest

from acp_state.persistent.frozen import Frozen, preview, slot_setter


class Point(Frozen):
    __slots__ = ("x",)

    def __init__(self, x):
        set_x(self, x)


set_x = slot_setter(Point, "x")


def test_attributes_are_set_by_the_slot_setter_alone():
    point = Point(1)
    with pytest.raises(AttributeError, match="Point is immutable: cannot set 'x'"):
        point.x = 2
    with pytest.raises(AttributeError, match="Point is immutable: cannot set 'y'"):
        point.y = 2
    with pytest.raises(AttributeError, match="Point is immutable: cannot delete 'x'"):
        del point.x
    assert point.x == 1


def test_a_copy_is_the_same_object():
    point = Point([])
    assert copy.copy(point) is point


def test_preview_reads_no_more_than_it_shows():
    assert preview([], 0) == ""
    assert preview(map(str, range(8)), 8) == "0, 1, 2, 3, 4, 5, 6, 7"
    items = map(str, range(10))
    assert preview(items, 10) == "0, 1, 2, 3, 4, 5, 6, 7, ... 10 in all"
    assert next(items) == "8"
