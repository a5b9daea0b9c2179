"""`reduce` beside a naive model of the rules, which was written from the rules alone.

The machine says anything to both, legal or not, from the client's seat, the agent's, or an
observer's, and compares after each step: all that is known, the diagnostics, what is answered to
whom, and the notices.
"""

from __future__ import annotations

import copy
import json
import os
from collections import Counter

from conversations import Script, commands, seated
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from naive.folding import disconnect, fold, reopen
from naive.form import bare, form_of
from naive.state import new_connection
from naive_projection import projected
from naive_talk import RICH, mutated
from observing import SEATS, see

from acp_state import (
    Connection,
    Diagnose,
    Disconnected,
    LocalProtocolError,
    Send,
    ShowNotice,
    reduce,
)
from acp_state.codec import encode

FAMILIES = (("a", "k", "g"), ("b",))
EXAMPLES, STEPS = int(os.environ.get("NAIVE_EXAMPLES", "120")), 40
"""With `NAIVE_EXAMPLES` in the environment: so many, and others each time."""


class BesideTheNaiveModel(RuleBasedStateMachine):
    """One connection and one naive model, told the same."""

    @initialize(side=st.sampled_from(SEATS), is_new=st.booleans())
    def start(self, side, is_new):
        phase = "new" if is_new else "ready"
        self.connection = Connection(side=side) if is_new else seated(side)
        self.naive = new_connection(side, phase)
        self.script = Script(None, FAMILIES)

    @rule(data=st.data(), move=st.sampled_from(RICH))
    def says(self, data, move):
        self.tell(self.drawn(data, move))

    @rule(data=st.data(), move=st.sampled_from(RICH))
    def says_something_malformed(self, data, move):
        line = self.drawn(data, move)
        if line is not None and isinstance(line[1], dict):
            self.tell(mutated(self.script, line))

    @rule(command=commands())
    def commands(self, command):
        """A command does what its message does, seen sent."""
        try:
            connection, (send, *intents) = reduce(self.connection, command)
        except LocalProtocolError:
            return
        line = ("agent" if self.connection.side == "agent" else "client", send.message)
        self.script.heard(line)
        self.connection = connection
        self.compare(line, intents)

    @rule(again=st.booleans(), odds=st.integers(1, 8))
    def loses_the_connection(self, again, odds):
        if odds > 1:
            return
        self.connection, intents = reduce(self.connection, Disconnected())
        disconnect(self.naive)
        self.agree("the connection is lost", intents)
        if again:
            self.connection = self.connection.reopened()
            self.naive = reopen(self.naive)
            self.script.asked = {"client": {}, "agent": {}}
            self.agree("it is opened again", ())

    def drawn(self, data, move):
        self.script.draw = data.draw
        return move(self.script)

    def tell(self, line):
        if line is None:
            return
        self.script.heard(line)
        sender, message = line
        self.connection, intents = see(self.connection, sender, copy.deepcopy(message))
        self.compare(line, intents)

    def compare(self, line, intents):
        sender, message = line
        fold(self.naive, sender, copy.deepcopy(message))
        self.agree(line, intents)

    def agree(self, line, intents):
        told = (projected(self.connection), *came_out(intents))
        naive = self.naive
        expected = (
            form_of(naive), Counter(naive["diagnostics"]), naive["answers"],
            [(name, bare(notice), position) for name, notice, position in naive["notices"]],
        )  # fmt: skip
        assert told == expected, (line, told[1:], expected[1:])
        assert spelled(told[0]) == spelled(expected[0]), line


def spelled(form):
    """As JSON text, in which 1 and true are two things."""
    return json.dumps(form, sort_keys=True)


def came_out(intents):
    """The diagnostics, the answers to the peer, and the notices."""
    return (
        Counter(each.diagnostic.code for each in intents if isinstance(each, Diagnose)),
        [
            answer_of(each.message)
            for each in intents
            if isinstance(each, Send) and "method" not in each.message
        ],
        [
            (each.session_id, bare(encode(each.notice)), each.position)
            for each in intents
            if isinstance(each, ShowNotice)
        ],
    )


def answer_of(message):
    """Whom it answers, and what; the words of an error are free."""
    kind = (
        {"result": message["result"]} if "result" in message else {"code": message["error"]["code"]}
    )
    return {"id": message["id"], **kind}


TestBesideTheNaiveModel = BesideTheNaiveModel.TestCase
TestBesideTheNaiveModel.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    derandomize="NAIVE_EXAMPLES" not in os.environ,
    database=None,
)
