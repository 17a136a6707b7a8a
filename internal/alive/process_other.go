//go:build !linux && !wasm

package alive

import (
	"fmt"
	"slices"

	"github.com/shirou/gopsutil/v4/host"
	ps "github.com/shirou/gopsutil/v4/process"
)

// process reports whether a process runs, and when it began, in milliseconds since 1970; 0: not known. What cannot be found out counts as running.
func process(pid int) (runs bool, started int64) {
	if exists, err := ps.PidExists(int32(pid)); err != nil || !exists {
		return err != nil, 0
	}
	p := &ps.Process{Pid: int32(pid)}
	if status, err := p.Status(); err == nil && slices.Contains(status, ps.Zombie) {
		return false, 0 // it was killed, and nobody has asked for its exit status yet
	}
	started, err := p.CreateTime()
	if err != nil {
		return true, 0
	}
	return true, started
}

// boot is when the machine was booted; empty: not known.
func boot() string {
	at, err := host.BootTime()
	if err != nil {
		return ""
	}
	return fmt.Sprint(at)
}
