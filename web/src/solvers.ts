/** The solvers that the engine has, and the form for the parameters of one. */
import { ask } from "./assistant";
import { h } from "./dom";

export interface Parameter { name: string; type: string; doc: string; values?: string[]; range?: string; default: string }
export interface Solver { name: string; doc: string; source: string; parameters?: Parameter[]; absent?: string; online?: boolean }

let list: Promise<Solver[]> | undefined;

/** All solvers of this build, in the order of their names. */
export function solvers(): Promise<Solver[]> {
  return list ??= ask<{ solvers: Solver[] }>("solvers", {}).then((answer) => answer.solvers.filter((s) => !s.absent));
}

/** A form for the parameters of a solver; what is left empty keeps its default. */
export function parameterForm(solver: Solver, param: Record<string, string>, changed: () => void): HTMLElement {
  const rows = (solver.parameters ?? []).map((p) => {
    const id = `param-${Math.random().toString(36).slice(2)}`;
    const set = (value: string): void => {
      if (value.trim() === "") delete param[p.name];
      else param[p.name] = value.trim();
      changed();
    };
    const choices = p.values ?? (p.type === "bool" ? ["false", "true"] : null);
    const field = choices
      ? h("select", { id, onchange: (e: Event) => set((e.target as HTMLSelectElement).value) },
        h("option", { value: "" }, `default: ${p.default}`), ...choices.map((v) => h("option", { value: v, selected: param[p.name] === v }, v)))
      : h("input", { id, value: param[p.name] ?? "", placeholder: p.default, autocomplete: "off", spellcheck: "false", onchange: (e: Event) => set((e.target as HTMLInputElement).value) });
    field.setAttribute("aria-describedby", id + "-doc");
    return h("div", { class: "parameter" }, h("label", { for: id }, p.name), field, h("p", { id: id + "-doc" }, p.doc + (p.range ? `; ${p.range}` : "") + "."));
  });
  return h("div", { class: "parameters" }, h("p", {}, solver.doc), ...(rows.length ? rows : [h("p", {}, "It has no parameters.")]));
}
