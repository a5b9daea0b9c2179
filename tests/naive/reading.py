"""What of a peer's JSON counts: rules of leniency (section 2) over the tables of section 4.

A type is a function ``read(value, notes)``: it gives the value that counts or raises `Bad`, and
adds to `notes` the code of each diagnostic. Objects are tables: a row for each field.
"""

from __future__ import annotations

import re


class Bad(Exception):  # noqa: N818 - it is no error of ours
    """The value is malformed."""


# Scalars: no coercion (LENIENT-12, LENIENT-13)


def string(value, notes):
    if not isinstance(value, str):
        raise Bad
    return value


def filled(value, notes):
    """A string that may not be empty: ``notice.title`` (LENIENT-13)."""
    if string(value, notes) == "":
        raise Bad
    return value


def name_of_entity(value, notes):
    """An id; the empty one is honoured (LENIENT-13)."""
    if string(value, notes) == "":
        notes.append("empty-id")
    return value


def path(value, notes):
    """A path ought to be absolute (TOOL-12)."""
    if not re.match(r"/|[A-Za-z]:[/\\]|\\\\", string(value, notes)):
        notes.append("relative-path")
    return value


def boolean(value, notes):
    if not isinstance(value, bool):
        raise Bad
    return value


def number(value, notes):
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Bad
    return value


def whole(value, notes):
    """An integer, also one that is written as ``5.0`` (LENIENT-12)."""
    number(value, notes)
    if isinstance(value, float) and not value.is_integer():
        raise Bad
    return int(value)


def count(value, notes):
    if whole(value, notes) < 0:
        raise Bad
    return int(value)


def anything(value, notes):
    return value


def record(value, notes):
    """Any object, as sent."""
    if not isinstance(value, dict):
        raise Bad
    return value


def one_of(*names):
    """A closed enum: an unknown string is malformed (LENIENT-08)."""

    def read(value, notes):
        if string(value, notes) not in names:
            raise Bad
        return value

    return read


# Lists


def strict_list(item):
    """One bad item spoils it."""

    def read(value, notes):
        if not isinstance(value, list):
            raise Bad
        return [item(each, notes) for each in value]

    return read


def lenient_list(item):
    """Bad items are left out one by one, with a diagnostic each (LENIENT-03)."""

    def read(value, notes):
        if not isinstance(value, list):
            raise Bad
        kept = []
        for each in value:
            own = []
            try:
                kept.append(item(each, own))
                notes.extend(own)
            except Bad:
                notes.append("item-dropped")
        return kept

    return read


# Objects


def must(kind):
    """Missing, null or malformed: the whole object is malformed (LENIENT-05)."""
    return ("must", kind)


def must_list(item):
    """Missing: malformed; null or malformed: empty (LENIENT-04)."""
    return ("must list", lenient_list(item))


def may(kind):
    """Null is a value; malformed counts as absent (LENIENT-02)."""
    return ("may", kind)


def may_not_null(kind):
    """As `may`, but null is malformed as well."""
    return ("may not null", kind)


def may_strictly(kind):
    """Null is a value; malformed spoils the object (SUB-14)."""
    return ("may strictly", kind)


def null_is_empty(kind):
    """Null counts as absent, malformed spoils the object (LENIENT-06)."""
    return ("null is empty", kind)


META = may(record)


def table(**rows):
    """An object of these fields; others are ignored (LENIENT-07)."""
    rows = {"_meta" if key == "meta" else key: row for key, row in rows.items()}

    def read(value, notes):
        record(value, notes)
        found = {}
        for key, (need, kind) in rows.items():
            if key in value:
                _read_field(found, key, need, kind, value[key], notes)
            elif need.startswith("must"):
                raise Bad
        return found

    return read


def _read_field(found, key, need, kind, value, notes):
    if value is None and need in {"may", "may strictly"}:
        found[key] = None
        return
    if value is None and need == "null is empty":
        return
    own = []
    try:
        found[key] = kind(value, own)
        notes.extend(own)
    except Bad:
        if need in {"must", "may strictly", "null is empty"}:
            raise
        notes.append("field-defaulted")
        if need == "must list":
            found[key] = []


def tagged(tag, **variants):
    """One of some objects, told by a string; a known tag with a bad payload is bad (LENIENT-10)."""

    def read(value, notes):
        record(value, notes)
        kind = value.get(tag)
        if not isinstance(kind, str) or kind not in variants:
            raise Bad
        return {tag: kind, **variants[kind](value, notes)}

    return read


# Nested objects (4.3)

ROLE = one_of("assistant", "user")
ANNOTATIONS = table(
    audience=may(lenient_list(ROLE)), lastModified=may(string), priority=may(number), meta=META
)
TEXT_RESOURCE = table(uri=must(string), text=must(string), mimeType=may(string), meta=META)
BLOB_RESOURCE = table(uri=must(string), blob=must(string), mimeType=may(string), meta=META)


def contents(value, notes):
    """The resource of a block: text wins over blob (4.3)."""
    own = []
    try:
        found = TEXT_RESOURCE(value, own)
    except Bad:
        own = []
        found = BLOB_RESOURCE(value, own)
    notes.extend(own)
    return found


NOTED = {"annotations": may(ANNOTATIONS), "meta": META}
BLOCK = tagged(
    "type",
    text=table(text=must(string), **NOTED),
    image=table(data=must(string), mimeType=must(string), uri=may(string), **NOTED),
    audio=table(data=must(string), mimeType=must(string), **NOTED),
    resource_link=table(
        name=must(string), uri=must(string), title=may(string), description=may(string),
        mimeType=may(string), size=may(whole), **NOTED,
    ),
    resource=table(resource=must(contents), **NOTED),
)  # fmt: skip
ERROR = table(code=must(whole), message=must(string), data=may(anything))
TOOL_CONTENT = tagged(
    "type",
    content=table(content=must(BLOCK), meta=META),
    diff=table(path=must(path), newText=must(string), oldText=may(string), meta=META),
    terminal=table(terminalId=must(string), meta=META),
)
LOCATION = table(path=must(path), line=may(count), meta=META)
KIND = one_of(
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"
)
STATUS = one_of("pending", "in_progress", "completed", "failed")
ENTRY = table(
    content=must(string),
    priority=must(one_of("high", "medium", "low")),
    status=must(one_of("pending", "in_progress", "completed")),
    meta=META,
)
COMMAND = table(
    name=must(string), description=must(string),
    input=may(table(hint=must(string), meta=META)), meta=META,
)  # fmt: skip
VALUE = table(value=must(string), name=must(string), description=may(string), meta=META)
GROUP = table(group=must(string), name=must(string), options=must_list(VALUE), meta=META)


def values_or_groups(value, notes):
    """All values or all groups, strictly; empty counts as values (4.3, CFG-07)."""
    own = []
    try:
        found = strict_list(VALUE)(value, own)
    except Bad:
        own = []
        found = strict_list(GROUP)(value, own)
    notes.extend(own)
    return found


OPTION_HEAD = {
    "id": must(name_of_entity), "name": must(string), "description": may(string),
    "category": may(string), "meta": META,
}  # fmt: skip
OPTION = tagged(
    "type",
    select=table(currentValue=must(string), options=must(values_or_groups), **OPTION_HEAD),
    boolean=table(currentValue=must(boolean), **OPTION_HEAD),
)
MODE = table(id=must(name_of_entity), name=must(string), description=may(string), meta=META)
MODES = table(currentModeId=must(name_of_entity), availableModes=must_list(MODE), meta=META)
COST = table(amount=must(number), currency=must(string), meta=META)
USAGE = table(
    totalTokens=must(count), inputTokens=must(count), outputTokens=must(count),
    thoughtTokens=may(count), cachedReadTokens=may(count), cachedWriteTokens=may(count), meta=META,
)  # fmt: skip
RIGHTS = table(cancel=may(table(meta=META)), meta=META)
IDLE = {"usage": may(USAGE), "meta": META}
STOP_REASONS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")


def work_state(value, notes):
    """A child's state: open, unknown ones whole (SUB-10, LENIENT-09)."""
    record(value, notes)
    state = string(value.get("state"), notes)
    if state == "idle":
        return {"state": state, **_idle(value, notes)}
    if state in {"running", "requires_action", "unknown"}:
        return {"state": state, **table(meta=META)(value, notes)}
    return value


def _idle(value, notes):
    reason = value.get("stopReason")
    if "stopReason" in value and reason is not None and not isinstance(reason, str):
        notes.append("field-defaulted")
        reason = None
    if reason is None:
        return table(**IDLE)(value, notes)
    if reason == "error":
        return {"stopReason": reason, **table(error=may(ERROR), **IDLE)(value, notes)}
    found = {"stopReason": reason, **table(**IDLE)(value, notes)}
    if reason in STOP_REASONS:
        return found
    rest = {k: v for k, v in value.items() if k not in {"state", "stopReason", "usage", "_meta"}}
    return {**rest, **found}
