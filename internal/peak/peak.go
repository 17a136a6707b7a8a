// Package peak measures how much memory a program holds at most, for benchmarks.
package peak

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Watch gives memory that is free back to the system, then looks every 20 ms at what the process holds of it. The function that it
// returns ends this, once, and says the most, in bytes.
func Watch() (end func() float64) {
	runtime.GC()
	debug.FreeOSMemory()
	ended, most := make(chan struct{}), make(chan float64)
	go func() {
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		highest := held()
		for {
			select {
			case <-ticker.C:
				highest = max(highest, held())
			case <-ended:
				most <- max(highest, held())
				return
			}
		}
	}()
	return func() float64 { close(ended); return <-most }
}

// held is the memory that the process holds of the system, in bytes.
func held() float64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return float64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}
