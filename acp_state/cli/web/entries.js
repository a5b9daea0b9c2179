// What stands in the conversation: entries, diagnostics and notices, and the ends of turns.

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
