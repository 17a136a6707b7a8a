/**
 * The engine in a worker: web/wasm, which speaks the lines of `allot serve --stdio` (docs/service.md). Each message is one line as a text.
 *
 *   new Worker("worker.js#allot.wasm")    loads and compiles this engine itself
 *   new Worker("worker.js#module")        gets the compiled module by its first message (see module.ts), so that several workers share one
 *
 * The first message from the worker is the greeting. Where the engine cannot be loaded, or ends by a bug, the message is {"id": null, "error": {…}}.
 */
import { compile } from "./module";

/** What Go's wasm_exec.js defines; the build puts it before this file. */
declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** What arrives before the engine listens. */
const early: MessageEvent[] = [];

function first(): Promise<WebAssembly.Module> {
  return new Promise((resolve) => {
    self.onmessage = (event) => {
      self.onmessage = (next) => early.push(next);
      resolve(event.data);
    };
  });
}

async function start(): Promise<void> {
  let module: WebAssembly.Module;
  if (self.location.hash === "#module") {
    module = await first();
  } else {
    self.onmessage = (event) => early.push(event);
    module = await compile(self.location.hash.slice(1), self.location.href);
  }
  const go = new Go();
  const ended = go.run(await WebAssembly.instantiate(module, go.importObject)); // the engine sets onmessage before it returns
  for (const event of early.splice(0)) {
    (self.onmessage as (event: MessageEvent) => void)(event);
  }
  await ended;
  throw new Error("the engine has ended");
}

start().catch((fault: unknown) => {
  const message = fault instanceof Error ? fault.message : String(fault);
  self.postMessage(JSON.stringify({ id: null, error: { code: "failure", message } }));
});
