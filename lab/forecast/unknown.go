package forecast

import (
	"fmt"
	"math"
)

// unknown says why too little is known at a time to draw run times; empty: enough is.
func (t *truth) unknown(at float64, history *History, opt *Options) string {
	first := -1
	for k := range t.in.Jobs() {
		j := &t.in.Jobs()[k]
		there := j.Arrival <= at && !(t.end[k] <= at) && !(t.left[k] <= at)
		if there && math.IsNaN(j.Estimate) && (first < 0 || t.numbers[k] < t.numbers[first]) {
			first = k
		}
	}
	if first >= 0 {
		return fmt.Sprintf("job %q, which runs or waits, states no estimate, so nobody knows how long it may run", t.in.Jobs()[first].ID)
	}
	if ended := history.upTo(history.all, at); ended < opt.Least {
		return fmt.Sprintf("too few jobs have ended to draw run times from: expected at least %[2]d, found %[1]d; so every job runs as long as the policy expects", ended, opt.Least)
	}
	return ""
}
