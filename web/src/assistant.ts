/** Workers for what is done at once: one for checks, pictures and explanations, one for files in foreign formats. Solvers have workers of their own. */
import { Engine, EngineError } from "./engine";
import type { EngineFile } from "./module";

const engines = new Map<EngineFile, Engine>();

/** Asks the assistant. One that has ended by a fault is replaced. */
export async function ask<T>(method: string, request: Record<string, unknown>, progress?: (text: string) => void): Promise<T> {
  return JSON.parse(await askText(method, request, progress)) as T;
}

/** Asks the assistant and gets the text of the result. */
export async function askText(method: string, request: Record<string, unknown>, progress?: (text: string) => void): Promise<string> {
  const file = method === "import" ? "readers.wasm" : "allot.wasm", mine = engines.get(file) ?? new Engine(file);
  engines.set(file, mine);
  try {
    return await mine.ask(method, request, progress);
  } catch (fault) {
    if (!(fault instanceof EngineError) || fault.code === "failure") {
      mine.close();
      if (engines.get(file) === mine) engines.delete(file);
    }
    throw fault;
  }
}
