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

// Drawing: text only ever becomes text

const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const COLOURS = /\u001b\[[0-9;:]*m/g;

function visible(text) {
  return String(text).replace(/\r+\n/g, "\n").replace(COLOURS, "").replace(UNSAFE, (found) =>
    "\\u" + found.charCodeAt(0).toString(16).padStart(4, "0"));
}

function make(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  for (const child of children) {
    if (child !== null) element.append(child instanceof Node ? child : visible(child));
  }
  return element;
}

function fold(owner, name, title, open, ...children) {
  const element = make("details", "", make("summary", "", title), ...children);
  element.open = owner.opened[name] ?? open;
  element.addEventListener("toggle", () => { owner.opened[name] = element.open; });
  return element;
}

function link(uri) {
  if (!/^https?:\/\//i.test(uri)) return make("code", "", uri);
  const element = make("a", "", uri);
  element.href = uri;
  element.rel = "noopener noreferrer";
  element.target = "_blank";
  return element;
}

function drawPart(owner, part, index) {
  if (part.text !== undefined) return make("div", "text", part.text);
  const children = [];
  if (part.uri) children.push(link(part.uri));
  if (part.image) {
    const picture = make("img");
    picture.src = part.image;
    picture.alt = part.name;
    children.push(picture);
  }
  if (part.inside) children.push(make("pre", "", part.inside));
  if (!children.length) return make("div", "attached", part.name);
  return fold(owner, `part ${index}`, part.name, Boolean(part.image), ...children);
}

function drawDiff(owner, content, index) {
  const lines = content.lines.split("\n").map((line) => {
    const kind = { "+": "added", "-": "removed", "@": "place" }[line[0]] ?? "";
    return make("span", kind, line + "\n");
  });
  const title = `${content.diff} (${content.size})`;
  return fold(owner, `diff ${index}`, title, lines.length <= 40, make("pre", "diff", ...lines));
}

function drawTerminal(owner, content, at) {
  const terminal = at.terminals[content.terminal]?.fields;
  const title = `Terminal ${content.terminal}${terminal ? ": " + terminal.end : ""}`;
  if (!terminal) return make("div", "attached", title);
  return fold(owner, `terminal ${content.terminal}`, title, false, make("pre", "", terminal.output));
}

function drawContent(owner, content, index, at) {
  if (content.diff !== undefined) return drawDiff(owner, content, index);
  if (content.terminal !== undefined) return drawTerminal(owner, content, at);
  if (content.text === undefined) return drawPart(owner, content, index);
  const lines = content.text.split("\n").length;
  const title = `Output (${lines} ${lines === 1 ? "line" : "lines"})`;
  return fold(owner, `content ${index}`, title, false, make("pre", "", content.text));
}

function drawTool(owner, at) {
  const { content, locations, input, output, id } = owner.fields;
  const asked = at.permissions.filter((each) => each.fields.toolCallId === id);
  return [
    ...asked.map(({ fields }) =>
      make("div", "asked", `Permission: ${fields.answer ?? "waits, of " + fields.options.join(", ")}`)),
    locations.length ? make("div", "attached", locations.join(", ")) : null,
    ...content.map((each, index) => drawContent(owner, each, index, at)),
    input ? fold(owner, "input", "Raw input", false, make("pre", "", input)) : null,
    output ? fold(owner, "output", "Raw output", false, make("pre", "", output)) : null,
  ];
}

const LONG_THOUGHT = 1200; // characters

const HEADINGS = {
  message: ({ role }) => ({ user: "User", agent: "Agent", thought: "Thought" })[role],
  tool: ({ tool }) => tool,
  compaction: () => "Compaction",
  session_message: () => "Message",
  subagent: () => "Subagent",
};

function rawButton(owner) {
  const last = owner.by.at(-1), many = owner.by.length;
  const button = make("button", "number", many > 1 ? `#${owner.by[0] + 1}–${last + 1}` : `#${last + 1}`);
  button.type = "button";
  button.title = `${many} ${many === 1 ? "message" : "messages"}: show the raw JSON`;
  button.addEventListener("click", () => showRaw(owner.by.at(-1), owner.by));
  return button;
}

function drawEntry(owner, at) {
  const { kind, role, title, status, parts, turn } = owner.fields;
  const head = make("div", "head",
    make("strong", "", HEADINGS[kind](owner.fields)),
    title ? make("span", "title", title) : null,
    status ? make("span", `status ${String(status).replace(/\W+/g, "-")}`, status) : null,
    turn === null && at.turns.length ? make("span", "aside", "of no turn") : null,
    rawButton(owner));
  const body = kind === "tool" ? drawTool(owner, at) : parts.map((part, i) => drawPart(owner, part, i));
  const isLong = role === "thought" && parts.some(({ text }) => text?.length > LONG_THOUGHT);
  const shown = isLong ? [fold(owner, "thought", "A long thought", false, ...body)] : body;
  return [`entry ${kind} ${role ?? ""}`, head, ...shown];
}

function drawNote(owner) {
  const { severity, title, text } = owner.fields;
  const head = make("div", "head", make("strong", "", severity), make("span", "title", title), rawButton(owner));
  return [`note ${severity.replace(/\W/g, "")}`, head, text ? make("div", "text", text) : null];
}

function drawTurn(owner) {
  const { facts, outcome, error, usage } = owner.fields;
  const more = [error, usage].filter(Boolean).join(" · ");
  return [`turn ${outcome ?? "running"}`,
    make("div", "head", make("strong", "", `Turn ${owner.at + 1}`), make("span", "title", facts), rawButton(owner)),
    more ? make("div", "aside", more) : null];
}

const DRAWN = { entries: drawEntry, notes: drawNote, turns: drawTurn };

function elementOf(owner, at) {
  if (owner.element && !changed.has(owner)) return owner.element;
  const [className, ...children] = DRAWN[owner.list](owner, at);
  owner.element ??= document.createElement("article");
  owner.element.className = className;
  owner.element.replaceChildren(...children.filter((child) => child !== null));
  return owner.element;
}

function drawPlan(plan) {
  const tasks = (plan.tasks ?? []).map(([status, text]) => make("li", status, text));
  const done = (plan.tasks ?? []).filter(([status]) => status === "completed").length;
  const name = plan.tasks ? `${plan.name}: ${done} of ${tasks.length} done` : plan.name;
  return make("div", "plan", make("strong", "", name),
    plan.tasks ? make("ul", "", ...tasks) : make("div", "text", plan.text));
}

function drawHeader(at) {
  const { title, rows, plans, used, size, cost } = at.fields;
  const facts = make("dl", "");
  for (const [name, value] of [["id", at.id], ...(rows ?? [])]) {
    facts.append(make("dt", "", name), make("dd", "", value));
  }
  const share = size > 0 ? ` (${(100 * used / size).toFixed(1)} %)` : "";
  const usage = used === null || used === undefined ? null :
    make("p", "usage", `Context: ${used.toLocaleString("en")} of ${size.toLocaleString("en")} tokens${share}${cost ? ", " + cost : ""}`);
  at.chart ??= drawChart(at.id);
  return [make("h2", "", title ?? (at.id || "Connection")), at.id ? fold(at, "facts", "Session", false, facts) : "",
    usage ?? "", at.chart ?? "", ...(plans ?? []).map(drawPlan)].filter(Boolean);
}

function inOrder(at) {
  const ends = new Map(); // by position: the turns whose last entry it is
  const last = new Map();
  at.entries.forEach(({ fields }, position) => { if (fields.turn !== null) last.set(fields.turn, position); });
  at.turns.forEach((turn, index) => {
    const position = last.get(index) ?? turn.fields.start ?? at.entries.length - 1;
    ends.set(position, [...(ends.get(position) ?? []), turn]);
  });
  const notes = notesByPosition(at);
  const found = [];
  for (let position = 0; position <= at.entries.length; position += 1) {
    found.push(...(notes.get(position) ?? []));
    if (position < at.entries.length) found.push(at.entries[position], ...(ends.get(position) ?? []));
  }
  return found;
}

function notesByPosition(at) {
  const found = new Map();
  for (const note of at.notes) {
    const position = Math.min(note.after, at.entries.length);
    found.set(position, [...(found.get(position) ?? []), note]);
  }
  return found;
}

function redrawsCalls(at) {
  // A call shows what stands elsewhere: its terminals and its permissions.
  const lists = new Set([...changed].map((each) => each.list));
  if (!lists.has("terminals") && !lists.has("permissions")) return;
  for (const entry of at.entries) if (entry.fields.kind === "tool") changed.add(entry);
}

function drawSession(at) {
  at.opened ??= {};
  at.element ??= make("section");
  at.head ??= make("div", "session");
  at.body ??= make("div", "entries");
  if (!at.head.isConnected) at.element.append(at.head, at.body);
  at.head.replaceChildren(...drawHeader(at));
  redrawsCalls(at);
  const wanted = inOrder(at).map((owner) => elementOf(owner, at));
  replace(at.body, wanted);
}

function replace(parent, wanted) {
  const there = parent.children;
  let same = 0;
  while (same < wanted.length && there[same] === wanted[same]) same += 1;
  while (there.length > same) there[there.length - 1].remove();
  parent.append(...wanted.slice(same));
}

function draw() {
  for (const at of dirty) if (sessions.get(at.id) === at) drawSession(at);
  replace(byId("conversation"), [...sessions.values()].map((at) => at.element));
  dirty.clear();
  changed.clear();
  byId("slider").value = now;
  byId("where").textContent = now === 0 ? `before all ${steps.length} messages` : describe(now - 1);
  byId("back").disabled = now === 0;
  byId("forward").disabled = now === steps.length;
  for (const cursor of document.querySelectorAll(".cursor")) placeCursor(cursor);
  if (now > 0) showRaw(now - 1, null);
}

function describe(index) {
  const { sender, what, time } = steps[index];
  const when = time === null ? "" : ` · ${(time - start).toFixed(3)} s`;
  const who = sender === null ? "" : ` · ${SENDERS[sender]}`;
  return visible(`${index + 1} of ${steps.length}${when}${who} · ${what}`);
}

// The chart of the context window's use, and the marks under the slider

const SVG = "http://www.w3.org/2000/svg";
const start = steps.find(({ time }) => time !== null)?.time ?? 0;
const end = steps.findLast(({ time }) => time !== null)?.time ?? 0;
const isTimed = end > start && steps.every(({ time }) => time !== null);

function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function acrossOf(index) { // where a message stands on the axis, from 0 to 1000
  if (!isTimed) return 1000 * (index + 1) / steps.length;
  return Math.max(0, Math.min(1000, 1000 * (steps[index].time - start) / (end - start)));
}

function usageOf(id) {
  const points = [];
  let size = 0;
  steps.forEach(({ ops }, index) => {
    for (const [name, owner, fields] of ops) {
      if (name !== "session" || owner !== id) continue;
      size = fields.size ?? size;
      if (typeof fields.used === "number") points.push([acrossOf(index), fields.used]);
    }
  });
  return { points, most: Math.max(size, ...points.map(([, used]) => used)) };
}

function drawChart(id) {
  const { points, most } = usageOf(id);
  if (points.length < 2 || !(most > 0)) return null;
  const svg = shape("svg", { viewBox: "0 0 1000 100", class: "chart", preserveAspectRatio: "none", role: "img" });
  svg.append(shape("title", {}));
  svg.firstChild.textContent = `Tokens in context over ${isTimed ? "time" : "messages"}; the top is ${most.toLocaleString("en")}`;
  const top = Math.max(...points.map(([, used]) => used)) || 1; // the line fills the height
  let path = `M${points[0][0]} 100`;
  for (const [across, used] of points) path += ` H${across} V${100 - 95 * used / top}`;
  path += " H1000 V100 Z";
  svg.append(shape("path", { d: path }), shape("line", { class: "cursor", y1: 0, y2: 100 }));
  const figure = make("figure", "", `${top.toLocaleString("en")} tokens at most`);
  figure.append(svg);
  return figure;
}

function placeCursor(cursor) {
  const across = now === 0 ? 0 : acrossOf(now - 1);
  cursor.setAttribute("x1", across);
  cursor.setAttribute("x2", across);
}

const noted = []; // the messages with a diagnostic or a notice
const turned = []; // the messages that begin or end a turn

function look() {
  steps.forEach(({ ops }, index) => {
    const notes = ops.filter(([name]) => name === "note");
    if (notes.length) noted.push([index, notes[0][2]]);
    if (ops.some(([name, , list]) => name === "set" && list === "turns")) turned.push(index);
  });
}

function drawMarks() {
  const marks = byId("marks");
  marks.setAttribute("viewBox", `0 0 ${Math.max(1, steps.length)} 10`);
  for (const index of turned) marks.append(shape("line", { class: "turned", x1: index + 1, x2: index + 1, y1: 0, y2: 10 }));
  for (const [index, { severity }] of noted) {
    marks.append(shape("line", { class: severity.replace(/\W/g, ""), x1: index + 1, x2: index + 1, y1: 3, y2: 10 }));
  }
  const list = byId("found");
  list.firstChild.textContent = `${noted.length} ${noted.length === 1 ? "message" : "messages"} with diagnostics or notices`;
  for (const [index, { severity, title, text }] of noted.slice(0, 500)) {
    const button = make("button", "", `#${index + 1} ${severity} ${title}: ${text}`);
    button.type = "button";
    button.addEventListener("click", () => goTo(index + 1));
    list.lastChild.append(make("li", "", button));
  }
}

// The raw message

let shownRaw = 0;
let among = null; // the messages to step through; null: all

function indented(text) { // by its tokens: parsing would round long numbers
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let depth = 0, out = "";
  const line = () => "\n" + "  ".repeat(depth);
  tokens.forEach((token, at) => {
    const isEmpty = "}]".includes(token) && "{[".includes(tokens[at - 1] ?? " ");
    if ("{[".includes(token)) { depth += 1; out += token; if (!"}]".includes(tokens[at + 1])) out += line(); }
    else if ("}]".includes(token)) { depth -= 1; out += (isEmpty ? "" : line()) + token; }
    else if (token === ",") out += token + line();
    else out += token === ":" ? ": " : token;
  });
  return out.replace(/\\(u003c|[^])/g, (found, after) => (after === "u003c" ? "<" : found));
}

function showRaw(index, list) {
  shownRaw = index;
  among = list;
  byId("raw-title").textContent = describe(index);
  byId("raw-text").textContent = visible(indented(raw[index]));
  byId("raw-back").disabled = nextRaw(-1) === undefined;
  byId("raw-forward").disabled = nextRaw(1) === undefined;
}

function nextRaw(by) {
  if (among) return among[among.indexOf(shownRaw) + by];
  return steps[shownRaw + by] && shownRaw + by;
}

function stepRaw(by) {
  const next = nextRaw(by);
  if (next !== undefined) showRaw(next, among);
}

// Keys and buttons

function following(list, by) {
  const places = list.map((index) => index + 1);
  return by > 0 ? places.find((place) => place > now) : places.findLast((place) => place < now);
}

const KEYS = {
  ",": () => now - 1,
  ".": () => now + 1,
  "[": () => following(turned, -1) ?? 0,
  "]": () => following(turned, 1) ?? steps.length,
  p: () => following(noted.map(([index]) => index), -1) ?? now,
  n: () => following(noted.map(([index]) => index), 1) ?? now,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  goTo(KEYS[event.key]());
});
byId("slider").max = steps.length;
byId("slider").addEventListener("input", (event) => goTo(Number(event.target.value)));
byId("back").addEventListener("click", () => goTo(now - 1));
byId("forward").addEventListener("click", () => goTo(now + 1));
byId("raw-back").addEventListener("click", () => stepRaw(-1));
byId("raw-forward").addEventListener("click", () => stepRaw(1));
byId("raw-go").addEventListener("click", () => goTo(shownRaw + 1));

byId("title").textContent = visible(held.title);
byId("peers").textContent = visible(held.peers);
look();
drawMarks();
goTo(steps.length);
