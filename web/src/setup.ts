/** What is run: up to four solvers, the seed and the limit. */
import { h, part, say } from "./dom";
import type { Choice, Limit } from "./run";
import { parameterForm, solvers, type Solver } from "./solvers";

export interface Setup { solvers: Choice[]; seed: number; limit: Limit }

export const mostSolvers = 4;

/** What is added next, so that a comparison takes a click a solver. */
const usual = ["search", "muscle", "titan", "mts", "minmin"];

/** The part of the page that shows and changes the set-up. */
export class SetupView {
  private choices: Choice[] = [{ solver: "search", param: {} }];
  private known: Solver[] = [];
  private open = -1; // the solver whose parameters are shown
  private readonly rows = part("solvers");
  private readonly seed = part<HTMLInputElement>("seed");
  private readonly amount = part<HTMLInputElement>("amount");
  private readonly kind = part<HTMLSelectElement>("kind");

  constructor(private readonly changed: () => void) {
    for (const field of [this.seed, this.amount]) field.addEventListener("change", changed);
    this.kind.addEventListener("change", () => {
      this.amount.value = this.kind.value === "time" ? "10" : "5000";
      changed();
    });
    this.draw();
    solvers().then((list) => { this.known = list; this.draw(); }, () => undefined); // what fails is said where it is run
  }

  get(): Setup {
    const kind = this.kind.value === "time" ? "time" : "evaluations";
    return { solvers: structuredClone(this.choices), seed: Number(this.seed.value), limit: { kind, value: Number(this.amount.value) } };
  }

  set(setup: Setup): void {
    this.choices = structuredClone(setup.solvers).slice(0, mostSolvers);
    this.seed.value = String(setup.seed);
    this.kind.value = setup.limit.kind;
    this.amount.value = String(setup.limit.value);
    this.draw();
  }

  /** What is wrong with the figures; empty: nothing. */
  fault(): string {
    const seed = Number(this.seed.value), amount = Number(this.amount.value);
    if (this.seed.value.trim() === "" || !Number.isSafeInteger(seed) || seed < 0) return `Seed: expected a whole number from 0 on, found “${this.seed.value}”.`;
    if (!(amount > 0) || this.kind.value === "evaluations" && !Number.isSafeInteger(amount)) return `Limit: expected ${this.kind.value === "time" ? "seconds" : "a whole number of evaluations"} above 0, found “${this.amount.value}”.`;
    return "";
  }

  private draw(): void {
    this.drawRows();
    const shown = this.choices[this.open], solver = shown && this.known.find((s) => s.name === shown.solver);
    const panel = part("parameters");
    panel.hidden = !solver;
    if (shown && solver) panel.replaceChildren(h("h3", {}, `Parameters of ${solver.name}`), parameterForm(solver, shown.param, () => { this.drawRows(); this.changed(); }));
  }

  /** Draws the list of solvers; the focus stays where it is. */
  private drawRows(): void {
    const focus = document.activeElement?.id;
    this.rows.replaceChildren(...this.choices.map((choice, k) => this.row(choice, k)), ...(this.choices.length < mostSolvers ? [h("li", {},
      h("button", { type: "button", id: "add-solver", onclick: () => this.add() }, "+ Add a solver"))] : []));
    if (focus && document.activeElement?.id !== focus) document.getElementById(focus)?.focus();
  }

  private row(choice: Choice, k: number): HTMLElement {
    const names = this.known.length ? this.known.map((s) => s.name) : [choice.solver];
    if (!names.includes(choice.solver)) names.push(choice.solver);
    const select = h("select", { id: `solver-${k}`, "aria-label": `Solver ${k + 1}`, onchange: () => {
      this.choices[k] = { solver: select.value, param: {} };
      this.draw();
      this.changed();
    } }, ...names.map((name) => h("option", { value: name, selected: name === choice.solver }, name)));
    const set = Object.keys(choice.param).length;
    return h("li", { class: "solver" }, h("span", { class: `tone tone-${k}`, "aria-hidden": "true" }), select,
      h("button", { type: "button", id: `parameters-${k}`, class: "quiet", "aria-expanded": String(this.open === k), "aria-label": `Parameters of ${choice.solver}`, title: "Parameters",
        onclick: () => { this.open = this.open === k ? -1 : k; this.draw(); } }, set ? `⚙ ${set}` : "⚙"),
      this.choices.length > 1 && h("button", { type: "button", class: "quiet", "aria-label": `Remove ${choice.solver}`, title: "Remove", onclick: () => this.remove(k) }, "×"));
  }

  private add(): void {
    const next = usual.find((name) => !this.choices.some((c) => c.solver === name)) ?? "minmin";
    this.choices.push({ solver: next, param: {} });
    this.draw();
    document.getElementById(`solver-${this.choices.length - 1}`)?.focus();
    say(`${next} added: ${this.choices.length} of at most ${mostSolvers} solvers`);
    this.changed();
  }

  private remove(k: number): void {
    const [gone] = this.choices.splice(k, 1);
    this.open = -1;
    this.draw();
    document.getElementById("add-solver")?.focus();
    say(`${gone?.solver ?? ""} removed`);
    this.changed();
  }
}
