/** Why a job runs where and when it does. */
import { ask } from "./assistant";
import { h, table, type Child } from "./dom";
import { length } from "./figures";
import type { Raw } from "./raw";

interface Explained {
  job: string;
  arrival: number;
  deadline?: number;
  placement?: { cluster: string; processors: string; start: number; end: number };
  reason?: string;
  free?: number;
  waits: { for: string; job: string; end: number }[];
  alternatives: { cluster: string; processors?: string; start?: number; end?: number; why?: string }[];
  reasons?: { time?: number; rule?: string; text?: string }[];
}

/** Asks about a job of a solution, and writes the answer for people. */
export async function explain(instance: Raw, solution: Raw, job: string, unit: string): Promise<HTMLElement> {
  const e = await ask<Explained>("explain", { instance, solution, job });
  const time = (t: number | undefined): string => t === undefined ? "–" : length(t, unit);
  const lines: Child[] = [];
  const p = e.placement;
  if (p) {
    lines.push(`Runs on ${p.cluster}, processors ${p.processors}, from ${time(p.start)} to ${time(p.end)}, for ${time(p.end - p.start)}.`);
    if (e.deadline !== undefined) lines.push(p.end > e.deadline ? `Late by ${time(p.end - e.deadline)}: its deadline is ${time(e.deadline)}.` : `Meets its deadline, ${time(e.deadline)}.`);
    if (e.waits.length) {
      lines.push(`It waits until just then for ${e.waits.slice(0, 6).map((w) => `${w.job} (${w.for})`).join(", ")}${e.waits.length > 6 ? ` and ${e.waits.length - 6} more` : ""}.`);
    } else if (p.start <= e.arrival) lines.push("It starts as it arrives.");
    if (e.free !== undefined && e.free < p.start) lines.push(`On its own processors it could have started at ${time(e.free)}.`);
  } else lines.push(`Left out: ${e.reason ?? "no reason is stated"}.`);
  for (const r of e.reasons ?? []) if (r.text ?? r.rule) lines.push(`The policy's rule: ${r.text ?? r.rule}.`);
  return h("div", {}, h("ul", {}, ...lines.map((line) => h("li", {}, line))),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Other places" }, table("Where it could run if all other jobs stayed where they are", ["cluster", "processors", "#start", "#end", "note"],
      e.alternatives.map((a) => [a.cluster, a.processors ?? "–", time(a.start), time(a.end), a.why ?? (p && a.cluster === p.cluster ? "here it runs" : "")]))));
}
