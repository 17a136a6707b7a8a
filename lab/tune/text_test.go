package tune

import (
	"strings"
	"testing"
)

// Where no ratio is known the verdict says why, and not that there was too little.
func TestVerdictWithoutRatio(t *testing.T) {
	for _, c := range []struct {
		gain Gain
		want string
	}{
		{Gain{Cases: 979, Equal: 979}, "which changes nothing on the last part of the trace, which the races did not see: mean_wait is the same for 979 jobs."},
		{Gain{}, "but the two cannot be compared on the last part of the trace, which the races did not see: they leave out different jobs."},
		{Gain{Cases: 1000, Equal: 990, Worse: 10}, "there is no ratio of mean_wait to that of easy, which is 0 or none; of 1000 jobs 0 have less and 10 more."},
	} {
		a := &Answer{Question: Question{Solver: "easy", Metric: "mean_wait", Trace: "t"}, Found: "easy:order=sjf", Keep: true, HeldOut: &c.gain}
		if got := a.verdict(); !strings.HasPrefix(got, "Keep easy. What was judged is easy:order=sjf, ") || !strings.HasSuffix(got, c.want) {
			t.Errorf("%+v: %s", c.gain, got)
		}
	}
}
