// Package alive tells whether a process that has left something on a disk still runs.
package alive

import (
	"math"
	"os"
	"sync"
)

// Runs reports whether a process of this machine runs that began at a time in milliseconds since 1970; 0: not known. What cannot be found out counts as running.
func Runs(pid int, began int64) bool {
	const adjusted = 10_000 // ms: the time is by a clock that people may set right
	runs, started := process(pid)
	return runs && (started == 0 || began == 0 || math.Abs(float64(started-began)) < adjusted)
}

// Began is when a process began, in milliseconds since 1970; 0: not known.
func Began(pid int) int64 {
	_, started := process(pid)
	return started
}

// Own is when this process began.
var Own = sync.OnceValue(func() int64 { return Began(os.Getpid()) })

// Machine tells apart hosts, boots of them and the spaces of process ids in them; empty: it cannot.
var Machine = sync.OnceValue(boot)
