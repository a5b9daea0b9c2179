"""Messages made from the published schema: valid ones, and what is left of them after mutations.

Everything is drawn from a `random.Random`, so that a seed stands for a message. What is drawn is
what the schema's letter allows, and nothing is known here of how it is read.
"""

from __future__ import annotations

import copy
from random import Random

from attrs import frozen
from published import Alternative, Published  # noqa: TC002 - attrs resolves annotations

STRINGS = ("", "a", "text", "/w/a.txt", "b\n", "\u00e9\U0001f600", "\ud83d", "_vendor", "x" * 300)
INTEGERS = (0, 1, 5, -1, 7.0, 2**31, 2**53 + 1, 2**64, -(2**70))
NUMBERS = (0, -1, 0.5, 2.0, 1e300, 2**64)
ANYTHING = (None, True, False, 0, -1, 5.0, 1.5, 2**80, "", "text", [], {}, [{}], {"a": [1, None]})
"""A value of every JSON type; also what is wrong for a place that wants another."""

EXTRA = ("extra", "modeId", "senderSessionId", "type", "id", "_meta", "text", "blob")
"""Keys that are added to objects, known elsewhere or nowhere."""

SHALLOW = 4
"""Levels below which optional keys become rare, so that messages stay small."""


def chance(*of: object) -> Random:
    """A source of chance that is the same each time for the same thing."""
    return Random(" ".join(map(str, of)))  # noqa: S311 - no secret


@frozen
class Maker:
    """Makes values that the schema calls valid."""

    file: Published
    random: Random

    def message(self, name: str) -> object:
        """A valid value of the definition."""
        return self.value(self.file.named(name))

    def value(self, node: dict, depth: int = 0) -> object:
        """A valid value for a node."""
        option = self.random.choice(self.file.options(node))
        if "const" in option:
            return option["const"]
        if option.get("type") == "object":
            return self.object(self.random.choice(self.file.alternatives(option)), depth)
        if option.get("type") == "array":
            length = self.random.choice((0, 1, 1, 2, 3))
            return [self.value(option["items"], depth + 1) for _ in range(length)]
        return self.scalar(option)

    def object(self, shape: Alternative, depth: int) -> dict:
        """A valid object of one shape, with some of the keys that are not required."""
        likely = 0.5 if depth < SHALLOW else 0.15
        made = {
            key: self.allowed(node, shape.excluded.get(key, ()), depth + 1)
            for key, node in shape.properties.items()
            if key in shape.required or self.random.random() < likely
        }
        if shape.others is not None and self.random.random() < likely:
            key = self.random.choice(("other", "_vendor", "rest"))
            made.setdefault(key, self.value(shape.others, depth + 1))
        return made

    def allowed(self, node: dict, excluded: object, depth: int) -> object:
        """A valid value that an open branch does not leave to the known ones."""
        while (made := self.value(node, depth)) in excluded:
            continue
        return made

    def scalar(self, option: dict) -> object:
        """A string, a number, a boolean, null, or where the schema says nothing, anything."""
        choices = {
            "null": (None,),
            "boolean": (True, False),
            "string": [text for text in STRINGS if len(text) >= option.get("minLength", 0)],
            "integer": [n for n in (*INTEGERS, *bounds(option)) if within(n, option)],
            "number": NUMBERS,
        }
        return copy.deepcopy(self.random.choice(choices.get(option.get("type"), ANYTHING)))


def bounds(option: dict) -> list[int]:
    """The least and the greatest value that a node allows."""
    return [option[name] for name in ("minimum", "maximum") if name in option]


def within(number: float, option: dict) -> bool:
    """Whether a number lies within the bounds of a node."""
    return option.get("minimum", number) <= number <= option.get("maximum", number)


# Mutations


def huge(random: Random, _: object) -> object:
    """More than anybody expects, of any type."""
    return random.choice(("x" * 20_000, 10**400, -(10**30), [0] * 2_000, {"k": "v" * 2_000}))


def deep(random: Random, old: object) -> object:
    """The value far down in arrays or objects."""
    for _ in range(random.choice((1, 2, 40))):
        old = [old] if random.random() < 0.5 else {"in": old}
    return old


def unknown_word(random: Random, old: object) -> object:
    """A string of no enum and no tag; other values become strings."""
    return random.choice(("no_such", "cancelled", f"{old}"[:20], f"{old}"[:20].upper(), ""))


def other_type(random: Random, _: object) -> object:
    """A value of any type."""
    return copy.deepcopy(random.choice(ANYTHING))


def null(_: Random, __: object) -> None:
    """Null where it may not be one."""


CHANGES = (null, null, other_type, other_type, unknown_word, huge, deep)


def mutated(random: Random, message: object, times: int) -> object:
    """The message with some of its parts changed, dropped, doubled or added."""
    held = {"": copy.deepcopy(message)}
    for _ in range(times):
        holder, key = random.choice(places(held) or [(held, "")])
        mutate(random, holder, key)
    return held.get("")


def mutate(random: Random, holder: dict | list, key: str | int) -> None:
    """Change one part of a message."""
    kind = random.randrange(8)
    whole = isinstance(holder, dict) and key == ""
    if kind == 0 and not whole:
        del holder[key]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif kind == 1 and isinstance(holder[key], dict):
        holder[key][random.choice(EXTRA)] = other_type(random, None)
    else:
        holder[key] = random.choice(CHANGES)(random, holder[key])


def places(value: object, depth: int = 0) -> list[tuple[dict | list, str | int]]:
    """Each key and index at any depth of a message that is not itself very deep."""
    if depth > 20 or not isinstance(value, (dict, list)):
        return []
    keys = list(value) if isinstance(value, dict) else range(min(len(value), 20))
    return [place for key in keys for place in [(value, key), *places(value[key], depth + 1)]]
