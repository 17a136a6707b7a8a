package jobcsv

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/plaintext"
	"github.com/allot-opt/allot/model"
)

// resultPrefix begins the names of columns that say what a schedule made of a job. [Read] passes over them.
const resultPrefix = "result."

// plainNumber writes a number without loss; 0 is absent.
func plainNumber(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

func writeRange(p model.ProcessorRange) string {
	switch {
	case p == model.ProcessorRange{}:
		return ""
	case p.Min == p.Max:
		return strconv.Itoa(p.Min)
	default:
		return fmt.Sprintf("%d-%d", p.Min, p.Max)
	}
}

func writeTruth(is bool) string {
	if is {
		return "true"
	}
	return ""
}

func writeResources(j *model.JobSpec) string {
	list := kit.Each(slices.Sorted(maps.Keys(j.Resources)), func(id string) string { return plaintext.Cell(id) + "=" + numtext.Exact(new(j.Resources[id])) })
	return strings.Join(list, ";")
}

func writeFeatures(j *model.JobSpec) string {
	lists := kit.Each(j.Features, func(list []string) string { return strings.Join(plaintext.Cells(slices.Clone(list)...), "|") })
	return strings.Join(lists, ";")
}

func writeLicences(j *model.JobSpec) string {
	list := kit.Each(slices.Sorted(maps.Keys(j.Licences)), func(id string) string { return fmt.Sprintf("%s=%d", plaintext.Cell(id), j.Licences[id]) })
	return strings.Join(list, ";")
}

// results are the columns of what became of a job.
var results = []string{"status", "cluster", "allocated", "start", "end", "wait", "response", "bounded_slowdown", "reason"}

// Write writes the jobs of an instance, in its order, with what a schedule made of them in columns result.status,
// result.start and so on. [Read] reads the jobs back; the system is not in a table of jobs. Columns that no job needs are
// left out. A table cannot state where a job runs already: an instance with such a job is an error. An id with a ; or a blank cannot be told from two in the column after. A text that a spreadsheet would take for a formula has an apostrophe
// in front, which [Read] takes away.
func Write(w io.Writer, in *model.Instance, sol *model.Solution) error {
	specs := make([]model.JobSpec, len(in.Jobs()))
	for k := range specs {
		if specs[k] = in.JobSpec(k); specs[k].Running != nil {
			return fmt.Errorf("jobs: expected jobs that do not run yet, as a table cannot state where they run; found job %q", specs[k].ID)
		}
	}
	outcome, err := outcomes(in, sol)
	if err != nil {
		return err
	}
	needed := kit.That(columns, func(c column) bool {
		return c.name == "id" || slices.ContainsFunc(specs, func(j model.JobSpec) bool { return c.cell(&j) != "" })
	})
	header := kit.Each(needed, func(c column) string { return c.name })
	var clusters []string
	for c := range in.Clusters() {
		id := in.Clusters()[c].ID
		if slices.ContainsFunc(specs, func(j model.JobSpec) bool { _, ok := j.Runtime[id]; return ok }) {
			clusters, header = append(clusters, id), append(header, runtimePrefix+id)
		}
	}
	for _, name := range results {
		header = append(header, resultPrefix+name)
	}
	out := csv.NewWriter(w)
	if err := out.Write(header); err != nil {
		return err
	}
	for k := range specs {
		record := kit.Each(needed, func(c column) string { return c.cell(&specs[k]) })
		for _, id := range clusters {
			cell := ""
			if r, ok := specs[k].Runtime[id]; ok {
				cell = numtext.Exact(&r)
			}
			record = append(record, cell)
		}
		if err := out.Write(append(record, outcome[k]...)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// outcomes are the result columns of each job.
func outcomes(in *model.Instance, sol *model.Solution) ([][]string, error) {
	list := make([][]string, len(in.Jobs()))
	for k := range list {
		list[k] = []string{"missing", "", "", "", "", "", "", "", ""}
	}
	find := func(id string) (int, error) {
		k, ok := in.JobIndex(id)
		if !ok {
			return 0, fmt.Errorf("jobs: the solution names job %q, which is not in the instance", id)
		}
		return k, nil
	}
	for i := range sol.Jobs {
		p := &sol.Jobs[i]
		k, err := find(p.Job)
		if err != nil {
			return nil, err
		}
		j := &in.Jobs()[k]
		var where, held []string
		p.Parts(j.Tasks, func(part model.Piece) {
			where, held = append(where, plaintext.Cell(part.Cluster)), append(held, part.Processors.String())
		})
		response := p.End - j.Arrival
		list[k] = []string{"placed", strings.Join(where, ";"), strings.Join(held, ";"), numtext.Exact(&p.Start), numtext.Exact(&p.End), numtext.Exact(new(p.Start - j.Arrival)),
			numtext.Exact(&response), numtext.Exact(new(max(1, response/max(p.End-p.Start, 10)))), ""}
	}
	for i := range sol.Unscheduled {
		k, err := find(sol.Unscheduled[i].Job)
		if err != nil {
			return nil, err
		}
		list[k][0], list[k][8] = "unscheduled", plaintext.Cell(sol.Unscheduled[i].Reason)
	}
	return list, nil
}
