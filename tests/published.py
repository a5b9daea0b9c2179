"""The published JSON schema of the protocol, as far as the tests ask it.

`Published` is one schema file. A node of it is a plain dict; `options` takes a node apart into the
kinds of value it allows, `alternatives` an object into the shapes it may have, and `example` makes
a valid value. `jsonschema` is the judge of what is valid.
"""

from __future__ import annotations

import json
from functools import cache, cached_property, wraps

from attrs import field, frozen
from jsonschema import Draft202012Validator
from shared import SHARED

ROOTS = (
    "SessionNotification",
    "RequestPermissionRequest",
    "RequestPermissionResponse",
    "PromptRequest",
    "PromptResponse",
    "NewSessionResponse",
    "LoadSessionResponse",
    "ResumeSessionResponse",
    "ForkSessionResponse",
    "InitializeRequest",
    "InitializeResponse",
    "AuthStatusResponse",
    "AuthStatusUpdateNotification",
    "ListSessionsResponse",
    "SetSessionTitleResponse",
    "SetSessionConfigOptionResponse",
    "SessionStatusResponse",
    "ReadTextFileRequest",
    "ReadTextFileResponse",
    "WriteTextFileRequest",
    "CreateTerminalRequest",
    "CreateTerminalResponse",
    "TerminalOutputRequest",
    "TerminalOutputResponse",
    "WaitForTerminalExitRequest",
    "WaitForTerminalExitResponse",
    "KillTerminalRequest",
    "ReleaseTerminalRequest",
    "Error",
)
"""The messages and objects of the protocol that the wire classes stand for."""

LENIENT = "x-deserialize-default-on-error"
SKIPS_ITEMS = "x-deserialize-skip-invalid-items"
NULL_IS_DEFAULT = "x-deserialize-default-on-null"

EMPTY = {"array": [], "object": {}}
"""What null counts as where it is the default, by the type of the field."""

SAMPLES = (None, True, -1, 5, 5.0, 1.5, 2**64, "", "text", [], {})
"""A value of every JSON type; what is wrong for a node is what `jsonschema` refuses of these."""


def once_a_node(ask):
    """A question to the schema file that is answered once for each node."""
    known = {}

    @wraps(ask)
    def asked(file: Published, node: dict) -> list:
        key = file.name, id(node)
        if key not in known:
            known[key] = node, ask(file, node)  # the node is kept, so that its id stays its own
        return known[key][1]

    return asked


@frozen
class Alternative:
    """One shape that an object may have."""

    properties: dict[str, dict] = field(factory=dict)
    required: frozenset[str] = frozenset()
    excluded: dict[str, frozenset[str]] = field(factory=dict)
    """Values that an open branch leaves to the known ones."""
    others: dict | None = None
    """The node of whatever other keys there are; None: they do not belong to the object."""

    def __or__(self, other: Alternative) -> Alternative:
        both = {
            key: self.properties.get(key, {}) | other.properties.get(key, {})
            for key in {**self.properties, **other.properties}
        }
        return Alternative(
            both,
            self.required | other.required,
            self.excluded | other.excluded,
            other.others if self.others is None else self.others,
        )

    def has(self, consts: dict[str, str]) -> bool:
        """Whether these keys have these values in every such object."""
        return all(self.properties.get(k, {}).get("const") == v for k, v in consts.items())

    def fits(self, value: dict) -> bool:
        """Whether the object has this shape, as far as keys and tags tell."""
        return self.required <= value.keys() and all(
            value.get(key) == node["const"]
            for key, node in self.properties.items()
            if "const" in node
        )


@frozen
class Place:
    """One key of an object somewhere in a value, and what the schema says of it."""

    holder: dict
    key: str
    node: dict
    required: bool


class Published:
    """A schema file: ``"unstable"``, or ``"stable"``, which has fewer of the same things."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def defs(self) -> dict[str, dict]:
        """The definitions by name."""
        path = {"unstable": "schema.unstable.json", "stable": "schema.json"}[self.name]
        return json.loads((SHARED / "schema" / "v1" / path).read_bytes())["$defs"]

    @cached_property
    def closure(self) -> dict[str, dict]:
        """The definitions that the roots lead to."""
        return self.reach(*(root for root in ROOTS if root in self.defs))

    def reach(self, *names: str) -> dict[str, dict]:
        """The definitions that these lead to, themselves included."""
        found, todo = {}, list(names)
        while todo:
            name = todo.pop()
            if name not in found:
                found[name] = self.defs[name]
                todo += references(self.defs[name])
        return dict(sorted(found.items()))

    def named(self, name: str) -> dict:
        """A node that refers to the definition."""
        assert name in self.defs
        return {"$ref": f"#/$defs/{name}"}

    def resolve(self, node: dict) -> dict:
        """The node, or the definition that it refers to."""
        name = None if "properties" in node else reference(node)
        return self.resolve(self.defs[name]) if name else node

    def valid(self, value: object, node: dict) -> bool:
        """Whether the value is valid there, by the letter of the schema."""
        return Draft202012Validator({"$defs": self.closure, "allOf": [node]}).is_valid(value)

    def judged(self, node: dict) -> list[tuple[object, bool]]:
        """Values for the node, and whether each is valid there.

        They are two examples, the samples, and what is just within and just beyond a bound.
        """
        return self._judged(json.dumps(node))

    @cache  # noqa: B019 - there are two instances, and they live as long as the tests
    def _judged(self, text: str) -> list[tuple[object, bool]]:
        node = json.loads(text)
        values = [self.example(node), self.example(node, full=True), *SAMPLES]
        for option in self.options(node):
            values += [
                option[name] + n
                for name in ("minimum", "maximum")
                for n in (-1, 0, 1)
                if name in option
            ]
            others = shape(option).others
            values += [{"key": value} for value, _ in self.judged(others)] if others else []
        return [(value, self.valid(value, node)) for value in values]

    def wrong(self, node: dict) -> list[object]:
        """Values that are not valid for the node."""
        return [value for value, valid in self.judged(node) if not valid]

    def bound(self, name: str, node: dict) -> int | None:
        """The ``minimum``, ``maximum`` or ``minLength`` of a node, or of what it refers to."""
        return next((option[name] for option in self.options(node) if name in option), None)

    def declared(self, name: str) -> Alternative:
        """The keys of the class of that name: the definition's, and those of one around it."""
        found = shape(self.defs[name])
        for base in self.closure.values():
            if "properties" in base and name in map(reference, branches(base)):
                found = shape(base) | found
        return found

    @once_a_node
    def options(self, node: dict) -> list[dict]:
        """The kinds of value that a node allows: nodes with one type, one const, or none."""
        node = self.resolve(node)
        if "properties" in node:
            return [node]
        if branches(node):
            return [option for branch in branches(node) for option in self.options(branch)]
        if isinstance(node.get("type"), list):
            return [{**node, "type": each} for each in node["type"]]
        return [node]

    @once_a_node
    def alternatives(self, node: dict) -> list[Alternative]:
        """The shapes that an object may have."""
        if "$ref" in node:
            return self.alternatives(self.resolve(node))
        found = [shape(node)]
        for part in node.get("allOf", ()):
            found = [own | theirs for own in found for theirs in self.alternatives(part)]
        if branches(node):
            found = [
                own | theirs
                for own in found
                for branch in branches(node)
                for theirs in self.alternatives(branch)
            ]
        return found

    def example(self, node: dict, *, full: bool = False) -> object:
        """A valid value: with the required keys alone, or with every key there is."""
        option = self.options(node)[0]
        if "const" in option:
            return option["const"]
        if option.get("type") == "object":
            return self.example_of(self.alternatives(option)[0], full=full)
        if option.get("type") == "array":
            return [self.example(option["items"], full=full)] if full else []
        samples = {"string": "a", "integer": 1, "number": 0.5, "boolean": True}
        return samples.get(option.get("type"), {"any": ["JSON", None]})

    def example_of(self, alternative: Alternative, *, full: bool) -> dict:
        """A valid object of that shape."""
        keys = alternative.properties if full else alternative.required
        return {
            key: self.example(node, full=full)
            for key, node in alternative.properties.items()
            if key in keys
        }

    def places(self, node: dict, value: object) -> list[Place]:
        """Each key of each object in the value, at any depth, that the schema knows."""
        if isinstance(value, list):
            arrays = (each["items"] for each in self.options(node) if "items" in each)
            items = next(arrays, {})
            return [place for item in value for place in self.places(items, item)]
        if not isinstance(value, dict):
            return []
        shapes = (
            found
            for option in self.options(node)
            if option.get("type") == "object"
            for found in self.alternatives(option)
        )
        fitting = next((each for each in shapes if each.fits(value)), Alternative())
        found = []
        for key, inner in fitting.properties.items():
            if key in value:
                found.append(Place(value, key, inner, key in fitting.required))
                found += self.places(inner, value[key])
        return found


@cache
def published(name: str = "unstable") -> Published:
    """The schema file of that name."""
    return Published(name)


def branches(node: dict) -> list[dict]:
    """The members of a union."""
    return node.get("oneOf") or node.get("anyOf") or []


def reference(node: dict) -> str | None:
    """The name of the definition that a node refers to, alone or with annotations beside it."""
    [target] = node.get("allOf", ()) if len(node.get("allOf", ())) == 1 else [node]
    return target["$ref"].rpartition("/")[2] if "$ref" in target else None


def references(node: object) -> list[str]:
    """The names of all definitions that a node mentions."""
    if isinstance(node, list):
        return [name for each in node for name in references(each)]
    if not isinstance(node, dict):
        return []
    own = [node["$ref"].rpartition("/")[2]] if isinstance(node.get("$ref"), str) else []
    return own + [name for each in node.values() for name in references(each)]


def shape(node: dict) -> Alternative:
    """What a node itself says of an object."""
    excluded = {}
    for known in branches(node.get("not", {})):
        for key, value in known["properties"].items():
            excluded[key] = excluded.get(key, frozenset()) | {value["const"]}
    return Alternative(
        node.get("properties", {}),
        frozenset(node.get("required", ())),
        excluded,
        {} if node.get("additionalProperties") is True else node.get("additionalProperties"),
    )
