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
