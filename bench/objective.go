package bench

import (
	"fmt"
	"strings"

	"github.com/allot-opt/allot/model"
)

// Minimising returns the instance with one metric as its objective. An empty name keeps the instance's own objective.
func Minimising(in *model.Instance, metric string) (*model.Instance, error) {
	if metric == "" {
		return in, nil
	}
	return in.WithObjective(map[string]float64{metric: 1})
}

// WithoutBound says, for people, why nothing bounds the instance's objective from below. It is empty where something does.
func WithoutBound(in *model.Instance) string {
	for _, t := range in.ObjectiveTerms() {
		if _, limited := in.Most(t.Metric); t.Weight < 0 && !limited {
			return fmt.Sprintf("%s has no lower bound: no largest value of %s is known", ObjectiveName(in), t.Metric)
		}
	}
	return ""
}

// ObjectiveName formats the instance's objective, a weighted sum of metrics.
func ObjectiveName(in *model.Instance) string {
	var terms []string
	for _, t := range in.ObjectiveTerms() {
		if t.Weight == 1 {
			terms = append(terms, t.Metric)
		} else {
			terms = append(terms, fmt.Sprintf("%g·%s", t.Weight, t.Metric))
		}
	}
	return strings.Join(terms, " + ")
}
