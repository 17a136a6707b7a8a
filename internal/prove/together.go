package prove

import (
	"fmt"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// everythingTogether draws few jobs with everything at once: power, tariffs, caps, horizons, machines, closed times, jobs that run already, and decimal times. No
// schedule is planted: claims are compared with the best schedule that any solver finds and that places all jobs, and certificates are verified.
func everythingTogether(d *draft) {
	_, d.spec = modeltest.TinyTogetherSpec(d.Rand)
	d.built, d.exact = nil, false
	d.planted.together, d.planted.MayLeave = true, true
}

// compareTogether compares each claimed bound with the best schedule found, to the tolerance of the model, as times and weights are of any size.
func (t *trial) compareTogether() {
	if t.best == nil {
		return
	}
	best, err := model.Evaluate(t.in, &model.Solution{Schema: model.SolutionSchema, Jobs: t.best.Jobs, Unscheduled: t.best.Unscheduled})
	if err != nil {
		t.report("the best schedule", "error", 0, 0, err.Error())
		return
	}
	for _, c := range t.claims {
		truth := model.ProvedBound(best.Objective - c.tolerated)
		if c.metric == "" && (c.of == nil && best.Refutes(model.ProvedBound(c.value)) || c.of != nil && best.Objective < c.value && !c.of.Proves(truth)) {
			t.report(c.by, c.what, c.value, best.Objective, fmt.Sprintf("says %s %v; a right schedule has %v", c.what, c.value, best.Objective))
			last := &t.found[len(t.found)-1]
			last.Seed, last.MaxEvals, last.refutes = c.seed, c.evals, t.best
		}
	}
}
