//go:build js

// Command wasm is the engine of the page: the service of package serve in a web worker. It carries the lines of `allot serve --stdio`, which docs/service.md
// states, as messages: each message from the page is one line, a text without its end, and so is each message to the page. web/src/worker.ts loads it.
//
// JavaScript has one thread. The engine works on one request at a time, and gives the worker's messages a turn some 50 times a second while it does, so that progress
// leaves at once, {"cancel": ID} arrives, and limits of time hold. Solvers ask their context whether it has ended; a context of kit.Yield gives the turn then. So
// a page cancels by a message. It ends a worker only to be rid of it.
//
// It is a plain build for js/wasm, with -trimpath and without the tables of a debugger: 33.6 MB, 5.9 MB by brotli, 8.5 MB by gzip (30 November 2026). The answers are the bytes of the
// native program, which tools/wasm tests. Without net/http, which a page does not call, it would have 1.4 MB less before compression.
package main
