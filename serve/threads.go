package serve

import "runtime"

// Prepare fits the Go runtime to a service with these limits; it is for programs that do nothing else. Call it after the limits have been made.
//
// Each run gets a thread of its own. Otherwise the runtime gives each run 10 ms in turn: of 32 runs on 2 processors, one that has been told to end goes on for up to 160 ms, and
// whoever reads or writes a piece of a request waits as long. The system gives shorter turns, and first to those that have waited.
func Prepare(l Limits) {
	if now := runtime.GOMAXPROCS(0); now < mostThreads {
		runtime.GOMAXPROCS(min(l.Runs+now, mostThreads))
	}
	ballast = make([]byte, ballastBytes)
}

// mostThreads bounds the threads that work at once.
const mostThreads = 256

// ballast is memory that nobody touches, so that it takes none. The collector lets the heap grow by as much as is there before it collects. Without it a service collects many
// times a second, because answers are small, and each time stops all runs.
var ballast []byte //nolint:unused // it is there to be held

const ballastBytes = 64 << 20
