/** The jobs of the instance as a table that can be changed, a hundred at a time. */
import { h } from "./dom";
import { addJob, removeJob, setField } from "./edits";
import type { Editor } from "./editor";
import { bytes, counted } from "./figures";

type Job = Record<string, unknown>;

const page = 100, mostText = 4e6;
const texts = new Set(["id", "span", "user", "group", "queue", "user_class", "workflow", "reservation"]);
const usual = ["id", "arrival", "processors", "work", "estimate", "deadline", "budget", "memory", "user", "after"];

export class JobTable {
  private first = 0;
  private added: string[] = []; // columns that no job has yet
  private shape = "";
  private jobs: Job[] = [];

  constructor(private readonly host: HTMLElement, private readonly editor: Editor) {}

  /** Shows the jobs of the text. */
  draw(): void {
    const text = this.editor.text();
    let jobs: unknown;
    if (text.length > mostText) return this.refuse(`The instance is ${bytes(text.length)} of text: too much for the table. Change it as JSON.`);
    try {
      jobs = (JSON.parse(text) as { jobs?: unknown }).jobs;
    } catch {
      return this.refuse("The text is no JSON now, so there is no table. The tab JSON marks the place.");
    }
    if (!Array.isArray(jobs) || jobs.some((job) => typeof job !== "object" || job === null || Array.isArray(job))) return this.refuse("The instance has no list of jobs.");
    this.jobs = jobs as Job[];
    this.first = Math.min(this.first, Math.max(0, Math.floor((jobs.length - 1) / page) * page));
    const columns = this.columns(), shown = this.jobs.slice(this.first, this.first + page);
    const shape = JSON.stringify([columns, shown.length, this.jobs.length, this.first]);
    if (shape !== this.shape) this.build(columns, shown);
    this.shape = shape;
    for (const field of this.host.querySelectorAll<HTMLInputElement>("input[data-job]")) {
      const job = this.jobs[Number(field.dataset.job)], whole = written(job?.[field.dataset.field!]), isHere = field === document.activeElement;
      field.dataset.whole = whole;
      const value = isHere ? whole : brief(job?.[field.dataset.field!]);
      if (field.value !== value && !(isHere && field.dataset.typed)) field.value = value;
    }
  }

  private refuse(why: string): void {
    this.shape = "";
    this.host.replaceChildren(h("p", { class: "note" }, why));
  }

  private columns(): string[] {
    const found = new Set<string>(["id"]);
    for (const job of this.jobs.slice(0, 5000)) for (const name of Object.keys(job)) found.add(name);
    for (const name of this.added) found.add(name);
    return [...usual.filter((name) => found.has(name)), ...[...found].filter((name) => !usual.includes(name))].slice(0, 20);
  }

  private build(columns: string[], shown: Job[]): void {
    const focus = (document.activeElement as HTMLElement | null)?.dataset;
    const rows = shown.map((job, k) => {
      const at = this.first + k, id = typeof job.id === "string" ? job.id : `job ${at + 1}`;
      return h("tr", {}, ...columns.map((field) => h("td", {}, h("input", {
        "data-job": at, "data-field": field, "aria-label": `${field} of ${id}`, autocomplete: "off", spellcheck: "false", size: field === "id" ? 6 : 7, value: brief(job[field]),
        onfocus: (e: Event) => { const cell = e.target as HTMLInputElement; cell.value = cell.dataset.whole ?? ""; cell.select(); },
        onblur: (e: Event) => { const cell = e.target as HTMLInputElement; if (!cell.dataset.typed) cell.value = brief(this.jobs[at]?.[field]); },
        oninput: (e: Event) => { (e.target as HTMLElement).dataset.typed = "yes"; }, onchange: (e: Event) => this.set(at, field, e.target as HTMLInputElement),
      }))), h("td", {}, h("button", { type: "button", class: "quiet", "aria-label": `Remove ${id}`, title: "Remove", onclick: () => this.remove(at) }, "×")));
    });
    const more = usual.filter((name) => !columns.includes(name));
    const add = h("select", { "aria-label": "Add a column", onchange: () => { this.added.push(add.value); this.draw(); } }, h("option", { value: "" }, "+ column"), ...more.map((name) => h("option", {}, name)));
    const to = Math.min(this.first + page, this.jobs.length);
    this.host.replaceChildren(
      h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Jobs" }, h("table", { class: "jobs" }, h("caption", { class: "hidden" }, "Jobs of the instance"),
        h("thead", {}, h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, name)), h("th", { scope: "col" }, h("span", { class: "hidden" }, "remove")))), h("tbody", {}, ...rows))),
      h("div", { class: "line" }, h("button", { type: "button", id: "add-job", onclick: () => this.add() }, "+ Add a job"), more.length > 0 && add,
        h("button", { type: "button", id: "undo", onclick: () => this.editor.undo() }, "Undo"), h("button", { type: "button", id: "redo", onclick: () => this.editor.redo() }, "Redo"),
        this.jobs.length > page && h("span", { class: "line" }, h("button", { type: "button", disabled: this.first === 0, onclick: () => this.turn(-page) }, "◀ Earlier"),
          `jobs ${this.first + 1}–${to} of ${counted(this.jobs.length, "job")}`, h("button", { type: "button", disabled: to === this.jobs.length, onclick: () => this.turn(page) }, "Later ▶"))));
    if (focus?.job) this.host.querySelector<HTMLElement>(`input[data-job="${CSS.escape(focus.job)}"][data-field="${CSS.escape(focus.field ?? "")}"]`)?.focus();
  }

  private turn(by: number): void {
    this.first = Math.max(0, this.first + by);
    this.draw();
  }

  private set(job: number, field: string, input: HTMLInputElement): void {
    delete input.dataset.typed;
    const text = input.value.trim(), value = text === "" && field !== "id" ? null : asJSON(field, text, this.jobs[job]?.[field]);
    if (!this.editor.edit(setField(this.editor.text(), job, field, value))) this.draw();
  }

  private add(): void {
    const ids = new Set(this.jobs.map((job) => job.id)), like = this.jobs.at(-1);
    let n = this.jobs.length + 1;
    while (ids.has(`J${n}`)) n++;
    const made = like ? { ...like, id: `J${n}` } : { id: `J${n}`, work: 1 };
    this.editor.edit(addJob(this.editor.text(), JSON.stringify(made)));
    this.first = Math.floor(this.jobs.length / page) * page;
    this.draw();
    this.host.querySelector<HTMLInputElement>(`input[data-job="${this.jobs.length - 1}"]`)?.focus();
  }

  private remove(job: number): void {
    this.editor.edit(removeJob(this.editor.text(), job));
    this.draw();
    this.host.querySelector<HTMLInputElement>(`input[data-job="${Math.min(job, this.jobs.length - 1)}"]`)?.focus();
  }
}

/** A value as the table shows it: texts without quotes. */
function written(value: unknown): string {
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}

/** A value in few figures, for a cell in which nobody types. */
function brief(value: unknown): string {
  return typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(5))) : written(value);
}

/** What was typed as JSON: a text where the field holds texts, else a number, list or the like where it is one. The engine says what is wrong with it. */
function asJSON(field: string, text: string, before: unknown): string {
  if (texts.has(field) || typeof before === "string" && !(/^[\[{]/.test(text))) return JSON.stringify(text);
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}
