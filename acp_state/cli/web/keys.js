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
