/** Changes of an instance's text that leave the rest of it as it stands. */
import { inside, locate } from "./locate";

export interface Edit { from: number; to: number; insert: string }

/** The edit that sets a field of a job; null removes it. */
export function setField(text: string, job: number, field: string, value: string | null): Edit | null {
  const found = locate(text, ["jobs", job, field]);
  if (found.exact) return value === null ? removal(text, locate(text, ["jobs", job]).from, found.name) : { from: found.from, to: found.to, insert: value };
  const object = locate(text, ["jobs", job]);
  if (!object.exact || text[object.from] !== "{" || value === null) return null;
  const members = [...inside(text, object.from)], last = members.at(-1);
  const one = `${JSON.stringify(field)}:${last && /:\s/.test(text.slice(last.name, last.from)) ? " " : ""}${value}`;
  if (!last) return { from: object.from + 1, to: object.from + 1, insert: one };
  const before = members.at(-2), gap = before ? text.slice(before.to, last.name) : ",";
  return { from: last.to, to: last.to, insert: gap + one };
}

/** The edit that appends a job. */
export function addJob(text: string, job: string): Edit | null {
  const list = locate(text, ["jobs"]);
  if (!list.exact || text[list.from] !== "[") return null;
  const all = [...inside(text, list.from)], last = all.at(-1);
  if (!last) return { from: list.from + 1, to: list.from + 1, insert: job };
  const before = all.at(-2), gap = before ? text.slice(before.to, last.from) : ",\n  ";
  return { from: last.to, to: last.to, insert: gap + job };
}

/** The edit that removes a job. */
export function removeJob(text: string, job: number): Edit | null {
  const list = locate(text, ["jobs"]), found = locate(text, ["jobs", job]);
  return found.exact ? removal(text, list.from, found.from) : null;
}

/** The edit that removes the member or element that begins at a place, with one comma. */
function removal(text: string, container: number, begin: number): Edit | null {
  const all = [...inside(text, container)], at = all.findIndex((one) => (one.name >= 0 ? one.name : one.from) === begin);
  const one = all[at], next = all[at + 1], before = all[at - 1];
  if (!one) return null;
  if (next) return { from: begin, to: next.name >= 0 ? next.name : next.from, insert: "" };
  return { from: before ? before.to : begin, to: one.to, insert: "" };
}
