package backfill

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/sim"
)

// planner follows the jobs that wait and asks the policy for its plans whenever it has decided.
type planner struct {
	policy  sim.Policy
	waiting []*sim.Job
	decided func(p *planner)
}

func (p *planner) Watch(_ *sim.Platform, policy sim.Policy) { p.policy = policy }
func (p *planner) Arrived(_ float64, j *sim.Job)            { p.waiting = append(p.waiting, j) }
func (p *planner) Started(_ float64, j *sim.Job, _ []sim.Part) {
	p.waiting = slices.DeleteFunc(p.waiting, func(other *sim.Job) bool { return other == j })
}
func (p *planner) Left(_ float64, j *sim.Job, _ sim.Outcome, _ string) { p.Started(0, j, nil) }
func (p *planner) Decided(float64)                                     { p.decided(p) }

// Conservative backfilling keeps for a job's predecessors in line, and says so, what their reservations hold that begin before the job would end; the first of them is the one that is named.
func TestConservativeNamesWhatItKeeps(t *testing.T) {
	kept, free := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 57))
		r, in := randomRich(rng, false)
		d := Conservative(r.step, Ranking{})
		observer := &planner{decided: func(p *planner) {
			reserved := map[*sim.Job]float64{}
			for _, j := range p.waiting {
				reserved[j] = p.policy.(sim.Planner).Plan(j).Reserved
			}
			for _, j := range p.waiting {
				plan := p.policy.(sim.Planner).Plan(j)
				if math.IsNaN(plan.Reserved) {
					continue
				}
				var want []*sim.Job
				for _, other := range p.waiting {
					if other.Number < j.Number && reserved[other] < plan.Reserved+j.Estimate {
						want = append(want, other)
					}
				}
				same := len(want) == len(plan.Keeps)
				for _, other := range plan.Keeps {
					same = same && slices.Contains(want, other)
				}
				if !same || len(want) > 0 && plan.For != reserved[plan.Keeps[0]] || len(want) == 0 && !math.IsNaN(plan.For) {
					t.Fatalf("seed %d: job %d keeps for %v from %v on, want %v", seed, j.Number, plan.Keeps, plan.For, want)
				}
				if kept += len(want); len(want) == 0 {
					free++
				}
			}
		}}
		if _, _, err := sim.Simulate(context.Background(), in, sim.Discipline{General: d.General}, sim.Options{Observer: observer}); err != nil {
			t.Fatal(err)
		}
	}
	if kept < race.Enough(200) || free < race.Enough(50) {
		t.Errorf("%d jobs for which something is kept, %d plans without", kept, free)
	}
}
