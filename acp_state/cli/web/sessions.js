// Sessions: what is known of one, and its conversation in order.

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
