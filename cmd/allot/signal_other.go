//go:build !unix

package main

import (
	"os"
	"syscall"
)

// stopSignals are the signals besides Ctrl-C that end a run with its best schedule so far.
func stopSignals() []os.Signal { return []os.Signal{syscall.SIGTERM} }

// keepRunning does nothing: this system has no terminals that hang up.
func keepRunning(bool) {}

// keepWriting does nothing: here such a write returns an error.
func keepWriting() {}

// endSignals are the signals that engines send to a task before its time is over: this system has none.
var endSignals []os.Signal
