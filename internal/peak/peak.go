// Package peak measures the peak memory of a program, for benchmarks and tests.
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
	return sample(20*time.Millisecond, func() float64 {
		samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		metrics.Read(samples)
		return float64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
	})
}

// Heap runs f and returns by how many bytes the heap in use grew at most meanwhile. It samples every 5 ms. Garbage is collected as often as
// Go does unless told, whatever GOGC says.
func Heap(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	inUse := func() float64 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return float64(stats.HeapInuse)
	}
	runtime.GC()
	before, end := inUse(), sample(5*time.Millisecond, inUse)
	f()
	return uint64(max(before, end()) - before)
}

// sample reads a value now, every so often and at the end. The function that it returns ends the sampling and returns the largest value.
func sample(every time.Duration, read func() float64) (end func() float64) {
	ended, most := make(chan struct{}), make(chan float64)
	highest := read()
	go func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				highest = max(highest, read())
			case <-ended:
				most <- max(highest, read())
				return
			}
		}
	}()
	return func() float64 { close(ended); return <-most }
}
