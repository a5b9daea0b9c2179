"""The schema of a form that an agent asks the user to fill in (ELIC-02, LENIENT-05)."""

from __future__ import annotations

from naive.reading import (
    count,
    may_strictly,
    must,
    number,
    one_of,
    record,
    strict_list,
    string,
    table,
    whole,
)

CHOICE = table(const=must(string), title=must(string))


def items(value, notes):
    """Words to choose from, choices with titles, or items of a type that is not known."""
    kind = record(value, notes).get("type")
    if kind == "string":
        return table(enum=must(strict_list(string)))(value, notes)
    if isinstance(kind, str):
        return value
    return table(anyOf=must(strict_list(CHOICE)))(value, notes)


FIELDS = {
    "string": table(
        minLength=may_strictly(count), maxLength=may_strictly(count),
        pattern=may_strictly(string),
        format=may_strictly(one_of("email", "uri", "date", "date-time")),
        enum=may_strictly(strict_list(string)), oneOf=may_strictly(strict_list(CHOICE)),
    ),
    "number": table(minimum=may_strictly(number), maximum=may_strictly(number)),
    "integer": table(minimum=may_strictly(whole), maximum=may_strictly(whole)),
    "boolean": table(),
    "array": table(
        items=must(items), minItems=may_strictly(count), maxItems=may_strictly(count)
    ),
}  # fmt: skip


def form(value, notes):
    """The schema, as sent; a type of field that is not known is open."""
    fields = record(value, notes).get("properties", {})
    for field in record(fields, notes).values():
        kind = string(record(field, notes).get("type"), notes)
        FIELDS.get(kind, record)(field, notes)
    table(required=may_strictly(strict_list(string)))(value, notes)
    return value
