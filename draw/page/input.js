// What is said of a job, in lines.
const about = job => {
  const places = [];
  for (let k = 0; k < blockCount && places.length < 6; k++) {
    if (blocks.job[k] === job) places.push(where(k));
  }
  const lines = [jobs.id[job], places.join(", ") + (places.length === 6 ? ", …" : ""), `runs ${moment(jobs.start[job])} – ${moment(jobs.end[job])}, for ${length(jobs.end[job] - jobs.start[job])}`];
  if (data.known) {
    const wait = jobs.start[job] - jobs.arrival[job];
    lines.push(wait > 0 ? `waited ${length(wait)}, from ${moment(jobs.arrival[job])}` : "did not wait");
  }
  if (isLate(job)) lines.push("late by " + length(jobs.end[job] - jobs.deadline[job]));
  else if (jobs.deadline[job] !== null) lines.push("meets its deadline, " + moment(jobs.deadline[job]));
  if (jobs.user[job] >= 0) lines.push("user " + data.users[jobs.user[job]]);
  if (jobs.after[job] >= 0) lines.push(`starts as ${jobs.id[jobs.after[job]]} ends on one of its processors`);
  if (jobs.why?.[job]) lines.push("why: " + jobs.why[job]);
  return lines;
};
const aboutTime = (x, y) => {
  const t = timeOf(x), inside = strip => strip && y >= strip.top && y <= strip.top + strip.height;
  const of = ({ p }, values, write) => {
    const k = Math.min(Math.max(Math.floor((t - p.from) / p.each), 0), p.n - 1);
    const lines = [`${moment(Math.max(t0, p.from + k * p.each))} – ${moment(Math.min(t1, p.from + (k + 1) * p.each))}`, write(total(values, k))];
    if (scheme.names) values.forEach((list, c) => { if (list[k] > 1e-9) lines.push(`${scheme.names[c]}: ${write(list[k])}`); });
    return lines;
  };
  if (waiting && inside(queue)) return of(waiting, waiting.values, v => `${number(Math.round(100 * v) / 100)} jobs wait`);
  const band = bands.findIndex(inside);
  if (band >= 0) {
    const one = tariffs[band], n = valueAt(one, t), until = one.from[n + 1] ?? last;
    return [`${moment(Math.max(one.from[n], first))} – ${moment(until)}`, `${one.name} ${number(one.value[n])}`];
  }
  const k = strips.findIndex(inside), span = load ? null : spanAt(x, y);
  if (span) return span.text.split("\n");
  return load && k >= 0 ? [clusters[k].id, ...of(load, load.values[k], v => percent(v) + " held")] : null;
};
const jobAt = (x, y) => {
  if (load || x < left) return -1;
  for (const k of seen()) {
    const [a, b, w, h] = box(k);
    if (x >= a - 0.5 && x <= a + Math.max(w, 1) + 0.5 && y >= b && y < b + Math.max(h, 1)) return blocks.job[k];
  }
  return -1;
};
const hideTip = () => { tip.hidden = true; };
const showTip = (lines, x, y) => {
  tip.textContent = lines.join("\n");
  tip.hidden = false;
  tip.style.left = Math.max(0, Math.min(x + 14, width - tip.offsetWidth - 4)) + "px";
  tip.style.top = (y + 18 + tip.offsetHeight > height ? Math.max(0, y - tip.offsetHeight - 10) : y + 18) + "px";
};
const choose = (job, bring = true) => {
  chosen = job;
  options.choosing?.(job < 0 ? "" : jobs.id[job]);
  says.textContent = job < 0 ? "" : about(job).join("; ");
  if (job >= 0 && bring && (jobs.end[job] < t0 || jobs.start[job] > t1 || load)) {
    // So near that the job is a few hundredths of the width, if the schedule allows that.
    const run = Math.max(jobs.end[job] - jobs.start[job], shortest), span = Math.min(t1 - t0, Math.max(25 * run, 60 * shortest));
    const middle = (jobs.start[job] + jobs.end[job]) / 2;
    show(middle - span / 2, middle + span / 2);
  }
  draw();
};

// Pointers: one drags, two pinch, none pressed hovers.
const pressed = new Map();
let dragged = 0;
const at = e => [e.offsetX, e.offsetY];
canvas.addEventListener("pointerdown", e => {
  pressed.set(e.pointerId, e.offsetX);
  canvas.setPointerCapture(e.pointerId);
  dragged = 0;
  canvas.classList.add("moving");
});
canvas.addEventListener("pointermove", e => {
  const [x, y] = at(e);
  if (pressed.has(e.pointerId)) {
    const before = pressed.get(e.pointerId), others = [...pressed].filter(([id]) => id !== e.pointerId);
    pressed.set(e.pointerId, x);
    dragged += Math.abs(x - before);
    if (others.length) {
      const other = others[0][1], old = Math.abs(before - other), now = Math.abs(x - other);
      if (old > 5 && now > 5) zoom(now / old, timeOf((x + other) / 2));
    } else if (dragged > 3) move((before - x) / (width - left - right));
    hideTip();
    return;
  }
  const job = jobAt(x, y), lines = job >= 0 ? about(job) : aboutTime(x, y);
  if (job !== under) { under = job; draw(); }
  if (lines && x >= left) showTip(lines, x, y); else hideTip();
});
const release = e => {
  pressed.delete(e.pointerId);
  if (!pressed.size) canvas.classList.remove("moving");
};
canvas.addEventListener("pointerup", e => {
  release(e);
  if (dragged <= 3 && !pressed.size) choose(jobAt(...at(e)), false);
});
canvas.addEventListener("pointercancel", release);
canvas.addEventListener("pointerleave", () => { under = -1; hideTip(); draw(); });
canvas.addEventListener("wheel", e => {
  e.preventDefault();
  hideTip();
  const unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1;
  if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) move(unit * (e.deltaX || e.deltaY) / 1000);
  else zoom(Math.exp(-unit * e.deltaY / 500), Math.min(Math.max(timeOf(e.offsetX), t0), t1));
}, { passive: false });

// Keys, when the chart has the focus.
const step = by => {
  if (!count) return;
  let next = 0;
  if (chosen >= 0) next = rank[chosen] + by;
  else while (next < count - 1 && jobs.start[order[next]] < t0) next++;
  choose(order[Math.min(Math.max(next, 0), count - 1)]);
};
const keys = {
  ArrowLeft: () => move(-0.15), ArrowRight: () => move(0.15), "+": () => zoom(1.6), "=": () => zoom(1.6), "-": () => zoom(1 / 1.6), "0": () => show(first, last),
  Home: () => show(first, first + t1 - t0), End: () => show(last - t1 + t0, last), ArrowDown: () => step(1), ArrowUp: () => step(-1),
  Enter: () => {
    if (chosen < 0) return;
    const run = Math.max(jobs.end[chosen] - jobs.start[chosen], shortest);
    show(Math.max(first, jobs.start[chosen] - run), Math.min(last, jobs.end[chosen] + run));
  },
  Escape: () => { choose(-1); hideTip(); },
};
canvas.addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || !Object.hasOwn(keys, e.key)) return;
  e.preventDefault();
  keys[e.key]();
});
element("in").addEventListener("click", () => zoom(1.6));
element("out").addEventListener("click", () => zoom(1 / 1.6));
element("back").addEventListener("click", () => move(-0.5));
element("on").addEventListener("click", () => move(0.5));
element("whole").addEventListener("click", () => show(first, last));
element("find").addEventListener("keydown", e => {
  const text = e.target.value.trim();
  if (e.key !== "Enter" || !text) return;
  let job = (jobs.id ?? []).indexOf(text);
  if (job < 0) job = (jobs.id ?? []).findIndex(id => id.startsWith(text));
  if (job < 0) says.textContent = `no job ${text} is placed`; else choose(job);
});

// The meanings of the colours.
const words = { job: "by job", user: "by user", wait: "by wait", late: "late or not" };
const showKey = () => {
  const list = element("key"), used = new Set(scheme.of);
  list.replaceChildren();
  const entry = (fill, name, late, path = "M1 1H21V11H1ZM11 11L21 1M5 11L15 1") => {
    const item = document.createElement("li"), space = "http://www.w3.org/2000/svg";
    const sample = document.createElementNS(space, "svg"), square = document.createElementNS(space, "rect");
    for (const [key, value] of [["width", "22"], ["height", "12"], ["fill", fill], ["stroke", "#6b7580"]]) square.setAttribute(key, value);
    sample.setAttribute("aria-hidden", "true");
    sample.append(square);
    if (late) {
      const line = document.createElementNS(space, "path");
      for (const [key, value] of [["d", path], ["fill", "none"], ["stroke", late], ["stroke-width", "1.5"]]) line.setAttribute(key, value);
      sample.append(line);
    }
    item.append(...(fill ? [sample] : []), name);
    list.append(item);
  };
  (scheme.names ?? []).forEach((name, k) => { if (used.has(k)) entry(scheme.fills[k], name); });
  if (!load && count && jobs.id.some((_, job) => isLate(job))) entry(scheme.fills[0], "late: hatched from its deadline on", inks().late);
  if (!load && spans.some(s => s.kind === "closed")) entry(inks().idle, "closed", inks().closed, "M1 11L11 1M8 11L18 1M15 11L21 5");
  if (!load && spans.some(s => s.kind === "alone")) entry(inks().idle, "a machine for one job alone", inks().mark, "M1 1H21V11H1Z");
  if (!load && spans.some(isState)) {
    entry(inks().idle, "idle");
    const named = new Map(spans.filter(isState).map(s => [s.holder, s]));
    [...named].slice(0, 6).forEach(([name, s]) => entry(offFill(s), name === "off" ? name : "off: " + name));
    if (spans.some(s => isState(s) && s.kind !== "off")) entry(inks().idle, "on the way down, and up", offFills[0], "M1 11H21L11 1Z");
  }
  if (load) entry("", `each column: the mean over ${length(load.p.each)}`);
  else if (!scheme.names) entry("", "each job has a colour unlike that of the jobs beside it");
};
for (const s of data.schemes ?? []) element("colour").add(new Option(words[s.by], s.by));
element("colour").addEventListener("change", e => {
  scheme = data.schemes.find(s => s.by === e.target.value);
  showKey();
  draw();
});
const label = () => { element("theme").textContent = isDark() ? "Light" : "Dark"; };
element("theme").addEventListener("click", () => { whole.dataset.theme = isDark() ? "light" : "dark"; label(); showKey(); draw(); });
system.addEventListener("change", () => { label(); showKey(); draw(); }, { signal: options.signal });
let laid = 0; // the width that the chart was laid out for
const sizes = new ResizeObserver(() => {
  if (laid === canvas.clientWidth) return; // as it begins
  laid = canvas.clientWidth;
  place();
  paint();
});
sizes.observe(element("stage"));
options.signal?.addEventListener("abort", () => sizes.disconnect());
label();
place();
laid = width;
if (!data.colour && isCrowded()) { // a load by wait says more than one in a single colour
  scheme = data.schemes?.find(s => s.by === "wait") ?? scheme;
  element("colour").value = scheme.by;
}
if (options.state) {
  scheme = data.schemes?.find(s => s.by === options.state.colour) ?? scheme;
  element("colour").value = scheme.by;
  chosen = (jobs.id ?? []).indexOf(options.state.chosen);
  if (options.state.times) show(...options.state.times);
}
paint();
