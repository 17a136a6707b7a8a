package model

import (
	"reflect"
	"slices"
)

// WithObjective is the same instance with another objective: metric → weight, as a file states it. It keeps its SHA-256, which is
// that of the file it came from; a solution says in [Solution.Minimised] which objective it was made for.
func (in *Instance) WithObjective(objective map[string]float64) (*Instance, error) {
	clone := *in
	r := &resolver{spec: &InstanceSpec{Objective: objective}, in: &clone, faults: &InputError{}}
	clone.objective = nil
	checkSpec(r.faults, "objective", field{check: "finite"}, reflect.ValueOf(objective))
	r.objective()
	r.penalty()
	if err := r.faults.orNil(); err != nil {
		return nil, err
	}
	clone.replaced = in.replaced || !slices.Equal(clone.objective, in.objective)
	return &clone, nil
}

// StatedObjective is the objective as a file states it, metric → weight. A positive weight of a metric that is better when high asks for
// high values.
func (in *Instance) StatedObjective() map[string]float64 {
	stated := make(map[string]float64, len(in.objective))
	for _, term := range in.objective {
		stated[term.Metric] = term.negated().Weight
	}
	return stated
}

// OptimalFor says in words what a schedule with [Optimal] is best for: "optimal for makespan". A schedule may be best for one metric
// and poor by all others. With a negative weight it is best for what is otherwise bad: "optimal for high makespan". An objective that is not known is nil.
func OptimalFor(objective map[string]float64) string {
	metric, terms := "", 0
	for name, weight := range objective {
		if weight != 0 {
			metric, terms = name, terms+1
		}
	}
	switch terms {
	case 0:
		return "optimal for the instance's objective"
	case 1:
		m, known := MetricNamed(metric)
		switch {
		case objective[metric] > 0 && !m.Neutral:
			return "optimal for " + metric
		case objective[metric] > 0 || known && m.HighBetter:
			return "optimal for low " + metric
		}
		return "optimal for high " + metric
	}
	return "optimal for the weighted objective"
}

// ReplacedObjective is the stated objective where [Instance.WithObjective] put it in place of the file's; nil where it is the file's.
func (in *Instance) ReplacedObjective() map[string]float64 {
	if !in.replaced {
		return nil
	}
	return in.StatedObjective()
}

// negated is the term with the sign of its weight changed where the metric is better when high. It turns a stated term into one of the
// minimised sum, and back.
func (t ObjectiveTerm) negated() ObjectiveTerm {
	if m, ok := MetricNamed(t.Metric); ok && m.HighBetter && t.Weight != 0 {
		t.Weight = -t.Weight
	}
	return t
}

// ObjectiveOf is the objective that the metrics add up to; nil where one of them is missing, as its value is not finite.
func (in *Instance) ObjectiveOf(metrics Metrics) *float64 {
	sum := 0.0
	for _, term := range in.objective {
		value, ok := metrics.Get(term.Metric)
		if !ok && term.Weight != 0 {
			return nil
		}
		sum += term.Weight * value
	}
	return &sum
}
