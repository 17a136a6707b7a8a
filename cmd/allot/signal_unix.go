//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// endSignals are the signals that engines send to a task before its time is over.
var endSignals = []os.Signal{syscall.SIGUSR1}

func init() {
	signal.Ignore(syscall.SIGXFSZ) // a file that may grow no further is an error of writing to it, not the end of the program
}
