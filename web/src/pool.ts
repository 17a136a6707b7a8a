/** Workers for solvers: each run has one of its own, and one that is free is used again. */
import { Engine } from "./engine";

const free: Engine[] = [];

export function take(): Engine {
  for (let engine = free.pop(); engine; engine = free.pop()) if (!engine.over) return engine;
  return new Engine();
}

/** Gives a worker back. More than four are never kept. */
export function give(engine: Engine): void {
  if (engine.over) return;
  if (free.length < 4) free.push(engine);
  else engine.close();
}
