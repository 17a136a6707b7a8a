// What is shown: the times from t0 to t1, the meaning of the colours, and the jobs that are chosen and under the pointer.
const first = Math.min(data.first, data.last), last = data.last > data.first ? data.last : data.first + 1;
let t0 = data.start, t1 = data.end > data.start ? data.end : data.start + 1;
let scheme = (data.schemes ?? [])[0] ?? { by: "job", fills: ["#77aadd"], of: [] };
let chosen = -1, under = -1, width = 0, height = 0;
const shortest = Math.max((last - first) / 1e7, Number.EPSILON * 64 * Math.max(Math.abs(first), Math.abs(last)), 1e-300);
const show = (from, to) => {
  const span = Math.min(Math.max(to - from, shortest), last - first);
  from = Math.min(Math.max(from, first), last - span);
  t0 = from;
  t1 = from + span;
  hideTip(); // it speaks of what was there
  draw();
};
const zoom = (factor, at = (t0 + t1) / 2) => show(at - (at - t0) / factor, at + (t1 - at) / factor);
const move = share => show(t0 + share * (t1 - t0), t1 + share * (t1 - t0));

// Jobs by start, and blocks that end late: blocks are sorted by start, and latest[k] is the latest end of those up to the k-th.
const order = Array.from({ length: count }, (_, k) => k).sort((a, b) => jobs.start[a] - jobs.start[b] || a - b);
const rank = new Int32Array(count);
order.forEach((job, k) => { rank[job] = k; });
const latest = new Float64Array(blockCount);
for (let k = 0, most = -Infinity; k < blockCount; k++) latest[k] = most = Math.max(most, blocks.end[k]);
const firstSeen = () => {
  let low = 0, high = blockCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (latest[middle] < t0) low = middle + 1; else high = middle;
  }
  return low;
};
function* seen() {
  for (let k = firstSeen(); k < blockCount && blocks.start[k] <= t1; k++) if (blocks.end[k] >= t0) yield k;
}

// Places on the canvas.
const counted = (n, word) => `${number(n)} ${word}${n === 1 ? "" : "s"}`;
const holds = c => c.devices ? counted(c.devices, "device") : counted(c.processors, "processor");
const tall = c => c.units ?? c.processors; // in places
const rowCount = c => c.devices ? c.units / 1000 : c.processors;
const sampled = list => list.filter((_, k) => k % Math.ceil(list.length / 500) === 0);
let left = 90, named = 0, strips = [], queue = null;
const right = 10, foot = 26;
// The room of what stands above the machines.
const above = () => (data.tariffs ?? []).length * (bandHeight + bandGap);
const place = () => {
  width = canvas.clientWidth;
  const wanted = clusters.reduce((sum, c) => sum + Math.max(26, Math.min((c.devices ? 16 : 24) * rowCount(c), c.devices ? 1500 : 700)), 0) + (data.known ? 130 : 0) + above() + foot;
  // Rows of devices are many: the page may be longer than the window for them, unless they are so many that this would not help.
  const needed = clusters.reduce((sum, c) => sum + (c.devices ? 5.5 * rowCount(c) : 0), 0), long = needed < 1400 ? needed : 0;
  height = Math.max(Math.min(options.tallest ?? 260, 260), Math.min(wanted, Math.max(options.tallest ? 0 : 360, options.tallest ?? innerHeight - 230, long && long + (data.known ? 130 : 0) + above() + foot)), clusters.length * 16 + foot);
  const dots = devicePixelRatio || 1;
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * dots);
  canvas.height = Math.round(height * dots);
  pen.setTransform(dots, 0, 0, dots, 0, 0);
  pen.font = font(11);
  const widest = clusters.reduce((most, c) => Math.max(most, pen.measureText(holds(c)).width), 0);
  const told = (data.tariffs ?? []).flatMap(t => t.notes).reduce((most, note) => Math.max(most, pen.measureText(note).width), 0);
  left = width < 600 ? Math.max(62, Math.min(Math.ceil(widest) + 9, 0.3 * width)) : Math.max(110, Math.min(150, Math.ceil(told) + 12));
  named = clusters.reduce((most, c) => sampled(c.machines ?? []).reduce((most, m) => Math.max(most, pen.measureText(m.id).width), most), 0);
  named = Math.min(Math.ceil(named), 0.15 * width);
  if (named) left += named + (width < 600 ? 0 : 6);
  const tall = data.known ? Math.min(110, Math.round(0.25 * height)) : 0;
  queue = data.known ? { top: height - foot - tall, height: tall } : null;
  const over = above() <= 0.4 * (height - foot - tall) ? above() : 0;
  bands = over ? tariffs.map((_, k) => ({ top: k * (bandHeight + bandGap), height: bandHeight })) : [];
  const end = height - foot - over - (queue ? tall + 12 : 0), gap = clusters.length > 1 ? Math.min(8, end / clusters.length / 4) : 0;
  const room = end - gap * (clusters.length - 1), all = clusters.reduce((sum, c) => sum + rowCount(c), 0);
  const least = Math.min(22, room / Math.max(clusters.length, 1)), free = room - least * clusters.length;
  let top = over;
  strips = clusters.map(c => {
    const strip = { top, height: least + free * rowCount(c) / all };
    top += strip.height + gap;
    return strip;
  });
};
const xOf = t => left + (t - t0) / (t1 - t0) * (width - left - right);
const timeOf = x => t0 + (x - left) / (width - left - right) * (t1 - t0);
const box = k => {
  const strip = strips[blocks.cluster[k]], row = strip.height / tall(clusters[blocks.cluster[k]]);
  let a = xOf(Math.max(blocks.start[k], t0)), b = xOf(Math.min(blocks.end[k], t1));
  if (blocks.start[k] === blocks.end[k]) { a -= 0.75; b = a + 1.5; }
  return [a, strip.top + row * blocks.first[k], b - a, row * (blocks.last[k] - blocks.first[k] + 1)];
};

// Ticks at whole minutes, hours and days where the unit is known, else at round numbers.
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200];
const round = least => {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find(m => m * power >= least * (1 - 1e-9)) ?? 10);
};
const stepOf = least => {
  const seconds = least * data.second;
  if (!(seconds > 0.1 && seconds < 1e11)) return round(least);
  return (steps.find(s => s >= seconds) ?? 86400 * round(Math.max(seconds / 86400, 1))) / data.second;
};
const tickLabel = (t, step) => {
  const seconds = t * data.second, fine = step * data.second;
  if (t === 0) return "0";
  if (seconds >= 48 * 3600 - 30 && fine < 3600 || seconds >= 3600 && fine < 60) { // a length states two units; this needs more
    const whole = Math.round(seconds), two = x => String(x).padStart(2, "0");
    const clock = `${two(Math.floor(whole % 86400 / 3600))}:${two(Math.floor(whole % 3600 / 60))}` + (fine < 60 ? ":" + two(whole % 60) : "");
    return whole >= 86400 ? `${Math.floor(whole / 86400)} d ${clock}` : clock;
  }
  return length(t);
};
