// Machines and their devices as rows, the times in which machines are closed, off or on their way, and the machines that a job has to itself.
const withMachines = clusters.some(c => c.machines), withDevices = clusters.some(c => c.devices);
const spans = data.spans ?? [];
// The machine of a place in a cluster: the last that begins at it or above it.
const machineAt = (c, place) => {
  let low = 0, high = c.machines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (c.machines[middle].first <= place) low = middle; else high = middle - 1;
  }
  return c.machines[low];
};
// Where a block lies, for people.
const where = k => {
  const c = clusters[blocks.cluster[k]], first = blocks.first[k], last = blocks.last[k];
  if (!c.devices) return `${c.machines ? machineAt(c, first).id : c.id}: ${first}${last > first ? "-" + last : ""}`;
  const machine = machineAt(c, first), names = [];
  if (machine.rest) return machine.id;
  for (const row of machine.rows) {
    if (row.first > last || row.first + row.units <= first) continue;
    const before = names.at(-1);
    if (before && before.resource === row.resource) before.to = row.number;
    else names.push({ resource: row.resource, from: row.number, to: row.number });
  }
  const share = blocks.share[k] > 0 && blocks.share[k] < 1 ? percent(blocks.share[k]) + " of " : "";
  return machine.id + ": " + names.map(n => n.resource ? share + n.resource + " " + n.from + (n.to > n.from ? "-" + n.to : "") : "no device").join(", ");
};
const placeOfSpan = span => {
  const strip = strips[span.cluster], row = strip.height / tall(clusters[span.cluster]);
  const a = xOf(Math.max(span.start, t0)), b = xOf(Math.min(span.end ?? Infinity, t1));
  return [a, strip.top + row * span.first, b - a, row * (span.last - span.first + 1)];
};
const seenSpans = () => spans.filter(s => s.start < t1 && (s.end ?? Infinity) > t0);
// The last that covers a place: a reservation of one job lies over closed times.
const spanAt = (x, y) => {
  let found = null;
  for (const span of seenSpans()) {
    const [a, b, w, h] = placeOfSpan(span);
    if (x >= a && x <= a + w && y >= b && y < b + h) found = span;
  }
  return found;
};
// What lies behind the jobs of each machine, and its name.
const drawMachines = ink => {
  clusters.forEach((c, k) => {
    const strip = strips[k], row = strip.height / tall(c), apart = c.devices && row * 300 >= 0.5;
    pen.fillStyle = ink.idle;
    if (!apart) pen.fillRect(left, strip.top, width - left - right, strip.height);
    if (!c.machines) return;
    for (const m of c.machines) {
      const y = strip.top + row * m.first, h = row * m.units;
      if (apart) pen.fillRect(left, y, width - left - right, h);
    }
    pen.fillStyle = ink.paper;
    for (const m of c.machines) {
      if (!c.devices && m.first > 0 && row * m.units >= 3) pen.fillRect(left, strip.top + row * m.first - 0.5, width - left - right, 1);
      if (c.devices && row * 1000 >= 5) for (const r of m.rows.slice(1)) pen.fillRect(left, strip.top + row * r.first - 0.5, width - left - right, 1);
    }
    pen.font = font(10);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    let free = -Infinity;
    for (const m of c.machines) {
      const y = strip.top + row * m.first, h = row * m.units, at = y + Math.min(8, h / 2);
      if (at - free < 12) continue;
      pen.fillStyle = ink.ink;
      pen.fillText(fit(m.id, named), left - 6, at);
      free = at;
    }
  });
};
const hatched = (x, y, w, h) => {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, w, h);
  pen.clip();
  pen.beginPath();
  for (let sum = Math.ceil((x + y) / 8) * 8; sum < x + w + y + h; sum += 8) { pen.moveTo(sum - y, y); pen.lineTo(sum - y - h, y + h); }
  pen.stroke();
  pen.restore();
};
const drawClosed = ink => {
  pen.strokeStyle = ink.closed;
  pen.lineWidth = 1;
  for (const span of seenSpans()) {
    const [x, y, w, h] = placeOfSpan(span);
    if (span.kind !== "closed" || h < 1.5 || w < 1) continue;
    hatched(x, y, w, h);
    pen.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
  }
};
// A machine that is off is filled, one on its way as far as it has come.
const offFills = ["#64748b", "#475569", "#7d6b7d"];
const offFill = span => offFills[(span.number ?? 0) % offFills.length];
const isState = span => span.kind === "off" || span.kind === "down" || span.kind === "up";
const drawStates = () => {
  const labels = [];
  for (const span of seenSpans()) {
    if (!isState(span)) continue;
    let [x, y, w, h] = placeOfSpan(span);
    w = Math.max(w, 0.6);
    if (h < 1.5) continue;
    if (h >= 4) { y += 0.5; h -= 1; }
    pen.fillStyle = offFill(span);
    if (span.kind === "off") {
      pen.fillRect(x, y, w, h);
      if (h > 14 && w > 24) labels.push([span.holder, x, y, w, h]);
      continue;
    }
    pen.beginPath();
    pen.moveTo(x, y + h);
    pen.lineTo(span.kind === "down" ? x + w : x, y);
    pen.lineTo(x + w, y + h);
    pen.fill();
  }
  pen.font = font(11);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillStyle = "#ffffff";
  for (const [text, x, y, w, h] of labels) if (pen.measureText(text).width <= w - 6) pen.fillText(text, x + w / 2, y + h / 2);
};
const drawAlone = ink => {
  pen.strokeStyle = ink.mark;
  pen.lineWidth = 1.5;
  for (const span of seenSpans()) {
    const [x, y, w, h] = placeOfSpan(span);
    if (span.kind === "alone" && w >= 1.5 && h >= 1.5) pen.strokeRect(x + 0.75, y + 0.75, w - 1.5, h - 1.5);
  }
};
// What power costs, or emits, by time, above the machines.
const tariffs = data.tariffs ?? [], bandHeight = 36, bandGap = 8;
let bands = [];
const tariffInk = (t, ink) => t.kind === "carbon" ? ink.carbon : ink.price;
// The value that holds at a time.
const valueAt = (t, time) => {
  let low = 0, high = t.from.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (t.from[middle] <= time) low = middle; else high = middle - 1;
  }
  return low;
};
const drawTariffs = ink => {
  bands.forEach((band, b) => {
    const t = tariffs[b];
    let least = 0, most = 0;
    for (const v of t.value) { least = Math.min(least, v); most = Math.max(most, v); }
    const y = v => most > least ? band.top + band.height * (1 - 0.94 * (v / 2 - least / 2) / (most / 2 - least / 2)) : band.top + band.height;
    const area = new Path2D(), line = new Path2D(), begin = valueAt(t, t0);
    area.moveTo(left, y(0));
    let last = y(0);
    for (let k = begin; k < t.from.length && t.from[k] < t1; k++) {
      const x = xOf(Math.max(t.from[k], t0)), at = y(t.value[k]);
      area.lineTo(x, last);
      area.lineTo(x, at);
      if (k > begin) line.lineTo(x, last);
      if (k > begin) line.lineTo(x, at); else line.moveTo(x, at);
      last = at;
    }
    line.lineTo(xOf(t1), last);
    area.lineTo(xOf(t1), last);
    area.lineTo(xOf(t1), y(0));
    pen.fillStyle = tariffInk(t, ink) + "40";
    pen.fill(area);
    pen.strokeStyle = ink.quiet;
    pen.lineWidth = 1;
    if (least < 0) { pen.beginPath(); pen.moveTo(left, y(0)); pen.lineTo(xOf(t1), y(0)); pen.stroke(); }
    pen.strokeStyle = tariffInk(t, ink);
    pen.lineWidth = 1.5;
    pen.stroke(line);
  });
};
