//go:build js

// Command wasm is the engine of the page: the service of package internal/service in a web worker. It carries the lines of `allot serve --stdio`, which docs/service.md
// states, as messages: each message from the page is one line, a text without its end, and so is each message to the page.
//
// JavaScript has one thread. The engine works on one request at a time, and gives the worker's messages a turn some 50 times a second while it does, so that progress
// leaves at once, {"cancel": ID} arrives, and limits of time hold.
package main
