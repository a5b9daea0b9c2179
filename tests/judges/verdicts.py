"""Who else says what a JSON value is read as, and how that differs from what is read here.

A verdict is a list: of the value as read, written as JSON again; empty where it is refused. None
means that the judge does not know the definition. The judges are

- ``schema``: `jsonschema`, which knows no leniency: a value is valid, or it is not;
- ``annotations``: the oracle beside this;
- ``python``: the official Python SDK, kept from turning scalars of one type into another;
- ``typescript``: the official TypeScript SDK, where the environment says that it is there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import acp.schema
import attrs
from jsonschema import Draft202012Validator
from judges.oracle import Oracle, SpoiledError, is_of, same
from published import Published, published
from pydantic import BaseModel, ValidationError

from acp_state import schema
from acp_state.codec import encode
from acp_state.leniency import decode
from acp_state.reading import Malformed
from acp_state.schema.unions import tagged_union

PARTS = {
    "SessionConfigSelect": "of SessionConfigOption, which has the other keys",
    "SessionConfigBoolean": "of SessionConfigOption, which has the other keys",
    "IdleStateUpdate": "of StateUpdate, whose classes go by the stop reason too",
    "ErrorStopReason": "of StateUpdate, whose classes go by the stop reason too",
}
"""Definitions that are read as parts of others alone."""


def methods(file: Published) -> dict[str, dict]:
    """The definitions that are the parameters or the result of a method."""
    return {name: node for name, node in file.defs.items() if "x-method" in node}


def definitions(file: Published) -> list[str]:
    """The definitions that the methods lead to and that wire classes stand for."""
    found = file.reach(*methods(file))
    return [name for name in found if name not in PARTS and is_read(getattr(schema, name, None))]


def is_read(annotation: object) -> bool:
    """Whether it is a wire class, or a tagged union of them."""
    return attrs.has(annotation) or tagged_union(annotation) is not None


class Case(NamedTuple):
    """A value to be judged."""

    file: str
    name: str
    value: object

    @property
    def subject(self) -> str:
        """The name of the definition, for updates with their tag."""
        update = self.value.get("update") if isinstance(self.value, dict) else None
        holder = update if self.name == "SessionNotification" else self.value
        if self.name in {"SessionNotification", "SessionUpdate"} and isinstance(holder, dict):
            return f"{self.name}/{holder.get('sessionUpdate')}"[:60]
        return self.name


class Ours(NamedTuple):
    """What is read here: as JSON, with the code, the rule and the path of each fault."""

    verdict: list
    faults: tuple[tuple[str, str, str], ...] = ()


def ours(case: Case) -> Ours:
    """What is read here."""
    cls = getattr(schema, case.name)
    try:
        decoded = decode(case.value, cls)
    except Malformed:
        return Ours([])
    faults = tuple((fault.code, fault.rule, fault.path) for fault in decoded.faults)
    return Ours([encode(decoded.value, cls)], faults)


# The judges


def by_schema(cases: list[Case]) -> Iterator[list[str]]:
    """Valid without a fault, or not valid with at least one."""
    for case in cases:
        read, valid = ours(case), validator(case.file, case.name).is_valid(case.value)
        if valid != (bool(read.verdict) and not read.faults):
            yield [f"{case.subject}: {'valid' if valid else 'not valid'}{rules(read)}"]
        else:
            yield []


@cache
def validator(file: str, name: str) -> Draft202012Validator:
    """The judge of what is valid for a definition."""
    return Draft202012Validator({"$defs": published(file).defs, "$ref": f"#/$defs/{name}"})


def by_annotations(cases: list[Case]) -> Iterator[list[str]]:
    """The same value with the same repairs at the same places."""
    for case in cases:
        file, read = published(case.file), ours(case)
        try:
            theirs, repairs = Oracle(file).read(file.named(case.name), case.value)
        except SpoiledError:
            yield compared(case.subject, read, [])
            continue
        here = {(code, path) for code, _, path in read.faults}
        odd = [f"{case.subject}: {code} here alone" for code, _ in here - set(repairs)]
        odd += [f"{case.subject}: {code} there alone" for code, _ in set(repairs) - here]
        yield compared(case.subject, read, [theirs]) + (odd if read.verdict else [])


def by_python(cases: list[Case]) -> Iterator[list[str]]:
    """What the Python SDK's models are when written as JSON."""
    for case in cases:
        theirs = python_verdict(case)
        yield [] if theirs is None else compared(case.subject, ours(case), theirs)


def python_verdict(case: Case) -> list | None:
    """The value as the model of the same name; updates are only known in their notification."""
    if case.name == "SessionUpdate":
        notification = {"sessionId": "s", "update": case.value}
        verdict = python_verdict(Case(case.file, "SessionNotification", notification))
        return [each["update"] for each in verdict]
    model = getattr(acp.schema, case.name, None)
    if not isinstance(model, type) or not issubclass(model, BaseModel):
        return None
    if "sessionUpdate" in {field.alias for field in model.model_fields.values()}:
        return None
    try:
        read = model.model_validate(whole(case.value), strict=True)
    except ValidationError:
        return []
    return [read.model_dump(mode="python", by_alias=True, exclude_unset=True, warnings=False)]


def whole(value: object) -> object:
    """The value with integers for 5.0 and its like, of which strict models make nothing."""
    if isinstance(value, dict):
        return {key: whole(each) for key, each in value.items()}
    if isinstance(value, list):
        return [whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


SCRIPT = Path(__file__).with_name("typescript.mjs")
SDK = "ACP_TYPESCRIPT_SDK"


def has_typescript() -> bool:
    """Whether the TypeScript SDK can be asked."""
    return shutil.which("node") is not None and Path(os.environ.get(SDK, "none")).is_dir()


def by_typescript(cases: list[Case]) -> Iterator[list[str]]:
    """What the TypeScript SDK's parsers make of values whose numbers it can hold."""
    lines = "\n".join(
        json.dumps([case.name, case.value if is_small(case.value) else None]) for case in cases
    )
    ran = subprocess.run(  # noqa: S603 - the script beside these tests
        [shutil.which("node"), SCRIPT], input=lines.encode(), stdout=subprocess.PIPE, check=True
    )
    for case, line in zip(cases, ran.stdout.splitlines(), strict=True):
        theirs = json.loads(line) if is_small(case.value) else None
        yield [] if theirs is None else compared(case.subject, ours(case), theirs)


def is_small(value: object) -> bool:
    """Whether no number in the value is too large for a double."""
    if isinstance(value, dict):
        return all(map(is_small, value.values()))
    if isinstance(value, list):
        return all(map(is_small, value))
    return not isinstance(value, (int, float)) or abs(value) < 2**1000


JUDGES = {
    "schema": by_schema,
    "annotations": by_annotations,
    "python": by_python,
    "typescript": by_typescript,
}


# Differences


def compared(subject: str, read: Ours, theirs: list) -> list[str]:
    """How two verdicts differ, a line for each part; what we repaired is said with a refusal."""
    if read.verdict and theirs:
        return sorted(set(differences(read.verdict[0], theirs[0], subject)))
    if read.verdict:
        return [f"{subject}: refused there{rules(read)}"]
    return [f"{subject}: refused here"] if theirs else []


def rules(read: Ours) -> str:
    """The rules by which something was repaired here, each with the key that it was done to."""
    last = [f"{rule} {path.rpartition('.')[2].partition('[')[0]}" for _, rule, path in read.faults]
    return "".join(f", {each}" for each in sorted(set(last)))


def differences(here: object, there: object, path: str) -> Iterator[str]:
    """The parts of two JSON values that differ; ``#`` in a path stands for any index."""
    if isinstance(here, dict) and isinstance(there, dict):
        for key in {**here, **there}:
            where = f"{path}.{key}"
            if key not in there:
                yield f"{where}: lost there"
            elif key not in here:
                yield f"{where}: {added(there[key])} there"
            else:
                yield from differences(here[key], there[key], where)
    elif isinstance(here, list) and isinstance(there, list):
        if len(here) != len(there):
            yield f"{path}: other items there"
            return
        for one, other in zip(here, there, strict=True):
            yield from differences(one, other, f"{path}.#")
    elif not alike(here, there):
        yield f"{path}: {'nothing' if there is None else 'another value'} there"


def added(value: object) -> str:
    """What kind of value stands for one that is absent here."""
    if value is None:
        return "null"
    return "default" if is_default(value) else "more"


def is_default(value: object) -> bool:
    """Whether the value is one that fields have when nobody sets them."""
    if isinstance(value, dict):
        return all(map(is_default, value.values()))
    return value is False or value == []


def alike(here: object, there: object) -> bool:
    """Whether two scalars are the same, for a judge that has doubles alone as well."""
    numbers = is_of("number", here) and is_of("number", there) and is_small([here, there])
    return float(here) == float(there) if numbers else same(here, there)
