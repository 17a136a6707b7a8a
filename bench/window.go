package bench

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

// Window leaves the beginning and the end of a stream of jobs out of the figures of a row, because the system fills up at the beginning and
// empties at the end. It counts workflows; a job without a workflow counts as a workflow of one job. Workflows are in the order of arrival (of
// their first job); ties keep the order of the instance.
//
// The solver gets the whole instance, and the checker checks the whole schedule. Metrics, objective, jobs and jobs left out in the row cover only the
// measured jobs, as if the instance had no others; times count from the first arrival of a measured job. Metrics of machines are missing, because
// other jobs hold the machines too. Bounds and incumbents are about the objective of all jobs, so the row has none, and its schedule is never called
// optimal.
type Window struct {
	WarmUp int `json:"warm_up,omitempty" check:"counter" doc:"workflows to leave out at the begin"`
	Tail   int `json:"tail,omitempty" check:"counter" doc:"workflows to leave out at the end"`
}

// validate adds the faults of a window.
func (w *Window) validate(f *lines.Faults, path string) {
	switch {
	case w == nil:
	case w.WarmUp < 0:
		f.At(path+".warm_up", "expected at least 0, found %d", w.WarmUp)
	case w.Tail < 0:
		f.At(path+".tail", "expected at least 0, found %d", w.Tail)
	case w.WarmUp == 0 && w.Tail == 0:
		f.At(path, "expected warm_up or tail above 0, found neither")
	}
}

// String says what the window leaves out.
func (w *Window) String() string {
	return fmt.Sprintf("without the first %d and the last %d", w.WarmUp, w.Tail)
}

// ofMachines names the metrics that look at what machines do over time, or at the makespan of a cluster, on which all jobs run. A window has none of
// them.
var ofMachines = []string{
	"idle_time", "cp", "mcp", "balance", "utilisation", "processor_usage", "cluster_processor_usage", "licence_usage", "cluster_licence_usage",
	"mean_partition", "qos_penalty", "device_utilisation", "stranded", "energy", "energy_cost", "carbon", "peak_power",
}

// fits returns an error if the window leaves no job of the instance, or the objective is of a metric that a window does not have.
func (w *Window) fits(in *model.Instance) error {
	for _, term := range in.ObjectiveTerms() {
		if term.Weight != 0 && slices.Contains(ofMachines, term.Metric) {
			return fmt.Errorf("expected an objective that depends on the measured jobs alone, found %s, which depends on machines that other jobs use too", term.Metric)
		}
	}
	_, err := w.jobs(in)
	return err
}

// unit is what a window counts: a workflow, or a job without a workflow.
type unit struct {
	arrival float64
	jobs    []int
}

// jobs lists the measured jobs in the order of the instance.
func (w *Window) jobs(in *model.Instance) ([]int, error) {
	var units []unit // in the order of their first jobs
	of := map[int]int{}
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		at, known := of[j.Workflow]
		if !known || j.Workflow < 0 {
			at = len(units)
			units = append(units, unit{arrival: j.Arrival})
			of[j.Workflow] = at
		}
		units[at].arrival = min(units[at].arrival, j.Arrival)
		units[at].jobs = append(units[at].jobs, k)
	}
	if w.WarmUp >= len(units) || w.Tail >= len(units)-w.WarmUp {
		what := "workflows"
		if len(in.Workflows()) == 0 {
			what = "jobs"
		}
		return nil, fmt.Errorf("expected warm_up + tail below the number of %s, %d, found %d + %d", what, len(units), w.WarmUp, w.Tail)
	}
	slices.SortStableFunc(units, func(a, b unit) int { return cmp.Compare(a.arrival, b.arrival) })
	var jobs []int
	for _, u := range units[w.WarmUp : len(units)-w.Tail] {
		jobs = append(jobs, u.jobs...)
	}
	slices.Sort(jobs)
	return jobs, nil
}

// measure puts the figures of the measured jobs into a row with a schedule, and takes out the figures that only the whole instance has.
func (w *Window) measure(in *model.Instance, row *Row) error {
	jobs, err := w.jobs(in)
	if err != nil {
		return err
	}
	row.Jobs, row.Minimised = len(jobs), row.Minimised+" "+w.String()
	row.Bound, row.Gap, row.Incumbents = model.Bound{}, nil, nil
	if row.Status == model.Optimal {
		row.Status = model.Feasible
	}
	if row.Solution == nil {
		return nil
	}
	part, schedule := w.cut(in, row.Solution, jobs)
	found, err := model.Evaluate(part, schedule)
	if err != nil {
		return errors.New("the measured part of the schedule: " + err.Error())
	}
	maps.DeleteFunc(found.Metrics, func(name string, _ model.MetricValue) bool { return slices.Contains(ofMachines, name) })
	row.Metrics, row.Objective = found.Metrics, numtext.Finite(found.Objective)
	row.leave(part, schedule)
	return nil
}

// cut is the instance and the schedule of the given jobs alone.
func (w *Window) cut(in *model.Instance, sol *model.Solution, jobs []int) (*model.Instance, *model.Solution) {
	measured, arrivals := make(map[string]bool, len(jobs)), make([]float64, len(jobs))
	for k, j := range jobs {
		measured[in.Jobs()[j].ID], arrivals[k] = true, in.Jobs()[j].Arrival
	}
	return in.Batch(jobs, arrivals, nil), &model.Solution{
		Jobs:        kit.That(sol.Jobs, func(p model.Placement) bool { return measured[p.Job] }),
		Unscheduled: kit.That(sol.Unscheduled, func(u model.Unscheduled) bool { return measured[u.Job] }),
	}
}
