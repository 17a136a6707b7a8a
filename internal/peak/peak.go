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

// Heap runs f and returns by how many bytes the heap in use grew at most meanwhile. It samples every 5 ms.
func Heap(f func()) uint64 {
	inUse := func() uint64 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapInuse
	}
	runtime.GC()
	before, most := inUse(), uint64(0)
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			most = max(most, inUse())
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	f()
	close(done)
	<-stopped
	return max(most, inUse(), before) - before
}
