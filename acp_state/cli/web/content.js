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
  if (part.text !== undefined) return make("div", "text", part.text.replace(/^\n+|\n+$/g, ""));
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
  const end = terminal ? terminal.end : "the agent's own, its output is not known";
  const title = `Terminal ${content.terminal}: ${end}`;
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
