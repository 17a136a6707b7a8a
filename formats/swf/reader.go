package swf

import (
	"io"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

var _ = formats.Register(formats.Info{
	Name: formatName, Doc: "a trace in the Standard Workload Format", Example: "allot import swf --jobs 2000 --batch TRACE.swf.gz", Order: 1,
	New: func() formats.Reader { return NewReader() }, Looks: looks, Extensions: []string{".swf"},
})

var _ = formats.RegisterWriter(formats.Writer{
	Name: formatName, Doc: "a trace in the Standard Workload Format, with wait times; allot import swf reads it", Order: 1, Write: Write,
})

// looks reports whether a text has only comments, or whether the first line after them is a job. Other formats have such comments too.
func looks(begin string) bool {
	for line := range strings.Lines(begin) {
		if fields := strings.Fields(line); len(fields) > 0 && !strings.HasPrefix(fields[0], ";") {
			return len(fields) == fieldsAll && lines.Numbers(fields)
		}
	}
	return true
}

// Reader reads a trace: the whole file or a window of it. What it does with odd jobs, its parameters say; by default it drops them.
type Reader struct {
	First int `range:"[0, inf)" doc:"skip the first 'N' jobs of the file"`
	// Jobs does not count those dropped. Reading stops there.
	Jobs int `range:"[0, inf)" zero:"all" doc:"take at most 'N' jobs"`
	// Processors, if 0, are the header's MaxProcs, else its MaxNodes.
	Processors int    `range:"[0, 16777216]" zero:"as the file says" doc:"'N' processors of the system"`
	Cluster    string `doc:"'ID' of the cluster"`
	Batch      bool   `doc:"release every job at 0"`
	// AbsoluteTime contradicts Batch. Without it, arrivals count from the earliest submit time of the jobs kept.
	AbsoluteTime bool `doc:"keep the submit times as they are in the file"`
	// PreferRequested takes the number of processors that was requested, and where it is unknown the allocated one.
	PreferRequested bool   `doc:"prefer the requested number of processors to the allocated one; =false: the other way round"`
	Estimates       string `enum:"raise,keep,ignore" doc:"'POLICY' for the requested times, which become the estimates (raise: to at least the run time; ignore: no estimates)"`
	Memory          string `enum:"none,used,requested" doc:"take 'WHICH' memory from the file"`
	TooWide         string `enum:"drop,repair,keep" doc:"'ACTION' for jobs wider than the system (repair: make them as wide as the system)"`
	ZeroRuntime     string `enum:"drop,repair,keep" doc:"'ACTION' for jobs of run time 0 (repair: 1 s)"`
	UnknownRuntime  string `enum:"drop,repair" doc:"'ACTION' for jobs without a run time (repair: take the CPU time or the requested time)"`
	// UnknownProcessors is about jobs of which neither number is known.
	UnknownProcessors string `enum:"drop,repair" doc:"'ACTION' for jobs without a number of processors (repair: 1)"`
	// UnknownSubmit does not count with Batch. A job that has none above it is dropped.
	UnknownSubmit string `enum:"drop,repair" doc:"'ACTION' for jobs without a submit time (repair: that of the job above)"`
}

// NewReader makes a reader with its defaults.
func NewReader() *Reader {
	return &Reader{
		Cluster: "cluster", PreferRequested: true, Estimates: raiseEstimates, Memory: memoryNone,
		TooWide: drop, ZeroRuntime: drop, UnknownRuntime: drop, UnknownProcessors: drop, UnknownSubmit: drop,
	}
}

// open checks the parameters and begins a trace. The error is a [*params.Error] or a [*model.InputError].
func (o *Reader) open(r io.Reader, name string) (*trace, io.Reader, error) {
	if err := formats.Check(o, o.Cluster); err != nil {
		return nil, nil, err
	}
	r, faults := lines.Begin(r, name)
	t := &trace{opt: *o, faults: faults, report: &model.ImportReport{Format: formatName, File: name}, submit: -1, whole: -1}
	if o.Batch && o.AbsoluteTime {
		t.faults.At("option AbsoluteTime", "expected it without Batch, which releases every job at 0")
	}
	return t, r, t.faults.Err()
}

// Read implements [formats.Reader]. The instance has one cluster of single-processor machines of speed 1 and the jobs in the order of the
// file, neighbours of one submit time in the order of their numbers; times are in seconds. Where the header states UnixStartTime, the instance
// has the date of time 0, in the zone of TimeZoneString, unless Batch is set. A job's id is its number; where a
// number returns, -2, -3 and so on are appended. Odd jobs are dropped, repaired or kept as the parameters say, and the report
// counts each kind.
//
// The error is a [*params.Error], or a [*model.InputError] that lists the faults line by line.
// Memory grows with the jobs kept only; a line longer than 1 MiB is an error.
func (o *Reader) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	t, r, err := o.open(r, name)
	if err != nil {
		return nil, nil, err
	}
	t.copies, t.names = map[int64]int32{}, map[int64]string{}
	t.scan(lines.NewScanner(r))
	if t.width == 0 && t.faults.None() {
		t.system() // a file without jobs
	}
	t.sortTies()
	origin := t.origin()
	in, err := t.faults.BuildOf(t.instance(lines.Title(name, ".swf"), origin), len(t.jobs), t.specs(origin), func(k int) string { return "line " + strconv.Itoa(t.jobs[k].line) })
	if err != nil {
		return nil, nil, err
	}
	return in, t.report, nil
}

// What to do with an odd job. An unknown value cannot be kept: only TooWide and ZeroRuntime take keep.
const (
	drop   = "drop" // leave the job out
	repair = "repair"
	keep   = "keep" // take the job as it is
)

// What to do with the time that the user requested.
const (
	raiseEstimates  = "raise"  // the job's estimate, where the requested time is above 0, but at least the run time
	keepEstimates   = "keep"   // the same as the file has it
	ignoreEstimates = "ignore" // left out: the estimate is the run time
)

// Which memory is read, in KB per processor.
const (
	memoryNone      = "none"
	memoryUsed      = "used"
	memoryRequested = "requested"
)
