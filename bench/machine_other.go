//go:build (!linux || (!amd64 && !386)) && !wasm

package bench

import (
	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
)

// machine returns what the maker calls the processor, the bytes of memory and the processes that ran or waited to, mean of the last minute. What is not known
// is empty or 0.
func machine() (name string, memory, waiting float64) {
	if list, err := cpu.Info(); err == nil && len(list) > 0 {
		name = list[0].ModelName
	}
	if all, err := mem.VirtualMemory(); err == nil {
		memory = float64(all.Total)
	}
	if average, err := load.Avg(); err == nil {
		waiting = average.Load1
	}
	return name, memory, waiting
}
