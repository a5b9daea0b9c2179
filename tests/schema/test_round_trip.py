"""What was valid on the wire is read without a fault and written as it was."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published import EMPTY, LENIENT, NULL_IS_DEFAULT, ROOTS, published
from shared import SHARED, needs_shared
from strategies import json_objects, json_of, typed

from acp_state import schema
from acp_state.codec import encode
from acp_state.leniency import Decoded, decode
from acp_state.schema import SessionNotification, SessionUpdate
from acp_state.schema.updates import SESSION_UPDATE

messages = {
    **{
        tag: ("SessionUpdate", json_of("SessionUpdate", sessionUpdate=tag))
        for tag in SESSION_UPDATE.variants
    },
    **{root: (root, json_of(root)) for root in ROOTS},
}
"""Valid messages of each kind, and what they are read as: the updates by tag, the roots by name."""

with_null_as_default = [
    root
    for root in (ROOTS if SHARED.is_dir() else ())
    if NULL_IS_DEFAULT in json.dumps(published().reach(root))
]
"""The roots that lead to a field in which null counts as empty."""

any_kind = st.sampled_from(sorted(messages))
each_message = pytest.mark.parametrize("kind", messages)
few = settings(max_examples=20)


@needs_shared
@each_message
@settings(max_examples=3)
@given(data=st.data())
def test_the_strategies_make_what_the_schema_calls_valid(kind, data):
    """The messages of these tests are the protocol's."""
    name, made = messages[kind]
    message = data.draw(made)
    assert published().valid(message, published().named(name))


@needs_shared
@each_message
@few
@given(data=st.data())
def test_a_valid_message_is_written_as_it_was_read(kind, data):
    """LENIENT-01, EXT-04: absent stays absent and null null, payloads of open variants stay whole.

    Nothing is added, and nothing valid is called a fault.
    """
    name, made = messages[kind]
    message = data.draw(made)
    union = getattr(schema, name)
    decoded = decode(message, union)
    encoded = encode(decoded.value, union)
    assert decoded.faults == ()
    assert encoded == message
    assert json.dumps(encoded, sort_keys=True) == json.dumps(message, sort_keys=True)


@needs_shared
@given(kind=any_kind, data=st.data())
def test_reading_leaves_the_message_alone(kind, data):
    """Contract 1: what goes in is not changed, and what came out does not change with it."""
    name, made = messages[kind]
    message = data.draw(made)
    before = copy.deepcopy(message)
    value = decode(message, getattr(schema, name)).value
    assert message == before
    spoil(message)
    assert decode(before, getattr(schema, name)).value == value


@needs_shared
@given(kind=any_kind, data=st.data(), extra=json_objects)
def test_unknown_keys_are_ignored(kind, data, extra):
    """LENIENT-07: other properties of a known object are no errors and no data."""
    name, made = messages[kind]
    message = data.draw(made)
    unknown = {f"unknown{key}": value for key, value in extra.items()}
    union = getattr(schema, name)
    assert decode({**unknown, **message}, union) == decode(message, union)


@needs_shared
@each_message
@few
@given(data=st.data())
def test_a_malformed_optional_field_counts_as_absent(kind, data):
    """INV-04, LENIENT-02: rubbish in a lenient field is as good as no field, wherever it is."""
    name, made = messages[kind]
    node = published().named(name)
    message = data.draw(made)
    rubbish = [
        (place, wrong)
        for place in published().places(node, message)
        if place.node.get(LENIENT) and not place.required
        for wrong in published().wrong(place.node)
    ]
    if rubbish:
        place, wrong = data.draw(st.sampled_from(rubbish))
        place.holder[place.key] = wrong
        malformed = decode(message, getattr(schema, name))
        del place.holder[place.key]
        assert decode(message, getattr(schema, name)) == Decoded(malformed.value)
        assert [fault.code for fault in malformed.faults] == ["field-defaulted"]


@needs_shared
@pytest.mark.parametrize("root", with_null_as_default)
@given(data=st.data())
def test_null_is_written_as_the_default_that_it_stands_for(root, data):
    """LENIENT-06: the one exception to what was read being written as it was; it is no fault."""
    message = data.draw(json_of(root))
    for place in published().places(published().named(root), message):
        if place.node.get(NULL_IS_DEFAULT):
            place.holder[place.key] = EMPTY[place.node["type"]]
    cls, with_null = getattr(schema, root), copy.deepcopy(message)
    for place in published().places(published().named(root), with_null):
        if place.node.get(NULL_IS_DEFAULT):
            place.holder[place.key] = None
    decoded = decode(with_null, cls)
    assert decoded == decode(message, cls)
    assert decoded.faults == ()
    assert encode(decoded.value) == message


@given(typed(SessionUpdate))
def test_a_typed_update_is_read_as_it_was_written(update):
    """`decode` undoes `encode`: for every variant, open states and raw payloads included."""
    assert decode(encode(update, SessionUpdate), SessionUpdate) == Decoded(update)


@pytest.mark.parametrize("root", ROOTS)
@few
@given(data=st.data())
def test_a_typed_message_is_read_as_it_was_written(root, data):
    """`decode` undoes `encode` for the other messages as well."""
    cls = getattr(schema, root)
    value = data.draw(typed(cls))
    assert decode(encode(value), cls) == Decoded(value)


@given(typed(SessionNotification))
def test_what_is_written_is_json(notification):
    """`encode` gives dicts, lists and scalars alone, and each time new ones."""
    written = encode(notification)
    assert json.loads(json.dumps(written)) == written
    spoil(written)
    assert decode(encode(notification), SessionNotification) == Decoded(notification)


def spoil(value: object) -> None:
    """Change every dict and list of the value."""
    if isinstance(value, dict):
        for each in value.values():
            spoil(each)
        value.clear()
    if isinstance(value, list):
        for each in value:
            spoil(each)
        value.append("spoiled")
