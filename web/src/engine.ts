/** The engine in a worker. It takes requests as lines, see docs/service.md, and answers them in any order. */
import { compile } from "./module";
import { parameters } from "./raw";

export interface Fault { path: string; message: string }

/** What the engine says is wrong. */
export class EngineError extends Error {
  constructor(readonly code: string, message: string, readonly faults: Fault[] = []) { super(message); }
}

interface Waiting {
  done: (text: string) => void;
  failed: (fault: Error) => void;
  progress: ((text: string) => void) | undefined;
}

let compiled: Promise<WebAssembly.Module> | undefined;

/** The engine, fetched and compiled once for all workers. One that did not arrive is fetched again when it is asked for again. Whoever waits for it knows that it has arrived. */
export function arrived(): Promise<WebAssembly.Module> {
  const module = compiled ??= compile("allot.wasm", document.baseURI);
  module.catch(() => { if (compiled === module) compiled = undefined; });
  return module;
}

/** One worker with an engine. */
export class Engine {
  private readonly worker = new Worker("worker.js#module");
  private readonly waiting = new Map<number, Waiting>();
  private early: string[] | null = []; // requests before the worker has its module
  private last = 0;
  /** Settles when the engine listens. */
  readonly ready: Promise<void>;
  private listens: () => void = () => undefined;
  private ended: Error | undefined;

  constructor() {
    this.ready = new Promise((done) => { this.listens = done; });
    this.worker.onmessage = (event) => this.receive(event.data as string);
    this.worker.onerror = (event) => this.end(new EngineError("failure", event.message || "the engine ended"));
    arrived().then((module) => {
      this.worker.postMessage(module); // the worker takes it as its first message
      this.early?.forEach((line) => this.worker.postMessage(line));
      this.early = null;
    }, (fault: Error) => this.end(fault));
  }

  /** Whether the worker has ended. */
  get over(): boolean { return this.ended !== undefined; }

  /** Asks for an operation and gets the text of its result. Progress comes as texts too. */
  ask(method: string, request: Record<string, unknown>, progress?: (text: string) => void, named?: (id: number) => void): Promise<string> {
    const id = ++this.last;
    named?.(id);
    return new Promise((done, failed) => {
      if (this.ended) return failed(this.ended);
      this.waiting.set(id, { done, failed, progress });
      this.send(`{"id":${id},"method":"${method}"${progress ? ',"progress":true' : ""},"params":${parameters(request)}}`);
    });
  }

  /** Asks for an operation and gets its result. */
  async call<T>(method: string, request: Record<string, unknown>, progress?: (text: string) => void): Promise<T> {
    return JSON.parse(await this.ask(method, request, progress)) as T;
  }

  /** Ends a request, which is then answered with the best so far. */
  cancel(id: number): void {
    this.send(`{"cancel":${id}}`);
  }

  /** Ends the worker, and what it works on. */
  close(): void {
    this.end(new EngineError("cancelled", "stopped"));
  }

  private send(line: string): void {
    if (this.early) this.early.push(line);
    else this.worker.postMessage(line);
  }

  private end(fault: Error): void {
    this.ended = fault;
    this.listens(); // whoever waits learns of it by the next request
    this.worker.terminate();
    for (const one of this.waiting.values()) one.failed(fault);
    this.waiting.clear();
  }

  private receive(line: string): void {
    const found = /^\{"id":(\d+|null),"(progress|result|error)":/.exec(line);
    if (!found) return this.listens(); // the greeting
    const text = line.slice(found[0].length, -1), one = this.waiting.get(Number(found[1]));
    if (found[1] === "null") return this.end(errorOf(text));
    if (!one) return;
    if (found[2] === "progress") return one.progress?.(text);
    this.waiting.delete(Number(found[1]));
    if (found[2] === "result") one.done(text);
    else one.failed(errorOf(text));
  }
}

function errorOf(text: string): EngineError {
  const said = JSON.parse(text) as { code: string; message: string; faults?: Fault[] };
  return new EngineError(said.code, said.message, said.faults);
}
