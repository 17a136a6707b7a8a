// Package peak measures the peak memory of a program, for benchmarks.
package peak

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Watch returns free memory to the system and then samples every 20 ms how much memory the process holds. The function that it returns
// ends the sampling and returns the peak in bytes. Call that function once.
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

// held returns the memory that the process holds, in bytes.
func held() float64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return float64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}
