package alive

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ticks is how many ticks of the clock of /proc a second has. Linux shows 100 to programs, whatever clock it was built with.
const ticks = 100

// process reports whether a process runs, and when it began, in milliseconds since 1970, to a second or so; 0: not known. What cannot be found out counts as
// running. It reads what Linux shows of the process. The library that other systems need imports package net, with which a build from nothing compiles C.
func process(pid int) (runs bool, started int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil { // it ended, it is hidden, or there is no /proc
		return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH), 0
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // the name in brackets may hold anything
	const state, threads, start = 0, 17, 19
	if len(fields) <= start {
		return true, 0
	}
	// It was killed, and nobody has asked for its exit status yet. While it has more threads than the first one, another may still end a write that it has begun.
	if dead := fields[state] == "Z" || fields[state] == "X"; dead && (fields[threads] == "0" || fields[threads] == "1") {
		return false, 0
	}
	after, err := strconv.ParseInt(fields[start], 10, 64)
	var now syscall.Sysinfo_t
	if err != nil || syscall.Sysinfo(&now) != nil {
		return true, 0
	}
	return true, time.Now().Add(-time.Duration(now.Uptime)*time.Second).UnixMilli() + after*1000/ticks
}

// boot is the id of this boot of the machine and the space of process ids that this program is in; empty: not known.
func boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, _ := os.Readlink("/proc/self/ns/pid") // without it, all processes are taken for one space
	return strings.TrimSpace(string(id)) + " " + space
}
