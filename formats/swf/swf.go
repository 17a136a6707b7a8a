// Package swf reads batch-job traces in the Standard Workload Format, version 2.2, of the Parallel Workloads Archive.
//
// Sources: S. J. Chapin, W. Cirne, D. G. Feitelson, J. P. Jones, S. T. Leutenegger, U. Schwiegelshohn, W. Smith, D. Talby,
// "Benchmarks and standards for the evaluation of parallel job schedulers", JSSPP 1999, DOI 10.1007/3-540-47954-6_4;
// D. G. Feitelson, D. Tsafrir, D. Krakov, "Experience with using the Parallel Workloads Archive", J. Parallel and
// Distributed Computing 74(10), 2014, DOI 10.1016/j.jpdc.2014.06.013.
//
// A line is a job of 18 fields, numbers apart by blanks, and −1 is unknown. A [Reader] needs these:
//
//	1 job number             the job's id
//	2 submit time, s         the job's arrival
//	4 run time, s            the job's work, on processors of speed 1
//	5 allocated processors   the job's processors, where above 0
//	6 average CPU time, s    only to repair an unknown run time
//	7 used memory, KB        per processor; by option
//	8 requested processors   the job's processors, where the allocated are unknown
//	9 requested time, s      the job's estimate, where above 0
//	10 requested memory, KB  per processor; by option
//	12 user, 13 group        the job's user and group, as numbers
//	15 queue                 the job's queue, as a number
//
// Of the status (11) it only matters whether it is 2, 3 or 4: such a line is of a part of a job, and is left out behind the line of the whole job.
// The rest (wait time, executable, partition, preceding job, think time) is not looked at: a preceding job is part of a model of
// users that wait, not a precedence between jobs that are all known. A user, group or queue that is no whole number is unknown.
//
// Lines that begin with ; are comments; those before the first job are the header, of which MaxProcs, MaxNodes, UnixStartTime and TimeZoneString count;
// the report counts a Version that is none of 1, 2, 2.1 and 2.2.
// Blank lines are passed over. Whole numbers may be written with a point. Every negative value is unknown. A line of 5 to 17
// fields is read with the missing ones unknown, and fields past the 18th are ignored; the report counts both.
package swf

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// formatName is the name of the format in reports.
const formatName = "swf"

// trace is a file being read.
type trace struct {
	opt    Reader
	faults *lines.Faults
	report *model.ImportReport
	header header
	width  int // processors of the system; 0: not known yet
	jobs   []job
	copies map[int64]int32 // jobs kept so far by number
	whole  int64           // the number of the last line that is no part of a job
	submit float64         // last known submit time; −1: none yet
	fields [][]byte        // of the line being read
	oddity []oddity        // what is odd about the job being judged
	names  map[int64]string
}

// job is a job that is kept. It is a fraction of the size of a model.JobSpec, which matters for traces of millions.
type job struct {
	number     int64
	copy       int32 // 1 for the first job with its number, 2 for the second, and so on
	processors int32
	line       int
	submit     float64
	runtime    float64
	estimate   float64 // −1: none
	requested  float64 // what the estimate was before it was raised; 0: it was not
	memory     float64
	names      [3]int64 // user, group and queue; −1: unknown
}

// scan reads the lines and keeps the jobs of the window.
func (t *trace) scan(s *lines.Scanner) {
	defer s.Check(t.faults)
	for s.Scan() {
		kept := len(t.jobs)
		if !t.take(s.Line(), s.Bytes()) || !t.faults.Names("line "+strconv.Itoa(s.Line()), (len(t.jobs)-kept)*budget.NamesOf[job]()) || t.opt.Jobs > 0 && len(t.jobs) == t.opt.Jobs {
			return
		}
	}
}

// take takes a line; false: nothing more can be read.
func (t *trace) take(number int, text []byte) bool {
	line := bytes.TrimSpace(text)
	switch {
	case len(line) == 0:
		return true
	case line[0] == ';':
		if t.width == 0 {
			t.version(number, line[1:])
			t.header.read(number, line[1:])
		}
		return true
	case t.width == 0 && (line[0] == '{' || line[0] == '['):
		t.faults.Line(number, "expected a trace in the Standard Workload Format, found what looks like JSON")
		return false
	case t.report.Skipped < t.opt.First:
		t.report.Skipped++
		return true
	case t.width == 0 && !t.system():
		return false
	}
	t.report.Read++
	t.fields = split(line, t.fields[:0])
	var values record
	if t.parse(number, t.fields, &values) {
		t.judge(number, &values)
	}
	return true
}

// sortTies orders neighbours of one submit time by their numbers, which the format counts in order of submission.
func (t *trace) sortTies() {
	for from := 0; from < len(t.jobs); {
		to := from + 1
		for to < len(t.jobs) && t.jobs[to].submit == t.jobs[from].submit {
			to++
		}
		slices.SortStableFunc(t.jobs[from:to], func(a, b job) int { return cmp.Compare(a.number, b.number) })
		from = to
	}
}

// instance is the instance of the jobs kept, without them.
func (t *trace) instance(title string, origin float64) model.InstanceSpec {
	spec := model.InstanceSpec{
		Name:     title,
		Units:    &model.Units{Time: "s"},
		Clusters: []model.ClusterSpec{{ID: t.opt.Cluster, Machines: []model.MachineSpec{{ID: "node", Count: t.width}}}},
	}
	if t.opt.Memory != memoryNone {
		spec.Units.Memory = "KB"
	}
	if begin, err := lines.NonNegative(t.header.start.text); err == nil && begin > 0 && begin+origin <= model.Largest && !t.opt.Batch { // logs without a date state 0
		spec.TimeZero = new(begin + origin)
		if zone := t.header.zone.text; zone != "" && len(zone) <= 100 {
			spec.TimeZone = lines.Name(zone)
		}
	}
	return spec
}

// specs hands out the jobs kept one by one, each in the place of the one before.
func (t *trace) specs(origin float64) func(k int) *model.JobSpec {
	var spec model.JobSpec
	return func(k int) *model.JobSpec {
		j := &t.jobs[k]
		spec = model.JobSpec{
			ID:         strconv.FormatInt(j.number, 10),
			Processors: model.Rigid(int(j.processors)),
			Work:       &j.runtime,
			Memory:     j.memory,
			User:       t.name(j.names[0]),
			Group:      t.name(j.names[1]),
			Queue:      t.name(j.names[2]),
		}
		if j.copy > 1 {
			spec.ID += "-" + strconv.Itoa(int(j.copy))
		}
		if !t.opt.Batch {
			spec.Arrival = j.submit - origin
		}
		if j.estimate >= 0 {
			spec.Estimate = &j.estimate
			if j.requested > 0 {
				spec.Requested = &j.requested
			}
		}
		return &spec
	}
}

// name is the number of a user, group or queue as a text; empty: unknown. Equal texts share one copy in memory.
func (t *trace) name(number int64) string {
	if number < 0 {
		return ""
	}
	text, known := t.names[number]
	if !known {
		text = strconv.FormatInt(number, 10)
		t.names[number] = text
	}
	return text
}

// origin is the submit time from which arrivals count: the earliest, which is that of the first job if the file is
// sorted as the format demands.
func (t *trace) origin() float64 {
	if t.opt.AbsoluteTime || len(t.jobs) == 0 {
		return 0
	}
	earliest := t.jobs[0].submit
	for k := range t.jobs {
		earliest = min(earliest, t.jobs[k].submit)
	}
	return earliest
}
