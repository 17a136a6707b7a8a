/** Policies compared on a trace: who waits less, who waits longer, and whether that is shown. */
import { h, part, say, type Child } from "./dom";
import { Engine } from "./engine";
import { counted, length, number, percent } from "./figures";
import { described, document64, importFiles, isSWF, onDrop, openFile, save, type Opened } from "./files";
import { locate } from "./locate";
import { layOut, Raw } from "./raw";
import { solvers } from "./solvers";

interface Difference { mean: number; low?: number; high?: number; ratio?: number; ratio_low?: number; ratio_high?: number; p_holm?: number }
interface Class { kind: string; name: string; jobs: number; wait?: { mean: number; median: number; p95: number; max: number }; bounded_slowdown?: number; wait_difference?: Difference }
interface Policy { name: string; utilisation?: number; left_out: number; jain?: number; classes: Class[] }
interface Report { trace: string; jobs: number; processors: number; load?: number; days: number; time: string; confidence: number; groups: { online: boolean; policies: Policy[] }[] }

const usual = ["fcfs", "easy", "conservative"];

export class TraceView {
  private files: File[] = []; // a trace, and perhaps the files of its system
  private busy = false;
  private engine: Engine | null = null; // that works now
  private clock = 0;

  constructor() {
    const field = part<HTMLInputElement>("trace-file");
    field.addEventListener("change", () => { this.take([...(field.files ?? [])]); field.value = ""; });
    onDrop(part("policies"), (files) => this.take(files));
    part("trace-example").addEventListener("click", () => void this.example());
    part("do-policies").addEventListener("click", () => void this.compare());
    part("stop-policies").addEventListener("click", () => this.engine?.close());
    solvers().then((list) => {
      part("policy-list").replaceChildren(...list.filter((s) => s.online).sort((a, b) => place(a.name) - place(b.name)).map((s) => h("label", { title: s.doc }, h("input", { type: "checkbox", name: "policy", value: s.name, checked: usual.includes(s.name) }), " " + s.name)));
    }, () => undefined);
  }

  /** Takes a trace. Several files are one trace where the format allows it: that of sacct with slurm.conf. */
  take(files: File[]): void {
    if (!files.length) return;
    if (files.length > 1 && files.some((file) => isSWF(file.name))) return this.show(h("p", { class: "verdict bad" }, `Expected one trace, found ${files.length} files.`));
    this.files = files;
    part("trace-name").textContent = files.map((file) => described({ name: file.name, kind: "foreign", size: file.size, text: null, blob: file })).join("; ");
    part<HTMLButtonElement>("do-policies").disabled = this.busy; // until the comparison that runs has ended
    part(this.busy ? "stop-policies" : "do-policies").focus();
  }

  private async example(): Promise<void> {
    const name = "KTH-SP2-1996-2.swf.gz";
    try {
      const response = await fetch(`examples/${name}`);
      if (!response.ok) throw new Error(`the host answers with status ${response.status}`);
      this.take([new File([await response.blob()], name)]);
    } catch (fault) {
      this.show(h("p", { class: "verdict bad" }, `The trace cannot be fetched: ${(fault as Error).message}`));
    }
  }

  private chosen(): string[] {
    const more = part<HTMLInputElement>("policy-more").value.split(/[\s,]+/).filter(Boolean);
    if (!document.querySelector("#policy-list input")) return [...usual, ...more]; // the engine has not listed them yet
    return [...[...document.querySelectorAll<HTMLInputElement>("#policy-list input:checked")].map((box) => box.value), ...more];
  }

  private async compare(): Promise<void> {
    const names = this.chosen(), files = this.files;
    if (!files.length) return;
    if (!names.length) return this.show(h("p", { class: "verdict bad" }, "Choose at least one policy."));
    if (this.busy) return;
    this.busy = true;
    const begun = performance.now();
    const progress = part("trace-progress"), button = part<HTMLButtonElement>("do-policies"), stop = part<HTMLButtonElement>("stop-policies");
    button.disabled = true;
    stop.hidden = progress.hidden = false;
    let done = 0, of = names.length;
    const tell = (): void => { progress.textContent = `${done} of ${counted(of, "policy").replace("policys", "policies")} done, ${Math.round((performance.now() - begun) / 1000)} s`; };
    tell();
    this.clock = window.setInterval(tell, 500);
    try {
      const opened: Opened[] = [];
      for (const file of files) opened.push(await openFile(file));
      const [first] = opened, trace = opened.length === 1 && first!.kind !== "foreign" ? { trace: await document64(first!.blob), name: first!.name, read: "" } : await this.read(opened);
      this.engine = new Engine();
      const text = await this.engine.ask("policies", { trace: trace.trace, name: trace.name, policies: names }, (step) => {
        ({ done, of } = JSON.parse(step) as { done: number; of: number });
        tell();
      });
      this.show(this.written(text, trace.read, (performance.now() - begun) / 1000));
    } catch (fault) {
      this.show(h("p", { class: "verdict bad" }, (fault as Error).message));
    } finally {
      clearInterval(this.clock);
      this.engine?.close();
      this.engine = null;
      this.busy = false;
      button.disabled = false;
      stop.hidden = progress.hidden = true;
    }
  }

  /** Reads a trace of another format, as the engine that compares reads SWF and instances alone. */
  private async read(files: Opened[]): Promise<{ trace: Raw; name: string; read: string }> {
    const engine = this.engine = new Engine();
    const { instance, report } = await importFiles(files, (method, request) => engine.ask(method, request));
    engine.close();
    return { trace: instance, name: files[0]!.name, read: report };
  }

  private show(result: HTMLElement): void {
    part("policies-result").replaceChildren(result);
    say(result.querySelector(".verdict")?.textContent ?? result.textContent ?? "");
  }

  /** The answer for people: the verdict, the table, and the whole report to open. */
  private written(answer: string, read: string, seconds: number): HTMLElement {
    const at = locate(answer, ["report"]), raw = new Raw(answer.slice(at.from, at.to)), report = JSON.parse(raw.text) as Report;
    const rest = JSON.parse(answer.slice(0, at.from) + "null" + answer.slice(at.to)) as { text: string; data?: string; warnings?: string[] };
    const [verdict = "", ...more] = rest.text.split("\n\n");
    return h("div", {},
      h("p", { class: "verdict" }, verdict.replace(/\n\s+/g, " ").replace(/\n/g, " ")),
      h("p", { class: "note" }, `${report.trace}: ${counted(report.jobs, "job")} on ${counted(report.processors, "processor")}, load ${number(report.load && Number(report.load.toPrecision(3)))}, ${counted(report.days, "day")}. Compared in ${number(Number(seconds.toPrecision(2)))} s.`),
      ...(rest.warnings ?? []).map((text) => h("p", { class: "verdict bad" }, text)),
      ...report.groups.map((group) => this.table(report, group.policies)),
      h("div", { class: "line" }, h("button", { type: "button", id: "save-report", onclick: () => save("policies.json", layOut(raw)) }, "Save the report, JSON")),
      h("details", {}, h("summary", {}, "The whole report: by size, by user, differences, method"), h("pre", { tabindex: "0", role: "region", "aria-label": "Whole report" }, more.join("\n\n"))),
      !!(read || rest.data) && h("details", {}, h("summary", {}, "What reading the trace dropped and repaired"), h("pre", { tabindex: "0", role: "region", "aria-label": "Reading the trace" }, read || rest.data)));
  }

  private table(report: Report, policies: Policy[]): HTMLElement {
    const time = (x: number | undefined): string => x === undefined ? "–" : length(x, report.time);
    const rows = policies.map((policy): Child[] => {
      const all = policy.classes[0], d = all?.wait_difference;
      const shown = d?.p_holm !== undefined && d.p_holm <= 1 - report.confidence;
      const change = d?.ratio === undefined ? "–" : `${signed(d.ratio)}${d.ratio_low !== undefined && d.ratio_high !== undefined ? ` [${signed(d.ratio_low)}, ${signed(d.ratio_high)}]` : ""}${shown ? " *" : ""}`;
      return [policy.name, time(all?.wait?.mean), change, time(all?.wait?.median), time(all?.wait?.p95), time(all?.wait?.max), number(all?.bounded_slowdown && Number(all.bounded_slowdown.toPrecision(3))), percent(policy.utilisation === undefined ? undefined : 100 * policy.utilisation)];
    });
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Policies" }, h("table", { id: "policy-table" }, h("caption", {}, `Waits under each policy. * is a difference from ${policies[0]?.name ?? "the first"} that is shown at ${percent(100 * report.confidence)}`),
      h("thead", {}, h("tr", {}, ...["policy", "mean wait", "against the first", "median", "95th percentile", "longest", "slowdown", "use"].map((text, k) => h("th", { scope: "col", class: k ? "number" : null }, text)))),
      h("tbody", {}, ...rows.map((cells) => h("tr", {}, ...cells.map((cell, k) => k ? h("td", { class: "number" }, cell) : h("th", { scope: "row" }, cell)))))));
  }
}

/** The usual policies stand first: the others are compared with the first. */
function place(name: string): number {
  return usual.includes(name) ? usual.indexOf(name) : usual.length;
}

function signed(ratio: number): string {
  const x = 100 * (ratio - 1);
  return `${x > 0 ? "+" : x < 0 ? "−" : ""}${Math.abs(x).toFixed(1)} %`;
}
