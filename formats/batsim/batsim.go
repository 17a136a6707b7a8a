// Package batsim writes and reads the table of jobs that the simulator Batsim puts out (its jobs.csv), which tools such as evalys
// read.
//
// Sources: P.-F. Dutot, M. Mercier, M. Poquet, O. Richard, "Batsim: a realistic language-independent resources and jobs
// management systems simulator", JSSPP 2016, DOI 10.1007/978-3-319-61756-5_10; Batsim's documentation, "Jobs".
//
// A row is a job, the first row names the columns. A [Reader] needs these, in any order, and passes over the others:
//
//	job_id                         the job's id
//	submission_time, s             its arrival
//	requested_number_of_resources  its processors
//	requested_time, s              its estimate, where above 0
//	execution_time, s              its work, on processors of speed 1; a job without one is dropped
//	allocated_resources            processors such as "0-3 7": the system has at least those
package batsim

import (
	"cmp"
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/internal/placements"
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// formatName is the name of the format in reports.
const formatName = "batsim"

var _ = formats.Register(formats.Info{
	Name: formatName, Doc: "the table of jobs that Batsim writes (jobs.csv)", Example: "allot import batsim out_jobs.csv", Order: 7,
	New: func() formats.Reader { return NewReader() },
	Looks: func(begin string) bool {
		cells := lines.Cells(begin)
		return slices.Contains(cells, "job_id") && slices.Contains(cells, "submission_time")
	},
})

var _ = formats.RegisterWriter(formats.Writer{
	Name: formatName, Doc: "the columns of Batsim's jobs.csv, for evalys and similar tools; allot import batsim reads it", Order: 2, Write: Write,
})

// columns are the columns of the table, in Batsim's order.
var columns = []string{
	"job_id", "workload_name", "profile", "submission_time", "requested_number_of_resources", "requested_time", "success", "final_state",
	"starting_time", "execution_time", "finish_time", "waiting_time", "turnaround_time", "stretch", "allocated_resources",
	"consumed_energy", "metadata",
}

// Write writes a schedule, in the order of the instance. Processors are numbered through the clusters. The energy, which
// Batsim measures and no schedule states, is left empty; so are the times of a job that is not placed.
func Write(w io.Writer, in *model.Instance, sol *model.Solution) error {
	placed, err := placements.ByJob("batsim", in, sol)
	if err != nil {
		return err
	}
	each, err := placements.Seconds("batsim", in)
	if err != nil {
		return err
	}
	first := make([]int, len(in.Clusters())) // number of the first processor of each cluster
	for c := 1; c < len(first); c++ {
		first[c] = first[c-1] + in.Clusters()[c-1].Processors
	}
	workload := cmp.Or(in.Name(), "w0")
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	for job := range placed {
		if err := out.Write(row(in, job, placed[job], workload, first, each)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// row is a job as a row. A time of the instance is each seconds.
func row(in *model.Instance, job int, p *model.Placement, workload string, first []int, each float64) []string {
	j := &in.Jobs()[job]
	requested := "-1"
	if !math.IsNaN(j.Estimate) {
		requested = text(j.Estimate * each)
	}
	if p == nil {
		return []string{j.ID, workload, j.ID, text(j.Arrival * each), strconv.Itoa(j.Min), requested, "0", "REJECTED", "", "", "", "", "", "", "", "", ""}
	}
	var set model.ProcessorSet
	p.Parts(j.Tasks, func(part model.Piece) {
		if c, ok := in.ClusterIndex(part.Cluster); ok {
			for _, r := range part.Processors {
				set = append(set, model.Range{First: first[c] + r.First, Last: first[c] + r.Last})
			}
		}
	})
	set = model.NewProcessorSet(set...)
	runtime, turnaround := swf.Runtime(in, job, p), p.End-j.Arrival
	stretch := ""
	if runtime > 0 {
		stretch = text(turnaround / runtime)
	}
	return []string{j.ID, workload, j.ID, text(j.Arrival * each), strconv.Itoa(set.Len()), requested, "1", "COMPLETED_SUCCESSFULLY",
		text(p.Start * each), text(runtime * each), text(p.End * each), text((p.Start - j.Arrival) * each), text(turnaround * each), stretch,
		strings.ReplaceAll(set.String(), ",", " "), "", ""}
}

// text writes a number as short as it can be without loss.
func text(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Reader reads a table of jobs.
type Reader struct {
	// Processors, if 0, are as many as the allocated resources and the widest job show.
	Processors int    `range:"[0, 16777216]" zero:"as the file says" doc:"'N' processors of the system"`
	Cluster    string `doc:"'ID' of the cluster"`
}

// NewReader makes a reader with its defaults.
func NewReader() *Reader { return &Reader{Cluster: "cluster"} }

// table is a file being read.
type table struct {
	lines.Table
	report *model.ImportReport
	jobs   []job
	seen   map[string]bool
	widest int // processors that the table shows
}

// job is a job that is kept, a fifth as large as the model's.
type job struct {
	id                      string
	arrival, work, estimate float64 // the estimate is NaN where there is none
	line                    int
	size                    int32
}

// spec is the job as the model takes it.
func (j *job) spec() model.JobSpec {
	s := model.JobSpec{ID: j.id, Arrival: j.arrival, Work: &j.work, Processors: model.Rigid(int(j.size))}
	if !math.IsNaN(j.estimate) {
		s.Estimate = &j.estimate
	}
	return s
}

// Read implements [formats.Reader]. The instance has one cluster of single-processor machines of speed 1 and the jobs in the order
// of the rows. An id that occurs again gets the workload's name in front.
//
// The error is a [*params.Error], or a [*model.InputError] that lists the faults line by line.
func (o *Reader) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := formats.Check(o, o.Cluster); err != nil {
		return nil, nil, err
	}
	r, faults := lines.Begin(r, name)
	t := &table{Table: lines.Table{Faults: faults}, report: &model.ImportReport{Format: formatName, File: name}, seen: map[string]bool{}}
	t.Scan(r, []string{"job_id", "submission_time", "requested_number_of_resources", "execution_time"}, "Batsim's jobs.csv", t.row)
	processors := cmp.Or(o.Processors, max(t.widest, 1))
	if err := t.Faults.Err(); err != nil {
		return nil, nil, err
	}
	specs := make([]model.JobSpec, len(t.jobs))
	for k := range t.jobs {
		specs[k] = t.jobs[k].spec()
	}
	return t.Faults.Import(model.InstanceSpec{
		Name:     lines.Title(name, ".csv", "_jobs"),
		Units:    &model.Units{Time: "s"},
		Clusters: []model.ClusterSpec{{ID: o.Cluster, Machines: []model.MachineSpec{{ID: "node", Count: processors}}}},
		Jobs:     specs,
	}, t.report, func(k int) string { return "line " + strconv.Itoa(t.jobs[k].line) })
}

// row reads a job.
func (t *table) row() {
	line := t.Line
	t.report.Read++
	right := true
	number := func(column string) float64 {
		x, err := lines.Number(t.Cell(column))
		if err != nil {
			t.Faults.Line(line, "%s: %s", column, err)
			right = false
		}
		return x
	}
	if t.Cell("execution_time") == "" {
		t.report.NoteLine(model.ImportDropped, "no execution time", line)
		return
	}
	kept := job{arrival: number("submission_time"), work: number("execution_time"), estimate: math.NaN(), line: line}
	id := t.Cell("job_id")
	size, err := lines.Whole(t.Cell("requested_number_of_resources"), 1)
	if err != nil {
		t.Faults.Line(line, "requested_number_of_resources: %s", err)
		right = false
	}
	kept.size = int32(size)
	if t.Cell("requested_time") != "" {
		if requested := number("requested_time"); requested > 0 {
			kept.estimate = requested
		}
	}
	if allocated := t.Cell("allocated_resources"); allocated != "" {
		set, err := model.ParseProcessorSet(strings.Join(strings.FieldsFunc(allocated, func(r rune) bool { return r == ' ' || r == ',' }), ","))
		if err != nil {
			t.Faults.Line(line, "allocated_resources: %s", err)
			right = false
		} else {
			t.widest = max(t.widest, set.Max()+1)
		}
	}
	if t.seen[id] {
		id = t.Cell("workload_name") + "!" + id
		t.report.NoteLine(model.ImportRepaired, "job id not unique: the workload's name is put in front", line)
	}
	switch {
	case t.seen[id]:
		t.Faults.Line(line, "job_id: expected a unique id, found %s again", lines.Quote(id))
	case len(id) < 1 || len(id) > model.MaxName:
		t.Faults.Line(line, "job_id: expected a text of 1 to %d bytes, found %d bytes", model.MaxName, len(id))
	}
	if !right || !t.Faults.None() {
		return // nothing will come of the jobs: only faults are looked for
	}
	kept.id = strings.Clone(id)
	if !t.Faults.Names("line "+strconv.Itoa(line), budget.NamesOf[job]()+budget.NamesOf[model.JobSpec]()) {
		return
	}
	t.seen[kept.id] = true
	t.widest = max(t.widest, size)
	t.report.Kept++
	t.jobs = append(t.jobs, kept)
}
