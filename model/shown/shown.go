// Package shown selects what commands and reports show of an instance: its objective in words, the metrics that matter for it, and the dates of its times.
package shown

import (
	"slices"

	"github.com/allot-opt/allot/model"
)

// Metrics lists the metrics with one value that matter for the instance: those of its objective and those that its features give a meaning. If
// the objective is a single metric, the metric is left out, because the objective states it.
func Metrics(in *model.Instance) []model.Metric {
	named := names(in)
	objective := in.ObjectiveTerms()
	var shown []model.Metric
	for _, m := range model.MetricTable() {
		alone := len(objective) == 1 && objective[0].Metric == m.Name && objective[0].Weight == 1
		asked := slices.ContainsFunc(objective, func(t model.ObjectiveTerm) bool { return t.Metric == m.Name })
		if (slices.Contains(named, m.Name) || asked) && !alone {
			shown = append(shown, m)
		}
	}
	return shown
}

// asked is what the jobs and clusters of an instance ask for, as far as metrics look at it.
type asked struct {
	deadlines, free, hard, files, budgets, costs, spread bool // free: some jobs have no deadline; spread: some may run on several clusters at once
}

// asks looks at all jobs and machines of the instance.
func asks(in *model.Instance) (a asked) {
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		a.deadlines = a.deadlines || j.HasDeadline()
		a.free = a.free || !j.HasDeadline()
		a.hard = a.hard || j.HasDeadline() && j.DeadlineHard
		a.files = a.files || j.Input+j.Output > 0
		a.spread = a.spread || j.Span == model.SpanGrid && j.Max > 1
		a.budgets = a.budgets || j.HasBudget()
	}
	for c := range in.Clusters() {
		a.costs = a.costs || slices.ContainsFunc(in.Clusters()[c].Machines, func(m model.Machine) bool { return m.Cost > 0 })
	}
	return a
}

// names names the metrics that are of interest whatever the objective is.
func names(in *model.Instance) []string {
	a, features := asks(in), in.Features()
	names := []string{"makespan", "mean_response", "mean_wait", "bounded_slowdown", "utilisation", "unfinished"}
	if slices.ContainsFunc(in.Resources(), func(r model.Resource) bool { return r.Devices }) { // processors are then places for pods or tasks, of which there are plenty
		names = []string{"makespan", "mean_response", "mean_wait", "bounded_slowdown", "device_utilisation", "stranded", "unfinished"}
	}
	for _, group := range []struct {
		shown bool
		names []string
	}{
		{len(in.Clusters()) > 1 && !a.spread && !machineGrid(in), []string{"mcp", "balance"}},
		{a.deadlines, []string{"over_deadline", "missed"}},
		{a.deadlines && a.free, []string{"slowdown_without_deadline"}},
		{machineGrid(in), []string{"processor_usage"}},
		{drawsCopies(in), []string{"licence_usage"}},
		{features.Has(model.MoldableJobs), []string{"mean_partition"}},
		{a.hard, []string{"work_done"}}, // schedules may differ in the jobs that they finish
		{a.hard && a.files, []string{"data_moved"}},
		{a.costs, []string{"cost"}},
		{a.budgets, []string{"over_budget"}},
		{len(in.Workflows()) > 0, []string{"workflow_failures"}},
		{in.Queueing().Given, []string{"qos_penalty"}},
	} {
		if group.shown {
			names = append(names, group.names...)
		}
	}
	return names
}

// drawsCopies reports whether a job asks for a licence with a limited pool.
func drawsCopies(in *model.Instance) bool {
	limited := make([]bool, len(in.Licences()))
	for l := range limited {
		for c := range in.Clusters() {
			copies, _ := in.Pool(c, l)
			limited[l] = limited[l] || copies != model.Unlimited
		}
	}
	return slices.ContainsFunc(in.Jobs(), func(j model.Job) bool {
		return slices.ContainsFunc(j.Licences, func(need model.Need) bool { return limited[need.Licence] })
	})
}

// machineGrid reports whether each job runs on one machine, in clusters of several machines. Then each cluster is a separate system, and the figures
// of the two-level scheduler are by cluster.
func machineGrid(in *model.Instance) bool {
	return len(in.Clusters()) > 1 && in.Features().Has(model.MachineSpan)
}

// mostClusters is the largest number of clusters that tables show each by itself without being asked to.
const mostClusters = 12

// ClusterMetrics lists the metrics with a value for each cluster that are of interest for the instance.
func ClusterMetrics(in *model.Instance) []model.Metric {
	if !machineGrid(in) || len(in.Clusters()) > mostClusters {
		return nil
	}
	a := asks(in)
	names := []string{"cluster_processor_usage", "load_share"}
	if a.deadlines {
		names = append(names, "cluster_miss_rate")
	}
	if a.deadlines && a.free {
		names = append(names, "cluster_slowdown_without_deadline")
	}
	if drawsCopies(in) {
		names = append(names, "cluster_licence_usage")
	}
	return slices.DeleteFunc(slices.Clone(model.MetricTable()), func(m model.Metric) bool { return !slices.Contains(names, m.Name) })
}
