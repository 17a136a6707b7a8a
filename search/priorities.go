package search

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Better is the better of two schedules: the one that owes fewer jobs, see [model.Instance.Owed], or, of two that owe as many, the one that costs less. Of
// equal ones it is the first.
func Better(in *model.Instance, a, b *model.Solution) (*model.Solution, error) {
	first, err := model.Evaluate(in, a)
	if err != nil {
		return nil, err
	}
	second, err := model.Evaluate(in, b)
	if err != nil {
		return nil, err
	}
	if in.BetterSchedule(b, second, a, first) {
		return b, nil
	}
	return a, nil
}

// byPriorities runs a search whose objective has a weight so large that double precision would hide the metrics of small weight: a priority. The
// search sees a smaller weight, at which the metric still comes first: a step of it costs more than all that the metrics of smaller weight can save.
// It returns false if the objective has no such weight, or if nothing is known of the sizes of the metrics because there is no start.
//
// The bound is of the true objective, so it ends no such search; and progress shows the start until the end.
func byPriorities(ctx context.Context, in *model.Instance, start *model.Solution, opt Options) (result Result, ok bool, err error) {
	if start == nil || len(in.ObjectiveTerms()) < 2 {
		return Result{}, false, nil
	}
	atStart, err := model.Evaluate(in, start)
	if err != nil {
		return Result{}, false, err
	}
	eased, ok := eased(in, atStart)
	if !ok {
		return Result{}, false, nil
	}
	if opt.Improve != nil {
		improve := opt.Improve
		opt.Improve = func(ctx context.Context, work int64, _ float64) (model.Bound, bool) {
			_, more := improve(ctx, work, math.Inf(1))
			return model.Bound{}, more
		}
	}
	progress := opt.Progress
	if progress != nil {
		opt.Progress = func(p Progress) { progress(Progress{p.Evaluations, in.Owed(start), atStart.Objective, nil}) }
	}
	opt.Target = model.Bound{}
	if result, err = minimise(ctx, eased, start, opt); err != nil {
		return Result{}, false, err
	}
	if result.Solution, err = Better(in, start, result.Solution); err != nil {
		return Result{}, false, err
	}
	if progress != nil {
		found, err := model.Evaluate(in, result.Solution)
		if err != nil {
			return Result{}, false, err
		}
		progress(Progress{result.Evaluations, in.Owed(result.Solution), found.Objective, func() *model.Solution { return result.Solution }})
	}
	return result, true, nil
}

// eased returns the instance with smaller weights, chosen by the metrics of a schedule, and false if no weight hides another metric.
func eased(in *model.Instance, at model.Evaluation) (*model.Instance, bool) {
	const (
		seen = 1e-9 // share of the whole objective below which a search cannot tell what a metric costs
		fine = 1e-6 // share of a metric that counts as a step of it, unless it is a number
		far  = 4    // how much more a step of a metric costs than all metrics of smaller weight
	)
	type term struct {
		metric               string
		weight, excess, step float64 // the weight as stated; the metric above its least value
	}
	var terms []term
	whole, least := 0.0, math.Inf(1)
	for _, o := range in.ObjectiveTerms() {
		value, finite := at.Metrics.Get(o.Metric)
		if !finite {
			return nil, false
		}
		whole += math.Abs(o.Weight * value)
		t := term{o.Metric, in.StatedObjective()[o.Metric], math.Abs(value), fine * math.Abs(value)}
		if most, limited := in.Most(o.Metric); limited && o.Weight < 0 {
			t.excess, t.step = most-value, fine*most
		}
		if m, _ := model.MetricNamed(o.Metric); m.Unit == "jobs" || m.Unit == "workflows" {
			t.step = 1
		}
		if cost := math.Abs(t.weight * t.excess); cost > 0 {
			least = min(least, cost)
		}
		terms = append(terms, t)
	}
	if least >= seen*whole {
		return nil, false
	}
	slices.SortStableFunc(terms, func(a, b term) int { return cmp.Compare(math.Abs(a.weight), math.Abs(b.weight)) })
	below, objective := 0.0, map[string]float64{}
	for _, t := range terms {
		weight := math.Abs(t.weight)
		if below > 0 && t.step > 0 {
			weight = min(weight, far*below/t.step)
		}
		objective[t.metric] = math.Copysign(weight, t.weight)
		below += weight * t.excess
	}
	other, err := in.WithObjective(objective)
	return other, err == nil
}
