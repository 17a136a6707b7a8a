// Package wfformat reads executions of scientific workflows in the WfFormat of the WfCommons project.
//
// Source: T. Coleman, H. Casanova, L. Pottier, M. Kaushik, E. Deelman, R. Ferreira da Silva, "WfCommons: a framework for
// enabling scientific workflow research and development", Future Generation Computer Systems 128, 2022,
// DOI 10.1016/j.future.2021.09.043; the JSON schema is at https://github.com/wfcommons/WfFormat.
//
// Versions 1.3 to 1.6 are read. From 1.5 on, a task's dependencies (parents, children) are in workflow.specification.tasks
// and its run time, cores and memory in workflow.execution.tasks under the same id. Up to 1.4, both are in workflow.tasks, where
// tasks refer to each other by name and the id may be absent: there the name is the id of the job. Of 1.3, runtime is in seconds and
// memory in KB. The time at which the workflow was executed, where it is stated with its zone, is the date of time 0. Every other field is passed over: names and commands, files, energy, and which machines ran a task, as their speeds
// are known by clock rate at best.
package wfformat

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// formatName is the name of the format in reports.
const formatName = "wfformat"

var _ = formats.Register(formats.Info{
	Name: formatName, Doc: "a workflow in WfCommons' WfFormat", Example: "allot import wfformat --processors 16 workflow.json", Order: 3,
	New: func() formats.Reader { return NewReader() }, JSON: true,
	Looks: func(begin string) bool {
		return workflowField.MatchString(begin) && fieldOfWorkflow.MatchString(begin) && !strings.Contains(begin, `"allot/`)
	},
})

// Files of WfFormat match both, instances match neither. One match proves little, because many formats have a
// schemaVersion.
var (
	workflowField   = regexp.MustCompile(`"workflow"\s*:\s*\{`)
	fieldOfWorkflow = regexp.MustCompile(`"(schemaVersion|specification|tasks)"\s*:`)
)

// Reader reads a workflow.
type Reader struct {
	// Processors, if 0, are the sum of the cores of the machines in the file.
	Processors     int    `range:"[0, 16777216]" zero:"as the file says" doc:"'N' processors of the system"`
	Cluster        string `doc:"'ID' of the cluster"`
	MissingRuntime string `enum:"keep,drop" doc:"'ACTION' for tasks without a run time (keep: with length 0)"`
	// Memory is in bytes, shared evenly by the cores of a task.
	Memory bool `doc:"read the memory of each task"`
}

// NewReader makes a reader with its defaults.
func NewReader() *Reader { return &Reader{Cluster: "cluster", MissingRuntime: keepTask} }

// What to do with a task without a run time.
const (
	keepTask = "keep" // take it as a task of length 0
	dropTask = "drop" // leave it out; its children wait for its parents instead
)

// Read implements [formats.Reader]. Each task becomes a job after its parents, released at 0, with the task's number of cores (1 if
// there is none) and its run time on processors of speed 1 as the work. All jobs belong to one workflow, with the name of
// the file's workflow. The cluster has single-processor machines. Times are in seconds.
//
// A dependency counts if either task states it. A number of cores that is not whole is rounded up. The report counts odd
// tasks, with the id of the first.
//
// The error is a [*params.Error], or a [*model.InputError] that lists everything wrong with its JSON
// path: a task that exists twice or does not exist, negative times, a cycle. A file of another form than JSON gives its first
// error only. Memory grows with the tasks and dependencies only; a text, number or run of white space longer than 1 MiB is an error.
func (o *Reader) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := formats.Check(o, o.Cluster); err != nil {
		return nil, nil, err
	}
	r, faults := lines.Begin(r, name)
	w := &workflow{
		opt:    *o,
		faults: faults,
		report: &model.ImportReport{Format: formatName, File: name},
	}
	spec := model.InstanceSpec{}
	if doc := decode(r, w.faults); doc != nil {
		spec = w.read(doc)
		spec.Name = lines.Title(name, ".json")
	}
	return w.faults.Import(spec, w.report, func(job int) string { return "task " + lines.Quote(spec.Jobs[job].ID) })
}

// workflow is a file being read.
type workflow struct {
	opt    Reader
	faults *lines.Faults
	report *model.ImportReport
	where  string // JSON path of the list of tasks
	tasks  []task
	ids    []string       // of the tasks
	index  map[string]int // of the tasks, by id and by what else they are referred to
	after  [][]int        // tasks that each waits for
}

// read makes the instance of the document, or lists what is wrong.
func (w *workflow) read(doc *document) model.InstanceSpec {
	w.where, w.tasks = "workflow.specification.tasks", doc.Workflow.Specification.Tasks
	if doc.isFlat() {
		w.where, w.tasks = "workflow.tasks", doc.Workflow.Tasks
	}
	if len(w.tasks) == 0 {
		w.faults.At(w.where, "expected at least one task, found none")
	}
	w.name(doc.isFlat())
	w.link()
	if !doc.isFlat() {
		w.measure(doc.Workflow.Execution.Tasks)
	}
	processors := w.processors(doc)
	if !w.faults.None() {
		return model.InstanceSpec{}
	}
	id := doc.Name
	if id == "" || len(id) > 1000 {
		id = "workflow"
	}
	spec := model.InstanceSpec{
		Units:     &model.Units{Time: "s"},
		Workflows: []model.WorkflowSpec{{ID: id}},
		Clusters:  []model.ClusterSpec{{ID: w.opt.Cluster, Machines: []model.MachineSpec{{ID: "node", Count: processors}}}},
	}
	if w.opt.Memory {
		spec.Units.Memory = "B"
	}
	for _, layout := range []string{time.RFC3339Nano, "20060102T150405Z0700"} { // WfCommons has both
		if at, err := time.Parse(layout, cmp.Or(doc.Workflow.Execution.ExecutedAt, doc.Workflow.ExecutedAt)); err == nil && at.Unix() >= 0 {
			spec.TimeZero = new(float64(at.UnixNano()) / 1e9)
		}
	}
	w.jobs(&spec, id, processors)
	return spec
}

// at is the JSON path of a task.
func (w *workflow) at(task int) string { return fmt.Sprintf("%s[%d]", w.where, task) }

// name gives the tasks their ids.
func (w *workflow) name(flat bool) {
	w.ids = make([]string, len(w.tasks))
	w.index = make(map[string]int, len(w.tasks))
	for k := range w.tasks {
		field, id := ".id", w.tasks[k].ID
		if flat {
			field, id = ".name", w.tasks[k].Name
		}
		if id == "" || len(id) > 1000 {
			w.faults.At(w.at(k)+field, "expected a text of 1 to 1000 bytes, found %d bytes", len(id))
			continue
		}
		if _, twice := w.index[id]; twice {
			w.faults.At(w.at(k)+field, "expected a unique task, found %s again", lines.Quote(id))
			continue
		}
		w.ids[k], w.index[id] = id, k
	}
	if !flat {
		return
	}
	for k := range w.tasks {
		if id := w.tasks[k].ID; id != "" {
			if _, taken := w.index[id]; !taken {
				w.index[id] = k
			}
		}
	}
}

// link resolves the dependencies.
func (w *workflow) link() {
	w.after = make([][]int, len(w.tasks))
	children := make([][]int, len(w.tasks)) // by child: the tasks that name it as theirs
	for k := range w.tasks {
		for n, id := range w.tasks[k].Parents {
			if parent, ok := w.find(k, "parents", n, id); ok {
				w.after[k] = append(w.after[k], parent)
			}
		}
		for n, id := range w.tasks[k].Children {
			if child, ok := w.find(k, "children", n, id); ok {
				children[child] = append(children[child], k)
			}
		}
	}
	seen := newMarks(len(w.tasks))
	for k, stated := range w.after {
		seen.clear()
		w.after[k] = stated[:0]
		for _, parent := range stated {
			if seen.add(parent) {
				w.after[k] = append(w.after[k], parent)
			} else {
				w.report.Note(model.ImportRepaired, "parent stated twice: it counts once", w.ids[k])
			}
		}
		for _, parent := range children[k] {
			if seen.add(parent) {
				w.after[k] = append(w.after[k], parent)
				w.report.Note(model.ImportRepaired, "dependency stated by the parent only: it counts", w.ids[k])
			}
		}
	}
}

// find looks up a task that another refers to.
func (w *workflow) find(task int, field string, n int, id string) (int, bool) {
	k, ok := w.index[id]
	if !ok {
		w.faults.At(fmt.Sprintf("%s.%s[%d]", w.at(task), field, n), "expected a task of the workflow, found %s", lines.Quote(id))
	}
	return k, ok
}

// marks is a set of tasks that is cleared in constant time.
type marks struct {
	round int
	last  []int // the last round that a task was added in
}

// newMarks is an empty set of n tasks.
func newMarks(n int) *marks { return &marks{1, make([]int, n)} }

// clear empties the set.
func (m *marks) clear() { m.round++ }

// add adds a task and says whether it was not there before.
func (m *marks) add(task int) bool {
	if m.last[task] == m.round {
		return false
	}
	m.last[task] = m.round
	return true
}

// processors is the number of processors of the system: the option, else the cores of all machines.
func (w *workflow) processors(doc *document) int {
	if w.opt.Processors > 0 {
		return w.opt.Processors
	}
	const ask = "give the number of processors (--processors)"
	where, machines := "workflow.execution.machines", doc.Workflow.Execution.Machines
	if doc.isFlat() {
		where, machines = "workflow.machines", doc.Workflow.Machines
	}
	if len(machines) == 0 {
		w.faults.At(where, "expected at least one machine with its number of cores, found none: %s", ask).Option = "processors"
		return 0
	}
	sum := 0.0
	for k, m := range machines {
		cores := cmp.Or(m.CPU.CoreCount, m.CPU.Count)
		place := fmt.Sprintf("%s[%d].cpu.coreCount", where, k)
		switch {
		case cores == nil:
			w.faults.At(place, "expected the number of cores, found none: %s", ask).Option = "processors"
		case *cores != math.Trunc(*cores) || *cores < 1:
			w.faults.At(place, "expected a whole number of at least 1, found %v: %s", *cores, ask).Option = "processors"
		default:
			sum += *cores
		}
	}
	if sum > model.MaxProcessors {
		w.faults.At(where, "expected at most %d cores, found %v: %s", model.MaxProcessors, sum, ask).Option = "processors"
		return 0
	}
	return int(sum)
}
