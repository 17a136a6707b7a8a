// The load: means over equal periods, of the processors or devices that each class of jobs holds and of the jobs that wait.
const classes = () => scheme.names ? scheme.fills.length : 1;
const classOf = job => scheme.names ? scheme.of[job] : 0;
const periods = () => {
  const each = stepOf((t1 - t0) / Math.max(1, (width - left - right) / 5));
  const from = data.zero + Math.floor((t0 - data.zero) / each) * each;
  return { from, each, n: Math.max(1, Math.ceil((t1 - from) / each)) };
};
const sums = p => ({ p, ends: new Float64Array(p.n + 2), whole: new Float64Array(p.n + 2) });
const add = (s, from, to, weight) => {
  const a = (Math.max(from, t0) - s.p.from) / s.p.each, b = (Math.min(to, t1) - s.p.from) / s.p.each;
  if (!(b > a)) return;
  const i = Math.floor(a), k = Math.floor(b);
  if (i === k) { s.ends[i] += (b - a) * weight; return; }
  s.ends[i] += (i + 1 - a) * weight;
  s.ends[k] += (b - k) * weight;
  s.whole[i + 1] += weight;
  s.whole[k] -= weight;
};
const means = s => {
  const values = new Float64Array(s.p.n);
  for (let k = 0, weight = 0; k < s.p.n; k++) {
    weight += s.whole[k];
    const shown = (Math.min(t1, s.p.from + (k + 1) * s.p.each) - Math.max(t0, s.p.from + k * s.p.each)) / s.p.each;
    values[k] = shown > 1e-9 ? Math.max(0, s.ends[k] + weight) / shown : 0;
  }
  return values;
};
let load = null, waiting = null;
const computeWaiting = () => {
  const p = periods(), list = Array.from({ length: classes() }, () => sums(p));
  for (let job = 0; job < count; job++) if (jobs.arrival[job] < t1 && jobs.start[job] > t0) add(list[classOf(job)], jobs.arrival[job], jobs.start[job], 1);
  return { p, values: list.map(means) };
};
const shareOf = k => {
  const c = clusters[blocks.cluster[k]];
  return c.devices ? blocks.weight[k] / c.devices : (blocks.last[k] - blocks.first[k] + 1) / c.processors;
};
const computeLoad = () => {
  const p = periods(), list = clusters.map(() => Array.from({ length: classes() }, () => sums(p)));
  for (const k of seen()) add(list[blocks.cluster[k]][classOf(blocks.job[k])], blocks.start[k], blocks.end[k], shareOf(k));
  return { p, values: list.map(one => one.map(means)) };
};
const total = (values, k) => values.reduce((sum, list) => sum + list[k], 0);
const columns = (strip, { p }, values, most) => {
  const base = strip.top + strip.height, top = new Float64Array(p.n);
  for (const list of values) list.forEach((value, k) => { top[k] += value; });
  for (let c = values.length - 1; c >= 0; c--) { // the highest first: no gap shows between the classes
    pen.fillStyle = scheme.fills[c];
    for (let k = 0; k < p.n; k++) {
      if (top[k] > 1e-9) {
        const a = Math.round(xOf(Math.max(t0, p.from + k * p.each))), b = Math.round(xOf(Math.min(t1, p.from + (k + 1) * p.each)));
        const y = strip.height * Math.min(top[k] / most, 1);
        pen.fillRect(a, base - y, b - a, y);
      }
      top[k] -= values[c][k];
    }
  }
};
