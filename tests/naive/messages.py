"""Messages of the user and the agent, and the echo of a prompt (section 7, TURN-04)."""

from __future__ import annotations

import json

from naive.state import (
    add_entry,
    current_turn,
    diagnose,
    find_entry,
    find_or_take_over,
    line_of,
    note_if_late,
)

ROLES = ("user", "agent", "thought")


def say(connection, session, role, update):
    """A chunk goes to the message that it names (MSG-01 to MSG-08)."""
    message_id = update.get("messageId")
    chunk = {"content": update["content"], "meta": update.get("_meta")}
    note_id_style(connection, session, message_id)
    if role == "user" and not session["replay"] and echoes(connection, session, message_id, chunk):
        return
    place(connection, session, role, message_id, [chunk])


def place(connection, session, role, message_id, chunks):
    """The chunks go into the message with that id or into the open run, else into a new one."""
    if message_id is None:
        message = open_run(session, role) or start_message(connection, session, role, None)
        session["runOpen"] = True
    else:
        message = named_message(connection, session, role, message_id)
        session["runOpen"] = False  # MSG-06
    message["chunks"] = message["chunks"] + chunks


def named_message(connection, session, role, message_id):
    """MSG-02, MSG-03; a replay tells it anew (LOAD-04)."""
    message = find_entry(line_of(session), role, message_id)
    if message is not None:
        note_if_late(connection, session, message)
        return message
    message = find_or_take_over(session, role, message_id)
    if message is not None:
        message["chunks"] = []
        message["origin"] = "agent"
        note_kind_conflict(connection, session, role, message_id)
        return message
    return start_message(connection, session, role, message_id)


def start_message(connection, session, role, message_id):
    if message_id is not None:
        note_kind_conflict(connection, session, role, message_id)
    entry = {"kind": role, "id": message_id, "chunks": [], "origin": "agent"}
    return add_entry(session, entry)


def note_kind_conflict(connection, session, role, message_id):
    """MSG-03: the id stands on a message of another kind."""
    others = [each for each in ROLES if each != role]
    if any(find_entry(line_of(session), each, message_id) for each in others):
        diagnose(connection, "message-id-kind-conflict")


def open_run(session, role):
    """MSG-05: the anonymous message at the end, if it still takes chunks."""
    line = line_of(session)
    return line[-1] if session["runOpen"] and line and line[-1]["kind"] == role else None


def note_id_style(connection, session, message_id):
    """MSG-07: once per turn, and once outside of turns."""
    holder = current_turn(session) or session
    style = "without_id" if message_id is None else "with_id"
    if holder["idStyle"] == "none":
        holder["idStyle"] = style
    elif holder["idStyle"] not in {style, "mixed"}:
        holder["idStyle"] = "mixed"
        diagnose(connection, "mixed-message-ids")


# The echo (TURN-04)


def echoes(connection, session, message_id, chunk):
    """Whether the chunk is dealt with as one of an echo."""
    waiting = [session["turns"][index] for index in session["running"]]
    waiting = [turn for turn in waiting if turn["echo"] is not None]
    under_way = [t for t in waiting if t["echo"]["chunks"] and t["echo"]["id"] == message_id]
    known = message_id is not None and find_entry(line_of(session), "user", message_id)
    for turn in waiting:  # oldest first
        may = turn in under_way or (not turn["echo"]["chunks"] and not known)
        if may and goes_on(turn["echo"], chunk):
            take_echo(connection, session, turn, message_id, chunk)
            return True
    if under_way:
        break_echo(connection, session, under_way[0], chunk)
        return True
    if known:
        return False
    if waiting and (message_id is not None or not open_run(session, "user")):
        diagnose(connection, "user-echo-mismatch")
    return False


def goes_on(echo, chunk):
    """Whether what has come, with this chunk, is a prefix of the prompt."""
    so_far = segments([each["content"] for each in [*echo["chunks"], chunk]])
    prompt = echo["prompt"]
    if not so_far:
        return True
    if len(so_far) > len(prompt) or so_far[:-1] != prompt[: len(so_far) - 1]:
        return False
    last, whole = so_far[-1], prompt[len(so_far) - 1]
    if isinstance(last, bytes) and isinstance(whole, bytes):
        return whole.startswith(last)
    return last == whole


def segments(blocks):
    """Adjacent text joined, as UTF-16; other blocks without annotations and metadata."""
    found = []
    for block in blocks:
        if block["type"] != "text":
            found.append(bare(block))
            continue
        text = block["text"].encode("utf-16-le", "surrogatepass")
        if text and found and isinstance(found[-1], bytes):
            found[-1] += text
        elif text:
            found.append(text)
    return found


def bare(value):
    if not isinstance(value, dict):
        return value
    return {
        key: bare(each)
        for key, each in value.items()
        if key not in {"annotations", "_meta"} and each is not None
    }


def take_echo(connection, session, turn, message_id, chunk):
    """The prompt's own entry is the message; nothing is doubled."""
    echo = turn["echo"]
    echo["chunks"] = [*echo["chunks"], chunk]
    echo["id"] = message_id
    session["runOpen"] = False
    entry = turn["entry"]
    if message_id is not None and entry["id"] is None:
        note_kind_conflict(connection, session, "user", message_id)
    entry["id"] = message_id
    if segments([each["content"] for each in echo["chunks"]]) == echo["prompt"]:
        turn["echo"] = None


def break_echo(connection, session, turn, chunk):
    """What was taken for the echo is a message of its own."""
    echo = turn["echo"]
    turn["entry"]["id"] = None
    diagnose(connection, "user-echo-mismatch")
    session["runOpen"] = False
    message_id, chunks = echo["id"], [*echo["chunks"], chunk]
    echo["chunks"], echo["id"] = [], None
    place(connection, session, "user", message_id, chunks)


# What people read (MSG-01)


def content_of(chunks):
    """The blocks, adjacent text joined where annotations and both metas are equal."""
    joined = []
    for chunk in chunks:
        block, meta = dict(chunk["content"]), chunk["meta"]
        last = joined[-1] if joined else None
        texts = last and block["type"] == "text" == last[0]["type"]
        if texts and kin(block, meta) == kin(*last):
            last[0]["text"] += block["text"]
        else:
            joined.append((block, meta))
    return whole_characters([block for block, _ in joined])


def kin(block, meta):
    """In JSON, 1 and true are two things."""
    return json.dumps([block.get("annotations"), block.get("_meta"), meta], sort_keys=True)


def whole_characters(blocks):
    """Half characters that two blocks share are whole in the first; lone halves are replaced."""
    for index, block in enumerate(blocks):
        if block["type"] != "text" or not block["text"]:
            continue
        later = next_text(blocks, index)
        if later and "\ud800" <= block["text"][-1] <= "\udbff":
            if "\udc00" <= later["text"][0] <= "\udfff":
                block["text"] += later["text"][0]
                later["text"] = later["text"][1:]
        halves = block["text"].encode("utf-16-le", "surrogatepass")
        block["text"] = halves.decode("utf-16-le", "replace")
    return blocks


def next_text(blocks, index):
    """The next text that is not empty, if only text lies between."""
    for block in blocks[index + 1 :]:
        if block["type"] != "text":
            return None
        if block["text"]:
            return block
    return None


def text_of(chunks):
    return "".join(block["text"] for block in content_of(chunks) if block["type"] == "text")
