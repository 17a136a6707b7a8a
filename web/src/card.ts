/** One run on the page: its figures and its Gantt chart. */
import { askText } from "./assistant";
import { GanttChart } from "./chart";
import { h, pause } from "./dom";
import { EngineError } from "./engine";
import { number, percent } from "./figures";
import type { Raw } from "./raw";
import type { Run } from "./run";

const stops: Record<string, string> = { done: "done", time: "time is up", evaluations: "evaluations used up", cancelled: "stopped" };

/** What the solver found the last time. */
export interface Before { objective: number; gap: number | null }

export class Card {
  readonly element: HTMLElement;
  private readonly facts = h("p", { class: "facts" });
  private readonly note = h("p", { class: "note", hidden: true });
  private readonly stage = h("div", { class: "stage" });
  private readonly enlarge = h("button", { type: "button", class: "quiet", hidden: true, onclick: () => this.widen() }, "Enlarge");
  private readonly chart: GanttChart;
  private shown: Raw | null = null;
  private isDrawing = false;
  private next = 0; // when the chart may be drawn again
  private many = false;
  private isWide = false;

  constructor(readonly run: Run, tone: number, private readonly before: Before | undefined, choosing: (run: Run, job: string) => void) {
    this.chart = new GanttChart(this.stage, 460, (job) => choosing(run, job), `the schedule of ${run.label}`);
    this.element = h("article", { class: "card", "aria-label": `Schedule of ${run.label}` },
      h("div", { class: "line" }, h("h3", {}, h("span", { class: `tone tone-${tone}`, "aria-hidden": "true" }), run.label), this.facts, this.enlarge), this.note, this.stage);
  }

  /** Small, beside others. */
  beside(many: boolean): void {
    this.many = many;
    this.enlarge.hidden = !many;
    this.chart.resize(many ? 250 : 460, many);
  }

  /** Shows what the run has now, and how far it may be from the best. */
  update(known: number | null): void {
    const { run, before } = this, isOther = before !== undefined && run.objective !== undefined && run.objective !== before.objective;
    const state = run.state === "waiting" ? "waits for the engine" : run.state === "running" ? "runs" : run.state === "stopping" ? "stops" : run.state === "failed" ? isRefused(run.fault) ? "refuses the instance" : "failed" : run.status === "optimal" ? "optimal" : stops[run.stopped] ?? run.stopped;
    this.facts.replaceChildren(
      ...(run.objective === undefined ? [] : [h("span", {}, "objective ", h("strong", {}, number(run.objective)), isOther && ` (before: ${number(before.objective)})`), h("span", {}, "gap ", h("strong", {}, percent(known)), isOther && known !== null && ` (before: ${percent(before.gap)})`), ...(run.owed ? [h("span", {}, `leaves out ${run.owed} owed`)] : [])]),
      h("span", { class: run.over ? "" : "busy" }, state));
    const said = run.fault ? refusal(run.fault) : run.note || (run.over && !run.solution ? `No schedule: ${run.status}.` : "");
    this.note.hidden = !said;
    this.note.textContent = said;
    void this.draw();
  }

  close(): void {
    this.chart.close();
  }

  private widen(): void {
    this.isWide = !this.isWide;
    this.element.classList.toggle("wide", this.isWide);
    this.enlarge.textContent = this.isWide ? "Smaller" : "Enlarge";
    this.enlarge.setAttribute("aria-pressed", String(this.isWide));
    this.chart.resize(this.isWide ? 520 : 250, !this.isWide && this.many);
    this.shown = null;
    this.next = 0;
    void this.draw();
  }

  /** Draws the latest schedule. One picture at a time, and none sooner than several times the time that the last one took, so that the page stays free. */
  private async draw(): Promise<void> {
    const solution = this.run.solution;
    this.element.dataset.drawn = solution && solution === this.shown ? "latest" : "";
    if (!solution || solution === this.shown || this.isDrawing) return;
    const wait = this.run.over ? 0 : this.next - performance.now();
    if (wait > 0) {
      this.isDrawing = true;
      setTimeout(() => { this.isDrawing = false; void this.draw(); }, wait);
      return;
    }
    this.isDrawing = true;
    try {
      const answer = JSON.parse(await askText("draw", { instance: this.run.task.instance, solutions: [solution], format: "data" })) as { text: string };
      const begun = performance.now();
      await pause();
      const data: unknown = JSON.parse(answer.text);
      await pause();
      if (this.chart.show(data)) this.shown = solution;
      performance.mark("gantt"); // for whoever measures how soon it is there
      this.next = performance.now() + Math.max(this.many ? 900 : 400, 12 * (performance.now() - begun));
    } catch (fault) {
      this.shown = solution;
      this.note.hidden = false;
      this.note.textContent = `The schedule cannot be drawn: ${(fault as Error).message}`;
    } finally {
      this.isDrawing = false;
    }
    void this.draw();
  }
}

function isRefused(fault: Error | null): boolean {
  return fault instanceof EngineError && fault.code === "unsupported";
}

/** Why a run failed, in words. */
export function refusal(fault: Error): string {
  if (isRefused(fault)) return `This solver does not take the instance: ${fault.message}`;
  if (fault instanceof EngineError && fault.code === "input") return fault.message.replace(/^instance\./gm, "").split("\n").slice(0, 3).join("; ");
  return fault.message;
}
