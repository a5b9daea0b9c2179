"""Absent is told from null, and each patch field says what both do."""

import copy
import pickle

import pytest

from acp_state.omitted import (
    CLEAR,
    KEEP,
    MERGE,
    OMITTED,
    RESET,
    Omitted,
    Patch,
    or_none,
    or_omitted,
)


def test_omitted_is_the_only_value_of_its_type():
    assert list(Omitted) == [OMITTED]


def test_omitted_is_not_null_but_falsy_like_it():
    """LENIENT-01: absent, null and a value are three states."""
    assert OMITTED is not None
    assert OMITTED != None  # noqa: E711 - the comparison is the point
    assert not OMITTED


def test_omitted_reads_well():
    assert repr(OMITTED) == "OMITTED"


def test_omitted_stays_itself():
    """Compared with `is`, also after a copy and in another process."""
    assert copy.deepcopy(OMITTED) is OMITTED
    assert pickle.loads(pickle.dumps(OMITTED)) is OMITTED  # noqa: S301 - our own bytes


@pytest.mark.parametrize("value", [None, "", "a", 0, False])
def test_or_none_is_the_value(value):
    assert or_none(value) is value


def test_or_none_of_omitted_is_none():
    """PATCH-08: in the model "no value", "cleared" and "never supplied" are one."""
    assert or_none(OMITTED) is None


@pytest.mark.parametrize("value", ["", "a", 0, False])
def test_or_omitted_is_the_value(value):
    assert or_omitted(value) is value


def test_or_omitted_of_none_is_omitted():
    """What the model holds as no value goes on the wire as no key."""
    assert or_omitted(None) is OMITTED


def test_keep():
    """PATCH-02: omission and null both keep, a value replaces."""
    assert Patch(omitted="keep", null="keep", value="replace", into=None) == KEEP


def test_clear():
    """PATCH-01: omission keeps, null clears, a value replaces."""
    assert Patch(omitted="keep", null="clear", value="replace", into=None) == CLEAR


def test_merge():
    """PATCH-03: omission and null both keep, top-level keys replace one by one."""
    assert Patch(omitted="keep", null="keep", value="merge", into=None) == MERGE


def test_reset():
    """TOOL-04, USAGE-01: in a snapshot what is not sent goes back to its default."""
    assert Patch(omitted="reset", null="clear", value="replace", into=None) == RESET
