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

function highest(points, least) {
  return points.reduce((most, [, used]) => Math.max(most, used), least);
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
  return { points, most: highest(points, size) };
}

function drawChart(id) {
  const { points, most } = usageOf(id);
  if (points.length < 2 || !(most > 0)) return null;
  const svg = shape("svg", { viewBox: "0 0 1000 100", class: "chart", preserveAspectRatio: "none", role: "img" });
  svg.append(shape("title", {}));
  svg.firstChild.textContent = `Tokens in context over ${isTimed ? "time" : "messages"}; the top is ${most.toLocaleString("en")}`;
  const top = highest(points, 0) || 1; // the line fills the height
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
  list.firstChild.textContent = `${noted.length} ${noted.length === 1 ? "message" : "messages"} with diagnostics, notices or questions`;
  for (const [index, { severity, title, text }] of noted.slice(0, 500)) {
    const button = make("button", "", `#${index + 1} ${severity} ${title}: ${text}`);
    button.type = "button";
    button.addEventListener("click", () => goTo(index + 1));
    list.lastChild.append(make("li", "", button));
  }
}
