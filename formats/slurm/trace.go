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
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
	"github.com/allot-opt/allot/params"
)

// traceFormat is the name of the format of traces in reports.
const traceFormat = "sacct"

var _ = formats.Register(formats.Info{
	Name: traceFormat, Doc: "a trace of Slurm: what sacct -P prints, or the lines of JobComp's filetxt",
	Example: "allot import sacct --nodes nodes.txt --partitions partitions.txt sacct.txt", Order: 5,
	New: func() formats.Reader { return NewTraceReader() },
	Looks: func(begin string) bool {
		header, _, _ := strings.Cut(begin, "\n")
		return strings.HasPrefix(begin, "JobId=") || isPlain(begin) || slices.Contains(strings.Split(strings.TrimSpace(header), "|"), "JobID")
	},
})

// Command is the command that prints all that a [TraceReader] uses or counts, for all users from a day on.
const Command = "sacct -P -D -a -X -S 2026-01-01 -o JobID,User,Account,Partition,QOS,Priority,State,Submit,Eligible,Start,End,TimelimitRaw,NCPUS,NNodes,ReqTRES,AllocTRES,Reservation,Licenses,Suspended,Restarts,Constraints"

// isPlain says that a text is what sacct prints without -P: columns apart by blanks, below them a line of dashes.
func isPlain(begin string) bool {
	header, rest, _ := strings.Cut(strings.TrimSpace(begin), "\n")
	dashes, _, _ := strings.Cut(rest, "\n")
	return slices.Contains(strings.Fields(header), "JobID") && strings.Contains(dashes, "--") && strings.Trim(dashes, "- \r") == ""
}

// TraceReader reads jobs that have ended: what sacct -P prints, with columns JobID, Submit, Start, End and NCPUS or AllocCPUS at least, or the lines of
// the plugin jobcomp/filetxt. [Columns] says what becomes of each column. A job's arrival is its submission, or the later time from which it was eligible; its
// work is the time that it ran, its recorded start the true one, and its estimate the time limit, raised to the time that it ran; a job without one has what Slurm sets, DefaultTime of its partition, else MaxTime, else a year. Steps are skipped. Local
// times are taken as they are: if clocks were changed between two times, their difference is wrong by that change. With SLURM_TIME_FORMAT=%s, sacct prints
// times without this problem.
//
// Without Nodes the instance has one cluster of single-processor machines, whatever the partitions. With Nodes it has the partitions as [Read] makes them: those
// that share no nodes are clusters. Where a partition has some nodes of its cluster only, these have the feature "partition NAME", which its jobs ask for. A job
// lies on as many nodes as it held, with an equal part of its processors, memory and generic resources on each; where it asked for fewer nodes and for no generic
// resources, its processors lie on any. The instance states the partitions too, with their MaxTime, MaxNodes and state, for jobs that are added to it.
//
// The date of time 0 is that of the first arrival; where sacct prints clock times, their zone is [model.UnstatedZone].
type TraceReader struct {
	Processors int    `range:"[0, 16777216]" zero:"the most that ran jobs at one time" doc:"'N' processors of the system, where no nodes are given"`
	Cluster    string `doc:"'ID' of the cluster, where no nodes are given"`
	Files
	Memory bool `doc:"take memory into account, where nodes are given; use =false for systems that do not allocate memory (SelectTypeParameters)"`
	// Open opens the files; nil: they are on the disk.
	Open func(name string) (io.ReadCloser, error)
}

// NewTraceReader makes a reader with its defaults.
func NewTraceReader() *TraceReader { return &TraceReader{Cluster: "cluster", Memory: true} }

// trace is a trace being read.
type trace struct {
	report *model.ImportReport
	column map[string]int // of sacct's header
	width  int            // columns
	open   bool           // the last column may have a | in its cells
	jobs   []past
	seen   map[string]int
	texts  map[string]string
	line   int // the last

	cluster string            // that Slurm calls so, of the first job
	qos     map[string]int    // jobs by quality of service
	reasons map[string]string // notes of reasons
	odd     []strange         // about the job being read
	local   bool              // some times are clock times: sacct does not say in which zone
	out     leftOut
	opt     *TraceReader
	limits  *limits // nil: no file tells any
	site    *site   // nil: its policy is not known
	// unlimited are the jobs kept that name no time limit.
	unlimited int
	layouts
}

// strange is something odd about a job. If it stays out, policies see something else than what Slurm saw.
type strange struct {
	action   model.ImportAction
	reason   string
	staysOut bool
}

// note remembers something odd about the job being read, which is counted if the job is kept.
func (t *trace) note(action model.ImportAction, staysOut bool, reason string) {
	t.odd = append(t.odd, strange{action, reason, staysOut})
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
	id                       string
	line                     int
	arrival, start, end      float64
	limit                    float64 // s; 0: none
	processors, nodes        int32   // nodes 0: not stated
	asked                    int32   // nodes at least; 0: not stated
	memory                   float64 // MB, all of it
	priority                 float64
	user, group, queue       string
	generic, types, features string // generic resources such as gpu=8, their types such as gpu:h100, features that were asked for
	qos                      string
	touched, unlimited       bool
	layout                   *layout // nil: no nodes are given
}

// fields are the values that a job needs, by the names that sacct and JobComp give them.
type fields func(names ...string) string

// Read implements [formats.Reader]. The error is a [*params.Error], or a [*model.InputError] with the line of what is wrong.
func (o *TraceReader) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := formats.Check(o, o.Cluster); err != nil {
		return nil, nil, err
	}
	switch {
	case o.Nodes == "" && o.Partitions != "" && o.SlurmConf == "":
		return nil, nil, &params.Error{Name: "nodes", Expected: "a file of nodes, as there is one of partitions", Found: o.Nodes}
	case o.Nodes != "" && o.Processors > 0:
		return nil, nil, &params.Error{Name: "processors", Expected: "no number, as the nodes have it", Found: o.Processors}
	}
	r, b := budget.Of(r)
	once := *o // a file may be a pipe, and slurm.conf is asked for its policy and its nodes, tables for priorities and limits
	once.Open = readOnce(o.opener())
	o = &once
	site, err := o.site(o.Open, b)
	if err != nil {
		return nil, nil, err
	}
	sys, err := o.system(b, site)
	if err != nil {
		return nil, nil, err
	}
	limits, err := o.limits(b, sys, site)
	if err != nil {
		return nil, nil, err
	}
	return o.read(r, name, sys, site, limits)
}

// readOnce opens each file once, however often it is asked for: it keeps the texts.
func readOnce(open opener) opener {
	texts := map[string][]byte{}
	return func(name string) (io.ReadCloser, error) {
		text, known := texts[name]
		if !known {
			file, err := open(name)
			if err != nil {
				return nil, err
			}
			defer file.Close()
			if text, err = io.ReadAll(io.LimitReader(file, mostKept)); err != nil {
				return nil, err
			}
			if len(text) == mostKept { // the budget will refuse it
				return open(name)
			}
			texts[name] = text
		}
		return io.NopCloser(bytes.NewReader(text)), nil
	}
}

// mostKept is the size of a file from which on it is not kept, in bytes.
const mostKept = 1 << 26

// opener opens the files.
func (o *TraceReader) opener() opener {
	if o.Open != nil {
		return o.Open
	}
	return func(name string) (io.ReadCloser, error) { return model.Open(name) }
}

// read reads a trace of a system, nil: none is known, with the policy of a site, nil: it is not known, and the limits that files tell, nil: none does.
func (o *TraceReader) read(r io.Reader, name string, sys *system, site *site, limits *limits) (*model.Instance, *model.ImportReport, error) {
	r, faults := lines.Begin(r, name)
	t := &trace{
		report: &model.ImportReport{Format: traceFormat, File: name}, seen: map[string]int{}, texts: map[string]string{},
		qos: map[string]int{}, reasons: map[string]string{}, opt: o, site: site, limits: limits, layouts: newLayouts(sys, o.Memory, faults),
	}
	if sys != nil {
		t.report.Notes = append(t.report.Notes, t.sys.notes.Notes...)
		t.settings()
	}
	end := &lastByte{r: r}
	t.scan(bufio.NewReader(end))
	if end.last != '\n' && t.faults.None() {
		t.report.NoteLine(model.ImportKept, "the last line has no end: the file may be cut short, and the last value too", max(t.line, 1))
	}
	if err := t.faults.Err(); err != nil {
		return nil, nil, err
	}
	t.quality()
	slices.SortStableFunc(t.jobs, func(a, b past) int { return cmp.Compare(a.arrival, b.arrival) })
	return t.instance(name)
}

// scan reads the lines.
func (t *trace) scan(r io.Reader) {
	scanner := lines.NewScanner(r)
	defer scanner.Check(t.faults)
	for scanner.Scan() {
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
			if n := len(cells); n == t.width+1 && cells[t.width] == "" { // sacct -p ends each line with a |
				cells = cells[:t.width]
			}
			if n := len(cells); n > t.width && t.open { // the last cell has a | in it
				cells[t.width-1] = strings.Join(cells[t.width-1:], "|")
			} else if n != t.width {
				t.faults.Line(scanner.Line(), "expected %d cells apart by |, found %d%s", t.width, n,
					map[bool]string{true: ": a constraint, name or comment with a | in it moves the cells behind it, so let its column be the last"}[n > t.width])
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
	if !strings.Contains(text, "|") && slices.Contains(strings.Fields(text), "JobID") {
		t.faults.Line(line, "expected columns apart by |, found columns apart by blanks, which cut long values: use sacct -P, as in: %s > sacct.txt", Command)
		return false
	}
	t.column = map[string]int{}
	names := strings.Split(strings.TrimSuffix(text, "|"), "|")
	t.width, t.open = len(names), slices.Contains(openColumns, names[len(names)-1])
	for k, name := range names {
		if _, twice := t.column[name]; twice {
			t.faults.Line(line, "expected each column once, found %s again", lines.Quote(name))
		}
		t.column[name] = k
	}
	for _, name := range names {
		if !slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name }) {
			t.report.NoteLine(model.ImportKept, "column that this program does not know: it is not used: "+lines.Quote(name), line)
		}
	}
	for _, needed := range []string{"JobID", "Submit", "Start", "End"} {
		if _, found := t.column[needed]; !found {
			t.faults.Line(line, "expected a column %s among those of sacct -P, found none", needed)
		}
	}
	return t.faults.None()
}

// openColumns are the columns that may have any text in their cells.
var openColumns = []string{"Constraints", "JobName", "Comment", "AdminComment", "SystemComment", "Extra", "SubmitLine", "WorkDir", "StdErr", "StdIn", "StdOut", "Container"}

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
	t.report.Read++
	if !t.faults.Names(atLine(line), budget.NamesOf[past]()) {
		return
	}
	t.odd = t.odd[:0]
	j := past{
		id: lines.Name(id), line: line, user: t.text(value("User", "UserId", "UID")), group: t.text(value("Account", "Group", "GroupId")), queue: t.text(value("Partition")),
		qos: t.text(value("QOS")),
	}
	right := true
	wrong := func(what string, err error) {
		if err != nil {
			t.faults.Line(line, "%s: %s", what, err)
			right = false
		}
	}
	moment := func(what string) float64 {
		text := value(what, what+"Time")
		x, err := parseMoment(text)
		wrong(what, err)
		t.local = t.local || x > 0 && strings.Contains(text, "T")
		return x
	}
	whole := func(what string, names ...string) int {
		n, err := lines.Whole(cmp.Or(value(names...), "0"), 0)
		wrong(what, err)
		return n
	}
	submit := moment("Submit")
	j.arrival, j.start, j.end = submit, moment("Start"), moment("End")
	if eligible := moment("Eligible"); eligible > submit && eligible <= j.start {
		j.arrival = eligible
		t.note(model.ImportRepaired, false, "eligible later than submitted, as after a begin time, a dependency or a hold: it arrives then, and its wait counts from then")
	}
	j.processors = int32(whole("NCPUS", "NCPUS", "AllocCPUS", "ProcCnt", "ReqCPUS"))
	if text := value("NNodes", "AllocNodes", "NodeCnt", "ReqNodes"); text != "" {
		n, err := lines.Whole(text, 0)
		wrong("NNodes", err)
		j.nodes = int32(min(n, math.MaxInt32))
	}
	if text := value("Priority"); text != "" {
		x, err := lines.NonNegative(text)
		wrong("Priority", err)
		j.priority = x
	}
	t.clockChange(&j, elapsedOf(value))
	limit := cmp.Or(value("TimelimitRaw"), value("Timelimit", "TimeLimit"))
	j.unlimited = strings.EqualFold(limit, "UNLIMITED") || strings.EqualFold(limit, "INFINITE")
	minutes, known, err := parseLimit(limit)
	wrong("Timelimit", err)
	if known {
		j.limit = inSeconds(minutes)
	}
	wrong("AllocTRES", t.held(&j, value))
	if id == "" {
		t.faults.Line(line, "JobID: expected the id of a job, found none")
		right = false
	}
	if cluster := value("Cluster"); cluster != "" {
		if t.cluster = cmp.Or(t.cluster, strings.Clone(cluster)); cluster != t.cluster {
			t.faults.Line(line, "Cluster: expected jobs of one cluster, found %s after %s: choose one with sacct -M", lines.Quote(cluster), lines.Quote(t.cluster))
			right = false
		}
	}
	if !right {
		return
	}
	t.circumstances(id, value)
	t.keep(&j)
}

// elapsedOf is how long the job ran by its own column, in seconds; −1: not known, or it was suspended meanwhile.
func elapsedOf(value fields) float64 {
	if strings.Trim(value("Suspended"), "0:-.") != "" {
		return -1
	}
	if n, err := lines.Whole(value("ElapsedRaw"), 0); err == nil {
		return float64(n)
	}
	if minutes, known, err := parseLimit(value("Elapsed")); err == nil && known {
		return inSeconds(minutes)
	}
	return -1
}

// clockChange repairs the times of a job during which the clock went back or on by an hour, or half an hour, as in the night between summer time and normal time: sacct prints clock times, and how long the
// job ran.
func (t *trace) clockChange(j *past, elapsed float64) {
	if !t.local || j.start == 0 || j.end == 0 {
		return
	}
	if change := elapsed - (j.end - j.start); elapsed >= 0 && (math.Abs(change) == 3600 || math.Abs(change) == 1800) {
		j.end = j.start + elapsed
		t.note(model.ImportRepaired, false, "the clock changed while it ran: it ran as long as Elapsed says, and waits across the change are off by as much")
	}
	const night = 4 * 3600
	at := time.Unix(int64(j.start), 0).UTC()
	if back := j.arrival - j.start; back > 0 && back <= 3600 && at.Weekday() == time.Sunday && at.Hour()*3600 < night {
		j.start, j.end = j.start+3600, j.end+3600
		t.note(model.ImportRepaired, false, "it starts up to an hour before its submission, in the night to a Sunday, as where the clock went back between: it starts an hour later")
	}
}

// keep keeps a job that ran, or says why not.
func (t *trace) keep(j *past) {
	drop := func(reason string, staysOut bool) {
		t.report.NoteLine(model.ImportDropped, reason, j.line)
		if staysOut {
			t.out.note(reason, atLine(j.line), true)
		}
	}
	switch {
	case j.start == 0:
		drop("the job has not started", false)
	case j.end == 0:
		drop("the job has not ended", true)
	case j.arrival == 0:
		drop("no time of submission", true)
	case j.processors == 0:
		drop("no number of processors", true)
	case j.end < j.start || j.start < j.arrival:
		drop("the job starts before its submission, or ends before its start", true)
	case j.end == j.start:
		drop("run time 0", false)
	default:
		if why := t.fit(j); why != "" {
			drop(why, true)
			return
		}
		if t.seen[j.id]++; t.seen[j.id] > 1 { // it was requeued
			j.id += "-" + strconv.Itoa(t.seen[j.id])
			t.note(model.ImportRepaired, false, "job id not unique, as of a job that was requeued: a suffix is appended")
		}
		if j.limit == 0 {
			var at *place
			if j.layout != nil {
				at = j.layout.place
			}
			j.limit = inSeconds(at.limitOf(j.unlimited))
			t.unlimited++
			t.note(model.ImportRepaired, false, "no time limit: that of its partition is taken (DefaultTime, else MaxTime), else a year, as Slurm does")
		}
		if j.limit < j.end-j.start {
			t.note(model.ImportRepaired, false, "run time above the time limit: the estimate is raised to it")
		}
		for _, o := range t.odd {
			t.report.NoteLine(o.action, o.reason, j.line)
			if o.staysOut {
				t.out.note(o.reason, atLine(j.line), !j.touched)
				j.touched = true
			}
		}
		t.qos[j.qos]++
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

// inSeconds is a time limit in seconds, which are whole, whatever the fraction of a minute says.
func inSeconds(minutes float64) float64 { return math.Round(minutes * 60) }

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
