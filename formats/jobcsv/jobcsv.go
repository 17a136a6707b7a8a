// Package jobcsv reads jobs from a table of comma-separated values (RFC 4180) whose first row names the fields of a job as
// in an instance file: [model.JobSpec].
//
//	id,arrival,processors,work,deadline,after
//	a,0,4,120,500,
//	b,10,2-8,60,,a
//
// An empty cell means that the field is absent. Beside plain numbers and texts,
//
//	processors       is a number or, for a moldable job, a range such as 2-8
//	deadline_hard    is true or false (or 1 or 0)
//	after            is a list of ids apart by blanks or semicolons
//	licences         is a list such as matlab=1;ansys=2
//	machines         is a number or a range, as processors
//	resources        is a list such as gpu=1;cpu=2.5
//	features         is lists such as a100|h100;ib: of each, one will do
//	exclusive        is true or false (or 1 or 0)
//	runtime.CLUSTER  is the execution time on the cluster of that name, one column a cluster
//	job_memory       is the memory of a whole rigid job, instead of memory, which each of its processors needs
//
// A text whose first character is =, +, -, @ or a tab may have an apostrophe in front, as [Write] puts one there for spreadsheets. It is no part of the text.
//
// Columns result.… say what a schedule made of a job, see [Write]; reading passes over them.
//
// [Reader.Rename] reads columns with other names. The order of the columns is free and only id is required, with one of work, estimate and a run time in each row.
package jobcsv

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// formatName is the name of the format in reports.
const formatName = "jobs"

var _ = formats.Register(formats.Info{
	Name: formatName, Doc: "a CSV table of jobs, whose header names fields of a job", Example: "allot import jobs --processors 25 jobs.csv", Order: 4,
	New: func() formats.Reader { return NewReader() }, Weak: true,
	Extensions: []string{".csv"}, // the error of the reader says which columns it needs
	Looks: func(begin string) bool {
		cells := lines.Cells(begin)
		return slices.Contains(cells, "id") && slices.ContainsFunc(cells, func(cell string) bool {
			return cell == "work" || cell == "estimate" || strings.HasPrefix(cell, runtimePrefix)
		})
	},
})

var _ = formats.RegisterWriter(formats.Writer{
	Name: "csv", Doc: "the fields of the jobs and their places in the schedule; allot import jobs reads it", Order: 3, Write: Write,
})

// Reader reads a table of jobs. The parameters describe the system, which the table does not.
type Reader struct {
	// Processors are those of each cluster, each a machine of its own.
	Processors int `range:"[0, 16777216]" zero:"required unless nodes are given" doc:"'N' processors of the cluster"`
	// Nodes are the machines of each cluster and the processors of each machine. It contradicts Processors.
	Nodes string `doc:"instead of processors, 'NODES' such as 4x8: 4 nodes of 8 processors"`
	// Memory is that of each machine, which without Nodes has one processor. The memory of the jobs is in the same unit.
	Memory float64 `range:"[0, 1e18]" zero:"unlimited" doc:"with nodes, memory 'M' of each node, in the unit of the columns memory and job_memory"`
	// Rename lists columns of the table that have other names than the fields they hold.
	Rename string `doc:"read columns by other names: 'COLUMN=FIELD,…' such as gpus=processors,mem=job_memory"`
	// Cluster counts where no column names clusters.
	Cluster string `doc:"'ID' of the cluster"`
}

// NewReader makes a reader with its defaults. Processors or Nodes has no default and must be set.
func NewReader() *Reader { return &Reader{Cluster: "cluster"} }

// Read implements [formats.Reader]. The columns runtime.CLUSTER name the clusters; without such columns there is one. Each
// cluster has machines of speed 1; Processors or Nodes states how many. Workflows and user classes are those that
// the jobs name, without limits and with priority 0. Jobs are in the order of the rows.
//
// The error is a [*params.Error], or a [*model.InputError] that lists what is wrong, line by line; a
// fault in the quotes ends the reading. Memory grows with the jobs; a row longer than 1 MiB is an error.
func (o *Reader) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := formats.Check(o, o.Cluster); err != nil {
		return nil, nil, err
	}
	r, faults := lines.Begin(r, name)
	t := &table{opt: *o, faults: faults, report: &model.ImportReport{Format: formatName, File: name}, lineOf: map[string]int{}, jobMemory: -1}
	if t.options(); !t.faults.None() {
		return nil, nil, t.faults.Err()
	}
	t.faults.Rows(r, t.header, func(line int, cells []string) bool {
		t.row(line, cells)
		return true
	})
	t.references()
	return t.faults.Import(t.spec(lines.Title(name, ".csv")), t.report, func(k int) string { return "line " + strconv.Itoa(t.line[k]) })
}

// table is a file being read.
type table struct {
	opt     Reader
	machine model.MachineSpec // the machines of each cluster
	renamed map[string]string // column of the file → field
	faults  *lines.Faults
	report  *model.ImportReport
	columns []column
	jobs    []model.JobSpec
	line    []int          // of each job
	lineOf  map[string]int // line of each id

	jobMemory int // index of the column of that name; -1: none
}

// header reads the names of the columns.
func (t *table) header(line int, cells []string) bool {
	var unknown []string
	missing := maps.Clone(t.renamed)
	for _, cell := range cells {
		name := strings.Clone(strings.TrimSpace(cell))
		if field, ok := t.renamed[name]; ok {
			delete(missing, name)
			name = field
		}
		c, ok := columnNamed(name)
		switch {
		case !ok:
			unknown = append(unknown, name)
		case slices.ContainsFunc(t.columns, func(c column) bool { return c.name == name }):
			t.faults.Line(line, "expected each column once, found %s again", lines.Quote(name))
		}
		if name == jobMemory {
			t.jobMemory = len(t.columns)
		}
		t.columns = append(t.columns, c)
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		t.faults.At("option Rename", "expected a column of the first row, found %s%s", lines.Quote(name), suggest.Words(name, cells))
	}
	if len(unknown) > 0 {
		t.faults.Line(line, "expected columns among %s, found %s; --rename COLUMN=FIELD reads a column of another name, and passes over it with the field result.COLUMN",
			columnNames(), listed(unknown))
	}
	if !slices.ContainsFunc(t.columns, func(c column) bool { return c.name == "id" }) {
		t.faults.Line(line, "expected a column id, found none")
	}
	return t.faults.None()
}

// listed lists the first few names.
func listed(names []string) string {
	const most = 5
	text := kit.Each(names[:min(most, len(names))], lines.Quote)
	if len(names) > most {
		text = append(text, fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(text, ", ")
}

// row reads a job.
func (t *table) row(line int, cells []string) {
	t.report.Read++
	var job model.JobSpec
	right := true
	for k, cell := range cells {
		if cell = strings.TrimSpace(cell); cell == "" {
			continue
		}
		if err := t.columns[k].set(&job, cell); err != nil {
			t.faults.Line(line, "%s: %s", t.columns[k].name, err)
			right = false
		}
	}
	if right && t.jobMemory >= 0 {
		right = t.shareMemory(line, &job, cells[t.jobMemory])
	}
	if !right {
		return
	}
	switch before, twice := t.lineOf[job.ID]; {
	case job.ID == "":
		t.faults.Line(line, "id: expected the id of the job, found none")
	case twice:
		t.faults.Line(line, "id: expected a unique id, found %s, which line %d has", lines.Quote(job.ID), before)
	case job.Work == nil && job.Estimate == nil && job.Runtime == nil:
		t.faults.Line(line, "expected one of work, runtime and estimate, found none")
	case len(job.ID) > model.MaxName:
		t.faults.Line(line, "id: expected a text of 1 to %d bytes, found %d bytes", model.MaxName, len(job.ID))
	case !t.faults.Full(): // else an id that returns would not be listed
		if t.lineOf[job.ID] = line; t.faults.None() && t.faults.Names("line "+strconv.Itoa(line), budget.NamesOf[model.JobSpec]()) { // else nothing will come of the jobs
			t.jobs = append(t.jobs, job)
			t.line = append(t.line, line)
		}
	}
}

// shareMemory divides the memory of a job, if the cell states one, among its processors: each runs one task at a time.
func (t *table) shareMemory(line int, job *model.JobSpec, cell string) bool {
	if cell = strings.TrimSpace(cell); cell == "" {
		return true
	}
	memory, err := lines.NonNegative(cell)
	switch {
	case err != nil:
		t.faults.Line(line, "%s: %s", jobMemory, err)
		return false
	case job.Memory != 0:
		t.faults.Line(line, "expected only one of memory (of a task) and %s, found both", jobMemory)
		return false
	case job.Processors.Min != job.Processors.Max:
		t.faults.Line(line, "expected memory (of a task) for a job that may run on %d to %d processors, found %s", job.Processors.Min, job.Processors.Max, jobMemory)
		return false
	}
	job.Memory = memory / float64(max(1, job.Processors.Max))
	return true
}

// references checks what the jobs say of each other, which may stand further down.
func (t *table) references() {
	if !t.faults.None() {
		return // a job that is missing only because its row is wrong would be listed again
	}
	for k := range t.jobs {
		for _, id := range t.jobs[k].After {
			if _, ok := t.lineOf[id]; !ok {
				t.faults.Line(t.line[k], "after: expected the id of a job, found %s", lines.Quote(id))
			}
		}
	}
}

// spec is the instance of the rows.
func (t *table) spec(title string) model.InstanceSpec {
	spec := model.InstanceSpec{Name: title, Jobs: t.jobs}
	for _, c := range t.columns {
		if c.cluster != "" {
			spec.Clusters = append(spec.Clusters, t.cluster(c.cluster))
		}
	}
	if spec.Clusters == nil {
		spec.Clusters = []model.ClusterSpec{t.cluster(t.opt.Cluster)}
	}
	workflows := map[string]bool{}
	for k := range t.jobs {
		j := &t.jobs[k]
		if w := j.Workflow; w != "" && !workflows[w] {
			workflows[w] = true
			spec.Workflows = append(spec.Workflows, model.WorkflowSpec{ID: w})
		}
		if c := j.UserClass; c != "" {
			if spec.UserClasses == nil {
				spec.UserClasses = map[string]float64{}
			}
			spec.UserClasses[c] = 0
			t.report.NoteLine(model.ImportKept, "user class: the priority is not known and taken as 0", t.line[k])
		}
	}
	t.report.Kept = len(t.jobs)
	return spec
}

// cluster is a cluster as the options describe it.
func (t *table) cluster(id string) model.ClusterSpec {
	return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{t.machine}}
}

// columnNames lists the columns there are.
func columnNames() string {
	names := kit.Each(columns, func(c column) string { return c.name })
	return fmt.Sprintf("%s, %s, %sCLUSTER", strings.Join(names, ", "), jobMemory, runtimePrefix)
}
