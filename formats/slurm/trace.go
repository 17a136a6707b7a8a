package slurm

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/internal/lines"
	"github.com/allot-opt/allot/model"
)

// traceFormat is the name of the format of traces in reports.
const traceFormat = "sacct"

// maxTrace is the most jobs of a trace.
const maxTrace = 20_000_000

var _ = formats.Register(formats.Info{
	Name: traceFormat, Doc: "a trace of Slurm: what sacct -P prints, or the lines of JobComp's filetxt",
	Example: "allot import sacct --processors 1024 sacct.txt", Order: 5,
	New: func() formats.Reader { return NewTraceReader() },
	Looks: func(begin string) bool {
		return strings.HasPrefix(begin, "JobId=") || strings.HasPrefix(begin, "JobID|")
	},
})

// TraceReader reads jobs that have ended: what sacct -P prints, with columns JobID, Submit, Start, End and NCPUS or AllocCPUS at least, or the lines of
// the plugin jobcomp/filetxt. A job's arrival is its submission, its work the time that it ran and its estimate the time limit, raised to the time
// that it ran; a job without a limit has no estimate. Steps are skipped. Local times are taken as they are: if clocks were changed between two times,
// their difference is wrong by that change. With SLURM_TIME_FORMAT=%s, sacct prints times without this problem.
type TraceReader struct {
	Processors int    `range:"[0, 16777216]" zero:"the most that ran jobs at one time" doc:"'N' processors of the system"`
	Cluster    string `doc:"'ID' of the cluster"`
}

// NewTraceReader makes a reader with its defaults.
func NewTraceReader() *TraceReader { return &TraceReader{Cluster: "cluster"} }

// trace is a trace being read.
type trace struct {
	faults *lines.Faults
	report *model.ImportReport
	column map[string]int // of sacct's header
	width  int            // columns
	jobs   []past
	seen   map[string]int
	texts  map[string]string
	line   int // the last
}

// lastByte keeps the last byte that was read.
type lastByte struct {
	r    io.Reader
	last byte
}

// Read implements io.Reader.
func (l *lastByte) Read(buffer []byte) (int, error) {
	n, err := l.r.Read(buffer)
	if n > 0 {
		l.last = buffer[n-1]
	}
	return n, err
}

// past is a job that has ended.
type past struct {
	id                 string
	line               int
	submit, start, end float64
	limit              float64 // s; 0: none
	processors         int32
	user, group, queue string
}

// fields are the values that a job needs, by the names that sacct and JobComp give them.
type fields func(names ...string) string

// Read implements [formats.Reader]. The instance has one cluster of single-processor machines. The error is a [*params.Error], or a [*model.InputError]
// with the line of what is wrong.
func (o *TraceReader) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := formats.Check(o, o.Cluster); err != nil {
		return nil, nil, err
	}
	t := &trace{faults: lines.NewFaults(name), report: &model.ImportReport{Format: traceFormat, File: name}, seen: map[string]int{}, texts: map[string]string{}}
	end := &lastByte{r: r}
	t.scan(bufio.NewReader(end))
	if end.last != '\n' && t.faults.None() {
		t.report.NoteLine(model.ImportKept, "the last line has no end: the file may be cut short, and the last value too", max(t.line, 1))
	}
	if err := t.faults.Err(); err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(t.jobs, func(a, b past) int { return cmp.Compare(a.submit, b.submit) })
	processors := o.Processors
	if processors == 0 {
		processors = t.busiest()
	}
	origin := math.Inf(1)
	specs := make([]model.JobSpec, len(t.jobs))
	for k := range t.jobs {
		origin = min(origin, t.jobs[k].submit)
	}
	for k := range t.jobs {
		j := &t.jobs[k]
		work := j.end - j.start
		specs[k] = model.JobSpec{
			ID: j.id, Arrival: j.submit - origin, Processors: model.Rigid(int(j.processors)), Work: &work, User: j.user, Group: j.group, Queue: j.queue,
		}
		if j.limit > 0 {
			limit := max(j.limit, work)
			specs[k].Estimate = &limit
		}
	}
	return t.faults.Import(model.InstanceSpec{
		Name:     lines.Title(name, ".txt", ".csv"),
		Units:    &model.Units{Time: "s"},
		Clusters: []model.ClusterSpec{{ID: o.Cluster, Machines: []model.MachineSpec{{ID: "node", Count: processors}}}},
		Jobs:     specs,
	}, t.report, func(k int) string { return "line " + strconv.Itoa(t.jobs[k].line) })
}

// scan reads the lines.
func (t *trace) scan(r io.Reader) {
	scanner := lines.NewScanner(r)
	defer scanner.Check(t.faults)
	for scanner.Scan() && t.report.Read <= maxTrace {
		line := string(bytes.TrimSpace(scanner.Bytes()))
		t.line = scanner.Line()
		switch {
		case line == "":
		case strings.HasPrefix(line, "JobId="):
			t.job(scanner.Line(), jobComp(line))
		case t.column == nil:
			if !t.header(scanner.Line(), line) {
				return
			}
		default:
			cells := strings.Split(line, "|")
			if len(cells) < t.width {
				t.faults.Line(scanner.Line(), "expected %d cells apart by |, found %d", t.width, len(cells))
				continue
			}
			t.job(scanner.Line(), func(names ...string) string {
				for _, name := range names {
					if k, found := t.column[name]; found && cells[k] != "" {
						return cells[k]
					}
				}
				return ""
			})
		}
	}
	if t.column == nil && t.report.Read == 0 && t.faults.None() {
		t.faults.At("", "expected what sacct -P prints, or lines of JobComp's filetxt; found an empty file")
	}
}

// header reads the names of sacct's columns.
func (t *trace) header(line int, text string) bool {
	if strings.HasPrefix(text, "{") {
		t.faults.Line(line, "expected what sacct -P prints, or lines of JobComp's filetxt; found JSON: allot import slurm --jobs reads that of squeue")
		return false
	}
	t.column = map[string]int{}
	names := strings.Split(strings.TrimSuffix(text, "|"), "|")
	t.width = len(names)
	for k, name := range names {
		if _, twice := t.column[name]; twice {
			t.faults.Line(line, "expected each column once, found %s again", lines.Quote(name))
		}
		t.column[name] = k
	}
	for _, needed := range []string{"JobID", "Submit", "Start", "End"} {
		if _, found := t.column[needed]; !found {
			t.faults.Line(line, "expected a column %s among those of sacct -P, found none", needed)
		}
	}
	return t.faults.None()
}

// jobCompKeys are the names of JobComp's lines in their order. A value may hold blanks and other words with an = in them, such as a job's name.
var jobCompKeys = []string{
	"JobId", "UserId", "GroupId", "Name", "JobState", "Partition", "TimeLimit", "StartTime", "EndTime", "NodeList", "NodeCnt", "ProcCnt", "WorkDir",
	"ReservationName", "Tres", "Account", "QOS", "WcKey", "Cluster", "SubmitTime", "EligibleTime", "ArrayJobId", "ArrayTaskId", "HetJobId", "HetJobOffset",
	"DerivedExitCode", "ExitCode",
}

// jobComp splits a line of JobComp's filetxt. Keys stand in their order, so the last place at which a key can stand before the next is its own.
func jobComp(line string) fields {
	values := map[string]string{}
	rest := " " + line
	submitted := strings.LastIndex(rest, " SubmitTime=") // what is not there need not be looked for in the names before it
	for k := len(jobCompKeys) - 1; k >= 0; k-- {
		key := " " + jobCompKeys[k] + "="
		optional := k > slices.Index(jobCompKeys, "SubmitTime")
		if cut := strings.LastIndex(rest, key); cut >= 0 && (!optional || cut > submitted) {
			values[jobCompKeys[k]] = strings.TrimSpace(rest[cut+len(key):])
			rest = rest[:cut]
		}
	}
	if array, task := values["ArrayJobId"], values["ArrayTaskId"]; array != "" && task != "" {
		values["JobId"] = array + "_" + task
	}
	for _, key := range []string{"UserId", "GroupId"} {
		values[key], _, _ = strings.Cut(values[key], "(")
	}
	return func(names ...string) string {
		for _, name := range names {
			if values[name] != "" {
				return values[name]
			}
		}
		return ""
	}
}

// job takes a job.
func (t *trace) job(line int, value fields) {
	id := value("JobID", "JobId")
	if strings.Contains(id, ".") {
		return // a step
	}
	if t.report.Read++; t.report.Read > maxTrace {
		t.faults.Line(line, "expected at most %d jobs, found more", maxTrace)
		return
	}
	j := past{id: lines.Name(id), line: line, user: t.text(value("User", "UserId", "UID")), group: t.text(value("Account", "Group", "GroupId")), queue: t.text(value("Partition"))}
	right := true
	moment := func(what string) float64 {
		x, err := parseMoment(value(what, what+"Time"))
		if err != nil {
			t.faults.Line(line, "%s: %s", what, err)
			right = false
		}
		return x
	}
	j.submit, j.start, j.end = moment("Submit"), moment("Start"), moment("End")
	cpus := value("NCPUS", "AllocCPUS", "ProcCnt", "ReqCPUS")
	n, err := lines.Whole(cmp.Or(cpus, "0"), 0)
	if err != nil {
		t.faults.Line(line, "NCPUS: %s", err)
		right = false
	}
	j.processors = int32(n)
	minutes, known, err := parseLimit(cmp.Or(value("TimelimitRaw"), value("Timelimit", "TimeLimit")))
	if err != nil {
		t.faults.Line(line, "Timelimit: %s", err)
		right = false
	}
	if known {
		j.limit = minutes * 60
	}
	if id == "" {
		t.faults.Line(line, "JobID: expected the id of a job, found none")
		right = false
	}
	if !right {
		return
	}
	t.keep(&j)
}

// keep keeps a job that ran, or says why not.
func (t *trace) keep(j *past) {
	drop := func(reason string) { t.report.NoteLine(model.ImportDropped, reason, j.line) }
	switch {
	case j.start == 0:
		drop("the job has not started")
	case j.end == 0:
		drop("the job has not ended")
	case j.submit == 0:
		drop("no time of submission")
	case j.processors == 0:
		drop("no number of processors")
	case j.end < j.start || j.start < j.submit:
		drop("the job starts before its submission, or ends before its start")
	case j.end == j.start:
		drop("run time 0")
	default:
		if t.seen[j.id]++; t.seen[j.id] > 1 { // it was requeued
			j.id += "-" + strconv.Itoa(t.seen[j.id])
			t.report.NoteLine(model.ImportRepaired, "job id not unique, as of a job that was requeued: a suffix is appended", j.line)
		}
		if j.limit == 0 {
			t.report.NoteLine(model.ImportKept, "no time limit: no estimate", j.line)
		} else if j.limit < j.end-j.start {
			t.report.NoteLine(model.ImportRepaired, "run time above the time limit: the estimate is raised to it", j.line)
		}
		t.report.Kept++
		t.jobs = append(t.jobs, *j)
	}
}

// text returns the name; equal names share one copy in memory.
func (t *trace) text(name string) string {
	known, found := t.texts[name]
	if !found {
		known = strings.Clone(lines.Name(name))
		t.texts[known] = known
	}
	return known
}

// busiest is the most processors that the jobs held at one time, and no fewer than the widest has.
func (t *trace) busiest() int {
	type change struct {
		at float64
		by int
	}
	var changes []change
	for k := range t.jobs {
		j := &t.jobs[k]
		changes = append(changes, change{j.start, int(j.processors)}, change{j.end, -int(j.processors)})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	most, held := 1, 0
	for _, c := range changes {
		held += c.by
		most = max(most, held)
	}
	return most
}

// parseMoment reads a time such as 2025-05-20T15:41:05, or in Unix seconds; 0: unknown.
func parseMoment(text string) (float64, error) {
	switch strings.ToLower(text) {
	case "", "unknown", "none", "n/a":
		return 0, nil
	}
	if moment, err := time.Parse("2006-01-02T15:04:05", text); err == nil && moment.Unix() > 0 {
		return float64(moment.Unix()), nil
	}
	x, err := lines.NonNegative(text)
	if err != nil {
		return 0, fmt.Errorf("expected a time such as 2025-05-20T15:41:05 or in Unix seconds, found %s", lines.Quote(text))
	}
	return x, nil
}

// parseLimit reads a time limit in minutes: a number of minutes, or as [days-]hours:minutes:seconds, days-hours, or minutes:seconds.
func parseLimit(text string) (minutes float64, known bool, err error) {
	switch strings.ToUpper(text) {
	case "", "UNLIMITED", "INFINITE", "PARTITION_LIMIT", "NONE", "N/A":
		return 0, false, nil
	}
	wrong := fmt.Errorf("expected a time limit in minutes or such as 1-12:30:00, found %s", lines.Quote(text))
	days, rest, dashed := strings.Cut(text, "-")
	if !dashed {
		days, rest = "0", text
	}
	var parts []float64
	for part := range strings.SplitSeq(days+":"+rest, ":") {
		n, err := lines.Whole(part, 0)
		if err != nil || len(parts) == 4 {
			return 0, false, wrong
		}
		parts = append(parts, float64(n))
	}
	minutes = parts[0] * 24 * 60
	switch at := parts[1:]; {
	case len(at) == 3:
		minutes += at[0]*60 + at[1] + at[2]/60
	case len(at) == 2 && dashed:
		minutes += at[0]*60 + at[1]
	case len(at) == 2:
		minutes += at[0] + at[1]/60
	case dashed:
		minutes += at[0] * 60
	default:
		minutes += at[0]
	}
	return minutes, minutes > 0, nil
}
