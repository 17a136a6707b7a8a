package swf

import (
	"math"
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/internal/lines"
)

// Options choose the window of the trace, the system, and what to do with odd jobs. The zero value reads the whole
// file and drops odd jobs.
type Options struct {
	First int // jobs of the file to skip
	Jobs  int // most jobs to keep, not counting those dropped; 0: all. Reading stops there

	Processors int    // of the system; 0: the header's MaxProcs, else its MaxNodes
	Cluster    string // id of the one cluster; empty: "cluster"

	Batch        bool // release every job at 0
	AbsoluteTime bool // arrivals are the file's submit times; else they count from the earliest of the jobs kept

	// PreferRequested takes the requested number of processors of a job if it is known, otherwise the allocated
	// number. By default it is the other way round.
	PreferRequested bool
	Estimates       Estimates // what becomes of the requested time; empty: [KeepEstimates]
	Memory          Memory    // which memory is read; empty: none

	TooWide           Action // more processors than the system has. Repair: all of the system's
	ZeroRuntime       Action // run time 0. Repair: 1 s
	UnknownRuntime    Action // no run time. Repair: the average CPU time, else the requested time, else drop
	UnknownProcessors Action // no number of processors. Repair: 1
	UnknownSubmit     Action // no submit time, unless Batch. Repair: that of the job above it, if any, else drop
}

// Action states what to do with an odd job.
type Action string

// The actions. An unknown value cannot be kept: only TooWide and ZeroRuntime take [Keep].
const (
	Drop   Action = "drop" // leave the job out; the default
	Repair Action = "repair"
	Keep   Action = "keep" // take the job as it is
)

// Estimates states what to do with the time that the user requested.
type Estimates string

// The policies for estimates.
const (
	KeepEstimates   Estimates = "keep"   // the job's estimate, where the requested time is above 0; the default
	RaiseEstimates  Estimates = "raise"  // the same, but at least the run time
	IgnoreEstimates Estimates = "ignore" // left out: the estimate is the run time
)

// Memory says which memory is read, in KB per processor.
type Memory string

// The memories.
const (
	NoMemory        Memory = ""
	UsedMemory      Memory = "used"
	RequestedMemory Memory = "requested"
)

// withDefaults fills in the defaults and lists faults of the options.
func (o Options) withDefaults(faults *lines.Faults) Options {
	if o.Cluster == "" {
		o.Cluster = "cluster"
	}
	if o.Estimates == "" {
		o.Estimates = KeepEstimates
	}
	atMost := func(name string, n, most int) {
		if n < 0 || n > most {
			faults.At("option "+name, "expected a whole number in [0, %d], found %d", most, n)
		}
	}
	atMost("First", o.First, math.MaxInt)
	atMost("Jobs", o.Jobs, math.MaxInt)
	atMost("Processors", o.Processors, model.MaxProcessors)
	if o.Batch && o.AbsoluteTime {
		faults.At("option AbsoluteTime", "expected it without Batch, which releases every job at 0")
	}
	oneOf(faults, "Estimates", o.Estimates, KeepEstimates, RaiseEstimates, IgnoreEstimates)
	oneOf(faults, "Memory", o.Memory, NoMemory, UsedMemory, RequestedMemory)
	for _, a := range []struct {
		name   string
		action *Action
		keep   bool
	}{
		{"TooWide", &o.TooWide, true},
		{"ZeroRuntime", &o.ZeroRuntime, true},
		{"UnknownRuntime", &o.UnknownRuntime, false},
		{"UnknownProcessors", &o.UnknownProcessors, false},
		{"UnknownSubmit", &o.UnknownSubmit, false},
	} {
		if *a.action == "" {
			*a.action = Drop
		}
		if a.keep {
			oneOf(faults, a.name, *a.action, Drop, Repair, Keep)
		} else {
			oneOf(faults, a.name, *a.action, Drop, Repair)
		}
	}
	return o
}

// oneOf lists an option that has none of the values it may have.
func oneOf[T ~string](faults *lines.Faults, name string, value T, allowed ...T) {
	var list []string
	for _, a := range allowed {
		if a == value {
			return
		}
		if a != "" {
			list = append(list, string(a))
		}
	}
	faults.At("option "+name, "expected one of %s, found %s", strings.Join(list, ", "), lines.Quote(string(value)))
}
