package plan

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// The processors of a job serve nobody from the time on that an explanation states to its start; and before that time, if it is not the one from which the job was ready, another job
// used one of them. In a schedule whose starts are twice as late they are mostly free before the job starts.
func TestExplainFree(t *testing.T) {
	free, later, before := 0, 0, 0
	often.Check(t, 20, func(t *rapid.T) {
		in := modeltest.Generator{Features: model.Arrivals | model.ParallelJobs | model.MixedMachines | model.Precedence | model.UnrelatedTimes, Jobs: 8}.Instance(t)
		sol := drawSchedule(t, in)
		if rapid.Bool().Draw(t, "late") {
			for k := range sol.Jobs {
				p := &sol.Jobs[k]
				p.Start, p.End = 2*p.Start, 2*p.Start+(p.End-p.Start)
			}
		}
		for k := range sol.Jobs {
			p := &sol.Jobs[k]
			job, _ := in.JobIndex(p.Job)
			e := Explain(in, sol, job)
			if e.Free == nil || len(p.Pieces) > 0 {
				continue
			}
			ready := in.Jobs()[job].Arrival
			for _, before := range in.Jobs()[job].After {
				for i := range sol.Jobs {
					if sol.Jobs[i].Job == in.Jobs()[before].ID {
						ready = max(ready, sol.Jobs[i].End)
					}
				}
			}
			last := math.Inf(-1) // end of the last of the others on its processors before it starts
			for i := range sol.Jobs {
				if q := &sol.Jobs[i]; i != k && p.Start < p.End && q.Cluster == p.Cluster && q.Start < q.End && q.Start < p.Start && overlap(q.Processors, p.Processors) {
					last = max(last, min(q.End, p.Start))
				}
			}
			if want := max(ready, last); math.Abs(*e.Free-want) > 1e-9*max(1, want) {
				t.Fatalf("job %s, ready at %v, starts at %v: its processors are free from %v on, want %v\n%+v", p.Job, ready, p.Start, *e.Free, want, sol.Jobs)
			}
			if free++; last > ready {
				later++
			}
			if *e.Free < p.Start {
				before++
			}
		}
	})
	if free < 500 || later < 100 || before < 100 {
		t.Errorf("%d jobs, of which %d had to wait for their processors, and %d start later than those are free", free, later, before)
	}
}
