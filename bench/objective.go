package bench

import (
	"fmt"
	"strings"

	"github.com/allot-opt/allot/model"
)

// Minimising is the instance with one metric as its objective; an empty name leaves the instance's own.
func Minimising(in *model.Instance, metric string) (*model.Instance, error) {
	if metric == "" {
		return in, nil
	}
	return in.WithObjective(map[string]float64{metric: 1})
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
