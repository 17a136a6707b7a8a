/** The file of the engine beside the script that asks, and its compressed form for hosts that do not compress. */
const file = "allot.wasm";

/**
 * Compiles the engine while it arrives. A host that compresses by itself says so in Content-Encoding. Of any other the page takes the file compressed by gzip and
 * decompresses it here, so that no more bytes travel. The type that the host states does not matter.
 */
export async function compile(base: string): Promise<WebAssembly.Module> {
  const head = await fetch(new URL(file, base), { method: "HEAD" });
  const compressed = head.ok && head.headers.get("Content-Encoding") !== null;
  const response = await fetch(new URL(compressed ? file : file + ".gz", base));
  if (!response.ok || !response.body) {
    throw new Error(`${response.url}: the host answers with status ${response.status}`);
  }
  let bytes: ReadableStream<Uint8Array> = response.body;
  if (!compressed && response.headers.get("Content-Encoding") === null) {
    bytes = bytes.pipeThrough(new DecompressionStream("gzip") as ReadableWritablePair<Uint8Array, Uint8Array>);
  }
  return WebAssembly.compileStreaming(new Response(bytes, { headers: { "Content-Type": "application/wasm" } }));
}
