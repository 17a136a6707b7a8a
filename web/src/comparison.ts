/** The table that compares runs of one instance. */
import { h, type Child } from "./dom";
import { gap, number, percent } from "./figures";
import type { Run } from "./run";

/** Metrics that the table shows beside the objective, where the runs have them; of all less is better. */
const metrics: { name: string; title: string }[] = [
  { name: "makespan", title: "makespan" }, { name: "missed", title: "late jobs" }, { name: "mean_wait", title: "mean wait" }, { name: "cost", title: "cost" },
  { name: "qos_penalty", title: "QoS penalty" },
];

/** The greatest bound that one of the runs, or somebody else, has proved, of schedules that owe no more jobs than all have to: it holds for all of these. */
export function sharedBound(runs: Run[], proved: number | null): number | null {
  const owed = leastOwed(runs);
  const list = [owed ? null : proved, ...runs.filter((run) => run.leastOwed === owed).map((run) => run.bound)].filter((b): b is number => typeof b === "number");
  return list.length ? Math.max(...list) : null;
}

/** Jobs that every schedule owes at least, as far as one of the runs has proved. */
function leastOwed(runs: Run[]): number {
  return Math.max(0, ...runs.map((run) => run.leastOwed));
}

/** How far the objective of a run may be from the best, in per cent; null: that is not known, as of a schedule that leaves out more jobs than it has to. */
export function gapOf(run: Run, runs: Run[], proved: number | null): number | null {
  return run.owed > leastOwed(runs) ? null : gap(run.objective, sharedBound(runs, proved));
}

export function comparison(runs: Run[], proved: number | null): HTMLElement {
  const bound = sharedBound(runs, proved);
  const columns: { title: string; of: (run: Run) => number | undefined; write?: (x: number | undefined) => string; plain?: boolean }[] = [
    { title: "objective", of: (run) => run.objective, write: short },
    { title: "gap", of: (run) => gapOf(run, runs, proved) ?? undefined, write: percent },
    ...(runs.some((run) => run.owed) ? [{ title: "left out", of: (run: Run) => run.objective === undefined ? undefined : run.owed }] : []),
    ...(runs.length > 1 ? [{ title: "RPD", of: (run: Run) => deviation(run, runs), write: percent }] : []),
    ...metrics.filter((m) => runs.some((run) => figure(run, m.name) && figure(run, m.name) !== run.objective)).map((m) => ({ title: m.title, of: (run: Run) => figure(run, m.name), write: short })),
    { title: "evaluations", of: (run) => run.evaluations || undefined, plain: true },
    { title: "found after, s", of: (run) => run.found === undefined ? undefined : Number(run.found.toPrecision(2)), plain: true },
  ];
  const fewest = fewestOwed(runs); // the best of a column is one of the schedules that leave out the fewest
  const best = columns.map((column) => {
    const values = runs.filter((run) => run.owed === fewest).map(column.of).filter((v): v is number => v !== undefined);
    return values.length < 2 || column.plain || values.every((v) => v === values[0]) ? NaN : Math.min(...values);
  });
  const order = [...runs.keys()].sort((a, b) => runs[a]!.owed - runs[b]!.owed || (runs[a]!.objective ?? Infinity) - (runs[b]!.objective ?? Infinity) || a - b);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Comparison" }, h("table", { id: "comparison" },
    h("caption", {}, bound === null ? "No bound is known yet" : `No schedule is better than the bound ${number(bound)}: that is proved.${runs.length > 1 ? " Less is better; * is the best of its column, of the schedules that leave out the fewest jobs. RPD is how far the objective is above the best one here" : " Less is better"}`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "solver"), ...columns.map((c) => h("th", { scope: "col", class: "number" }, c.title)))),
    h("tbody", {}, ...order.map((at) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: `tone tone-${at}`, "aria-hidden": "true" }), runs[at]!.label), ...columns.map((column, k): Child => {
      const value = column.of(runs[at]!), text = (column.write ?? number)(value);
      const isBest = value !== undefined && value === best[k] && runs[at]!.owed === fewest;
      return h("td", { class: isBest ? "number best" : "number" }, text + (isBest ? "*" : ""));
    }))))));
}

/** The fewest jobs that a schedule here leaves out although it owes them. */
function fewestOwed(runs: Run[]): number {
  return Math.min(...runs.filter((run) => run.objective !== undefined).map((run) => run.owed));
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
  const fewest = fewestOwed(runs), best = Math.min(...runs.filter((one) => one.owed === fewest).map((one) => one.objective ?? Infinity));
  return run.objective !== undefined && run.owed === fewest && best > 0 ? 100 * (run.objective - best) / best : undefined;
}
