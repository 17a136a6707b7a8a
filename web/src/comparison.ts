/** The table that compares runs of one instance. */
import { h, type Child } from "./dom";
import { gap, number, percent } from "./figures";
import type { Run } from "./run";

/** Metrics that the table shows beside the objective, where the runs have them; of all less is better. */
const metrics: { name: string; title: string }[] = [
  { name: "makespan", title: "makespan" }, { name: "missed", title: "late jobs" }, { name: "mean_wait", title: "mean wait" }, { name: "cost", title: "cost" },
  { name: "qos_penalty", title: "QoS penalty" },
];

/** The greatest bound that one of the runs, or somebody else, has proved: it holds for all. */
export function sharedBound(runs: Run[], proved: number | null): number | null {
  const list = [proved, ...runs.map((run) => run.bound)].filter((b): b is number => typeof b === "number");
  return list.length ? Math.max(...list) : null;
}

export function comparison(runs: Run[], proved: number | null): HTMLElement {
  const bound = sharedBound(runs, proved);
  const columns: { title: string; of: (run: Run) => number | undefined; write?: (x: number | undefined) => string; plain?: boolean }[] = [
    { title: "objective", of: (run) => run.objective, write: short },
    { title: "gap", of: (run) => gap(run.objective, bound) ?? undefined, write: percent },
    ...(runs.length > 1 ? [{ title: "RPD", of: (run: Run) => deviation(run, runs), write: percent }] : []),
    ...metrics.filter((m) => runs.some((run) => figure(run, m.name) && figure(run, m.name) !== run.objective)).map((m) => ({ title: m.title, of: (run: Run) => figure(run, m.name), write: short })),
    { title: "evaluations", of: (run) => run.evaluations || undefined, plain: true },
    { title: "found after, s", of: (run) => run.found === undefined ? undefined : Number(run.found.toPrecision(2)), plain: true },
  ];
  const best = columns.map((column) => {
    const values = runs.map(column.of).filter((v): v is number => v !== undefined);
    return runs.length < 2 || column.plain || !values.length || values.every((v) => v === values[0]) ? NaN : Math.min(...values);
  });
  const order = [...runs.keys()].sort((a, b) => (runs[a]!.objective ?? Infinity) - (runs[b]!.objective ?? Infinity) || a - b);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Comparison" }, h("table", { id: "comparison" },
    h("caption", {}, bound === null ? "No bound is known yet" : `No schedule is better than the bound ${number(bound)}: that is proved.${runs.length > 1 ? " Less is better; * is the best of its column. RPD is how far the objective is above the best one here" : " Less is better"}`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "solver"), ...columns.map((c) => h("th", { scope: "col", class: "number" }, c.title)))),
    h("tbody", {}, ...order.map((at) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: `tone tone-${at}`, "aria-hidden": "true" }), runs[at]!.label), ...columns.map((column, k): Child => {
      const value = column.of(runs[at]!), text = (column.write ?? number)(value);
      return h("td", { class: value !== undefined && value === best[k] ? "number best" : "number" }, text + (value !== undefined && value === best[k] ? "*" : ""));
    }))))));
}

/** Five figures: enough to tell schedules apart. */
function short(x: number | undefined): string {
  return number(x === undefined ? x : Number(x.toPrecision(5)));
}

function figure(run: Run, name: string): number | undefined {
  const value = run.head.metrics?.[name];
  return typeof value === "number" ? value : undefined;
}

/** How far a run is above the best objective found, in per cent. */
function deviation(run: Run, runs: Run[]): number | undefined {
  const best = Math.min(...runs.map((one) => one.objective ?? Infinity));
  return run.objective !== undefined && best > 0 ? 100 * (run.objective - best) / best : undefined;
}
