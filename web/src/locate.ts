/** Finds the places of a JSON text by paths such as jobs[3].work, also in a text that is wrong elsewhere. */

export type Step = string | number;

export interface Place {
  from: number;
  to: number;
  /** Where the name of the member begins; −1: an element of a list, or the whole. */
  name: number;
  /** Whether the path leads here; else it leads on from here, to something that is not there. */
  exact: boolean;
}

/** The steps of a path as the engine writes them: jobs[3].runtime["a b"]. */
export function steps(path: string): Step[] {
  const list: Step[] = [];
  for (const found of path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)) {
    if (found[2] !== undefined) list.push(Number(found[2]));
    else if (found[3] !== undefined) list.push(found[3]);
    else list.push(JSON.parse(`"${found[1]}"`) as string);
  }
  return list;
}

export function locate(text: string, path: Step[]): Place {
  let at = space(text, 0);
  let place: Place = { from: at, to: pastValue(text, at), name: -1, exact: true };
  for (const step of path) {
    const found = typeof step === "number" ? element(text, place.from, step) : member(text, place.from, step);
    if (!found) return { ...place, exact: false };
    place = found;
    at = place.from;
  }
  return place;
}

/** The members of an object, or the elements of a list, at a place. */
export function* inside(text: string, at: number): Generator<Place & { key: string }> {
  const isObject = text[at] === "{";
  if (!isObject && text[at] !== "[") return;
  for (at = space(text, at + 1); at < text.length && text[at] !== "}" && text[at] !== "]";) {
    let name = -1, key = "";
    if (isObject) {
      name = at;
      const end = pastValue(text, at);
      key = unquoted(text.slice(at, end));
      at = space(text, end);
      if (text[at] !== ":") return;
      at = space(text, at + 1);
    }
    const to = pastValue(text, at);
    if (to <= at) return;
    yield { from: at, to, name, exact: true, key };
    at = space(text, to);
    if (text[at] !== ",") return;
    at = space(text, at + 1);
  }
}

function element(text: string, at: number, index: number): Place | null {
  if (text[at] !== "[") return null;
  let k = 0;
  for (const one of inside(text, at)) if (k++ === index) return one;
  return null;
}

function member(text: string, at: number, name: string): Place | null {
  if (text[at] !== "{") return null;
  for (const one of inside(text, at)) if (one.key === name) return one;
  return null;
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

function space(text: string, at: number): number {
  while (at < text.length && " \t\r\n".includes(text[at]!)) at++;
  return at;
}

function pastString(text: string, at: number): number {
  for (at++; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function pastValue(text: string, at: number): number {
  if (text[at] === '"') return pastString(text, at);
  if (text[at] !== "{" && text[at] !== "[") {
    while (at < text.length && !" \t\r\n,]}:".includes(text[at]!)) at++;
    return at;
  }
  let depth = 0;
  while (at < text.length) {
    const c = text[at];
    if (c === '"') { at = pastString(text, at); continue; }
    if (c === "{" || c === "[") depth++;
    if (c === "}" || c === "]") depth--;
    at++;
    if (depth === 0) return at;
  }
  return at;
}
