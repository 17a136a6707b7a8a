//go:build wasm

package alive

// process reports that a process runs: WebAssembly knows of no other processes, and what cannot be found out counts as running.
func process(int) (runs bool, started int64) { return true, 0 }

// boot is when the machine was booted, which WebAssembly does not know.
func boot() string { return "" }
