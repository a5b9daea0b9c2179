"""What a replay shows of everything that a session can hold."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from acp_state.cli.json_text import dumps
from acp_state.cli.page import console, show
from acp_state.cli.show_session import Scene, show_connection
from acp_state.cli.state_json import connection_json
from acp_state.intents import ShowNotice
from acp_state.recording.folding import each_folded
from acp_state.recording.trace import Record
from acp_state.schema.updates import SESSION_UPDATE

EVIL = "\x1b[2J\x1b]0;x\x07\u202e[bold red]\ud83d\r"


@pytest.fixture
def shown(run, recording):
    """The output of a replay of what was recorded, from the line that is given."""

    def shown(*args, after=None):
        text = run("replay", recording.write(), *args).stdout
        return text if after is None else text[text.index(after) :]

    return shown


def block(text, **more):
    return {"type": "content", "content": {"type": "text", "text": text, **more}}


class TestHeader:
    def test_modes(self, recording, shown):
        available = [{"id": "a", "name": "Always ask"}, {"id": "b", "name": "B"}]
        recording.session(modes={"currentModeId": "a", "availableModes": available})
        assert "   mode       Always ask (a)\n" in shown()
        recording.update("current_mode_update", currentModeId="b")
        assert "   mode       B\n" in shown()
        recording.update("current_mode_update", currentModeId="new")
        assert "   mode       new\n" in shown()

    def test_config_options_are_preferred(self, recording, shown):
        """CFG-03: where both are there, the options count."""
        mode = {"id": "m", "name": "Mode", "type": "select", "category": "mode"}
        mode |= {"currentValue": "x", "options": [{"value": "x", "name": "Ex"}]}
        group = {"group": "g", "name": "G", "options": [{"value": "big", "name": "Large"}]}
        model = {"id": "o", "name": "Model", "type": "select", "currentValue": "big"}
        model |= {"options": [group]}
        flag = {"id": "f", "name": "Fast", "type": "boolean", "currentValue": True}
        modes = {"currentModeId": "a", "availableModes": []}
        recording.session(modes=modes, configOptions=[mode, model, flag])
        assert shown().splitlines()[3:6] == [
            "   mode       Ex (x)",
            "   option     Model: Large (big)",
            "   option     Fast: on",
        ]

    def test_usage(self, recording, shown):
        recording.session()
        recording.update("usage_update", used=1500, size=1000)
        assert "usage      1,500 of 1,000 tokens (150.0 %)\n" in shown()
        recording.update(
            "usage_update", used=1, size=0, cost={"amount": 0.1 + 0.2, "currency": "EUR"}
        )
        assert "usage      1 of 0 tokens, 0.3 EUR\n" in shown()
        recording.update("usage_update", used=10**400, size=10**4200)
        assert "usage      10,000," in shown()

    def test_plans(self, recording, shown):
        def entry(content, status, priority="medium"):
            return {"content": content, "status": status, "priority": priority}

        entries = [entry("One", "completed"), entry("Two " * 30, "in_progress", "low")]
        recording.session()
        recording.update("plan", entries=[*entries, entry("Three", "pending")])
        recording.update("plan_update", plan={"type": "items", "planId": "p1", "entries": []})
        recording.update("plan_update", plan={"type": "file", "planId": "p2", "uri": "file:///p"})
        markdown = {"type": "markdown", "planId": "p3", "content": "# A\n\nb"}
        recording.update("plan_update", plan=markdown)
        assert shown(after="   plan") == (
            "   plan       1 of 3 done\n"
            "              [x] One\n"
            "              [>] Two Two Two Two Two Two Two Two Two Two Two Two Two Two Two\n"
            "                  Two Two Two Two Two Two Two Two Two Two Two Two Two Two Two\n"
            "                  (low)\n"
            "              [ ] Three\n"
            "   plan       p1, empty\n"
            "   plan       p2, in file:///p\n"
            "   plan       p3, as text\n"
            "              # A\n\n"
            "              b\n"
        )

    def test_roots_and_commands(self, recording, shown):
        recording.session()
        params = {"sessionId": "s2", "cwd": "/x", "additionalDirectories": ["/y", "/z"]}
        recording.client(id=5, method="session/resume", params=params)
        assert "   cwd        not known\n" in shown()
        recording.agent(id=5, result={})
        commands = [{"name": f"c{n}", "description": ""} for n in range(6)]
        recording.update("available_commands_update", availableCommands=commands)
        text = shown()
        assert "   commands   6: /c0, /c1, /c2, /c3, /c4, ...\n" in text
        assert "   cwd        /x\n   also       /y\n   also       /z\n" in text

    def test_a_session_of_which_nothing_is_known(self, recording, shown):
        recording.update("session_info_update", title="T", updatedAt="now")
        assert shown().splitlines()[1:] == [
            "   id         s1",
            "   is         provisional",
            "   cwd        not known",
            "   updated    now",
        ]


class TestEntries:
    def test_blocks(self, recording, shown):
        recording.session()
        blob = {"uri": "file:///b", "blob": "AAAA", "mimeType": "x/y"}
        blocks = [
            {"type": "text", "text": "a"},
            {"type": "text", "text": "b", "_meta": {"x": 1}},
            {"type": "image", "mimeType": "image/png", "data": "AAAA=="},
            {"type": "image", "mimeType": "image/png", "data": "", "uri": "file:///i"},
            {"type": "audio", "mimeType": "audio/wav", "data": "AAAAAAAA"},
            {"type": "resource_link", "uri": "file:///l", "name": "n", "title": "T"},
            {"type": "resource", "resource": blob},
            {"type": "resource", "resource": {"uri": "file:///t", "text": "in\nside"}},
        ]
        recording.client(
            id=1, method="session/prompt", params={"sessionId": "s1", "prompt": blocks}
        )
        recording.agent(id=1, result={"stopReason": "end_turn"})
        assert shown(after="User\n").split("\n\n")[0].splitlines() == [
            "User",
            "  ab",
            "  [image, image/png, 3 bytes]",
            "  [image, image/png, 0 bytes, file:///i]",
            "  [audio, audio/wav, 6 bytes]",
            "  [link T: file:///l]",
            "  [resource file:///b, x/y, 3 bytes]",
            "  [resource file:///t]",
            "    in",
            "    side",
        ]

    def test_messages(self, recording, shown):
        recording.session()
        for kind in ("agent_thought_chunk", "agent_message_chunk"):
            content = {"type": "text", "text": f"\n\n{kind}\n\n\nend\n\n"}
            recording.update(kind, content=content, messageId="m")
        recording.say("  ")
        assert shown(after="Thought") == (
            "Thought  m\n  agent_thought_chunk\n\n\n  end\n\n"
            "Agent  m\n  agent_message_chunk\n\n\n  end\n\n"
            "Agent\n  (no text)\n"
        )

    def test_long_texts(self, recording, shown):
        recording.session()
        recording.say("\n".join(map(str, range(1_000))), "m1")
        recording.say("\n" + "y" * 10_000, "m2")
        assert "  39\n  ... 960 lines left out ...\n\nAgent  m2\n" in shown()
        assert shown().endswith("y... (8,000 more characters)\n")
        assert "left out" not in shown("--full")
        assert shown("--full").endswith("  " + "y" * (10_000 % 78) + "\n")

    def test_tool_calls(self, recording, shown):
        recording.session()
        call = {"title": "Find\nit", "kind": "search", "name": "grep", "rawInput": {"q": "x" * 500}}
        locations = [{"path": "/a", "line": 3}, {"path": "/b"}]
        recording.update("tool_call", toolCallId="c1", locations=locations, **call)
        recording.update("tool_call_update", toolCallId="c1", rawOutput="a\nb", status="failed")
        recording.update("tool_call_update", toolCallId="c2", rawInput="in", rawOutput={"a": 1})
        text = shown(after="Tool call")
        assert text.splitlines()[:4] == [
            "Tool call  Find\\nit",
            "  search, grep, failed  c1",
            "  at /a:3",
            "  at /b",
        ]
        assert "... (268 more characters)\n  output\n    a\n    b\n\n" in text
        assert text.endswith(
            "Tool call  (not announced)\n  other, pending  c2\n  input\n    in\n"
            '  output {"a":1}\n\nOpen\n  - tool call c2 is pending\n'
        )

    def test_tool_output_is_shortened_in_the_middle(self, recording, shown):
        recording.session()
        output = block("\n".join(map(str, range(100))))
        recording.update("tool_call", toolCallId="c", title="T", content=[output], status="failed")
        assert shown(after="    7").splitlines() == [
            "    7",
            "    ... 88 lines left out ...",
            *("    96", "    97", "    98", "    99"),
        ]

    @pytest.mark.parametrize(
        ("old", "new", "lines"),
        [
            (None, "a\n", ["(new file, 1 line)", "   + a"]),
            (None, "", ["(new file, 0 lines)"]),
            ("a\n", "", ["(+0 -1)", "   - a"]),
            ("a\nb\nc\n", "a\nB\nc\n", ["(+1 -1)", "     a", "   - b", "   + B", "     c"]),
            ("a", "a", ["(+0 -0)"]),
            ("++\n", "--\n", ["(+1 -1)", "   - ++", "   + --"]),
        ],
    )
    def test_diffs(self, recording, shown, old, new, lines):
        recording.session()
        diff = {"type": "diff", "path": "/a", "oldText": old, "newText": new}
        recording.update("tool_call", toolCallId="c", title="T", content=[diff], status="completed")
        assert shown(after="  diff").splitlines() == [f"  diff /a {lines[0]}", *lines[1:]]

    def test_diffs_with_gaps(self, recording, shown):
        recording.session()
        old = [str(n) for n in range(30)]
        new = [*old[:3], "x", *old[4:20], "y", *old[21:]]
        diff = {"type": "diff", "path": "/a", "oldText": "\n".join(old), "newText": "\n".join(new)}
        recording.update("tool_call", toolCallId="c", title="T", content=[diff], status="completed")
        text = shown(after="  diff")
        assert text.splitlines()[1] == "   @@ -3,3 +3,3 @@"

    def test_large_diffs_are_not_compared(self, recording, shown):
        recording.session()
        text = "\n".join(map(str, range(4_000)))
        diff = {"type": "diff", "path": "/a", "oldText": text, "newText": text + "\nx"}
        recording.update("tool_call", toolCallId="c", title="T", content=[diff])
        assert "(+4,001 -4,000)" in shown()
        assert "... 7,977 lines left out ..." in shown()

    @pytest.mark.parametrize(
        ("results", "line"),
        [
            ([], "no end reported"),
            ([("wait_for_exit", {"exitCode": 3})], "exit code 3"),
            ([("wait_for_exit", {"signal": "SIGKILL"})], "ended by SIGKILL"),
            ([("wait_for_exit", {}), ("release", {})], "ended, released"),
            (
                [("output", {"output": "", "truncated": True})],
                "no end reported, its first output is lost",
            ),
        ],
    )
    def test_terminals(self, recording, shown, results, line):
        recording.session()
        create = {"sessionId": "s1", "command": "make"}
        recording.agent(id=1, method="terminal/create", params=create)
        recording.client(id=1, result={"terminalId": "t"})
        for method, result in results:
            params = {"sessionId": "s1", "terminalId": "t"}
            recording.agent(id=1, method=f"terminal/{method}", params=params)
            recording.client(id=1, result=result)
        alone = f"Terminals that no tool call shows\n  terminal t: {line}\n"
        assert shown(after="Terminals") == alone
        known, own = ({"type": "terminal", "terminalId": each} for each in ("t", "own"))
        content = {"content": [known, own], "status": "completed"}
        recording.update("tool_call", toolCallId="c", title="T", **content)
        assert shown(after="  terminal") == (
            f"  terminal t: {line}\n  terminal own: the agent's own, its output is not known\n"
        )

    def test_compactions(self, recording, shown):
        recording.session()
        recording.update("compaction_update", compactionId="c1", status="failed", error="No\nroom")
        recording.update("compaction_update", compactionId="c2", status="dreaming")
        assert shown(after="Compaction") == (
            "Compaction  failed  c1\n  No\n  room\n\nCompaction  dreaming  c2\n"
        )

    def test_messages_between_sessions(self, recording, shown):
        recording.session()
        content = {"type": "text", "text": "x"}
        for number, ends in enumerate([("s1", "s2"), ("s2", "s1"), ("s3", "s4"), (None, None)]):
            names = {"senderSessionId": ends[0], "recipientSessionId": ends[1]}
            recording.update(
                "session_message_chunk", messageId=f"m{number}", content=content, **names
            )
        headings = [line for line in shown().splitlines() if line.startswith("Message")]
        assert headings == [
            "Message  To s2  m0",
            "Message  From s2  m1",
            "Message  From s3 To s4  m2",
            "Message  From an unknown session To an unknown session  m3",
        ]

    @pytest.mark.parametrize(
        ("state", "line"),
        [
            (None, "unconfirmed"),
            ({"state": "running"}, "running"),
            ({"state": "idle"}, "idle"),
            ({"state": "idle", "stopReason": "refusal"}, "idle (refusal)"),
            (
                {"state": "idle", "stopReason": "error", "error": {"code": 1, "message": "Oh"}},
                "idle (error: Oh)",
            ),
            ({"state": "dancing", "to": "music"}, "dancing"),
        ],
    )
    def test_subagents(self, recording, shown, state, line):
        recording.session()
        recording.update("subagent_update", sessionId="k", state=state, capabilities={"cancel": {}})
        text = shown()
        assert f"Subagent  (no title)\n  {line}, can be cancelled  k\n" in text
        assert f"   parent     s1\n   state      {line}\n   cwd        /w\n" in text

    def test_notices_stand_in_their_place(self, recording, shown):
        recording.session()
        recording.say("a")
        recording.update("notice", severity="warning", title="Look", description="out\nthere")
        recording.say("b", "m")
        recording.update("notice", severity="odd", title="End")
        assert shown(after="Agent") == (
            "Agent\n  a\n\n"
            "Notice  warning: Look  (not kept)\n  out\n  there\n\n"
            "Agent  m\n  b\n\n"
            "Notice  odd: End  (not kept)\n"
        )


class TestTurns:
    @pytest.mark.parametrize(
        ("answer", "cancel", "shown_as"),
        [
            ({"result": {"stopReason": "max_tokens"}}, False, ["ended: max_tokens"]),
            ({"result": {"stopReason": "odd"}}, False, ["ended: odd"]),
            ({"result": {}}, False, ["ended: none"]),
            ({"result": {"stopReason": "cancelled"}}, True, ["was cancelled; cancel asked"]),
            ({"result": {"stopReason": "end_turn"}}, True, ["ended: end_turn; cancel asked"]),
            (
                {"error": {"code": -32603, "message": "Oh", "data": {"a": [1]}}},
                False,
                ["failed: error -32603", "Oh", '{"a":[1]}'],
            ),
            (
                {"error": {"code": -32800, "message": "Oh"}},
                True,
                ["cancelled: error -32800; cancel asked", "Oh"],
            ),
        ],
    )
    def test_ends(self, recording, shown, answer, cancel, shown_as):
        recording.session()
        recording.prompt("Go")
        if cancel:
            recording.client(method="session/cancel", params={"sessionId": "s1"})
        recording.agent(id=1, **answer)
        first, *more = shown(after="-- turn 1 ").splitlines()
        assert first.rstrip("-") == f"-- turn 1 {shown_as[0]} "
        assert [line.strip() for line in more] == shown_as[1:]

    def test_tokens(self, recording, shown):
        usage = {"totalTokens": 2_000, "inputTokens": 1_500, "outputTokens": 0, "thoughtTokens": 7}
        recording.session()
        recording.prompt("Go")
        recording.agent(id=1, result={"stopReason": "end_turn", "usage": usage})
        assert shown().endswith("   2,000 tokens: 1,500 in, 7 thought\n")

    def test_refusal(self, recording, shown):
        """TL-08: what a refused turn holds is no part of the next prompt."""
        recording.session()
        recording.prompt("Go")
        recording.say("No")
        recording.agent(id=1, result={"stopReason": "refusal"})
        text = shown()
        assert text.count("(refused: not part of the next prompt)") == 2
        assert "-- turn 1 ended: refusal; excluded from the next prompt ---" in text

    def test_two_at_once(self, recording, shown):
        """TURN-11: entries say their turn where their place does not."""
        recording.session()
        recording.prompt("One", 1)
        recording.prompt("Two", 2)
        recording.say("to one")
        recording.agent(id=1, result={"stopReason": "end_turn"})
        recording.say("to two")
        recording.agent(id=2, result={"stopReason": "end_turn"})
        recording.say("later")
        headings = [line[:20] for line in shown().splitlines() if line and line[0] not in " ="]
        assert headings == [
            "User",
            "User",
            "Agent  (of turn 1)",
            "-- turn 1 ended: end",
            "Agent",
            "-- turn 2 ended: end",
            "Agent",
        ]

    def test_something_of_no_turn(self, recording, shown):
        recording.session()
        recording.prompt("One", 1)
        recording.agent(id=1, result={"stopReason": "end_turn"})
        recording.say("later")
        assert "(of" not in shown()


class TestOpen:
    def test_what_is_open(self, recording, shown):
        recording.session()
        recording.prompt("One", 1)
        recording.update("tool_call", toolCallId="c1", title="T")
        recording.agent(id=1, result={"stopReason": "end_turn"})
        recording.prompt("Two", "2")
        call = {"toolCallId": "c2", "title": "U"}
        options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
        permission = {"sessionId": "s1", "toolCall": call, "options": options}
        recording.agent(id=7, method="session/request_permission", params=permission)
        recording.agent(id=8, method="fs/read_text_file", params={"sessionId": "s1", "path": "/x"})
        recording.client(id=9, method="session/list", params={})
        recording.agent(
            id=10, method="session/request_permission", params=permission | {"options": []}
        )
        recording.agent(id=11, method="_vendor/ask", params={})
        assert shown(after="Open\n") == (
            "Open\n"
            "  - turn 2 is running\n"
            "  - tool call c1 is pending, though turn 1 has ended: T\n"
            "  - tool call c2 is pending: U\n"
            "  - the client waits for an answer to session/prompt (id '2')\n"
            "  - the agent waits for an answer to session/request_permission (id 7) for tool\n"
            "    call c2: Yes\n"
            "  - the agent waits for an answer to fs/read_text_file (id 8)\n"
            "  - the agent waits for an answer to session/request_permission (id 10) for tool\n"
            "    call c2: no options\n"
            "\nOpen on the connection\n"
            "  - the client waits for an answer to session/list (id 9)\n"
            "  - the agent waits for an answer to _vendor/ask (id 11)\n"
        )


def test_children_stand_after_their_parents(recording, shown):
    recording.session("s1")
    recording.session("s2")
    recording.update("subagent_update", sessionId="k1", title="Kid")
    recording.update("subagent_update", sessionId="k2")
    recording.update("subagent_update", "k1", sessionId="grandchild")
    ids = [line.split()[1] for line in shown().splitlines() if line.startswith("   id ")]
    assert ids == ["s1", "k1", "grandchild", "k2", "s2"]
    assert "   called     Kid\n" in shown()


def test_a_hostile_agent(run, recording):
    """Escapes, markup and lone halves stay text, wherever they are."""
    recording.session(EVIL)
    update = {"session_id": EVIL}
    recording.update("session_info_update", **update, title=EVIL, updatedAt=EVIL)
    recording.update("current_mode_update", **update, currentModeId=EVIL)
    recording.update("tool_call", **update, toolCallId=EVIL, title=EVIL, content=[block(EVIL)])
    recording.update("notice", **update, severity=EVIL, title=EVIL)
    recording.update("compaction_update", **update, compactionId=EVIL, status=EVIL, error=EVIL)
    recording.update("subagent_update", **update, sessionId="k", title=EVIL, state={"state": EVIL})
    recording.prompt(EVIL, EVIL, EVIL)
    recording.agent(id=EVIL, error={"code": 1, "message": EVIL, "data": EVIL})
    trace = recording.write()
    text = run("replay", trace).stdout
    assert "[bold red]" in text
    assert is_safe(text)
    assert is_safe(run("check", trace).stdout)
    assert "\ufffd" in json.loads(run("replay", "--json", trace).stdout)["sessions"][0]["title"]
    assert run("check", "--json", trace).exit_code == 0


def is_safe(text):
    return all(c == "\n" or unicodedata.category(c) not in {"Cc", "Cs", "Zl", "Zp"} for c in text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = st.dictionaries(
    st.sampled_from(
        [
            *("content", "messageId", "toolCallId", "title", "status", "kind", "entries", "plan"),
            *("planId", "compactionId", "state", "sessionId", "used", "size", "cost", "rawInput"),
            *("rawOutput", "locations", "severity", "configOptions"),
        ]
    ),
    JSON
    | st.text(max_size=90)
    | st.fixed_dictionaries({"type": st.just("text"), "text": st.text(max_size=200)}),
    max_size=6,
)
UPDATES = st.builds(
    lambda kind, fields: {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {"sessionId": "s", "update": {"sessionUpdate": kind, **fields}},
    },
    st.sampled_from(sorted(SESSION_UPDATE.variants)),
    FIELDS,
)


@given(st.lists(UPDATES | JSON, max_size=8))
def test_whatever_comes_is_shown(messages):
    """Contract 2: nothing a peer sends makes the command fail, or breaks its lines."""
    steps = list(each_folded(Record(line=n, message=m) for n, m in enumerate(messages, 1)))
    if not steps:
        return
    connection = steps[-1].connection
    notices = tuple(i for step in steps for i in step.intents if isinstance(i, ShowNotice))
    to = console()
    with to.capture() as captured:
        show(show_connection(Scene(connection=connection, notices=notices)), to)
    assert is_safe(captured.get())
    assert all(cell_len(line) <= 80 for line in captured.get().splitlines())
    json.loads(dumps(connection_json(connection, 1)))


class TestPeers:
    def test_who_talks_to_whom(self, recording, shown):
        """INIT-06: names and versions, as far as both sides said."""
        recording.client(
            id="init",
            method="initialize",
            params={"protocolVersion": 1, "clientInfo": {"name": "ed", "version": "2"}},
        )
        agent = {"name": "ag", "version": "1.0"}
        recording.agent(id="init", result={"protocolVersion": 1, "agentInfo": agent})
        recording.session()
        first, blank, *_ = shown().splitlines()
        assert (first, blank) == ("agent ag 1.0, client ed 2, protocol version 1", "")


class TestPermissions:
    @pytest.mark.parametrize(
        ("outcome", "line"),
        [
            ({"outcome": "selected", "optionId": "y"}, "permission: Yes (allow_once)"),
            ({"outcome": "cancelled"}, "permission: cancelled"),
        ],
    )
    def test_what_was_decided(self, recording, shown, outcome, line):
        """PERM-04: the answer stands at the call that it was about."""
        recording.session()
        options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
        params = {"sessionId": "s1", "toolCall": {"toolCallId": "t1"}, "options": options}
        recording.agent(id=1, method="session/request_permission", params=params)
        recording.client(id=1, result={"outcome": outcome})
        assert line in [each.strip() for each in shown().splitlines()]


def test_where_a_fork_comes_from(recording, shown):
    """Section 19: a fork is a session of its own, and knows the other."""
    recording.session()
    recording.client(id=2, method="session/fork", params={"sessionId": "s1", "cwd": "/w"})
    recording.agent(id=2, result={"sessionId": "s2"})
    assert "   forked     from s1" in shown().splitlines()
