"""What orjson refuses to write goes through the standard library."""

import json
import runpy
import sys

import pytest

from acp_state.cli import json_text


class TestJsonText:
    """What orjson refuses goes through the standard library."""

    @pytest.mark.parametrize("indent", [False, True])
    def test_lone_halves_become_replacement_characters(self, indent):
        value = {"\ud800": ["\udfff\U0001f680", 1, None, ("x",)]}
        text = json_text.dumps(value, indent=indent)
        assert json.loads(text) == {"\ufffd": ["\ufffd\U0001f680", 1, None, ["x"]]}

    def test_without_orjson(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "orjson", None)
        module = runpy.run_path(json_text.__file__)
        assert module["orjson"] is None
        assert module["dumps"]([1]) == b"[1]\n"

    def test_large_numbers(self):
        assert json_text.dumps({"a": 1 << 70}) == b'{"a":%d}\n' % (1 << 70)

    @pytest.mark.parametrize("indent", [False, True])
    def test_both_libraries_write_the_same(self, indent, monkeypatch):
        value = {"a": [1, {"b": []}, "ü"], "c": {}, "d": 1.5}
        with_orjson = json_text.dumps(value, indent=indent)
        monkeypatch.setattr(json_text, "orjson", None)
        assert json_text.dumps(value, indent=indent) == with_orjson


def test_exact_text_loses_nothing():
    assert json_text.exact({"ü": 1}) == '{"ü": 1}'
    assert json_text.exact(["ü\ud83d"]) == '["\\u00fc\\ud83d"]'
