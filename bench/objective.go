package bench

import (
	"fmt"
	"strings"

	"github.com/allot-opt/allot/model"
)

// Minimising is the instance with one metric as its objective, or the negative of one that is better when high; an empty name leaves the
// instance's own.
func Minimising(in *model.Instance, metric string) (*model.Instance, error) {
	if metric == "" {
		return in, nil
	}
	weight := 1.0
	if m, ok := model.MetricNamed(metric); ok && m.HighBetter {
		weight = -1
	}
	return in.WithObjective(map[string]float64{metric: weight})
}

// ObjectiveName is the weighted sum of metrics that is minimised.
func ObjectiveName(in *model.Instance) string {
	var terms []string
	for _, t := range in.Objective() {
		if t.Weight == 1 {
			terms = append(terms, t.Metric)
		} else {
			terms = append(terms, fmt.Sprintf("%g·%s", t.Weight, t.Metric))
		}
	}
	return strings.Join(terms, " + ")
}
