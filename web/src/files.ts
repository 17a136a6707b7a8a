/** Files that are opened or dropped. */
import { EngineError } from "./engine";
import { bytes, number } from "./figures";
import { Raw } from "./raw";

export const mostFile = 256e6;

export const isSWF = (name: string): boolean => /\.swf(\.gz)?$/i.test(name);

/** What a file is, as far as its beginning tells. */
export type Kind = "instance" | "solution" | "certificate" | "swf" | "foreign";

export interface Opened { name: string; kind: Kind; size: number; text: string | null; blob: Blob }

/** Reads a file. A foreign one stays as it is: the engine reads it. It fails with words for people. */
export async function openFile(file: File): Promise<Opened> {
  if (file.size > mostFile) throw new Error(`${file.name} has ${bytes(file.size)}: more than the ${bytes(mostFile)} that a page can work with. Use the command on your own machine.`);
  if (file.size === 0) throw new Error(`${file.name} is empty.`);
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer()), packed = start[0] === 0x1f && start[1] === 0x8b;
  const opened = { name: file.name, size: file.size, blob: file };
  if (isSWF(file.name)) return { ...opened, kind: "swf", text: null };
  if (packed) return { ...opened, kind: "foreign", text: null };
  if (!/^\s*\{/.test(await file.slice(0, 4096).text())) return { ...opened, kind: "foreign", text: null };
  const text = await file.text(), schema = /"schema"\s*:\s*"allot\/([a-z]+)\/1"/.exec(text.slice(0, 4096))?.[1];
  const kind = schema === "instance" ? "instance" : schema === "solution" ? "solution" : schema === "proof" ? "certificate" : "foreign";
  return { ...opened, kind, text };
}

/** The instance that an engine makes of foreign files, and what became of the jobs. */
export async function importFiles(files: Opened[], ask: (method: string, request: Record<string, unknown>) => Promise<string>): Promise<{ instance: Raw; report: string }> {
  const answer = await ask("import", { files: await Promise.all(files.map((one) => document64(one.blob))), names: files.map((one) => one.name.replace(/\.gz$/i, "")) }).catch((fault: unknown) => {
    if (!(fault instanceof EngineError) || !fault.faults.length) throw fault;
    const list = fault.faults.map((f) => ({ path: f.path.replace(/^files(\[\d+\])?\.?/, ""), message: f.message })); // the message names the file
    throw new Error(list.slice(0, 5).map((f) => f.path ? `${f.message} (${f.path})` : f.message).join("; "));
  });
  const at = answer.indexOf(',"report":{'), { text } = JSON.parse("{" + answer.slice(at + 1)) as { text: string }; // no field of an instance has this name
  return { instance: new Raw(answer.slice('{"instance":'.length, at)), report: text.trim() };
}

/** The file as a document of a request. */
export function document64(blob: Blob): Promise<{ base64: string }> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done({ base64: String(reader.result).replace(/^[^,]*,/, "") });
    reader.onerror = () => failed(new Error(`the file cannot be read: ${reader.error?.message ?? "unknown"}`));
    reader.readAsDataURL(blob);
  });
}

/** Lets files be dropped anywhere in a part of the page. */
export function onDrop(host: HTMLElement, take: (files: File[]) => void): void {
  let depth = 0;
  const mark = (by: number): void => { depth = Math.max(0, depth + by); host.classList.toggle("dropping", depth > 0); };
  host.addEventListener("dragenter", (e) => { e.preventDefault(); mark(1); });
  host.addEventListener("dragleave", () => mark(-1));
  host.addEventListener("dragover", (e) => e.preventDefault());
  host.addEventListener("drop", (e) => {
    e.preventDefault();
    mark(-depth);
    const files = [...(e.dataTransfer?.files ?? [])];
    if (files.length) take(files);
  });
}

/** A file that is dropped beside the parts that take one would replace the page. */
export function keepDrops(): void {
  for (const kind of ["dragover", "drop"]) document.addEventListener(kind, (e) => e.preventDefault());
}

/** Offers a text or a picture as a file. */
export function save(name: string, content: Blob | string, type = "application/json"): void {
  const url = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export const described = (opened: Opened): string => `${opened.name}, ${bytes(opened.size)}${opened.text ? `, ${number(opened.text.split("\n", 1e6).length)} lines` : ""}`;
