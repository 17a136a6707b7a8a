//go:build wasm

package bench

// machine returns what the maker calls the processor, the bytes of memory and the processes that ran or waited to: WebAssembly knows none of them.
func machine() (name string, memory, waiting float64) { return "", 0, 0 }
