//go:build js

// Command wasm is the engine of the page: the service of package internal/service in a web worker. It carries the lines of `allot serve --stdio`, which docs/service.md
// states, as messages: each message from the page is one line, a text without its end, and so is each message to the page. web/src/worker.ts loads it.
//
// JavaScript has one thread. The engine works on one request at a time, and gives the worker's messages a turn some 50 times a second while it does, so that progress
// leaves at once, {"cancel": ID} arrives, and limits of time hold. Solvers ask their context whether it has ended; a context of internal/yield gives the turn then. So
// a page cancels by a message. It ends a worker only to be rid of it.
//
// # What it leaves out
//
// tools/site builds it with the build tag page. By that, packages leave out what a page does not need: HTTP, PDF and PNG (a browser makes a PNG of the SVG), pages of
// reports, and the log among the workloads. The answers are the bytes of the native program, which tools/wasm tests.
//
// # How it is made small
//
// The build takes more steps than a build of the command. Each is the size of the file, and that of the file after xz -1, in MB, on 28 November 2026:
//
//	the whole command for js/wasm                                        50.3
//	the engine alone                                                     27.4
//	without what a page does not need                                    23.6
//	without what only stack traces need, data in fewer segments          23.2    3.98
//	small functions put into their callers in the hot packages alone     23.3    3.81
//	sorts of slices by a function share their code                       22.2    3.62
//	without inlining in more packages                                    22.0    3.55
//
// The engine then had 3.0 MB compressed by brotli, and 4.4 MB by gzip.
package main
