/** The results: runs side by side, with the Gantt chart of each, the table and the course. */
import { Card, type Before } from "./card";
import { comparison, gapOf, sharedBound } from "./comparison";
import { drawCourse } from "./course";
import { h, part, say } from "./dom";
import { explain } from "./explain";
import { exportMenu } from "./exports";
import { number, percent } from "./figures";
import { give, take } from "./pool";
import type { Raw } from "./raw";
import { Run, type Task } from "./run";

export class Board {
  runs: Run[] = [];
  private cards: Card[] = [];
  private proved: number | null = null; // by the operation bound
  private text = "";
  private round = 0;
  private timer = 0;
  private exported = 0;
  private width = 640;
  private told = ""; // what the table shows
  private readonly before = new Map<string, Before>();

  constructor(private readonly changed: () => void) {
    new ResizeObserver((sizes) => { // the course is drawn for a width
      const now = Math.floor(sizes[0]!.contentRect.width);
      if (now === this.width) return;
      this.width = now;
      this.showCourse();
    }).observe(part("results"));
  }

  get busy(): boolean { return this.runs.some((run) => !run.over); }

  /** Whether what is shown belongs to the text. */
  belongs(text: string): boolean { return !this.runs.length || text === this.text; }

  /** Runs the tasks, all at once, each in a worker. What ran before is ended. */
  async start(tasks: Task[], text: string): Promise<void> {
    const round = ++this.round;
    for (const run of this.runs) {
      if (run.objective !== undefined) this.before.set(run.label, { objective: run.objective, gap: gapOf(run, this.runs, this.proved) });
      run.abandon();
    }
    this.cards.forEach((card) => card.close());
    this.text = text;
    this.proved = null;
    this.exported = 0;
    part("explained").hidden = true;
    const names = tasks.map((task) => new Run(task, "", () => undefined).name);
    this.runs = tasks.map((task, k) => new Run(task, names.indexOf(names[k]!) === k ? names[k]! : `${names[k]} (${k + 1})`, () => { if (round === this.round) this.refresh(); }));
    this.cards = this.runs.map((run, k) => new Card(run, k, this.before.get(run.label), (of, job) => void this.tell(of, job)));
    this.cards.forEach((card) => card.beside(this.runs.length > 1));
    part("cards").className = this.runs.length > 1 ? "many" : "one";
    part("cards").replaceChildren(...this.cards.map((card) => card.element));
    this.update();
    await Promise.all(this.runs.map(async (run) => {
      const engine = take();
      await run.start(engine);
      give(engine);
    }));
    if (round !== this.round) return;
    this.update();
    await this.prove(tasks[0]!.instance, round);
    if (round === this.round) say(this.runs.map((run) => run.fault ? `${run.label} failed` : `${run.label}: objective ${number(run.objective)}, gap ${percent(gapOf(run, this.runs, this.proved))}`).join("; "));
  }

  /** Stops all runs, which then give their best. */
  stop(): void {
    this.runs.forEach((run) => run.stop());
  }

  /** Proves a bound where no run has. */
  private async prove(instance: Raw, round: number): Promise<void> {
    if (sharedBound(this.runs, null) !== null || !this.runs.some((run) => run.solution)) return;
    const engine = take();
    try {
      const found = await engine.call<{ bound?: number; owed?: number }>("bound", { instance, time: 2 });
      if (round === this.round && found.bound !== undefined && !found.owed) this.proved = found.bound;
    } catch { /* none is known: unknown is allowed */ }
    give(engine);
    if (round === this.round) this.update();
  }

  /** Shows soon what has changed, not more often than the eye follows. */
  private refresh(): void {
    if (!this.timer) this.timer = window.setTimeout(() => this.update(), 200);
  }

  private update(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.cards.forEach((card, k) => card.update(gapOf(this.runs[k]!, this.runs, this.proved)));
    setTimeout(() => this.showCourse()); // in a task of its own, so that the page answers in between
    setTimeout(() => this.showTable());
    this.showExports();
    this.changed();
  }

  private showCourse(): void {
    drawCourse(part("course"), this.runs, sharedBound(this.runs, this.proved), this.width);
  }

  private showTable(): void {
    const host = part("table"), made = comparison(this.runs, this.proved), text = made.textContent ?? "";
    if (text === this.told && host.firstChild) return;
    this.told = text;
    const scrolled = host.querySelector(".scroll")?.scrollLeft ?? 0, focused = host.contains(document.activeElement);
    host.replaceChildren(made);
    if (scrolled) made.scrollLeft = scrolled;
    if (focused) made.focus({ preventScroll: true });
  }

  private showExports(): void {
    const host = part("exports"), ready = this.runs.filter((run) => run.over && run.solution);
    host.hidden = !ready.length;
    const state = `${this.round} ${ready.map((run) => run.label).join()} ${this.exported}`;
    if (!ready.length || host.dataset.of === state) return;
    host.dataset.of = state;
    const run = ready[Math.min(this.exported, ready.length - 1)]!;
    const select = h("select", { "aria-label": "Schedule to export", onchange: () => { this.exported = select.selectedIndex; this.showExports(); } }, ...ready.map((one) => h("option", { selected: one === run }, one.label)));
    part("export-body").replaceChildren(ready.length > 1 ? select : "", exportMenu(run, () => this.text));
  }

  private async tell(run: Run, job: string): Promise<void> {
    const panel = part("explained"), round = this.round;
    if (!job || !run.solution) {
      panel.hidden = true;
      return;
    }
    const unit = /"units"\s*:\s*\{[^}]*"time"\s*:\s*"([^"\\]*)"/.exec(this.text)?.[1] ?? "";
    let answer: Node;
    try {
      answer = await explain(run.task.instance, run.solution, job, unit);
    } catch (fault) {
      answer = h("p", { class: "note" }, (fault as Error).message);
    }
    if (round !== this.round) return;
    panel.hidden = false;
    panel.replaceChildren(h("div", { class: "line" }, h("h3", {}, `Why ${job} runs there, by ${run.label}`), h("button", { type: "button", class: "quiet", "aria-label": "Close the explanation", onclick: () => { panel.hidden = true; } }, "×")), answer);
    panel.scrollIntoView({ block: "nearest" });
  }
}
