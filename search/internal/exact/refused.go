package exact

import (
	"errors"
	"fmt"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/separable"
)

// ErrRefused says that an instance has something that [Minimise] cannot take into account.
var ErrRefused = errors.New("search: the exhaustive search does not take")

// refused names something in the instance that the search cannot take into account. It returns nil if a look at the instance
// finds nothing; [Takes] knows the rest.
func refused(in *model.Instance) error {
	if missing := in.Features() &^ jointFeatures; missing != 0 {
		return fmt.Errorf("%w %s", ErrRefused, missing)
	}
	for _, term := range in.ObjectiveTerms() {
		switch {
		case term.Weight < 0:
			return fmt.Errorf("%w a negative weight of %s", ErrRefused, term.Metric)
		case term.Weight > 0 && !slices.Contains(separable.Metrics, term.Metric):
			return fmt.Errorf("%w the metric %s", ErrRefused, term.Metric)
		case term.Weight > 0 && term.Metric == "cost" && !evenCosts(in):
			return fmt.Errorf("%w the metric cost where the machines of a cluster cost differently", ErrRefused)
		case term.Weight > 0 && term.Metric == "mean_slowdown" && anyInstant(in):
			return fmt.Errorf("%w the metric mean_slowdown with jobs that take no time", ErrRefused)
		case term.Weight > 0 && in.Features()&model.BackgroundLoad != 0 && lessIfLonger(in, term.Metric):
			return fmt.Errorf("%w %s with background load, which a job that takes longer may make smaller", ErrRefused, term.Metric)
		}
	}
	return refusedJobs(in)
}

// evenCosts says that all machines of each cluster cost the same.
func evenCosts(in *model.Instance) bool {
	return !slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool {
		_, even := separable.CostRate(&c)
		return !even
	})
}

// anyInstant says that a job takes no time on some cluster.
func anyInstant(in *model.Instance) bool {
	for j := range in.Jobs() {
		for c := range in.Clusters() {
			if least, _ := in.Width(j, c); in.CanRun(j, c) && in.DurationOn(j, c, least) == 0 {
				return true
			}
		}
	}
	return false
}

// lessIfLonger says that the metric may be less if a job takes longer and nothing else changes.
func lessIfLonger(in *model.Instance, metric string) bool {
	switch metric {
	case "idle_time", "mean_slowdown", "bounded_slowdown":
		return true
	case "mcp":
		return slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool { return c.Weights.IdleTime > 0 })
	}
	return false
}

// refusedJobs names a job that the search cannot place. There are two kinds. Some jobs need not hold a fixed number of
// processors of one cluster from start to end. Others are too short beside the longest possible schedule: as float64 numbers
// the start and the end of such a job could be equal, and it would hold nothing.
func refusedJobs(in *model.Instance) error {
	const digits = 1e-12
	until := 0.0
	for j := range in.Jobs() {
		job := &in.Jobs()[j]
		longest := 0.0
		for c := range in.Clusters() {
			least, _ := in.Width(j, c)
			if in.CanRun(j, c) {
				longest = max(longest, in.DurationOn(j, c, least))
				if least > 1 && job.Tasks > least {
					return fmt.Errorf("%w job %s of %d tasks on %d processors, of which it may release some early", ErrRefused, job.ID, job.Tasks, least)
				}
			}
		}
		if in.SpreadOver(j) != nil {
			return fmt.Errorf("%w job %s, which may spread over the grid", ErrRefused, job.ID)
		}
		until += longest
	}
	latest := 0.0
	for j := range in.Jobs() {
		latest = max(latest, in.Jobs()[j].Arrival)
	}
	for j := range in.Jobs() {
		for c := range in.Clusters() {
			least, _ := in.Width(j, c)
			if !in.CanRun(j, c) {
				continue
			}
			if d := in.DurationOn(j, c, least); d > 0 && d < digits*(latest+until) {
				return fmt.Errorf("%w job %s, which takes %v: too short beside times up to %v", ErrRefused, in.Jobs()[j].ID, d, latest+until)
			}
		}
	}
	return nil
}
