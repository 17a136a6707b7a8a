/** The objective and the bound of runs over time: how the gap closes. */
import { h, svg } from "./dom";
import { number } from "./figures";
import type { Run } from "./run";

const height = 170 /* as in page.css */, left = 62, right = 12, top = 12, foot = 24;

/** Draws the course of the runs into the host, so many pixels wide. */
export function drawCourse(host: HTMLElement, runs: Run[], bound: number | null, room: number): void {
  const curves = runs.map((run) => run.points.filter((p) => p.objective !== undefined));
  const values = curves.flat().map((p) => p.objective!);
  host.hidden = !values.length;
  if (!values.length) return;
  const width = Math.max(280, room);
  const latest = Math.max(0.05, ...runs.map((run) => run.elapsed));
  let low = Math.min(...values, bound ?? Infinity), high = Math.max(...values);
  const margin = (high - low) * 0.08 || Math.abs(high) * 0.05 || 1;
  low = low >= 0 ? Math.max(0, low - margin) : low - margin;
  high += margin;
  const x = (t: number): number => left + (width - left - right) * Math.min(1, t / latest);
  const y = (v: number): number => top + (height - top - foot) * (high - v) / (high - low);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": describe(runs, bound) });
  for (const v of ticks(low, high, 4)) {
    picture.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(v), y2: y(v) }), svg("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, number(v)));
  }
  for (const t of ticks(0, latest, 5)) {
    picture.append(svg("text", { x: x(t), y: height - 8, "text-anchor": t > latest * 0.95 ? "end" : "middle" }, `${number(t)} s`));
  }
  if (bound !== null) {
    picture.append(svg("line", { class: "bound", x1: left, x2: width - right, y1: y(bound), y2: y(bound) }), svg("text", { class: "bound", x: left + 4, y: y(bound) - 4 }, "bound"));
  }
  curves.forEach((points, k) => {
    const first = points[0];
    if (!first) return;
    let path = `M${x(first.elapsed)} ${y(first.objective!)}`;
    for (const p of points.slice(1)) path += `H${x(p.elapsed)}V${y(p.objective!)}`;
    picture.append(svg("path", { class: `curve tone-${k}`, d: path + `H${x(runs[k]!.over ? Math.max(runs[k]!.elapsed, latest) : runs[k]!.elapsed)}` }), svg("circle", { class: `dot tone-${k}`, cx: x(points.at(-1)!.elapsed), cy: y(points.at(-1)!.objective!), r: 3.5 }));
  });
  host.replaceChildren(h("h3", {}, "Objective and proved bound over time"), picture);
}

function ticks(low: number, high: number, most: number): number[] {
  const least = (high - low) / most, power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= least * (1 - 1e-9)) ?? 10);
  const list: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) list.push(Number((k * step).toPrecision(12)));
  return list;
}

function describe(runs: Run[], bound: number | null): string {
  return `Objective over time. ${runs.map((run) => `${run.label}: ${number(run.objective)}`).join("; ")}. Bound: ${number(bound)}.`;
}
