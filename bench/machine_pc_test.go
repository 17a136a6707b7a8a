//go:build linux && (amd64 || 386)

package bench

import (
	"testing"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
)

// The machine is what the library says that other machines ask. The load changes every five seconds.
func TestMachine(t *testing.T) {
	before, err := load.Avg()
	if err != nil {
		t.Skip(err)
	}
	name, memory, waiting := machine()
	if after, err := load.Avg(); err != nil || *before == *after && waiting != before.Load1 {
		t.Errorf("load %v, expected %v; %v", waiting, before, err)
	}
	if list, err := cpu.Info(); err != nil || len(list) == 0 || name != list[0].ModelName {
		t.Errorf("processor %q, expected %v; %v", name, list, err)
	}
	if all, err := mem.VirtualMemory(); err != nil || memory != float64(all.Total) {
		t.Errorf("%v bytes of memory, expected %v; %v", memory, all, err)
	}
}
