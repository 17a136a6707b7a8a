const type = "application/wasm";

/**
 * Compiles an engine while it arrives. A host that compresses by itself says so in Content-Encoding. Of any other the page takes the file compressed by gzip and
 * decompresses it here, so that fewer bytes travel, or the plain one where there is no other. The type that the host states does not matter.
 */
export async function compile(file: string, base: string): Promise<WebAssembly.Module> {
  const stop = new AbortController(), plain = new URL(file, base), packed = new URL(file + ".gz", base);
  const first = await fetch(plain, { signal: stop.signal }); // what it says before the engine itself tells which form to take
  if (first.ok && isCoded(first)) return compiled(first, false);
  stop.abort();
  const small = await fetch(packed).catch(() => null);
  if (!small?.ok) return compiled(await fetch(plain), false);
  return compiled(small, !isCoded(small));
}

const isCoded = (response: Response): boolean => response.headers.get("Content-Encoding") !== null;

function compiled(response: Response, unpack: boolean): Promise<WebAssembly.Module> {
  if (!response.ok || !response.body) throw new Error(`${response.url}: the host answers with status ${response.status}`);
  if (!unpack && response.headers.get("Content-Type") === type) return WebAssembly.compileStreaming(response); // browsers keep the machine code of such a one
  const bytes = unpack ? response.body.pipeThrough(new DecompressionStream("gzip") as ReadableWritablePair<Uint8Array, Uint8Array>) : response.body;
  return WebAssembly.compileStreaming(new Response(bytes, { headers: { "Content-Type": type } }));
}
