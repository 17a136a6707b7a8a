// Package serve is allot as a service: one protocol with two carriers, HTTP and lines of JSON on standard input and output. docs/service.md states the protocol.
//
// An [Operation] is one thing that a client can ask for. [Operations] is the table of all; the routes of HTTP, the methods of the lines and the OpenAPI document are
// made of it. To add one, write its handler in a file of its own and its entry into the table.
//
// A [Service] admits requests within its [Limits], runs them and knows the runs under way by their names. It trusts no client: bodies, instances, runs and memory
// are bounded, a fault in a request is answered with its JSON path, and a panic of a solver ends that run alone.
package serve
