// Package wasm runs the js/wasm build of the command under node and compares it with the native one.
package wasm
