//go:build unix

package main

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// stopSignals are the signals besides Ctrl-C that end a run with its best schedule so far. A hangup is ignored where nohup says so, and after a signal that ended a run.
func stopSignals() []os.Signal {
	if nohup || ended.Load() {
		return []os.Signal{syscall.SIGTERM}
	}
	return []os.Signal{syscall.SIGTERM, syscall.SIGHUP}
}

// nohup says that the program was started so that hangups do not end it.
var nohup = signal.Ignored(syscall.SIGHUP)

// ended says that a signal has ended a run.
var ended atomic.Bool

// keepRunning ignores hangups from here on, and after a signal also in what is interruptible later. A terminal that closes sends more than one: the shell's, and the
// system's when the shell has ended. The second one must not end the program before it has written its files.
// The program receives the hangups and drops them. If it ignored them, every program that it starts from here on would ignore them too.
func keepRunning(signalled bool) {
	if signalled {
		ended.Store(true)
	}
	signal.Notify(hangups, syscall.SIGHUP)
}

// hangups receives the hangups that no longer matter.
var hangups = make(chan os.Signal, 1)

// keepWriting lets a write to a pipe that nobody reads return an error; otherwise it ends the program.
func keepWriting() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// endSignals are the signals that engines send to a task before its time is over.
var endSignals = []os.Signal{syscall.SIGUSR1}

func init() {
	signal.Ignore(syscall.SIGXFSZ) // a file that may grow no further is an error of writing to it, not the end of the program
}
