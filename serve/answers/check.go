package answers

import (
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

// Checked is what the checker says of a solution.
type Checked struct {
	OK         bool              `json:"ok"`
	Violations []model.Violation `json:"violations"`
	More       int               `json:"more,omitempty"` // violations beyond those listed
	Objective  *float64          `json:"objective,omitempty"`
	Metrics    model.Metrics     `json:"metrics"`
}

// mostViolations is how many violations are listed: many have one cause, and nobody reads hundreds.
const mostViolations = 20

// Check checks a solution. The report has at most 20 violations and counts the rest.
func Check(in *model.Instance, sol *model.Solution) model.Report {
	report := model.Check(in, sol)
	shorten(&report)
	return report
}

// shorten cuts the list of violations.
func shorten(report *model.Report) {
	if over := len(report.Violations) - mostViolations; over > 0 {
		report.Violations = report.Violations[:mostViolations]
		report.More += over
	}
}

// CheckedOf is a report as JSON states it.
func CheckedOf(report *model.Report) *Checked {
	return &Checked{report.OK(), append([]model.Violation{}, report.Violations...), report.More, numtext.Finite(report.Objective), report.Metrics}
}
