"""Copies with some fields changed, slot by slot."""

from __future__ import annotations

import weakref

import attrs
import pytest
from attrs import field, frozen

from acp_state.model import Connection, Message, Session
from acp_state.model.copying import Versioned, copier, evolve, maker


@frozen
class Point(Versioned):
    x: int
    y: int = 0
    tags: tuple[str, ...] = field(default=(), converter=tuple, kw_only=True)
    _hidden: int = field(default=7, eq=False)


FIELDS = [each.name for each in attrs.fields(Point)]
MADE = Point(1, 2, 3, tags=["a"])


@pytest.mark.parametrize("changed", FIELDS)
def test_one_field_is_changed_and_no_other(changed):
    """As `attrs.evolve` does."""
    copy = copier(Point, changed)(MADE, new := object())
    assert type(copy) is Point
    assert {name: getattr(copy, name) for name in FIELDS} == {
        name: new if name == changed else getattr(MADE, name) for name in FIELDS
    }


@pytest.mark.parametrize("given", [("x",), ("x", "tags"), ("_hidden", "x", "y")])
def test_an_instance_is_made_of_some_fields_and_defaults(given):
    """As the class itself makes it; the values come in the order that was named."""
    values = {name: object() for name in given}
    made = maker(Point, *given)(*values.values())
    assert type(made) is Point
    defaults = {each.name: each.default for each in attrs.fields(Point)}
    assert {name: getattr(made, name) for name in FIELDS} == {**defaults, **values}


def test_what_was_made_is_frozen_and_equal_to_what_the_class_makes():
    made = maker(Point, "x")(5)
    assert made == Point(5)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        made.x = 6


def test_a_value_for_each_field_without_a_default_has_to_be_named():
    with pytest.raises(TypeError):
        maker(Point, "x")()
    with pytest.raises(TypeError, match="Point has no default for 'x'"):
        maker(Point, "y")


def test_the_original_stays():
    copier(Point, "x")(MADE, 5)
    assert Point(1, 2, 3, tags=("a",)) == MADE
    assert MADE._hidden == 3


def test_no_converter_runs():
    """The value is written as it is."""
    assert copier(Point, "tags")(MADE, ["b"]).tags == ["b"]


def test_a_copy_is_frozen_too():
    copy = copier(Point, "x")(MADE, 5)
    assert copy == attrs.evolve(MADE, x=5)
    assert hash(copy) == hash(attrs.evolve(MADE, x=5))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        copy.x = 6


@pytest.mark.parametrize(
    ("held", "changed", "value"),
    [
        (Message(role="agent", message_id="m", turn=2), "turn", 3),
        (Session("s", title="T", running=(1,)), "title", None),
        (Connection(side="agent", next_request_id=5), "phase", "ready"),
    ],
    ids=["message", "session", "connection"],
)
def test_copies_of_the_model(held, changed, value):
    """The objects that every chunk touches: equal to what `attrs.evolve` makes."""
    assert copier(type(held), changed)(held, value) == attrs.evolve(held, **{changed: value})


def test_several_fields_at_once():
    copy = copier(Point, "y", "x")(MADE, 8, 9)
    assert copy == attrs.evolve(MADE, y=8, x=9)


def test_fields_by_name():
    """`evolve` is `attrs.evolve` without converters."""
    assert evolve(MADE) == MADE
    assert evolve(MADE, y=8, _hidden=1) == attrs.evolve(MADE, y=8, hidden=1)
    assert evolve(MADE, y=8)._hidden == 3


def test_a_field_that_is_not_there():
    with pytest.raises(AttributeError):
        evolve(MADE, z=1)


def test_copies_can_be_referred_to_weakly():
    session = copier(Session, "title")(Session("s"), "T")
    assert weakref.ref(session)() is session
