package model

import (
	"reflect"
	"slices"
)

// WithObjective returns the same instance with another objective: metric → weight, as a file states it. The SHA-256 stays that of
// the instance's file. A solution states in [Solution.Minimised] the objective for which it was made.
func (in *Instance) WithObjective(objective map[string]float64) (*Instance, error) {
	clone := *in
	r := &resolver{spec: &InstanceSpec{Objective: objective}, in: &clone, faults: &InputError{}}
	clone.objective = nil
	checkSpec(r.faults, "objective", field{check: "finite"}, reflect.ValueOf(objective))
	r.objective()
	r.penalty()
	r.devicesMeasured()
	r.powerMeasured()
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

// OptimalFor states in words for what an [Optimal] schedule is best, such as "optimal for makespan". A schedule may be best for one metric and poor
// by all others. A negative weight asks for the reverse: "optimal for high makespan". Pass nil if the objective is not known.
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
		m, _ := MetricNamed(metric)
		switch {
		case objective[metric] > 0 && !m.Neutral:
			return "optimal for " + metric
		case objective[metric] > 0 || m.HighBetter:
			return "optimal for low " + metric
		}
		return "optimal for high " + metric
	}
	return "optimal for the weighted objective"
}

// Minimised returns the objective that [Instance.WithObjective] set, or nil if the objective is that of the file.
func (in *Instance) Minimised() map[string]float64 {
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

// WeightedSum returns the objective as the weighted sum of the metrics, or nil if a metric is missing because its value
// is not finite.
func (in *Instance) WeightedSum(metrics Metrics) *float64 {
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
