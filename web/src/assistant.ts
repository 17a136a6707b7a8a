/** A worker for what is done at once: checks, pictures, explanations, files in foreign formats. Solvers have workers of their own. */
import { Engine, EngineError } from "./engine";

let engine: Engine | undefined;

/** Asks the assistant. One that has ended by a fault is replaced. */
export async function ask<T>(method: string, request: Record<string, unknown>, progress?: (text: string) => void): Promise<T> {
  return JSON.parse(await askText(method, request, progress)) as T;
}

/** Asks the assistant and gets the text of the result. */
export async function askText(method: string, request: Record<string, unknown>, progress?: (text: string) => void): Promise<string> {
  const mine = engine ??= new Engine();
  try {
    return await mine.ask(method, request, progress);
  } catch (fault) {
    if (!(fault instanceof EngineError) || fault.code === "failure") {
      mine.close();
      if (engine === mine) engine = undefined;
    }
    throw fault;
  }
}
