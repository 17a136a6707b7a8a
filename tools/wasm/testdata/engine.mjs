// Runs an engine of the page as a browser does: node engine.mjs FOLDER ENGINE, where FOLDER has worker.js and ENGINE.gz, such as allot.wasm.gz. Lines of standard input are messages to the
// worker, and messages from it are lines of standard output, so that it is spoken to as `allot serve --stdio` is. It ends with the last answer once standard input
// has ended.
import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";

if (isMainThread) {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: process.argv.slice(2) });
  const asked = new Set();
  let ended = false;
  const end = () => ended && asked.size === 0 && process.exit(0);
  worker.on("message", (line) => {
    process.stdout.write(line + "\n");
    const { id, progress } = JSON.parse(line);
    if (progress === undefined) asked.delete(id);
    end();
  });
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      const { id } = JSON.parse(line);
      if (id !== undefined) asked.add(id);
      worker.postMessage(line);
    })
    .on("close", () => {
      ended = true;
      end();
    });
} else {
  // What a worker of a browser has and one of node has not. The host is a file server that states no type and compresses nothing.
  const [site, engine] = workerData, folder = pathToFileURL(site + "/");
  globalThis.self = globalThis;
  globalThis.location = new URL("worker.js#" + engine, folder);
  globalThis.postMessage = (line) => parentPort.postMessage(line);
  globalThis.MessageChannel = class {
    // Node hands over up to 1000 messages of a port before any other event has its turn; browsers one.
    port1 = {};
    port2 = { postMessage: (data) => setImmediate(() => this.port1.onmessage({ data })) };
  };
  globalThis.fetch = async (url, options) =>
    new Response(options?.method === "HEAD" ? null : ReadableStream.from(createReadStream(url)));
  parentPort.on("message", (data) => globalThis.onmessage({ data }));
  vm.runInThisContext(readFileSync(new URL("worker.js", folder), "utf8"));
}
