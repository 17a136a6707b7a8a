/** Elements of the page. Texts, whatever they say, become text nodes: nothing is ever read as HTML. */

export type Child = Node | string | false | null | undefined;
type Value = string | number | boolean | null | undefined | ((event: never) => void);

/** Makes an element. An attribute that begins with "on" is a listener, true an attribute without a value; false, null and undefined leave it out. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, Value> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  set(made, attributes);
  made.append(...children.filter((c): c is Node | string => c !== false && c !== null && c !== undefined));
  return made;
}

/** Makes an element of a picture. */
export function svg(tag: string, attributes: Record<string, Value> = {}, ...children: Child[]): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(made, attributes);
  made.append(...children.filter((c): c is Node | string => c !== false && c !== null && c !== undefined));
  return made;
}

function set(made: Element, attributes: Record<string, Value>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      made.addEventListener(name.slice(2), value as EventListener);
    } else if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/** The element of index.html with an id. */
export function part<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element ${id}`);
  return found as T;
}

/** A table with a caption, which people who listen need; columns whose heading begins with "#" hold numbers. */
export function table(caption: string, headings: string[], rows: Child[][]): HTMLTableElement {
  const numbers = headings.map((text) => text.startsWith("#"));
  return h("table", {}, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ...headings.map((text, k) => h("th", { scope: "col", class: numbers[k] ? "number" : null }, text.replace(/^#/, ""))))),
    h("tbody", {}, ...rows.map((cells) => h("tr", {}, ...cells.map((cell, k) => k === 0 ? h("th", { scope: "row" }, cell) : h("td", { class: numbers[k] ? "number" : null }, cell))))));
}

/** Lets the page answer in between: what follows is a task of its own. */
export const pause = (): Promise<void> => new Promise((next) => setTimeout(next));

/** Says something to people who listen, in the live region of the page. */
export function say(text: string): void {
  part("said").textContent = text;
}
