/** A Gantt chart in the page: the one of allot gantt's page, in a shadow root of its own. */
import { body, gantt, style, type Chart } from "allot:gantt";
import { onTheme } from "./theme";

const charts = new Set<GanttChart>();
onTheme(() => charts.forEach((one) => one.repaint()));

const sheets = (() => {
  const own = new CSSStyleSheet(), here = new CSSStyleSheet();
  own.replaceSync(style);
  here.replaceSync(":host { display: block; } #theme { display: none; } #bar { margin-bottom: 0.4rem; } #says { display: none; } :host(.small) #bar, :host(.small) details, :host(.small) #key { display: none; }");
  return [own, here];
})();

/** The elements of a chart, read once. */
const elements = new DOMParser().parseFromString(body, "text/html").body;

export class GanttChart {
  private readonly root: ShadowRoot;
  private chart: Chart | undefined;
  private life = new AbortController();

  /** The chart fills the host. Whoever made it is told which job is chosen. */
  constructor(private readonly host: HTMLElement, private tallest: number, private readonly choosing: (job: string) => void, private readonly name: string) {
    this.root = host.attachShadow({ mode: "open" });
    this.root.adoptedStyleSheets = sheets;
    charts.add(this);
  }

  /** Shows a schedule; the view, the colours and the job that is chosen stay. Whether it was shown: not while somebody drags the chart. */
  show(data: unknown): boolean {
    if (this.chart?.isHeld()) return false;
    const state = this.chart?.state(), focus = this.root.activeElement?.id;
    this.life.abort();
    this.life = new AbortController();
    this.root.replaceChildren(...(document.importNode(elements, true)).childNodes);
    this.root.getElementById("chart")?.setAttribute("aria-label", `Gantt chart of ${this.name}`);
    let quiet = true; // what is chosen as the chart begins is known already
    this.chart = gantt(this.root, data, { tallest: this.tallest, signal: this.life.signal, choosing: (job) => { if (!quiet) this.choosing(job); }, ...(state ? { state } : {}) });
    quiet = false;
    if (focus) this.root.getElementById(focus)?.focus({ preventScroll: true });
    return true;
  }

  /** Makes the chart small, beside others, or large. */
  resize(tallest: number, small: boolean): void {
    this.tallest = tallest;
    this.host.classList.toggle("small", small);
  }

  repaint(): void {
    this.chart?.repaint();
  }

  close(): void {
    this.life.abort();
    charts.delete(this);
  }
}
