package shown

import (
	"fmt"
	"strings"

	"github.com/allot-opt/allot/model"
)

// Unbounded says, for people, why nothing bounds the instance's objective from below. It is empty where something does.
func Unbounded(in *model.Instance) string {
	for _, t := range in.ObjectiveTerms() {
		if _, limited := in.Most(t.Metric); t.Weight < 0 && !limited {
			return fmt.Sprintf("%s has no lower bound: no largest value of %s is known", Objective(in), t.Metric)
		}
	}
	return ""
}

// Objective formats the instance's objective, a weighted sum of metrics.
func Objective(in *model.Instance) string {
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
