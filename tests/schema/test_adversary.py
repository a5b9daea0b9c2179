"""The published schema as adversary: what it allows is read whole, what it forbids by its rules.

Values of every definition that the methods lead to are made from the schema, then mutated, and
read; what is read is held against judges that know nothing of this library. Each difference is a
row of `differences.DIFFERENCES`, or a fault.

More examples, of other seeds than the usual ones: ``ACP_ADVERSARY=100 pytest tests/schema``. With
the TypeScript SDK as a judge (tests/judges/README.md says how to get it):
``ACP_TYPESCRIPT_SDK=.../node_modules/@agentclientprotocol/sdk pytest tests/schema -k typescript``
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

import pytest
from judges.differences import DIFFERENCES
from judges.messages import Maker, chance, mutated
from judges.oracle import same
from judges.verdicts import JUDGES, SDK, Case, definitions, has_typescript, ours
from published import published
from shared import needs_shared

pytestmark = needs_shared

FILES = ("unstable", "stable")
TIMES = int(os.environ.get("ACP_ADVERSARY", "1"))
"""How many times the usual number of examples; from 2 on, with other seeds."""

EXAMPLES = {"schema": 40, "annotations": 150, "python": 60, "typescript": 60}
"""Mutated values of each definition, for each of its shapes at most."""

without_node = pytest.mark.skipif(not has_typescript(), reason=f"no node, or {SDK} not set")
each_file = pytest.mark.parametrize("file", FILES)
each_judge = pytest.mark.parametrize(
    "judge", [pytest.param(j, marks=without_node if j == "typescript" else ()) for j in JUDGES]
)


def values(file, name, count, kind):
    """So many valid values of a definition, with a source of chance for each."""
    for index in range(count * TIMES):
        random = chance(file, name, kind, index, TIMES)
        yield random, Maker(published(file), random).message(name)


def examples(file, count):
    """Mutated values of each definition; more of those that may have many shapes."""
    for name in definitions(published(file)):
        shapes = len(published(file).alternatives(published(file).named(name)))
        for random, value in values(file, name, count + min(count, 6) * (shapes - 1), "mutated"):
            yield Case(file, name, mutated(random, value, random.choice((1, 1, 2, 3))))


def listed(judge, difference):
    """Whether a row of the table tells of the difference."""
    return any(row.judge == judge and fnmatchcase(difference, row.what) for row in DIFFERENCES)


@each_file
def test_what_the_schema_allows_is_read_without_a_fault_and_written_as_it_was(file):
    """INV-04: for every definition; null that stands for empty is written as empty."""
    for name in definitions(published(file)):
        for _, value in values(file, name, 30, "valid"):
            read = ours(Case(file, name, value))
            assert read.faults == ()
            assert same(read.verdict, [value]), name


@each_file
@each_judge
def test_what_is_mutated_is_read_as_the_judges_do(judge, file):
    """Sections 2 and 4: valid without faults or not, what is repaired, and what comes out."""
    cases = list(examples(file, EXAMPLES[judge]))
    unlisted = {
        difference: case.value
        for case, found in zip(cases, JUDGES[judge](cases), strict=True)
        for difference in found
        if not listed(judge, difference)
    }
    assert unlisted == {}


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=f"{row.judge}-{row.what}", marks=without_node)
        if row.judge == "typescript"
        else pytest.param(row, id=f"{row.judge}-{row.what}")
        for row in DIFFERENCES
    ],
)
def test_a_listed_difference_is_still_there(row):
    """A judge that has come round leaves the table."""
    [found] = JUDGES[row.judge]([Case(row.file, row.name, row.witness)])
    assert [each for each in found if fnmatchcase(each, row.what)]
