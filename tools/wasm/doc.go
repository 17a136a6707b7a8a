// Package wasm runs the js/wasm builds, of the command and of the engine of the page, under node and compares them with the native one.
package wasm
