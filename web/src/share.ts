/** A link that holds the instance and what is run: compressed, behind the #, which browsers send to nobody. */
import { bytes } from "./figures";
import type { Setup } from "./setup";

export interface Shared { instance: string; setup: Setup }

/** Longer links are cut by some programs, and the longest are not made. */
export const longLink = 8_000, mostLink = 64_000;
const mostInstance = 32e6;

export class LinkError extends Error {}

/** The part of the link behind the #. */
export async function encode(shared: Shared): Promise<string> {
  const text = JSON.stringify({ v: 1, instance: shared.instance, solvers: shared.setup.solvers, seed: shared.setup.seed, limit: shared.setup.limit });
  const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (let k = 0; k < packed.length; k += 8192) binary += String.fromCharCode(...packed.subarray(k, k + 8192));
  const link = "s=" + btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  if (link.length > mostLink) throw new LinkError(`The instance is too large for a link: it would take ${bytes(link.length)}, and links of more than ${bytes(mostLink)} do not arrive. Save the instance and send the file.`);
  return link;
}

/** Whether the part of an address behind the # is meant to be a link of this page. */
export const isLink = (hash: string): boolean => hash.startsWith("#s=");

/** Reads the part of a link behind the #; null: it is no link of this kind. */
export async function decode(hash: string): Promise<Shared | null> {
  if (!isLink(hash)) return null;
  const text = hash.slice(3);
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new LinkError("The link is damaged: it has characters that no link of this page has.");
  let found: unknown;
  try {
    const packed = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
    found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await through(packed, new DecompressionStream("deflate-raw"), mostInstance)));
  } catch (fault) {
    throw fault instanceof LinkError ? fault : new LinkError("The link is damaged: a part of it is missing or changed. Ask for it again, as a file if it is long.");
  }
  return checked(found);
}

function checked(found: unknown): Shared {
  const one = found as { v?: unknown; instance?: unknown; solvers?: unknown; seed?: unknown; limit?: { kind?: unknown; value?: unknown } } | null;
  if (typeof one !== "object" || one === null || one.v !== 1) throw new LinkError("The link was made by another version of this page, which this one does not read.");
  const wrong = (what: string): never => { throw new LinkError(`The link is damaged: ${what}.`); };
  if (typeof one.instance !== "string") return wrong("it has no instance");
  if (!Array.isArray(one.solvers) || one.solvers.length < 1 || one.solvers.length > 4) return wrong("it does not name one to four solvers");
  const solvers = one.solvers.map((s: { solver?: unknown; param?: unknown }) => {
    if (typeof s?.solver !== "string" || typeof s.param !== "object" || s.param === null || Object.values(s.param).some((v) => typeof v !== "string")) return wrong("a solver has no name, or odd parameters");
    return { solver: s.solver, param: s.param as Record<string, string> };
  });
  if (typeof one.seed !== "number" || !Number.isSafeInteger(one.seed) || one.seed < 0) return wrong("its seed is no whole number");
  const { kind, value } = one.limit ?? {};
  if (kind !== "time" && kind !== "evaluations" || typeof value !== "number" || !(value > 0)) return wrong("it has no limit");
  return { instance: one.instance, setup: { solvers, seed: one.seed, limit: { kind, value } } };
}

/** Sends bytes through a stream; more than most are refused, so that a small link cannot fill the memory. */
async function through(data: Uint8Array, stream: CompressionStream | DecompressionStream, most = Infinity): Promise<Uint8Array> {
  const writer = stream.writable.getWriter();
  writer.write(data as Uint8Array<ArrayBuffer>).catch(() => undefined);
  writer.close().catch(() => undefined);
  const parts: Uint8Array[] = [];
  let size = 0;
  for (const reader = stream.readable.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    const part = value as Uint8Array;
    parts.push(part);
    if ((size += part.length) > most) throw new LinkError(`The link holds more than ${bytes(most)}: it was not made by this page.`);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) { whole.set(part, at); at += part.length; }
  return whole;
}
