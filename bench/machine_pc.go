//go:build linux && (amd64 || 386)

package bench

import (
	"os"
	"strconv"
	"strings"
)

// machine returns what the maker calls the processor, the bytes of memory and the processes that ran or waited to, mean of the last minute. What is not known
// is empty or 0. It reads the files that the library for other machines reads here, without the time that the library takes to compile.
func machine() (cpu string, memory, load float64) {
	if kib, err := strconv.ParseFloat(strings.TrimSuffix(fact("/proc/meminfo", "MemTotal"), " kB"), 64); err == nil {
		memory = kib * 1024
	}
	text, _ := os.ReadFile("/proc/loadavg")
	minute, _, _ := strings.Cut(string(text), " ")
	load, _ = strconv.ParseFloat(minute, 64)
	return fact("/proc/cpuinfo", "model name"), memory, load
}

// fact is the first value of a key in a file with a key and a value in each line.
func fact(file, key string) string {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
