package sim_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// Options.Length sets how long a job runs, in a stream and in an instance; NaN leaves its own time. Jobs of 10, 20 and 30 run one after the other for 4, 20 and 60.
func TestLengthsThatAreGiven(t *testing.T) {
	b := model.NewBuilder("lengths").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	for _, job := range []struct {
		id   string
		work float64
	}{{"a", 10}, {"b", 20}, {"d", 30}} {
		b.Job(model.JobSpec{ID: job.id, Work: &job.work, Estimate: new(2 * job.work)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]sim.Discipline{"plain": backfill.FCFS(backfill.Ranking{}), "general": {General: backfill.FCFS(backfill.Ranking{}).General}} {
		ends := &lastEnds{}
		_, totals, err := sim.Simulate(context.Background(), in, d, sim.Options{Observer: ends, Kill: true, Length: func(j *sim.Job) float64 {
			if j.EstimatedEnd-j.Start != j.Estimate {
				t.Errorf("%s: job %d starts at %v, to end at %v", name, j.Number, j.Start, j.EstimatedEnd)
			}
			return []float64{4, math.NaN(), 90}[j.Number]
		}})
		if err != nil || len(ends.at) != 3 || ends.at[0] != 4 || ends.at[1] != 24 || ends.at[2] != 84 || totals.Killed != 1 {
			t.Errorf("%s: ends at %v, %d killed, %v; expected 4, 24 and, killed, 84", name, ends.at, totals.Killed, err)
		}
	}
}

// lastEnds notes when jobs leave.
type lastEnds struct{ at []float64 }

func (e *lastEnds) Arrived(float64, *sim.Job)                             {}
func (e *lastEnds) Started(float64, *sim.Job, []sim.Part)                 {}
func (e *lastEnds) Left(now float64, _ *sim.Job, _ sim.Outcome, _ string) { e.at = append(e.at, now) }
func (e *lastEnds) Decided(float64)                                       {}

// The last part of a job ends after the given time, the others as much earlier or later than expected: parts of 8, 4 and 2 end at 12, 6 and 3.
func TestLengthsOfParts(t *testing.T) {
	in := unequal(t, model.JobSpec{ID: "j", Processors: model.Moldable(1, 3), Tasks: 3, Work: new(8.0)})
	policy := &scripted{claims: func(*sim.Job) []sim.Claim { return each(1, 1, 1) }}
	ends := &released{policy: policy}
	_, _, err := sim.Simulate(context.Background(), in, sim.Discipline{General: func(platform *sim.Platform, _ uint64) sim.Policy {
		policy.platform = platform
		return ends
	}}, sim.Options{Length: func(*sim.Job) float64 { return 12 }})
	if err != nil || len(ends.at) != 3 || ends.at[0] != 3 || ends.at[1] != 6 || ends.at[2] != 12 {
		t.Errorf("parts end at %v, %v", ends.at, err)
	}
}

// released notes when parts end.
type released struct {
	policy *scripted
	now    float64
	at     []float64
}

func (p *released) Arrive(j *sim.Job)           { p.policy.Arrive(j) }
func (p *released) Decide(e *sim.Engine)        { p.policy.Decide(e); p.now = e.Now(); p.fill() }
func (p *released) Release(*sim.Job, int, bool) { p.at = append(p.at, math.NaN()) }

// fill dates the parts that ended at this instant.
func (p *released) fill() {
	for k := range p.at {
		if math.IsNaN(p.at[k]) {
			p.at[k] = p.now
		}
	}
}

// A job that has waited is one that arrived earlier, to the policy and to the totals; it cannot have waited for longer than time has passed.
func TestJobsThatHaveWaited(t *testing.T) {
	for _, c := range []struct {
		waited float64
		fault  string
	}{{30, ""}, {0, ""}, {100, ""}, {101, "that has waited for 0 to 100"}, {-1, "that has waited"}, {math.NaN(), "that has waited"}} {
		jobs := []sim.Spec{{Arrival: 100, Estimate: 5, Runtime: 5, Processors: 1, Waited: c.waited}}
		totals, err := sim.Run(context.Background(), &sim.Trace{Jobs: jobs}, 1, backfill.FCFS(backfill.Ranking{}), sim.Options{})
		switch {
		case c.fault == "" && (err != nil || totals.MeanWait() != c.waited):
			t.Errorf("waited %v: mean wait %v, %v", c.waited, totals.MeanWait(), err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("waited %v: %v", c.waited, err)
		}
	}
}
