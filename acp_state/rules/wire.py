"""JSON-RPC, reading and patching: the rules of these chapters."""

from __future__ import annotations

from typing import Final

from acp_state.rules.rule import Chapter, Rule

CHAPTERS: Final = (
    Chapter(
        "JSON-RPC and envelope",
        "1",
        {
            "RPC-01": Rule(
                "MUST",
                "state",
                "A message is an object of version 2.0; an answer has a result or an error, and "
                "one with both or neither settles its request as failed.",
            ),
            "RPC-02": Rule(
                "MUST",
                "state",
                "Ids are equal by JSON type and value, and an answer is matched only with what "
                "this side asked.",
            ),
            "RPC-03": Rule(
                "MUST",
                "state",
                "An answer to nothing, or to what was answered already, changes nothing.",
            ),
            "RPC-04": Rule(
                "MUST",
                "outbound",
                "Every request gets one answer with its own id; a notification gets none.",
            ),
            "RPC-05": Rule(
                "MUST",
                "outbound",
                "A request of an unknown method is refused as not found, a known one that "
                "cannot be read as invalid params.",
            ),
            "RPC-06": Rule(
                "SHOULD", "state", "Unknown notifications are passed over, and diagnosed."
            ),
            "RPC-07": Rule("MUST", "state", "An update that cannot be read costs itself alone."),
            "RPC-08": Rule(
                "MUST", "state", "Messages count in the order in which they are fed in."
            ),
            "RPC-09": Rule(
                "SHOULD (D)",
                "state",
                "A batch is refused as a whole, with one error that has no id.",
            ),
            "RPC-10": Rule(
                "SHOULD (D)",
                "outbound",
                "Ids of our own are whole numbers, and none comes twice on a connection.",
            ),
            "RPC-11": Rule(
                "SHOULD (D)",
                "state",
                "Of two open requests with one id, the first stays and the second is not answered.",
            ),
            "RPC-12": Rule(
                "MUST",
                "state",
                "`sessionId` and `update` must be there; `_meta` of the envelope never becomes "
                "an entity's.",
            ),
            "RPC-13": Rule(
                "SHOULD",
                "state",
                "A result of null is an empty object where nothing in it is required.",
            ),
            "RPC-14": Rule(
                "MUST",
                "state",
                "The known error codes have names, others are plain numbers, and `data` is opaque.",
            ),
        },
    ),
    Chapter(
        "Leniency",
        "2",
        {
            "LENIENT-01": Rule(
                "MUST", "state", "Absent, null and a value are told apart in the raw JSON."
            ),
            "LENIENT-02": Rule(
                "MUST",
                "state",
                "An optional field that does not fit counts as absent; in a patch it keeps what "
                "is held.",
            ),
            "LENIENT-03": Rule(
                "MUST",
                "state",
                "Items that do not fit are left out one by one; what remains of the list "
                "counts, be it empty.",
            ),
            "LENIENT-04": Rule(
                "MUST",
                "state",
                "Some required lists may be null or rubbish and are empty then; without the key "
                "the update is malformed.",
            ),
            "LENIENT-05": Rule(
                "MUST",
                "state",
                "Any other required field that does not fit spoils the object around it.",
            ),
            "LENIENT-06": Rule(
                "MUST", "state", "Some fields of requests read null as empty, and nothing else."
            ),
            "LENIENT-07": Rule("MUST", "state", "Unknown keys of a known object are no fault."),
            "LENIENT-08": Rule(
                "MUST", "state", "An unknown word in a closed enumeration is malformed."
            ),
            "LENIENT-09": Rule(
                "MUST",
                "state",
                "An unknown word in an open one is kept as sent, and nothing is concluded from it.",
            ),
            "LENIENT-10": Rule(
                "MUST",
                "state",
                "A known tag does not make up for a bad payload: the object is malformed, and "
                "no unknown variant.",
            ),
            "LENIENT-11": Rule(
                "SHOULD (D)",
                "state",
                "An unknown update, content block or plan type is left out, and its raw JSON "
                "stands in the diagnostic.",
            ),
            "LENIENT-12": Rule(
                "SHOULD (D)",
                "state",
                "5.0 is an integer; strings, booleans, fractions and what lies beyond the "
                "schema's bounds are none, and there is no limit of 53 bits.",
            ),
            "LENIENT-13": Rule(
                "MUST",
                "state",
                "The empty string is a string; an empty id is honoured and diagnosed, an empty "
                "title of a notice is malformed.",
            ),
            "LENIENT-14": Rule("MUST", "state", "`_meta` that is no object counts as absent."),
            "LENIENT-15": Rule(
                "SHOULD (D)", "state", "Few fields have a second name that is read, and diagnosed."
            ),
            "LENIENT-16": Rule(
                "SHOULD (D)",
                "state",
                "What comes without the capability that it needs is applied all the same, and "
                "diagnosed.",
            ),
        },
    ),
    Chapter(
        "Patches",
        "3",
        {
            "PATCH-01": Rule(
                "MUST",
                "state",
                "Patch fields with three states: omitted keeps, null clears, a value replaces.",
            ),
            "PATCH-02": Rule(
                "MUST", "state", "Patch fields with two: omitted and null keep, a value replaces."
            ),
            "PATCH-03": Rule(
                "MUST",
                "state",
                "A value replaces the whole of what was there; only the `_meta` of a tool call "
                "is merged, key by key.",
            ),
            "PATCH-04": Rule("MUST", "state", "An empty list is a value: it clears."),
            "PATCH-05": Rule("MUST", "state", "At first sight omitted and null are both no value."),
            "PATCH-06": Rule("MUST", "state", "The `_meta` of a chunk belongs to that chunk."),
            "PATCH-07": Rule("MUST", "state", "A replay resets no field that it leaves out."),
            "PATCH-08": Rule(
                "SHOULD (D)", "state", "Cleared, and never told, are one thing in the model: None."
            ),
        },
    ),
    Chapter(
        "Null and omitted, field by field",
        "4",
        {
            "4.1": Rule(
                "table",
                "state",
                "The nineteen updates: what omission, null, an empty list and rubbish mean for "
                "each field.",
            ),
            "4.2": Rule(
                "table", "state", "The same for the requests and responses that carry state."
            ),
            "4.3": Rule("table", "state", "The same for the objects inside them."),
        },
    ),
    Chapter(
        "Extensions",
        "21",
        {
            "EXT-01": Rule(
                "MUST", "state", "`_meta` is kept where its scope says, and never interpreted."
            ),
            "EXT-02": Rule(
                "MUST",
                "state",
                "Methods with an underscore are the vendor's: work for the host, or refused as "
                "not found.",
            ),
            "EXT-03": Rule(
                "SHOULD",
                "outbound",
                "Nothing of one's own stands at the root of a standard type.",
                "partly",
                "the messages of commands carry the fields of the schema alone; raw params and "
                "results are the host's",
            ),
            "EXT-04": Rule(
                "SHOULD",
                "state",
                "Unknown values of open enumerations come out again as they came in.",
            ),
        },
    ),
)
"""The chapters, in order."""
