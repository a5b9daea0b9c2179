"use strict";
// The page holds what each message changed. Going forward applies the changes, going back undoes
// them; then what has changed is drawn anew. Whatever a peer wrote becomes a text node.

const byId = (id) => document.getElementById(id);
const held = JSON.parse(byId("steps").textContent);
const raw = byId("raw").textContent.split("\n");
const steps = held.steps.map(([sender, what, time, line, ops]) => ({ sender, what, time, line, ops }));
const SENDERS = ["client", "agent"];

// State and time

const sessions = new Map(); // by id: what is known of each session now
const undos = []; // for each message so far, how to take it back
let now = 0; // how many messages have come
let undo; // takes back the message that is being applied
const dirty = new Set(); // sessions to draw
const changed = new Set(); // items to draw

function set(owner, key, value) {
  const had = Object.hasOwn(owner, key), before = owner[key];
  owner[key] = value;
  undo.push(() => { if (had) owner[key] = before; else delete owner[key]; });
}

function push(list, item) {
  list.push(item);
  undo.push(() => list.pop());
}

function session(id) {
  if (!sessions.has(id)) {
    const made = { id, fields: {}, entries: [], turns: [], permissions: [], notes: [], terminals: Object.create(null) };
    sessions.set(id, made);
    undo.push(() => sessions.delete(id));
  }
  const found = sessions.get(id);
  dirty.add(found);
  return found;
}

function item(owner, list, at) {
  if (owner[list][at] === undefined) {
    const made = { list, at, fields: {}, by: [], opened: {} };
    if (Array.isArray(owner[list])) push(owner[list], made); else set(owner[list], at, made);
  }
  const found = owner[list][at];
  changed.add(found);
  undo.push(() => changed.add(found));
  if (found.by.at(-1) !== now) push(found.by, now);
  return found;
}

function merge(owner, fields) {
  for (const [key, value] of Object.entries(fields)) set(owner, key, value);
}

function appendText(fields, kept, text) {
  const parts = fields.parts, last = parts.at(-1);
  if (last === undefined || last.text === undefined) set(fields, "parts", [...parts, { text }]);
  else set(fields, "parts", [...parts.slice(0, -1), { text: last.text.slice(0, kept || undefined) + text }]);
}

const OPERATIONS = {
  session: (id, fields) => merge(session(id).fields, fields),
  gone: (id) => {
    const before = session(id);
    sessions.delete(id);
    undo.push(() => sessions.set(id, before));
  },
  set: (id, list, at, fields) => merge(item(session(id), list, at).fields, fields),
  cut: (id, list, length) => {
    const owner = session(id);
    set(owner, list, owner[list].slice(0, length));
  },
  text: (id, at, kept, text) => appendText(item(session(id), "entries", at).fields, kept, text),
  output: (id, at, text) => {
    const fields = item(session(id), "terminals", at).fields;
    set(fields, "output", fields.output + text);
  },
  note: (id, fields) => {
    const owner = session(id ?? "");
    push(owner.notes, { list: "notes", after: owner.entries.length, fields, by: [now], opened: {} });
  },
};

function forward() {
  undo = [];
  for (const [name, ...rest] of steps[now].ops) {
    const id = rest[0] ?? "";
    OPERATIONS[name](...rest);
    undo.push(() => { if (sessions.has(id)) dirty.add(sessions.get(id)); });
  }
  undos.push(undo);
  now += 1;
}

function back() {
  now -= 1;
  for (const take of undos.pop().reverse()) take();
}

function goTo(target) {
  target = Math.max(0, Math.min(steps.length, target));
  while (now < target) forward();
  while (now > target) back();
  draw();
}
