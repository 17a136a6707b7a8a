/** Checks a schedule, makes a certificate of the bound, and verifies one: anybody's. */
import { ask, askText } from "./assistant";
import { h, part, say, table } from "./dom";
import { number, percent } from "./figures";
import { onDrop, openFile, save, type Opened } from "./files";
import { locate } from "./locate";
import { layOut, Raw } from "./raw";
import type { Run } from "./run";

interface Report { ok: boolean; violations: { code: string; job?: string; message: string }[]; objective?: number; metrics?: Record<string, unknown> }
interface Verdict { verdict: string; step?: string; reason?: string; bound?: number; objective?: number; optimal?: boolean; why?: string; gap_percent?: number }

export class CheckView {
  private solution: { raw: Raw; name: string } | null = null;
  private certificate: { raw: Raw; name: string } | null = null;
  private readonly select = part<HTMLSelectElement>("check-run");

  /** It checks against the instance of the page, and takes the schedules of its runs. */
  constructor(private readonly instance: () => Raw, private readonly runs: () => Run[]) {
    const file = part<HTMLInputElement>("check-file");
    file.addEventListener("change", () => { void this.open([...(file.files ?? [])]).then(() => { file.value = ""; }); });
    onDrop(part("check"), (files) => void this.open(files));
    this.select.addEventListener("change", () => {
      const run = this.ready()[this.select.selectedIndex - 1];
      this.solution = run ? { raw: run.solution!, name: `the schedule of ${run.label}` } : null;
      this.told();
    });
    part("do-check").addEventListener("click", () => void this.during("do-check", () => this.check()));
    part("do-certify").addEventListener("click", () => void this.during("do-certify", () => this.certify()));
    part("do-verify").addEventListener("click", () => void this.during("do-verify", () => this.verify()));
    this.told();
  }

  /** Takes notice of new runs. */
  refresh(): void {
    const ready = this.ready(), names = ready.map((run) => run.label), at = this.select.selectedIndex;
    this.select.replaceChildren(h("option", { value: "" }, ready.length ? "Choose a schedule…" : "No schedule yet: solve first, or open one"), ...names.map((name) => h("option", {}, name)));
    const run = ready[at - 1] ?? (this.solution && at > 0 ? undefined : ready[0]);
    if (run && (!this.solution || at > 0)) {
      this.select.selectedIndex = ready.indexOf(run) + 1;
      this.solution = { raw: run.solution!, name: `the schedule of ${run.label}` };
    } else if (at > 0) this.solution = null;
    this.told();
  }

  private ready(): Run[] {
    return this.runs().filter((run) => run.over && run.solution);
  }

  private told(): void {
    part("check-has").textContent = `Schedule: ${this.solution?.name ?? "none"}. Certificate: ${this.certificate?.name ?? "none"}.`;
    part<HTMLButtonElement>("do-check").disabled = !this.solution;
    part<HTMLButtonElement>("do-verify").disabled = !this.certificate;
  }

  private async during(button: string, work: () => Promise<HTMLElement>): Promise<void> {
    const pressed = part<HTMLButtonElement>(button), host = part("check-result");
    pressed.disabled = true;
    host.replaceChildren(h("p", {}, "The engine works…"));
    try {
      host.replaceChildren(await work());
    } catch (fault) {
      host.replaceChildren(h("p", { class: "verdict bad" }, (fault as Error).message));
    }
    pressed.disabled = false;
    this.told();
    say(host.querySelector(".verdict")?.textContent ?? "");
  }

  private async open(files: File[]): Promise<void> {
    for (const file of files) {
      let opened: Opened;
      try {
        opened = await openFile(file);
        if (opened.kind !== "solution" && opened.kind !== "certificate") throw new Error(`${file.name} is neither a schedule ("schema": "allot/solution/1") nor a certificate ("allot/proof/1").`);
      } catch (fault) {
        part("check-result").replaceChildren(h("p", { class: "verdict bad" }, (fault as Error).message));
        continue;
      }
      const one = { raw: new Raw(JSON.stringify(opened.text)), name: opened.name };
      if (opened.kind === "solution") {
        this.solution = one;
        this.select.selectedIndex = 0;
      } else this.certificate = one;
      this.told();
      part(opened.kind === "solution" ? "do-check" : "do-verify").focus();
    }
  }

  private async check(): Promise<HTMLElement> {
    const report = await ask<Report>("check", { instance: this.instance(), solution: this.solution!.raw });
    const figures = Object.entries(report.metrics ?? {}).filter((pair): pair is [string, number] => typeof pair[1] === "number" && pair[1] !== 0);
    return h("div", {},
      h("p", { class: report.ok ? "verdict good" : "verdict bad" }, report.ok ? `The schedule keeps every rule. Its objective is ${number(report.objective)}.` : `The schedule breaks ${report.violations.length === 1 ? "a rule" : `${report.violations.length} rules`}.`),
      report.violations.length > 0 && h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Broken rules" }, table(report.violations.length > 100 ? "The first 100" : "Broken rules", ["rule", "job", "what is wrong"], report.violations.slice(0, 100).map((v) => [v.code, v.job ?? "", v.message]))),
      report.ok && h("details", {}, h("summary", {}, "Metrics, as the checker computes them"), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Metrics" }, table("Metrics other than 0", ["metric", "#value"], figures.map(([name, value]) => [name, number(value)])))));
  }

  private async certify(): Promise<HTMLElement> {
    const answer = await askText("certify", { instance: this.instance() });
    const raw = member(answer, "certificate"), bound = JSON.parse(member(answer, "bound").text) as { bound?: number };
    this.certificate = { raw, name: "made here" };
    this.told();
    return h("div", {}, h("p", { class: "verdict good" }, `A certificate that no schedule is better than ${number(bound.bound)}. Verify it: other code, in exact numbers, does that.`),
      h("button", { type: "button", id: "save-certificate", onclick: () => save("certificate.json", layOut(raw)) }, "Save the certificate"));
  }

  private async verify(): Promise<HTMLElement> {
    const v = await ask<Verdict>("verify", { instance: this.instance(), certificate: this.certificate!.raw, ...(this.solution ? { solution: this.solution.raw } : {}) });
    const good = v.verdict === "verified";
    const more = v.optimal ? " The schedule meets it: it is optimal." : v.objective !== undefined && v.gap_percent !== undefined ? ` The schedule's objective is ${number(v.objective)}: the best schedule is at most ${percent(v.gap_percent)} lower.` : v.why ? ` ${v.why}.` : "";
    return h("p", { class: good ? "verdict good" : "verdict bad" }, good ? `Verified: no schedule is better than ${number(v.bound)}.${more}` : `Not verified (${v.verdict}): ${[v.step, v.reason].filter(Boolean).join(": ") || v.why || "no reason is given"}.`);
  }
}

function member(text: string, name: string): Raw {
  const place = locate(text, [name]);
  return new Raw(text.slice(place.from, place.to));
}
