package bench

import (
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/allot-opt/allot/solve"
)

// Environment describes the machine and the build of a run. A field whose value could not be found out is absent.
type Environment struct {
	Shard  string  `json:"shard,omitempty"`                     // K/N, or steal; absent: the whole suite
	Host   string  `json:"host,omitempty"`                      // its name
	Date   string  `json:"date"`                                // when it began, in UTC, as 2006-01-02T15:04:05Z
	Commit string  `json:"commit,omitempty"`                    // of the sources of allot, with -dirty where they were changed since
	Go     string  `json:"go,omitempty"`                        // version of the compiler
	System string  `json:"system,omitempty"`                    // operating system and kind of processor, as linux/amd64
	CPU    string  `json:"cpu,omitempty"`                       // as its maker calls it
	Cores  int     `json:"cores,omitempty" check:"counter"`     // that the program may use
	Memory float64 `json:"memory_bytes,omitempty" check:"time"` // of the machine
	Load   float64 `json:"load" check:"time"`                   // processes that ran or waited to, mean of the minute before it began

	// PeakLoad is the greatest mean of a minute when one of its runs ended, the runs themselves among the processes; absent: never above Cores, or not recorded.
	PeakLoad float64 `json:"peak_load,omitempty" check:"time"`
}

// environment returns the current environment of this program.
func environment(opt RunOptions) Environment {
	name, _ := os.Hostname() // a host without a name is told by the rest
	e := Environment{
		Shard: opt.part(), Host: name,
		Date: time.Now().UTC().Format(time.RFC3339), Commit: Commit(), Go: runtime.Version(),
		System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(),
	}
	e.CPU, e.Memory, e.Load = machine()
	return e
}

// Commit returns the commit of the sources that the program was built from, or an empty text if the build does not state it.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision := solve.RevisionOf(info)
	commit := revision.Commit[:min(12, len(revision.Commit))]
	if revision.Modified && commit != "" {
		commit += "-dirty"
	}
	return commit
}

// Load returns the processes that run or wait to on this machine, mean of the last minute (0: not known), and the cores that the program may use.
func Load() (processes float64, cores int) {
	_, _, processes = machine()
	return processes, runtime.NumCPU()
}
