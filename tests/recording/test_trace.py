"""Every form of a recording, and broken lines."""

import json

import pytest

from acp_state.recording import json_text, trace
from acp_state.recording.trace import read

WRAPPED = b'{"from": "agent", "message": {"jsonrpc": "2.0", "method": "a"}}'
BARE = b'{"jsonrpc": "2.0", "method": "b", "params": {"from": "x", "message": "y"}}'


def records(data: bytes):
    return list(read(data.splitlines(keepends=True)))


@pytest.fixture(params=["orjson", "json"])
def _library(request, monkeypatch):
    if request.param == "json":
        monkeypatch.setattr(json_text, "orjson", None)


@pytest.mark.usefixtures("_library")
class TestLines:
    def test_wrapped_and_bare(self):
        first, second = records(WRAPPED + b"\n" + BARE)
        assert (first.line, first.sender, first.message["method"]) == (1, "agent", "a")
        assert (second.line, second.sender, second.message["method"]) == (2, None, "b")

    def test_blank_lines_are_passed_over(self):
        assert [r.line for r in records(b"\n  \n" + WRAPPED + b"\r\n\n" + BARE + b"\n\n")] == [3, 5]

    def test_an_empty_file(self):
        assert records(b"") == records(b"\n\n") == []

    def test_a_byte_order_mark(self):
        assert records(b"\xef\xbb\xbf" + WRAPPED)[0].message == {"jsonrpc": "2.0", "method": "a"}

    @pytest.mark.parametrize(
        "broken",
        [
            b"{",
            b"no",
            b'{"a": 1} {"b": 2}',
            b'{"messages": [1, 2}',
            b'{"messages": [',
            b'{"a" 1}',
            b'{"a": NaN}',
            b"[" * 100_000,
            b'{"a":' * 100_000,
            b"\xff\xfe",
        ],
    )
    def test_broken_lines_are_told(self, broken):
        found = records(broken + b"\n" + WRAPPED + b"\n" + broken + b"\n" + BARE)
        assert [r.line for r in found] == [1, 2, 3, 4]
        assert [r.fault is None for r in found] == [False, True, False, True]

    def test_who_sent_it_must_be_known(self):
        [record] = records(b'{"from": "me", "message": {}}')
        assert record.fault == "'from' must be client or agent; the line is skipped"
        assert records(b'{"message": {}}')[0].fault

    def test_undecodable_bytes_stay_text(self):
        [record] = records(b'{"jsonrpc": "2.0", "method": "\xff"}')
        assert record.message["method"] == "\udcff"

    def test_lone_halves(self):
        assert records(b'{"method": "\\ud83d"}')[0].message == {"method": "\ud83d"}


@pytest.mark.usefixtures("_library")
class TestDocuments:
    @pytest.mark.parametrize("indent", [None, 2])
    def test_one_document(self, indent):
        messages = [json.loads(WRAPPED), json.loads(BARE)]
        text = json.dumps({"name": "[", "messages": messages, "expect": [1]}, indent=indent)
        found = records(b"\n" + text.encode() + b"\n")
        assert [r.sender for r in found] == ["agent", None]
        lines = text.splitlines()
        assert all(lines[r.line - 2].strip().startswith("{") for r in found)
        assert len({r.line for r in found}) == (1 if indent is None else 2)

    @pytest.mark.parametrize("indent", [None, 2])
    def test_a_list(self, indent):
        text = json.dumps([json.loads(WRAPPED), json.loads(BARE)], indent=indent)
        found = records(b"\n" + text.encode() + b"\n\n")
        assert [r.sender for r in found] == ["agent", None]
        assert [r.line for r in found] == ([2, 2] if indent is None else [3, 10])

    def test_a_list_that_is_not_all_is_a_message_of_its_own(self):
        assert [r.message for r in records(b"[1]\n2\n")] == [[1], 2]

    @pytest.mark.parametrize("broken", [b"[\n1,\n", b"[\n1\n] x\n"])
    def test_a_broken_list_is_lines(self, broken):
        assert records(broken)[0].fault

    def test_no_messages(self):
        assert records(b'{"messages": []}') == records(b'{\n"messages"\n:\n[\n]\n}\n') == []

    @pytest.mark.parametrize("error", [ValueError, RecursionError])
    def test_what_the_quicker_parser_alone_reads_is_on_the_first_line(self, error, monkeypatch):
        class Shallow:
            def raw_decode(self, *_):
                raise error

        monkeypatch.setattr(trace, "DECODER", Shallow())
        found = records(b'\n{"messages": [{"a": 1}, {"b": 2}]}\n')
        assert [(r.line, r.message) for r in found] == [(2, {"a": 1}), (2, {"b": 2})]

    def test_lines_after_a_document_of_one_line(self):
        assert [r.line for r in records(b'{"messages": [1]}\n' + BARE)] == [1, 2]

    def test_values_of_many_lines_each(self):
        messages = [json.loads(WRAPPED), json.loads(BARE), json.loads(BARE)]
        text = "\n".join(json.dumps(each, indent=2) for each in messages)
        found = records(b"\n" + text.encode() + b"\n\n")
        assert [r.sender for r in found] == ["agent", None, None]
        lines = text.splitlines()
        assert [lines[r.line - 2] for r in found] == ["{"] * 3
        assert len({r.line for r in found}) == 3

    def test_a_document_without_messages_is_a_value(self):
        assert [r.message for r in records(b'{\n"a": 1\n}\n')] == [{"a": 1}]

    def test_text_between_values_of_many_lines(self):
        assert all(r.fault for r in records(b'{\n"a": 1\n}\ntext\n'))

    def test_a_truncated_document_is_lines(self):
        assert all(r.fault for r in records(b'{\n"messages": [\n'))

    def test_something_after_a_document(self):
        assert all(r.fault for r in records(b'{\n"messages": []\n} x\n'))
