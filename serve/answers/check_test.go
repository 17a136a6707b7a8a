package answers

import (
	"testing"

	"github.com/allot-opt/allot/model"
)

// What a report says that it leaves out already is not forgotten when its list is cut.
func TestShortenCountsAll(t *testing.T) {
	for _, c := range []struct{ listed, more, shown, rest int }{{3, 0, 3, 0}, {20, 0, 20, 0}, {21, 0, 20, 1}, {30, 7, 20, 17}, {20, 7, 20, 7}} {
		report := model.Report{Violations: make([]model.Violation, c.listed), More: c.more}
		shorten(&report)
		if len(report.Violations) != c.shown || report.More != c.rest {
			t.Errorf("%d and %d more: %d and %d more", c.listed, c.more, len(report.Violations), report.More)
		}
	}
}
