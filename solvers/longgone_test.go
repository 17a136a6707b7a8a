package solvers_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// afterOthers is a batch of jobs of different priorities that arrives at 100,000, after a number of short ones.
func afterOthers(t *testing.T, seed uint64, others int) *model.Instance {
	t.Helper()
	b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 3, Processors: 2}}})
	b.Spec().UserClasses = map[string]float64{}
	for k := range 6 {
		b.Spec().UserClasses[fmt.Sprint("p", k)] = float64(k)
	}
	for k := range others { // two waves, of which most jobs wait
		b.Job(model.JobSpec{ID: fmt.Sprint("o", k), Arrival: float64(20_000 * (k % 2)), Processors: model.Rigid(1 + k%3), Work: new(30.0), Estimate: new(60.0), UserClass: fmt.Sprint("p", k%6)})
	}
	r := rand.New(rand.NewPCG(seed, 58))
	at := 100_000.0
	for k := range 40 {
		if r.IntN(3) == 0 {
			at += float64(r.IntN(400))
		}
		length := float64(1 + r.IntN(600))
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Arrival: at, Processors: model.Rigid(1 + r.IntN(6)), Work: &length, Estimate: new(length * float64(1+r.IntN(3))), UserClass: fmt.Sprint("p", r.IntN(6))})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Jobs that have long left change nothing of what a policy decides, however many there were: what it keeps of them is cleared away, and with it no more than that.
func TestJobsThatHaveLongLeft(t *testing.T) {
	race.OneGoroutine(t)
	for _, name := range []string{
		"fcfs", "fcfs:order=priority", "easy", "easy:order=priority", "easy:order=sjf", "easy:order=wfp3", "easy:depth=3", "conservative", "conservative:order=priority", "conservative:reservations=5", "flexible",
		"backfill", "backfill:order=priority", "backfill:order=sjf",
	} {
		choice, err := solve.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		policy, online := solve.PolicyOf(choice.Solver)
		if !online || policy.Supports(afterOthers(t, 0, 2)) != nil {
			t.Fatalf("%s: expected an on-line policy that takes the batch, %v", name, policy.Supports(afterOthers(t, 0, 2)))
		}
		t.Run(name, func(t *testing.T) {
			for seed := range race.Fewer(uint64(4), 1) {
				var want []model.Placement
				for _, others := range []int{0, 1, 60, 301, 900} {
					in := afterOthers(t, seed, others)
					sol, _, err := solve.Simulate(t.Context(), policy, in, sim.Options{Seed: 1})
					if err != nil {
						t.Fatal(err)
					}
					var own []model.Placement
					for _, p := range sol.Jobs {
						if p.Job[0] == 'j' {
							own = append(own, p)
						}
					}
					if others == 0 {
						want = own
						continue
					}
					for k := range want {
						if own[k].Job != want[k].Job || own[k].Start != want[k].Start {
							t.Fatalf("seed %d, after %d others: %s starts at %v, without them at %v", seed, others, own[k].Job, own[k].Start, want[k].Start)
						}
					}
				}
			}
		})
	}
}
