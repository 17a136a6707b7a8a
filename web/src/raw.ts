/**
 * Documents as the engine writes them. A schedule of many jobs is a long text; the page hands it on, and cuts out of it only what it shows, so that it never
 * waits for a long text to be read.
 */

/** A text that is JSON already. */
export class Raw {
  constructor(readonly text: string) {}
}

/** The parameters of a request as JSON. */
export function parameters(list: Record<string, unknown>): string {
  const one = (value: unknown): string => value instanceof Raw ? value.text : Array.isArray(value) ? `[${value.map(one).join(",")}]` : JSON.stringify(value);
  return `{${Object.entries(list).filter(([, value]) => value !== undefined).map(([name, value]) => `${JSON.stringify(name)}:${one(value)}`).join(",")}}`;
}

/**
 * Cuts the member with a name, an object, off the end of an object: what stands before it, and its text. A quote inside a text has a backslash before it, so the
 * name cannot stand in one.
 */
export function cut(text: string, name: string): { rest: string; member: Raw | null } {
  const at = text.indexOf(`,"${name}":{`);
  return at < 0 ? { rest: text, member: null } : { rest: text.slice(0, at) + "}", member: new Raw(text.slice(at + name.length + 4, -1)) };
}

/** What a solution says besides the jobs. */
export interface Head {
  solver?: string;
  status?: string;
  stop?: string;
  objective?: number;
  bound?: number;
  owed?: number;
  metrics?: Record<string, number | Record<string, number>>;
}

/** Reads what a solution says before its jobs. */
export function headOf(solution: Raw): Head {
  const at = solution.text.indexOf(',"jobs":[');
  return JSON.parse(at < 0 ? solution.text : solution.text.slice(0, at) + "}") as Head;
}

/**
 * A document of one line in the lines of the command's files: each member of the object in a line, each element of its lists too. Numbers stay as they are written.
 */
export function layOut(document: Raw): string {
  const text = document.text, out: string[] = [];
  let depth = 0, list = false, from = 0;
  const flush = (to: number, more: string): void => { out.push(text.slice(from, to), more); from = to; };
  for (let k = 0; k < text.length; k++) {
    const c = text[k];
    if (c === '"') {
      do k = text.indexOf('"', k + 1); while (escaped(text, k));
      if (depth === 1 && text[k + 1] === ":") { flush(k + 2, " "); }
    } else if (c === "{" || c === "[") {
      depth++;
      if (depth === 1) flush(k + 1, "\n ");
      else if (depth === 2 && c === "[" && text[k + 1] !== "]") { list = true; flush(k + 1, "\n  "); }
    } else if (c === "}" || c === "]") {
      depth--;
      if (depth === 0) flush(k, "\n");
      else if (depth === 1 && list) { list = false; flush(k, "\n "); }
    } else if (c === "," && (depth === 1 || depth === 2 && list)) flush(k + 1, depth === 1 ? "\n " : "\n  ");
  }
  return out.join("") + text.slice(from) + "\n";
}

function escaped(text: string, quote: number): boolean {
  let n = 0;
  while (text[quote - 1 - n] === "\\") n++;
  return n % 2 === 1;
}
