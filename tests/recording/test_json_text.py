"""What orjson refuses to read goes through the standard library."""

import runpy
import sys

import pytest

from acp_state.recording import json_text


def test_without_orjson(monkeypatch):
    monkeypatch.setitem(sys.modules, "orjson", None)
    module = runpy.run_path(json_text.__file__)
    assert module["orjson"] is None
    assert module["loads"](b"[1]") == module["loads"]("[1]") == [1]


@pytest.mark.parametrize("line", ['{"a": "\\ud83d"}', b'{"a": "\\ud83d"}'])
def test_a_lone_half(line):
    assert json_text.loads(line) == {"a": "\ud83d"}


def test_a_line_of_text_that_holds_a_lone_half():
    assert json_text.loads('"\ud83d"') == "\ud83d"


def test_a_large_number():
    assert json_text.loads(b"%d" % (1 << 70)) == 1 << 70
