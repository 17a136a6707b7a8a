// Jobs are shown one by one where most of what they hold can be seen; elsewhere their load is.
const isCrowded = () => {
  if (data.view !== "auto") return data.view === "load" && t1 - t0 > 0.9 * (last - first);
  let clear = 0, all = 0, n = 0;
  for (const k of seen()) {
    if (++n > 6000) return true;
    const [, , w, h] = box(k);
    all += w * h;
    if (w >= 2) clear += w * h;
  }
  return n > 800 && clear < all / 2;
};
const isLate = job => jobs.deadline[job] !== null && jobs.end[job] > jobs.deadline[job];
const letters = fill => { // dark or light, whichever has more contrast
  const [r, g, b] = [1, 3, 5].map(k => parseInt(fill.slice(k, k + 2), 16) / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return 1.05 / (light + 0.05) > (light + 0.05) / 0.065 ? "#ffffff" : "#1c2128";
};
const drawJobs = ink => {
  const labels = [], late = [];
  for (const k of seen()) {
    const job = blocks.job[k], [x, y, w, h] = box(k);
    pen.fillStyle = scheme.fills[scheme.of[job]];
    pen.fillRect(x, y, Math.max(w, 0.6), Math.max(h, 0.6));
    if (w > 3 && h > 3) {
      pen.strokeStyle = ink.edge;
      pen.lineWidth = 1;
      pen.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
    }
    if (isLate(job)) late.push([job, x, y, w, h]);
    if (w > 18 && h > 10) labels.push([job, x, y, w, h]);
  }
  pen.strokeStyle = ink.late;
  pen.lineWidth = 1.5;
  for (const [job, x, y, w, h] of late) {
    if (w < 4 || h < 4) { pen.fillStyle = ink.late; pen.fillRect(x + Math.max(w - 2, 0), y, Math.min(w, 2), h); continue; }
    pen.strokeRect(x + 0.75, y + 0.75, w - 1.5, h - 1.5);
    const from = Math.min(Math.max(xOf(jobs.deadline[job]), x), x + w);
    pen.save();
    pen.beginPath();
    pen.rect(from, y, x + w - from, h);
    pen.clip();
    pen.globalAlpha = 0.5;
    pen.lineWidth = 1;
    pen.beginPath();
    for (let sum = Math.ceil((from + y) / 8) * 8; sum < x + w + y + h; sum += 8) { pen.moveTo(sum - y, y); pen.lineTo(sum - y - h, y + h); }
    pen.stroke();
    pen.restore();
  }
  pen.font = font(11);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const [job, x, y, w, h] of labels) {
    const text = jobs.id[job];
    if (text.length > 40 || pen.measureText(text).width > w - 6) continue;
    pen.fillStyle = letters(scheme.fills[scheme.of[job]]);
    pen.fillText(text, x + w / 2, y + h / 2);
  }
};
const outline = (job, ink, wide) => {
  pen.strokeStyle = ink.mark;
  pen.lineWidth = wide;
  for (const k of seen()) {
    if (blocks.job[k] !== job) continue;
    const [x, y, w, h] = box(k);
    pen.strokeRect(x - 0.5, y - 0.5, Math.max(w, 2) + 1, Math.max(h, 2) + 1);
  }
};

const fit = (text, room) => {
  while (text && pen.measureText(text).width > room) text = text.slice(0, text.endsWith("…") ? -2 : -1) + "…";
  return text === "…" ? "" : text;
};
const names = (strip, title, notes, ink) => {
  pen.textAlign = "left";
  pen.textBaseline = "alphabetic";
  pen.fillStyle = ink.ink;
  pen.font = "bold " + font(12);
  const room = left - 8 - (named && named + 6);
  pen.fillText(fit(title, room), 0, strip.top + Math.min(12, strip.height / 2 + 4));
  pen.font = font(11);
  pen.fillStyle = ink.quiet;
  notes.forEach((note, k) => { if (26 + 14 * k < strip.height) pen.fillText(fit(note, room), 0, strip.top + 26 + 14 * k); });
};
const axis = ink => {
  const step = stepOf((t1 - t0) / Math.max(2, (width - left - right) / 95));
  pen.font = font(11);
  pen.textBaseline = "alphabetic";
  pen.textAlign = "center";
  let free = 0;
  for (let n = Math.ceil((t0 - data.zero) / step - 1e-9), i = 0; n * step <= t1 - data.zero + 1e-9 * step && i < 200; n++, i++) {
    const x = Math.round(xOf(data.zero + n * step)) - 0.5, label = tickLabel(n * step, step), half = pen.measureText(label).width / 2;
    pen.strokeStyle = ink.line;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, 0);
    pen.lineTo(x, height - foot + 4);
    pen.stroke();
    const at = Math.min(Math.max(x, half), width - half);
    if (at - half < free) continue;
    free = at + half + 8;
    pen.fillStyle = ink.quiet;
    pen.fillText(label, at, height - foot + 18);
  }
};
let keyOf = null; // what the key was made for
const paint = () => {
  const ink = inks(), wide = width - left - right;
  pen.clearRect(0, 0, width, height);
  load = isCrowded() ? computeLoad() : null;
  if (withMachines && !load) drawMachines(ink);
  pen.fillStyle = ink.idle;
  if (!withMachines || load) for (const strip of strips) pen.fillRect(left, strip.top, wide, strip.height);
  if (queue) pen.fillRect(left, queue.top, wide, queue.height);
  pen.fillStyle = ink.idle;
  for (const band of bands) pen.fillRect(left, band.top, wide, band.height);
  const shown = load ? length(load.p.each) : "jobs";
  if (shown !== keyOf) { keyOf = shown; showKey(); }
  if (!load) axis(ink);
  pen.save();
  pen.beginPath();
  pen.rect(left, 0, wide, height - foot);
  pen.clip();
  if (load) strips.forEach((strip, k) => columns(strip, load, load.values[k], 1)); else { drawClosed(ink); drawStates(); drawJobs(ink); drawAlone(ink); }
  drawTariffs(ink);
  waiting = queue ? computeWaiting() : null;
  let most = 1;
  if (waiting) {
    for (let k = 0; k < waiting.p.n; k++) most = Math.max(most, total(waiting.values, k));
    columns(queue, waiting, waiting.values, 1.04 * most);
  }
  if (under >= 0) outline(under, ink, 2);
  if (chosen >= 0) outline(chosen, ink, 3);
  pen.restore();
  if (load) axis(ink);
  clusters.forEach((c, k) => names(strips[k], c.id, [...(c.machines ? [counted(c.machines.filter(m => !m.rest).length, "machine")] : []), holds(c), ...(load ? ["top: 100 %"] : [])], ink));
  bands.forEach((band, k) => names(band, tariffs[k].name, tariffs[k].notes, ink));
  if (queue) names(queue, "waiting", ["top: " + number(Math.round(100 * most) / 100)], ink);
  if (!count) { pen.fillStyle = ink.quiet; pen.textAlign = "center"; pen.fillText("no jobs placed", left + wide / 2, height / 2); }
  Object.assign(canvas.dataset, { mode: load ? "load" : "jobs", from: t0, to: t1, chosen: chosen < 0 ? "" : jobs.id[chosen] });
};
let asked = false;
function draw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; paint(); });
}
