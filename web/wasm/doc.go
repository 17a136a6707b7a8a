//go:build js

// Command wasm is the engines of the page: the service of package internal/service in a web worker, once with the readers of foreign formats, which few
// visits need, and once with all else. It carries the lines of `allot serve --stdio`, which docs/service.md
// states, as messages: each message from the page is one line, a text without its end, and so is each message to the page. web/src/worker.ts loads it.
//
// JavaScript has one thread. The engine works on one request at a time, and gives the worker's messages a turn some 50 times a second while it does, so that progress
// leaves at once, {"cancel": ID} arrives, and limits of time hold. Solvers ask their context whether it has ended; a context of internal/yield gives the turn then. So
// a page cancels by a message. It ends a worker only to be rid of it.
//
// # What it leaves out
//
// tools/site builds allot.wasm with the build tag page. By that, packages leave out what a page does not need: HTTP, PDF and PNG (a browser makes a PNG of the SVG), pages of
// reports, the log among the workloads, the operations compare, import, simulate and schema, and all foreign formats but the Standard Workload Format, as policies are compared
// on such traces. With the build tags page and readers it builds readers.wasm, which has the operation import alone. The answers are the bytes of the native program, which
// tools/wasm tests.
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
//	foreign formats in an engine of their own, fewer operations          19.0
//
// The engine then has 2.6 MB compressed by brotli (3.0 before the last step), and 3.7 MB by gzip. What does not make it smaller: wasm-opt -Oz of Binaryen 132 takes 13 % off the
// file, and its compressed form grows by 7 %.
package main
